"""Finds who knows the files that claims are tied to: authors of commits to them, and to the claims'
own files, and owners by CODEOWNERS. Claims that the viewer may not see do not count.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from heapq import nsmallest
from math import fsum
from typing import NamedTuple

from vouch_sidecar.index.claim_weights import DAY, worth
from vouch_sidecar.kb.artifact_files import KB_DIRNAME
from vouch_sidecar.kb.records import Claim, Entity
from vouch_sidecar.retrieval.constants import (
    COMMIT_HALF_LIFE_DAYS,
    COMMITS_BESIDE,
    FEW,
    MAX_BELOW,
    MAX_CLAIMS_WITH_FILES,
    MAX_FILES_OF_AUTHORS,
    MAX_PATHS_OF_AUTHOR,
    OWN_FILE,
)
from vouch_sidecar.retrieval.files.file_ties import file_strengths
from vouch_sidecar.retrieval.people.authors import Author, ChangedFile
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.workspace.commit_history import Commit, History

EVERY_FILE = frozenset({"*", "**", "/**"})
"""Patterns that own every file without another owner, which says little about any one of them."""
File = tuple[object, str]
"""The identity of a knowledge base, and a path in its workspace."""
_BEHIND_SLASH = chr(ord("/") + 1)
_Commits = dict[Commit, dict[File, float]]
"""Commits, each with the files that it changed and the strength of their ties."""


@dataclass(frozen=True)
class Subject:
    """What people are looked for about: claims, or in their place the files that a topic names."""

    view: View
    about: Sequence[Claim]
    named: Sequence[str] = ()

    @cached_property
    def claims(self) -> list[Claim]:
        """The best claims by worth."""
        return nsmallest(MAX_CLAIMS_WITH_FILES, self.about, key=lambda c: (-worth(c), c.id))

    @cached_property
    def files(self) -> Mapping[str, float]:
        """The files, and folders with a slash at their end, each with the strength of its tie."""
        named = dict.fromkeys(self.named, 1.0)
        return named or file_strengths(self.view, self.claims)


class FileOwner(NamedTuple):
    """A user or a team that owns files, and the pattern of the rule that says so."""

    handle: str
    is_team: bool
    pattern: str


def about_entity(view: View, entity: Entity) -> Subject:
    claims = view.visible.best(view.search.claims_of([entity.id]), MAX_CLAIMS_WITH_FILES)
    return Subject(view, claims)


def owners(subjects: Sequence[Subject], in_block: bool = False) -> list[tuple[View, FileOwner]]:
    """The owners of the files of each subject, those of most and strongest ties first. Whom one of
    the knowledge bases never names is left out of all. `in_block`: for a block, which a model
    reads.
    """

    def is_told(view: View, owner: FileOwner) -> bool:
        told = view.people_told
        return told.tells_owner(is_team=owner.is_team, in_block=in_block) and not _is_never(
            subjects, [owner.handle]
        )

    every = (
        (subject.view, [owner for owner in _owners(subject) if is_told(subject.view, owner)])
        for subject in subjects
        if subject.view.workspace.code_owners.rules
    )
    return [(view, owner) for view, told in every for owner in told[:FEW]]


def _is_never(subjects: Sequence[Subject], names: Collection[str]) -> bool:
    return any(subject.view.people_told.is_never(names) for subject in subjects)


def _owners(subject: Subject) -> list[FileOwner]:
    """Each owner has the pattern of the rule for his strongest tie."""
    ties, sums = subject.files, defaultdict[tuple[str, bool], float](float)
    patterns: dict[tuple[str, bool], str] = {}
    for path in sorted(ties, key=lambda path: (-ties[path], path)):
        if (rule := subject.view.workspace.owners_rule(path)) is not None:
            for owner in rule.owners:
                sums[owner] += ties[path]
                patterns.setdefault(owner, rule.pattern)
    order = sorted(sums, key=lambda who: (patterns[who] in EVERY_FILE, -round(sums[who], 6), who))
    return [FileOwner(*who, patterns[who]) for who in order]


def authors(subjects: Sequence[Subject]) -> list[Author]:
    """The authors of the files of all subjects, those who know them best first: by their share of
    each file's commits, of which one counts half as much after four years, times the strength of
    its tie. Whom one of the knowledge bases never names is left out of all.
    """
    by_person = _commits_by_person(subjects)
    every = [each for commits in by_person.values() for each in commits.items()]
    newest = max((commit.at for commit, _ in every), default=0)
    counts = {c: 0.5 ** ((newest - c.at) / DAY / COMMIT_HALF_LIFE_DAYS) for c, _ in every}
    whole = defaultdict[File, float](lambda: COMMITS_BESIDE)
    for commit, files in every:
        for file in files:
            whole[file] += counts[commit]
    ranked = []
    for person, commits in by_person.items():
        author, ties = _author(commits), [(c, *tie) for c in commits for tie in commits[c].items()]
        knows = fsum(strength * counts[c] / whole[file] for c, file, strength in ties)
        ranked.append((-round(knows, 9), -author.commits, author.name, person, author))
    return [author for *_, author in sorted(ranked)[:FEW]]


def _commits_by_person(subjects: Sequence[Subject]) -> Mapping[str, _Commits]:
    """The commits of whom may be named, each with the files that it changed and their ties."""
    by_person = defaultdict[str, _Commits](lambda: defaultdict(dict))
    for subject in subjects:
        view, history = subject.view, subject.view.workspace.history
        if not view.people_told.in_answers:
            continue
        for path, strength in _files_with_commits(subject, history).items():
            for number in history.by_path.get(path, ()):
                commit = history.commits[number]
                if not _is_never(subjects, history.names[commit.person]):
                    by_person[commit.person][commit][view.identity, path] = strength
    return by_person


def _files_with_commits(subject: Subject, history: History) -> dict[str, float]:
    """The files of a subject, and those of its claims in `.vouch/`, with the strength of the tie. A
    folder stands for its files where they are few.
    """
    own = () if subject.named else subject.claims
    files = dict.fromkeys((f"{KB_DIRNAME}/{claim.path}" for claim in own), OWN_FILE)
    for path, strength in subject.files.items():
        below = _files_below(path, history.paths) if path.endswith("/") else [path]
        for each in below if len(below) <= MAX_BELOW else ():
            files[each] = max(strength, files.get(each, 0.0))
    order = sorted(files.items(), key=lambda item: (-item[1], item[0]))
    return dict(order[:MAX_FILES_OF_AUTHORS])


def _files_below(folder: str, paths: Sequence[str]) -> Sequence[str]:
    """Those of some sorted paths that begin with a folder."""
    first = bisect_left(paths, folder)
    return paths[first : bisect_left(paths, folder[:-1] + _BEHIND_SLASH, first)]


def _author(commits: _Commits) -> Author:
    times = defaultdict[File, list[int]](list)
    for commit, files in commits.items():
        for file in files:
            times[file].append(commit.at)
    order = sorted(times, key=lambda file: (-len(times[file]), -max(times[file]), file[1]))
    paths = [ChangedFile(file[1], len(times[file]), _last(times[file])) for file in order]
    last = _last(commit.at for commit in commits)
    name = next(iter(commits)).author
    return Author(name, len(commits), last, len(paths), tuple(paths[:MAX_PATHS_OF_AUTHOR]))


def _last(seconds: Iterable[int]) -> str:
    return datetime.fromtimestamp(max(seconds), UTC).date().isoformat()
