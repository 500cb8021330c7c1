"""Finds who knows the files that claims are tied to: authors of commits to them, and owners by
CODEOWNERS. Claims that the viewer may not see do not count. No other module decides who of these
may be told.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from heapq import nsmallest
from math import fsum

from vouch_sidecar.index.claim_weights import DAY, worth
from vouch_sidecar.kb.records import Claim, Entity
from vouch_sidecar.names.name_forms import spelling
from vouch_sidecar.retrieval.constants import (
    COMMIT_HALF_LIFE_DAYS,
    COMMITS_BESIDE,
    FEW,
    MAX_CLAIMS_WITH_FILES,
    MAX_PATHS_OF_AUTHOR,
)
from vouch_sidecar.retrieval.files.file_ties import file_strengths
from vouch_sidecar.retrieval.people.rows import Author, ChangedFile, PersonToAsk
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.workspace.commit_history import Commit

EVERY_FILE = frozenset({"*", "**", "/**"})
"""Patterns that own every file without another owner, which says little about any one of them."""
File = tuple[object, str]
"""The identity of a knowledge base, and a path in its workspace."""


@dataclass(frozen=True)
class Subject:
    """What people are looked for about: claims, or in their place the files that a topic names."""

    view: View
    about: Sequence[Claim]
    named: Sequence[str] = ()

    @cached_property
    def files(self) -> Mapping[str, float]:
        """The files, and folders with a slash at their end, each with the strength of its tie. Of
        many claims, those of the best.
        """
        if self.named:
            return dict.fromkeys(self.named, 1.0)
        best = nsmallest(MAX_CLAIMS_WITH_FILES, self.about, key=lambda c: (-worth(c), c.id))
        return file_strengths(self.view, best)


def about_entity(view: View, entity: Entity) -> Subject:
    claims = view.visible.best(view.search.claims_of([entity.id]), MAX_CLAIMS_WITH_FILES)
    return Subject(view, claims)


def with_owners(asked: Iterable[PersonToAsk], subjects: Sequence[Subject]) -> list[PersonToAsk]:
    """Some people, then the owners of the files of each subject, those of most and strongest ties
    first, without whom one of these people is called like. A model is told of teams alone, unless
    settings allow more.
    """
    rows, never = [*asked], _never_told(subjects)
    declared = {(row.collection, row.entity_id) for row in rows}
    for subject in subjects:
        view, called = subject.view, subject.view.knowledge.names.exactly
        tells = {True: view.settings.people.git != "off", False: _tells_persons(view)}
        every = [
            PersonToAsk(
                entity_id=None,
                name=handle,
                type="team" if "/" in handle else "person",
                via=pattern,
                claim_count=0,
                relation="owns",
                said="owner of the files",
                collection=view.shown_collection,
            )
            for handle, pattern in _owners(subject).items()
            if tells["/" in handle]
            and _may_be_named([handle], never)
            and declared.isdisjoint(
                (view.shown_collection, who) for who in (*called(handle), *called(f"@{handle}"))
            )
        ]
        rows += every[:FEW]
    return rows


def _tells_persons(view: View) -> bool:
    """Whether authors of commits, and persons who own code, are told."""
    git = view.settings.people.git
    return git == "agents" or (git == "people" and not view.is_model)


def _never_told(subjects: Iterable[Subject]) -> frozenset[str]:
    """The names, folded, of whom one of the knowledge bases never names."""
    every = (subject.view.settings.people.never for subject in subjects)
    return frozenset(spelling(name.removeprefix("@")) for never in every for name in never)


def _may_be_named(names: Iterable[str], never: frozenset[str]) -> bool:
    """Whether none of somebody's names is in `never`, whatever stands in brackets behind."""
    forms = (form for name in names for form in (name, name.partition(" (")[0]))
    return not never or never.isdisjoint(map(spelling, forms))


def _owners(subject: Subject) -> dict[str, str]:
    """The owners, in order, each with the pattern of the rule for his strongest tie."""
    ties, sums = subject.files, defaultdict[str, float](float)
    patterns: dict[str, str] = {}
    for path in sorted(ties, key=lambda path: (-ties[path], path)):
        if (rule := subject.view.workspace.owners_rule(path)) is not None:
            for owner in rule.owners:
                sums[owner] += ties[path]
                patterns.setdefault(owner, rule.pattern)
    order = sorted(sums, key=lambda who: (patterns[who] in EVERY_FILE, -round(sums[who], 6), who))
    return {who: patterns[who] for who in order}


def authors(subjects: Sequence[Subject]) -> list[Author]:
    """The authors of the files of all subjects, those who know them best first: by their share of
    each file's commits, of which one counts half as much after four years, times the strength of
    its tie.
    """
    changes = _changes(subjects)
    newest = max((commit.at for commit, _ in changes), default=0)
    counts = {c: 0.5 ** ((newest - c.at) / DAY / COMMIT_HALF_LIFE_DAYS) for c, _ in changes}
    whole = defaultdict[File, float](lambda: COMMITS_BESIDE)
    by_person = defaultdict[str, list[tuple[Commit, File]]](list)
    for commit, file in changes:
        whole[file] += counts[commit]
        by_person[commit.person].append((commit, file))
    ranked = []
    for person, theirs in by_person.items():
        knows = fsum(changes[c, file] * counts[c] / whole[file] for c, file in theirs)
        author = _author(theirs)
        ranked.append((-round(knows, 9), -author.commits, author.name, person, author))
    return [author for *_, author in sorted(ranked)[:FEW]]


def _changes(subjects: Sequence[Subject]) -> dict[tuple[Commit, File], float]:
    """The commits of whom may be named, each with a file that it changed and the strength of the
    file's tie, or of that to a folder around it.
    """
    changes, never = dict[tuple[Commit, File], float](), _never_told(subjects)
    for subject in subjects:
        view, around = subject.view, subject.view.workspace
        history, places = around.history, subject.files if _tells_persons(view) else {}
        weakest_first = sorted(places, key=places.__getitem__)
        ties = {path: places[at] for at in weakest_first for path in around.files.below(at)}
        for path, strength in ties.items():
            for commit in history.by_path.get(path, ()):
                if _may_be_named(history.names[commit.person], never):
                    changes[commit, (view.identity, path)] = strength
    return changes


def _author(changes: Iterable[tuple[Commit, File]]) -> Author:
    times, commits = defaultdict[File, list[int]](list), dict[Commit, None]()
    for commit, file in changes:
        times[file].append(commit.at)
        commits[commit] = None
    order = sorted(times, key=lambda file: (-len(times[file]), -max(times[file]), file[1]))
    paths = [ChangedFile(file[1], len(times[file]), _last(times[file])) for file in order]
    last, name = _last(commit.at for commit in commits), next(iter(commits)).author
    return Author(name, len(commits), last, len(paths), tuple(paths[:MAX_PATHS_OF_AUTHOR]))


def _last(seconds: Iterable[int]) -> str:
    return datetime.fromtimestamp(max(seconds), UTC).date().isoformat()
