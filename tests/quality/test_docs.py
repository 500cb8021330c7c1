"""The worked examples of docs/how-it-decides.md are what the sidecar says, its weights those of the
code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from vouch_sidecar.retrieval.constants import BIAS, LIKELIHOOD_WEIGHTS

from benchmarks.quality.world import World, copied

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "how-it-decides.md").read_text("utf-8")
EXAMPLES = re.findall(r"^\| (.+?) \| (“.+?|nothing: .+?) \|(?: (.+))? \|$", PAGE, re.MULTILINE)

LIKELIHOODS = re.findall(
    r"^- “(.+?)” → `(.+?)`.*likelihood \*\*(.+?)\*\*, (said|refused)\.$", PAGE, re.MULTILINE
)


def test_the_weights_are_those_of_the_code() -> None:
    rows = re.findall(r"^\| (\w+) \| (-?\d+\.?\d*) \| ", PAGE, re.MULTILINE)
    assert dict(rows) == {name: f"{value:g}" for name, value in LIKELIHOOD_WEIGHTS.items()} | {
        "bias": f"{BIAS:g}"
    }


@pytest.fixture(scope="module")
def demo() -> Iterator[World]:
    with copied(ROOT / "examples" / "courier") as world:
        yield world


def test_there_are_examples_of_both() -> None:
    assert len(EXAMPLES) >= 6
    assert {why.startswith("nothing") for _, why, _ in EXAMPLES} == {True, False}


@pytest.mark.parametrize(("text", "why", "factors"), EXAMPLES)
def test_a_worked_example(demo: World, text: str, why: str, factors: str) -> None:
    rows = demo.listed(text)
    if why.startswith("nothing"):
        assert rows == []
    else:
        assert {row["why"] for row in rows} == {why}
        found = {row["entity_id"]: row for row in demo.ask("explain", text=text)["entities"]}
        for row in rows:
            each = found[row["entity_id"]]["factors"].items()
            assert " × ".join(f"{name} {value:g}" for name, value in each) == factors


def test_there_are_three_examples_of_likelihoods() -> None:
    assert len(LIKELIHOODS) == 3
    assert {verdict for *_, verdict in LIKELIHOODS} == {"said", "refused"}


@pytest.mark.parametrize(("text", "found", "likelihood", "verdict"), LIKELIHOODS)
def test_a_worked_example_of_a_likelihood(
    demo: World, text: str, found: str, likelihood: str, verdict: str
) -> None:
    texts = {row["id"]: row for row in demo.ask("explain", text=text)["texts"]}
    assert texts[found]["similarity"] == float(likelihood)
    assert texts[found]["verdict"] == verdict


def test_the_example_of_experts(demo: World) -> None:
    asked = {"topic": "restart", "weight": "evidence", "explain": True, "limit": 1}
    (row,) = demo.ask("experts", **asked)["experts"]
    factors = row["explain"]["factors"]
    said = (
        f"gives {row['name']} {row['score']}",
        f"together {factors['sum']:g}",
        f"of {factors['all_claims']:g} claims {factors['own_claims']:g} are its own",
        f"focus is {factors['focus']:.6f}",
    )
    assert [part for part in said if part not in PAGE] == []
