"""Finds everything that a file defines, by one expression for each language, applied line by line.
What is found is kept as digests and lines, never as text.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from vouch_sidecar.kb.safe_files import Stat
from vouch_sidecar.workspace.names_in_text import digest, parts_of

MAX_LINE_CHARS = 500
"""Characters that a line may have; longer lines were not typed."""
MAX_FOUND = 5_000
"""Definitions of one file."""
MAX_DEFINITION_LINES = 2_000
"""Lines of one definition."""

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
        r"^\s*+(?:[a-z]++\s++(?![(<])){0,4}+#?NAME\s*+(?:<[^>]*+>)?\([^;]{0,250}\)\s{0,20}(?::[^{;]++)?\{",
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
        r"\b(?:attr_accessor|attr_reader|attr_writer|scope|define_method)\s++"
        r":NAME" + r"(?:\s*+,\s*+:NAME)?" * 5,
    ),
    "c": (
        r"^\s*+#\s*+define\s++NAME",
        r"\b(?:struct|class|union|enum(?:\s++class)?|namespace)\s++(?:\w++\s++)?NAME\s*+(?:[:{]|$)",
        r"\btypedef\b.{0,250}NAME\s*+;",
        r"\busing\s++NAME\s*+=",
        r"^(?!\s)" + _C_LIKE_CALLS + r"[\w \t*&:<>,~\[\]]{0,250}NAME\s*+\([^;]*+$",
        r"^(?:static|const|extern)\b[^(=;]{0,250}NAME[^(=;]*+[=;]",
        r"^\s*+(?:@property\b.{0,250}|[-+]\s*+\([^)]*+\)\s*+)NAME",
    ),
    "csharp": (
        r"\b(?:class|interface|enum|record|struct|namespace|delegate\s++[\w<>]{1,200})\s++(?:\w++\.){0,20}+NAME",
        _MODIFIED + r"[\w.<>\[\],? ]{1,200}\s{1,20}NAME\s*+(?:<[^>]*+>)?\s*+[({=;]",
        _MODIFIED + r"NAME\s*+\(",
    ),
}
"""What lines that define a name look like; a line is short, and so is what may be tried twice. The
first expression of each language is for functions and types, the others also match values.
"""
_NAME = r"(?<![\w$-])([A-Za-z_$][\w$]*+)(?![\w$-])"
_APART = frozenset({"go", "rust", "c", "swift", "kotlin"})
"""Languages in which a method may stand outside its type."""
_CLOSING = re.compile(r"[ \t]*+(?:[{}\])]|end\b)")
_QUOTED_NAME = re.compile(
    r"[\"'`](--[a-z][a-z0-9-]++|[a-z0-9]++(?:-[a-z0-9]++)++|[A-Z][A-Z0-9]*+(?:_[A-Z0-9]++)++)[\"'`]"
)
"""An option, or a variable of the environment: it counts as defined where code quotes it."""
_OWNER = re.compile(r"(\w++)(?:\.|::|#)\Z")


class Span(NamedTuple):
    """The first and the last line of a definition, from 1."""

    line: int
    end: int


class DefinedNames(NamedTuple):
    """What a file defines: digests of the names, each with the first and the last line. A value
    whose name is an English word, told by its form, has the negative of its line: it counts only as
    a member.
    """

    names: array[int] = array("Q")
    lines: array[int] = array("i")
    ends: array[int] = array("i")


Definitions = Mapping[str, tuple[Stat, DefinedNames]]
"""What each file defines, with its stat when it was read, by path."""


class Wanted:
    """The names that count, by digest. `Class.method` is that method, if the file defines the class
    too.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._dotted: dict[int, tuple[int, int]] = {}
        words: set[int] = set()
        for name in names:
            parts = parts_of(name) if not name.startswith("--") else [name]
            if len(parts) > 1:
                self._dotted[digest(name)] = digest(parts[-2]), digest(parts[-1])
            else:
                words.add(digest(name))
        self._own = words.union(self._dotted)
        self._every = self._own.union(*self._dotted.values())

    def defined_in(self, in_file: DefinedNames, language: str | None) -> dict[int, Span]:
        """Where a file defines wanted names."""
        held = self._every.intersection(in_file.names)
        places: dict[int, list[Span]] = {}
        defined: dict[int, Span] = {}
        for name, line, end in zip(*in_file, strict=True) if held else ():
            if name in held:
                places.setdefault(name, []).append(Span(abs(line), end))
                if line > 0 and name in self._own:
                    defined.setdefault(name, Span(line, end))
        for name, (owner, member) in self._dotted.items() if held else ():
            span = _member(places.get(owner, ()), places.get(member, ()), language)
            if span is not None:
                defined[name] = span
        return defined


def _member(owners: Iterable[Span], members: Sequence[Span], language: str | None) -> Span | None:
    """The member defined inside its owner, or outside of it in languages that allow this."""
    for owner in owners if members else ():
        inside = (member for member in members if owner.line <= member.line <= owner.end)
        if (member := next(inside, None)) is not None:
            return member
        if language in _APART:
            return next((member for member in members if member.line >= owner.line), members[0])
    return None


def names_in_file(data: bytes, language: str | None) -> DefinedNames:
    """What a file defines. Takes time in proportion to its size.

    A definition ends before the next line which is indented no deeper, or with a bracket there.
    """
    names, lines, ends = defined = DefinedNames(array("Q"), array("i"), array("i"))
    if language not in _PATTERNS or b"\0" in data[:8192]:
        return defined
    around: list[tuple[int, range]] = []
    before = 0

    def end(definitions: range) -> None:
        for at in definitions:
            ends[at] = min(before, abs(lines[at]) + MAX_DEFINITION_LINES)

    for number, line in enumerate(data.decode("utf-8", "replace").split("\n"), 1):
        line = line[: MAX_LINE_CHARS + 1].rstrip()
        indent, first = len(line) - len(line.lstrip(" \t")), len(names)
        if not line:
            continue
        deepest = indent + 1 if _CLOSING.match(line) else indent
        while around and around[-1][0] >= deepest:
            end(around.pop()[1])
        before = number
        if len(line) <= MAX_LINE_CHARS and first < MAX_FOUND:
            for name, counts in _defined_in(line, language):
                names.append(digest(name))
                lines.append(number if counts else -number)
                ends.append(number)
            around.append((indent, range(first, len(names))))
    for _, definitions in around:
        end(definitions)
    return defined


def _defined_in(line: str, language: str) -> Iterator[tuple[str, bool]]:
    """The names that a line defines, and whether each counts also where it is no member."""
    seen: set[str] = set()
    for match in _expression_of(language).finditer(line):
        for group, name in enumerate(match.groups(), 1):
            if name is not None and name not in seen:
                seen.add(name)
                yield name, group == 1 or not (name.isalpha() and name.islower())
                owner = _OWNER.search(line, 0, match.start(group))
                if owner is not None:
                    yield f"{owner[1]}.{name}", True
    for match in _QUOTED_NAME.finditer(line):
        if match[1] not in seen:
            yield match[1], True


@cache
def _expression_of(language: str) -> re.Pattern[str]:
    """The expression of a language, compiled when a file of it is read first. The first group is
    the name of a function or a type.
    """
    return re.compile("|".join(_PATTERNS[language]).replace("NAME", _NAME))
