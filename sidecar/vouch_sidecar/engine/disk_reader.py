"""Reads the files of one knowledge base into generations."""

from __future__ import annotations

import gc
import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from vouch_sidecar.engine.base_writer import BaseWriter, Written
from vouch_sidecar.index.base_cache import Bases, Opened
from vouch_sidecar.index.knowledge import Documents, Knowledge
from vouch_sidecar.index.layers import Writing
from vouch_sidecar.index.links import WITHOUT_QUOTE, LinkState, Named
from vouch_sidecar.kb.artifact_files import KB_DIRNAME
from vouch_sidecar.kb.records import Artifact, Key, Kind, Problem, VouchSession, key_of
from vouch_sidecar.kb.store import Reconciled, Store

log = logging.getLogger(__name__)


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
    """Reads `.vouch/` into generations, of which `latest` is the newest. `base` writes that from
    which the next process starts.

    All methods block. Any thread may call them, one at a time; only `write` may run beside the
    others.
    """

    def __init__(self, root: Path, clock: Callable[[], float], bases: Bases | None) -> None:
        self.root = root
        self.base = BaseWriter(bases)
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
        bases = self.base.bases
        return self.is_damaged or (not self.has_read and bases is not None and bases.damaged)

    @property
    def is_damaged(self) -> bool:
        """Whether the files of the base were overwritten while in use."""
        return self.latest.base.is_damaged

    def _read_first(self) -> Step:
        """Read everything, starting from the base of an earlier process if there is one."""
        gc.disable()  # nothing of what is read becomes garbage
        try:
            opened = None if self.base.bases is None else self.base.bases.open()
            seen = self._build_base() if opened is None else self._resume(opened)
        finally:
            gc.enable()
        return self._step(seen, _ended(self.latest.all_of(Kind.SESSION)))

    def _read_again(self) -> Step:
        """Read everything again and keep only the last good config: a failed read may have left
        any other state half updated.
        """
        self.base.purge()
        self._reset_store(self._given.config if self._given else None)
        seen = self._build_base()
        return self._step(seen, _ended(self.latest.all_of(Kind.SESSION)))

    def _reset_store(self, config: bytes | None) -> None:
        self.store = Store(self.root / KB_DIRNAME, clock=self._clock)
        self.store.config = config

    def _build_base(self) -> Reconciled:
        """Index every file into a new base: on disk, or in memory if the disk cannot be written."""
        seen = self.store.reconcile()
        if self.base.bases is not None:
            try:
                self.latest = Knowledge.written(seen.records, self.base.begin(self.base.bases))
                return seen
            except (OSError, ValueError) as error:
                log.warning("the index stays in memory: %s", type(error).__name__)
            self.base.give_up()
        self.latest = Knowledge.written(seen.records, Writing())
        return seen

    def _resume(self, opened: Opened) -> Reconciled:
        """Start from a finished base and apply what changed on disk since then."""
        kept = opened.kept
        files = {file.path: (file.stat, file.record) for file in kept.files if file.stat}
        self.store.resume(files, kept.config, kept.config_stat)
        records = {key_of(file.record): file.record for file in kept.files}
        states = {key_of(file.record): file.state for file in kept.files}
        changed: dict[Key, Documents] = dict.fromkeys(kept.others, ())
        named = Named(opened.names)
        base = Knowledge(opened.layer, records, states, named, changed)
        seen = self.store.reconcile()
        self._apply(base, seen)
        self.base.resume(kept)
        return seen

    def _apply(self, before: Knowledge, seen: Reconciled) -> None:
        """Make the next generation. If it removes text, purge the bases, which still hold it."""
        self.latest = before.after(seen.records)
        if self.latest is not before and _retired(before, self.latest):
            self.base.purge()

    def _step(self, seen: Reconciled, ended: frozenset[str]) -> Step:
        return Step(self.latest, seen.problems, seen.skipped, seen.config, ended)

    def keep_up(self, whole: bool = False) -> bool:
        """Write a base for the next process if enough changed (`whole`: if anything changed).
        Returns False if the base cannot be written or finished yet.
        """
        if self.wants_base or (whole and self.latest.changed):
            written = self.write()
            if written is None:
                return False
            self.adopt(written)
        return self.finish_base()

    @property
    def wants_base(self) -> bool:
        """Whether a new base should be written (`BaseWriter.is_wanted`)."""
        return self.base.is_wanted(self.latest, self.store.config)

    def write(self) -> Written | None:
        """Write a base of `latest` (`BaseWriter.write`)."""
        purges = self.base.purges  # before the generation is taken: a purge from now on counts
        return self.base.write(self.latest, purges)

    def adopt(self, written: Written) -> None:
        """Replace the base by a written one; `latest` keeps the changes made since."""
        if written.generation.base is not self.latest.base:
            return  # everything was read again meanwhile
        since = self.latest.on_base(written.layer, written.generation)
        self.latest = since
        if self._given is not None:
            self._given = replace(self._given, knowledge=since)
        self.base.replace_by(written)

    def finish_base(self) -> bool:
        """Finish the base for the next process (`BaseWriter.finish`)."""
        return self.base.finish(self.latest, self.store)


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
