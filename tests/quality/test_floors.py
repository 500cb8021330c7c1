"""What is shown for labelled prompts is as good as `benchmarks/quality/floors.json` says, which
`make eval` prints too. Nobody reads the prompts of sets that are kept back.
"""

from __future__ import annotations

import pytest

from benchmarks.quality.every_set import Set, in_project
from benchmarks.quality.table import Counts, read_floors

SETS = [one for one in in_project() if not one.name.startswith("foreign")]  # as docstrings do


@pytest.mark.parametrize("one", SETS, ids=lambda one: one.name)
def test_no_kind_of_prompt_is_worse_than_its_floor(one: Set) -> None:
    assert not [*Counts.of(one.run()).faults(read_floors()[one.name])]
