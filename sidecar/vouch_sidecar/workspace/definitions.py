"""Finds everything that a file defines, by one expression for each language, applied line by line.
What is found is kept as digests and lines, never as text.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from vouch_sidecar.kb.safe_files import Stat
from vouch_sidecar.workspace.names_in_text import digest

MAX_LINE_CHARS = 500
"""Characters that a line may have; longer lines were not typed."""
MAX_FOUND = 10_000
"""Names that one file defines."""
MAX_OWNERS = 3
"""Definitions around another one, the innermost, whose member that is."""

_MODIFIED = (
    r"^\s*+(?:(?:public|private|protected|internal|static|final|abstract|override|virtual|async|sealed"
    r"|synchronized|default|readonly|const|unsafe|extern|partial|new|open)\s++)++"
)
_C_LIKE_CALLS = r"(?!(?:return|else|new|throw|await|case|goto|delete)\b)"
_PATTERNS = {
    "python": (
        (
            r"^(?:\s*+(?:async\s++)?(?:def|class)\s++NAME"
            r"|(?: {4}|\t)?NAME\s*+(?::[^=]++)?=(?!=)"
            r"|\s++self\.NAME\s*+(?::[^=]++)?=(?!=)"
            r"|(?: {4}|\t)NAME\s*+:[^,]++(?<!\()$)"
        ),
    ),
    "javascript": (
        r"\b(?:function(?:\s*+\*)?|class|interface|type|enum|namespace)\s++NAME",
        r"^(?:export\s++)?(?:default\s++)?(?:declare\s++)?(?:const|let|var)\s++NAME",
        (
            r"^\s*+(?:(?!function\b)[a-z]++\s++(?![(<])){0,4}+"
            r"#?NAME\s*+(?:<[^>]*+>)?\([^;]{0,250}\)\s{0,20}(?::[^{;]++)?\{"
        ),
        r"^\s*+(?:(?:public|private|protected|static|readonly)\s++)++NAME",
        r"^\s++this\.NAME\s*+=(?!=)",
        r"^\s*+(?:exports\.|module\.exports\.|static\s++)?NAME\s*+[=:]\s*+(?:async\b|function\b|\()",
    ),
    "go": (
        (
            r"^(?:func\s++(?:\([^)]*+\)\s*+)?NAME"
            r"|type\s++NAME"
            r"|(?:var|const)\s++NAME"
            r"|\t(?:type\s++)?NAME\s++(?:[\w.*\[\]]{1,200}\s{0,20})?(?:=|struct|interface|func)"
            r"|\tNAME$)"
        ),
    ),
    "rust": (
        r"\b(?:fn|struct|enum|trait|type|const|static(?:\s++mut)?|mod|union)\s++NAME",
        r"\bmacro_rules!\s*+NAME",
        r"^\s*+(?:unsafe\s++)?impl\b(?:.{0,250}\bfor\b|\s*+<[^>]*+>)?\s*+(?:\w++::)*+NAME",
    ),
    "java": (
        r"\b(?:class|interface|enum|record|@interface)\s++NAME",
        _MODIFIED + r"(?:<[^>]*+>\s*+)?[\w.<>\[\],? ]{1,200}\s{1,20}NAME\s*+[({=;]",
        r"^\s*+" + _C_LIKE_CALLS + r"[\w.<>\[\],?]++\s++NAME\s*+\([^;]{0,250}\)\s{0,20}"
        r"(?:throws\b[^{]*+)?\{",
        _MODIFIED + r"NAME\s*+\(",
    ),
    "kotlin": (
        (
            r"\b(?:(?:class|interface|object|typealias|val|var)\s++"
            r"|fun\s++(?:<[^>]{0,200}>\s*+)?(?:[\w.<>]{1,200}\.)?)NAME"
        ),
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
first name of each language is that of a function or a type, the others may be those of values.
"""
_NAME = r"(?<![\w$-])([A-Za-z_$][\w$]*+)(?![\w$-])"
_ADDS = re.compile(r"\s*+(?:unsafe\s++)?(?:impl|extension)\b")
"""A line that adds members to a type, which another line defines."""
_OWNER = re.compile(r"(\w++)(?:\.|::|#|(?:\[[^\]]*+\])?\) )\Z")
"""The type in front of the name of its member: `Relay::send`, `func (r *Relay) send`."""
_CLOSING = re.compile(r"[{}\])]|end\b")
_QUOTED_NAME = r"[\"'`](--[a-z][a-z0-9-]++|[A-Z][A-Z0-9]*+(?:_[A-Z0-9]++)++)[\"'`]"
"""An option, or a variable of the environment: it counts as defined where code quotes it."""


