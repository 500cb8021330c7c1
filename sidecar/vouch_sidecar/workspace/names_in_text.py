"""Finds names in a text that may be those of a workspace: paths, dotted modules, identifiers,
options, variables, and numbers of documents. Looks at the text only; `Files` and `Ties` find out
whether such files exist.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from hashlib import blake2b
from itertools import chain
from typing import Literal, NamedTuple

from vouch_sidecar.text.sentences import windows

MAX_TEXT_READ = 20_000
"""The number of characters of one text that are read."""
MAX_NAMES_READ = 200
"""Names of one text that are used: a hostile claim may hold a hundred thousand."""
MAX_NAME = 200
PLAIN = 0.5
"""The factor for an identifier that is also a word."""

_TICKED = re.compile(r"`([^`\n]{1,200})`")
_ENDING = "[A-Za-z][A-Za-z0-9]{0,9}+"
_PATH = re.compile(
    r"(?<![\w@:/\\.~+\[\]()-])(?:\./|/)?[\w.@+~\[\]()-]++(?:[/\\][\w.@+~\[\]()-]++)++[/\\]?+"
    r"|(?<![\w@:/\\.~+-])[\w+~-]++/(?![\w/])"
    rf"|(?<![\w@:/\\~+-])\.?[\w+~-]++(?:(?:(?:\.(?!{_ENDING}(?![\w+~/-]))[\w+~-]++){{0,15}}+"
    rf"\.{_ENDING}(?![\w+~/-])){{1,15}}+(?:\.{_ENDING}(?![\w/-]))?|\.{_ENDING}(?![\w/-]))"
)
_DOTTED = re.compile(
    r"(?<![\w./\\:$-])[A-Za-z_$][\w$]*+(?:(?:\.|::|#)[A-Za-z_$][\w$]*+(?![/\\-]))++"
)
_IDENTIFIER = re.compile(
    r"(?<![\w$./-])(?<!::)(?<!\w#)(?:"
    r"_{0,2}[a-z][a-z0-9]*+(?:_[a-z0-9]++)++_{0,2}+"  # snake_case
    r"|[A-Z][A-Z0-9]*+(?:_[A-Z0-9]++)++"  # VARIABLE_NAME
    r"|[a-z]++[0-9]*+(?:[A-Z][a-z0-9]*+)++"  # camelCase
    r"|(?:[A-Z]++[a-z][a-z0-9]*+){2,}+[A-Z]*+"  # CamelCase
    r"|[A-Za-z]\w{2,200}+(?=\(\))"  # called()
    r")(?![\w$-]|(?:\.|::|#)\w)"
)
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9]+(?:-[a-z0-9]+)*(?![\w-])")
_WORD = re.compile(r"[A-Za-z_$][\w$]{2,}[?!]?\Z")
_PLAIN = re.compile(r"[A-Z]?[a-z]+\Z")
_GOES_ON = re.compile(r"(?:[$=#%&!?^{}<>|;]|[,'*](?=\w))")
"""What stands behind a path that is the beginning of a longer one."""
_SPLIT = re.compile(r"\.|::|#")
_NUMBERED = re.compile(
    r"(?<![\w./\\-])([A-Za-z]{2,12}-|[A-Z]{2,12} )0{0,4}([0-9]{1,5})(?![\w-]|[./\\]\w)"
)
_URL = re.compile(r"(?<!\w)\w++://\S*+")


class NameInText(NamedTuple):
    """A name in a text, from offset `start` to `end`. One that is not `whole` may be the beginning
    of a longer one, and means no folder. That of a document, such as `ADR-0007` or `ADR 7`, has the
    text `adr-7`.
    """

    kind: Literal["path", "identifier", "document"]
    text: str
    start: int
    end: int
    whole: bool = True


class Identifier(NamedTuple):
    """An identifier in a name of a text. Where it is a part of a `dotted` name, files that define
    that one are meant.
    """

    name: str
    share: float
    """The factor for what it ties."""
    dotted: str = ""


def names_in(text: str, listed: Callable[[str], str | None] = lambda _: None) -> list[NameInText]:
    """The names of a text, each once, in order of first use; at most `MAX_NAMES_READ`. What stands
    in backticks and is a file, whose path `listed` gives, is that path, whatever signs it holds.
    """
    places = (
        name._replace(start=start + name.start, end=start + name.end)
        for start, end in windows(text[:MAX_TEXT_READ])
        for name in _names(text[start:end], listed)
        if name.end - name.start <= MAX_NAME
    )
    first: dict[tuple[str, str], NameInText] = {}
    for name in places:
        first.setdefault((name.kind, name.text), name)
        if len(first) >= MAX_NAMES_READ:
            break
    return list(first.values())


def _names(text: str, listed: Callable[[str], str | None]) -> Iterator[NameInText]:
    text = _URL.sub(lambda match: " " * len(match[0]), text)
    for ticked in _TICKED.finditer(text):
        yield from _in_ticks(ticked[1], ticked.start(1), listed)
    yield from _inside(_TICKED.sub(lambda match: " " * len(match[0]), text), 0)


def _in_ticks(text: str, at: int, listed: Callable[[str], str | None]) -> Iterator[NameInText]:
    """The names in a span in backticks: the whole span if it is one name, else those in it."""
    whole = text.removesuffix("()").strip()
    start = at + text.find(whole)
    if (path := listed(whole)) is not None:
        yield NameInText("path", path, start, start + len(whole))
    elif _WORD.match(whole):
        yield NameInText("identifier", whole, start, start + len(whole))
    else:
        yield from _inside(text, at)


def _inside(text: str, at: int) -> Iterator[NameInText]:
    for match in _PATH.finditer(text):
        name = match[0].replace("\\", "/")
        start, end = match.span()
        yield NameInText("path", name, at + start, at + end, not _GOES_ON.match(text, end))
    for match in chain(_DOTTED.finditer(text), _IDENTIFIER.finditer(text), _OPTION.finditer(text)):
        yield NameInText("identifier", match[0], at + match.start(), at + match.end())
    for match in _NUMBERED.finditer(text):
        name = f"{match[1][:-1]}-{match[2]}".lower()
        yield NameInText("document", name, at + match.start(), at + match.end())


def identifiers_in(name: NameInText) -> list[Identifier]:
    """The identifiers in a name: for a dotted name the last two parts, and each part that is not
    just a word. A path has none.
    """
    whole = name.text
    parts = [part for part in parts_of(whole) if part] if name.kind == "identifier" else []
    if len(parts) < 2:
        is_plain = whole.islower() and _PLAIN.match(whole) is not None
        return [Identifier(whole, PLAIN if is_plain else 1.0)] if parts else []
    dotted = ".".join(parts[-2:])
    several = [part for part in parts[-2:] if not _PLAIN.match(part) and len(part) > 3]
    return [Identifier(dotted, 1.0), *(Identifier(part, PLAIN, dotted) for part in several)]


def parts_of(name: str) -> list[str]:
    """The parts of a dotted name."""
    return _SPLIT.split(name)


def digest(name: str) -> int:
    """A number of 64 bits that stands in for a name where names must not be stored."""
    return int.from_bytes(blake2b(name.encode("utf-8", "replace"), digest_size=8).digest())
