"""Finds the lines where a file defines names, by one expression for each language, applied to lines
with the name. Only names from claims are looked for, and those of documents that claims cite.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import cache, lru_cache
from typing import NamedTuple

MAX_PLACES = 1_000
"""Places of one word in one file that are looked at."""
MAX_LINE_CHARS = 500
"""Characters that a line may have; longer lines were not typed."""
PIECE = 1 << 16
"""Bytes that are split at once, as no other thread runs meanwhile."""

MAX_DEFINITION_LINES = 2_000
"""Lines of one definition."""

_TOKEN = re.compile(rb"[A-Za-z_$][\w$]*(?:-[a-z0-9]+)*|--[a-z][a-z0-9-]+")
_NAME = "\ua66e"
"""Stands for the name in a line, and in the expressions: a letter that no code uses."""
_MODIFIED = (
    r"^\s*+(?:(?:public|private|protected|internal|static|final|abstract|override|virtual|async|sealed"
    r"|synchronized|default|readonly|const|unsafe|extern|partial|new|open)\s++)++"
)
_C_LIKE_CALLS = r"(?!(?:return|else|new|throw|await|case|goto|delete)\b)"
_PATTERNS = {
    "python": (
        r"^\s*+(?:async\s++)?(?:def|class)\s++NAME",
        r"^(?: {4}|\t)?NAME\s*+(?::[^=]++)?=(?!=)",
        r"^\s++self\.NAME\s*+(?::[^=]++)?=(?!=)",
        r"^(?: {4}|\t)NAME\s*+:[^,]++(?<!\()$",
    ),
    "javascript": (
        r"\b(?:function(?:\s*+\*)?|class|interface|type|enum|namespace)\s++NAME",
        r"^(?:export\s++)?(?:default\s++)?(?:declare\s++)?(?:const|let|var)\s++NAME",
        r"^\s*+(?:[a-z]++\s++){0,4}+#?NAME\s*+(?:<[^>]*+>)?\([^;]{0,250}\)\s{0,20}(?::[^{;]++)?\{",
        r"^\s*+(?:(?:public|private|protected|static|readonly)\s++)++NAME",
        r"^\s++this\.NAME\s*+=(?!=)",
        r"^\s*+(?:exports\.|module\.exports\.|static\s++)?NAME\s*+[=:]\s*+(?:async\b|function\b|\()",
    ),
    "go": (
        r"^func\s++(?:\([^)]*+\)\s*+)?NAME",
        r"^type\s++NAME",
        r"^(?:var|const)\s++NAME",
        r"^\t(?:type\s++)?NAME\s++(?:[\w.*\[\]]{1,200}\s{0,20})?(?:=|struct|interface|func)",
        r"^\tNAME$",
    ),
    "rust": (
        r"\b(?:fn|struct|enum|trait|type|const|static(?:\s++mut)?|mod|union)\s++NAME",
        r"\bmacro_rules!\s*+NAME",
    ),
    "java": (
        r"\b(?:class|interface|enum|record|@interface)\s++NAME",
        _MODIFIED + r"(?:<[^>]*+>\s*+)?[\w.<>\[\],? ]{1,200}\s{1,20}NAME\s*+[({=;]",
        r"^\s*+" + _C_LIKE_CALLS + r"[\w.<>\[\],?]++\s++NAME\s*+\([^;]{0,250}\)\s{0,20}"
        r"(?:throws\b[^{]*+)?\{",
        _MODIFIED + r"NAME\s*+\(",
    ),
    "kotlin": (
        r"\b(?:class|interface|object|typealias|val|var)\s++NAME",
        r"\bfun\s++(?:<[^>]{0,200}>\s*+)?(?:[\w.<>]{1,200}\.)?NAME",
    ),
    "swift": (
        r"\b(?:class|struct|enum|protocol|extension|actor|func|var|let|typealias|case)\s++NAME",
    ),
    "ruby": (
        r"^\s*+def\s++(?:self\.)?NAME(?![?!])",
        r"^\s*+(?:class|module)\s++(?:\w++::)*+NAME",
        r"^\s*+@{0,2}+NAME\s*+(?:\|\|)?=(?!=)",
        r"\b(?:attr_accessor|attr_reader|attr_writer|scope|define_method)\s++[^#]{0,250}:NAME",
    ),
    "c": (
        r"^\s*+#\s*+define\s++NAME",
        r"\b(?:struct|class|union|enum(?:\s++class)?|namespace)\s++(?:\w++\s++)?NAME\s*+(?:[:{]|$)",
        r"\btypedef\b.{0,250}NAME\s*+;",
        r"\busing\s++NAME\s*+=",
        r"^(?!\s)" + _C_LIKE_CALLS + r"[\w \t*&:<>,~\[\]]{0,250}NAME\s*+\([^;]*+$",
        r"^(?:static|const|extern)\b[^(]{0,250}NAME[^(=;]*+[=;]",
        r"^\s*+(?:@property\b.{0,250}|[-+]\s*+\([^)]*+\)\s*+)NAME",
    ),
    "csharp": (
        r"\b(?:class|interface|enum|record|struct|namespace|delegate\s++[\w<>]{1,200})\s++(?:\w++\.){0,20}+NAME",
        _MODIFIED + r"[\w.<>\[\],? ]{1,200}\s{1,20}NAME\s*+(?:<[^>]*+>)?\s*+[({=;]",
        _MODIFIED + r"NAME\s*+\(",
    ),
}
"""What lines that define a name look like; a line is short, and so is what may be tried twice."""
_MODIFIERS = r"(?:(?:public|private|protected|static|readonly|declare|override)\s++)*+"
_MEMBERS = {
    "javascript": (rf"^\s++{_MODIFIERS}#?NAME[?!]?\s*+(?:[:;(,]|=(?!=)|$)",),
    "go": (r"^\s++NAME\s*+[\w(*\[]",),
}
"""What lines in the body of a type look like that are the member with the name."""
_TYPES = {
    "javascript": frozenset({"class", "enum", "interface"}),
    "go": frozenset({"interface", "struct"}),
}
MAX_LINES_ABOVE = 300
"""Lines above a member among which its type is looked for."""
_VARIABLE = re.compile(r"[A-Z][A-Z0-9]*+(?:_[A-Z0-9]++)++")
_SPLIT = re.compile(r"\.|::|#")
_APART = frozenset({"go", "rust", "c", "swift", "kotlin"})
"""Languages in which a method may stand outside its type."""
_INDENT = re.compile(r"[ \t]*+")
_CLOSING = re.compile(r"[ \t]*+(?:[{}\])]|end\b)")
_REFERENCE = re.compile(rb"(?<![\w.-])[\w-]++(?:\.[\w-]++)*+")


class Span(NamedTuple):
    """The first and the last line of a definition, from 1."""

    line: int
    end: int


class Defined(NamedTuple):
    """A definition: its first and last line, and whether it is a value, no function or type."""

    line: int
    end: int
    is_value: bool


class FileNames(NamedTuple):
    """What a file says of names: the definitions, and the first line that names a document (see
    `Wanted.documents`).
    """

    defined: Mapping[str, Span]
    documents: Mapping[str, int]


class Wanted:
    """The names to look for. `Class.method` is that method, if the file defines the class too.
    `documents` are the names that a text may call cited documents by, in small letters.
    """

    def __init__(self, names: Set[str], documents: Iterable[str] = ()) -> None:
        self.names = names
        self.documents = frozenset(documents)
        self.dotted: dict[str, tuple[str, str]] = {}
        words: set[str] = set()
        for name in names:
            parts = _SPLIT.split(name) if not name.startswith("--") else [name]
            if len(parts) > 1:
                self.dotted[name] = (parts[-2], parts[-1])
                words.update(parts[-2:])
            else:
                words.add(name)
        self.words = words
        self._bytes = {word.encode("utf-8", "replace") for word in words}
        self._references = {key.encode("utf-8", "replace") for key in self.documents}

    def __bool__(self) -> bool:
        return bool(self.names or self.documents)

    def contained_in(self, data: bytes) -> tuple[set[str], set[str]]:
        """Those of the words and documents that a file contains."""
        if b"\0" in data[:8192]:
            return set(), set()
        held: set[bytes] = set()
        referred: set[bytes] = set()
        at = 0
        while at < len(data):
            end = at + PIECE
            if end < len(data):
                line = data.rfind(b"\n", at, end)
                end = line + 1 if line > at else end
            held.update(self._bytes.intersection(_TOKEN.findall(data, at, end)))
            if self._references:
                tokens = map(bytes.lower, _REFERENCE.findall(data, at, end))
                referred.update(self._references.intersection(tokens))
            at = end
        return {word.decode() for word in held}, {key.decode() for key in referred}


def names_in_file(data: bytes, language: str | None, wanted: Wanted) -> FileNames:
    """The wanted names that a file defines, and the documents that it names."""
    held, referred = wanted.contained_in(data)
    if not held and not referred:
        return FileNames({}, {})
    text = data.decode("utf-8", "replace")
    places = {word: _lines(text, word, language) for word in held} if language else {}
    defined = {}
    for word, spans in places.items():
        # A word of English must be a function or a type: an assignment to it tells little.
        plain = word.isalpha() and word.islower()
        counted = [span for span in spans if not (plain and span.is_value)]
        if word in wanted.names and counted:
            defined[word] = Span(counted[0].line, counted[0].end)
    for name, (owner, member) in wanted.dotted.items():
        members = places.get(member, ())
        span = _member(places.get(owner, ()), members, language)
        if span is None and members:
            span = _qualified(text, owner, member, members)
        if span is not None:
            defined[name] = span
    small = text.lower() if referred else ""
    documents = {key: line for key in referred if (line := _line_of(small, key))}
    return FileNames(defined, documents)


def _member(
    owners: Sequence[Defined], members: Sequence[Defined], language: str | None
) -> Span | None:
    """The member defined inside its owner, or outside of it in languages that allow this."""
    for owner in owners:
        for member in members:
            if owner.line <= member.line <= owner.end:
                return Span(member.line, member.end)
    if owners and language in _APART:
        after = [definition for definition in members if definition.line >= owners[0].line]
        for member in (after or members)[:1]:
            return Span(member.line, member.end)
    return None


def _qualified(text: str, owner: str, member: str, members: Sequence[Defined]) -> Span | None:
    """The member defined under its whole name, as `class Image::Size` in Ruby."""
    names = [f"{owner}{sign}{member}" for sign in ("::", ".", "#")]
    lines = text.split("\n")
    for definition in members:
        if any(name in lines[definition.line - 1] for name in names):
            return Span(definition.line, definition.end)
    return None


def _line_of(text: str, name: str) -> int:
    """The first line that contains a whole name; 0 if none does."""
    match = _whole(name).search(text)
    return text.count("\n", 0, match.start()) + 1 if match else 0


def _lines(text: str, word: str, language: str) -> list[Defined]:
    """The places that define a word, in order. An option or a variable in quotes counts as one."""
    lines: list[Defined] = []
    quoted = [f"{sign}{word}{sign}" for sign in "\"'`"] if _is_quoted(word) else []
    at, number, start = -1, 1, 0
    for _ in range(MAX_PLACES):
        at = text.find(word, at + 1)
        if at < 0:
            break
        number += text.count("\n", start, at)
        start = at
        if lines and lines[-1].line == number:
            continue
        first = text.rfind("\n", 0, at) + 1
        last = text.find("\n", at)
        last = len(text) if last < 0 else last
        if last - first > MAX_LINE_CHARS:
            continue
        how = _defines(text[first:last].rstrip("\r"), word, language)
        if how is None and (
            _is_member(text, first, last, word, language)
            or any(name in text[first:last] for name in quoted)
        ):
            how = True
        if how is not None:
            lines.append(Defined(number, _end(text, first, last, number), how))
    return lines


def _end(text: str, first: int, last: int, number: int) -> int:
    """The last line of the definition that begins in a line: everything indented deeper, and the
    closing line.
    """
    indent = len(_INDENT.match(text, first)[0])  # type: ignore[index]
    end, at = number, last + 1
    for line in range(number + 1, number + MAX_DEFINITION_LINES):
        if at >= len(text):
            break
        after = text.find("\n", at)
        after = len(text) if after < 0 else after
        if text[at : min(after, at + MAX_LINE_CHARS)].strip():
            inner = len(_INDENT.match(text, at, after)[0])  # type: ignore[index]
            closes = inner == indent and _CLOSING.match(text, at, after)
            if inner <= indent and not closes:
                break
            end = line
        at = after + 1
    return end


def _is_member(code: str, first: int, last: int, word: str, language: str) -> bool:
    """Whether a line is that member of a type whose body it stands in."""
    line = _whole(word).sub(_NAME, code[first:last].rstrip("\r"))
    if not any(pattern.search(line) for pattern in patterns_of(language, of_members=True)):
        return False
    indent, end = len(line) - len(line.lstrip()), first - 1
    for _ in range(MAX_LINES_ABOVE):
        if end < 0:
            return False
        start = code.rfind("\n", 0, end) + 1
        above = code[start : min(end, start + MAX_LINE_CHARS)]
        if above.strip() and len(above) - len(above.lstrip()) < indent:
            words = above.replace("{", " { ").split()
            return words[-1] == "{" and not _TYPES[language].isdisjoint(words)
        end = start - 1
    return False


def _is_quoted(word: str) -> bool:
    """Whether a word may be an option or an environment variable, which stand in quotes."""
    return "-" in word or _VARIABLE.fullmatch(word) is not None


def _defines(line: str, word: str, language: str | None) -> bool | None:
    """Whether a line defines a word as a value rather than a function or type; None if it does not
    define it.
    """
    if "-" in word or word not in line:
        return None
    line = _whole(word).sub(_NAME, line)
    for number, pattern in enumerate(patterns_of(language)):
        if pattern.search(line):
            return number > 0
    return None


@lru_cache(maxsize=10_000)
def _whole(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w$-]){re.escape(word)}(?![\w$-])")


@cache
def patterns_of(language: str | None, *, of_members: bool = False) -> tuple[re.Pattern[str], ...]:
    """The expressions of a language, compiled when a file of it is read first."""
    whole = rf"(?<![\w$-]){_NAME}(?![\w$-])"
    own = (_MEMBERS if of_members else _PATTERNS).get(language or "", ())
    return tuple(re.compile(pattern.replace("NAME", whole)) for pattern in own)
