"""Everything that was measured as one table in Markdown, and as JSON."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.generate import LARGE, MEDIUM, Size
from benchmarks.timing import Figures


class Row(NamedTuple):
    """What is measured, the name of its figure, its unit, and the aims at 10,000 and 100,000
    claims. p95 counts, but for `median`.
    """

    title: str
    figure: str
    unit: str = "ms"
    aims: tuple[float | None, float | None] = (None, None)
    median: bool = False


ROWS = (
    Row("experts by count, recency, citation", "experts", "ms", (15, 150)),
    Row("experts by evidence", "evidence", "ms", (15, 150)),
    Row("context, 200 characters", "context", "ms", (10, 20)),
    Row("search", "search", "ms", (15, 30)),
    Row("file saved → fresh answer", "saved", "ms", (60, 100)),
    Row("first start → complete", "first start", "s", (4, 35)),
    Row("later start → complete", "later start", "s", (0.4, 2)),
    Row("hook, a sidecar runs (median)", "hook", "ms", median=True),
    Row("`python -c pass` (median)", "python", "ms", median=True),
    Row("memory after all questions", "memory", "MB", (120, 250)),
)
PER_UNIT = {"ms": 1e-3, "s": 1.0, "MB": 1e6}
_PACKAGES = ("lsprotocol", "pydantic", "pygls", "PyYAML", "tantivy")


@dataclass(slots=True)
class Results:
    """All figures about one knowledge base."""

    size: Size
    sidecar: Figures


def conditions() -> dict[str, Any]:
    """What the figures hold for."""
    known = Path("/proc/cpuinfo").read_text().splitlines()
    model = (line.partition(":")[2].strip() for line in known if line.startswith("model name"))
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "cpu": next(model, platform.processor()),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        "system": f"{platform.system()} {platform.release().split('-')[0]}",
        "python": platform.python_version(),
        "versions": {name: version(name) for name in _PACKAGES},
    }


def as_json(results: Sequence[Results], held: Mapping[str, Any]) -> dict[str, Any]:
    """Everything that was measured; seconds and bytes."""
    return {"conditions": dict(held), "results": [asdict(result) for result in results]}


def table(results: Sequence[Results]) -> str:
    """One row for each thing that is measured, one column for each knowledge base. Bold: misses
    its aim.
    """
    heads = [
        "p95",
        *(f"aim at {size.claims:,}" for size in (MEDIUM, LARGE)),
        *(f"{result.size.claims:,} claims" for result in results),
    ]
    lines = [_line(heads), _line(["---"] * len(heads))]
    for row in ROWS:
        cells = [_cell(row, result) for result in results]
        if any(cells):
            aims = ["" if aim is None else f"{aim:g} {row.unit}" for aim in row.aims]
            lines.append(_line([row.title, *aims, *cells]))
    return "\n".join(lines)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(row: Row, result: Results) -> str:
    own = result.sidecar.get(row.figure)
    if own is None:
        return ""
    value = (own.median if row.median else own.p95) / PER_UNIT[row.unit]
    aim = dict(zip((MEDIUM.claims, LARGE.claims), row.aims, strict=True)).get(result.size.claims)
    shown = f"{value:.0f}" if value >= 10 else f"{value:.2g}"
    return f"**{shown}**" if aim is not None and value > aim else shown
