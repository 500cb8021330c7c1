"""Two recordings side by side: every answer that differs, apart from what may."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import TextIO

IGNORED = frozenset(
    "generation indexed_at version watcher session_id"
    " probe_time_ms p50_ms p95_ms from_cache degraded".split()
)
"""Fields of an answer that differ between two runs of the same program: times, cache counts, who
watches, what was still being read, the id of a session that a connection made up.
"""
TOLERANCE = 1e-9
"""By how much two numbers may differ: sums of the same parts in another order."""
LINES, WIDTH = 6, 100
ABSENT = "(nothing)"


def report(first: Iterable[str], second: Iterable[str], out: TextIO, most: int) -> int:
    """Print the differences of two recordings by operation, `most` of each; how many there are."""
    before, after = _answers(first), _answers(second)
    found = defaultdict[str, list[str]](list)
    for asked in dict.fromkeys([*before, *after]):
        lines = list(_differing("", before.get(asked, ABSENT), after.get(asked, ABSENT)))
        if lines:
            kb, phase, op, params, _ = asked
            more = [f"and {len(lines) - LINES} more"] if len(lines) > LINES else []
            shown = [f"  {kb}, {phase}: {params[:WIDTH]}", *lines[:LINES], *more]
            found[op].append("\n    ".join(shown))
    for op, differing in sorted(found.items()):
        print(f"{op}: {len(differing)} answers differ", *differing[:most], sep="\n", file=out)
    return sum(map(len, found.values()))


def _answers(lines: Iterable[str]) -> dict[tuple[str, ...], object]:
    """The answers by what was asked, and the how manieth time."""
    found: dict[tuple[str, ...], object] = {}
    times = Counter[tuple[str, ...]]()
    for one in map(json.loads, lines):
        params = json.dumps(one["params"], sort_keys=True, ensure_ascii=False)
        asked = (one["kb"], one["phase"], one["op"], params)
        found[(*asked, str(times[asked]))] = one["answer"]
        times[asked] += 1
    return found


def _differing(path: str, first: object, second: object) -> Iterator[str]:
    """Where two answers differ: one line a place."""
    if isinstance(first, dict) and isinstance(second, dict):
        for name in sorted((first.keys() | second.keys()) - IGNORED):
            yield from _differing(
                f"{path}.{name}", first.get(name, ABSENT), second.get(name, ABSENT)
            )
    elif isinstance(first, list) and isinstance(second, list):
        for number in range(max(len(first), len(second))):
            pair = (one[number] if number < len(one) else ABSENT for one in (first, second))
            yield from _differing(f"{path}[{number}]", *pair)
    elif not _is_same(first, second):
        same = next(
            (
                at
                for at, (a, b) in enumerate(zip(repr(first), repr(second), strict=False))
                if a != b
            ),
            0,
        )
        start = max(0, same - WIDTH // 4)
        old, new = (repr(one)[start : start + WIDTH] for one in (first, second))
        yield f"{path or 'the answer'}: {old} -> {new}"


def _is_same(first: object, second: object) -> bool:
    numbers = (int, float)
    if isinstance(first, numbers) and isinstance(second, numbers) and not isinstance(first, bool):
        return math.isclose(first, second, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return first == second
