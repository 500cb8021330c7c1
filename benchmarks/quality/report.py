"""The table of figures beside vouch-kb's, and the listing of every wrong case."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.quality.measures import Case, Estimate, estimate, ratio

_VOUCH = Path(__file__).with_name("vouch_kb_1.5.0.json")
_FIRES = Path(__file__).with_name("fires.json")


class Line(NamedTuple):
    """One figure. `variant` tells apart runs of one set, such as weights of experts."""

    set: str
    variant: str
    measure: str
    estimate: Estimate


def figures(name: str, variant: str, cases: Sequence[Case]) -> list[Line]:
    """All measures that the cases of a set carry."""
    names = dict.fromkeys(n for case in cases for n in case.counts)
    return [Line(name, variant, n, estimate(cases, ratio(n))) for n in names]


def print_table(lines: Iterable[Line]) -> None:
    """Figures with 95 % intervals and vouch-kb's figure (q: quoted, not measured)."""
    vouch = json.loads(_VOUCH.read_text("utf-8"))
    print(f"{'set':<24}{'measure':<27}{'sidecar':>8}  {'95 %':<15}vouch-kb 1.5.0")
    for line in lines:
        value, low, high = line.estimate
        shown = "–" if value is None else f"{value:.3f}"
        interval = "" if low is None else f"{low:.3f}–{high:.3f}"
        theirs = vouch.get(line.set, {}).get(line.measure, "")
        name = f"{line.set}, {line.variant}" if line.variant else line.set
        print(f"{name:<24}{line.measure:<27}{shown:>8}  {interval:<15}{theirs}")


Fires = dict[str, tuple[int, int]]
"""By set and measure: of how many texts that should bring nothing how many brought something."""


def fires_of(name: str, variant: str, cases: Sequence[Case]) -> Fires:
    """The fires of a set."""
    found: Fires = {}
    for case in cases:
        for measure, (fired, of) in case.counts.items():
            if measure.endswith("fires"):
                key = f"{name}, {variant}: {measure}" if variant else f"{name}: {measure}"
                before = found.get(key, (0, 0))
                found[key] = before[0] + round(fired), before[1] + round(of)
    return found


def print_fires(fires: Fires) -> None:
    """Fires beside those that are kept; those that rose are marked."""
    kept = json.loads(_FIRES.read_text("utf-8"))
    print(f"{'fires':<52}{'here':>10}  {kept['commit']}")
    for name, (fired, of) in fires.items():
        before = kept["fires"].get(name)
        rose = before is not None and fired / max(of, 1) > before[0] / max(before[1], 1)
        then = "new" if before is None else f"{before[0]}/{before[1]}{' ROSE' if rose else ''}"
        print(f"{name:<52}{f'{fired}/{of}':>10}  {then}")


def keep_fires(fires: Fires, commit: str) -> None:
    """Keep these fires as those of a commit. Those of sets that were not run stay."""
    kept = json.loads(_FIRES.read_text("utf-8"))["fires"] if _FIRES.is_file() else {}
    lines = [
        f"  {json.dumps(name)}: {json.dumps(n)}" for name, n in sorted({**kept, **fires}.items())
    ]
    text = ",\n".join(lines)
    _FIRES.write_text(f'{{"commit": "{commit}", "fires": {{\n{text}\n}}}}\n', "utf-8")


def write_wrong(folder: Path, name: str, cases: Sequence[Case]) -> None:
    """Every wrong case of a set with its reason, one a line."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [line.replace("\n", " ") for case in cases for line in case.wrong]
    (folder / f"{name}.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")
