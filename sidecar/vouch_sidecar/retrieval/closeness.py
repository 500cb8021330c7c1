"""How near a matching claim is to a topic, and how focused an entity is: for weight `evidence`.

docs/how-it-decides.md gives the formulas and the measurement behind the constants.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import sqrt

from vouch_sidecar.index.content import Needle
from vouch_sidecar.index.text import fold
from vouch_sidecar.kb.records import Claim
from vouch_sidecar.retrieval.constants import LEADS, OTHER_FORM, PROLIFIC

__all__ = ["closeness", "focus", "patterns", "said"]


@lru_cache(maxsize=1 << 6)
def patterns(words: tuple[Needle, ...]) -> dict[Needle, re.Pattern[str]]:
    """For every word of a topic, what finds its exact form in a folded text."""
    return {w: re.compile(rf"(?<![a-z]){re.escape(fold(w.word))}(?![a-z])") for w in words}


def closeness(
    text: str, held: Sequence[Needle], exact: Mapping[Needle, re.Pattern[str]]
) -> dict[str, float]:
    """Three factors: the form in which a text holds words of a topic, how often it does (2t/(t+1),
    BM25's saturation with k1 = 1, for t times), and whether it begins with one of them.
    """
    if not held:
        return {"form": 1.0, "frequency": 1.0, "lead": 1.0}
    folded = text.lower() if text.isascii() else fold(text)
    t, form, lead = 0, 1.0, 1.0
    for word in held:
        first, times = _spots(folded, exact[word])
        if not times and len(word.alternatives) == 1:
            form = OTHER_FORM
        if times and not any(map(str.isalnum, folded[:first])):
            lead = LEADS
        t = min(t, times) if t else times
    t = max(1, t)
    return {"form": form, "frequency": 2 * t / (t + 1), "lead": lead}


def _spots(folded: str, exact: re.Pattern[str]) -> tuple[int, int]:
    """Where the word first stands, and how often it does."""
    found = exact.finditer(folded)
    first = next(found, None)
    return (0, 0) if first is None else (first.start(), 1 + sum(1 for _ in found))


def said(claim: Claim) -> str:
    """What a claim says, word for word; another that says the same adds nothing."""
    return " ".join(claim.text.lower().split())


def focus(own: int, total: int) -> float:
    """1/√(1 + 30·own/total): of equal evidence, an entity that everything is about carries less."""
    return 1 / sqrt(1 + PROLIFIC * own / total) if total else 1.0
