"""Whether a place in a text is a part of code: an identifier, a path, an import."""

from __future__ import annotations

import re

__all__ = ["in_code"]

_TOKEN = re.compile(r"[\w./\\:@-]+")
_TOKEN_BEFORE = re.compile(r"[\w./\\:@-]*$")
_MAX_TOKEN = 200
_FILE_BELOW = re.compile(r"/[\w-]+\.[a-z]{1,5}")
_FOREIGN = re.compile(r"://|@|\b(?:com|dev|edu|example|io|java|javax|net|org)\b")
"""Hosts, and packages that are named after them, are other people's."""
_JOINED_BEFORE = re.compile(r"(?:[^\W_]|\w_|::|\w\.|^\.\.?/.*)$")
_JOINED_AFTER = re.compile(r"[^\W_]|_\w|::|\.[^\W\d]")
_IMPORT = re.compile(r"\s*(?:from\s+[\w.]+\s+import\b|import\s+[\w.]+\s*(?:$|;|as\b))")
_SCOPE = re.compile(r"\s*\w+\([\w-]+\)!?:")


def in_code(text: str, start: int, end: int) -> bool:
    """Whether the words at a place are a part of `beacon_client`, `BeaconClient`, `beacon.write()`,
    `services/beacon/app.py`, of an import, or the scope of a commit's message.
    """
    found = _TOKEN_BEFORE.search(text, max(0, start - _MAX_TOKEN), start)
    before = found[0] if found else ""
    after = _TOKEN.match(text, end, end + _MAX_TOKEN)
    rest = after[0].rstrip(".:") if after else ""
    if _FOREIGN.search(f"{before} {rest}"):
        return False
    if _JOINED_BEFORE.search(before) or _JOINED_AFTER.match(rest) or _FILE_BELOW.fullmatch(rest):
        return True
    if (before + rest).count("/") > 1:
        return True
    line = text[text.rfind("\n", 0, start) + 1 :].partition("\n")[0]
    return bool(_IMPORT.match(line)) or bool(text[end : end + 1] == ")" and _SCOPE.match(line))
