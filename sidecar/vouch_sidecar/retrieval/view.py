"""A knowledge base as one viewer sees it. Every answer is made from a view: a generation, the gates
of one viewer and the time that is left, with the artifacts, names and texts that he may see.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from math import inf
from pathlib import Path
from typing import Any, TypeVar, cast

from tantivy import Document, Query

from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.index.layers import Hit
from vouch_sidecar.index.query import Search
from vouch_sidecar.index.schema import TITLE, key_in, labels_for
from vouch_sidecar.index.topic_table import VisibleTopics
from vouch_sidecar.kb.access import is_seen
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
    is_starter,
    key_of,
)
from vouch_sidecar.kb.settings_model import Recall, Settings
from vouch_sidecar.names.matcher import Mention, outside
from vouch_sidecar.names.name_forms import spelling
from vouch_sidecar.retrieval.constants import (
    MAX_TRIED,
    UNASKED_LEAST,
    VOLUNTEERED,
    CandidateKind,
)
from vouch_sidecar.retrieval.each_once import first_of_each
from vouch_sidecar.workspace.shown import TALKING, ShownText, quotes, receipts_of, shown
from vouch_sidecar.workspace.world import World, own_names

T = TypeVar("T")


class Deadline:
    """The time limit of one question, shared by all functions that work on it. When it passes, what
    was found until then is the answer.
    """

    def __init__(
        self,
        seconds: float = inf,
        clock: Callable[[], float] = time.monotonic,
        latest: float = inf,
    ) -> None:
        """`latest` is a time of the clock at which it passes in any case."""
        self.has_cut = False
        """Whether a function left something out because the time was up."""
        self._seconds, self._clock, self._latest = seconds, clock, latest
        self.begin()

    def begin(self) -> None:
        """Have all of the time from now on."""
        self._until = min(self._clock() + self._seconds, self._latest)

    @property
    def seconds_left(self) -> float:
        """The seconds until the time passes."""
        return self._until - self._clock()

    def has_passed(self) -> bool:
        """Whether to stop. Functions ask this between one candidate and the next."""
        self.has_cut = self.has_cut or self._clock() >= self._until
        return self.has_cut


@dataclass(frozen=True)
class View:
    """One knowledge base as seen by one viewer, who passes `gates`. None of its parts refers to it:
    reference cycles would hold old generations in memory.
    """

    collection: str
    knowledge: Knowledge
    gates: frozenset[str]
    root: Path | None = None
    deadline: Deadline = field(default_factory=Deadline)
    since: int | None = None
    """If set, only claims that were confirmed or updated since this time count, in microseconds."""
    world: World = field(default_factory=lambda: World(Path()))
    """The files around the knowledge base, the ties to them and the topics, of all viewers:
    `retrieval.files` and `derived` choose those of this one.
    """
    now: float = 0.0
    """When the question is asked, in seconds since 1970."""
    settings: Settings = field(default_factory=Settings)
    """Those of the knowledge base for who asks."""
    is_model: bool = False
    """Whether a model reads the answer."""
    is_unasked: bool = False
    """Whether nobody asked, as for a hook or a push: claims that nobody reviewed then need more."""
    lists_all: bool = False
    """Whether entities and sources that hold a text's words are looked for, which no prompt quotes.
    """
    shown_collection: str | None = None
    """The name of the collection, if rows of answers have to say which one they are from."""
    identity: Hashable = None
    """What sessions know the knowledge base by, as its name may pass to another: its folder, and
    the number of the last opt-out from `reflex`, with which what was given is forgotten.
    """
    uri_for: Callable[[Path], str] = field(default=Path.as_uri, compare=False)
    """The URI by which who asks knows a file."""
    looked: set[str] = field(default_factory=set, compare=False, repr=False)
    """The files in which this question looked for quotes."""
    _found: dict[Hashable, Any] = field(default_factory=dict, init=False, compare=False, repr=False)
    """What was worked out for this question."""

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

    def least(self, kind: CandidateKind = "worded") -> float:
        """The least likelihood of a line of this kind that is told. (`salience` says which names
        are volunteered.)
        """
        own = UNASKED_LEAST.get(kind, 0.0) if self.is_unasked else 0.0
        return max(self.recall.similarity_threshold, own)

    @property
    def stamp(self) -> Hashable:
        """A value that changes whenever the same question may have another answer."""
        return self._read_stamp, self.settings, self.is_unasked, self.shown_collection

    @cached_property
    def _read_stamp(self) -> Hashable:
        """The same of what is read in texts and may enter a prompt: a part of every key of a cache,
        as to hash all settings takes longer than many a look there.
        """
        settings, world = self.settings, self.world
        return (
            *(self.collection, self.root, self.gates, self.since),
            *(settings.naming, settings.topics, settings.recall),
            *(self.knowledge.serial, world.serial, world.inputs.knowledge_serial),
        )

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
        return self.search.total(TITLE) - (self.artifact(STARTER_PAGE) is not None)

    @cached_property
    def derived(self) -> VisibleTopics:
        """The topics that the viewer may see, unless settings turn these off."""
        if not self.settings.topics.enabled:
            return VisibleTopics()
        return self.world.topics_of(self.knowledge, self.gates, self.never)

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
        return cast(T, self._found[key])

    def cached(
        self, what: Hashable, text: str, make: Callable[[], T], *, for_all: bool = False
    ) -> T:
        """The result of `make` for a text, from memory if known. `make` may read what `_read_stamp`
        reads, and not ask for the time that is left. `for_all`: whoever asks has the same result.
        """
        return self.knowledge.memo.once(text, what if for_all else (what, self._read_stamp), make)

    # Artifacts

    def sees(self, artifact: Artifact) -> bool:
        """Whether the viewer may see an artifact: what its links decide of a relation or evidence,
        its own gate of anything else.
        """
        if isinstance(artifact, Relation | Evidence):
            return self.knowledge.state(key_of(artifact)).label in labels_for(self.gates)
        return is_seen(artifact, self.gates)

    def artifact(self, key: Key) -> Artifact | None:
        """An artifact, or a topic as an entity; None where it is missing or the viewer may not see
        it.
        """
        if key[0] == Kind.ENTITY and (topic := self.derived.get(key[1])) is not None:
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
            kind, artifact_id, _ = key_in(document)
            if (artifact := self.artifact((kind, artifact_id))) is not None:
                yield artifact, document

    def pages_about(self, key: Key) -> list[Page]:
        """The pages that list a claim or an entity, or that have a topic as title, by id."""
        topic = self.derived.get(key[1]) if key[0] == Kind.ENTITY else None
        ids = self.knowledge.pages_about(key) if topic is None else sorted(topic.pages)
        pages = (self.artifact((Kind.PAGE, page_id)) for page_id in ids)
        return [page for page in pages if isinstance(page, Page)]

    def cited(self, claim: Claim) -> Iterator[tuple[int, Source, Evidence | None]]:
        """The sources that a claim cites or whose evidence it cites, each with the number of the
        citation and the evidence.
        """
        for number, reference in enumerate(claim.evidence):
            evidence, source_id = self.knowledge.cited_by(reference)
            source = self.artifact((Kind.SOURCE, source_id))
            if isinstance(source, Source):
                yield number, source, evidence

    def relations_of(self, artifact_id: str) -> Iterator[Relation]:
        """The relations of an artifact that the viewer may see, by id."""
        return filter(self.sees, self.knowledge.relations.get(artifact_id, ()))

    # Names in texts

    def mentions(self, text: str) -> list[Mention]:
        """Places in a text that name a declared entity, nested ones included."""
        return self._allowed(text, self._named(text))

    def name_parts(self, text: str) -> list[Mention]:
        """Places in a text that are a part of the names of a few entities, outside its mentions."""
        return self._allowed(text, self.knowledge.names.parts(text, self._named(text)))

    def _named(self, text: str) -> list[Mention]:
        """What a text names, whoever asks; it is looked for many times a question."""
        return self.cached("names", text, lambda: self.knowledge.names.find(text), for_all=True)

    def _allowed(self, text: str, mentions: Iterable[Mention]) -> list[Mention]:
        return [m for m in mentions if spelling(text[m.start : m.end]) not in self.never]

    def topic_mentions(self, text: str) -> list[Mention]:
        """Places in a text that name a topic and do not overlap with one that names a declared
        entity.
        """
        declared = (mention for mention in self.mentions(text) if not mention.nested)
        return outside(self._allowed(text, self.derived.find(text)), declared)

    def is_topic(self, entity_id: str) -> bool:
        return self.derived.get(entity_id) is not None

    def entities_of(self, claim_id: str) -> frozenset[str]:
        """The entities and topics that a claim counts for."""
        declared, _ = self.knowledge.links(claim_id)
        return frozenset(declared).union(self.derived.of_claim.get(claim_id, ()))

    # What is shown of claims

    def shown(self, claim: Claim) -> ShownText:
        """What is shown for a claim. Every answer takes a claim's text from here."""
        return self.once(
            ("shown", claim.id), lambda: shown(self.knowledge, self.root, claim, self.gates)
        )

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
        if not isinstance(artifact, Claim) or artifact.is_approved:
            return "worded"
        receipts, text = receipts_of(self.knowledge, artifact), self.shown(artifact)
        sources = (self.knowledge.source(receipt.source_id) for receipt in receipts)
        if any(source is not None and source.type in TALKING for source in sources):
            return "exchange"
        is_cut = not text.source_id or text.is_whole
        is_quoted = any(quotes(receipt, artifact) for receipt in receipts)
        return "passage" if receipts and (is_cut or is_quoted) else "worded"

    def is_sayable(self, artifact: Artifact) -> bool:
        """Whether an artifact says something by itself. A claim that quotes a heading, a lead-in, a
        bare link, code, or small talk in a conversation does not, nor does the page about vouch.
        """
        if not isinstance(artifact, Claim):
            return not is_starter(artifact)
        text = self.shown(artifact)
        return text.says_something and not text.lacks_context

    def best_statements(self, query: Query, limit: int) -> list[Claim]:
        """The best claims that say something by themselves, of each sentence the first."""
        found = self.of_hits(islice(self.knowledge.snapshot.hits(query, by="worth"), MAX_TRIED))
        said = (one for one, _ in found if isinstance(one, Claim) and self.is_sayable(one))
        return list(islice(first_of_each(said, lambda one: self.shown(one).sentence_key), limit))

    # What may enter a prompt

    def may_enter(self, artifact: Artifact | None) -> bool:
        """Whether an artifact that the viewer may see may enter a prompt.

        Everything that chooses what is told (context, hooks, pushes) asks here before it chooses
        one of several, so that what is refused hides nothing else. A session's brief quotes no
        claim.
        """
        return artifact is not None and self.why_never_told(artifact) is None

    def why_never_told(self, artifact: Artifact) -> str | None:
        """Why an artifact may enter no prompt, in a few words that `explain` gives; None if it may.
        Refused are claims that say nothing by themselves or are lost, and the page about vouch
        itself.
        """
        if not self.is_sayable(artifact):
            return "it says nothing by itself"
        return self.lost(artifact) if isinstance(artifact, Claim) else None

    def lost(self, claim: Claim) -> str | None:
        """What is gone if all files that a claim cites are gone. Reads none of them."""
        gone = self.world.quotes.gone
        paths = [gone.get(source.id) for _, source, _ in self.cited(claim)] if gone else []
        return f"{paths[0]}, which it cites, is gone" if paths and all(paths) else None
