"""Words that carry no topic, and how common a word is. Folded and without apostrophes."""

from __future__ import annotations

from functools import cache
from importlib import resources

STOPWORDS = frozenset(
    """
    a about above after again against all also am an and any are arent as at be because been
    before being below between both but by can cannot cant could couldnt did didnt do does doesnt
    doing dont down during each else ever every few for from further get gets got had hadnt has
    hasnt have havent having he her here hers herself him himself his how i if im in into is isnt
    it its itself ive just let lets me more most much must my myself no nor not now of off on once
    only or other our ours ourselves out over own please really shall she should shouldnt so some
    such tell than that thats the their theirs them themselves then there theres these they theyre
    this those through to too under until up upon us very was wasnt we were werent what whats when
    where which while who whom whos whose why will with wont would wouldnt yes yet you your youre
    yours yourself yourselves
    """.split()
)
VERY_COMMON, COMMON, ORDINARY = 1, 2, 3
"""How common an English word is."""
DATES = frozenset(
    """
    monday tuesday wednesday thursday friday saturday sunday january february march april june july
    august september october november december
    """.split()
)
"""Days and months, which have a capital and name nothing."""


@cache
def _english() -> dict[str, int]:
    text = resources.files("vouch_sidecar.text").joinpath("english.txt").read_text("utf-8")
    _, *tiers = text.split("\n\n")
    return {word: tier for tier, words in enumerate(tiers, 1) for word in words.split()}


def tier(folded: str) -> int:
    """How common an English word is: 1 very, 2 common, 3 ordinary; 0 for anything else."""
    return _english().get(folded, 0)
