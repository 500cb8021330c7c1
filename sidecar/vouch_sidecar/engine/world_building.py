"""Builds the world around a knowledge base, over what is remembered from one time to the next: what
each claim names, and what each file defines. So a rebuild is stats and dictionaries.
"""

from __future__ import annotations

import json
import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path

from vouch_sidecar.engine.claim_facts import ClaimFactsCollector, sources_in
from vouch_sidecar.index.base_cache import Bases, code_version
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.kb.artifact_files import KB_DIRNAME
from vouch_sidecar.kb.reader import read_content
from vouch_sidecar.kb.records import Claim, Key, Kind, Source
from vouch_sidecar.kb.safe_files import Stat, mtime_ns
from vouch_sidecar.kb.settings import Settings
from vouch_sidecar.kb.watch import sweep_interval
from vouch_sidecar.text.analysis import fold
from vouch_sidecar.workspace.cancellation import Checkpoint
from vouch_sidecar.workspace.code_owners import CodeOwners, read_owners, stamp_of_owners
from vouch_sidecar.workspace.commit_history import History, read_history
from vouch_sidecar.workspace.definitions import FoundNames, Wanted, names_in_file
from vouch_sidecar.workspace.file_kinds import is_searched, language_of
from vouch_sidecar.workspace.file_list import Files, list_files, read_file, stamp_of, stat_of
from vouch_sidecar.workspace.files_of_claim import ClaimReading, read_claim
from vouch_sidecar.workspace.git import Repository
from vouch_sidecar.workspace.locator import Locator
from vouch_sidecar.workspace.names_in_text import digest
from vouch_sidecar.workspace.quotes_in_files import Freshness, QuotedFiles
from vouch_sidecar.workspace.ties import Tie, Ties, Use
from vouch_sidecar.workspace.topic_finder import TopicSources, derive
from vouch_sidecar.workspace.topics import NO_TOPICS, Topics
from vouch_sidecar.workspace.world import World

UNKEPT = 32
"""So many files are read again before what they define is written to the cache."""
MAX_PARTS = 64
EMPTIED_SECONDS = 2.0
"""So long an empty file keeps what it defined: a program that writes a file empties it first."""


