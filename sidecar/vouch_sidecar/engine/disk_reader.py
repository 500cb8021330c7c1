"""Reads the files of one knowledge base into generations."""

from __future__ import annotations

from collections.abc import Callable, Set
from functools import partial
from pathlib import Path

from vouch_sidecar.index.base_cache import Bases
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.kb.store import EVERYTHING, OnDisk, Store

REBASE_FROM = 300
"""A new base is written once this many documents changed: every change rebuilds the layers."""


class DiskReader:
    """Reads `.vouch/` into generations, of which `latest` is the newest, and keeps in `bases` what
    the next process starts from; None keeps nothing on disk.

    All methods block. Any thread may call them, one at a time.
    """

    def __init__(self, kb_dir: Path, clock: Callable[[], float], bases: Bases | None) -> None:
        self.bases = bases
        self._new_store = partial(Store, kb_dir, clock=clock)
        self.store, self.latest = self._new_store(), Knowledge()
        self._is_sound: bool | None = None
        """Whether the last read has ended, so that nothing is half updated; None before the first.
        """

    def read(self, paths: Set[str] = EVERYTHING) -> tuple[Knowledge, OnDisk]:
        """Read what changed on disk of `paths`, as `Store.reconcile` takes them, from anew after a
        read that failed. Returns what is known, and what is there.
        """
        was_sound, self._is_sound = self._is_sound, False
        if was_sound is None:
            self._resume()
        elif not was_sound or self.latest.base.is_damaged:
            self._begin_anew()
        before, on_disk = self.latest, self.store.reconcile(paths)
        self.latest = before.after(self.store.records)
        if self.latest.withdrawn_since(before):
            self._purge()
        self._is_sound = True
        return self.latest, on_disk

    def _begin_anew(self) -> None:
        """Keep only the last good config: a failed read may have left any other state half
        updated.
        """
        self._purge()
        config = self.store.config
        self.store, self.latest = self._new_store(), Knowledge()
        self.store.config = config

    def _resume(self) -> None:
        """Begin with the base of an earlier process, if there is one."""
        if self.bases is not None and (kept := self.bases.open()) is not None:
            self.store.resume(kept.knowledge.records, kept.stats, kept.config)
            self.latest = kept.knowledge

    def _purge(self) -> None:
        """Remove the bases, which hold text that is retired, or damage."""
        if self.bases is not None:
            self.bases.purge()

    def keep(self) -> Knowledge | None:
        """Write the base from which the next process starts, if one is wanted, and go on from it.
        Returns what was read last; None if it is to be tried again, as another process removed the
        base meanwhile. Raises OSError or ValueError if there is no room.
        """
        if not self._is_sound:
            return None
        store, bases, latest = self.store, self.bases, self.latest
        is_old = latest.snapshot.changes >= REBASE_FROM
        config = None if store.config is None else store.config.data
        if bases is not None and (is_old or bases.is_wanted(config)):
            try:
                self.latest = latest.on_base(bases.write(latest, store.stats(), config))
            except FileNotFoundError:
                return None
        return self.latest
