"""docs/how-it-decides.md says what the code does: its numbers, and its worked example."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from vouch_sidecar import open_kb
from vouch_sidecar.kb.settings_model import Recall
from vouch_sidecar.names.name_forms import FormKind
from vouch_sidecar.retrieval import constants
from vouch_sidecar.workspace.ties import STRENGTH

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-it-decides.md").read_text("utf-8")
ROW = re.compile(r"^\| (\w+) \| (-?\d+\.\d+) \|", re.MULTILINE)
EXAMPLE = re.compile(
    r"“(?P<text>[^”]+)” → `(?P<id>[^`]+)`: (?P<sum>[^→]+) "
    r"→ \*\*(?P<likely>[\d.]+)\*\*, (?P<verdict>(?:not )?shown)"
)
TERM = re.compile(r"([−+]) (\d+\.\d\d) (\w+)")


def test_the_weights_and_thresholds_of_the_page_are_those_of_the_code() -> None:
    rows = {name: float(value) for name, value in ROW.findall(PAGE)}
    weights = {"bias": constants.BIAS, **constants.LIKELIHOOD_WEIGHTS}
    assert rows == pytest.approx(weights | {arm: STRENGTH[arm] for arm in STRENGTH})
    for least in (constants.LISTED, constants.VOLUNTEERED, *constants.UNASKED_LEAST.values()):
        assert f"**{least:.2f}**" in PAGE
    assert f"{Recall().similarity_threshold:.2f} or more" in PAGE
    arms = (value for form, value in constants.ARMS.items() if form is not FormKind.DERIVED)
    told = (*arms, *constants.PLACES.values())
    assert all(f" {value:g}" in PAGE for value in told)


def test_the_worked_example_is_what_explain_says(courier: Path) -> None:
    examples = list(EXAMPLE.finditer(" ".join(PAGE.split())))
    assert len(examples) == 2
    with open_kb(courier) as kb:
        for example in examples:
            found = kb.explain(example["text"])
            text = next(one for one in found.texts if one.id == example["id"])
            shown = {
                name: float(f"{'-' * (sign == '−')}{value}")
                for sign, value, name in TERM.findall(example["sum"])
            }
            assert shown == {
                name: pytest.approx(value, abs=0.006)
                for name, value in text.factors.items()
                if value
            }
            assert float(example["likely"]) == pytest.approx(text.similarity, abs=0.006)
            shown_ids = {item.id for item in kb.context(example["text"]).items}
            assert (example["id"] in shown_ids) == (example["verdict"] == "shown")
