"""The table of what is right and what is told, beside floors and ceilings by kind of prompt."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from benchmarks.quality.runs import Outcome

FLOORS = Path(__file__).with_name("floors.json")
MARGIN = 2
"""By so many prompts of a kind a set may be worse than when its floors were kept."""
Kinds = Mapping[str, Mapping[str, int]]
"""Of a set, under `right` at least, and under `told` at most, so many prompts of each kind."""


class Counts(NamedTuple):
    """Of each kind of prompt, how many there are, and how many are answered or told something."""

    should: Counter[str]
    right: Counter[str]
    silent: Counter[str]
    told: Counter[str]

    @classmethod
    def of(cls, outcomes: Iterable[Outcome]) -> Counts:
        made = cls(Counter(), Counter(), Counter(), Counter())
        for one in outcomes:
            of, counted = made[:2] if one.is_wanted else made[2:]
            of[one.kind] += 1
            counted[one.kind] += one.counts
        return made

    def kept(self) -> Kinds:
        """The floors and ceilings that these figures give."""
        right = {kind: max(0, self.right[kind] - MARGIN) for kind in self.should}
        told = {kind: self.told[kind] + MARGIN for kind in self.silent}
        return {"right": right, "told": told}

    def faults(self, bounds: Kinds) -> Iterator[str]:
        """The kinds that are worse than their bounds."""
        for kind, least in bounds["right"].items():
            if self.right[kind] < least:
                yield f"{kind}: {self.right[kind]} right, at least {least}"
        for kind, most in bounds["told"].items():
            if self.told[kind] > most:
                yield f"{kind}: {self.told[kind]} told, at most {most}"


def read_floors() -> Mapping[str, Kinds]:
    """Floors and ceilings by set."""
    read: Mapping[str, Kinds] = json.loads(FLOORS.read_text("utf-8"))
    return read


def write_floors(found: Mapping[str, Counts]) -> None:
    """Keep the bounds of these sets; those of others stay."""
    kept = {**read_floors(), **{name: counts.kept() for name, counts in found.items()}}
    rows = [f"{json.dumps(name)}: {json.dumps(kept[name])}" for name in sorted(kept)]
    FLOORS.write_text("{\n" + ",\n".join(rows) + "\n}\n", "utf-8")


_ROW = "{:<26}{:>6}{:>15}{:>7}{:>7}{:>18}{:>6}{:>9}"
HEADER = _ROW.format(
    *("set", "asked", "should answer", "right", "floor", "should be silent", "told", "ceiling")
)


def row(name: str, is_asked: bool, counts: Counts, bounds: Kinds | None) -> str:
    """The figures of a set; of both parts what there is."""
    cells: list[object] = [name, "yes" if is_asked else "no"]
    for of, counted, key in ((*counts[:2], "right"), (*counts[2:], "told")):
        bound = "–" if bounds is None else sum(bounds[key].values())
        cells += [of.total(), counted.total(), bound] if of else ["–", "", ""]
    return _ROW.format(*cells)
