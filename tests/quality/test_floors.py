"""What is shown for labelled prompts is as good as `benchmarks/quality/floors.json` says. Nobody
reads the prompts of sets that are kept back. And more evidence never brings silence.
"""

from collections.abc import Iterator

import pytest
from vouch_sidecar.kb.records import Claim
from vouch_sidecar.text.content_words import terms

from benchmarks.quality.every_set import Set, in_project
from benchmarks.quality.runs import AT_MOST
from benchmarks.quality.sets import DEMO, REAL, SETS, read_prompts
from benchmarks.quality.table import Counts, read_floors
from benchmarks.quality.world import World, view_of

MEASURED = [one for one in in_project() if not one.name.startswith("foreign")]  # as docstrings do


@pytest.mark.parametrize("one", MEASURED, ids=lambda one: one.name)
def test_no_kind_of_prompt_is_worse_than_its_floor(one: Set) -> None:
    assert not [*Counts.of(one.run()).faults(read_floors()[one.name])]


@pytest.mark.parametrize(("name", "extended"), [("courier", 100), ("twenty", 100), ("chat", 10)])
def test_words_of_a_claim_that_is_shown_keep_it_shown(name: str, extended: int) -> None:
    """Appended to the prompt; unless as many lines as there may be are likelier."""
    of_courier = (one for one in read_prompts(SETS / "answers.jsonl") if one.base == "courier")
    root, prompts = DEMO, list(of_courier)[::4]
    if name != "courier":
        root, prompts = REAL / name, read_prompts(REAL / f"{name}.jsonl")
    world = World(root)
    kept = [is_kept for prompt in prompts for is_kept in _kept(world, prompt.text)]
    assert len(kept) > extended
    assert all(kept)


def _kept(world: World, prompt: str) -> Iterator[bool]:
    """For a prompt with one, three or all words of a claim more, whether this is still shown."""
    for item in world.ask("context", task=prompt)["items"]:
        claim = view_of(world).claim(item["id"])
        if isinstance(claim, Claim):
            words = [word.word for word in terms(view_of(world).shown(claim).text)]
            for more in {*words[-1:], " ".join(words[:3]), " ".join(words)}:
                yield _is_shown(world, claim.id, f"{prompt} {more}")


def _is_shown(world: World, claim_id: str, prompt: str) -> bool:
    answer = world.ask("context", task=prompt)
    if any(item["id"] == claim_id for item in answer["items"]):
        return True
    rows = world.ask("explain", text=prompt)["texts"]
    own = max((row["similarity"] for row in rows if row["id"] == claim_id), default=0.0)
    lines = answer["text"].count("\n- ")
    return lines >= AT_MOST and all(item["similarity"] >= own for item in answer["items"])
