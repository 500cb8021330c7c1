"""Reads the files of one knowledge base into generations."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from tantivy import Document

from vouch_sidecar.index.base_cache import Bases
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.index.layers import Layer, layer_of
from vouch_sidecar.index.links import WITHOUT_QUOTE, LinkState, Records, States
from vouch_sidecar.kb.artifact_files import KB_DIRNAME
from vouch_sidecar.kb.records import Artifact, Kind, Problem, VouchSession
from vouch_sidecar.kb.store import Reconciled, Store

REBASE_FROM = 300
"""A new base is written once this many artifacts changed: every change rebuilds the layers."""


@dataclass(frozen=True, slots=True)
class Step:
    """What was read from disk, ready to be published. `ended` are the ids of sessions that vouch
    ended.
    """

    knowledge: Knowledge
    problems: Mapping[str, tuple[Problem, ...]]
    skipped: int
    config: bytes | None
    ended: frozenset[str] = frozenset()

    def is_same_as(self, other: Step | None) -> bool:
        """Whether nothing changed between another step and this one."""
        return (
            other is not None
            and self.knowledge is other.knowledge
            and self.problems == other.problems
            and self.config == other.config
            and self.skipped == other.skipped
        )


class DiskReader:
    """Reads `.vouch/` into generations, of which `latest` is the newest, and keeps in `bases` what
    the next process starts from; None keeps nothing on disk.

    All methods block. Any thread may call them, one at a time.
    """

    def __init__(self, root: Path, clock: Callable[[], float], bases: Bases | None) -> None:
        self.root = root
        self.bases = bases
        self.store = Store(root / KB_DIRNAME, clock=clock)
        self.latest = Knowledge()
        self._clock = clock
        self._given: Step | None = None
        """The step that was returned last; None before the first read."""

    @property
    def has_read(self) -> bool:
        """Whether everything was read once."""
        return self._given is not None

    def read(self, paths: Iterable[str] | None = None, *, anew: bool = False) -> Step | None:
        """Read what changed on disk; None if nothing did.

        `paths` (below `.vouch/`) limits this to these files and those that the store has yet to
        check again. The first call reads everything, as does one with `anew`, after a failed read.
        """
        if self.has_read and not (anew or self.is_damaged):
            before, seen = self.latest, self.store.reconcile(paths)
            self._apply(before, seen)
            changed = map(self.latest.artifact, self.latest.changed_since(before) or ())
            step = self._step(seen, _ended(changed))
            if step.is_same_as(self._given):
                return None
        else:
            step = self._read_again() if anew or self.is_damaged else self._read_first()
        self._given = step
        return step

    @property
    def rebuilds(self) -> bool:
        """Whether the base is rebuilt because it was damaged."""
        is_found = self.bases is not None and self.bases.damaged
        return self.is_damaged or (not self.has_read and is_found)

    @property
    def is_damaged(self) -> bool:
        """Whether the files of the base were overwritten while in use."""
        return self.latest.base.is_damaged

    def _read_first(self) -> Step:
        """Read everything, starting from the base of an earlier process if there is one."""
        gc.disable()  # nothing of what is read becomes garbage
        try:
            kept = None if self.bases is None else self.bases.open()
            if kept is None:
                return self._read_all()
            self.store.resume(kept.knowledge.records, kept.stats, kept.config)
            seen = self.store.reconcile()
            self._apply(kept.knowledge, seen)
        finally:
            gc.enable()
        return self._step(seen, _ended(self.latest.all_of(Kind.SESSION)))

    def _read_again(self) -> Step:
        """Read everything again and keep only the last good config: a failed read may have left
        any other state half updated.
        """
        self._purge()
        self.store = Store(self.root / KB_DIRNAME, clock=self._clock)
        self.store.config = self._given.config if self._given else None
        return self._read_all()

    def _read_all(self) -> Step:
        """Index every file."""
        seen = self.store.reconcile()
        self.latest = self._on_disk(seen) or Knowledge.of(seen.records)
        return self._step(seen, _ended(self.latest.all_of(Kind.SESSION)))

    def _on_disk(self, seen: Reconciled) -> Knowledge | None:
        """The first generation on a base for the next process too; None where none can be written:
        the index stays in memory, and `keep` tries again.
        """
        if self.bases is None or not self.store.is_settled():
            return None
        with suppress(OSError, ValueError):
            return Knowledge.of(seen.records, partial(self._write, self.bases, seen.records))
        return None

    def _write(
        self, bases: Bases, records: Records, documents: Iterable[Document], states: States
    ) -> Layer:
        return bases.write(documents, records, states, self.store.stats(), self.store.config)

    def _apply(self, before: Knowledge, seen: Reconciled) -> None:
        """Make the next generation. If it removes text, purge the bases, which still hold it."""
        self.latest = before.after(seen.records)
        if self.latest is not before and _retired(before, self.latest):
            self._purge()

    def _purge(self) -> None:
        if self.bases is not None:
            self.bases.purge()

    def _step(self, seen: Reconciled, ended: frozenset[str]) -> Step:
        return Step(self.latest, seen.problems, seen.skipped, seen.config, ended)

    def keep(self, whole: bool = False) -> bool:
        """Write the base from which the next process starts, if one is wanted (`whole`: if anything
        changed), and go on from it. Returns whether that is done: files may be too new, or another
        process removed it meanwhile. Raises OSError or ValueError if there is no room.
        """
        if not self.has_read:
            return False
        store, bases = self.store, self.bases
        is_old = len(self.latest.changed) >= (1 if whole else REBASE_FROM)
        if bases is None or not store.is_settled():
            if is_old:
                self._go_on_from(layer_of(self.latest.documents()))
            return bases is None
        try:
            if is_old or bases.is_wanted(store.config):
                latest = self.latest
                self._go_on_from(
                    self._write(bases, latest.records, latest.documents(), latest.states)
                )
        except FileNotFoundError:
            return False
        return True

    def _go_on_from(self, base: Layer) -> None:
        """Go on from a base that holds the newest generation."""
        self.latest = self.latest.on_base(base)
        if self._given is not None:
            self._given = replace(self._given, knowledge=self.latest)


def _retired(before: Knowledge, after: Knowledge) -> bool:
    """Whether a change took an artifact, or the quote of one, from everybody."""
    changed = after.changed_since(before) or ()
    return any(
        before.artifact(key) is not None
        and (after.artifact(key) is None or _lost_quote(before.state(key), after.state(key)))
        for key in changed
    )


def _lost_quote(before: LinkState, after: LinkState) -> bool:
    return after.how == WITHOUT_QUOTE != before.how


def _ended(artifacts: Iterable[Artifact | None]) -> frozenset[str]:
    """Ids of the sessions that have ended."""
    sessions = (a for a in artifacts if isinstance(a, VouchSession))
    return frozenset(s.id for s in sessions if s.ended_at is not None)
