"""Questions about a knowledge base of another trade, which vouch itself made: of an ingested guide,
of claims that were proposed and approved, and of entities. Each is asked as a hook speaks, and as
somebody is told who asks.
"""

from __future__ import annotations

import pytest
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
SKIMMER = "When is the protein skimmer cup emptied?"
ADA: Step = {"op": "entity", "name": "Ada Lindqvist", "entity_type": "person", "as": "ada"}
HOOK, ASKED = Caller(is_unasked=True), Caller()


@pytest.fixture(scope="module")
def kb(make_kb: MakeKb) -> OracleKb:
    said = ("mixes salt water on Fridays", "keeps the log of water tests", "orders corals in Kiel")
    of_ada: Step = {"op": "claim", "evidence": ["@note"], "entities": ["@ada"]}
    claims = [{**of_ada, "text": f"Ada Lindqvist {one}."} for one in said]
    return make_kb(
        {"op": "config", "review": {"auto_approve_on_receipt": True}},
        {"op": "ingest", "content": GUIDE, "title": "reef.md"},
        {"op": "source", "content": "What we agreed on Monday.", "as": "note"},
        {"op": "entity", "name": "Dosing pump", "entity_type": "system"},
        {**ADA, "aliases": ["Ada"]},
        *claims,
        name="aquarium",
    )


@pytest.fixture(scope="module")
def engine(kb: OracleKb) -> Engine:
    return engine_on(kb.root)


def lines(engine: Engine, caller: Caller, task: str) -> list[str]:
    block = ask(engine, "context", caller, task=task)["text"]
    return [line for line in block.splitlines() if line.startswith("- ")]


@pytest.mark.parametrize("caller", [HOOK, ASKED], ids=["hook", "asked"])
@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Can I run the dosing pump now, while the return pump is off?", "must never run while"),
        ("Who orders the corals?", "in Kiel"),
        ("On which day does Ada mix the salt water?", "on Fridays"),
        ("What comes first after a power cut, the return pump or the sump?", "Restart the return"),
        (SKIMMER, "two thirds full"),
    ],
)
def test_what_answers_is_told(engine: Engine, caller: Caller, question: str, first: str) -> None:
    assert first in lines(engine, caller, question)[0]


def test_what_nothing_answers_is_told_little_or_nothing(engine: Engine) -> None:
    for caller in (HOOK, ASKED):
        assert lines(engine, caller, "Which database has the invoices of the web shop?") == []
        assert len(lines(engine, caller, "Is Ada on holiday?")) == 1
        assert len(lines(engine, caller, "What do we know about Ada?")) == 3
    question = "after which power failure does the tank lose water?"
    assert lines(engine, HOOK, question) == []
    assert "thawed in tank water" in lines(engine, ASKED, question)[0]


def test_a_passage_says_that_nobody_reviewed_it_until_somebody_confirms_it(
    kb: OracleKb, engine: Engine
) -> None:
    (item,) = ask(engine, "context", task=SKIMMER)["items"]
    assert item["reviewed"] is False
    assert "(unreviewed): " in lines(engine, HOOK, SKIMMER)[0]
    kb.run({"op": "confirm", "claim": item["id"]})
    assert "unreviewed" not in lines(engine_on(kb.root), HOOK, SKIMMER)[0]
