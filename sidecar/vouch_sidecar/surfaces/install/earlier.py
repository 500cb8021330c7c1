"""Recognises what any version of this program wrote, however it was told to start itself."""

from __future__ import annotations

import hashlib
import json
import re

__all__ = ["COMMAND", "WRITTEN", "calling", "digest", "is_known"]

COMMAND = "vouch-sidecar"
_CALLED = re.compile(r'("?command"?(?:: | = )(?:\[\s*)?")[^" ]*' + COMMAND + r'(?=[ "])')

WRITTEN = frozenset(
    """
    07deac5a46ddff08 10a321ccd14586d1 1efc2248727c5dc5 40c06e726c40d85b 6a6be98a8f6718dc
    7699b85d19c72ba2 935dfd6e02f824c7 abd7f0b575c929cb af4b4857a5746e3d e0ddc0b3e1aade5a
    e2f3eed6f538c293
    """.split()
)
"""Digests of all that was ever written to a file of a host. New ones are added, none is removed:
the test that asks for them says which.
"""


def digest(written: object) -> str:
    """The digest of a text or a JSON value. The folder of the command makes no difference."""
    text = written if isinstance(written, str) else json.dumps(written, sort_keys=True)
    return hashlib.sha256(calling(text, COMMAND).encode()).hexdigest()[:16]


def is_known(written: object) -> bool:
    """Whether some version wrote this."""
    return digest(written) in WRITTEN


def calling(text: str, command: str) -> str:
    """A text of ours, in JSON or TOML, with another command to start this program."""
    return _CALLED.sub(lambda found: found[1] + command, text)
