"""Looks for what changed around a knowledge base since it was analysed: the list of files, the
files themselves, CODEOWNERS, and the newest commit.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from vouch_sidecar.engine.collection import Collection
from vouch_sidecar.engine.workspace_state import WorkspaceState, is_there
from vouch_sidecar.workspace.cancellation import Checkpoint
from vouch_sidecar.workspace.code_owners import stamp_of_owners
from vouch_sidecar.workspace.definitions import Wanted, names_in_file
from vouch_sidecar.workspace.file_kinds import language_of
from vouch_sidecar.workspace.file_list import (
    Files,
    list_files,
    read_file,
    stamp_of,
    stat_of,
)
from vouch_sidecar.workspace.git import Repository
from vouch_sidecar.workspace.ties import NO_NAMES, digested


def look_for_changes(
    state: WorkspaceState, collection: Collection, env: Mapping[str, str], checkpoint: Checkpoint
) -> bool:
    """Look for changes of the list of files, of the names that they define, of the code owners and
    of the history. Returns whether there may be one; takes in what was saved without one.
    """
    before = state.files
    if before is None or listed_files(collection, state, env) is not before:
        return True
    if owners_place(collection)[1] != state.owners.stamp:
        return True
    if _has_come_or_gone(state, collection):
        state.forget_files()
        return True
    if _take_in_saved(state, collection, checkpoint):
        return True
    return state.needs_history and history_of(collection)[1] != state.history.head


def listed_files(collection: Collection, state: WorkspaceState, env: Mapping[str, str]) -> Files:
    """The files of a workspace, listed again if the list may have changed; the same object if it
    has not.
    """
    root, trusted = collection.tree, collection.settings.trust.folders
    if state.files is not None and not _is_list_stale(state, collection):
        return state.files
    caches = None if collection.bases is None else collection.bases.caches
    with collection.due.look("list", ()):
        files = list_files(root, caches, env, trusted)
    return state.took_list(files)


def _is_list_stale(state: WorkspaceState, collection: Collection) -> bool:
    """Whether the list of files may have changed: its look is due, or a new file was reported."""
    files, due, trusted = state.files, collection.due, collection.settings.trust.folders
    if files is None or stamp_of(collection.tree, trusted) != files.stamp:
        return True
    return due.is_due("list") or any(
        path not in files and path not in files.folders and stat_of(collection.tree, path)
        for path in due.around.in_look
    )


def _has_come_or_gone(state: WorkspaceState, collection: Collection) -> bool:
    """Whether a file that claims cite or are tied to was removed or has come back, which git's
    index does not show.
    """
    with collection.due.look("ties", state.watched.keys()) as paths:
        return any(is_there(collection.tree, path) != state.watched[path] for path in paths)


def _take_in_saved(state: WorkspaceState, collection: Collection, checkpoint: Checkpoint) -> bool:
    """Take in where the files that were saved say names. Ends and returns True at the first that
    says other names than before, or is gone. Reads only what was saved.
    """
    root, wanted = collection.tree, state.workspace.wanted
    if not wanted:
        return False
    with collection.due.look("names", state.names.stats.keys()) as paths:
        return any(not _take_in_file(root, path, wanted, state, checkpoint) for path in paths)


def _take_in_file(
    root: Path, path: str, wanted: Wanted, state: WorkspaceState, checkpoint: Checkpoint
) -> bool:
    """Take in where a file says names. Returns False if it says other names, or is gone."""
    checkpoint()
    names, stat = state.names, stat_of(root, path)
    if stat is None:
        state.forget_files()
        return False
    if stat == names.stats[path]:
        return True
    content, known = read_file(root, path), names.by_path.get(path, NO_NAMES)
    data = b"" if content is None else content[0]
    said = digested(names_in_file(data, language_of(path), wanted))
    if any(now.keys() != then.keys() for now, then in zip(said, known, strict=True)):
        return False
    stat = stat if content is None else content[1]
    names.was_saved(path, stat, said, is_tied=path in state.watched)
    return True


def history_of(collection: Collection) -> tuple[Repository | None, str]:
    """The repository around a knowledge base, and its newest commit ("" without one). Without a
    cache, or with `people.git` off, (None, "").
    """
    if collection.settings.people.git == "off" or collection.bases is None:
        return None, ""
    repository = Repository.holding(collection.tree, collection.settings.trust.folders)
    return repository, (repository.head() or "") if repository is not None else ""


def owners_place(collection: Collection) -> tuple[Path, object]:
    """The folder in which CODEOWNERS is looked for, and a value that changes with that file. None
    with `people.git` off.
    """
    repository = Repository.holding(collection.tree, collection.settings.trust.folders)
    top = collection.tree if repository is None else repository.top
    if collection.settings.people.git == "off":
        return top, None
    return top, (os.fspath(top), *stamp_of_owners(top))
