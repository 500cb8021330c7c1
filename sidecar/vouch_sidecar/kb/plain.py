"""What a knowledge base says, made harmless for whoever reads it: one line, nothing hidden."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["clip", "one_line", "printable", "with_field"]

_ANSI = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])|\x9b[0-?]*[ -/]*[@-~]"
)
_PLAIN = re.compile(r"[ -~]*")
_SURROGATE = re.compile("[\ud800-\udfff]")


def one_line(text: str) -> str:
    """A text without line ends, control, escape, bidi and zero-width characters."""
    if not _PLAIN.fullmatch(text):
        text = "".join(_harmless(char) for char in _ANSI.sub("", text))
    return " ".join(text.split())


def clip(text: str, limit: int) -> str:
    """At most `limit` characters, the last of them an ellipsis when something was cut."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def with_field(field: str | None, message: str) -> str:
    """The message of a problem on one line, which begins with its field unless it names one."""
    return one_line(f"{field}: {message}" if field and "`" not in message else message)


def printable(path: str) -> str:
    """A path that can be shown and sent: what is not UTF-8 is escaped, as in `caf\\xe9`."""
    return _SURROGATE.sub(lambda found: f"\\x{ord(found[0]) & 0xFF:02x}", path)


def _harmless(char: str) -> str:
    category = unicodedata.category(char)
    if category == "Cs":
        return "\ufffd"
    if category == "Cf":
        return ""
    return " " if category in ("Cc", "Zl", "Zp", "Zs") else char
