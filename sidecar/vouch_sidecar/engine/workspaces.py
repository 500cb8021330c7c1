"""Analyses the workspaces around knowledge bases, in one background thread of low priority.

The first stage takes seconds: it lists files with git and ties claims to those that they cite or
name. The second finds what files define and may take minutes. The results are kept in the user's
cache, as ids, paths and digests, so that the next process reads only changed files.
"""

from __future__ import annotations

import gc
import json
import logging
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import blake2b, sha256
from pathlib import Path
from threading import Event, get_native_id
from typing import TYPE_CHECKING, Any, TypeVar

import anyio

from vouch_sidecar.engine.collection import Collection
from vouch_sidecar.index.base import code_version
from vouch_sidecar.index.deriving import Around, Shared, derive
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.index.receipts import Sentence
from vouch_sidecar.index.topics import Topics
from vouch_sidecar.kb.access import OPEN, gate_of
from vouch_sidecar.kb.decisions import decided_at, rationales
from vouch_sidecar.kb.files import Stat
from vouch_sidecar.kb.layout import CONTENT, KB_DIRNAME
from vouch_sidecar.kb.reader import Kept, kept, read_content
from vouch_sidecar.kb.records import Claim, Key, Kind, Source
from vouch_sidecar.kb.watch import sweep_interval
from vouch_sidecar.retrieval.tied import mark_of
from vouch_sidecar.retrieval.view import own_names
from vouch_sidecar.workspace import parsing
from vouch_sidecar.workspace.defining import Wanted, definitions
from vouch_sidecar.workspace.files import Files, list_files, read, stamp_of, stat_of
from vouch_sidecar.workspace.freshness import Fresh, Freshness, GoneNames, Lines, Quote, Range
from vouch_sidecar.workspace.git import Repository, origin_of
from vouch_sidecar.workspace.history import History, read_history
from vouch_sidecar.workspace.locating import Locator, line_in
from vouch_sidecar.workspace.naming import digest
from vouch_sidecar.workspace.snapshot import Workspace
from vouch_sidecar.workspace.sorts import ending_of, language_of
from vouch_sidecar.workspace.spread import widespread
from vouch_sidecar.workspace.ties import (
    CitedFile,
    ClaimFacts,
    Read,
    Tie,
    Ties,
    Use,
    is_defining,
    ties_of,
    wanted_in,
)

if TYPE_CHECKING:
    from vouch_sidecar.engine.engine import Engine


log = logging.getLogger(__name__)

WORKSPACE = "workspace"
"""Names the step in faults, and the file in the cache."""
SAID = "Claims are not tied to files"
LOOK_SECONDS = 2.0
"""Pause between checks whether git's index changed, which cost one stat."""
WORK_SECONDS, REST_SECONDS = 0.01, 0.005
"""The thread works and rests by turns, to release the interpreter's lock to other threads."""
NICE = 10
T = TypeVar("T")
Stops = Callable[[], bool]


@dataclass(slots=True)
class State:
    """What is kept in memory of one workspace between two runs. Not thread-safe."""

    knowledge: Knowledge | None = None
    files: Files | None = None
    stamp: Stat | None = None
    """Stat of git's index when the files were listed."""
    listed_at: float = 0.0
    list_seconds: float = 0.0
    reads: dict[str, Read] = field(default_factory=dict)
    """What each claim cites, quotes and names, by claim id."""
    stats: dict[str, Stat] = field(default_factory=dict)
    """Stat of each file that was searched for definitions, by path."""
    defined: dict[str, dict[str, int]] = field(default_factory=dict)
    """By path, the line of each definition by the digest of its name."""
    wanted: str = ""
    """Digest of all names for which the files were searched."""
    rationales: tuple[int, dict[str, str]] | None = None
    """When the folder of decided proposals was written, and the rationale of each claim in it."""
    history: History = field(default_factory=History)
    """Who committed what. It is not written to the cache."""
    once_files: dict[str, str] = field(default_factory=dict)
    """The file last found for each source, by source id."""
    once_names: set[str] = field(default_factory=set)
    """Digests of paths and identifiers in claims that were ever found in this workspace."""
    looked: dict[str, tuple[Stat | None, int]] = field(default_factory=dict)
    """By quoted file, its stat and a hash of its quotes when it was last searched for them."""
    looked_at: float = 0.0
    look_seconds: float = 0.0
    quotes: dict[str, dict[Range, Fresh]] = field(default_factory=dict)
    """Whether each quote is still there, by quoted file."""
    widespread: tuple[tuple[str, ...], dict[str, bool]] = ((), {})
    """The list of files, and by name whether it occurs in too many of them."""
    recalled: bool = False
    kept: str = ""
    """Digest of the data last written to the cache."""


