"""Brings the worlds around knowledge bases up to date. Each is built from the one before: what each
claim names, and what each file defines, is read again only where it changed.
"""

from __future__ import annotations

import json
import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Set
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial

from vouch_sidecar.engine.collection import Collection
from vouch_sidecar.engine.faults import WORKSPACE
from vouch_sidecar.index.base_cache import code_version
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.kb.artifact_files import KB_DIRNAME
from vouch_sidecar.kb.reader import read_content
from vouch_sidecar.kb.records import Kind, Source
from vouch_sidecar.kb.safe_files import Stat, mtime_ns
from vouch_sidecar.kb.watch import sweep_interval
from vouch_sidecar.workspace.claim_readings import ClaimReader, sources_in
from vouch_sidecar.workspace.code_owners import NO_OWNERS, read_owners
from vouch_sidecar.workspace.commit_history import History, read_history
from vouch_sidecar.workspace.definitions import DefinedNames, Definitions, names_in_file
from vouch_sidecar.workspace.file_kinds import language_of
from vouch_sidecar.workspace.file_list import list_files, read_file, stat_of
from vouch_sidecar.workspace.git import Repository, prefix_in
from vouch_sidecar.workspace.locator import MAX_PARTS
from vouch_sidecar.workspace.quotes_in_files import Freshness
from vouch_sidecar.workspace.ties import Ties
from vouch_sidecar.workspace.topics import TopicFinder, Topics
from vouch_sidecar.workspace.world import SERIALS, World, own_names

NO_TIES = "Claims are not tied to files"
EMPTIED_SECONDS = 2.0
"""So long an empty file keeps what it defined: a program that writes a file empties it first."""
Breathe = Callable[[], None]
"""Called between small steps, to pause or, by an exception, to end them."""


def settle(collections: Iterable[Collection], with_commits: bool = True) -> None:
    """Bring the worlds of some knowledge bases up to date, for a process without an event loop.
    Blocks. `with_commits` also reads the history, which takes longest.
    """
    for collection in collections:
        with collection.faults.contained(WORKSPACE, NO_TIES):
            worlds = brought_up(collection, lambda: None, with_commits=with_commits, at_once=True)
            for world in worlds:
                collection.publish_world(world)


def brought_up(
    collection: Collection,
    breathe: Breathe,
    reported: Set[str] = frozenset(),
    *,
    with_commits: bool = True,
    at_once: bool = False,
) -> Iterator[World]:
    """The worlds to publish, one after the other, so that the last one is that of the published
    generation and of the files as they are; none if it is the published one. What takes longest,
    the definitions in files and the history, comes after the first one, unless it is asked for
    `at_once`. `reported` files are looked at, and now and then all. Blocks.
    """
    memo, before, began = collection.memo, collection.world, collection.memo.clock()
    everything = memo.sweep_at <= began or not reported.isdisjoint(before.files.folders)
    git = Repository.holding(collection.tree, collection.settings.trust.folders)
    world = _looked(collection, git, reported, everything, breathe)
    now = memo.clock()
    sweep_at = now + sweep_interval(now - began) if everything else memo.sweep_at
    head = _head(collection, git) if with_commits else before.history.head
    if (
        world is not before
        or not before.is_whole
        or before.knowledge is not collection.knowledge
        or head != before.history.head
        or before.topics.by_gates.keys() != set(collection.viewers())
    ):
        yield from _rebuilt(collection, world, git, breathe, with_commits, at_once)
    memo.sweep_at = sweep_at


def _rebuilt(
    collection: Collection,
    world: World,
    git: Repository | None,
    breathe: Breathe,
    with_commits: bool,
    at_once: bool,
) -> Iterator[World]:
    """The worlds to publish after a look at the files."""
    bases, is_first = collection.bases, not world.is_whole
    own = own_names(collection.name, collection.tree)
    world = _read_claims(collection, replace(world, knowledge=collection.knowledge), breathe)
    if is_first and not at_once:
        yield _built(collection, world, own)
    if is_first:
        kept = _kept(collection)
        definitions = _scanned(replace(world, definitions=kept), world.files.searched, breathe)
        world = replace(world, definitions=definitions)
        if definitions is not kept:
            _keep(collection, definitions)
    world = replace(world, topics=_topics(collection, world, own, breathe), is_whole=True)
    head = _head(collection, git)
    if head != world.history.head and (with_commits or _lost(world)):
        history = History()
        if head and git is not None and bases is not None:
            history = read_history(git, head, collection.tree, bases.caches, collection.memo.env)
        world = replace(world, history=history)
    yield _built(collection, world, own)


