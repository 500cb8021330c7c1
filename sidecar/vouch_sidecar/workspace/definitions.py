"""Finds where a file of code defines names: by one expression a language on the lines with the name
or, with the extra `code`, by a parser. Only names in claims are looked for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from itertools import takewhile

from vouch_sidecar.workspace.syntax_trees import Defined, parsed

MAX_LINE = 500
"""Characters that a line may have; longer lines were not typed."""
MAX_PLACES = 200
"""Places of one name in one file that are read."""
PIECE = 1 << 16
"""Bytes that are split at once, as no other thread runs meanwhile."""

_TOKEN = re.compile(rb"[A-Za-z_$][\w$]*(?:-[a-z0-9]+)*|--[a-z][a-z0-9-]+")
_MODIFIED = (
    r"^\s*(?:(?:public|private|protected|internal|static|final|abstract|override|virtual|async|sealed"
    r"|synchronized|default|readonly|const|unsafe|extern|partial|new|open)\s+)+"
)
_C_LIKE_CALLS = r"(?!(?:return|else|new|throw|await|case|goto|delete)\b)"
_PATTERNS = {
    "python": (
        r"^\s*(?:async\s+)?(?:def|class)\s+NAME\b",
        r"^(?: {4}|\t)?NAME\s*(?::[^=]+)?=(?!=)",
        r"^(?: {4}|\t)NAME\s*:\s*[^,]*[^,(]$",
    ),
    "javascript": (
        r"\b(?:function\s*\*?|class|interface|type|enum|namespace|const|let|var)\s+NAME\b",
        r"^\s*(?:[a-z]+\s+){0,4}#?NAME\s*(?:<[^>]*>)?\([^;]*\)\s*(?::[^{;]+)?\{",
        r"^\s*(?:(?:public|private|protected|static|readonly)\s+)+NAME\b",
        r"^\s*(?:exports\.|module\.exports\.|static\s+)?NAME\s*[=:]\s*(?:async\b|function\b|\()",
    ),
    "go": (
        r"^func\s+(?:\([^)]*\)\s*)?NAME\b",
        r"^type\s+NAME\b",
        r"^(?:var|const)\s+NAME\b",
        r"^\t(?:type\s+)?NAME\s+(?:[\w.*\[\]]+\s*)?(?:=|struct|interface|func)",
        r"^\tNAME$",
    ),
    "rust": (
        r"\b(?:fn|struct|enum|trait|type|const|static|static\s+mut|mod|union)\s+NAME\b",
        r"\bmacro_rules!\s*NAME\b",
    ),
    "java": (
        r"\b(?:class|interface|enum|record|@interface)\s+NAME\b",
        _MODIFIED + r"(?:<[^>]*>\s*)?[\w.<>\[\],? ]+\s+NAME\s*[({=;]",
        r"^\s*" + _C_LIKE_CALLS + r"[\w.<>\[\],?]+\s+NAME\s*\([^;]*\)\s*(?:throws\b[^{]*)?\{",
        _MODIFIED + r"NAME\s*\(",
    ),
    "kotlin": (
        r"\b(?:class|interface|object|typealias|val|var)\s+NAME\b",
        r"\bfun\s+(?:<[^>]*>\s*)?(?:[\w.<>]+\.)?NAME\b",
    ),
    "swift": (
        r"\b(?:class|struct|enum|protocol|extension|actor|func|var|let|typealias|case)\s+NAME\b",
    ),
    "ruby": (
        r"^\s*def\s+(?:self\.)?NAME(?![\w?!])",
        r"^\s*(?:class|module)\s+(?:\w+::)*NAME\b",
        r"^\s*NAME\s*=(?!=)",
        r"\b(?:attr_accessor|attr_reader|attr_writer|scope|define_method)\s+[^#]*:NAME\b",
    ),
    "c": (
        r"^\s*#\s*define\s+NAME\b",
        r"\b(?:struct|class|union|enum(?:\s+class)?|namespace)\s+(?:\w+\s+)?NAME\s*(?:[:{]|$)",
        r"\btypedef\b.*\bNAME\s*;",
        r"\busing\s+NAME\s*=",
        r"^(?!\s)" + _C_LIKE_CALLS + r"[\w \t*&:<>,~\[\]]*\bNAME\s*\([^;]*$",
        r"^(?:static|const|extern)\b[^(]*\bNAME\b[^(]*[=;]",
        r"^\s*(?:@property\b.*|[-+]\s*\([^)]*\)\s*)NAME\b",
    ),
    "csharp": (
        r"\b(?:class|interface|enum|record|struct|namespace|delegate\s+[\w<>]+)\s+(?:\w+\.)*NAME\b",
        _MODIFIED + r"[\w.<>\[\],? ]+\s+NAME\s*(?:<[^>]*>)?\s*[({=;]",
        _MODIFIED + r"NAME\s*\(",
    ),
}
_TAKES = r"""--?[\w-]{1,40}|[A-Z][A-Z0-9_-]*|<[^<>"'`]{1,40}>|\[[^]["'`]{1,40}\]"""
_QUOTED = (
    rf"""["'`](?:-\w,?\s)?NAME(?:=[^\s"'`]{{0,40}})?(?:[ ,/|]{{1,3}}(?:{_TAKES})){{0,3}}["'`]"""
)
"""The definition of an option or an environment variable in any language: its name in quotes, with
its other forms and its argument. A sentence that mentions the name defines nothing.
"""
_BARE = re.compile(r"""[ \t]*["'`]--?[\w-]{1,60}["'`],?[ \t\r]*""")
"""A line that holds nothing but an option."""
ENOUGH = 3
"""The number of other such lines that make a list; one option has fewer forms."""
_CONSTANT = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*\Z")
_COMPILED: dict[tuple[str, str], re.Pattern[str]] = {}


class Wanted:
    """The names to look for. A dotted one, `Class.method`, is that method where the file defines
    the class too.
    """

    def __init__(self, names: Set[str]) -> None:
        self.names = names
        self.dotted: dict[str, tuple[str, str]] = {}
        words: set[str] = set()
        for name in names:
            parts = re.split(r"\.|::|#", name) if not name.startswith("--") else [name]
            if len(parts) > 1:
                self.dotted[name] = (parts[-2], parts[-1])
                words.update(parts[-2:])
            else:
                words.add(name)
        self.words = words
        self._bytes = {word.encode("utf-8", "replace") for word in words}

    def held(self, data: bytes) -> set[str]:
        """Those of the words that a file holds."""
        if b"\0" in data[:8192]:
            return set()
        found: set[bytes] = set()
        at = 0
        while at < len(data):
            end = at + PIECE
            if end < len(data):
                line = data.rfind(b"\n", at, end)
                end = line + 1 if line > at else end
            found.update(self._bytes.intersection(_TOKEN.findall(data, at, end)))
            at = end
        return {word.decode() for word in found}


def definitions(
    data: bytes, language: str | None, wanted: Wanted, ending: str = ""
) -> dict[str, int]:
    """The wanted names that a file defines, each with the line, from 1, of its first definition.
    `ending` is that of the file's name, where it may be parsed.
    """
    held = wanted.held(data)
    if not held:
        return {}
    text = data.decode("utf-8", "replace")
    known = parsed(data, ending, held) if ending else None
    if known is None:
        places = {word: _lines(text, word, language) for word in held}
    else:
        places = {
            word: sorted({*_parsed_lines(known, word), *_lines(text, word, None)}) for word in held
        }
    found = {word: lines[0] for word, lines in places.items() if lines and word in wanted.names}
    for name, (owner, member) in wanted.dotted.items():
        owned, members = places.get(owner), places.get(member)
        if owned and members:
            found[name] = next((line for line in members if line >= owned[0]), members[0])
    return found


def _parsed_lines(known: Mapping[str, Sequence[Defined]], word: str) -> list[int]:
    """The lines that define a word. A word of English must be a function or a type."""
    plain = word.isalpha() and word.islower()
    return [one.line for one in known.get(word, ()) if not (plain and one.is_value)]


def _lines(text: str, word: str, language: str | None) -> list[int]:
    """The lines that define a word, from 1, in order."""
    found: list[int] = []
    at, number, start = -1, 1, 0
    for _ in range(MAX_PLACES):
        at = text.find(word, at + 1)
        if at < 0:
            break
        number += text.count("\n", start, at)
        start = at
        if found and found[-1] == number:
            continue
        first = text.rfind("\n", 0, at) + 1
        last = text.find("\n", at)
        last = len(text) if last < 0 else last
        line = text[first:last].rstrip("\r") if last - first <= MAX_LINE else ""
        if _defines(line, word, language) and not _is_listed(text, first, last):
            found.append(number)
    return found


def _is_listed(text: str, first: int, last: int) -> bool:
    """Whether a line is in a list of options, with one option a line."""
    if not _BARE.fullmatch(text, first, last):
        return False
    before = text[max(0, first - MAX_LINE) : first].splitlines()[: -ENOUGH - 1 : -1]
    after = text[last + 1 : last + MAX_LINE].splitlines()[:ENOUGH]
    beside = (sum(1 for _ in takewhile(_BARE.fullmatch, lines)) for lines in (before, after))
    return sum(beside) >= ENOUGH


def _defines(line: str, word: str, language: str | None) -> bool:
    patterns: tuple[str, ...] = () if "-" in word else _PATTERNS.get(language or "", ())
    if word.isalpha() and word.islower():  # a word as well: an assignment to it tells little
        patterns = patterns[:1]
    if "-" in word or _CONSTANT.match(word):
        patterns = (*patterns, _QUOTED)
    return any(_compiled(pattern, word).search(line) for pattern in patterns)


def _compiled(pattern: str, word: str) -> re.Pattern[str]:
    made = _COMPILED.get((pattern, word))
    if made is None:
        if len(_COMPILED) > 10_000:
            _COMPILED.clear()
        escaped = r"(?<![\w$-])" + re.escape(word) + r"(?![\w$-])"
        made = _COMPILED[pattern, word] = re.compile(pattern.replace("NAME", escaped))
    return made