@dataclass(slots=True)
class WorldMemo:
    """What a world is built over. `root` is the folder of the knowledge base, `tree` the working
    tree. One thread at a time uses it.
    """

    root: Path
    tree: Path
    bases: Bases | None
    env: Mapping[str, str]
    clock: Callable[[], float] = time.monotonic
    files: Files | None = None
    found: dict[str, tuple[Stat, FoundNames]] = field(default_factory=dict)
    """What each file that is searched says of names, with its stat then."""
    searched: frozenset[str] = frozenset()
    """The files that are searched."""
    has_scanned: bool = False
    unkept: int = 0
    """Files that were read since this was written to the cache."""
    readings: dict[str, ClaimReading] = field(default_factory=dict)
    """What each claim cites, quotes and names, by claim id…"""
    read_of: tuple[Knowledge, Files] | None = None
    """…of this generation, among these files."""
    sources: dict[str, str] = field(default_factory=dict)
    locator: Locator = field(default_factory=lambda: Locator(Path(), Files()))
    history: History = field(default_factory=History)
    owners: CodeOwners = field(default_factory=CodeOwners)
    owners_stamp: object = None
    quoted_files: QuotedFiles = field(default_factory=QuotedFiles)
    topics: Topics = NO_TOPICS
    is_log_needed: bool = False
    """Whether an answer depends on the history."""
    sweep_at: float = 0.0
    """When everything is looked at."""

    @property
    def caches(self) -> Path | None:
        return None if self.bases is None else self.bases.caches

    # Files

    def look(
        self, settings: Settings, world: World, reported: Set[str], breathe: Checkpoint
    ) -> bool:
        """Look at the files around: at all of them if that is due, else at those `reported`, and at
        git's index. Returns whether they are others than those of the `world`.
        """
        began, trusted, before = self.clock(), settings.trust.folders, self.files
        is_folder = before is not None and any(path in before.folders for path in reported)
        everything = before is None or is_folder or self.sweep_at <= began
        if before is None or everything or self._is_list_stale(before, reported, trusted):
            files = list_files(self.tree, self.caches, self.env, trusted)
            self.files = before if files == before else files
            if self.files is not before:
                self.searched = frozenset(filter(is_searched, files.paths))
                self.found = {p: seen for p, seen in self.found.items() if p in self.searched}
        differs = self.files is not before
        if self.has_scanned:
            read = self.searched if everything or differs else self.searched.intersection(reported)
            differs |= self.scan(read, breathe)
        told = world.stats if everything else world.stats.keys() & reported
        differs |= any(stat_of(self.tree, path) != world.stats[path] for path in told)
        differs |= self._take_in_owners(settings)
        if everything:
            now = self.clock()
            self.sweep_at = now + sweep_interval(now - began)
        return differs

    def _is_list_stale(self, files: Files, reported: Set[str], trusted: tuple[str, ...]) -> bool:
        """Whether git's index changed, or a file that was reported has come or gone."""
        return stamp_of(self.tree, trusted) != files.stamp or any(
            (path in files) != (stat_of(self.tree, path) is not None) for path in reported
        )

    def scan(self, paths: Iterable[str], breathe: Checkpoint) -> bool:
        """Read those of some files that changed. Returns whether one did."""
        if not self.has_scanned:
            self._recall()
        differs = False
        for path in sorted(paths):
            breathe()
            now, stat, known = time.time_ns(), stat_of(self.tree, path), self.found.get(path)
            if stat is None or (known is not None and known[0] == stat):
                continue
            if (content := read_file(self.tree, path)) is None:
                self.found.pop(path, None)
                continue
            data, latest = content
            if known is not None and not data and now - mtime_ns(latest) < EMPTIED_SECONDS * 1e9:
                continue
            found = stat, names_in_file(data, language_of(path))
            differs |= known is None or known[1] != found[1]
            self.found[path] = found
            self.unkept += 1
        self.has_scanned = True
        return differs

    def _recall(self) -> None:
        """Take up what an earlier process found."""
        data = None if self.bases is None else self.bases.read_extra(_name())
        with suppress(ValueError, TypeError, LookupError):
            for line in (data or b"").splitlines():  # all at once would block other threads
                path, stat, *arrays = json.loads(line)
                if path in self.searched:
                    codes = zip("Qii", arrays, strict=True)
                    found = FoundNames(*(array(c, bytes.fromhex(each)) for c, each in codes))
                    self.found[path] = bytes.fromhex(stat), found
        self.unkept = 0 if self.found else UNKEPT

    def keep(self) -> None:
        """Write what files define to the cache, for the next process."""
        if self.bases is None or not self.bases.folder.is_dir():
            return
        if self.unkept < UNKEPT and self.bases.has_extra(_name()):
            return
        lines = (
            json.dumps([path, stat.hex(), *(each.tobytes().hex() for each in found)])
            for path, (stat, found) in self.found.items()
        )
        if self.bases.write_extra(_name(), "\n".join(lines).encode()):
            self.unkept = 0

    # People

    def _take_in_owners(self, settings: Settings) -> bool:
        """Read CODEOWNERS if it changed. Returns whether it did."""
        repository = Repository.holding(self.tree, settings.trust.folders)
        top = self.tree if repository is None else repository.top
        stamp = None if settings.people.git == "off" else (top, *stamp_of_owners(top))
        if stamp == self.owners_stamp:
            return False
        self.owners = CodeOwners() if stamp is None else read_owners(top)
        self.owners_stamp = stamp
        return True

    def has_read_log(self, settings: Settings) -> bool:
        """Whether the history is that of the newest commit, or not needed."""
        return not self.is_log_needed or self._head(settings)[1] == self.history.head

    def read_log(self, settings: Settings) -> None:
        """Read the history of the newest commit, if it is needed and another one."""
        repository, head = self._head(settings)
        if not self.is_log_needed or head == self.history.head:
            return
        self.history = History()
        if repository is not None and self.caches is not None and head:
            self.history = read_history(repository, head, self.tree, self.caches, self.env)

    def _head(self, settings: Settings) -> tuple[Repository | None, str]:
        """The repository around, and its newest commit; "" where commits are not to be read."""
        if settings.people.git == "off" or self.bases is None:
            return None, ""
        repository = Repository.holding(self.tree, settings.trust.folders)
        return repository, (repository.head() or "") if repository is not None else ""

    # Claims

    def read_claims(self, knowledge: Knowledge, breathe: Checkpoint) -> None:
        """Read the claims that changed; all of them if the files did, or what claims refer to."""
        assert self.files is not None
        before, kb_dir = self.read_of, self.root / KB_DIRNAME
        changed = None
        if before is not None and before[1] is self.files:
            changed = _changed(before[0], knowledge)
        self.read_of = None
        if changed is None:
            self.readings = {}
            self.locator = Locator(self.tree, self.files)
            self.sources = sources_in(knowledge, kb_dir, self.locator, breathe)
        facts = ClaimFactsCollector(knowledge, self.root, self.sources)
        for claim_id, claim in _claims(knowledge, changed):
            breathe()
            self.readings.pop(claim_id, None)
            if claim is not None:
                self.readings[claim_id] = read_claim(facts.of(claim), self.locator)
        self.read_of = knowledge, self.files

    def gone(self, knowledge: Knowledge) -> dict[str, str]:
        """The former paths of files that claims cite, and that are gone, by source id: those that
        some commit has changed.
        """
        former = ((source.id, self._former(source.locator)) for source in self.lost(knowledge))
        return {source_id: path for source_id, path in former if path is not None}

    def lost(self, knowledge: Knowledge) -> list[Source]:
        """The sources that claims cite, which are called as files are, and are none of these."""
        cited = {source for reading in self.readings.values() for source in reading.sources}
        sources = map(knowledge.source, sorted(cited - self.sources.keys()))
        return [
            source
            for source in sources
            if source is not None and source.question is None and "://" not in source.locator
        ]

    def _former(self, locator: str) -> str | None:
        """The path that a locator means among those that commits have changed."""
        parts = locator.partition("#")[0].replace("\\", "/").split("/")[-MAX_PARTS:]
        for start in range(len(parts)):
            path = "/".join(parts[start:])
            if path in self.history.known and (start == 0 or start < len(parts) - 1):
                return path
        return None

    # Topics

    def derive_topics(
        self,
        knowledge: Knowledge,
        viewers: Sequence[frozenset[str]],
        own: frozenset[str],
        breathe: Checkpoint,
    ) -> None:
        """Derive the topics of some viewers, by their gates, unless they are known."""
        known = self.topics.by_gates if self.topics.knowledge is knowledge else {}
        if self.topics.knowledge is knowledge and known.keys() == set(viewers):
            return
        sources = TopicSources(partial(read_content, self.root / KB_DIRNAME), own, breathe)
        by_gates = {
            gates: known.get(gates) or derive(knowledge, gates, sources) for gates in viewers
        }
        self.topics = Topics(knowledge, by_gates)


