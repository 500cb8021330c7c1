"""Claims that share a name that nobody declared, and words of claims that share none."""

from __future__ import annotations

TEXTS = {
    "asked": "A keyring is asked before `read_netrc`.",
    "run": "The keyring can be imported or run.",
    "off": "Without a keyring the password is asked for.",
}
WORDS = "door roof wall gate shed barn mill pump well yard path hedge".split()
