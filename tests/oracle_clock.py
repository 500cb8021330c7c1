"""What oracle_driver.py changes in vouch before it runs: its clock, and what makes it slow."""

from __future__ import annotations

import os
import sqlite3
import time
from datetime import UTC, datetime, tzinfo
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any


def vouch(module: str) -> Any:
    """A module of vouch, by its name in the package."""
    return import_module(f"vouch.{module}")


class _AnyDatetime(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, datetime)


class Clock(datetime, metaclass=_AnyDatetime):
    """Stands in for `datetime` within vouch: `now` is what the steps say."""

    moment: datetime | None = None

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
        return datetime.now(tz) if cls.moment is None else cls.moment.astimezone(tz)

    @classmethod
    def set(cls, at: str | None) -> None:
        cls.moment = None if at is None else datetime.fromisoformat(at)


def freeze_clock() -> None:
    """Every module of vouch, and the time in its ids, follows `Clock`."""
    for name in ("models", "proposals", "lifecycle", "sessions", "experts"):
        module = vouch(name)
        if hasattr(module, "datetime"):
            module.datetime = Clock
    gmtime = time.gmtime
    time.gmtime = lambda secs=None: gmtime(Clock.now(UTC).timestamp() if secs is None else secs)


def _no_fsync(fd: Any) -> None:
    del fd


class _Unsynced(sqlite3.Connection):
    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.execute("PRAGMA synchronous = OFF")


def make_fast() -> None:
    """Same files, same values: no fsync, the C loader, no rereading of the whole audit log."""
    yaml: Any = import_module("yaml")
    audit = vouch("audit")
    os.fsync = _no_fsync
    sqlite3.connect = partial(sqlite3.connect, factory=_Unsynced)  # type: ignore[assignment]
    yaml.safe_load = lambda text: yaml.load(text, Loader=yaml.CSafeLoader)
    last_hash: dict[str, str] = {}
    read_last_hash, log_event = audit._last_hash, audit.log_event

    def log_and_keep(kb_dir: Path, **event: Any) -> Any:
        logged = log_event(kb_dir, **event)
        last_hash[str(kb_dir)] = logged.hash
        return logged

    audit._last_hash = lambda kb_dir: last_hash.get(str(kb_dir)) or read_last_hash(kb_dir)
    audit.log_event = log_and_keep