def build(
    knowledge: Knowledge, memo: WorldMemo, origin: str, own: frozenset[str], *, is_whole: bool
) -> World:
    """The world around a generation, of the files and claims that `memo` has read. `origin` is the
    name of the repository, `own` are those of the project.
    """
    assert memo.files is not None
    tree, files = memo.tree, memo.files
    ties, wanted = _ties(memo, own)
    places = {
        quote.range: (path, quote)
        for reading in memo.readings.values()
        for path, quote in reading.quotes
    }
    fresh = Freshness(tree, places, memo.gone(knowledge), memo.sources, memo.quoted_files)
    stats: dict[str, Stat | None] = {path: memo.found[path][0] for path in ties.defined}
    for path in {*ties.by_path, *memo.sources.values()} - ties.defined.keys():
        if not path.endswith("/"):
            stats[path] = stat_of(tree, path)
    world = World(
        tree,
        knowledge,
        is_whole,
        files,
        ties,
        wanted,
        memo.sources,
        origin,
        fresh,
        memo.history,
        memo.owners,
        stats,
        memo.topics,
    )
    world.__dict__["locator"] = memo.locator  # it takes long to build, of the same files
    return world.made_ready()


def _ties(memo: WorldMemo, own: frozenset[str]) -> tuple[Ties, Wanted]:
    """What claims say, regrouped: ties by path, uses by digest of the identifier; and the names
    that count in files. The project's `own` names are everywhere in it.
    """
    by_path: dict[str, list[Tie]] = {}
    uses: dict[int, list[Use]] = {}
    names: set[str] = set()
    for _, reading in sorted(memo.readings.items()):
        for tie in reading.ties:
            by_path.setdefault(tie.path, []).append(tie.tie)
        for name, use in reading.uses:
            if fold(name) not in own:
                uses.setdefault(digest(name), []).append(use)
                names.add(name)
    wanted = Wanted(names)
    defined = {
        path: spans
        for path, (_, found) in memo.found.items()
        if (spans := wanted.defined_in(found, language_of(path)))
    }
    return Ties(by_path, uses, defined), wanted


def _changed(before: Knowledge, after: Knowledge) -> list[Key] | None:
    """The keys that differ between two generations; None if all claims must be read again."""
    changed = after.changed_since(before)
    kinds = {kind for kind, _ in changed or ()}
    if changed is None or kinds & {Kind.SOURCE, Kind.EVIDENCE, Kind.ENTITY}:
        return None
    return [*changed, *after.uncovered_since(before, changed)]


def _claims(knowledge: Knowledge, changed: list[Key] | None) -> Iterator[tuple[str, Claim | None]]:
    """Changed claims by id, None for removed ones; all claims if `changed` is None."""
    if changed is None:
        claims = (claim for claim in knowledge.all_of(Kind.CLAIM) if isinstance(claim, Claim))
        yield from ((claim.id, claim) for claim in claims)
        return
    for kind, claim_id in changed:
        if kind is Kind.CLAIM:
            yield claim_id, knowledge.claim(claim_id)


@cache
def _name() -> str:
    return f"workspace-{code_version(('workspace',))}"
