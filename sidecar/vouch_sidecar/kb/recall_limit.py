"""The setting `recall.timeout_ms`: its bounds, and how a hook reads it, for which YAML takes too
long to import. Standard library only.
"""

from __future__ import annotations

import os

from vouch_sidecar.kb.discovery import CONFIG, KB_DIRNAME, SETTINGS_PREFIX

PATH = ["sidecar", "recall", "timeout_ms"]
VARIABLE = f"{SETTINGS_PREFIX}RECALL_TIMEOUT_MS"
LEAST, DEFAULT, MOST = 100, 500, 10_000
"""In milliseconds."""
MAX_BYTES = 1 << 16


def limit_in(text: str) -> int | None:
    """The milliseconds that a text sets; None where it sets none."""
    digits = text.strip().replace("_", "")
    is_number = digits.isascii() and digits.isdecimal() and len(digits) < 6
    return int(digits) if is_number and LEAST <= int(digits) <= MOST else None


def limit_of(root: str) -> int | None:
    """The milliseconds that a knowledge base's config sets; None where it sets none. They are those
    of `load_settings` where each name of `PATH` begins a line of its own: YAML's flow style is not
    read, nor whether the file is YAML elsewhere.
    """
    try:
        path = os.path.join(root, KB_DIRNAME, CONFIG)
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW), "rb") as config:
            text = config.read(MAX_BYTES).decode("utf-8-sig", "replace")
    except OSError:
        return None
    limit, above = None, dict[int, str]()
    said = (f" {line}".partition(" #")[0] for line in text.splitlines())
    for name, _, value in (line.partition(":") for line in said if line.strip()):
        indent = len(name) - len(name.lstrip())
        above = {at: one for at, one in above.items() if at < indent} | {indent: name.strip(" \"'")}
        if [*above.values()] == PATH[: len(above)]:  # of what comes twice the last counts
            limit = limit_in(value)
    return limit
