"""A knowledge base as one viewer sees it. Every answer is made from a view."""

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

from vouch_sidecar.index.encoding import DocumentKey, StemPlace, labels_for
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.index.query import Search, pointing_query, rarity, value_query
from vouch_sidecar.index.receipts import TALKING, Quoted, Sentence, is_receipt
from vouch_sidecar.index.schema import (
    MICROSECONDS,
    QUESTION,
    TITLE,
    artifact_in,
    confirmed_at,
    entities_in,
    key_in,
    quoted_in,
    shown_in,
)
from vouch_sidecar.index.topic_table import VisibleTopics
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
from vouch_sidecar.names.mentions import Mention
from vouch_sidecar.names.name_forms import surface
from vouch_sidecar.retrieval.constants import CandidateKind
from vouch_sidecar.text.analysis import fold
from vouch_sidecar.text.content_words import Term, terms
from vouch_sidecar.text.sentences import Form, form_of_text
from vouch_sidecar.workspace.snapshot import Workspace
from vouch_sidecar.workspace.topics import NO_TOPICS, Topics

_FIRST = datetime.min.replace(tzinfo=UTC).timestamp()
_LAST = datetime.max.replace(microsecond=0, tzinfo=UTC).timestamp()
MAX_ALIKE = 100
CLAIMS_OF_A_SENTENCE = 3
"""Claims that are read for each one that is shown, as several may be parts of one sentence."""
T = TypeVar("T")


class Deadline:
    """The time limit of one question, shared by all functions that work on it. What they have found
    when it passes is the answer.
    """

    def __init__(self, until: float = inf, clock: Callable[[], float] = time.monotonic) -> None:
        """`until` is a time of the clock, in seconds."""
        self.cuts = 0
        """How often a function left something out because the time had passed."""
        self._until = until
        self._clock = clock

    @property
    def left(self) -> float:
        """The seconds until the time passes."""
        return self._until - self._clock()

    @property
    def cut(self) -> bool:
        """Whether something was left out."""
        return self.cuts > 0

    def has_passed(self) -> bool:
        """Whether to stop. Functions ask this between one candidate and the next."""
        passed = self.cut or self._clock() >= self._until
        self.cuts += passed
        return passed


@dataclass(frozen=True, slots=True)
class NameWords:
    """Words, as written, that `always` name an entity however common they are, or `never`."""

    always: frozenset[str] = frozenset()
    never: frozenset[str] = frozenset()

    @classmethod
    def of(cls, always: Iterable[str], never: Iterable[str]) -> NameWords:
        return cls(frozenset(map(surface, always)), frozenset(map(surface, never)))


@dataclass(frozen=True, slots=True)
class Authors:
    """Whether answers, and blocks for models, name the authors of commits and the persons who own
    code, and whether either name teams. `never` holds the folded names of those never named.
    """

    are_told: bool = False
    in_blocks: bool = False
    teams_are_told: bool = False
    never: frozenset[str] = frozenset()


class Said(NamedTuple):
    """The text that is shown for a claim. Claims with the same `where` are parts of one sentence:
    they make one line, which cites all `claims`, in the order of their ids.
    """

    text: str
    claims: tuple[str, ...]
    where: str