class Workspaces:
    """Analyses the workspaces of an engine. Call its methods on the event loop only."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._states: dict[Path, State] = {}
        self._wake = anyio.Event()
        self._ended = Event()

    def wake(self) -> None:
        """Check at once whether something was published."""
        self._wake.set()

    async def run(self) -> None:
        """Follow published generations and git's list of files until cancelled."""
        worker = ThreadPoolExecutor(1, "workspace", _lower_priority)
        try:
            while True:
                self._wake = anyio.Event()
                with self._engine.faults.contained(WORKSPACE, SAID):
                    for root in self._states.keys() - self._engine.collections.keys():
                        del self._states[root]
                    for collection in list(self._engine.collections.values()):
                        with collection.faults.contained(WORKSPACE, SAID):
                            await self._follow(worker, collection)
                with anyio.move_on_after(LOOK_SECONDS):
                    await self._wake.wait()
        finally:
            self._ended.set()
            worker.shutdown(wait=False, cancel_futures=True)

    async def _follow(self, worker: ThreadPoolExecutor, collection: Collection) -> None:
        if not collection.complete:
            return
        state = self._states.setdefault(collection.root, State())
        env, knowledge = self._engine.env, collection.knowledge
        if not state.recalled:
            state.recalled = True
            found = await _in(worker, lambda: recall(collection, state))
            if found is not None:
                self._engine.publish_workspace(collection, found)
        if state.knowledge is knowledge and not await _in(
            worker, lambda: _is_stale(state, collection)
        ):
            throttle = _Throttle(self._ended)
            found = await _in(worker, lambda: look_again(collection, state, throttle))
            if found is not None:
                self._engine.publish_workspace(collection, found, whole_for=knowledge)
            await _in(worker, lambda: keep(collection, state))
            return
        stages = work_out(collection, knowledge, state, env, _Throttle(self._ended))
        while (made := await _in(worker, lambda: next(stages, None))) is not None:
            self._engine.publish_workspace(collection, *made)
        if not self._ended.is_set():
            self._engine.publish_workspace(collection, collection.workspace, whole_for=knowledge)
            gc.freeze()  # the workspace stays: collecting through it would stall the loop
            await _in(worker, lambda: keep(collection, state))


async def _in(worker: ThreadPoolExecutor, do: Callable[[], T]) -> T:
    import asyncio

    return await asyncio.get_running_loop().run_in_executor(worker, do)


