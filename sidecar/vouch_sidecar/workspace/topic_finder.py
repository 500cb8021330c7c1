"""Derives topics: names that nobody declared. They come from claims and pages without a declared
entity, as far as one viewer may see them: titles, tags, tickets, headings of cited documents,
phrases, and words that are hardly English.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.index.query import Search
from vouch_sidecar.index.topic_table import TOPIC, Topic, VisibleTopics, topic_id
from vouch_sidecar.kb.access import gate_of
from vouch_sidecar.kb.artifact_files import slug_of
from vouch_sidecar.kb.records import Claim, Entity, Evidence, Kind, Page, Source
from vouch_sidecar.kb.sanitize import count
from vouch_sidecar.names.matcher import Names
from vouch_sidecar.names.name_forms import spelling
from vouch_sidecar.text.analysis import units
from vouch_sidecar.text.content_words import content_stems, terms
from vouch_sidecar.text.english_words import DATES, STOPWORDS, words_without_tier
from vouch_sidecar.workspace.cancellation import Checkpoint, never_cancelled
from vouch_sidecar.workspace.document_headings import DocumentHeading, has_headings, headings_in
from vouch_sidecar.workspace.topic_names import (
    GENERIC,
    MAX_NAME_WORDS,
    WORD,
    Origin,
    has_prefix,
    is_english,
    is_name_of_heading,
    is_path,
    key_of_name,
    names_in_claim,
    prose_of,
    word_key,
    words_of_identifiers,
)

TAGGED = 2
"""Claims that a tag needs."""
SPOKEN, SPOKEN_OF_FEW, FEW_SPEAK = 3, 2, 200
"""Claims that a word, or a phrase with capitals, needs, and how many it needs where there are no
more than so many claims."""
IN_CLAIMS = 0.03
"""Share of the claims beyond which a tag, a word or a heading tells nothing apart…"""
FEW_CLAIMS, PART_OF_FEW = 12, 0.25
"""…but so many claims, or this share of a small knowledge base, are never too many."""
STARTER = "edit-in-obsidian"
"""The page that `vouch init` writes."""
MAX_LENGTH = 60
MAX_TOPICS = 2_000
"""Topics of one viewer, those with most claims."""
LINKED_ENOUGH = 0.5
"""If this share of the claims is linked to declared entities, no topics are derived."""
MAX_DOCUMENTS = 2_000
"""Documents whose headings are read."""


class TopicSources(NamedTuple):
    """What topics are derived from beside a generation: what sources were made of; the project's
    own names, folded, which are none; and what is called between small steps.
    """

    content: Callable[[Source], bytes | None] = lambda _: None
    project_names: frozenset[str] = frozenset()
    checkpoint: Checkpoint = never_cancelled


@dataclass
class _TopicCandidate:
    """A name that may be a topic, with what supports it."""

    claims: dict[Origin, set[str]] = field(default_factory=dict)
    spelled: dict[Origin, Counter[str]] = field(default_factory=dict)
    pages: set[str] = field(default_factory=set)

    def note(self, origin: Origin, name: str, claims: Iterable[str] = ()) -> None:
        self.claims.setdefault(origin, set()).update(claims)
        self.spelled.setdefault(origin, Counter())[name] += 1

    def number(self, *origins: Origin) -> int:
        """The number of claims that contain the name, counted over these origins."""
        return len(set().union(*(self.claims.get(origin, ()) for origin in origins)))

    @property
    def name(self) -> str:
        """The name as its first origin spells it most often."""
        spelled = self.spelled[min(self.spelled)]
        return min(spelled, key=lambda name: (-spelled[name], name))

    @property
    def every(self) -> frozenset[str]:
        """All claims that hold it."""
        return frozenset().union(*self.claims.values())

    @property
    def why(self) -> str:
        """Where the name was found, for people."""
        return "; ".join(self._as_words(origin) for origin in sorted(self.claims))

    def _as_words(self, origin: Origin) -> str:
        claims = count(self.number(origin), "claim")
        match origin:
            case Origin.TITLE:
                return "title of a page"
            case Origin.TAG:
                return f"tag of {claims}"
            case Origin.TICKET:
                return f"ticket in {claims}"
            case Origin.HEADING:
                return f"heading of what {claims} cite{'s' * (self.number(origin) == 1)}"
            case Origin.PHRASE:
                return f"written with capitals in {claims}"
            case Origin.WORD:
                return f"no English word, in {claims}"


_ENOUGH = {Origin.TITLE, Origin.TICKET, Origin.HEADING}
"""The origins for which one claim, or a page, may be enough."""


def derive(
    knowledge: Knowledge,
    gates: frozenset[str],
    sources: TopicSources = TopicSources(),  # noqa: B008
) -> VisibleTopics:
    """The topics of a generation for those who pass some gates."""
    return _Deriving(knowledge, gates, sources).topics()


class _Deriving:
    """Gathers names that one viewer may see, and chooses the topics among them."""

    def __init__(self, knowledge: Knowledge, gates: frozenset[str], sources: TopicSources) -> None:
        self._knowledge = knowledge
        self._gates = gates
        self._sources = sources
        self._checkpoint = sources.checkpoint
        self._candidates: dict[str, _TopicCandidate] = {}
        """By key."""
        self._claims: dict[str, Claim] = {}
        """Claims that link to no entity, by id."""
        self._total = 0
        """The number of claims."""

    def topics(self) -> VisibleTopics:
        self._read_claims()
        if self._total and len(self._claims) <= (1 - LINKED_ENOUGH) * self._total:
            return VisibleTopics()
        self._note_claims()
        self._note_pages()
        self._note_documents()
        counting = {key: each for key, each in self._candidates.items() if self._counts(each)}
        return VisibleTopics(self._chosen(counting))

    # What is noted

    def _note(self, origin: Origin, name: str, claim_ids: Iterable[str]) -> None:
        """Record a name that some claims contain."""
        name = " ".join(name.split())
        key = key_of_name(name)
        if not key and origin is Origin.TAG and name.isprintable():
            key = spelling(name)  # in a script without spaces
        ids = [claim_id for claim_id in claim_ids if claim_id in self._claims]
        if key and ids and len(name) <= MAX_LENGTH:
            self._candidate(key).note(origin, name, ids)

    def _candidate(self, key: str) -> _TopicCandidate:
        return self._candidates.setdefault(key, _TopicCandidate())

    def _read_claims(self) -> None:
        """Find the claims that link to no entity."""
        for claim in sorted(self._knowledge.all_of(Kind.CLAIM), key=lambda claim: claim.id):
            self._checkpoint()
            if gate_of(claim) not in self._gates or not isinstance(claim, Claim):
                continue
            self._total += 1
            if not self._knowledge.state((Kind.CLAIM, claim.id)).entity_ids:
                self._claims[claim.id] = claim

    def _note_claims(self) -> None:
        by_name: dict[tuple[Origin, str], dict[str, None]] = {}
        words: dict[str, list[str]] = {}
        vocabulary = set[str]()
        said_by: dict[str, set[str]] = {}
        for claim in self._claims.values():
            self._checkpoint()
            for name in names_in_claim(claim):
                by_name.setdefault(name, {})[claim.id] = None
            said = said_by[claim.id] = set(WORD.findall(prose_of(claim.text).lower()))
            unknown = words_without_tier(said)
            vocabulary |= said - unknown
            for word in unknown:
                words.setdefault(word, []).append(claim.id)
        for (origin, called), claim_ids in by_name.items():
            self._note(origin, called, claim_ids)
        self._add_identifiers(words, said_by)
        self._note_words(words, vocabulary)

    def _add_identifiers(
        self, words: dict[str, list[str]], said_by: Mapping[str, set[str]]
    ) -> None:
        """Add the claims in whose identifiers a word stands that other claims say as a word."""
        keys = {word_key(word) for word in words}
        for claim_id, said in said_by.items():
            self._checkpoint()
            names = words_of_identifiers(self._claims[claim_id].text)
            for word in words_without_tier(names - said):
                if word_key(word) in keys:
                    words.setdefault(word, []).append(claim_id)

    def _note_words(self, words: Mapping[str, list[str]], english: Iterable[str]) -> None:
        """Record words that are no form of an English word; `english` has those that are."""
        self._checkpoint()
        number, beginnings = Counter[str](), set[str]()
        for word, ids in words.items():
            number[word_key(word)] += len(ids)
            beginnings.add(word[:3])
        english_keys = {word_key(word) for word in english if word[:3] in beginnings}
        for word, ids in words.items():
            key = word_key(word)
            if (
                number[key] < SPOKEN_OF_FEW
                or key in english_keys
                or len(word) < 3
                or is_english(word)
            ):
                continue
            text = self._claims[ids[0]].text
            at = text.lower().find(word)
            name = text[at : at + len(word)] if at >= 0 else word
            if name[0].islower() and has_prefix(word):
                continue
            candidate = self._candidate(key)
            candidate.note(Origin.WORD, name, ids)
            candidate.spelled[Origin.WORD][name] += len(ids) - 1

    def _note_pages(self) -> None:
        entity = self._knowledge.entity
        for page in self._knowledge.all_of(Kind.PAGE):
            self._checkpoint()
            assert isinstance(page, Page)
            if gate_of(page) not in self._gates or any(map(entity, page.entities)):
                continue
            if (
                page.id != STARTER
                and page.type != "session"
                and len(page.title.split()) <= MAX_NAME_WORDS
            ):
                title = " ".join(page.title.split())
                if key := key_of_name(title) if len(title) <= MAX_LENGTH else "":
                    candidate = self._candidate(key)
                    candidate.note(Origin.TITLE, title)
                    candidate.pages.add(page.id)
                listed = (self._knowledge.claim(claim_id) for claim_id in page.claims)
                ids = [claim.id for claim in listed if claim is not None]
                self._note(Origin.TITLE, title, ids)

    def _note_documents(self) -> None:
        """Record the headings of documents that claims cite, each with the claims that quote text
        below it, and those that cite the document and hold all words of the heading.
        """
        documents: dict[str, Source] = {}
        quotes: dict[str, Evidence] = {}
        for source in self._knowledge.all_of(Kind.SOURCE):
            self._checkpoint()
            if not isinstance(source, Source) or gate_of(source) not in self._gates:
                continue
            if not has_headings(source.locator):
                continue
            documents[source.id] = source
            quotes |= {one.id: one for one in self._knowledge.evidence_in(source.id)}
            if len(documents) == MAX_DOCUMENTS:
                break
        citing: dict[str, list[tuple[str, int | None]]] = {}
        for claim in self._claims.values():
            for ref in dict.fromkeys(claim.evidence):
                evidence = quotes.get(ref)
                source_id = ref if evidence is None else evidence.source_id
                at = None if evidence is None else evidence.byte_start
                if source_id in documents:
                    citing.setdefault(source_id, []).append((claim.id, at))
        for source_id, claims in citing.items():
            self._checkpoint()
            if data := self._sources.content(documents[source_id]):
                self._note_headings(documents[source_id], headings_in(data), claims, data)

    def _note_headings(
        self,
        source: Source,
        headings: list[DocumentHeading],
        citing: Iterable[tuple[str, int | None]],
        data: bytes,
    ) -> None:
        """`citing`: the claims that cite the document, and where in it what each quotes begins. A
        heading that is hidden from the viewer does not count.
        """
        hidden = self._knowledge.concealed(source.id, self._gates)
        if hidden is None:
            return
        text = data.decode("utf-8", "replace")
        starts = [heading.offset for heading in headings]
        stems = {
            claim_id: frozenset(content_stems(self._claims[claim_id].text))
            for claim_id, _ in citing
        }
        below: dict[int, set[str]] = {}
        for claim_id, at in citing:
            if at is not None:
                below.setdefault(bisect_right(starts, at) - 1, set()).add(claim_id)
        for number, heading in enumerate(headings):
            words = terms(heading.text)
            holding = (i for i, held in stems.items() if all(w.held_by(held) for w in words))
            ids = {*below.get(number, ()), *(holding if words else ())}
            start = heading.offset
            end = start + len(text[heading.start : heading.end].encode())
            if not any(a < end and b > start for a, b in hidden):
                self._note(Origin.HEADING, heading.text, ids)

    # What counts

    def _counts(self, candidate: _TopicCandidate) -> bool:
        """Whether a name is a topic."""
        number, total = candidate.number, self._total
        enough = SPOKEN if total > FEW_SPEAK else SPOKEN_OF_FEW
        is_tag = number(Origin.TAG) >= TAGGED
        is_word = number(Origin.WORD) >= enough
        is_phrase = number(Origin.PHRASE) >= enough
        if not (candidate.claims.keys() & _ENOUGH or is_tag or is_phrase or is_word):
            return False
        name, own = candidate.name, self._sources.project_names
        if Origin.TICKET in candidate.claims:
            return not self._is_declared(name)
        words = [unit.folded for unit in units(name).units]
        content = [word for word in words if word not in STOPWORDS and not word.isdigit()]
        is_generic = all(word in GENERIC | DATES or len(word) < 2 for word in content)
        if (is_generic and not is_tag) or spelling(name) in own or is_path(name):
            return False
        if number(Origin.TAG, Origin.HEADING, Origin.PHRASE, Origin.WORD) > _too_many(total):
            return False
        is_plain = len(content) < 2 and is_english(name.lower())
        return (
            (Origin.TITLE in candidate.claims and not is_plain)
            or is_tag
            or (
                Origin.HEADING in candidate.claims
                and len(content) > 1
                and is_name_of_heading(words)
            )
            or is_phrase
            or is_word
        ) and not self._is_declared(name)

    def _is_declared(self, name: str) -> bool:
        """Whether a declared entity has this name in some form."""
        return bool(self._knowledge.names.exactly(name)) or any(
            mention.start == 0 and mention.end == len(name)
            for mention in self._knowledge.names.find(name)
        )

    def _chosen(self, by_key: Mapping[str, _TopicCandidate]) -> list[Topic]:
        first = sorted(by_key, key=lambda key: (-len(by_key[key].every), key))[:MAX_TOPICS]
        search = Search(self._knowledge.snapshot, self._gates)
        topics: dict[str, Topic] = {}
        for key in first:
            self._checkpoint()
            candidate = by_key[key]
            entity_id = topic_id(slug_of(candidate.name))
            if entity_id in topics or self._knowledge.entity(entity_id) is not None:
                continue
            entity = Entity(entity_id, "", candidate.name, TOPIC)
            claims = candidate.every | self._holding(search, candidate, Names.of([entity]))
            topics[entity_id] = Topic(entity, candidate.why, claims, frozenset(candidate.pages))
        return list(topics.values())

    def _holding(self, search: Search, candidate: _TopicCandidate, named: Names) -> frozenset[str]:
        """The claims that contain all words of a title, a tag or a heading, a single one as
        `named`: “symlinks that resolve outside” speaks of no resolver.
        """
        words = terms(candidate.name)
        if min(candidate.claims) not in (Origin.TITLE, Origin.TAG, Origin.HEADING) or not words:
            return frozenset()
        sums = search.snapshot.sums(search.holding(words, Kind.CLAIM), "key")
        ids = (key.split("\0")[1] for key in sums)
        texts = {
            claim_id: self._claims[claim_id].text for claim_id in ids if claim_id in self._claims
        }
        return frozenset(
            claim_id for claim_id, text in texts.items() if len(words) > 1 or named.find(text)
        )


def _too_many(total: int) -> float:
    """The number of claims, out of all, beyond which a name distinguishes nothing."""
    return max(IN_CLAIMS * total, min(FEW_CLAIMS, PART_OF_FEW * total), SPOKEN)
