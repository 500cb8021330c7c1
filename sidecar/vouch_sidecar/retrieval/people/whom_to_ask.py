"""Whom to ask about an entity, a claim or a topic: people who share claims with it, whom its
relations name, people of the teams among these, owners of files by CODEOWNERS, and authors of
commits to the files.

No other module decides who of these may be told. Claims that the viewer may not see do not count,
nor do names of people in texts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from math import fsum

from vouch_sidecar.index.claim_weights import DAY
from vouch_sidecar.kb.records import PERSON, Claim, Entity, moment
from vouch_sidecar.kb.sanitize import count
from vouch_sidecar.names.name_forms import spelling
from vouch_sidecar.retrieval.constants import (
    COMMIT_HALF_LIFE_DAYS,
    COMMITS_BESIDE,
    FEW,
    MAX_CLAIMS_WITH_FILES,
    MAX_PATHS_OF_AUTHOR,
)
from vouch_sidecar.retrieval.each_once import first_of_each
from vouch_sidecar.retrieval.files import files_of
from vouch_sidecar.retrieval.people.rows import Author, ChangedFile, PersonToAsk
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.workspace.code_owners import rule_for
from vouch_sidecar.workspace.commit_history import Commit

OF_EACH = 2
"""People named for a topic, and for each team that owns an entity, at most."""
ROLES = {
    "owned_by": "owner",
    "owns": "owner",
    "maintained_by": "maintainer",
    "maintains": "maintainer",
    "led_by": "lead",
    "leads": "lead",
    "member_of": "of the same team",
}
"""Labels of relations that say whom to ask, and what each makes somebody: who stands at its end, if
the label ends in `by`, else who stands at its beginning.
"""
EVERY_FILE = frozenset({"*", "**", "/**"})
"""Patterns that own every file without another owner, which says little about any one of them."""
File = tuple[object, str]
"""The identity of a knowledge base, and a path in its workspace."""
Subject = tuple[View, Mapping[str, float]]
"""What owners and authors are looked for of: files of a view's workspace, and folders with a slash
at their end, each with the strength of its tie.
"""


def to_ask(view: View, about: Claim | Entity) -> tuple[list[PersonToAsk], list[Author]]:
    """Whom to ask about a claim or an entity, the first first, and the authors of its files. A
    person is asked directly. What a model reads is asked of a view that `is_model`: settings may
    keep persons from it.
    """
    if isinstance(about, Claim):
        subjects = [(view, files_of(view, [about]))]
        return with_owners(people_of_claim(view, about), subjects), authors(subjects)
    best = view.found(view.search.claims_of([about.id]), MAX_CLAIMS_WITH_FILES, by="worth")
    subjects = [(view, files_of(view, (claim for claim, _ in best if isinstance(claim, Claim))))]
    asked = [] if about.type == PERSON else with_owners(people(view, about), subjects)
    return asked, authors(subjects)


def each_with_why(
    about: str, people: Iterable[PersonToAsk], by_commits: Iterable[Author]
) -> list[str]:
    """Whom a line about an entity of the type `about` names, with why; nobody for a person, who is
    asked directly. Authors come last, but for those who are named already.
    """
    if about == PERSON:
        return []
    rows = [(row.name, row.said) for row in people]
    named = {name for name, _ in rows}
    wrote = (author for author in by_commits if author.name not in named)
    rows += [(author.name, count(author.commits, "commit")) for author in wrote]
    return [f"{name} ({why})" if why else name for name, why in rows]


# Declared people and teams


def people(view: View, *entities: Entity) -> list[PersonToAsk]:
    """Whom to ask about some entities, each once. A person is asked directly. Of a team the people
    that are nearest to it, whose claims are those shared with the team.
    """
    rows = list[PersonToAsk]()
    for entity in entities:
        near = [] if entity.type == PERSON else [*_near(view, entity.id)]
        rows += (_row(view, *each) for each in near)
        for team in (each for each, *_ in near if each.type != PERSON):
            members = [each for each in _near(view, team.id) if each[0].type == PERSON][:OF_EACH]
            rows += (_row(view, who, claims, team=team) for who, claims, _ in members)
    return list(first_of_each(rows, lambda row: row.entity_id))


def people_of_claim(view: View, claim: Claim) -> list[PersonToAsk]:
    """Whom to ask about a claim, each once: the people that it counts for, then those to ask about
    the first of its other entities.
    """
    ids, _ = view.knowledge.links(claim.id)
    linked = [*filter(None, map(view.entity, ids))]
    own = [_row(view, e, view.search.claim_count(e.id)) for e in linked if e.type == PERSON]
    others = [entity for entity in linked if entity.type != PERSON][:FEW]
    return list({row.entity_id: row for row in (*own, *people(view, *others))}.values())


def _row(
    view: View, who: Entity, claims: int, label: str | None = None, team: Entity | None = None
) -> PersonToAsk:
    """A row for somebody, of a `team` where it is to ask."""
    said = ROLES.get(label or "") if team is None else f"via {team.name}"
    why = ", ".join(filter(None, [said, count(claims, "claim") if claims else ""]))
    via = None if team is None else team.id
    return PersonToAsk(who.id, who.name, who.type, via, claims, label, why, view.shown_collection)


def _near(view: View, entity_id: str) -> Iterator[tuple[Entity, int, str | None]]:
    """People who share claims with an entity, then whom its relations name, in the order of
    `ROLES`; each with the number of these claims and the label of the relation.
    """
    ids = view.search.ids(view.search.claims_of([entity_id]))
    shared = Counter(e for claim_id in ids for e in view.knowledge.links(claim_id)[0])
    labels, responsible = [*ROLES], dict[str, str]()
    saying = (each for each in view.relations_of(entity_id) if each.relation in ROLES)
    for relation in sorted(saying, key=lambda each: labels.index(each.relation)):
        mine, other = relation.source, relation.target
        if not relation.relation.endswith("_by"):
            mine, other = other, mine
        if mine == entity_id != other:
            responsible.setdefault(other, relation.relation)
    beside = sorted(shared.keys() - responsible.keys(), key=lambda each: (-shared[each], each))
    persons = (who for who in map(view.entity, beside) if who and who.type == PERSON)
    named = (who for who in map(view.entity, responsible) if who is not None)
    for who in chain(islice(persons, FEW), named):
        yield who, shared[who.id], responsible.get(who.id)


# Owners and authors of files


def with_owners(asked: Iterable[PersonToAsk], subjects: Sequence[Subject]) -> list[PersonToAsk]:
    """Some people, then the owners of the files of each subject, those of most and strongest ties
    first, without whom one of these people is called like. A model is told of teams alone, unless
    settings allow more.
    """
    rows, never = [*asked], _never_told(subjects)
    declared = {(row.collection, row.entity_id) for row in rows}
    for view, files in subjects:
        called = view.knowledge.names.exactly
        tells = {True: view.settings.people.git != "off", False: _tells_persons(view)}
        every = [
            PersonToAsk(
                entity_id=None,
                name=handle,
                type="team" if "/" in handle else PERSON,
                via=pattern,
                claim_count=0,
                relation="owns",
                said="owner of the files",
                collection=view.shown_collection,
            )
            for handle, pattern in _owners(view, files).items()
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
    return frozenset(
        spelling(name.removeprefix("@"))
        for view, _ in subjects
        for name in view.settings.people.never
    )


def _may_be_named(names: Iterable[str], never: frozenset[str]) -> bool:
    """Whether none of somebody's names is in `never`, whatever stands in brackets behind."""
    forms = (form for name in names for form in (name, name.partition(" (")[0]))
    return not never or never.isdisjoint(map(spelling, forms))