def _lower_priority() -> None:
    """Give this thread a lower priority than other threads and processes."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, get_native_id(), NICE)


class _Throttle:
    """Pauses the thread regularly, so that other threads can run. Call it between small steps."""

    def __init__(self, ended: Event) -> None:
        self._ended = ended
        self._since = time.monotonic()

    def __call__(self) -> bool:
        """Whether to stop working."""
        if time.monotonic() - self._since > WORK_SECONDS:
            time.sleep(REST_SECONDS)
            self._since = time.monotonic()
        return self._ended.is_set()


def _never_stop() -> bool:
    return False


def _is_stale(state: State, collection: Collection) -> bool:
    """Whether the list of files or the history may have changed."""
    if _is_list_stale(state, collection):
        return True
    _, head = history_of(collection)
    return head != state.history.head


def _is_list_stale(state: State, collection: Collection) -> bool:
    trusted = collection.settings.trust.folders
    if state.files is None or stamp_of(collection.root, trusted) != state.stamp:
        return True
    if state.files.tracked:
        return False
    return time.monotonic() - state.listed_at > sweep_interval(state.list_seconds)


def history_of(collection: Collection) -> tuple[Repository | None, str]:
    """The repository around a knowledge base, and its newest commit ("" without one). Without a
    cache, or with `people.git` off, (None, "").
    """
    if collection.settings.people.git == "off" or collection.bases is None:
        return None, ""
    repository = Repository.around(collection.root, collection.settings.trust.folders)
    return repository, (repository.head() or "") if repository is not None else ""


def _read_history(collection: Collection, state: State, env: Mapping[str, str]) -> History:
    """The history, read again if the newest commit changed."""
    repository, head = history_of(collection)
    if head != state.history.head:
        state.history = History()
        if repository is not None and head and collection.bases is not None:
            caches = collection.bases.caches
            state.history = read_history(repository, head, collection.root, caches, env)
    return state.history


def work_out(
    collection: Collection,
    knowledge: Knowledge,
    state: State,
    env: Mapping[str, str],
    stops: Stops = _never_stop,
) -> Iterator[tuple[Workspace, Topics | None]]:
    """Analyse a workspace and derive topics, in stages: each yields the results so far. Blocks.
    Ends early once `stops`, called between files and claims, returns True.
    """
    root = collection.root
    files = _list(collection, state, env)
    locator = Locator(root, files)
    changed = _changed(state.knowledge, knowledge)
    sources = collection.workspace.sources
    if changed is None:
        state.reads = {}
        sources = _sources(knowledge, locator, stops)
    state.knowledge = None
    facts = _Facts(knowledge, root / KB_DIRNAME, sources, state)
    for claim_id, claim in _claims(knowledge, changed):
        if stops():
            return
        if claim is None:
            state.reads.pop(claim_id, None)
        else:
            state.reads[claim_id] = ties_of(facts.of(claim), locator)
    origin, before = origin_of(root), collection.workspace.fresh
    by_path, uses, wanted = _grouped(state.reads)
    ties = Ties(by_path, uses, dict(state.defined))
    history = _read_history(collection, state, env)
    made = Workspace(root, files, ties, wanted, sources, origin, history, before).made_ready()
    first = collection.topics.of is None  # else the old topics count until the second stage
    yield made, _topics(collection, knowledge, made, state, stops) if first else None
    if not _search_files(root, files, wanted, state, stops):
        return
    ties = Ties(by_path, uses, dict(state.defined))
    fresh = _freshness(root, ties, sources, state, stops)
    if fresh is None:
        return
    made = Workspace(root, files, ties, wanted, sources, origin, history, fresh).made_ready()
    topics = _topics(collection, knowledge, made, state, stops)
    if topics is not None:
        state.knowledge = knowledge
        yield made, topics


def look_again(
    collection: Collection, state: State, stops: Callable[[], bool] = _never_stop
) -> Workspace | None:
    """The workspace with its freshness updated; None if no quoted file changed. Limits itself to a
    small share of the time.
    """
    now, known = time.monotonic(), collection.workspace
    if now - state.looked_at < sweep_interval(state.look_seconds):
        return None
    root = collection.root
    same = all(stat_of(root, path) == stat for path, (stat, _) in state.looked.items())
    state.looked_at, state.look_seconds = now, time.monotonic() - now
    fresh = None if same else _freshness(root, known.ties, known.sources, state, stops)
    return None if fresh is None or fresh.is_as(known.fresh) else replace(known, fresh=fresh)


def _freshness(
    root: Path, ties: Ties, sources: Mapping[str, str], state: State, stops: Callable[[], bool]
) -> Freshness | None:
    """Which quotes and names of claims are gone or have moved; None if `stops` says so."""
    quoted: dict[str, list[Quote]] = {}
    for one in state.reads.values():
        for path, quote in one.quotes:
            quoted.setdefault(path, []).append(quote)
    for path in state.quotes.keys() - quoted.keys():
        del state.quotes[path]
        state.looked.pop(path, None)
    for path, quotes in quoted.items():
        if stops():
            return None
        version = stat_of(root, path), hash(tuple(quotes))
        if state.looked.get(path) != version:
            state.quotes[path] = _locate_quotes(root, path, quotes)
            state.looked[path] = version
    cited = {source for one in state.reads.values() for source in one.sources}
    state.once_files |= sources
    state.once_files = {one: path for one, path in state.once_files.items() if one in cited}
    found = {quote: fresh for quotes in state.quotes.values() for quote, fresh in quotes.items()}
    lost = {one: path for one, path in state.once_files.items() if one not in sources}
    return Freshness(found, lost, _gone_names(ties, state))


def _locate_quotes(root: Path, path: str, quotes: Iterable[Quote]) -> dict[Range, Fresh]:
    """Where the quotes are in a file now; empty if the file can't be read."""
    there = read(root, path)
    changed = _changed_at(root, path)
    if there is None or changed is None:
        return {}
    lines, found = Lines(there[0]), {}
    for one in quotes:
        state, line = lines.find(one)
        found[one.range] = Fresh(state, path, line, changed)
    return found


