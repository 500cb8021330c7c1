"""Ten questions about a knowledge base of another trade, which vouch itself made: of an ingested
guide, of claims that were proposed and approved, and of three entities. Each is asked as a hook
speaks, and as somebody is told who asks.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from vouch_sidecar.engine import Caller, Engine

from tests.conftest import MakeKb
from tests.engine.bases import ask, engine_on
from tests.oracle import OracleKb, Step

GUIDE = """\
# Running the reef tank

The dosing pump must never run while the return pump is off, as undiluted kalkwasser burns corals.
Alkalinity is tested every evening before the lights go out.
The protein skimmer is emptied when the cup is two thirds full.

## After a power cut

Restart the return pump first and wait until the sump has settled.
Frozen shrimp are thawed in tank water, never under the tap.
"""
RULE = "The dosing pump must never run while the return pump is off"
EVENING = "Alkalinity is tested every evening"
APPROVED = "Test the alkalinity in the evening, before lights out."
ADA: Step = {"op": "entity", "name": "Ada Lindqvist", "entity_type": "person", "as": "ada"}
ADA |= {"aliases": ["Ada"]}
HOOK = Caller(is_unasked=True)


@pytest.fixture(scope="module")
def kb(make_kb: MakeKb) -> OracleKb:
    made = make_kb(
        {"op": "config", "review": {"auto_approve_on_receipt": True}},
        {"op": "ingest", "content": GUIDE, "title": "reef.md"},
        {"op": "source", "content": "What we agreed on Monday.", "as": "minutes"},
        {"op": "entity", "name": "Dosing pump", "entity_type": "system", "as": "dosing"},
        {"op": "entity", "name": "Return pump", "entity_type": "system"},
        ADA,
        *(
            {"op": "claim", "text": text, "evidence": ["@minutes"], "entities": [about]}
            for text, about in (
                ("Ada Lindqvist mixes the salt water on Fridays.", "@ada"),
                ("Ada Lindqvist keeps the log of water tests.", "@ada"),
                ("Ada Lindqvist orders new corals from the farm in Kiel.", "@ada"),
                ("The dosing pump is calibrated on the first of every month.", "@dosing"),
            )
        ),
        name="aquarium",
    )
    (evidence,) = claim_of(made.root, EVENING)["evidence"]
    made.run({"op": "claim", "text": APPROVED, "evidence": [evidence]})
    return made


@pytest.fixture(scope="module")
def engine(kb: OracleKb) -> Engine:
    return engine_on(kb.root)


def claim_of(root: Path, text: str) -> dict[str, Any]:
    """The claim that holds this text."""
    loaded = (yaml.safe_load(p.read_text("utf-8")) for p in (root / ".vouch/claims").iterdir())
    return next(claim for claim in loaded if text in claim["text"])


def lines(engine: Engine, caller: Caller, task: str) -> list[str]:
    block = ask(engine, "context", caller, task=task)["text"]
    return [line for line in block.splitlines() if line.startswith("- ")]


@pytest.mark.parametrize("caller", [HOOK, Caller()], ids=["hook", "asked"])
@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Can I run the dosing pump now?", RULE),
        ("Can I run the dosing pump now, while the return pump is off?", RULE),
        ("When is the dosing pump calibrated?", "first of every month"),
        ("Who orders the new corals?", "the farm in Kiel"),
        ("On which day does Ada mix the salt water?", "on Fridays"),
        ("When is alkalinity tested in the evening?", APPROVED),
        ("What comes first after a power cut, the return pump or the sump?", "Restart the return"),
        ("When is the protein skimmer cup emptied?", "two thirds full"),
    ],
)
def test_what_answers_is_told(engine: Engine, caller: Caller, question: str, first: str) -> None:
    told = lines(engine, caller, question)
    if not caller.is_unasked:  # who asks is told what was reviewed before it
        told.sort(key=lambda line: first not in line)
    assert told, question
    assert first in told[0]


@pytest.mark.parametrize("caller", [HOOK, Caller()], ids=["hook", "asked"])
def test_what_nothing_answers_is_told_little_or_nothing(engine: Engine, caller: Caller) -> None:
    assert lines(engine, caller, "Which database does the web shop use for its invoices?") == []
    assert len(lines(engine, caller, "Is Ada on holiday?")) == 1
    assert len(lines(engine, caller, "What do we know about Ada?")) == 3


def test_a_passage_says_that_nobody_reviewed_it_until_somebody_confirms_it(
    kb: OracleKb, engine: Engine
) -> None:
    question = "When is the protein skimmer cup emptied?"
    (item,) = ask(engine, "context", task=question)["items"]
    assert item["reviewed"] is False
    assert "(unreviewed): " in lines(engine, HOOK, question)[0]
    assert ask(engine, "context", task="Who orders the new corals?")["items"][0]["reviewed"] is True

    kb.run({"op": "confirm", "claim": item["id"]})
    confirmed = engine_on(kb.root)
    (item,) = ask(confirmed, "context", task=question)["items"]
    assert item["reviewed"] is True
    assert "unreviewed" not in lines(confirmed, HOOK, question)[0]
    assert ask(confirmed, "claim", id=item["id"])["auto_approved"] is False


@pytest.mark.parametrize("caller", [HOOK, Caller()], ids=["hook", "asked"])
def test_an_approved_claim_stands_for_the_passage_that_it_was_made_of(
    engine: Engine, caller: Caller
) -> None:
    question = "Is the alkalinity tested every evening before the lights go out?"
    told = lines(engine, caller, question)
    assert [APPROVED in line for line in told if "lkalinity" in line] == [True]


def test_who_asks_is_told_what_a_hook_leaves_out_behind_what_was_reviewed(engine: Engine) -> None:
    question = "after which power failure does the tank lose water?"
    assert lines(engine, HOOK, question) == []
    assert "thawed in tank water" in lines(engine, Caller(), question)[0]
    both = lines(engine, Caller(), "Are frozen shrimp thawed before Ada orders new corals?")
    assert ["unreviewed" in line for line in both] == [False, True]
