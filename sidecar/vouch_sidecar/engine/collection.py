"""One knowledge base of the process: its files, what is known of them, and its settings."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from vouch_sidecar.index.cache import Cache, Parts
from vouch_sidecar.index.documents import Prepared, prepare
from vouch_sidecar.index.frozen import Frozen, frozen_parts, in_blocks, thaw
from vouch_sidecar.index.knowledge import Knowledge, PreparedChange
from vouch_sidecar.index.packed import Packed
from vouch_sidecar.index.parsing import Parsing
from vouch_sidecar.kb.access import gate_of, is_live
from vouch_sidecar.kb.glance import state_of
from vouch_sidecar.kb.layout import KB_DIRNAME, usual_key, usual_path
from vouch_sidecar.kb.records import (
    Artifact,
    Change,
    Claim,
    Key,
    Kind,
    Page,
    Problem,
    Scope,
    Session,
    Source,
    key_of,
)
from vouch_sidecar.kb.settings import Settings, config_mapping, load_settings
from vouch_sidecar.kb.store import Reconciled, Store

__all__ = ["Collection", "Step"]

log = logging.getLogger(__name__)

WITHHELD: dict[Kind, Callable[..., Artifact]] = {
    Kind.CLAIM: Claim,
    Kind.PAGE: Page,
    Kind.SOURCE: Source,
}
"""The kinds of what may be there for nobody."""

REBUILD_FROM = 1_000
"""Changed artifacts from which on building anew beats changing in place."""


@dataclass(frozen=True, slots=True)
class Step:
    """A change that is ready to be published: made off the event loop, taken in on it.

    `ended`: the sessions that vouch ended.
    """

    change: PreparedChange
    problems: Mapping[str, tuple[Problem, ...]]
    skipped: int
    config: bytes | None
    ended: frozenset[str] = frozenset()
    rebuilt: Knowledge | None = None


@dataclass(slots=True)
class Collection:
    """A knowledge base as the process holds it. `name` is unique within the process."""

    root: Path
    store: Store
    settings: Settings
    name: str = ""
    knowledge: Knowledge = field(default_factory=Knowledge)
    problems: Mapping[str, tuple[Problem, ...]] = field(default_factory=dict)
    config: bytes | None = None
    settings_problems: tuple[Problem, ...] = ()
    skipped: int = 0
    complete: bool = False
    indexed_at: float | None = None
    cache: Cache | None = None
    parsing: Parsing = field(default_factory=Parsing)
    cached: bytes | None = None
    """The state of the files that the cache holds; None without one."""
    cached_at: int = 0
    """`store.looks` when the files stood so."""

    @classmethod
    def at(cls, root: Path, clock: Callable[[], float], caches: Path | None = None) -> Collection:
        """The knowledge base in a folder, not read yet; `caches` is the folder for its cache."""
        cache = None if caches is None else Cache(caches, root)
        parsing = Parsing()
        store = Store(root / KB_DIRNAME, clock=clock, parse=parsing)
        return cls(root, store, Settings(), cache=cache, parsing=parsing)

    def read(self, paths: Iterable[str] | None = None) -> Step | None:
        """See what changed on disk (blocking, one call at a time); None when nothing did.

        With `paths` (below `.vouch/`) only there and where something is due; first of all: all.
        """
        if not self.complete:
            return self._read_first()
        seen = self.store.reconcile(paths)
        change = self._with_what_it_needs(seen.change)
        if change.removals or not all(_is_live(p.artifact) for p in change.upserts):
            self._purge()
        same = (
            not seen.change
            and seen.problems == self.problems
            and seen.config == self.config
            and seen.skipped == self.skipped
        )
        ended = _ended(seen.change.upserts)
        return None if same else Step(change, seen.problems, seen.skipped, seen.config, ended)

    def _with_what_it_needs(self, change: Change) -> PreparedChange:
        upserts, removals = tuple(self._prepared(change.upserts)), change.removals
        keys = removals.union(map(key_of, change.upserts))
        if len(keys) >= REBUILD_FROM:  # all is built anew
            return PreparedChange(upserts, removals)
        knowledge = self.knowledge
        found = ((key, knowledge.packed.unpacked(key)) for key in keys)
        unpacked = {key: one for key, one in found if one is not None}
        claims = (artifact for artifact in change.upserts if isinstance(artifact, Claim))
        names = knowledge.names.ahead(claim.text for claim in claims if not claim.entities)
        return PreparedChange(upserts, removals, unpacked, names)

    def _read_first(self) -> Step:
        """See everything, with the help of the cache."""
        frozen = None if self.cache is None else self.cache.load()
        knowledge, seen = self._learn() if frozen is None else self._recall(frozen)
        sessions = knowledge.all_of(Kind.SESSION)
        nothing = PreparedChange((), frozenset())
        return Step(nothing, seen.problems, seen.skipped, seen.config, _ended(sessions), knowledge)

    def _learn(self) -> tuple[Knowledge, Reconciled]:
        """Read every file, and learn what most of them say at once."""
        knowledge = Knowledge()

        def learn(artifact: Artifact) -> None:
            knowledge.learn(self.parsing.prepared(artifact))

        self.store.keep_by(learn, _recalling(knowledge.packed))
        seen = self.store.reconcile()
        self._apply(knowledge, seen.change)
        return knowledge, seen

    def _recall(self, frozen: Frozen) -> tuple[Knowledge, Reconciled]:
        """Take over what is frozen, but for what changed since."""
        packed = Packed.of(frozen)
        self.store.remember(frozen["stats"], _recalling(packed))
        seen = self.store.reconcile()
        gone = frozenset(map(usual_key, self.store.lost)) | frozen["loose"].keys()
        self.cached = frozen["state"]
        if gone:
            self._purge()
        if len(gone) + len(seen.change.upserts) >= REBUILD_FROM:
            knowledge = self.rebuilt()
            packed.let_go()
            return knowledge, seen
        knowledge = thaw(frozen, packed)
        self._apply(knowledge, seen.change, gone)
        return knowledge, seen

    def _apply(
        self, knowledge: Knowledge, change: Change, gone: frozenset[Key] = frozenset()
    ) -> None:
        knowledge.apply(PreparedChange(tuple(self._prepared(change.upserts)), gone))

    def rebuilt(self) -> Knowledge:
        """All that was last read, built anew (blocking)."""
        knowledge = Knowledge.of(map(prepare, self.store.artifacts()))
        self.store.keep_by(None, _recalling(knowledge.packed))
        return knowledge

    def _prepared(self, artifacts: Iterable[Artifact]) -> list[Prepared]:
        prepared = list(map(self.parsing.prepared, artifacts))
        self.parsing.forget()
        return prepared

    def _purge(self) -> None:
        if self.cache is not None and self.cached is not None:
            self.cache.purge()
            self.cached = None

    def remember(self) -> bool:
        """Bring the cache up to what is published (blocking, while nothing else is read); False
        when that has to wait.
        """
        looks = self.store.looks
        if self.cache is None or (self.cached is not None and self.cached_at == looks):
            return True
        if not self.complete or not self.store.is_settled():
            return False
        done = self._remember(self.cache)
        if done:
            self.cached_at = looks
        return done

    def _remember(self, cache: Cache) -> bool:
        state = state_of(self.store.faultless())
        if state == self.cached:
            return True
        every = self.store.every()
        whole = None if every is None else state_of(every)
        self._purge()
        try:
            if cache.save(self._parts(state), whole):
                self.cached = state
        except (_ChangedError, RuntimeError, LookupError) as error:
            log.info("the cache is written later: %s", type(error).__name__)
            return False
        return True

    def _parts(self, state: bytes) -> Parts:
        """What is kept, bit by bit. Raises `_ChangedError` where it was changed meanwhile, or
        whatever that leads to.
        """
        knowledge, changes = self.knowledge, self.knowledge.changes
        artifacts, store = knowledge.by_key, self.store
        yield from frozen_parts(knowledge)
        yield from in_blocks(
            "stats",
            (
                (path, stat)
                for path, stat in store.faultless()
                if (key := usual_key(path)) in artifacts or key[0] in WITHHELD
            ),
        )
        loose = (key for key in artifacts if not store.is_faultless(usual_path(*key)))
        yield "loose", {(str(kind), name): True for kind, name in loose}
        yield "state", state
        yield "config", dict(config_mapping(self.config, []))
        if knowledge.changes != changes or knowledge is not self.knowledge:
            raise _ChangedError

    def take(self, step: Step, generation: int, now: float) -> None:
        """Make a step count, whole."""
        if step.rebuilt is not None:
            self.knowledge = step.rebuilt
        else:
            self.knowledge.apply(step.change)
        self.knowledge.memo.clear()
        self.knowledge.generation = generation
        self.problems = step.problems
        self.skipped = step.skipped
        self.config = step.config
        self.complete = True
        self.indexed_at = now

    def on_disk(self, relative: str) -> Artifact | None:
        """What the file at a path below `.vouch/` says, as published, if it counts for its id."""
        return self.knowledge.at_path(relative)

    def configure(self, client: Mapping[str, object], env: Mapping[str, str]) -> None:
        """Read the settings anew."""
        self.settings, self.settings_problems = load_settings(self.config, client, env)


class _ChangedError(Exception):
    """What is being kept is not what is known any more."""


def _ended(artifacts: Iterable[Artifact]) -> frozenset[str]:
    """Ids of the sessions that have ended."""
    sessions = (a for a in artifacts if isinstance(a, Session))
    return frozenset(s.id for s in sessions if s.ended_at is not None)


def _is_live(artifact: Artifact) -> bool:
    return is_live(artifact) and gate_of(artifact) is not None


def _recalling(packed: Packed) -> Callable[[str], Artifact]:
    """Gives what a file said when it was packed; of what was for nobody, only that it was there."""

    def recall(path: str) -> Artifact:
        return packed.artifact(usual_key(path)) or _for_nobody(path)

    return recall


def _for_nobody(path: str) -> Artifact:
    kind, artifact_id = usual_key(path)
    return WITHHELD[kind](artifact_id, path, "", scope=Scope("private"))
