"""The setting `recall.timeout_ms`: its bounds, and how a hook reads it, for which YAML takes too
long to import. Standard library only.
"""

from __future__ import annotations

import os

from vouch_sidecar.kb.discovery import CONFIG, KB_DIRNAME, SETTINGS_PREFIX

PATH, VARIABLE = ["sidecar", "recall", "timeout_ms"], f"{SETTINGS_PREFIX}RECALL_TIMEOUT_MS"
LEAST, DEFAULT, MOST = 100, 500, 10_000
"""In milliseconds."""
MAX_BYTES, FLAGS = 1 << 16, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW


def limit_in(text: str) -> int | None:
    """The milliseconds that a text sets; None where it sets none."""
    digits = text.strip().replace("_", "")
    number = int(digits) if digits.isascii() and digits.isdecimal() and len(digits) < 6 else 0
    return number if LEAST <= number <= MOST else None


def limit_of(root: str) -> int | None:
    """The milliseconds that a knowledge base's config sets; None where it sets none. They are those
    of `load_settings` where each name of `PATH` begins a line of its own: YAML's flow style is not
    read, nor whether the file is YAML elsewhere.
    """
    try:
        with open(os.open(f"{root}/{KB_DIRNAME}/{CONFIG}", FLAGS), "rb") as config:
            text = config.read(MAX_BYTES).decode("utf-8-sig", "replace")
    except OSError:
        return None
    limit, above = None, dict[int, str]()
    for name, _, value in (
        said.partition(":")
        for line in text.splitlines()
        if (said := f" {line}".replace("\t#", " #").partition(" #")[0]).strip()
    ):
        indent = len(name) - len(name.lstrip())
        above = {at: one for at, one in above.items() if at < indent} | {indent: name.strip(" \"'")}
        if [*above.values()] == PATH[: len(above)]:  # of what comes twice the last counts
            limit = limit_in(value)
    return limit
