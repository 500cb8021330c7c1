"""The table of figures beside the aims and vouch-kb, and the listing of every wrong case."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.quality.measures import Case, Estimate, best_precision, estimate, ratio

_VOUCH = Path(__file__).with_name("vouch_kb_1.5.0.json")
_FIRES = Path(__file__).with_name("fires.json")
_AIMS: dict[tuple[str, str], str] = {
    ("dialogues", "missed"): "≤ 0.02",
    ("dialogues", "false fires"): "≤ 0.01",
    ("dialogues", "precision"): "≥ 0.98",
    ("dialogues", "recall"): "≥ 0.95",
    ("dialogues", "tokens"): "≤ 70",
    ("dialogues", "repeats"): "0",
    ("mentions", "precision at recall 0.85"): "≥ 0.64",
    ("mentions", "listed recall"): "≥ 0.85",
    ("experts", "P@1"): "≥ 0.36",
    ("experts", "hit@3"): "≥ 0.48",
    ("experts", "MRR"): "≥ 0.42",
    ("ordinary", "fires"): "≤ 0.01",
    ("prompts", "missed"): "≤ 0.02",
    ("prompts", "false fires"): "≤ 0.01",
    ("prompts", "precision"): "≥ 0.98",
    ("prompts", "recall"): "≥ 0.95",
    ("prompts", "repeats"): "0",
    ("search", "paraphrase hit@5"): "≥ 0.80",
    ("search", "paraphrase MRR"): "≥ 0.60",
    ("search", "half MRR"): "≥ 0.90",
    ("context", "half answered"): "≥ 0.45",
    ("context", "half wrong by meaning"): "0",
    ("context", "paraphrase wrong by meaning"): "0",
    ("context", "near fires"): "0",
    ("context", "ordinary fires"): "0",
    ("docstrings", "fires by meaning"): "0",
    ("answers", "named answered"): "≥ 0.95",
    ("answers", "beside answered"): "≥ 0.90",
    ("answers", "alone answered"): "≥ 0.95",
    ("answers", "bare answered"): "≥ 0.90",
    ("answers", "page answered"): "≥ 0.80",
    ("answers", "part answered"): "≥ 0.75",
    ("answers", "ordinary answered"): "≥ 0.90",
    ("answers", "silent fires"): "0",
    ("worlds", "half answered"): "≥ 0.65",
    ("worlds", "task answered"): "≥ 0.40",
    ("worlds", "beside answered"): "≥ 0.75",
    ("worlds", "page answered"): "≥ 0.70",
    ("worlds", "silent fires"): "≤ 0.05",
    ("worlds", "silent_domain fires"): "≤ 0.20",
    ("questions", "missed"): "≤ 0.05",
    ("questions", "false fires"): "≤ 0.02",
    ("questions", "precision"): "≥ 0.95",
    ("questions", "recall"): "≥ 0.95",
}
_SWEEP = 0.85
_SWEEP_RESAMPLES = 100


class Line(NamedTuple):
    """One figure. `variant` tells apart runs of one set, such as weights of experts."""

    set: str
    variant: str
    measure: str
    estimate: Estimate


def figures(name: str, variant: str, cases: Sequence[Case]) -> list[Line]:
    """All measures that the cases of a set carry."""
    names = dict.fromkeys(n for case in cases for n in case.counts)
    lines = [Line(name, variant, n, estimate(cases, ratio(n))) for n in names]
    if name == "mentions":
        swept = estimate(cases, best_precision(_SWEEP), _SWEEP_RESAMPLES)
        lines.append(Line(name, variant, f"precision at recall {_SWEEP}", swept))
    return lines


def print_table(lines: Iterable[Line]) -> None:
    """Figures with 95 % intervals, the aim, and vouch-kb's figure (q: quoted, not measured)."""
    vouch = json.loads(_VOUCH.read_text("utf-8"))
    print(f"{'set':<24}{'measure':<27}{'sidecar':>8}  {'95 %':<15}{'aim':<9}vouch-kb 1.5.0")
    for line in lines:
        value, low, high = line.estimate
        shown = "–" if value is None else f"{value:.3f}"
        interval = "" if low is None else f"{low:.3f}–{high:.3f}"
        aim = _AIMS.get((line.set, line.measure), "")
        theirs = vouch.get(line.set, {}).get(line.measure, "")
        name = f"{line.set}, {line.variant}" if line.variant else line.set
        print(f"{name:<24}{line.measure:<27}{shown:>8}  {interval:<15}{aim:<9}{theirs}")


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
