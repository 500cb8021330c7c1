"""Finds who committed to the files that claims are tied to, and to the claims' own files.

A commit counts as much as the strongest tie of a file that it changed, and half as much after two
years. Claims that the viewer may not see do not count.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from math import fsum
from typing import NamedTuple

from vouch_sidecar.index.claim_weights import DAY
from vouch_sidecar.kb.artifact_files import KB_DIRNAME
from vouch_sidecar.kb.records import Claim, Entity
from vouch_sidecar.retrieval.constants import (
    COMMIT_HALF_LIFE_DAYS,
    MAX_AUTHORS,
    MAX_BELOW,
    MAX_CLAIMS_WITH_FILES,
    MAX_FILES_OF_AUTHORS,
    MAX_PATHS_OF_AUTHOR,
    OWN_FILE,
)
from vouch_sidecar.retrieval.files.file_ties import file_strengths
from vouch_sidecar.retrieval.people.topic_matches import Match
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.workspace.commit_history import Commit, History

File = tuple[object, str]
"""The identity of a knowledge base, and a path in its workspace."""


class ChangedFile(NamedTuple):
    """A file with the number of an author's commits to it and the date of the last of these."""

    path: str
    commits: int
    last: str


class Author(NamedTuple):
    """An author of commits. `commits` and `files` are counts, `last` is the date of the last
    commit, and `paths` are the files with most commits.
    """

    name: str
    commits: int
    last: str
    files: int
    paths: tuple[ChangedFile, ...]


def authors_of(claims: Sequence[tuple[View, Sequence[Claim]]]) -> list[Author]:
    """The authors of the files that some claims of each view are tied to, those who know the files
    best first.
    """
    return _authors([(view, _files(view, theirs)) for view, theirs in claims])


def authors_about(view: View, entity: Entity) -> list[Author]:
    """The authors of the files of an entity's claims."""

    def find() -> list[Author]:
        return authors_of([(view, view.visible.best_claims(entity.id, MAX_CLAIMS_WITH_FILES))])

    return view.cached(f"authors about {entity.id}", "", find) if _are_told(view) else []


def authors_on(matches: Sequence[Match]) -> list[Author]:
    """The authors of the files that a topic names, else of those of the claims that match it."""
    return _authors([(match.view, _files_on(match)) for match in matches])


def _files_on(match: Match) -> dict[str, float]:
    history = match.view.workspace.history
    named = {below: 1.0 for path in match.files for below in _below(history, path)}
    return named if match.files else _files(match.view, match.best_claims)


def _are_told(view: View) -> bool:
    return view.people_told.in_answers and bool(view.workspace.history)


def _files(view: View, claims: Sequence[Claim]) -> dict[str, float]:
    """The files that claims are tied to, and the claims' own, with the strength of the tie. A
    folder stands for its files where they are few.
    """
    if not _are_told(view):
        return {}
    files = dict.fromkeys((f"{KB_DIRNAME}/{claim.path}" for claim in claims), OWN_FILE)
    for path, strength in file_strengths(view, claims).items():
        for below in _below(view.workspace.history, path):
            files[below] = max(strength, files.get(below, 0.0))
    order = sorted(files.items(), key=lambda item: (-item[1], item[0]))
    return dict(order[:MAX_FILES_OF_AUTHORS])


def _below(history: History, path: str) -> list[str]:
    """The files for which a path stands: itself, or those of a folder, where they are few."""
    paths = history.files_below(path) if path.endswith("/") else [path]
    return paths if len(paths) <= MAX_BELOW else []


def _authors(files: Sequence[tuple[View, Mapping[str, float]]]) -> list[Author]:
    """The authors of some files of each view, which have the strength of a tie. Whom one of the
    knowledge bases never names is left out of all.
    """
    told = [(view, theirs) for view, theirs in files if _are_told(view)]
    changed = defaultdict[Commit, dict[File, float]](dict)
    for view, theirs in told:
        history = view.workspace.history
        for path, strength in theirs.items():
            for number in history.by_path.get(path, ()):
                changed[history.commits[number]][view.identity, path] = strength
    commits = defaultdict[str, list[Commit]](list)
    for commit in changed:
        commits[commit.person].append(commit)
    for view, _ in told:
        for person, names in view.workspace.history.names.items():
            if any(other.people_told.is_never(names) for other, _ in files):
                commits.pop(person, None)
    newest = max((commit.at for commit in changed), default=0)

    def weight(commit: Commit) -> float:
        age = (newest - commit.at) / DAY
        return float(max(changed[commit].values()) * 0.5 ** (age / COMMIT_HALF_LIFE_DAYS))

    def order(person: str) -> tuple[float, int, str, str]:
        return -fsum(map(weight, commits[person])), -len(commits[person]), rows[person].name, person

    rows = {person: _author(theirs, changed) for person, theirs in commits.items()}
    return [rows[person] for person in sorted(rows, key=order)[:MAX_AUTHORS]]


def _author(commits: Sequence[Commit], changed: Mapping[Commit, Mapping[File, float]]) -> Author:
    times = defaultdict[File, list[int]](list)
    for commit in commits:
        for file in changed[commit]:
            times[file].append(commit.at)
    order = sorted(times, key=lambda file: (-len(times[file]), -max(times[file]), file[1]))
    paths = (ChangedFile(file[1], len(times[file]), _last(times[file])) for file in order)
    last = _last(commit.at for commit in commits)
    return Author(
        commits[0].author, len(commits), last, len(times), tuple(paths)[:MAX_PATHS_OF_AUTHOR]
    )


def _last(seconds: Iterable[int]) -> str:
    return datetime.fromtimestamp(max(seconds), UTC).date().isoformat()
