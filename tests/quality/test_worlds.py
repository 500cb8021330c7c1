"""Worlds, written without a look at the code: floors on those that nothing was fitted to.

data/NAME.json holds each with its prompts. What is said of those kept back is counted, never shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest

from benchmarks.quality.measures import Case
from benchmarks.quality.runs import world_cases
from benchmarks.quality.sets import FITTED, KEPT_BACK, KnowledgeBase, Wanted, read_base
from benchmarks.quality.world import written

"""The kinds of prompts, and how many of each a world has at least."""
ANSWERED = {
    "payroll": {
        "named": 9,
        "beside": 6,
        "alone": 22,
        "half": 14,
        "bare": 4,
        "page": 6,
        "task": 4,
        "who": 4,
    },
    "groundstation": {
        "named": 12,
        "beside": 9,
        "alone": 21,
        "half": 15,
        "bare": 5,
        "page": 7,
        "task": 7,
        "who": 4,
    },
    "vineyard": {
        "named": 11,
        "beside": 9,
        "alone": 19,
        "half": 10,
        "bare": 5,
        "page": 5,
        "task": 8,
        "who": 5,
    },
    "rescue": {
        "named": 12,
        "beside": 9,
        "alone": 19,
        "half": 3,
        "bare": 5,
        "page": 6,
        "task": 5,
        "who": 5,
    },
}
"""By kind, how many prompts are answered at least: two fewer than when this was written."""
FIRES = {
    "payroll": {"silent": 2, "silent_domain": 2},
    "groundstation": {"silent": 8, "silent_domain": 3},
    "vineyard": {"silent": 3, "silent_domain": 2},
    "rescue": {"silent": 2, "silent_domain": 3},
}
"""By kind, for how many prompts something is said at most: two more than when this was written."""
PUMPS = "who looks after the ballast pumps of berth nine"
LENS = "is the lens polished each spring by a contractor from Tromsø?"
HYDRANTS = "for how many minutes is the brass valve behind the weighbridge open, draining hydrants?"


@pytest.fixture(scope="module")
def counts() -> dict[str, Counter[str]]:
    """By world and measure, the number of prompts of which it is true."""
    found = {}
    for name in KEPT_BACK:
        base = read_base(name)
        with written(base) as world:
            found[name] = _counted(world_cases(base, world))
    return found


def _counted(cases: Iterable[Case]) -> Counter[str]:
    return Counter(measure for case in cases for measure, (true, _) in case.counts.items() if true)


def test_floors_are_of_the_worlds_kept_back() -> None:
    assert set(ANSWERED) == set(FIRES) == set(KEPT_BACK)
    assert not set(FITTED) & set(KEPT_BACK)


@pytest.mark.parametrize(
    ("world", "kind", "least"),
    [(world, *floor) for world, floors in ANSWERED.items() for floor in floors.items()],
)
def test_enough_is_answered(
    counts: dict[str, Counter[str]], world: str, kind: str, least: int
) -> None:
    assert counts[world][f"{kind} answered"] >= least


@pytest.mark.parametrize(
    ("world", "kind", "most"),
    [(world, *ceiling) for world, ceilings in FIRES.items() for ceiling in ceilings.items()],
)
def test_little_is_said_where_nothing_answers(
    counts: dict[str, Counter[str]], world: str, kind: str, most: int
) -> None:
    assert counts[world][f"{kind} fires"] <= most


def test_how_a_prompt_is_judged() -> None:
    base = KnowledgeBase(
        name="quay",
        entities=(
            {"id": "ada", "name": "Ada Lovelace", "type": "person"},
            {"id": "dock-crew", "name": "Dock Crew", "type": "team"},
            {"id": "beacon", "name": "Beacon", "type": "system"},
        ),
        claims=(
            {
                "id": "ballast-pumps",
                "text": "Whoever has the brass key looks after the ballast pumps of berth nine.",
                "entities": ("ada", "dock-crew"),
            },
            {
                "id": "beacon-lens",
                "text": "The lens is polished each spring by a contractor from Tromsø.",
                "entities": ("beacon",),
            },
        ),
        pages=(
            {
                "id": "frost",
                "title": "Frost: what to do",
                "text": "Before winter.\n\n## Draining the hydrants\n\nOpen the brass valve behind"
                " the weighbridge and wait for eleven minutes.\n",
            },
        ),
        prompts=(
            _wanted("claim", PUMPS, "ballast-pumps"),
            _wanted("other", PUMPS, "beacon-lens"),
            _wanted("who", PUMPS, "ada"),
            _wanted("who", PUMPS, "dock-crew"),
            _wanted("who", PUMPS, "beacon"),
            _wanted("shown", PUMPS, "ada"),
            _wanted("shown", PUMPS, "dock-crew"),
            _wanted("page", HYDRANTS, "frost#Draining the hydrants"),
            _wanted("heading", HYDRANTS, "frost#Filling the hydrants"),
            _wanted("silent", LENS),
            Wanted(
                kind="silent_domain",
                text=LENS,
                tolerable=("beacon",),
            ),
            _wanted("chat", "thanks, see you tomorrow"),
        ),
    )
    with written(base) as world:
        assert _counted(world_cases(base, world)) == Counter(
            {
                "claim answered": 1,
                "who answered": 2,  # by whom the claim declares
                "shown answered": 1,  # for whom the line is told
                "page answered": 1,
                "silent fires": 1,
            }
        )


def _wanted(kind: str, text: str, *want: str) -> Wanted:
    return Wanted(kind=kind, text=text, want=want)