def _owners(view: View, ties: Mapping[str, float]) -> dict[str, str]:
    """The owners, in order, each with the pattern of the rule for his strongest tie."""
    sums, patterns, world = defaultdict[str, float](float), dict[str, str](), view.world
    for path in sorted(ties, key=lambda path: (-ties[path], path)):
        if (rule := rule_for(world.owners_rules, world.prefix + path)) is not None:
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
    for view, places in subjects:
        world, history = view.world, view.world.history
        weakest_first = sorted(places, key=places.__getitem__) if _tells_persons(view) else ()
        ties = {path: places[at] for at in weakest_first for path in world.files.below(at)}
        for path, strength in ties.items():
            for commit in history.by_path.get(path, ()):
                if _may_be_named(history.names[commit.person], never):
                    changes[commit, (view.identity, path)] = strength
    return changes


def _author(changes: Sequence[tuple[Commit, File]]) -> Author:
    """Somebody who made some changes."""
    times = defaultdict[File, list[int]](list)
    for commit, file in changes:
        times[file].append(commit.at)
    order = sorted(times, key=lambda file: (-len(times[file]), -max(times[file]), file[1]))
    paths = [ChangedFile(file[1], len(times[file]), _last(times[file])) for file in order]
    commits, last = {commit for commit, _ in changes}, _last(commit.at for commit, _ in changes)
    few = tuple(paths[:MAX_PATHS_OF_AUTHOR])
    return Author(changes[0][0].author, len(commits), last, len(paths), few)


def _last(seconds: Iterable[int]) -> str:
    return moment(max(seconds)).date().isoformat()
