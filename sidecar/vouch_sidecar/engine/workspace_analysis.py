"""Analyses the workspace around a knowledge base.

The first stage takes seconds: it lists files with git, and ties claims to the files that they cite
or name. The second one finds what files define and may take minutes. The results are kept in the
user's cache, as ids, paths and digests, so that the next process reads only changed files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from functools import partial
from pathlib import Path

from vouch_sidecar.engine.claim_facts import ClaimFactsCollector, sources_in
from vouch_sidecar.engine.collection import Collection
from vouch_sidecar.engine.surroundings import Missing, Stage
from vouch_sidecar.engine.workspace_changes import (
    history_of,
    listed_files,
    look_for_changes,
    owners_place,
)
from vouch_sidecar.engine.workspace_state import (
    NamesInFiles,
    WorkspaceState,
    is_kept,
    keep,
    load_kept,
)
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.kb.artifact_files import KB_DIRNAME
from vouch_sidecar.kb.reader import read_content
from vouch_sidecar.kb.records import Claim, Key, Kind
from vouch_sidecar.kb.safe_files import Stat
from vouch_sidecar.retrieval.view import own_names
from vouch_sidecar.text.analysis import fold
from vouch_sidecar.workspace.cancellation import Checkpoint, never_cancelled
from vouch_sidecar.workspace.code_owners import (
    CodeOwners,
    OwnersRule,
    read_owners,
)
from vouch_sidecar.workspace.commit_history import History, prefix_in, read_history
from vouch_sidecar.workspace.definitions import Wanted, names_in_file
from vouch_sidecar.workspace.file_kinds import is_searched, language_of
from vouch_sidecar.workspace.file_list import Files, read_file, stat_of
from vouch_sidecar.workspace.files_of_claim import ClaimReading, read_claim, wanted_in
from vouch_sidecar.workspace.git import origin_of
from vouch_sidecar.workspace.locator import Locator
from vouch_sidecar.workspace.name_meanings import document_keys
from vouch_sidecar.workspace.names_in_text import digest
from vouch_sidecar.workspace.quotes_in_files import (
    Freshness,
)
from vouch_sidecar.workspace.snapshot import Workspace
from vouch_sidecar.workspace.ties import (
    NO_NAMES,
    Tie,
    Ties,
    Use,
    cited_in,
    digested,
)
from vouch_sidecar.workspace.topic_finder import Shared, WorkspaceNames, derive
from vouch_sidecar.workspace.topics import Topics


def analyse(
    collection: Collection,
    state: WorkspaceState,
    env: Mapping[str, str],
    checkpoint: Checkpoint,
    *,
    whole: bool,
) -> Iterator[Stage]:
    """Bring a workspace up to date with the published generation and the files, and keep the
    results. Publish each stage before asking for the next one. Blocks; calls `checkpoint` between
    files and between claims.

    What an earlier process kept is taken up first. If it is complete, the rest is done only if the
    `whole` state is needed, so that a later change costs only itself.
    """
    for stage in _stages(collection, state, env, checkpoint, whole=whole):
        state.took(stage)
        is_cut = state.files is not None and state.files.is_cut
        yield stage._replace(missing=Missing(state.history.unread, is_cut))


def _stages(
    collection: Collection,
    state: WorkspaceState,
    env: Mapping[str, str],
    checkpoint: Checkpoint,
    *,
    whole: bool,
) -> Iterator[Stage]:
    knowledge = collection.knowledge
    is_own = collection.tree == collection.root
    if is_own and not state.recalled and (kept := load_kept(collection, state)) is not None:
        yield Stage(kept)
        state.was_kept()
    is_known = state.knowledge is knowledge or not (whole or collection.is_workspace_pending)
    if is_known and not look_for_changes(state, collection, env, checkpoint):
        fresher = _look_again(collection, state)
        if fresher is not None or collection.is_workspace_pending:
            yield Stage(fresher or state.workspace, None, knowledge)
    else:
        yield from work_out(collection, knowledge, state, env, checkpoint)
    keep_results(collection, state)


def _read_history(collection: Collection, state: WorkspaceState, env: Mapping[str, str]) -> History:
    """The history, read again if the newest commit changed and an answer depends on it."""
    if not state.needs_history:
        return state.history
    repository, head = history_of(collection)
    if head != state.history.head:
        state.took_history(History())
        if repository is not None and head and collection.bases is not None:
            caches = collection.bases.caches
            state.took_history(read_history(repository, head, collection.tree, caches, env))
    return state.history


def _owned(
    collection: Collection, state: WorkspaceState, ties: Ties, checkpoint: Checkpoint
) -> tuple[CodeOwners, dict[str, OwnersRule]]:
    """The code owners, and the rule for each tied file that has one."""
    top, stamp = owners_place(collection)
    if stamp != state.owners.stamp:
        state.took_owners(CodeOwners() if stamp is None else read_owners(top), stamp)
    owners, prefix = state.owners, prefix_in(top, collection.tree)
    if prefix is None:
        return owners.code_owners, {}
    more = [path for path in {**ties.by_path, **ties.names} if path not in owners.rules]
    rules = owners.code_owners.rules_for([prefix + path for path in more], checkpoint)
    owners.took_rules({path: rules.get(prefix + path) for path in more})
    return owners.code_owners, {path: rule for path, rule in owners.rules.items() if rule}


def keep_results(collection: Collection, state: WorkspaceState) -> None:
    """Write the results to the cache, unless they are there already."""
    if collection.tree == collection.root and not is_kept(collection, state):
        keep(collection, state)


def work_out(
    collection: Collection,
    knowledge: Knowledge,
    state: WorkspaceState,
    env: Mapping[str, str],
    checkpoint: Checkpoint = never_cancelled,
) -> Iterator[Stage]:
    """Work out ties, stale marks, people and topics of a generation."""
    root, kb_dir = collection.tree, collection.root / KB_DIRNAME
    files = listed_files(collection, state, env)
    origin, before = origin_of(root), state.workspace.fresh
    own = own_names(collection.name, root, origin)
    locator = Locator(root, files, own)
    changed = _changed(state.knowledge, knowledge)
    sources = state.workspace.sources
    state.begin_reading(anew=changed is None)
    if changed is None:
        sources = sources_in(knowledge, kb_dir, locator, state.once.files, checkpoint)
    facts = ClaimFactsCollector(knowledge, kb_dir, sources)
    for claim_id, claim in _claims(knowledge, changed):
        checkpoint()
        state.read(claim_id, None if claim is None else read_claim(facts.of(claim), locator))
    by_path, uses, wanted = _grouped(state.reads, own)
    ties = Ties(by_path, uses, dict(state.names.by_path))
    state.watch(root, ties, sources)
    history = _read_history(collection, state, env)
    people = history, *_owned(collection, state, ties, checkpoint)
    stats = _stats(root, ties, state)
    workspace = Workspace(root, files, ties, wanted, sources, origin, before, *people, stats)
    workspace.made_ready()
    yield Stage(workspace)
    # Until the second stage the old topics count; it takes long where no file was searched yet.
    if state.topics.knowledge is None and not state.names.stats:
        yield Stage(workspace, _topics(collection, knowledge, workspace, state, checkpoint))
    _search_files(root, files, wanted, state.names, checkpoint)
    ties = Ties(by_path, uses, dict(state.names.by_path))
    fresh = _freshness(root, sources, state)
    people = history, *_owned(collection, state, ties, checkpoint)
    workspace = Workspace(
        root, files, ties, wanted, sources, origin, fresh, *people, _stats(root, ties, state)
    )
    workspace.made_ready()
    topics = _topics(collection, knowledge, workspace, state, checkpoint)
    state.was_done_for(knowledge)
    yield Stage(workspace, topics, knowledge)


def _look_again(collection: Collection, state: WorkspaceState) -> Workspace | None:
    """The workspace with its freshness updated, and the lines of names in files that were saved;
    None if no such file changed.
    """
    root, workspace = collection.tree, state.workspace
    with collection.due.look("quotes", state.quoted.keys()) as paths:
        same = all(stat_of(root, path) == state.quoted[path] for path in paths)
    if not same:
        state.saw_quoted(root, state.quoted)
        workspace = workspace.with_fresh()
    if saved := state.names.take_saved():
        names = {path: state.names.by_path.get(path, NO_NAMES) for path in saved}
        workspace = workspace.with_names(names, {path: state.names.stats[path] for path in saved})
    return None if workspace is state.workspace else workspace


def _freshness(root: Path, sources: Mapping[str, str], state: WorkspaceState) -> Freshness:
    """Where the quotes of claims are to be looked for, and which files are gone."""
    places = {
        quote.range: (path, quote)
        for reading in state.reads.values()
        for path, quote in reading.quotes
    }
    state.saw_quoted(root, {path for path, _ in places.values()})
    cited = {source for reading in state.reads.values() for source in reading.sources}
    state.once.took_files(sources, cited)
    lost = {source: path for source, path in state.once.files.items() if source not in sources}
    return Freshness(root, places, lost, sources, state.quoted_files)


def _stats(root: Path, ties: Ties, state: WorkspaceState) -> dict[str, Stat]:
    """The stat of each file that was searched for names, or of which a claim cites a line."""
    stats = dict(state.names.stats)
    for path, some in ties.by_path.items():
        if path not in stats and any(tie.line is not None for tie in some):
            stat = stat_of(root, path)
            stats |= {} if stat is None else {path: stat}
    return stats


def _topics(
    collection: Collection,
    knowledge: Knowledge,
    workspace: Workspace,
    state: WorkspaceState,
    checkpoint: Checkpoint,
) -> Topics:
    """The topics of a generation."""
    root = collection.tree
    own = own_names(collection.name, root, workspace.origin)
    shared = list(_shared(state.reads, workspace.ties))
    read = partial(read_content, collection.root / KB_DIRNAME)
    names = WorkspaceNames(shared, read, own, checkpoint)
    return derive(knowledge, names)


def _shared(reads: Mapping[str, ClaimReading], ties: Ties) -> Iterator[Shared]:
    """Identifiers, options and folders of the repository that texts of claims name."""
    for claim_id, reading in reads.items():
        for name, use in reading.uses:
            if use.where == "text" and "." not in name and ties.defining(digest(name)):
                yield Shared(name, claim_id)
        for path, tie in reading.ties:
            if tie.arm == "path" and tie.where == "text" and path.endswith("/"):
                yield Shared(path.rstrip("/").rpartition("/")[2], claim_id, is_folder=True)


def _claims(knowledge: Knowledge, changed: list[Key] | None) -> Iterator[tuple[str, Claim | None]]:
    """Changed claims by id, None for removed ones; all claims if `changed` is None."""
    if changed is None:
        claims = (claim for claim in knowledge.all_of(Kind.CLAIM) if isinstance(claim, Claim))
        yield from ((claim.id, claim) for claim in claims)
        return
    for kind, claim_id in changed:
        if kind is Kind.CLAIM:
            yield claim_id, knowledge.claim(claim_id)


def _grouped(
    reads: Mapping[str, ClaimReading], own: Set[str]
) -> tuple[dict[str, list[Tie]], dict[str, list[Use]], Wanted]:
    """What claims say, regrouped: ties by path, uses by digest of the identifier, and the
    identifiers to look for in files. The project's `own` names are everywhere in it.
    """
    by_path: dict[str, list[Tie]] = {}
    uses: dict[str, list[Use]] = {}
    for _, reading in sorted(reads.items()):
        for tie in reading.ties:
            by_path.setdefault(tie.path, []).append(tie.tie)
        for name, use in reading.uses:
            if fold(name) not in own:
                uses.setdefault(digest(name), []).append(use)
    names = {name for name in wanted_in(reads.values()) if fold(name) not in own}
    wanted = Wanted(names, document_keys(cited_in(by_path)))
    return by_path, uses, wanted


def _changed(before: Knowledge | None, after: Knowledge) -> list[Key] | None:
    """The keys that differ between two generations; None if all claims must be read again."""
    changed = None if before is None else after.changed_since(before)
    kinds = {kind for kind, _ in changed or ()}
    if before is None or changed is None or kinds & {Kind.SOURCE, Kind.EVIDENCE, Kind.ENTITY}:
        return None
    return [*changed, *after.uncovered_since(before, changed)]


def _search_files(
    root: Path, files: Files, wanted: Wanted, names: NamesInFiles, checkpoint: Checkpoint
) -> None:
    """Search changed files for definitions; all files if the wanted names changed."""
    all_wanted = digest("\n".join(sorted([*wanted.names, *wanted.documents])))
    names.begin_search(all_wanted, files)
    for path in files.paths:
        if not is_searched(path):
            continue
        checkpoint()
        stat = stat_of(root, path)
        if stat is not None and names.stats.get(path) == stat:
            continue
        content, said = read_file(root, path) if stat is not None and wanted else None, NO_NAMES
        if content is not None:
            data, stat = content
            said = digested(names_in_file(data, language_of(path), wanted))
        names.took_in(path, stat, said)
