"""How closely a claim's text holds the words of a topic."""

from __future__ import annotations

import re
from functools import lru_cache

from vouch_sidecar.retrieval.constants import LEADS, OTHER_FORM
from vouch_sidecar.text.analysis import fold
from vouch_sidecar.text.content_words import Term


@lru_cache(maxsize=1 << 6)
def _patterns(words: tuple[Term, ...]) -> dict[Term, re.Pattern[str]]:
    """For every word of a topic, a pattern that finds its exact form in a folded text."""
    return {w: re.compile(rf"(?<![a-z]){re.escape(fold(w.word))}(?![a-z])") for w in words}


def closeness(text: str, held: tuple[Term, ...]) -> dict[str, float]:
    """Three factors: the form in which a text holds words of a topic, how often it does (2t/(t+1),
    BM25's saturation with k1 = 1, for t times), and whether it begins with one of them.
    """
    folded, exact = fold(text), _patterns(held)
    t, form, lead = 0, 1.0, 1.0
    for word in held:
        places = [match.start() for match in exact[word].finditer(folded)]
        if not places and len(word.alternatives) == 1:
            form = OTHER_FORM
        if places and not any(map(str.isalnum, folded[: places[0]])):
            lead = LEADS
        t = min(t, len(places)) if t else len(places)
    t = max(1, t)
    return {"form": form, "frequency": 2 * t / (t + 1), "lead": lead}