def _changed_at(root: Path, path: str) -> float | None:
    with suppress(OSError, ValueError):
        return (root / path).lstat().st_mtime
    return None


def _gone_names(ties: Ties, state: State) -> dict[str, GoneNames]:
    """By claim id, the places of names that once existed in the workspace and no longer do."""
    found: dict[str, GoneNames] = {}
    known, once = set(), state.once_names
    for claim_id, one in state.reads.items():
        there = {n.name for n in one.names if n.is_path or any(map(ties.is_defined, n.means))}
        gone = tuple((n.start, n.end) for n in one.names if n.name in once and n.name not in there)
        known |= there | {n.name for n in one.names if n.name in once}
        if gone:
            found[claim_id] = GoneNames(one.mark, gone)
    state.once_names = known
    return found


def _topics(
    collection: Collection, knowledge: Knowledge, made: Workspace, state: State, stops: Stops
) -> Topics | None:
    """The topics of a generation; None if `stops` says so."""
    root = collection.root

    def too_wide(names: Iterable[str]) -> Mapping[str, bool]:
        paths, known = state.widespread
        if paths != made.files.paths:
            known = {}
        more = [name for name in names if name not in known]
        known |= widespread(root, made.files, more, stops) if more else {}
        state.widespread = made.files.paths, known
        return known

    def content(source: Source) -> bytes | None:
        return read_content(root / KB_DIRNAME, source)

    own = own_names(collection.name, root, made.origin)
    shared = list(_shared(state.reads, made.ties))
    return derive(knowledge, Around(shared, too_wide, content, own, stops))


def _shared(reads: Mapping[str, Read], ties: Ties) -> Iterator[Shared]:
    """Identifiers, options and folders of the repository that texts of claims name."""
    for claim_id, said in reads.items():
        for name, use in said.uses:
            if use.where == "text" and "." not in name and ties.defining(digest(name)):
                yield Shared(name, claim_id)
        for path, tie in said.found:
            if tie.arm == "path" and tie.where == "text" and path.endswith("/"):
                yield Shared(path.rstrip("/").rpartition("/")[2], claim_id, is_folder=True)


def _claims(knowledge: Knowledge, changed: list[Key] | None) -> Iterator[tuple[str, Claim | None]]:
    """Changed claims by id, None for removed ones; all claims if `changed` is None."""
    if changed is None:
        found = (one for one in knowledge.all_of(Kind.CLAIM) if isinstance(one, Claim))
        yield from ((claim.id, claim) for claim in found)
        return
    for kind, claim_id in changed:
        if kind is Kind.CLAIM:
            yield claim_id, knowledge.claim(claim_id)


def _list(collection: Collection, state: State, env: Mapping[str, str]) -> Files:
    """The files of a workspace, listed again if the list may have changed."""
    root, trusted = collection.root, collection.settings.trust.folders
    if state.files is not None and not _is_list_stale(state, collection):
        return state.files
    stamp = stamp_of(root, trusted)
    started = time.monotonic()
    caches = None if collection.bases is None else collection.bases.caches
    files = list_files(root, caches, env, trusted)
    state.listed_at, state.stamp = time.monotonic(), stamp
    state.list_seconds = state.listed_at - started
    if state.files is None or files.paths != state.files.paths:
        state.files, state.knowledge = files, None
    return state.files


def _grouped(
    reads: Mapping[str, Read],
) -> tuple[dict[str, list[Tie]], dict[str, list[Use]], Wanted]:
    """Ties by path, uses by digest of the identifier, and the identifiers to look for in files."""
    by_path: dict[str, list[Tie]] = {}
    uses: dict[str, list[Use]] = {}
    for _, found in sorted(reads.items()):
        for one in found.found:
            by_path.setdefault(one.path, []).append(one.tie)
        for name, use in found.uses:
            uses.setdefault(digest(name), []).append(use)
    return by_path, uses, Wanted(wanted_in(reads.values()))


def _changed(before: Knowledge | None, after: Knowledge) -> list[Key] | None:
    """The keys that differ between two generations; None if all claims must be read again."""
    changed = None if before is None else after.since(before)
    kinds = {kind for kind, _ in changed or ()}
    return None if kinds & {Kind.SOURCE, Kind.EVIDENCE} else changed


