"""Counts what agents were given of a knowledge base and what of it they used: totals for each of
the last 90 days, in a file of the user's cache that holds no id, text, path or name. Counts by
claim are kept in memory only. Nothing adapts to these counts.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Literal, get_args

from vouch_sidecar.engine.session import Session
from vouch_sidecar.index.base_cache import user_folder
from vouch_sidecar.kb.runtime_folder import name_of
from vouch_sidecar.retrieval.blocks.block import ContextHit
from vouch_sidecar.retrieval.blocks.line_use import given_line, is_used
from vouch_sidecar.retrieval.view import View

DAYS = 90
"""Days that are kept."""
SHOWN_DAYS = 30
MAX_LEDGER = 1 << 20
"""Bytes of a file beyond which it is none of ours."""

Reaction = Literal["dismissed", "opened"]
"""What a reader does with a line."""
REACTIONS: tuple[Reaction, ...] = get_args(Reaction)


@dataclass(slots=True)
class Totals:
    """Counts of a period. `told` counts prompts that were given something; `stale` counts lines;
    `judged` are the lines after which an answer was read, as without one it is unknown whether a
    line was used.
    """

    prompts: int = 0
    told: int = 0
    lines: int = 0
    characters: int = 0
    judged: int = 0
    used: int = 0
    dismissed: int = 0
    opened: int = 0
    stale: int = 0


class UsageLedger:
    """The counts of one knowledge base, written by the process that owns its socket."""

    def __init__(self, path: Path | None, now: Callable[[], float]) -> None:
        """`path` is that of the file, None: it is kept in memory. `now`: seconds since 1970."""
        self._path = path
        self._now = now
        self._days: dict[date, Totals] = {}
        self._is_saved = True
        self._given: Counter[str] = Counter()
        """How often lines about an artifact were given since the process began, by id."""
        self._used: Counter[str] = Counter()
        if path is not None:
            self._days = _read(path)

    @classmethod
    def of(cls, root: Path, env: Mapping[str, str], now: Callable[[], float]) -> UsageLedger:
        """The ledger of the knowledge base in a folder, with what earlier processes counted."""
        caches = user_folder(env)
        return cls(None if caches is None else caches / "ledgers" / f"{name_of(root)}.json", now)

    def count_prompt(self, *, is_told: bool) -> None:
        """Count a prompt, and whether something was said to it."""
        today = self._today()
        today.prompts += 1
        today.told += is_told

    def count_given(
        self, session: Session, prompt: str, given: Sequence[tuple[ContextHit, str]]
    ) -> None:
        """Count the lines of a block that a session was given, each with its hit."""
        today = self._today()
        for hit, line in given:
            today.lines += 1
            today.characters += len(line)
            today.stale += hit.stale is not None and hit.stale.is_gone
            self._given[hit.artifact.id] += 1
            session.record_line(hit.view.identity, given_line(hit, prompt))

    def read_answer(self, view: View, session: Session, answer: str) -> None:
        """Count which of the given lines an answer of the session used, each once."""
        today, prompt = self._today(), "\n".join(session.newest_first(view.identity)[:1])
        judged, used = session.judge_lines(
            view.identity, lambda line: is_used(view, line, answer, prompt)
        )
        today.judged += judged
        today.used += len(used)
        self._used.update(line.id for line in used)

    def count_reaction(self, reaction: Reaction) -> None:
        """Count what a reader did with a line."""
        today = self._today()
        setattr(today, reaction, getattr(today, reaction) + 1)

    def latest(self, days: int = SHOWN_DAYS) -> Totals:
        """The totals of the latest days, today included."""
        since = self._date() - timedelta(days=days - 1)
        return _sum(totals for day, totals in list(self._days.items()) if day >= since)

    def unused(self) -> dict[str, int]:
        """How often lines that no answer used were given since the process began, by id, the
        largest number first.
        """
        given = {line_id: n for line_id, n in self._given.items() if line_id not in self._used}
        return dict(sorted(given.items(), key=lambda item: (-item[1], item[0])))

    def save(self) -> None:
        """Write what was counted since the last time, unless there is no room."""
        if self._path is None or self._is_saved:
            return
        self._is_saved = True
        since = self._date() - timedelta(days=DAYS - 1)
        for day in [day for day in self._days if day < since]:
            del self._days[day]
        data = {day.isoformat(): asdict(totals) for day, totals in sorted(self._days.items())}
        with suppress(OSError):
            _write(self._path, json.dumps(data).encode())
            _remove_older(self._path.parent, self._now() - DAYS * 86_400)

    def _today(self) -> Totals:
        self._is_saved = False
        return self._days.setdefault(self._date(), Totals())

    def _date(self) -> date:
        return datetime.fromtimestamp(self._now(), UTC).date()


def _sum(totals: Iterable[Totals]) -> Totals:
    summed = Totals()
    for day in totals:
        for name, number in asdict(day).items():
            setattr(summed, name, getattr(summed, name) + number)
    return summed


def _read(path: Path) -> dict[date, Totals]:
    """The days in a file; none where it is damaged."""
    names = {field.name for field in fields(Totals)}
    try:
        with path.open("rb") as file:
            data = json.loads(file.read(MAX_LEDGER))
        days = {date.fromisoformat(day): dict(counts) for day, counts in data.items()}
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return {}
    return {
        day: Totals(**{n: v for n, v in counts.items() if n in names and type(v) is int and v >= 0})
        for day, counts in days.items()
    }


def _write(path: Path, data: bytes) -> None:
    """Replace a file, which this user alone may read, in one step. Raises OSError."""
    for folder in (path.parent.parent, path.parent):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
    partial = path.with_suffix(".new")
    partial.unlink(missing_ok=True)
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
    partial.replace(path)


def _remove_older(folder: Path, than: float) -> None:
    """Remove the ledgers of knowledge bases that nobody counted for any more. Raises OSError."""
    for file in folder.iterdir():
        if file.lstat().st_mtime < than:
            file.unlink()
