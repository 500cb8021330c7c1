"""Figures as a table in Markdown, as JSON and as charts."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.charts import chart
from benchmarks.generate import Size
from benchmarks.heartbeat import Stall
from benchmarks.timing import Figure

__all__ = ["Results", "as_json", "conditions", "draw", "table"]

Figures = dict[str, Figure]
MEMORY = "memory"
VOUCH_KB = "1.5.0"
"""The version that `scripts/oracle` installs."""
_ROWS: tuple[tuple[str, str, str, str], ...] = (
    ("experts", "experts", "experts", "tantivy, all hits of a topic"),
    ("salience, window of 8", "salience", "salience", ""),
    ("probe, 200 characters", "probe", "", ""),
    ("context, 200 characters", "context", "", ""),
    ("names in 100 KB (in process)", "names", "names", "str.split of 100 KB"),
    ("keystroke to applied", "keystroke", "", ""),
    ("file saved to fresh answer", "saved", "", ""),
    ("cold start to complete", "cold start", "index", "reading the bytes"),
    ("warm start to complete", "warm start", "", "scandir and stat"),
    ("process start to initialize", "process start", "", "python -c pass"),
    ("empty request", "empty request", "", ""),
)
"""Title, the sidecar's figure, vouch-kb's, the floor."""


@dataclass(slots=True)
class Results:
    """All figures about one knowledge base, and the answers that differ from the reference."""

    size: Size
    sidecar: Figures
    vouch: Figures = field(default_factory=dict)
    vouch_fast: Figures = field(default_factory=dict)
    floors: Figures = field(default_factory=dict)
    stalls: dict[str, Stall] = field(default_factory=dict)
    soak: Figures = field(default_factory=dict)
    differing: list[str] | None = None


def conditions() -> dict[str, Any]:
    """What the figures hold for."""
    packages = ("lsprotocol", "pydantic", "pygls", "PyYAML", "tantivy")
    model = next(
        (
            line.split(":")[1].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        platform.processor(),
    )
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "cpu": model,
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        "system": f"{platform.system()} {platform.release().split('-')[0]}",
        "python": sys.version.split()[0],
        "versions": {name: version(name) for name in packages} | {"vouch-kb": VOUCH_KB},
    }


def as_json(results: Sequence[Results], held: Mapping[str, Any]) -> dict[str, Any]:
    """Everything that was measured; seconds and bytes."""
    return {"conditions": dict(held), "results": [asdict(result) for result in results]}


def table(result: Results) -> str:
    """One knowledge base in Markdown."""
    lines = [
        f"### {result.size.label}",
        "",
        "| | sidecar median | p95 | vouch-kb | ratio | with C loader | ratio | floor |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for title, ours, theirs, floor in _ROWS:
        if ours in result.sidecar:
            lines.append(_row(title, result, ours, theirs, floor))
    for name in ("memory after the start", MEMORY, "memory at most"):
        memory = result.sidecar[name].median / 1e6
        lines.append(f"| resident {name} | {memory:.0f} MB | | | | | | |")
    for phase, stall in result.stalls.items():
        length, processor = _time(stall.seconds), f"{_time(stall.processor)} (processor time in it)"
        lines.append(f"| longest stall of the loop, {phase} | | {length} | | | | | {processor} |")
    for name, figure in result.soak.items():
        is_memory = name.startswith(MEMORY)
        median = f"{figure.median / 1e6:.0f} MB" if is_memory else _time(figure.median)
        p95 = "" if is_memory else _time(figure.p95)
        lines.append(f"| soak: {name} | {median} | {p95} | | | | | |")
    if result.differing is not None:
        said = "all as the reference's" if not result.differing else f"{result.differing} differ"
        lines += ["", f"Answers, of a sample: {said}."]
    return "\n".join(lines)


def _row(title: str, result: Results, ours: str, theirs: str, floor: str) -> str:
    own = result.sidecar[ours]
    cells = [title, _time(own.median), _time(own.p95)]
    for figures in (result.vouch, result.vouch_fast):
        other = figures.get(theirs)
        cells += ["", ""] if other is None else [_time(other.median), _ratio(other, own)]
    bottom = result.floors.get(floor)
    cells.append("" if bottom is None else f"{_time(bottom.median)} ({floor})")
    return f"| {' | '.join(cells)} |"


def _ratio(other: Figure, own: Figure) -> str:
    return f"{other.median / own.median:,.0f}×"


def _time(seconds: float) -> str:
    if seconds >= 100:
        return f"{seconds:,.0f} s"
    if seconds >= 1:
        return f"{seconds:.1f} s"
    return f"{seconds * 1e3:.0f} ms" if seconds >= 0.1 else f"{seconds * 1e3:.2g} ms"


def draw(results: Sequence[Results], folder: Path) -> None:
    """Latency and memory against size."""
    folder.mkdir(parents=True, exist_ok=True)

    def line(figures: str, name: str, scale: float) -> list[tuple[float, float]]:
        return [
            (r.size.claims, found.p95 * scale)
            for r in results
            if (found := getattr(r, figures).get(name)) is not None
        ]

    latency = {
        "vouch-kb: experts": line("vouch", "experts", 1e3),
        "vouch-kb, C loader": line("vouch_fast", "experts", 1e3),
        "experts": line("sidecar", "experts", 1e3),
        "salience": line("sidecar", "salience", 1e3),
        "keystroke": line("sidecar", "keystroke", 1e3),
    }
    memory = {"resident memory": line("sidecar", MEMORY, 1e-6)}
    for name, title, unit, lines in (
        ("latency", "p95 of an answer", "ms", latency),
        ("memory", "Resident memory", "MB", memory),
    ):
        shown = {key: points for key, points in lines.items() if points}
        (folder / f"bench-{name}.svg").write_text(chart(title, unit, shown), "utf-8")
