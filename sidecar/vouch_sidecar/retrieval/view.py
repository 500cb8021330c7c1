"""A knowledge base as one viewer sees it. Everything that is said comes through here."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from math import inf
from pathlib import Path
from typing import NamedTuple, TypeVar

from tantivy import Document, Query
from vouch_sidecar.index.content import Term, terms
from vouch_sidecar.index.derived import Seen
from vouch_sidecar.index.encoding import StemPlace, labels_for
from vouch_sidecar.index.forms import surface
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.index.mentions import Mention
from vouch_sidecar.index.query import Search, pointing_query, rarity
from vouch_sidecar.index.receipts import Quoted, Sentence
from vouch_sidecar.index.schema import (
    MICROSECONDS,
    QUESTION,
    TITLE,
    artifact_in,
    confirmed_at,
    entities_in,
    key_in,
    quoted_in,
)
from vouch_sidecar.index.sentences import Form, form_of_text
from vouch_sidecar.index.text import fold
from vouch_sidecar.index.topics import NO_TOPICS, Topics
from vouch_sidecar.kb.access import gate_of
from vouch_sidecar.kb.records import (
    Artifact,
    Claim,
    Entity,
    Evidence,
    Key,
    Kind,
    Page,
    Relation,
    Source,
)
from vouch_sidecar.workspace.snapshot import Workspace

_FIRST = datetime.min.replace(tzinfo=UTC).timestamp()
_LAST = datetime.max.replace(microsecond=0, tzinfo=UTC).timestamp()
MAX_ALIKE = 100
CLAIMS_OF_A_SENTENCE = 3
"""Claims that are looked at for each one that is shown: some are parts of one sentence."""
T = TypeVar("T")


class Deadline:
    """The time that a question has; whatever was found by then is the answer. Shared by everything
    that works on it.
    """

    def __init__(self, until: float = inf, clock: Callable[[], float] = time.monotonic) -> None:
        """`until` is in seconds on the clock."""
        self.cuts = 0
        """How often something was left out because it had passed."""
        self._until = until
        self._clock = clock

    @property
    def left(self) -> float:
        """Seconds until it passes."""
        return self._until - self._clock()

    @property
    def cut(self) -> bool:
        """Whether something was left out."""
        return self.cuts > 0

    def has_passed(self) -> bool:
        """Whether to stop. To be asked between one candidate and the next."""
        passed = self.cut or self._clock() >= self._until
        self.cuts += passed
        return passed


@dataclass(frozen=True, slots=True)
class NameWords:
    """Surfaces of words that name an entity `always`, whatever their commonness, or `never`."""

    always: frozenset[str] = frozenset()
    never: frozenset[str] = frozenset()

    @classmethod
    def of(cls, always: Iterable[str], never: Iterable[str]) -> NameWords:
        return cls(frozenset(map(surface, always)), frozenset(map(surface, never)))


@dataclass(frozen=True, slots=True)
class Authors:
    """Whether it is told who committed to files: in answers, and in blocks, which models read.
    `never`: the names, folded, of those who are not told.
    """

    are_told: bool = False
    in_blocks: bool = False
    never: frozenset[str] = frozenset()


class Said(NamedTuple):
    """What is said of a claim. Claims with the same `where` are parts of one sentence: they are one
    line, which cites all `claims`, ids in order.
    """

    text: str
    claims: tuple[str, ...]
    where: str


@dataclass(frozen=True)
class View:
    """One collection for one viewer: `gates` are those that the viewer passes."""

    collection: str
    knowledge: Knowledge
    gates: frozenset[str]
    root: Path | None = None
    words: NameWords = NameWords()
    """Words that name an entity here always, or never."""
    deadline: Deadline = field(default_factory=Deadline)
    since: int | None = None
    """Only claims that were confirmed or updated since are asked for, in microseconds."""
    workspace: Workspace = field(default_factory=lambda: Workspace(Path()))
    """What lies around the knowledge base. Ties in it are not looked through for this viewer:
    `retrieval.tied` does that.
    """
    authors: Authors = Authors()
    topics: Topics = NO_TOPICS
    """Names that nobody declared; `derived` are those that the viewer is told of."""

    @property
    def identity(self) -> Path | str:
        """What a collection is known by from one question to the next: a name can go to another."""
        return self.root or self.collection

    @property
    def stamp(self) -> Hashable:
        """Changes whenever the same question may have another answer."""
        around = (self.workspace, self.topics, self.authors)
        parts = (self.collection, self.root, self.gates, self.words, self.since, *around)
        return (*parts, self.knowledge.serial)

    @cached_property
    def search(self) -> Search:
        """What the viewer may ask in full text."""
        return Search(self.knowledge.snapshot, self.gates, self.derived, self.since)

    @cached_property
    def derived(self) -> Seen:
        """The topics that the viewer is told of."""
        return self.topics.seen(self.knowledge, self.gates, self.words.never)

    def once(self, what: str, text: str, make: Callable[[], T]) -> T:
        """What `make` gives for a text. It is kept until the knowledge or the viewer is another,
        unless `make` left something out because time was up.
        """
        around = (self.workspace, self.topics, self.authors)
        key = (what, self.gates, self.words, self.since, *around)
        memo, before = self.knowledge.memo, self.deadline.cuts
        made = memo.once(text, key, make)
        if self.deadline.cuts > before:
            memo.forget(text, key)
        return made

    def sees(self, artifact: Artifact) -> bool:
        """Whether the viewer may be told of it.

        A relation needs both of its ends visible. Evidence needs its source there and visible: a
        source that is missing here may be one that is withheld from everybody. What claims of
        others alone quote is not for this viewer.
        """
        if isinstance(artifact, Relation):
            return self._shows(artifact.source) and self._shows(artifact.target)
        if isinstance(artifact, Evidence):
            return self._sees_evidence(artifact)
        return gate_of(artifact) in self.gates

    def _sees_evidence(self, evidence: Evidence) -> bool:
        if self.visible((Kind.SOURCE, evidence.source_id)) is None:
            return False
        citing = self.knowledge.found(pointing_query("cites", evidence.id))
        gates = [gate_of(one) for one in citing if isinstance(one, Claim)]
        return not gates or not self.gates.isdisjoint(gates)

    def visible(self, key: Key) -> Artifact | None:
        """An artifact, if it is there and the viewer may see it; a topic as an entity."""
        if key[0] == Kind.ENTITY and (topic := self.derived.get(key[1])) is not None:
            return topic.entity
        artifact = self.knowledge.artifact(key)
        return artifact if artifact is not None and self.sees(artifact) else None

    def claim(self, claim_id: str) -> Claim | None:
        found = self.visible((Kind.CLAIM, claim_id))
        return found if isinstance(found, Claim) else None

    def said(self, claim: Claim) -> Said:
        """What is said of a claim to this viewer: its whole sentence, where it is a part of one
        that the viewer may be told of, else its own text. Whatever is said of a claim comes from
        here.
        """
        sentence = self.sentence(claim)
        if sentence is None or not sentence.holds:
            return Said(claim.text, (claim.id,), claim.id)
        where = f"{sentence.source_id} {sentence.start} {sentence.text}"
        return Said(sentence.text, sentence.claims, where)

    def quoted(self, claim_id: str) -> Quoted | None:
        """What is known of the place of a claim's receipt, looked up once for this question."""
        if claim_id not in self._known_quoted:
            self._known_quoted[claim_id] = self.knowledge.quoted(claim_id)
        return self._known_quoted[claim_id]

    @cached_property
    def _known_quoted(self) -> dict[str, Quoted | None]:
        return {}

    @cached_property
    def _known_sources(self) -> dict[str, Source | None]:
        return {}

    def sentence(self, claim: Claim) -> Sentence | None:
        """The whole sentence that a claim's receipt stands in, if the viewer may be told of it."""
        quoted = self.quoted(claim.id)
        sentence = None if quoted is None else quoted.sentence
        visible = sentence is not None and self.gates.issuperset(sentence.gates)
        return sentence if visible else None

    def sayable(self, artifact: Artifact) -> bool:
        """Whether an artifact may be said by itself: not what quotes a heading, a lead-in, a bare
        link, code, or talk between the one who asks and the one who answers.
        """
        if not isinstance(artifact, Claim):
            return True
        quoted = self.quoted(artifact.id)
        form = form_of_text(artifact.text) if quoted is None else quoted.form
        return form is Form.STATEMENT

    def counts(self, claim: Claim) -> bool:
        """Whether a claim is of the time that is asked for."""
        at = confirmed_at(claim)
        return self.since is None or (at is not None and at * MICROSECONDS >= self.since)

    def statements(self, source: Source) -> list[Claim]:
        """The claims that stand for the statements of a source which the viewer may be told of, in
        the order in which they stand there.
        """
        found: dict[str, tuple[int, Claim]] = {}
        for claim, quoted in self.knowledge.standing_in(source.id):
            sentence = quoted.sentence
            if sentence is None or quoted.form is not Form.STATEMENT or not self.sees(claim):
                continue
            found.setdefault(self.said(claim).where, (sentence.start, claim))
        return [claim for _, claim in sorted(found.values(), key=lambda one: one[0])]

    def exchange_of(self, claim: Claim) -> Source | None:
        """The exchange that a claim's sentence stands in: a message that answers a question."""
        sentence = self.sentence(claim)
        if sentence is None:
            return None
        if sentence.source_id not in self._known_sources:
            source = self.visible((Kind.SOURCE, sentence.source_id))
            found = source if isinstance(source, Source) and source.question else None
            self._known_sources[sentence.source_id] = found
        return self._known_sources[sentence.source_id]

    def entity(self, entity_id: str) -> Entity | None:
        """A declared entity, or a topic."""
        topic = self.derived.get(entity_id)
        return self.knowledge.entity(entity_id) if topic is None else topic.entity

    def is_topic(self, entity_id: str) -> bool:
        return self.derived.get(entity_id) is not None

    def entities_in(self, claim: Document) -> frozenset[str]:
        """The entities and topics that a claim counts for."""
        declared = entities_in(claim, self.gates)
        return declared.union(self.derived.of_claim(key_in(claim)[1]))

    def called(self, name: str) -> list[str]:
        """Ids of the entities with a name or alias, else of the topics; sorted."""
        return self.knowledge.names.exactly(name) or self.derived.exactly(name)

    def with_part(self, text: str) -> list[str]:
        """Ids of the entities and topics of whose names a text is a part; sorted."""
        names = self.knowledge.names
        return sorted({*names.containing(text), *self.derived.containing(text)})

    def best_claims(self, entity_id: str, limit: int) -> list[Claim]:
        """The first of an entity's claims in the order of worth, ties by id."""
        snapshot = self.knowledge.snapshot
        hits = snapshot.search(self.search.about([entity_id]), limit, by="worth")
        return [claim_in(snapshot.document(hit)) for hit in hits]

    def best_said(self, entity_id: str, limit: int) -> list[Claim]:
        """Of these the first that are said by themselves, each sentence once."""
        found: dict[str, Claim] = {}
        for claim in self.best_claims(entity_id, limit * CLAIMS_OF_A_SENTENCE):
            if self.sayable(claim):
                found.setdefault(self.said(claim).where, claim)
        return list(found.values())[:limit]

    def told_by(self, document: Document) -> Artifact | None:
        """What a document that was found says, or the page that it is a section of, if the viewer
        may see it.
        """
        kind, artifact_id, section = key_in(document)
        if section or kind == TITLE:
            return self.visible((Kind.PAGE, artifact_id))
        if kind == QUESTION:
            return self.visible((Kind.SOURCE, artifact_id))
        artifact = artifact_in(document)
        if kind == Kind.CLAIM:
            self._known_quoted[artifact_id] = quoted_in(document)
        return artifact if self.sees(artifact) else None

    def claims_mark(self, entity_id: str) -> tuple[int, float]:
        """Changes when an entity gains or loses a claim, or one of its claims changes."""
        query = self.search.about([entity_id])
        return self.claim_count(entity_id), self.knowledge.snapshot.total(query, "mark")

    def found(self, query: Query, limit: int) -> Iterator[Artifact]:
        """What a query finds that the viewer may see, of the first so many documents."""
        snapshot = self.knowledge.snapshot
        for hit in snapshot.search(query, limit):
            if (artifact := self.told_by(snapshot.document(hit))) is not None:
                yield artifact

    def count(self, kind: Kind) -> int:
        """How many artifacts of a kind the viewer may see; of pages, sections are not counted."""
        return self.search.total(TITLE if kind is Kind.PAGE else kind)

    def claim_count(self, entity_id: str) -> int:
        """How many claims count for an entity."""
        return self.search.claim_count(entity_id)

    def pages_about(self, key: Key) -> list[Page]:
        """The pages that list a claim or an entity, or that have a topic as title, by id."""
        topic = self.derived.get(key[1]) if key[0] == Kind.ENTITY else None
        ids = self.knowledge.pages_about(key) if topic is None else sorted(topic.pages)
        pages = (self.visible((Kind.PAGE, page_id)) for page_id in ids)
        return [page for page in pages if isinstance(page, Page)]

    def relations_of(self, artifact_id: str) -> Iterator[Relation]:
        """The relations of an artifact that the viewer may see, by id."""
        return filter(self.sees, self.knowledge.relations_of(artifact_id))

    def citing(self, artifact_id: str) -> Iterator[Artifact]:
        """What names an id and may be shown, by kind and id."""
        knowledge = self.knowledge
        return filter(self.sees, knowledge.found(knowledge.citing(artifact_id)))

    def citing_by_kind(self, artifact_id: str) -> dict[str, int]:
        """How many artifacts name an id and may be shown, by kind."""
        visible, counts = frozenset(labels_for(self.gates)), Counter[str]()
        found = self.knowledge.snapshot.sums(self.knowledge.citing(artifact_id), "place")
        for place, several in found.items():
            kind, label = StemPlace.decode(place)
            if label in visible:
                counts[kind] += several.number
        return dict(counts)

    def _shows(self, endpoint: str) -> bool:
        kinds = (Kind.ENTITY, Kind.CLAIM, Kind.PAGE, Kind.SOURCE)
        return any(self.visible((kind, endpoint)) for kind in kinds)

    def mentions(self, text: str) -> list[Mention]:
        """Places in a text that name a declared entity, nested ones included."""

        def find() -> list[Mention]:
            never = self.words.never
            found = self.knowledge.names.find(text)
            return [m for m in found if not never or surface(text[m.start : m.end]) not in never]

        return self.once("mentions", text, find)

    def derived_in(self, text: str) -> list[Mention]:
        """Places in a text that name a topic, beside those that name a declared entity."""

        def find() -> list[Mention]:
            declared = [m for m in self.mentions(text) if not m.nested]
            return [one for one in self.derived.find(text) if not any(map(one.overlaps, declared))]

        return self.once("derived", text, find) if self.derived else []

    def places_of(self, text: str, entity_ids: Iterable[str]) -> tuple[tuple[int, int], ...]:
        """Where a text names some entities or topics: start and end of each place, in order."""
        wanted = frozenset(entity_ids)
        every = [*self.mentions(text), *self.derived_in(text)]
        found = {(m.start, m.end) for m in every if m.entity_id in wanted}
        return tuple(sorted(found))

    @cached_property
    def own_name(self) -> frozenset[str]:
        """The project's own name, folded, which tells nothing about a text."""
        return own_names(self.collection, self.root, self.workspace.origin)

    @property
    def claims_are_alike(self) -> bool:
        """Whether the first hundred claims by id all have the same status, confidence and number of
        citations, as those that were captured have: then these say nothing about one.
        """

        def find() -> bool:
            first = list(self.found(self.search.every(Kind.CLAIM), MAX_ALIKE))
            claims = [one for one in first if isinstance(one, Claim)]
            kinds = {(one.status, one.confidence, len(set(one.evidence))) for one in claims}
            return len(claims) > 1 and len(kinds) == 1

        return self.once("alike", "", find)

    def parts(self, text: str) -> list[Mention]:
        """Places beside its mentions that are a part of the names of a few entities."""
        found = self.knowledge.names.parts(text, self.mentions(text))
        return [m for m in found if surface(text[m.start : m.end]) not in self.words.never]

    @property
    def claim_total(self) -> int:
        """How many claims the viewer may see."""
        return self.search.total(Kind.CLAIM)

    def frequency(self, term: Term) -> int:
        """How many claims that the viewer may see hold a word."""
        return self.search.frequency(term, Kind.CLAIM)

    def weights(self, text: str) -> Mapping[Term, float]:
        """The content words of a text with their rarity among the claims."""

        def weigh() -> Mapping[Term, float]:
            total = self.claim_total
            return {n: rarity(total, self.frequency(n)) for n in terms(text)}

        return self.once("weights", text, weigh)

    def titles_holding(self, words: Sequence[Term], at_least: int) -> Iterator[str]:
        """Titles of pages that hold so many of the words."""
        snapshot = self.knowledge.snapshot
        query = self.search.weighed(dict.fromkeys(words, 1.0), TITLE, at_least)
        for hit in snapshot.every(query):
            page = self.told_by(snapshot.document(hit))
            if isinstance(page, Page):
                yield page.title


def own_names(collection: str, root: Path | None, origin: str) -> frozenset[str]:
    """What a project is called, folded: its collection, its folder, and the repository that it was
    cloned from.
    """
    folder = root.name if root is not None else ""
    return frozenset(filter(None, map(fold, (collection, folder, origin))))


def claim_in(document: Document) -> Claim:
    """The claim that a document holds."""
    found = artifact_in(document)
    assert isinstance(found, Claim)
    return found


def moment(at: float) -> datetime:
    """A time in UTC; one beyond the calendar, which an offset can make, is its first or last."""
    return datetime.fromtimestamp(min(max(at, _FIRST), _LAST), UTC)
