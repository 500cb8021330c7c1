"""More evidence never brings silence: words of a claim that is shown, appended to the prompt, keep
it shown, unless as many lines as there may be are likelier.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from vouch_sidecar.kb.records import Claim
from vouch_sidecar.text.content_words import terms

from benchmarks.quality.every_set import opened
from benchmarks.quality.runs import AT_MOST
from benchmarks.quality.sets import REAL, SETS, read_prompts
from benchmarks.quality.world import World, view_of

EVERY = 4
"""Of so many prompts over the example one is asked."""


@pytest.mark.parametrize(("name", "extended"), [("courier", 100), ("twenty", 100), ("chat", 10)])
def test_none_is_lost(name: str, extended: int) -> None:
    if name == "courier":
        prompts = [one.text for one in read_prompts(SETS / "answers.jsonl") if one.base == name]
        with opened(name) as world:
            kept = list(_kept(world, prompts[::EVERY]))
    else:
        prompts = [one.text for one in read_prompts(REAL / f"{name}.jsonl")]
        kept = list(_kept(World(REAL / name), prompts))
    assert len(kept) > extended
    assert all(kept)


def _kept(world: World, prompts: Sequence[str]) -> Iterator[bool]:
    """For each prompt with one, three or all words of a claim more, whether this is still shown."""
    view = view_of(world)
    for prompt in prompts:
        for item in world.ask("context", task=prompt)["items"]:
            claim = view.visible.claim(item["id"])
            if isinstance(claim, Claim):
                words = [word.word for word in terms(view.texts.shown(claim).text)]
                for more in dict.fromkeys((*words[-1:], " ".join(words[:3]), " ".join(words))):
                    yield _is_shown(world, claim, f"{prompt} {more}")


def _is_shown(world: World, claim: Claim, prompt: str) -> bool:
    answer = world.ask("context", task=prompt)
    shown = answer["items"]
    if any(item["id"] == claim.id for item in shown):
        return True
    rows = world.ask("explain", text=prompt)["texts"]
    own = max((row["similarity"] for row in rows if row["id"] == claim.id), default=0.0)
    lines = answer["text"].count("\n- ")
    return lines >= AT_MOST and all(item["similarity"] >= own for item in shown)