def _search_files(
    root: Path, files: Files, wanted: Wanted, state: State, stops: Callable[[], bool]
) -> bool:
    """Search changed files for definitions, or all files if the wanted names changed. Returns False
    if `stops` says so.
    """
    names = digest("\n".join(sorted(wanted.names)))
    if names != state.wanted:
        state.stats.clear()
        state.wanted = names
    state.defined = {path: found for path, found in state.defined.items() if path in files}
    for path in files.paths:
        if not is_defining(path):
            continue
        if stops():
            return False
        stat = stat_of(root, path)
        if stat is not None and state.stats.get(path) == stat:
            continue
        found = read(root, path) if stat is not None and wanted.names else None
        state.defined.pop(path, None)
        state.stats.pop(path, None)
        if found is not None:
            data, state.stats[path] = found
            if defined := definitions(data, language_of(path), wanted, ending_of(path)):
                state.defined[path] = {digest(name): line for name, line in defined.items()}
        elif stat is not None:
            state.stats[path] = stat
    return True


class _Facts:
    """Collects what is needed to find the ties of a claim, from one generation."""

    def __init__(
        self, knowledge: Knowledge, kb_dir: Path, sources: Mapping[str, str], state: State
    ) -> None:
        self._knowledge = knowledge
        self._sources = sources
        self._kb_dir = kb_dir
        written = decided_at(kb_dir)
        if state.rationales is None or state.rationales[0] != written:
            state.rationales = written, rationales(kb_dir)
        self._rationales = state.rationales[1]
        self._kept: tuple[str, Kept | None] = ("", None)

    def of(self, claim: Claim) -> ClaimFacts:
        known = self._knowledge.quoted(claim.id)
        sentence = known.sentence if known is not None else None
        if sentence is not None and not self._may_tell(claim, sentence):
            sentence = None
        cited = (self._cited(ref, sentence) for ref in dict.fromkeys(claim.evidence))
        found = tuple(one for one in cited if one is not None)
        why = self._rationales.get(claim.id, "")
        return ClaimFacts(claim.id, mark_of(claim, known), claim.text, found, why)

    def _may_tell(self, claim: Claim, sentence: Sentence) -> bool:
        """Whether everybody who may see a claim and its source may see the whole sentence."""
        source = self._knowledge.source(sentence.source_id)
        gates = {OPEN, gate_of(claim), None if source is None else gate_of(source)}
        return gates.issuperset(sentence.gates)

    def _cited(self, ref: str, sentence: Sentence | None) -> CitedFile | None:
        evidence = self._knowledge.evidence(ref)
        source = self._knowledge.source(evidence.source_id if evidence else ref)
        if source is None:
            return None
        path = self._sources.get(source.id)
        if evidence is not None and evidence.byte_start is not None:
            content = self._content(source)
            span = content.span(evidence) if content is not None else None
            if content is not None and span is not None:
                said = content.data[slice(*span)].decode("utf-8", "replace")
                around = sentence if sentence and sentence.source_id == source.id else None
                quote = Quote((source.id, *span), said, content.line_at(span[0]))
                quoted = said if around is None else around.text
                return CitedFile(source.id, path, quote.line, quote, quoted)
        place = evidence.locator if evidence else source.locator.partition("#")[2]
        return CitedFile(source.id, path, line_in(place))

    def _content(self, source: Source) -> Kept | None:
        if self._kept[0] != source.id:
            self._kept = source.id, kept(self._kb_dir, source)
        return self._kept[1]


def _sources(knowledge: Knowledge, locator: Locator, stops: Callable[[], bool]) -> dict[str, str]:
    """The workspace file of each source, by source id: the one that its locator names, else the
    first file with the same content.
    """
    found: dict[str, str] = {}
    lost: dict[int, set[str]] = {}
    for source in knowledge.all_of(Kind.SOURCE):
        assert isinstance(source, Source)
        path = locator.of_source(source.locator)
        if path is not None:
            found[source.id] = path
        elif "://" not in source.locator:
            content = locator.root / KB_DIRNAME / Path(source.path).with_name(CONTENT)
            with suppress(OSError):
                lost.setdefault(content.lstat().st_size, set()).add(source.id)
    for path in locator.files.paths if lost else ():
        if stops():
            break
        with suppress(OSError, ValueError):
            ids = lost.get((locator.root / path).lstat().st_size)
            there = read(locator.root, path) if ids else None
            name = sha256(there[0]).hexdigest() if there is not None else ""
            if ids and name in ids:
                found.setdefault(name, path)
    return found


