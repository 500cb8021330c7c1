"""Builds the world around a knowledge base from the one before: what each claim names, and what
each file defines, is read again only where it changed.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Mapping, Set
from dataclasses import replace
from functools import partial
from urllib.parse import unquote

from vouch_sidecar.index.base_cache import READING_ROOMS, Bases, code_version
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.index.topic_table import VisibleTopics
from vouch_sidecar.kb.artifact_files import KB_DIRNAME
from vouch_sidecar.kb.reader import read_content
from vouch_sidecar.kb.records import Claim, Kind, Source
from vouch_sidecar.kb.safe_files import Stat
from vouch_sidecar.workspace.breath import Breathe
from vouch_sidecar.workspace.claim_readings import ClaimReader, documents_in, with_sources
from vouch_sidecar.workspace.code_owners import OwnersRules, read_owners
from vouch_sidecar.workspace.commit_history import History, read_history
from vouch_sidecar.workspace.definitions import DefinedNames, Definitions, names_in_file
from vouch_sidecar.workspace.file_kinds import language_of
from vouch_sidecar.workspace.file_list import list_files, read_file, stat_of
from vouch_sidecar.workspace.files import Files
from vouch_sidecar.workspace.git import Repository
from vouch_sidecar.workspace.quotes_in_files import Freshness
from vouch_sidecar.workspace.ties import ClaimReading, Ties, read_of
from vouch_sidecar.workspace.topics import TopicFinder
from vouch_sidecar.workspace.world import SERIALS, Inputs, World, changed_alone

DEFINING_ROOMS = (*READING_ROOMS, "workspace")
"""The rooms whose code decides what a file defines."""


def build(
    before: World,
    knowledge: Knowledge,
    inputs: Inputs,
    viewers: list[frozenset[str]],
    bases: Bases | None,
    env: Mapping[str, str],
    breathe: Breathe,
    reported: Set[str],
) -> World:
    """The world around a generation, of the files as they are now, with the topics of who passes
    the gates of `viewers`; the one before, or one that says the same, if nothing changed. Blocks.

    Files are listed after a checkout, and where others were `reported` than those that are known
    and there; the empty path is that of the tree. `bases` is the knowledge base's part of the
    user's cache, None without a cache, and `env` that of git.
    """
    was, files = before.inputs, before.files
    git, why_unasked = Repository.holding(before.tree, inputs.trusted)
    is_known = all(path in files and stat_of(before.tree, path) for path in reported)
    lists_anew = not inputs.is_whole or inputs.checkout != was.checkout or not is_known
    if lists_anew:
        paths = list_files(before.tree, git, None if bases is None else bases.caches, env)
        files = files if paths == files.paths else Files(paths)
    top, prefix = (before.tree, "") if git is None else (git.top, git.prefix(before.tree))
    rules = read_owners(top) if inputs.names_people else OwnersRules()
    compared = {path: stat_of(before.tree, path) for path in before.compared}
    world = replace(
        before, inputs=inputs, prefix=prefix, files=files, owners_rules=rules, compared=compared
    )
    if inputs.is_whole:
        world = replace(
            world,
            history=_history(world, git, why_unasked, bases, env, lists_anew)
            if inputs.names_people
            else History(),
            definitions=_defined(before, world, bases, breathe),
            topics=_topics(before, knowledge, inputs, viewers, breathe),
        )
    if inputs == was and world == before and compared == before.compared:
        return before
    world = _read_claims(before, world, knowledge, breathe)
    world = replace(
        world,
        ties=Ties(world.readings, world.definitions),
        quotes=_quotes(world, knowledge),
    )
    return world if world == before else replace(world, serial=next(SERIALS))


# Files and commits


def _defined(before: World, world: World, bases: Bases | None, breathe: Breathe) -> Definitions:
    """What files define, after reading those that changed. Where none were read before, what an
    earlier process found counts, and is kept for the next one.
    """
    was_read, kept_as = before.inputs.is_whole, f"workspace-{code_version(DEFINING_ROOMS)}"
    known = before.definitions if was_read else _kept(bases, kept_as)
    by_path: dict[str, tuple[Stat, DefinedNames]] = {}
    for path in world.files.searched:
        breathe()
        stat, last = stat_of(world.tree, path), known.get(path)
        if last is not None and last[0] == stat:
            by_path[path] = last
        elif stat is not None and (data := read_file(world.tree, path)) is not None:
            by_path[path] = stat, names_in_file(data, language_of(path))
    if not was_read and by_path != known and bases is not None:
        kept = {
            path: (stat.hex(), *(each.tobytes().hex() for each in names))
            for path, (stat, names) in by_path.items()
        }
        bases.write_extra(kept_as, json.dumps(kept).encode())
    return by_path


def _kept(bases: Bases | None, kept_as: str) -> Definitions:
    """What an earlier process found in files."""
    data = None if bases is None else bases.read_extra(kept_as)
    kept = json.loads(data) if data else {}
    return {
        path: (bytes.fromhex(stat), DefinedNames(*map(array, "Qii", map(bytes.fromhex, arrays))))
        for path, (stat, *arrays) in kept.items()
    }


def _history(
    world: World,
    git: Repository | None,
    why_unasked: str,
    bases: Bases | None,
    env: Mapping[str, str],
    lists_anew: bool,
) -> History:
    """The newest commits: read where others are checked out, and, if they could not be read, with
    each look at all files.
    """
    before, head = world.history, None if git is None else git.head()
    if git is None or bases is None or head is None:
        return History(unread=why_unasked)
    if head == before.head and not (lists_anew and before.unread):
        return before
    return read_history(git, head, world.prefix, bases.caches, env)


# Claims


def _read_claims(before: World, world: World, knowledge: Knowledge, breathe: Breathe) -> World:
    """A world with what claims say of files now: the claims are read again that changed, or all of
    them if the files did, the names of the project, what claims refer to, or the file of a source.
    """
    own, changed = world.inputs.own, changed_alone(knowledge, before.inputs.knowledge_serial)
    is_same = changed is not None and before.inputs.own == own and world.files is before.files
    news = {path for path, stat in world.compared.items() if before.compared.get(path) != stat}
    if news or not is_same:
        world = with_sources(knowledge, world, breathe, news if is_same else None)
    known = before.readings if is_same and world.sources == before.sources else {}
    reader = ClaimReader(knowledge, world, own)
    readings, again = dict[str, ClaimReading](), changed or ()
    for claim in knowledge.all_of(Claim):
        breathe()
        last = None if (Kind.CLAIM, claim.id) in again else known.get(claim.id)
        readings[claim.id] = last or reader.read(claim.id, read_of(claim))
    return replace(world, readings=readings)


def _quotes(world: World, knowledge: Knowledge) -> Freshness:
    """The files of quotes, and the paths of files that sources were made from and that are gone, by
    source id: those that some commit has changed, to which a locator leads as to a file that is
    there, with its folder.
    """
    places = {quote.range: quote for read in world.readings.values() for quote in read.quotes}
    gone = dict[str, str]()
    for source in documents_in(knowledge.all_of(Source)):
        if source.id not in world.sources:
            path = world.history.known.of_source(world.tree, source.locator)
            if path and path not in world.files and _is_meant(path, source.locator):
                gone[source.id] = path
    return Freshness(world.tree, places, gone)


def _is_meant(path: str, locator: str) -> bool:
    """Whether a locator has the folder of a file too, if it has one: files elsewhere may be called
    the same.
    """
    return "/" not in locator or "/".join(path.split("/")[-2:]) in unquote(locator)


# Topics


def _topics(
    before: World,
    knowledge: Knowledge,
    inputs: Inputs,
    viewers: list[frozenset[str]],
    breathe: Breathe,
) -> dict[frozenset[str], VisibleTopics]:
    """The topics of those who ask, by their gates: those before, if they are of the same."""
    was, content = before.inputs, partial(read_content, before.root / KB_DIRNAME)
    is_known_same = (was.knowledge_serial, was.own) == (inputs.knowledge_serial, inputs.own)
    topics = before.topics if is_known_same else {}
    return {
        gates: topics[gates]
        if gates in topics
        else TopicFinder(knowledge, gates, content, inputs.own, breathe).topics()
        for gates in viewers
    }
