"""How near a matching claim is to a topic, and how focused an entity is: for weight `evidence`.

docs/how-it-decides.md gives the formulas and the measurement behind the constants.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from math import sqrt

from sidecar.index.text import Needle, fold
from sidecar.kb.records import Claim

__all__ = ["closeness", "focus", "patterns", "repeats"]

OTHER_FORM = 0.5
"""A claim that holds a word of the topic in another form only: `typed` for `typing`."""
LEADS = 2.0
"""A claim that begins with the topic."""
PROLIFIC = 30
"""An entity with a thirtieth of all claims counts 1/√2."""


def patterns(words: Iterable[Needle]) -> dict[Needle, re.Pattern[str]]:
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
    times = [len(exact[word].findall(folded)) for word in held]
    one_form = all(t or len(w.alternatives) > 1 for t, w in zip(times, held, strict=True))
    t = max(1, min(times))
    return {
        "form": 1.0 if one_form else OTHER_FORM,
        "frequency": 2 * t / (t + 1),
        "lead": LEADS if any(_leads(folded, exact[word]) for word in held) else 1.0,
    }


def _leads(folded: str, exact: re.Pattern[str]) -> bool:
    """Whether nothing but signs stands before the word."""
    found = exact.search(folded)
    return found is not None and not any(map(str.isalnum, folded[: found.start()]))


def repeats(claims: Iterable[Claim]) -> frozenset[str]:
    """Ids of the claims that say, word for word, what one before them says."""
    seen: set[str] = set()
    out = []
    for claim in claims:
        said = " ".join(claim.text.lower().split())
        if said in seen:
            out.append(claim.id)
        seen.add(said)
    return frozenset(out)


def focus(own: int, total: int) -> float:
    """1/√(1 + 30·own/total): of equal evidence, an entity that everything is about carries less."""
    return 1 / sqrt(1 + PROLIFIC * own / total) if total else 1.0