# The cache


@cache
def _name() -> str:
    how = "parsed" if parsing.is_available() else "lines"
    return f"{WORKSPACE}-{code_version(('kb', 'index', 'workspace'))}-{how}"


def recall(collection: Collection, state: State | None = None) -> Workspace | None:
    """The workspace that an earlier process kept; None if there is none or it is malformed. Fills
    `state` as well.
    """
    data = None if collection.bases is None else collection.bases.beside(_name())
    if data is None:
        return None
    made: dict[str, dict[str, Any]] = {name: {} for name in _PARTS}
    try:
        # Line by line: parsing everything at once would block all other threads.
        for line in data.splitlines():
            part, key, value = json.loads(line)
            made[part][key] = _PARTS[part](value)
        (wanted,) = made["wanted"]
    except (ValueError, LookupError, TypeError, AttributeError):
        return None
    if state is not None:
        state.defined, state.stats, state.wanted = dict(made["defined"]), made["stats"], wanted
        state.once_files, state.once_names = dict(made["once"]), set(made["names"])
        state.kept = _digest(data)
    ties = Ties(made["by_path"], made["uses"], made["defined"])
    origin = origin_of(collection.root)
    quotes = {one: fresh for some in made["quotes"].values() for one, fresh in some}
    lost = {one: path for one, path in made["once"].items() if one not in made["sources"]}
    fresh = Freshness(quotes, lost, made["gone"])
    return Workspace(collection.root, Files(), ties, None, made["sources"], origin, fresh=fresh)


_PARTS: Mapping[str, Callable[[Any], Any]] = {
    "by_path": lambda ties: [Tie(*one) for one in ties],
    "uses": lambda uses: [Use(*one) for one in uses],
    "defined": dict,
    "stats": bytes.fromhex,
    "sources": str,
    "wanted": str,
    "quotes": lambda some: [((one[0], one[1], one[2]), Fresh(*how)) for one, how in some],
    "once": str,
    "names": str,
    "gone": lambda one: GoneNames(one[0], tuple((start, end) for start, end in one[1])),
}
"""The parts of the cache file, which has a line for each entry, and how to decode a value."""


def keep(collection: Collection, state: State) -> None:
    """Write the results to the cache for the next process, unless they are there already."""
    if collection.bases is None or state.knowledge is None:
        return
    known = collection.workspace
    parts: dict[str, Mapping[str, Any]] = {
        "by_path": known.ties.by_path,
        "uses": known.ties.uses,
        "defined": state.defined,
        "stats": {path: stat.hex() for path, stat in state.stats.items()},
        "sources": known.sources,
        "wanted": {state.wanted: ""},
        "quotes": {path: list(some.items()) for path, some in state.quotes.items()},
        "once": state.once_files,
        "names": dict.fromkeys(sorted(state.once_names), ""),
        "gone": known.fresh.names,
    }
    lines = (
        json.dumps([part, key, value], separators=(",", ":"))
        for part, entries in parts.items()
        for key, value in entries.items()
    )
    data = "\n".join(lines).encode()
    if _digest(data) == state.kept and collection.bases.has_beside(_name()):
        return
    if collection.bases.keep_beside(_name(), data):
        state.kept = _digest(data)


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


def settle(
    collections: Iterable[Collection],
    env: Mapping[str, str],
    states: dict[Path, State] | None = None,
) -> None:
    """Analyse all workspaces, for a process without an event loop. Blocks. Keep `states` between
    calls, so that the next call does less.
    """
    for collection in collections:
        state = State() if states is None else states.setdefault(collection.root, State())
        if not collection.is_workspace_pending and not _is_stale(state, collection):
            continue
        with collection.faults.contained(WORKSPACE, SAID):
            if not state.recalled:
                recall(collection, state)
                state.recalled = True
            for made, topics in work_out(collection, collection.knowledge, state, env):
                collection.workspace, collection.topics = made, topics or collection.topics
            collection.workspace_of = collection.knowledge
            keep(collection, state)
