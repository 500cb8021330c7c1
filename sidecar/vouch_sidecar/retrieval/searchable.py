"""Whether full text is asked about a text at all; names always are."""

from __future__ import annotations

from vouch_sidecar.index.content import needles
from vouch_sidecar.index.text import fold, units
from vouch_sidecar.index.words import tier
from vouch_sidecar.retrieval.constants import LEAST_WORDS

__all__ = ["REFLEX_COMMANDS", "worth_searching"]

REFLEX_COMMANDS = frozenset(
    """
    exit quit help status clear continue ok okay yes no thanks stop list ls list_tools tools resume
    retry undo
    """.split()
)


def worth_searching(text: str) -> bool:
    """Whether full text may speak about a text: three words, of which two are no stopwords, or one
    is no English word; no command.
    """
    if _word_count(text) < LEAST_WORDS:
        return False
    first = text.split(maxsplit=1)[0]
    if first.startswith("/") and first.strip("/!:").casefold() in REFLEX_COMMANDS:
        return False
    words = [fold(needle.word) for needle in needles(text)]
    telling = len(words) > 1 or any(tier(word) == 0 for word in words)
    return telling and not REFLEX_COMMANDS.issuperset(words)


def _word_count(text: str) -> int:
    """Words between spaces; of a script without spaces, two signs are one."""
    count = len(text.split())
    if count >= LEAST_WORDS or text.isascii():
        return count
    signs = sum(unit.spaceless for unit in units(text).units)
    return count - 1 + signs // 2 if signs else count