def _head(collection: Collection, git: Repository | None) -> str:
    """The newest commit; "" where commits are not to be read."""
    is_read = collection.settings.people.git != "off" and collection.bases is not None
    return (git.head() or "") if is_read and git is not None else ""


def _built(collection: Collection, world: World, own: Set[str]) -> World:
    """A world with all that follows from what was read. `own` are the names of the project. One
    that says the same as the published one counts as that, of whichever generation.
    """
    before = collection.world
    ties = Ties(world.readings, world.definitions, own)
    places = {
        span: place for read in world.readings.values() for span, place in read.quotes.items()
    }
    fresh = Freshness(world.root, places, _gone(world))
    stats: dict[str, Stat | None] = {path: world.definitions[path][0] for path in ties.defined}
    for path in {*ties.by_path, *world.sources.values()} - stats.keys():
        if not path.endswith("/"):
            stats[path] = stat_of(world.root, path)
    world.files.make_ready()
    world = replace(world, ties=ties, fresh=fresh, stats=stats)
    is_same = _said_by(world) == _said_by(before)
    return replace(world, serial=before.serial if is_same else next(SERIALS))


def _said_by(world: World) -> tuple[object, ...]:
    of_files = world.files, world.ties.defined, world.stats, world.fresh.gone, world.sources
    return *of_files, world.history, world.code_owners, world.readings, world.topics


# Files


def _looked(
    collection: Collection,
    git: Repository | None,
    reported: Set[str],
    everything: bool,
    breathe: Breathe,
) -> World:
    """The published world with the files as they are now, the same if these are: those that were
    reported are looked at, or `everything`, and git's index.
    """
    world, settings = collection.world, collection.settings
    index, files, owners = None if git is None else git.version(), world.files, NO_OWNERS
    if (
        everything
        or index != world.index
        or any((path in files) != (stat_of(world.root, path) is not None) for path in reported)
    ):
        caches = None if collection.bases is None else collection.bases.caches
        listed = list_files(world.root, caches, collection.memo.env, settings.trust.folders)
        files = files if listed == files else listed
    if settings.people.git != "off":
        owners = read_owners(world.root if git is None else git.top, world.code_owners)
    prefix = "" if git is None else prefix_in(git.top, world.root)
    looked = replace(world, index=index, prefix=prefix, files=files, code_owners=owners)
    if world.is_whole:
        is_all = everything or index != world.index or files is not world.files
        paths = files.searched if is_all else files.searched & reported
        if is_all or paths:
            definitions = _scanned(looked, paths, breathe)
            looked = replace(looked, definitions=definitions)
    tied = world.stats.keys() if everything else world.stats.keys() & reported
    is_same = (
        (index, prefix) == (world.index, world.prefix)
        and files is world.files
        and owners is world.code_owners
        and looked.definitions is world.definitions
        and all(stat_of(world.root, path) == world.stats[path] for path in tied)
    )
    return world if is_same else looked


def _scanned(world: World, paths: Iterable[str], breathe: Breathe) -> Definitions:
    """What the files of a world define, after reading those of `paths` that changed."""
    before, searched = world.definitions, world.files.searched
    by_path = {path: read for path, read in before.items() if path in searched}
    for path in sorted(paths):
        breathe()
        stat, last = stat_of(world.root, path), by_path.get(path)
        if stat is None or (last is not None and last[0] == stat):
            continue
        if (content := read_file(world.root, path)) is None:
            by_path.pop(path, None)
            continue
        data, latest = content
        age = abs(time.time_ns() - mtime_ns(latest)) / 1e9
        if last is not None and not data and age < EMPTIED_SECONDS:
            continue
        by_path[path] = stat, names_in_file(data, language_of(path))
    return before if by_path == before else by_path


