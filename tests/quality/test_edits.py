"""Edits that break a claim of `twenty` (benchmarks/quality/real): what the hook tells of them."""

from __future__ import annotations

from benchmarks.quality.edits import TWENTY, edit_cases
from benchmarks.quality.sets import read_edits
from benchmarks.quality.world import World
from tests.quality.figures import within


def test_an_edit_that_breaks_a_claim_is_often_told_it() -> None:
    edits = [edit for edit in read_edits() if edit.base == "twenty"]
    claims = {path.stem for path in (TWENTY / ".vouch" / "claims").iterdir()}
    assert {claim_id for edit in edits for claim_id in edit.want} <= claims
    within(list(edit_cases(World(TWENTY), edits)), "edit told", least=0.40)


def test_lines_of_something_else_are_told_nothing() -> None:
    edits = [edit for edit in read_edits() if edit.base == "pip"]
    foreign = [edit.model_copy(update={"path": "latch/x.py", "want": ()}) for edit in edits]
    within(list(edit_cases(World(TWENTY), foreign)), "commit fires", most=0.10)
