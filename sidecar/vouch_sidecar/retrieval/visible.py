"""What a viewer may see of a generation: its artifacts, the names in a text, and the texts that are
shown for claims.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tantivy import Document, Query

from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.index.layers import Hit
from vouch_sidecar.index.schema import QUESTION, TITLE, key_in, labels_for
from vouch_sidecar.index.topic_table import VisibleTopics
from vouch_sidecar.kb.access import gate_of
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
from vouch_sidecar.names.matcher import Mention, outside
from vouch_sidecar.names.name_forms import spelling
from vouch_sidecar.retrieval.constants import CandidateKind
from vouch_sidecar.workspace.shown import TALKING, ShownText, is_receipt, shown

CLAIMS_OF_A_SENTENCE = 3
"""Claims that are read for each one that is shown, as several may be parts of one sentence."""


@dataclass(frozen=True, slots=True)
class VisibleArtifacts:
    """Looks up artifacts; those that the viewer may not see are left out."""

    knowledge: Knowledge
    gates: frozenset[str]
    topics: VisibleTopics

    def sees(self, artifact: Artifact) -> bool:
        """Whether the viewer may see an artifact: what its links decide of a relation or evidence,
        its own gate of anything else.
        """
        if isinstance(artifact, Relation | Evidence):
            return self.knowledge.state(key_of(artifact)).label in labels_for(self.gates)
        return gate_of(artifact) in self.gates

    def artifact(self, key: Key) -> Artifact | None:
        """An artifact, or a topic as an entity; None where it is missing or the viewer may not see
        it.
        """
        if key[0] == Kind.ENTITY and (topic := self.topics.get(key[1])) is not None:
            return topic.entity
        artifact = self.knowledge.artifact(key)
        return artifact if artifact is not None and self.sees(artifact) else None

    def claim(self, claim_id: str) -> Claim | None:
        artifact = self.artifact((Kind.CLAIM, claim_id))
        return artifact if isinstance(artifact, Claim) else None

    def entity(self, entity_id: str) -> Entity | None:
        """A declared entity, or a topic."""
        artifact = self.artifact((Kind.ENTITY, entity_id))
        return artifact if isinstance(artifact, Entity) else None

    def found(
        self, query: Query, limit: int, by: str | None = None
    ) -> Iterator[tuple[Artifact, Document]]:
        """The artifacts among a query's first `limit` documents that the viewer may see, each with
        its document.
        """
        return self.of_hits(self.knowledge.snapshot.search(query, limit, by))

    def of_hits(self, hits: Iterable[Hit]) -> Iterator[tuple[Artifact, Document]]:
        """The same of some hits. The artifact of a section is its page."""
        for document in map(self.knowledge.snapshot.document, hits):
            key = key_in(document)
            kind = {TITLE: Kind.PAGE, QUESTION: Kind.SOURCE}.get(key.kind) or Kind(key.kind)
            if (artifact := self.artifact((kind, key.id))) is not None:
                yield artifact, document

    def best(self, query: Query, limit: int) -> list[Claim]:
        """The best claims that a query finds, by worth, ties by id."""
        return [one for one, _ in self.found(query, limit, by="worth") if isinstance(one, Claim)]

    def pages_about(self, key: Key) -> list[Page]:
        """The pages that list a claim or an entity, or that have a topic as title, by id."""
        topic = self.topics.get(key[1]) if key[0] == Kind.ENTITY else None
        ids = self.knowledge.pages_about(key) if topic is None else sorted(topic.pages)
        pages = (self.artifact((Kind.PAGE, page_id)) for page_id in ids)
        return [page for page in pages if isinstance(page, Page)]

    def cited(self, claim: Claim) -> Iterator[tuple[int, Source, Evidence | None]]:
        """The sources that a claim cites or whose evidence it cites, each with the number of the
        citation and the evidence.
        """
        for number, reference in enumerate(claim.evidence):
            evidence = self.knowledge.evidence(reference)
            source = self.artifact((Kind.SOURCE, evidence.source_id if evidence else reference))
            if isinstance(source, Source):
                yield number, source, evidence

    def relations_of(self, artifact_id: str) -> Iterator[Relation]:
        """The relations of an artifact that the viewer may see, by id."""
        return filter(self.sees, self.knowledge.relations.get(artifact_id, ()))


@dataclass(frozen=True, slots=True)
class VisibleNames:
    """Finds names in texts, and the entities that a name may mean. `never` has the spellings that
    name none.
    """

    knowledge: Knowledge
    topics: VisibleTopics
    never: frozenset[str]

    def mentions(self, text: str) -> list[Mention]:
        """Places in a text that name a declared entity, nested ones included."""
        return self._allowed(text, self.knowledge.names.find(text))

    def parts(self, text: str) -> list[Mention]:
        """Places in a text that are a part of the names of a few entities, outside its mentions."""
        names = self.knowledge.names
        return self._allowed(text, names.parts(text, names.find(text)))

    def _allowed(self, text: str, mentions: Iterable[Mention]) -> list[Mention]:
        return [m for m in mentions if spelling(text[m.start : m.end]) not in self.never]

    def topic_mentions(self, text: str) -> list[Mention]:
        """Places in a text that name a topic and do not overlap with one that names a declared
        entity.
        """
        if not self.topics:
            return []
        declared = (mention for mention in self.mentions(text) if not mention.nested)
        return outside(self.topics.find(text), declared)

    def places_of(self, text: str, entity_ids: Iterable[str]) -> tuple[tuple[int, int], ...]:
        """Where a text names some entities or topics: start and end of each place, in order."""
        wanted = frozenset(entity_ids)
        every = [*self.mentions(text), *self.topic_mentions(text)]
        return tuple(sorted({(m.start, m.end) for m in every if m.entity_id in wanted}))

    def is_topic(self, entity_id: str) -> bool:
        return self.topics.get(entity_id) is not None

    def entities_of(self, claim_id: str) -> frozenset[str]:
        """The entities and topics that a claim counts for."""
        linked, _ = self.knowledge.links(claim_id)
        return frozenset((*linked, *self.topics.of_claim.get(claim_id, ())))


@dataclass(frozen=True, slots=True)
class ClaimTexts:
    """The texts that a viewer is shown for claims. Every answer takes a claim's text from here."""

    artifacts: VisibleArtifacts
    root: Path | None
    known: dict[str, ShownText] = field(default_factory=dict)
    """What is shown for claims, by id, as far as it was worked out for this question."""

    def shown(self, claim: Claim) -> ShownText:
        """What is shown for a claim; worked out once per question."""
        if claim.id not in self.known:
            seen = self.artifacts
            self.known[claim.id] = shown(seen.knowledge, self.root, claim, seen.gates)
        return self.known[claim.id]

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
        if (
            not isinstance(artifact, Claim)
            or not artifact.auto_approved
            or artifact.last_confirmed_at is not None
        ):
            return "worded"
        knowledge, text = self.artifacts.knowledge, self.shown(artifact)
        cited = map(knowledge.evidence, artifact.evidence)
        receipts = [each for each in cited if each is not None and is_receipt(each)]
        sources = (knowledge.source(receipt.source_id) for receipt in receipts)
        if any(source is not None and source.type in TALKING for source in sources):
            return "exchange"
        is_cut = not text.source_id or text.is_whole
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

    def best_claims(self, query: Query, limit: int) -> list[Claim]:
        """The best claims that say something by themselves, of each sentence the first."""
        first: dict[str, Claim] = {}
        for claim in self.artifacts.best(query, limit * CLAIMS_OF_A_SENTENCE):
            if self.is_sayable(claim):
                first.setdefault(self.shown(claim).sentence_key, claim)
        return list(first.values())[:limit]
