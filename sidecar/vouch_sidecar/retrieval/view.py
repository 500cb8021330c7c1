"""A knowledge base as one viewer sees it. Every answer is made from a view: a generation, the gates
of one viewer and the time that is left, with the artifacts, names and texts that he may see.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from math import inf
from pathlib import Path
from typing import Any, TypeVar

from tantivy import Document, Query

from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.index.query import Search
from vouch_sidecar.index.schema import QUESTION, TITLE, key_in, labels_for
from vouch_sidecar.index.topic_table import VisibleTopics
from vouch_sidecar.kb.access import gate_of, is_live
from vouch_sidecar.kb.records import (
    SESSION_PAGE,
    STARTER_PAGE,
    Artifact,
    Claim,
    Entity,
    Evidence,
    Key,
    Kind,
    Page,
    Relation,
    Source,
    key_of,
)
from vouch_sidecar.kb.settings_model import Recall, Settings
from vouch_sidecar.names.matcher import Mention, outside
from vouch_sidecar.names.name_forms import spelling
from vouch_sidecar.retrieval.constants import UNASKED_LEAST, VOLUNTEERED, CandidateKind
from vouch_sidecar.workspace.shown import TALKING, ShownText, is_receipt, shown
from vouch_sidecar.workspace.topics import NO_TOPICS, Topics
from vouch_sidecar.workspace.world import World, own_names

CLAIMS_OF_A_SENTENCE = 3
"""Claims that are read for each one that is shown, as several may be parts of one sentence."""
T = TypeVar("T")


class Deadline:
    """The time limit of one question, shared by all functions that work on it. When it passes, what
    was found until then is the answer.
    """

    def __init__(self, until: float = inf, clock: Callable[[], float] = time.monotonic) -> None:
        """`until` is a time of the clock, in seconds."""
        self.cuts = 0
        """How often a function left something out because the time was up."""
        self._until = until
        self._clock = clock

    @property
    def seconds_left(self) -> float:
        """The seconds until the time passes."""
        return self._until - self._clock()

    def has_passed(self) -> bool:
        """Whether to stop. Functions ask this between one candidate and the next."""
        passed = self.cuts > 0 or self._clock() >= self._until
        self.cuts += passed
        return passed


@dataclass(frozen=True)
class View:
    """One knowledge base as seen by one viewer, who passes `gates`. Its parts are made anew at each
    use: if kept, they would form reference cycles and hold old generations in memory.
    """

    collection: str
    knowledge: Knowledge
    gates: frozenset[str]
    root: Path | None = None
    deadline: Deadline = field(default_factory=Deadline)
    since: int | None = None
    """If set, only claims that were confirmed or updated since this time count, in microseconds."""
    workspace: World = field(default_factory=lambda: World(Path()))
    """The files around the knowledge base and the ties to them. The ties are those of all viewers:
    `retrieval.files` chooses those of this one.
    """
    topics: Topics = NO_TOPICS
    """The topics of all viewers; `derived` has those of this one."""
    now: float = 0.0
    """When the question is asked, in seconds since 1970."""
    settings: Settings = field(default_factory=Settings)
    """Those of the knowledge base for who asks."""
    is_model: bool = False
    """Whether a model reads the answer."""
    is_unasked: bool = False
    """Whether nobody asked, as for a hook or a push: claims that nobody reviewed then need more."""
    shown_collection: str | None = None
    """The name of the collection, if rows of answers have to say which one they are from."""
    identity: Hashable = None
    """Identifies the knowledge base from one question to the next (`Collection.identity`)."""
    _found: dict[Hashable, Any] = field(default_factory=dict, init=False, compare=False, repr=False)
    """What was worked out for this question."""

    @property
    def visible(self) -> VisibleArtifacts:
        return VisibleArtifacts(self)

    @property
    def texts(self) -> ClaimTexts:
        return ClaimTexts(self)

    @property
    def names(self) -> VisibleNames:
        return VisibleNames(self)

    @property
    def recall(self) -> Recall:
        """The settings that govern what is told."""
        return self.settings.recall

    @cached_property
    def name_threshold(self) -> float:
        """The least strength of a name that is told."""
        configured = self.settings.volunteer.threshold
        return VOLUNTEERED if configured is None else configured

    @cached_property
    def always(self) -> frozenset[str]:
        """The spellings of words that name an entity here, however common they are."""
        return frozenset(map(spelling, self.settings.naming.always))

    @cached_property
    def never(self) -> frozenset[str]:
        """The spellings of words that never name one."""
        return frozenset(map(spelling, self.settings.naming.never))

    def tells(self, likelihood: float, kind: CandidateKind = "worded") -> bool:
        """Whether a line this likely is told. (`salience` says which names are volunteered.)"""
        return likelihood >= self.least(kind)

    def least(self, kind: CandidateKind) -> float:
        """The least likelihood of a line of this kind that is told."""
        own = UNASKED_LEAST.get(kind, 0.0) if self.is_unasked else 0.0
        return max(self.recall.similarity_threshold, own)

    @property
    def stamp(self) -> Hashable:
        """A value that changes whenever the same question may have another answer."""
        return self._read_stamp, self.settings, self.shown_collection

    @cached_property
    def _read_stamp(self) -> Hashable:
        """The same of what is read in texts: a part of every key of a cache, as to hash all
        settings takes longer than many a look there.
        """
        around = (self.workspace.serial, self.topics.serial)
        parts = (self.collection, self.root, self.gates, self.since, self.settings.naming, *around)
        return (*parts, self.recall, self.name_threshold, self.is_unasked, self.knowledge.serial)

    @cached_property
    def search(self) -> Search:
        """Full text search over what the viewer may see."""
        return Search(self.knowledge.snapshot, self.gates, self.derived, self.since)

    def number_of(self, kind: Kind) -> int:
        """How many artifacts of a kind the viewer may see; neither sections of pages nor the page
        about vouch, which it writes, are any.
        """
        if kind is not Kind.PAGE:
            return self.search.total(kind)
        return self.search.total(TITLE) - (self.visible.artifact((kind, STARTER_PAGE)) is not None)

    @cached_property
    def derived(self) -> VisibleTopics:
        """The topics that the viewer may see."""
        return self.topics.visible_to(self.knowledge, self.gates, self.never)

    @cached_property
    def own_names(self) -> frozenset[str]:
        """What the project is called, folded, unless it names an entity as well."""
        own, exactly = own_names(self.collection, self.root), self.knowledge.names.exactly
        return frozenset(name for name in own if spelling(name) in self.never or not exactly(name))

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """The result of `make`, worked out once a question: it may depend on what files there are
        now, as what may enter a prompt does.
        """
        if key not in self._found:
            self._found[key] = make()
        found: T = self._found[key]
        return found

    def cached(self, what: str, text: str, make: Callable[[], T]) -> T:
        """The result of `make` for a text, from memory if known. `make` must not ask for the time
        that is left.
        """
        return self.knowledge.memo.cached(text, (what, self._read_stamp), make)


class VisibleArtifacts:
    """Looks up artifacts; those that the viewer may not see are left out."""

    def __init__(self, at: View) -> None:
        self._at = at

    def sees(self, artifact: Artifact) -> bool:
        """Whether the viewer may see an artifact: what its links decide of a relation or evidence,
        its own gate of anything else.
        """
        if isinstance(artifact, Relation | Evidence):
            label = self._at.knowledge.state(key_of(artifact)).label
            return label in labels_for(self._at.gates)
        return gate_of(artifact) in self._at.gates

    def artifact(self, key: Key) -> Artifact | None:
        """An artifact, or a topic as an entity; None where it is missing or the viewer may not see
        it.
        """
        if key[0] == Kind.ENTITY and (topic := self._at.derived.get(key[1])) is not None:
            return topic.entity
        artifact = self._at.knowledge.artifact(key)
        return artifact if artifact is not None and self.sees(artifact) else None

    def claim(self, claim_id: str) -> Claim | None:
        artifact = self.artifact((Kind.CLAIM, claim_id))
        return artifact if isinstance(artifact, Claim) else None

    def entity(self, entity_id: str) -> Entity | None:
        """A declared entity, or a topic."""
        topic = self._at.derived.get(entity_id)
        return self._at.knowledge.entity(entity_id) if topic is None else topic.entity

    def in_document(self, document: Document) -> Artifact | None:
        """The artifact that a document of the index stands for; for a section, its page. None if
        the viewer may not see it.
        """
        key = key_in(document)
        kind = {TITLE: Kind.PAGE, QUESTION: Kind.SOURCE}.get(key.kind) or Kind(key.kind)
        return self.artifact((kind, key.id))

    def found(
        self, query: Query, limit: int, by: str | None = None
    ) -> Iterator[tuple[Artifact, Document]]:
        """The artifacts among a query's first `limit` documents that the viewer may see, each with
        its document.
        """
        snapshot = self._at.knowledge.snapshot
        for hit in snapshot.search(query, limit, by):
            document = snapshot.document(hit)
            if (artifact := self.in_document(document)) is not None:
                yield artifact, document

    def artifacts_in(self, query: Query, limit: int) -> Iterator[Artifact]:
        """The artifacts among a query's first `limit` documents that the viewer may see."""
        return (artifact for artifact, _ in self.found(query, limit))

    def best(self, query: Query, limit: int) -> list[Claim]:
        """The best claims that a query finds, by worth, ties by id."""
        artifacts = (artifact for artifact, _ in self.found(query, limit, by="worth"))
        return [claim for claim in artifacts if isinstance(claim, Claim)]

    def pages_about(self, key: Key) -> list[Page]:
        """The pages that list a claim or an entity, or that have a topic as title, by id."""
        topic = self._at.derived.get(key[1]) if key[0] == Kind.ENTITY else None
        ids = self._at.knowledge.pages_about(key) if topic is None else sorted(topic.pages)
        pages = (self.artifact((Kind.PAGE, page_id)) for page_id in ids)
        return [page for page in pages if isinstance(page, Page)]

    def cited(self, claim: Claim) -> Iterator[tuple[int, Source, Evidence | None]]:
        """The sources that a claim cites or whose evidence it cites, each with the number of the
        citation and the evidence.
        """
        for number, reference in enumerate(claim.evidence):
            evidence = self._at.knowledge.evidence(reference)
            source = self.artifact((Kind.SOURCE, evidence.source_id if evidence else reference))
            if isinstance(source, Source):
                yield number, source, evidence

    def relations_of(self, artifact_id: str) -> Iterator[Relation]:
        """The relations of an artifact that the viewer may see, by id."""
        return filter(self.sees, self._at.knowledge.relations.get(artifact_id, ()))