@dataclass(frozen=True)
class View:
    """One knowledge base for one viewer, who passes `gates`."""

    collection: str
    knowledge: Knowledge
    gates: frozenset[str]
    root: Path | None = None
    words: NameWords = NameWords()
    """Words that always, or never, name an entity in this knowledge base."""
    deadline: Deadline = field(default_factory=Deadline)
    since: int | None = None
    """If set, only claims that were confirmed or updated since this time count, in microseconds."""
    workspace: Workspace = field(default_factory=lambda: Workspace(Path()))
    """The files around the knowledge base and the ties to them. The ties are those of all viewers:
    `retrieval.file_ties` chooses those of this one.
    """
    authors: Authors = Authors()
    topics: Topics = NO_TOPICS
    """The topics of all viewers; `derived` are those of this one."""
    now: float = 0.0
    """When the question is asked, in seconds since 1970."""

    @property
    def identity(self) -> Path | str:
        """What identifies the knowledge base from one question to the next; its name may go to
        another one.
        """
        return self.root or self.collection

    @property
    def stamp(self) -> Hashable:
        """A value that changes whenever the same question may have another answer."""
        around = (self.workspace.serial, self.topics.serial, self.authors)
        parts = (self.collection, self.root, self.gates, self.words, self.since, *around)
        return (*parts, self.knowledge.serial)

    @cached_property
    def search(self) -> Search:
        """Full text search over what the viewer may see."""
        return Search(self.knowledge.snapshot, self.gates, self.derived, self.since)

    @cached_property
    def derived(self) -> VisibleTopics:
        """The topics that the viewer may see."""
        return self.topics.seen(self.knowledge, self.gates, self.words.never)

    def cached(self, what: str, text: str, make: Callable[[], T]) -> T:
        """The result of `make` for a text, from memory where it is known. It is not remembered if
        `make` left something out because time was up.
        """
        around = (self.workspace.serial, self.topics.serial, self.authors)
        key = (what, self.gates, self.words, self.since, *around)
        memo, before = self.knowledge.memo, self.deadline.cuts
        result = memo.cached(text, key, make)
        if self.deadline.cuts > before:
            memo.forget(text, key)
        return result

    def sees(self, artifact: Artifact) -> bool:
        """Whether the viewer may see an artifact. A relation is visible if both of its ends are.
        Evidence is visible if its source is, and a claim that cites it, if there are any: a source
        that is missing may be withheld from everybody.
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
        """An artifact, or a topic as an entity; None where it is missing or the viewer may not see
        it.
        """
        if key[0] == Kind.ENTITY and (topic := self.derived.get(key[1])) is not None:
            return topic.entity
        if key[0] in (Kind.PAGE, Kind.SOURCE):
            document = self.knowledge.document(key)
            artifact = None if document is None else shown_in(document, self.gates)
        else:
            artifact = self.knowledge.artifact(key)
        return artifact if artifact is not None and self.sees(artifact) else None

    def claim(self, claim_id: str) -> Claim | None:
        artifact = self.visible((Kind.CLAIM, claim_id))
        return artifact if isinstance(artifact, Claim) else None

    def said(self, claim: Claim) -> Said:
        """The text that this viewer is shown for a claim: its whole sentence, where it is a part of
        one that the viewer may see, else its own text. All answers take a claim's text from here.
        """
        sentence = self.sentence(claim)
        if sentence is None or not sentence.holds:
            return Said(claim.text, (claim.id,), claim.id)
        where = f"{sentence.source_id} {sentence.start} {sentence.text}"
        return Said(sentence.text, sentence.claims, where)

    def quoted(self, claim_id: str) -> Quoted | None:
        """The place of a claim's receipt in its source, looked up once for each question."""
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
        """The whole sentence around a claim's receipt; None if the viewer may not see it."""
        quoted = self.quoted(claim.id)
        sentence = None if quoted is None else quoted.sentence
        visible = sentence is not None and self.gates.issuperset(sentence.gates)
        return sentence if visible else None

    def is_approved_by_receipt(self, claim: Claim) -> bool:
        """Whether a checked receipt approved a claim, and no person. vouch marks as approved by
        itself what its only user approved as well; that has no receipt.
        """
        cited = (self.knowledge.evidence(reference) for reference in claim.evidence)
        return claim.auto_approved and any(map(is_receipt, filter(None, cited)))

    def kind_of(self, claim: Claim) -> CandidateKind:
        """What a claim is: worded, or, where no person but a checked receipt approved it, a
        statement of a captured exchange or a passage of a document.
        """
        if not claim.auto_approved:
            return "worded"
        sentence = self.sentence(claim)
        cited = [self.knowledge.evidence(one) for one in claim.evidence]
        receipts = [one for one in cited if one is not None and is_receipt(one)]
        ids = [sentence.source_id] if sentence is not None else [r.source_id for r in receipts]
        sources = (self.visible((Kind.SOURCE, source_id)) for source_id in ids)
        if any(isinstance(one, Source) and one.type in TALKING for one in sources):
            return "exchange"
        stands = sentence.holds if sentence is not None else bool(receipts)
        return "passage" if stands else "worded"

    def sayable(self, artifact: Artifact) -> bool:
        """Whether an artifact says something by itself. A claim that quotes a heading, a lead-in, a
        bare link, code, or talk between the one who asks and the one who answers, does not.
        """
        if not isinstance(artifact, Claim):
            return True
        quoted = self.quoted(artifact.id)
        if quoted is None:
            return form_of_text(artifact.text) is Form.STATEMENT
        in_parts = quoted.only_whole and self.sentence(artifact) is None
        return quoted.form is Form.STATEMENT and not in_parts

    def counts(self, claim: Claim) -> bool:
        """Whether a claim was confirmed or updated since the time that is asked for."""
        at = confirmed_at(claim)
        return self.since is None or (at is not None and at * MICROSECONDS >= self.since)

    def statements(self, source: Source) -> list[Claim]:
        """A source's statements that the viewer may see, each as the claim that leads it, in the
        order of the source.
        """
        first: dict[str, tuple[int, Claim]] = {}
        for claim, quoted in self.knowledge.claims_quoting(source.id):
            sentence = quoted.sentence
            if sentence is None or quoted.form is not Form.STATEMENT or not self.sees(claim):
                continue
            first.setdefault(self.said(claim).where, (sentence.start, claim))
        return [claim for _, claim in sorted(first.values(), key=lambda one: one[0])]

    def exchange_of(self, claim: Claim) -> Source | None:
        """The exchange, a question and the message that answers it, with a claim's sentence."""
        sentence = self.sentence(claim)
        if sentence is None:
            return None
        if sentence.source_id not in self._known_sources:
            source = self.visible((Kind.SOURCE, sentence.source_id))
            exchange = source if isinstance(source, Source) and source.question else None
            self._known_sources[sentence.source_id] = exchange
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
        """An entity's best claims by worth, ties by id."""
        return self.best(self.search.about([entity_id]), limit)

    def best(self, query: Query, limit: int) -> list[Claim]:
        """The best of the claims that a query finds, by worth, ties by id."""
        snapshot = self.knowledge.snapshot
        hits = snapshot.search(query, limit, by="worth")
        artifacts = (self.told_by(snapshot.document(hit)) for hit in hits)
        return [one for one in artifacts if isinstance(one, Claim)]

    def best_said(self, entity_id: str, limit: int) -> list[Claim]:
        """An entity's best claims that say something by themselves, each sentence once."""
        first: dict[str, Claim] = {}
        for claim in self.best_claims(entity_id, limit * CLAIMS_OF_A_SENTENCE):
            if self.sayable(claim):
                first.setdefault(self.said(claim).where, claim)
        return list(first.values())[:limit]

    def told_by(self, document: Document) -> Artifact | None:
        """The artifact of a document of the index, for a section its page; None if the viewer may
        not see it.
        """
        kind, artifact_id, section = key_in(document)
        if section or kind == TITLE:
            return self.visible((Kind.PAGE, artifact_id))
        if kind == QUESTION:
            return self.visible((Kind.SOURCE, artifact_id))
        artifact = shown_in(document, self.gates)
        if kind == Kind.CLAIM:
            self._known_quoted[artifact_id] = quoted_in(document)
        return artifact if self.sees(artifact) else None

    def claims_mark(self, entity_id: str) -> tuple[int, float]:
        """A value that changes when an entity gains or loses a claim, or when its claims change."""
        query = self.search.about([entity_id])
        return self.claim_count(entity_id), self.knowledge.snapshot.total(query, "mark")

    def found(self, query: Query, limit: int) -> Iterator[Artifact]:
        """The artifacts among a query's first `limit` documents that the viewer may see."""
        snapshot = self.knowledge.snapshot
        for hit in snapshot.search(query, limit):
            if (artifact := self.told_by(snapshot.document(hit))) is not None:
                yield artifact

    def hidden(self, kind: Kind) -> frozenset[str]:
        """Ids of the claims or sources that others may see and this viewer may not."""
        visible = labels_for(self.gates)
        places = self.knowledge.places(kind)
        closed = [one for one in places if StemPlace.decode(one).label not in visible]
        keys = self.knowledge.snapshot.sums(value_query("place", closed), "key") if closed else ()
        ids = (DocumentKey.decode(one).id for one in keys)
        return frozenset(one for one in ids if self.visible((kind, one)) is None)

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
        """The artifacts that refer to an id and that the viewer may see, by kind and id."""
        knowledge = self.knowledge
        return filter(self.sees, knowledge.found(knowledge.citing(artifact_id)))

    def citing_by_kind(self, artifact_id: str) -> dict[str, int]:
        """How many artifacts refer to an id and are visible to the viewer, by kind."""
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

        return self.cached("mentions", text, find)

    def derived_in(self, text: str) -> list[Mention]:
        """Places in a text that name a topic, beside those that name a declared entity."""

        def find() -> list[Mention]:
            declared = [m for m in self.mentions(text) if not m.nested]
            return [one for one in self.derived.find(text) if not any(map(one.overlaps, declared))]

        return self.cached("derived", text, find) if self.derived else []

    def places_of(self, text: str, entity_ids: Iterable[str]) -> tuple[tuple[int, int], ...]:
        """Where a text names some entities or topics: start and end of each place, in order."""
        wanted = frozenset(entity_ids)
        every = [*self.mentions(text), *self.derived_in(text)]
        found = {(m.start, m.end) for m in every if m.entity_id in wanted}
        return tuple(sorted(found))

    @cached_property
    def own_name(self) -> frozenset[str]:
        """The project's own name, folded. In a text about the project it says nothing."""
        return own_names(self.collection, self.root, self.workspace.origin)

    @property
    def claims_are_alike(self) -> bool:
        """Whether the first hundred claims by id all have the same status, approval, confidence
        and number of citations, as captured claims have. Then these facts are not worth showing.
        """

        def find() -> bool:
            first = list(self.found(self.search.every(Kind.CLAIM), MAX_ALIKE))
            claims = [one for one in first if isinstance(one, Claim)]
            kinds = {
                (one.status, one.auto_approved, one.confidence, len(set(one.evidence)))
                for one in claims
            }
            return len(claims) > 1 and len(kinds) == 1

        return self.cached("alike", "", find)

    def parts(self, text: str) -> list[Mention]:
        """Places beside its mentions that are a part of the names of a few entities."""
        found = self.knowledge.names.parts(text, self.mentions(text))
        return [m for m in found if surface(text[m.start : m.end]) not in self.words.never]

    @property
    def claim_total(self) -> int:
        """How many claims the viewer may see."""
        return self.search.total(Kind.CLAIM)

    def frequency(self, term: Term) -> int:
        """How many visible claims hold a word."""
        return self.search.frequency(term, Kind.CLAIM)

    def weights(self, text: str) -> Mapping[Term, float]:
        """The content words of a text with their rarity among the claims."""

        def weigh() -> Mapping[Term, float]:
            total = self.claim_total
            return {n: rarity(total, self.frequency(n)) for n in terms(text)}

        return self.cached("weights", text, weigh)

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
