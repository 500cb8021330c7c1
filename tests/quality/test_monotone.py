"""More evidence never brings silence: one, three or all content words of a told claim, appended to
a prompt, keep it told, unless as many lines as there may be are likelier; and another name never
lowers the number of lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import pytest
from vouch_sidecar.kb.records import Claim
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.text.content_words import terms

from benchmarks.quality.__main__ import ASKED, DEMO, PROMPTS_OF_REAL
from benchmarks.quality.sets import read_asked, read_base, read_wanted
from benchmarks.quality.world import World, copied, view_of, written
from tests.soak import LONG, soak

MAX_LINES = 3
BASES = ("bakery", "laboratory", "studio", "heating", "port", "newspaper") if LONG else ()
REAL = ("chat", "twenty", "click") if LONG else ("chat", "twenty")


@pytest.fixture(scope="module")
def counts() -> Counter[str]:
    """How many prompts were extended, and how many of them lost a line, by kind of claim."""
    counts = Counter[str]()
    for world, prompts in worlds():
        view = view_of(world)
        named = [e for e in view.knowledge.names.entities() if view.counts.claims_of(e.id)]
        names = sorted(entity.name for entity in named)
        for number, prompt in enumerate(prompts):
            counts.update(extended(world, view, prompt, names[number % max(1, len(names)) :][:1]))
    return counts


def worlds() -> Iterator[tuple[World, Sequence[str]]]:
    asked = [prompt for path in ASKED for prompt in read_asked(path)]
    with copied(DEMO) as world:
        yield world, [prompt.prompt for prompt in asked if prompt.kb == "courier"]
    for name in BASES:
        base = read_base(name)
        with written(base) as world:
            prompts = [prompt.prompt for prompt in asked if prompt.kb == name]
            yield world, [*prompts, *(prompt.text for prompt in base.prompts)]
    for name in REAL:
        prompts = [prompt.text for prompt in read_wanted(PROMPTS_OF_REAL / f"{name}.jsonl")]
        yield World(PROMPTS_OF_REAL / name), prompts


def extended(world: World, view: View, prompt: str, names: Sequence[str]) -> Iterator[str]:
    told = world.ask("context", task=prompt)["items"]
    for name in names if told else ():
        yield "names"
        again = world.ask("context", task=f"{prompt} {name}")["items"]
        if len(again) < len(told):
            yield "names, fewer"
    for item in told:
        claim = view.visible.claim(item["id"])
        if isinstance(claim, Claim):
            kind = view.texts.kind_of(claim)
            words = [word.word for word in terms(view.texts.shown(claim).text)]
            for more in dict.fromkeys((*words[-1:], " ".join(words[:3]), " ".join(words))):
                yield kind
                if not is_told(world, claim, f"{prompt} {more}"):
                    yield f"{kind}, lost"


def is_told(world: World, claim: Claim, prompt: str) -> bool:
    """Whether a claim is told, or as many lines as there may be are likelier."""
    told = world.ask("context", task=prompt)["items"]
    if claim.id in (item["id"] for item in told):
        return True
    rows = world.ask("explain", text=prompt)["texts"]
    own = max((row["similarity"] for row in rows if row["id"] == claim.id), default=0.0)
    lines = {item["said"]: item["similarity"] for item in told}
    return len(lines) >= MAX_LINES and min(lines.values()) >= own


@soak
def test_nothing_that_nobody_reviewed_is_lost(counts: Counter[str]) -> None:
    assert counts["exchange"] + counts["passage"] > 60
    assert counts["exchange, lost"] + counts["passage, lost"] == 0


@soak
def test_little_that_was_reviewed_is_lost(counts: Counter[str]) -> None:
    assert counts["worded"] > 800
    assert counts["worded, lost"] <= (40 if LONG else 4)
    assert counts["names"] > 100
    assert counts["names, fewer"] <= (8 if LONG else 3)
