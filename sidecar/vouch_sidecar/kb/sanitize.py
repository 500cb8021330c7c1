"""Makes texts of a knowledge base harmless for readers: one line, nothing hidden."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

_ANSI = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])|\x9b[0-?]*[ -/]*[@-~]"
)
_PLAIN = re.compile("[ -~¡-¬®-\u024f\u0400-\u0481\u2010-\u2027\u2030-\u205e]*")
_NOT_IN_NAMES = re.compile(r"[^\w.\- ]")
LONE_SURROGATE = re.compile("[\ud800-\udfff]")
"""What JSON, paths and environments can hold and UTF-8 can't."""
_SPACES = r"[\p{Cc}\p{Zl}\p{Zp}\p{Zs}\u2800]"
_HIDDEN = r"[\p{Default_Ignorable_Code_Point}\p{Cn}[\p{Cf}--\p{Prepended_Concatenation_Mark}]]"
_NEEDED = "|".join(
    (
        # A variation selector after a character that has an emoji variation, a digit's in a keycap.
        r"(?<=[\p{Emoji}--[0-9#*\p{RI}\p{EMod}]])[\ufe0e\ufe0f]",
        r"(?<=[0-9#*])\ufe0f(?=\u20e3)",
        # A joiner between the parts of an emoji, such as a family.
        r"(?<=[\p{Emoji}--[0-9#*]]\ufe0f?)\u200d(?=[\p{Emoji}--[0-9#*]])",
        # Between letters that join, as in Persian, or after one of them (its joined form).
        r"(?<=[\p{jt=D}\p{jt=R}\p{jt=L}]\p{Mn}{0,3})[\u200c\u200d](?=[\p{jt=D}\p{jt=R}\p{jt=L}])",
        r"(?<=\p{jt=D}\p{Mn}{0,3})\u200d",
        # At a virama, as in the scripts of India; before a register shifter, as in Khmer.
        r"(?<=\p{ccc=9})[\u200c\u200d]",
        r"(?<=[\p{L}--\p{Default_Ignorable_Code_Point}])\u200d(?=\p{ccc=9})",
        r"(?<=[\p{L}--\p{Default_Ignorable_Code_Point}])\u200c(?=[\u17c9\u17ca])",
    )
)
"""Invisible characters that are a part of visible ones, by UAX #31 and UTS #51."""


def one_line(text: str) -> str:
    """A text as one line, of which nothing is hidden: without control and escape sequences, without
    characters that have no looks or no meaning (default-ignorable or unassigned ones), but for
    joiners and variation selectors where a script or an emoji needs them.
    """
    if not _PLAIN.fullmatch(text):
        text = _unneeded().sub(_instead, _ANSI.sub("", text))
    return " ".join(text.split())


def escaped(text: str) -> str:
    """A text whose every character can be seen, line ends and tabs apart: what a terminal would
    obey, or not show, is escaped as in JSON.
    """
    if all(map(_PLAIN.fullmatch, text.split("\n"))):
        return text
    return str(_unseen().sub(lambda match: json.dumps(match[0])[1:-1], text))


@cache
def _unseen() -> Any:
    import regex

    others = r"[[\p{Cc}--[\n\t]]\p{Co}\p{Cs}\p{Zl}\p{Zp}\u2800\p{Prepended_Concatenation_Mark}]"
    return regex.compile(rf"{others}|{_HIDDEN}", regex.VERSION1)


@cache
def _unneeded() -> Any:
    import regex  # its properties don't depend on Python's version; the import takes 30 ms

    alternatives = (
        r"[\u200c\u200d\ufe0e\ufe0f]{3,}",  # nothing needs three of them in a row
        rf"(?P<space>{_SPACES})",
        r"(?P<lone>\p{Cs})",
        rf"(?P<needed>{_NEEDED})",
        _HIDDEN,
    )
    return regex.compile("|".join(alternatives), regex.VERSION1)


def _instead(match: Any) -> str:
    kinds = {"space": " ", "lone": "\ufffd", "needed": str(match[0])}
    return kinds.get(match.lastgroup, "")


def clip(text: str, limit: int) -> str:
    """At most `limit` characters: all of it, or cut between graphemes, with an ellipsis."""
    if len(text) <= limit:
        return text
    if text.isascii() and "\r" not in text:
        return text[: max(0, limit - 1)].rstrip() + "…"
    import regex  # costs 20 ms, and few texts are cut

    kept = ""
    for grapheme in regex.findall(r"\X", text[: limit + 1]):
        if len(kept) + len(grapheme) + 1 > limit:
            break
        kept += grapheme
    return kept.rstrip() + "…"


def with_field(field: str | None, message: str) -> str:
    """The message of a problem on one line. It begins with the field, unless it names the field."""
    return one_line(f"{field}: {message}" if field and "`" not in message else message)


def printable(path: str) -> str:
    """A path that can be shown and sent: what is not UTF-8 is escaped, as in `caf\\xe9`."""
    return LONE_SURROGATE.sub(lambda match: f"\\x{ord(match[0]) & 0xFF:02x}", path)


def shown_name(name: str) -> str:
    """The name of a field, for a message: one line, bounded."""
    return _NOT_IN_NAMES.sub("?", name[:80])


def count(number: int, noun: str, many: str = "") -> str:
    """`1 claim`, `2 claims`; `many` is the plural where an s does not make it."""
    return f"{number} {noun if number == 1 else many or noun + 's'}"