class VisibleNames:
    """Finds names in texts, and the entities that a name may mean."""

    def __init__(self, at: View) -> None:
        self._at = at

    def mentions(self, text: str) -> list[Mention]:
        """Places in a text that name a declared entity, nested ones included."""

        def find() -> list[Mention]:
            never = self._at.never
            mentions = self._at.knowledge.names.find(text)
            return [
                m for m in mentions if not never or spelling(text[m.start : m.end]) not in never
            ]

        return self._at.cached("mentions", text, find)

    def topic_mentions(self, text: str) -> list[Mention]:
        """Places in a text that name a topic and do not overlap with one that names a declared
        entity.
        """

        def find() -> list[Mention]:
            declared = (mention for mention in self.mentions(text) if not mention.nested)
            return outside(self._at.derived.find(text), declared)

        return self._at.cached("derived", text, find) if self._at.derived else []

    def places_of(self, text: str, entity_ids: Iterable[str]) -> tuple[tuple[int, int], ...]:
        """Where a text names some entities or topics: start and end of each place, in order."""
        wanted = frozenset(entity_ids)
        every = [*self.mentions(text), *self.topic_mentions(text)]
        places = {(m.start, m.end) for m in every if m.entity_id in wanted}
        return tuple(sorted(places))

    def parts(self, text: str) -> list[Mention]:
        """Places in a text that are a part of the names of a few entities, outside its mentions."""
        names = self._at.knowledge.names
        mentions = names.parts(text, names.find(text))
        return [m for m in mentions if spelling(text[m.start : m.end]) not in self._at.never]

    def is_topic(self, entity_id: str) -> bool:
        return self._at.derived.get(entity_id) is not None

    def entities_of(self, claim_id: str) -> frozenset[str]:
        """The entities and topics that a claim counts for."""
        linked, _ = self._at.knowledge.links(claim_id)
        return frozenset((*linked, *self._at.derived.of_claim.get(claim_id, ())))


