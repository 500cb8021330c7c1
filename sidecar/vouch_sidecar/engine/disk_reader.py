"""Reads the files of one knowledge base into generations."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from vouch_sidecar.engine.base_writer import BaseWriter, Written
from vouch_sidecar.index.base_cache import Bases, Manifest
from vouch_sidecar.index.builder import Builder
from vouch_sidecar.index.document_schema import WITHOUT_QUOTE
from vouch_sidecar.index.encoding import Pseudonyms
from vouch_sidecar.index.incremental import after
from vouch_sidecar.index.knowledge import Documents, Knowledge, is_known
from vouch_sidecar.index.layers import Layer, Writing
from vouch_sidecar.index.links import link_state_of
from vouch_sidecar.index.pointers import retired_key
from vouch_sidecar.index.receipts import Disk
from vouch_sidecar.index.stored_artifacts import quoted_in
from vouch_sidecar.kb.artifact_files import KB_DIRNAME, usual_key
from vouch_sidecar.kb.records import (
    Artifact,
    Change,
    Claim,
    Key,
    Kind,
    Page,
    Problem,
    Relation,
    Scope,
    Source,
    VouchSession,
    key_of,
)
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

    All methods block. Any thread may call them, one at a time; only `write`, and `disk.content`,
    which reads a file, may run beside the others.
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
            seen = self.store.reconcile(paths)
            self._apply(self.latest, seen.change)
            step = self._step(seen, _ended(seen.change.upserts))
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
        base = None if self.base.bases is None else self.base.bases.open()
        seen = None if base is None else self._resume(*base)
        if seen is None:
            seen = self._build_base()
        return self._step(seen, _ended(self.latest.all_of(Kind.SESSION)))

    def _read_again(self) -> Step:
        """Read everything again and keep only the last good config: a failed read may have left
        any other state half updated.
        """
        self.base.purge()
        self._reset_store(self._given.config if self._given else None)
        seen = self._build_base()
        return self._step(seen, _ended(self.latest.all_of(Kind.SESSION)))

    @property
    def disk(self) -> Disk:
        """Reads contents and artifacts from the files on demand."""
        return Disk(self.store.content_of, self.store.read_artifact, self.store.hidden)

    def _reset_store(self, config: bytes | None) -> None:
        self.store = Store(self.root / KB_DIRNAME, clock=self._clock)
        self.store.resume({}, self.store.read_artifact, config)

    def _build_base(self) -> Reconciled:
        """Index every file into a new base: on disk, or in memory if the disk cannot be written."""
        if self.base.bases is None:
            return self._build_into(Writing())
        try:
            return self._build_into(self.base.begin(self.base.bases))
        except (OSError, ValueError) as error:
            log.warning("the index stays in memory: %s", type(error).__name__)
        self.base.give_up()
        self._reset_store(self.store.config)
        return self._build_into(Writing())

    def _build_into(self, writing: Writing) -> Reconciled:
        builder = Builder(writing, self.disk)
        self.store.hand_over_to(builder.add, self.store.read_artifact)
        seen = self.store.reconcile()
        base = builder.finish()
        self.store.hand_over_to(None, _artifact_reader(base))
        self._apply(base, seen.change)
        return seen

    def _resume(self, layer: Layer, manifest: Manifest) -> Reconciled | None:
        """Start from a finished base and apply what changed on disk since then. None if a retired
        artifact is gone of which the base has no id: what it closed stays closed there.
        """
        base = Knowledge(layer, pseudonyms=Pseudonyms(manifest.salt))
        self.store.resume(dict(manifest.stats), _artifact_reader(base), manifest.config)
        seen = self.store.reconcile()
        read_again = {key_of(artifact) for artifact in seen.change.upserts}
        if manifest.unlisted_retired - {retired_key(key, base.pseudonyms) for key in read_again}:
            self._reset_store(manifest.config)
            return None
        uncertain = {*map(usual_key, self.store.outdated), *manifest.unlisted}
        gone = seen.change.removals | (uncertain - read_again)
        self._apply(base, Change(seen.change.upserts, gone))
        self.base.resume(manifest)
        return seen

    def _apply(self, before: Knowledge, change: Change) -> None:
        """Apply a change to `latest`. If it removes text, purge the bases, which still hold it."""
        self.latest = after(before, change, self.disk)
        if _retired(before, self.latest):
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
        names = written.generation.pseudonyms
        base = Knowledge(written.layer, written.generation.names, pseudonyms=names)
        since = self.latest.on_base(written.layer, written.generation)
        self.store.hold_only(_artifact_reader(base), since.changed.keys())
        self.latest = since
        if self._given is not None:
            self._given = replace(self._given, knowledge=since)
        self.base.replace_by(written)

    def finish_base(self) -> bool:
        """Finish the base for the next process (`BaseWriter.finish`)."""
        return self.base.finish(self.latest, self.store)


def _retired(before: Knowledge, after: Knowledge) -> bool:
    """Whether a change removed an artifact, or a sentence or quote of one."""
    return after is not before and any(
        documents is not (was := before.changed.get(key))
        and _lost_text(before, key, was, documents)
        for key, documents in after.changed.items()
    )


def _lost_text(before: Knowledge, key: Key, was: Documents | None, documents: Documents) -> bool:
    if not is_known(documents):
        return before.artifact(key) is not None
    then = was[0] if was else before.document(key)
    if then is None:
        return False
    state, state_before = link_state_of(documents[0]), link_state_of(then)
    lost = state.linked == WITHOUT_QUOTE != state_before.linked
    lost = lost or any(
        span.gates is None for span in set(state.closed).difference(state_before.closed)
    )
    old, new = quoted_in(then), quoted_in(documents[0])
    sentence = None if old is None else old.sentence
    kept = None if new is None else new.sentence
    return lost or (sentence is not None and (kept is None or kept.text != sentence.text))


def _ended(artifacts: Iterable[Artifact]) -> frozenset[str]:
    """Ids of the sessions that have ended."""
    sessions = (a for a in artifacts if isinstance(a, VouchSession))
    return frozenset(s.id for s in sessions if s.ended_at is not None)


def _artifact_reader(base: Knowledge) -> Callable[[str], Artifact]:
    """Returns a function that gives the artifact of a path from the base. An artifact whose text
    the base does not hold comes back empty and private.
    """

    def recall(path: str) -> Artifact:
        return base.whole(usual_key(path)) or _empty_private(path)

    return recall


def _empty_private(path: str) -> Artifact:
    kind, artifact_id = usual_key(path)
    if kind is Kind.RELATION:
        return Relation(artifact_id, path, "", "", "")
    withheld: dict[Kind, Callable[..., Claim | Page | Source]] = {
        Kind.CLAIM: Claim,
        Kind.PAGE: Page,
        Kind.SOURCE: Source,
    }
    return withheld[kind](artifact_id, path, "", scope=Scope("private"))
