"""Two recordings side by side: every answer that differs, apart from what may."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TextIO

IGNORED = frozenset(
    "generation indexed_at version watcher session_id"
    " probe_time_ms p50_ms p95_ms from_cache".split()
)
"""Fields of an answer that differ between two runs of the same program: times, cache counts, who
watches, the id of a session that a connection made up.
"""
TOLERANCE = 1e-9
"""By how much two numbers may differ: sums of the same parts in another order."""
LINES = 6
WIDTH = 100


class _Absent:
    def __repr__(self) -> str:
        return "nothing"


_ABSENT = _Absent()


class Asked(NamedTuple):
    """What was asked, params as JSON, and the how manieth time."""

    kb: str
    phase: str
    op: str
    params: str
    time: int


class Difference(NamedTuple):
    """A question that is answered in two ways; `lines` say where."""

    asked: Asked
    lines: list[str]


def differences(first: Iterable[str], second: Iterable[str]) -> Iterator[Difference]:
    """Compare two recordings, given line by line. A knowledge base that only one of them has is one
    difference.
    """
    before, after = _answers(first), _answers(second)
    one, other = ({asked.kb for asked in answers} for answers in (before, after))
    for kb in sorted(one ^ other):
        said = "recorded in one of the two only"
        yield Difference(Asked(kb, "files", "files", "{}", 0), [said])
    for asked in dict.fromkeys([*before, *after]):
        pair = (before.get(asked, _ABSENT), after.get(asked, _ABSENT))
        if asked.kb in one & other and (lines := list(_differing("", *pair))):
            yield Difference(asked, lines)


def report(found: Iterable[Difference], out: TextIO, most: int) -> int:
    """Print the differences by operation, `most` of each; how many there are."""
    by_op: defaultdict[str, list[Difference]] = defaultdict(list)
    for difference in found:
        by_op[difference.asked.op].append(difference)
    for op, differing in sorted(by_op.items()):
        print(f"{op}: {len(differing)} answers differ", file=out)
        for asked, lines in differing[:most]:
            print(f"  {asked.kb}, {asked.phase}: {_short(asked.params)}", file=out)
            more = [f"and {len(lines) - LINES} more"] if len(lines) > LINES else []
            out.writelines(f"    {line}\n" for line in [*lines[:LINES], *more])
        if len(differing) > most:
            print(f"  and {len(differing) - most} more", file=out)
    return sum(map(len, by_op.values()))


def _answers(lines: Iterable[str]) -> dict[Asked, object]:
    """The answers by what was asked."""
    found: dict[Asked, object] = {}
    times: Counter[Asked] = Counter()
    for one in map(json.loads, lines):
        params = json.dumps(one["params"], sort_keys=True, ensure_ascii=False)
        asked = Asked(one["kb"], one["phase"], one["op"], params, 0)
        found[asked._replace(time=times[asked])] = one["answer"]
        times[asked] += 1
    return found


def _differing(path: str, first: object, second: object) -> Iterator[str]:
    """Where two answers differ: one line a place."""
    if isinstance(first, dict) and isinstance(second, dict):
        for name in sorted((first.keys() | second.keys()) - IGNORED):
            place = f"{path}.{name}" if path else name
            yield from _differing(place, first.get(name, _ABSENT), second.get(name, _ABSENT))
    elif isinstance(first, list) and isinstance(second, list):
        for number in range(max(len(first), len(second))):
            pair = (one[number] if number < len(one) else _ABSENT for one in (first, second))
            yield from _differing(f"{path}[{number}]", *pair)
    elif not _is_same(first, second):
        texts = repr(first), repr(second)
        if isinstance(first, str) and isinstance(second, str) and max(map(len, texts)) > WIDTH:
            same = next((i for i, (a, b) in enumerate(zip(*texts, strict=False)) if a != b), 0)
            texts = texts[0][max(0, same - WIDTH // 4) :], texts[1][max(0, same - WIDTH // 4) :]
        yield f"{path or 'the answer'}: {_short(texts[0])} -> {_short(texts[1])}"


def _is_same(first: object, second: object) -> bool:
    if isinstance(first, bool) or isinstance(second, bool):
        return first is second
    if isinstance(first, int | float) and isinstance(second, int | float):
        return math.isclose(first, second, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return first == second


def _short(text: str) -> str:
    return text if len(text) <= WIDTH else f"{text[:WIDTH]}…"
