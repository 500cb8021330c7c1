"""Recognises what any version of this program wrote, and defines the command that starts it."""

from __future__ import annotations

import hashlib
import json
import re

COMMAND = "vouch-sidecar"
ENV = {"PYTHONPATH": "", "PYTHONSAFEPATH": "1"}
"""The environment in which every integration starts this program. With a relative or empty part in
`PYTHONPATH`, Python would run a `sitecustomize.py` of the working folder; an empty value is safe.
"""
PREFIX = "".join(f"{name}={value} " for name, value in ENV.items())
HOOK = f"{PREFIX}{COMMAND} hook"
"""The beginning of a hook's command, for a POSIX shell."""
_CALLED = re.compile(
    rf'("?command(?:_windows)?"?(?:: | = )(?:\[\s*)?"(?:{PREFIX})?)[^" ]*{COMMAND}(?=[ "])'
)

WRITTEN = frozenset(
    """
    07deac5a46ddff08 0f80e5a1ae61efde 10a321ccd14586d1 1efc2248727c5dc5 27c8ec9da3993b8e
    40c06e726c40d85b 481370334238a33f 6a6be98a8f6718dc 7699b85d19c72ba2 935dfd6e02f824c7
    abd7f0b575c929cb af47be6242d7ab7a af4b4857a5746e3d c689fdf923be42d9 ce20dfd5b539f421
    d208408e7fcc2ff1 e0ddc0b3e1aade5a e2f3eed6f538c293 f6d39439ba468efd
    """.split()
)
"""Digests of everything that any version wrote to a file of a host. Never remove one; a test names
those to add.
"""


def digest(written: object) -> str:
    """The digest of a text or a JSON value, whatever the folder of the command."""
    text = written if isinstance(written, str) else json.dumps(written, sort_keys=True)
    return hashlib.sha256(calling(text, COMMAND).encode()).hexdigest()[:16]


def is_known(written: object) -> bool:
    """Whether some version of this program wrote this text or value."""
    return digest(written) in WRITTEN


def calling(text: str, command: str) -> str:
    """Our JSON or TOML text with another command to start this program."""
    return _CALLED.sub(lambda found: found[1] + command, text)