class ClaimTexts:
    """The texts that a viewer is shown for claims. Every answer takes a claim's text from here."""

    def __init__(self, at: View) -> None:
        self._at = at

    def shown(self, claim: Claim) -> ShownText:
        """What is shown for a claim; worked out once per question."""
        at = self._at
        return at.once(("shown", claim.id), lambda: shown(at.knowledge, at.root, claim, at.gates))

    def is_reviewed(self, artifact: Artifact) -> bool:
        """Whether a person worded, approved or confirmed an artifact. vouch also marks as approved
        by itself what its own author approved: such claims have no receipt, or one of other words
        than theirs, which shows nothing of them.
        """
        return self.kind_of(artifact) == "worded"

    def kind_of(self, artifact: Artifact) -> CandidateKind:
        """How an artifact came about: worded, approved or confirmed by somebody, or, if only its
        receipt approved it, a statement of a captured exchange or a passage of a document. Notes of
        a session are like an exchange.
        """
        if isinstance(artifact, Page) and artifact.type == SESSION_PAGE:
            return "exchange"
        if not isinstance(artifact, Claim):
            return "worded"
        if not artifact.auto_approved or artifact.last_confirmed_at is not None:
            return "worded"
        knowledge, text = self._at.knowledge, self.shown(artifact)
        cited = map(knowledge.evidence, artifact.evidence)
        receipts = [each for each in cited if each is not None and is_receipt(each)]
        sources = (knowledge.source(receipt.source_id) for receipt in receipts)
        if any(source is not None and source.type in TALKING for source in sources):
            return "exchange"
        is_cut = text.sentence is None or text.is_whole
        quotes = [(receipt.quote or "").split() for receipt in receipts]
        return "passage" if receipts and (is_cut or artifact.text.split() in quotes) else "worded"

    def is_sayable(self, artifact: Artifact) -> bool:
        """Whether an artifact says something by itself. A claim that quotes a heading, a lead-in, a
        bare link, code, or small talk in a conversation does not, nor does the page about vouch.
        """
        if not isinstance(artifact, Claim):
            return artifact.id != STARTER_PAGE
        text = self.shown(artifact)
        return text.says_something and not text.lacks_context

    def statements_of(self, source: Source) -> list[Claim]:
        """The statements of a source that the viewer may see, in its order, each as the first claim
        of its sentence.
        """
        knowledge, first = self._at.knowledge, dict[str, Claim]()
        citing = {
            claim
            for evidence in knowledge.evidence_in.get(source.id, ())
            for claim in knowledge.claims_citing.get(evidence.id, ())
            if is_live(claim) and self._at.visible.sees(claim) and self.is_sayable(claim)
        }
        for claim in sorted(citing, key=lambda claim: (self.shown(claim).start, claim.id)):
            if self.shown(claim).source_id == source.id:
                first.setdefault(self.shown(claim).sentence_key, claim)
        return list(first.values())

    def exchange_of(self, claim: Claim) -> Source | None:
        """The exchange (a question and the message that answers it) that a claim's sentence stands
        in.
        """
        source = self._at.visible.artifact((Kind.SOURCE, self.shown(claim).source_id))
        return source if isinstance(source, Source) and source.question else None

    def best_claims(self, query: Query, limit: int) -> list[Claim]:
        """The best claims that say something by themselves, each sentence once."""
        first: dict[str, Claim] = {}
        for claim in self._at.visible.best(query, limit * CLAIMS_OF_A_SENTENCE):
            if self.is_sayable(claim):
                first.setdefault(self.shown(claim).sentence_key, claim)
        return list(first.values())[:limit]
