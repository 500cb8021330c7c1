"""What a knowledge base says, made harmless for whoever reads it: one line, nothing hidden."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["one_line"]

_ANSI = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])|\x9b[0-?]*[ -/]*[@-~]"
)
_PLAIN = re.compile(r"[ -~]*")


def one_line(text: str) -> str:
    """A text without line ends, control, escape, bidi and zero-width characters."""
    if not _PLAIN.fullmatch(text):
        text = "".join(_harmless(char) for char in _ANSI.sub("", text))
    return " ".join(text.split())


def _harmless(char: str) -> str:
    category = unicodedata.category(char)
    if category == "Cs":
        return "\ufffd"
    if category == "Cf":
        return ""
    return " " if category in ("Cc", "Zl", "Zp", "Zs") else char