def _kept(collection: Collection) -> Definitions:
    """What an earlier process found in files."""
    by_path: dict[str, tuple[Stat, DefinedNames]] = {}
    data = None if collection.bases is None else collection.bases.read_extra(_name())
    with suppress(ValueError, TypeError, LookupError):
        for line in (data or b"").splitlines():  # all at once would block other threads
            path, stat, *arrays = json.loads(line)
            codes = zip("Qii", arrays, strict=True)
            names = DefinedNames(*(array(c, bytes.fromhex(each)) for c, each in codes))
            by_path[path] = bytes.fromhex(stat), names
    return by_path


def _keep(collection: Collection, definitions: Definitions) -> None:
    """Write what files define to the cache, for the next process."""
    lines = (
        json.dumps([path, stat.hex(), *(each.tobytes().hex() for each in names)])
        for path, (stat, names) in definitions.items()
    )
    if collection.bases is not None:
        collection.bases.write_extra(_name(), "\n".join(lines).encode())


@cache
def _name() -> str:
    return f"workspace-{code_version(('text', 'workspace'))}"


# Claims


def _read_claims(collection: Collection, world: World, breathe: Breathe) -> World:
    """A world with what claims say of files now: the claims are read again that changed, or all of
    them if the files did, or what claims refer to.
    """
    before, knowledge, root = collection.world, world.knowledge, collection.root
    changed = None
    assert knowledge is not None
    if before.knowledge is not None and world.files is before.files:
        changed = _changed(before.knowledge, knowledge)
    readings, sources = dict(before.readings), before.sources
    if changed is None:
        readings, sources = {}, sources_in(knowledge, root / KB_DIRNAME, world.locator, breathe)
        changed = [claim.id for claim in knowledge.all_of(Kind.CLAIM)]
    reader = ClaimReader(knowledge, root, sources, world.locator)
    for claim_id in changed:
        breathe()
        readings.pop(claim_id, None)
        if (claim := knowledge.claim(claim_id)) is not None:
            readings[claim_id] = reader.read(claim)
    return replace(world, readings=readings, sources=sources)


def _changed(before: Knowledge, after: Knowledge) -> list[str] | None:
    """The ids of claims to read again after another generation; None for all of them."""
    changed = after.changed_since(before)
    kinds = {kind for kind, _ in changed or ()}
    if changed is None or kinds & {Kind.SOURCE, Kind.EVIDENCE, Kind.ENTITY}:
        return None
    keys = {*changed, *after.uncovered_since(before, changed)}
    return [claim_id for kind, claim_id in keys if kind is Kind.CLAIM]


def _lost(world: World) -> list[Source]:
    """The sources that claims cite, which are called as files are, and are none of these."""
    cited = {source for reading in world.readings.values() for source in reading.sources}
    assert world.knowledge is not None
    sources = map(world.knowledge.source, sorted(cited - world.sources.keys()))
    return [
        source
        for source in sources
        if source is not None and source.question is None and "://" not in source.locator
    ]


def _gone(world: World) -> dict[str, str]:
    """The former paths of files that claims cite, and that are gone, by source id: those that
    some commit has changed.
    """
    former = ((source.id, _former(source.locator, world.history)) for source in _lost(world))
    return {source_id: path for source_id, path in former if path is not None}


def _former(locator: str, history: History) -> str | None:
    """The path that a locator means among those that commits have changed."""
    parts = locator.partition("#")[0].replace("\\", "/").split("/")[-MAX_PARTS:]
    for start in range(len(parts)):
        path = "/".join(parts[start:])
        if path in history.known and (start == 0 or start < len(parts) - 1):
            return path
    return None


# Topics


def _topics(collection: Collection, world: World, own: Set[str], breathe: Breathe) -> Topics:
    """The topics of those who ask, by their gates."""
    knowledge, before = world.knowledge, world.topics
    assert knowledge is not None
    derived = before.by_gates if before.knowledge is knowledge else {}
    content = partial(read_content, collection.root / KB_DIRNAME)
    viewers = collection.viewers()
    if before.knowledge is knowledge and derived.keys() == set(viewers):
        return before
    by_gates = {
        gates: derived.get(gates) or TopicFinder(knowledge, gates, content, own, breathe).topics()
        for gates in viewers
    }
    return Topics(knowledge, by_gates)
