"""Finds who committed to the files that claims are tied to, and to the claims' own files.

A commit counts as much as the strongest tie of a file that it changed, and half as much after two
years. Claims that the viewer may not see do not count.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple

from vouch_sidecar.index.claim_weights import DAY
from vouch_sidecar.kb.artifact_files import KB_DIRNAME
from vouch_sidecar.kb.records import Claim, Entity
from vouch_sidecar.retrieval.constants import (
    COMMIT_HALF_LIFE_DAYS,
    GENERAL_FILE,
    MAX_AUTHORS,
    MAX_BELOW,
    MAX_CLAIMS_WITH_FILES,
    MAX_FILES_OF_AUTHORS,
    MAX_PATHS_OF_AUTHOR,
    OWN_FILE,
)
from vouch_sidecar.retrieval.files.file_ties import files_of
from vouch_sidecar.retrieval.people.topic_matches import Match
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.workspace.commit_history import Commit, History
from vouch_sidecar.workspace.file_kinds import is_for_names


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


@dataclass(slots=True)
class _Counted:
    """The commits of one author that count: their weight and number, the time of the last one, and
    their times by file.
    """

    name: str
    weight: float = 0.0
    commits: int = 0
    last: int = 0
    files: dict[tuple[object, str], list[int]] = field(default_factory=dict)


@dataclass(slots=True)
class _TiedCommit:
    """A commit, the strongest tie of the files that it changed, and these files."""

    commit: Commit
    strength: float
    files: set[tuple[object, str]] = field(default_factory=set)


def _are_told(view: View) -> bool:
    return view.people_told.in_answers and bool(view.workspace.history)


def authors_of(claims: Sequence[tuple[View, Sequence[Claim]]]) -> list[Author]:
    """The authors of the files that some claims of each view are tied to, those who know the files
    best first.
    """
    return _authors(
        [(view, _files(view, theirs) if _are_told(view) else []) for view, theirs in claims]
    )


def _authors(files: Sequence[tuple[View, Sequence[tuple[str, float]]]]) -> list[Author]:
    """The authors of some files of each view, which have the strength of a tie."""
    changes: dict[str, _TiedCommit] = {}
    for view, theirs in files:
        history = view.workspace.history
        for path, strength in theirs:
            for number in history.by_path.get(path, ()):
                commit = history.commits[number]
                change = changes.get(commit.name)
                if change is None:
                    change = changes[commit.name] = _TiedCommit(commit, strength)
                change.strength = max(change.strength, strength)
                change.files.add((view.identity, path))
    never = [view.people_told for view, _ in files if view.people_told.never]
    hidden = {
        person
        for view, _ in files
        for person, names in (view.workspace.history.names.items() if never else ())
        if any(people.is_never(names) for people in never)
    }
    return _counted(changes.values(), hidden)


def _counted(changes: Collection[_TiedCommit], hidden: Container[str]) -> list[Author]:
    """The authors of commits, without the persons who are `hidden`."""
    newest = max((change.commit.at for change in changes), default=0)
    by_person: dict[str, _Counted] = {}
    for change in changes:
        person, at = change.commit.person, change.commit.at
        counted = by_person.setdefault(person, _Counted(change.commit.author))
        counted.weight += change.strength * 0.5 ** ((newest - at) / (COMMIT_HALF_LIFE_DAYS * DAY))
        counted.commits += 1
        counted.last = max(counted.last, at)
        for file in change.files:
            counted.files.setdefault(file, []).append(at)
    shown = (author for person, author in by_person.items() if person not in hidden)
    order = sorted(
        shown, key=lambda author: (-author.weight, -author.commits, author.name, author.last)
    )
    return list(map(_author, order[:MAX_AUTHORS]))


def _author(counted: _Counted) -> Author:
    order = sorted(
        counted.files, key=lambda f: (-len(counted.files[f]), -max(counted.files[f]), f[1])
    )
    paths = (
        ChangedFile(file[1], len(counted.files[file]), _date(max(counted.files[file])))
        for file in order[:MAX_PATHS_OF_AUTHOR]
    )
    return Author(
        counted.name, counted.commits, _date(counted.last), len(counted.files), tuple(paths)
    )


def _date(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()


def _files(view: View, claims: Sequence[Claim]) -> list[tuple[str, float]]:
    """The files that claims are tied to, and the claims' own, with the strength of the tie. A
    folder stands for its files where they are few.
    """
    history = view.workspace.history
    strengths: dict[str, float] = {}
    for claim in claims:
        ties = [(f"{KB_DIRNAME}/{claim.path}", OWN_FILE)]
        for path, strength in files_of(view, claim).items():
            ties += [(below, strength) for below in _below(history, path)]
        for path, strength in ties:
            worth = strength if is_for_names(path) else strength * GENERAL_FILE
            strengths[path] = max(strengths.get(path, 0.0), worth)
    order = sorted(strengths.items(), key=lambda item: (-item[1], item[0]))
    return order[:MAX_FILES_OF_AUTHORS]


def _below(history: History, path: str) -> list[str]:
    """The files for which a path stands: itself, or those of a folder, where they are few."""
    paths = history.files_below(path) if path.endswith("/") else [path]
    return paths if len(paths) <= MAX_BELOW else []


def authors_about(view: View, entity: Entity) -> list[Author]:
    """The authors of the files of an entity's claims."""

    def find() -> list[Author]:
        return authors_of([(view, view.visible.best_claims(entity.id, MAX_CLAIMS_WITH_FILES))])

    return (
        view.cached(f"authors about {entity.id}", "", find) if view.people_told.in_answers else []
    )


def authors_on(matches: Sequence[Match]) -> list[Author]:
    """The authors of the files that a topic names, else of those of the claims that match it."""
    files: list[tuple[View, list[tuple[str, float]]]] = []
    for match in matches:
        theirs: list[tuple[str, float]] = []
        if _are_told(match.view):
            history = match.view.workspace.history
            named = [(below, 1.0) for path in match.files for below in _below(history, path)]
            theirs = named if match.files else _files(match.view, match.best_claims)
        files.append((match.view, theirs))
    return _authors(files)


def told_by_commits(authors: Iterable[Author]) -> str:
    """The names of authors as a phrase: `by commits: Ada Byron, Mei Tanaka`; "" without any."""
    names = ", ".join(author.name for author in authors)
    return f"by commits: {names}" if names else ""
