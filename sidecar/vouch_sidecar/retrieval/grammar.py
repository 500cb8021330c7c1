"""Whether a word stands in its sentence where a name does, or where a verb does.

English has no bare singular nouns: “is the beacon slow” asks about some beacon, “is beacon slow”
about Beacon. A few words around it tell, without taking the sentence apart.
"""

from __future__ import annotations

from collections.abc import Sequence

from vouch_sidecar.index.text import Unit

__all__ = ["acts", "stands_as_a_name"]

_AUXILIARIES = frozenset(
    """
    are can cannot cant could did didnt do does doesnt had has hasnt have is isnt may might must
    shall should shouldnt was wasnt will wont would
    """.split()
)
_QUESTIONS = frozenset("how what when where which who why that if whether because since".split())
_ACTORS = frozenset("i you we they he she who please lets let to dont just".split())
_OBJECTS = frozenset(
    """
    a an the my your our their his her its this that these those it me us him them all any some
    every each no
    """.split()
)
_PREPOSITIONS = frozenset(
    """
    about against at behind between from in inside into of on onto than through via with without
    """.split()
)
_INFINITIVES = frozenset(
    """
    able about and asked begin decided easy forgot going had hard has have how i is it learn like me
    need needed needs not ought plan please ready started supposed time told tried try trying us
    used want wanted wants was what when where you
    """.split()
)
"""Words after which “to” goes before a verb."""
_PREDICATES = _AUXILIARIES | frozenset(
    """
    answers breaks crashed crashes crashing drops exposes fails failed fetches gets gives hangs
    keeps knows lags logs loses lost needs raises reads receives rejects rejected returned returns
    runs says sends shows stopped stops stores takes times took uses wants went works writes
    """.split()
)
_ENDINGS = frozenset("again and for now or please to".split())
_OPERATING = frozenset(
    """
    bump call debug deploy disable downgrade drain enable fix install kill migrate monitor patch
    pause profile reboot redeploy refactor reload restart resume rollback scale ship start stop test
    upgrade use
    """.split()
)


def acts(units: Sequence[Unit], at: int) -> bool:
    """Whether a word is what somebody does: “please relay my thanks”, “I will dispatch them”."""
    before, after = _beside(units, at, -1), _beside(units, at, 1)
    if after in _OBJECTS:
        return before not in _PREPOSITIONS
    if before == "to":
        earlier = _beside(units, at - 1, -1)
        return earlier is None or earlier in _INFINITIVES or after is not None
    return before in _ACTORS or (before in _AUXILIARIES and _beside(units, at - 1, -1) in _ACTORS)


def stands_as_a_name(units: Sequence[Unit], at: int, owns: bool = False) -> bool:
    """Whether a word without article or adjective is a subject or an object: “is beacon slow”,
    “users of crumb”, “restart gull and beacon”; or, where it `owns`, has one: “in gull's log”.
    """
    before, after = _beside(units, at, -1), _beside(units, at, 1)
    if owns:
        return before in {None, "and", "or", "to", *_AUXILIARIES, *_PREPOSITIONS, *_QUESTIONS}
    if acts(units, at):
        return False
    if before in ("and", "or") and at > 1:
        return stands_as_a_name(units, at - 2)
    if before in _AUXILIARIES:
        return _beside(units, at - 1, -1) in {None, *_QUESTIONS}
    if before in _PREPOSITIONS or before == "to":
        is_function = at > 1 and units[at - 1].gap == "," and units[at - 2].folded.isdigit()
        return not is_function  # as in `line 12, in dispatch`
    if after in _PREDICATES and (before is None or before in _QUESTIONS or before == "till"):
        return True
    if before is None and after is not None and after.endswith("s"):
        return _beside(units, at + 1, 1) in _OBJECTS  # “gull drops the last one”
    ends = after is None or after in _PREPOSITIONS or after in _ENDINGS
    return before in _OPERATING and ends and _beside(units, at - 1, -1) not in _OBJECTS


def _beside(units: Sequence[Unit], at: int, step: int) -> str | None:
    """The word before or after one, where no punctuation parts them."""
    other = at + step
    if not 0 <= other < len(units) or units[max(at, other)].gap:
        return None
    return units[other].folded
