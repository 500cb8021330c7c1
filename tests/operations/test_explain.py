"""`explain` tells what became of each candidate, and never anything else than `context` does."""

import json
from math import exp
from pathlib import Path
from typing import Any

import pytest
from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.retrieval.constants import BIAS, LIKELIHOOD_WEIGHTS

from tests.engine.bases import ask, base, engine_on
from tests.kb.samples import entity
from tests.workspace.places import cite

ANSWERS = Path(__file__).parents[1] / "quality" / "sets" / "answers.jsonl"
CASES = map(json.loads, ANSWERS.read_text("utf-8").splitlines()[::3])
PROMPTS = [case["text"] for case in CASES if case["base"] == "courier"]


def test_what_is_said_is_what_context_says_and_what_its_factors_give(courier: Path) -> None:
    engine = engine_on(courier)
    for prompt in PROMPTS:
        context = ask(engine, "context", task=prompt)
        found = ask(engine, "explain", text=prompt)
        said = {(text["kind"], text["id"]) for text in found["texts"] if text["verdict"] == "said"}
        assert said == {(item["kind"], item["id"]) for item in context["items"]}, prompt
        verdicts = {row["entity_id"]: row["verdict"] for row in found["entities"]}
        for item in context["items"]:
            assert verdicts.get(item["entity_id"], "volunteered") == "volunteered", prompt
        for text in found["texts"]:
            likelihood = 1 / (1 + exp(-BIAS - sum(text["factors"].values())))
            assert not text["factors"] or text["similarity"] == pytest.approx(likelihood, abs=2e-3)


def explained(engine: Engine, text: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Entities and texts by id."""
    found = ask(engine, "explain", text=text)
    entities = {row["entity_id"]: row for row in found["entities"]}
    return entities, {row["id"]: row for row in found["texts"]}


def test_the_missed_threshold_is_named(engine: Engine) -> None:
    beacon = explained(engine, "please beacon me when it is over")[0]["beacon"]
    assert beacon["verdict"] == "refused"
    said = "“beacon” names “Beacon”: 0.15, needs 0.20: written as an ordinary word"
    assert beacon["why"] == said
    assert set(beacon["factors"]) == {"arm", "specificity", "keyness", "place"}
    asked = "Are diesel prices of the filling station below ours this winter?"
    night = explained(engine, asked)[1]["night"]
    assert night["verdict"] == "refused"
    assert night["why"].endswith(", needs 0.40: only “diesel” in common")
    assert set(night["factors"]) == set(LIKELIHOOD_WEIGHTS)
    asked = "Which engines do night trains of the depot leave with?"
    assert explained(engine, asked)[1]["night"]["verdict"] == "said"


def test_what_is_likely_and_not_said_has_a_reason(courier: Path) -> None:
    engine = engine_on(courier)
    drain = explained(engine, "buffer drain")[1]["drain-before-restart"]
    assert drain["why"].endswith("in common; names alone are looked for here")
    asked = "Relay buffer not empty drain wait scans kafka brokers lose depot printer"
    assert explained(engine, asked)[1]["label-printer-dpi"]["why"].endswith("go before it")


def test_a_name_that_settings_silence_is_refused(tmp_path: Path) -> None:
    gull = {"entities/gull.yaml": entity("gull", name="Gull Tower")}
    silent = b"sidecar: {names: {never: [gull tower]}}"
    found = engine_on(base(tmp_path, gull | {"config.yaml": silent}))
    row = explained(found, "Gull Tower leaks, Gull Tower!")[0]["gull"]
    assert (row["verdict"], row["strength"]) == ("refused", 0)
    assert row["why"].endswith("names “Gull Tower”: 0.00, needs 0.20: `names.never` has it")


def test_a_passage_says_why_it_is_not_said_unasked(tmp_path: Path) -> None:
    said = b"Signing keys rotate every second Tuesday at noon."
    cite(tmp_path, "keys", said.decode(), "a.md", said, quote=said, auto_approved=True)
    engine = engine_on(tmp_path)
    question = "which noon train takes the keys to the printer?"
    (line,) = ask(engine, "explain", text=question)["texts"]
    assert line["verdict"] == "said"
    assert line["why"].endswith("; unasked it needs 0.80, as nobody reviewed it")
    (line,) = ask(engine, "explain", Caller(is_unasked=True), text=question)["texts"]
    assert line["verdict"] == "refused"
    assert "needs 0.80" in line["why"]


def test_a_long_passage_is_said_once_somebody_confirmed_it(tmp_path: Path) -> None:
    text = f"Signing keys rotate every second Tuesday at noon{', come rain or shine' * 50}."
    for number, confirmed in enumerate((None, "2026-01-01")):
        root, said = tmp_path / str(number), text.encode()
        fields = {"auto_approved": True, "last_confirmed_at": confirmed}
        cite(root, "keys", text, "a.md", said, quote=said, **fields)
        row = explained(engine_on(root), "When do signing keys rotate?")[1]["keys"]
        assert row["verdict"] == ("said" if confirmed else "refused")
        assert row["why"].endswith("it says nothing by itself") != bool(confirmed)