class Span(NamedTuple):
    """The first and the last line of a definition, from 1."""

    line: int
    end: int


class DefinedNames(NamedTuple):
    """What a file defines: digests of the names, each with the first and the last line. What stands
    in another definition has also the name `Owner.member`.
    """

    names: array[int] = array("Q")
    lines: array[int] = array("i")
    ends: array[int] = array("i")


Definitions = Mapping[str, tuple[Stat, DefinedNames]]
"""What each file defines, with its stat when it was read, by path."""


def names_in_file(data: bytes, language: str | None) -> DefinedNames:
    """What a file defines. Takes time in proportion to its size.

    A definition ends before the next line that is indented no deeper, or with a bracket there.
    """
    names, lines, ends = defined = DefinedNames(array("Q"), array("i"), array("i"))
    if language not in _PATTERNS or b"\0" in data[:8192]:
        return defined
    around: list[tuple[int, range, list[str]]] = []
    """The definitions around a line: indentation, places in the arrays, and names."""
    before = 0

    def end(indent: int) -> None:
        while around and around[-1][0] >= indent:
            for at in around.pop()[1]:
                ends[at] = before

    for number, indent, line in _lines(data):
        if around and around[-1][0] >= indent:
            end(indent + (_CLOSING.match(line, indent) is not None))
        before, first = number, len(names)
        found = dict(_defined_in(line, language)) if first < MAX_FOUND else {}
        if found:
            owners = [owner for _, _, several in around[-MAX_OWNERS:] for owner in several]
            for name, counts in found.items():
                members = [f"{owner}.{name}" for owner in owners]
                for each in (*members, name) if counts else members:
                    names.append(digest(each))
                    lines.append(number)
                    ends.append(number)
            around.append((indent, range(first, len(names)), list(found)))
    end(0)
    return defined


def _lines(data: bytes) -> Iterator[tuple[int, int, str]]:
    """The number, indentation and text of each line that is neither blank nor a comment."""
    for number, line in enumerate(data.decode("utf-8", "replace").split("\n"), 1):
        if (inner := line.lstrip()) and not inner.startswith(("//", "* ")):
            yield number, len(line) - len(inner), line.rstrip()


def _defined_in(line: str, language: str) -> Iterator[tuple[str, bool]]:
    """The names that a line defines, and whether each counts also where it is no member: a value
    whose name is an English word, told by its form, does not.
    """
    for match in _expression_of(language).finditer(line) if len(line) <= MAX_LINE_CHARS else ():
        for group, name in enumerate(match.groups(), 1):
            if name is not None:
                is_word = group > 1 and name.isalpha() and name.islower()
                yield name, not (is_word or _ADDS.match(line))
                owner = _OWNER.search(line, 0, match.start(group))
                if owner is not None:
                    yield f"{owner[1]}.{name}", True


@cache
def _expression_of(language: str) -> re.Pattern[str]:
    """The expression of a language, compiled when a file of it is read first. The first group is
    the name of a function or a type.
    """
    return re.compile("|".join((*_PATTERNS[language], _QUOTED_NAME)).replace("NAME", _NAME))
