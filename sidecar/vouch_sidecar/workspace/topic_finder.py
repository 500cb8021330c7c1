"""Derives topics: names that nobody declared. They come from claims and pages without a declared
entity, as far as one viewer may see them: titles, tags, tickets, headings of cited documents,
phrases, and words that are hardly English.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.index.query import Search
from vouch_sidecar.index.topic_table import TOPIC, Topic, VisibleTopics, topic_id
from vouch_sidecar.kb.access import gate_of
from vouch_sidecar.kb.artifact_files import slug_of
from vouch_sidecar.kb.records import Claim, Entity, Kind, Page, Source
from vouch_sidecar.kb.sanitize import count
from vouch_sidecar.names.matcher import Names
from vouch_sidecar.names.name_forms import spelling
from vouch_sidecar.text.analysis import units
from vouch_sidecar.text.content_words import content_stems, terms
from vouch_sidecar.text.english_words import DATES, STOPWORDS, words_without_tier
from vouch_sidecar.workspace.document_headings import has_headings, headings_in
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
_WHY = {
    Origin.TITLE: "title of a page",
    Origin.TAG: "tag of {}",
    Origin.TICKET: "ticket in {}",
    Origin.HEADING: "heading above {}",
    Origin.PHRASE: "written with capitals in {}",
    Origin.WORD: "no English word, in {}",
}


class TopicSources(NamedTuple):
    """What topics are derived from beside a generation: what sources were made of; the project's
    own names, folded, which are none; and what is called between small steps.
    """

    content: Callable[[Source], bytes | None] = lambda _: None
    project_names: Set[str] = frozenset()
    checkpoint: Callable[[], None] = lambda: None


@dataclass
class _Candidate:
    """A name that may be a topic, with what supports it."""

    claims: dict[Origin, set[str]] = field(default_factory=lambda: defaultdict(set))
    spelled: dict[Origin, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    pages: set[str] = field(default_factory=set)

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
        found = ((_WHY[o], count(len(self.claims[o]), "claim")) for o in sorted(self.claims))
        return "; ".join(words.format(claims) for words, claims in found)


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
        claims = (claim for claim in knowledge.all_of(Kind.CLAIM) if isinstance(claim, Claim))
        visible = sorted((c for c in claims if gate_of(c) in gates), key=lambda claim: claim.id)
        self._total = len(visible)
        linked = knowledge.state
        self._claims = {c.id: c for c in visible if not linked((Kind.CLAIM, c.id)).entity_ids}
        """Claims that link to no entity, by id."""
        self._candidates: defaultdict[str, _Candidate] = defaultdict(_Candidate)

    def topics(self) -> VisibleTopics:
        if self._total and len(self._claims) <= (1 - LINKED_ENOUGH) * self._total:
            return VisibleTopics()
        self._note_claims()
        self._note_pages()
        self._note_documents()
        return VisibleTopics(self._chosen())

    # What is found

    def _note(
        self, origin: Origin, name: str, claims: Iterable[str], page: str | None = None
    ) -> None:
        """Note that a name stands in some claims, or is the title of a page."""
        self._sources.checkpoint()
        name = " ".join(name.split())
        ids = [claim_id for claim_id in claims if claim_id in self._claims]
        key = word_key(name.lower()) if origin is Origin.WORD else key_of_name(name)
        if not key and origin is Origin.TAG and name.isprintable():
            key = spelling(name)  # in a script without spaces
        if key and len(name) <= MAX_LENGTH and (ids or page is not None):
            candidate = self._candidates[key]
            candidate.claims[origin].update(ids)
            candidate.spelled[origin][name] += len(ids) if origin is Origin.WORD else 1
            candidate.pages.update([page] if page is not None else ())

    def _note_claims(self) -> None:
        """The tags, tickets and phrases of claims, and their words, also those that stand in an
        identifier.
        """
        names: defaultdict[tuple[Origin, str], dict[str, None]] = defaultdict(dict)
        words: defaultdict[str, list[str]] = defaultdict(list)
        inside: defaultdict[str, list[str]] = defaultdict(list)
        english = set[str]()
        for claim in self._claims.values():
            self._sources.checkpoint()
            for name in names_in_claim(claim):
                names[name][claim.id] = None
            said = set(WORD.findall(prose_of(claim.text).lower()))
            unknown = words_without_tier(said)
            english |= said - unknown
            for word in unknown:
                words[word].append(claim.id)
            for word in words_without_tier(words_of_identifiers(claim.text) - said):
                inside[word].append(claim.id)
        for (origin, called), holding in names.items():
            self._note(origin, called, holding)
        keys = set(map(word_key, words))
        for word, claim_ids in inside.items():
            if word_key(word) in keys:  # somebody says it
                words[word] += claim_ids
        self._note_words(words, set(map(word_key, english)))

    def _note_words(self, words: Mapping[str, list[str]], english: Set[str]) -> None:
        """The words that are no form of an English one; `english` has the keys of those."""
        number = Counter[str]()
        for word, ids in words.items():
            number[word_key(word)] += len(ids)
        for word, ids in words.items():
            key, text = word_key(word), self._claims[ids[0]].text
            is_form = key in english or len(word) < 3 or is_english(word)
            at = text.lower().find(word)
            name = text[at : at + len(word)] if at >= 0 else word
            is_prefixed = name[0].islower() and has_prefix(word)
            if number[key] >= SPOKEN_OF_FEW and not is_form and not is_prefixed:
                self._note(Origin.WORD, name, ids)

    def _note_pages(self) -> None:
        """The titles of pages without a declared entity."""
        for page in self._knowledge.all_of(Kind.PAGE):
            assert isinstance(page, Page)
            if gate_of(page) not in self._gates or any(map(self._knowledge.entity, page.entities)):
                continue
            is_made = page.id == STARTER or page.type == "session"
            if not is_made and len(page.title.split()) <= MAX_NAME_WORDS:
                self._note(Origin.TITLE, page.title, page.claims, page.id)

    def _note_documents(self) -> None:
        """The headings of documents that claims cite."""
        citing: defaultdict[str, list[tuple[str, int | None]]] = defaultdict(list)
        for claim in self._claims.values():
            for ref in dict.fromkeys(claim.evidence):
                evidence = self._knowledge.evidence(ref)
                source_id = ref if evidence is None else evidence.source_id
                at = None if evidence is None else evidence.byte_start
                citing[source_id].append((claim.id, at))
        cited = filter(None, map(self._knowledge.source, citing))
        seen = (source for source in cited if gate_of(source) in self._gates)
        documents = (source for source in seen if has_headings(source.locator))
        for source in islice(documents, MAX_DOCUMENTS):
            if data := self._sources.content(source):
                self._note_headings(source, citing[source.id], data)

    def _note_headings(
        self, source: Source, citing: Iterable[tuple[str, int | None]], data: bytes
    ) -> None:
        """The headings of a document, each with the claims that quote text below it, and those that
        hold all of its words, of the claims `citing` the document, each with the place where its
        quote begins. A heading that is hidden from the viewer does not count.
        """
        hidden = self._knowledge.concealed(source.id, self._gates)
        headings = headings_in(data) if hidden is not None else []
        starts = [heading.offset for heading in headings]
        stems = {i: frozenset(content_stems(self._claims[i].text)) for i, _ in citing}
        below: defaultdict[int, set[str]] = defaultdict(set)
        for claim_id, at in citing:
            if at is not None:
                below[bisect_right(starts, at) - 1].add(claim_id)
        for number, heading in enumerate(headings):
            if any(a < heading.offset_after and b > heading.offset for a, b in hidden or ()):
                continue
            words = terms(heading.text)
            holding = (i for i, held in stems.items() if all(w.held_by(held) for w in words))
            self._note(Origin.HEADING, heading.text, {*below[number], *(holding if words else ())})

    # What counts

    def _counts(self, candidate: _Candidate) -> bool:
        """Whether a name is a topic."""
        number, total = candidate.number, self._total
        name, enough = candidate.name, SPOKEN if total > FEW_SPEAK else SPOKEN_OF_FEW
        is_tag = number(Origin.TAG) >= TAGGED
        is_said = max(number(Origin.WORD), number(Origin.PHRASE)) >= enough
        if Origin.TICKET in candidate.claims:
            return not self._is_declared(name)
        words = [unit.folded for unit in units(name).units]
        content = [word for word in words if word not in STOPWORDS and not word.isdigit()]
        is_generic = all(word in GENERIC | DATES or len(word) < 2 for word in content)
        is_own = spelling(name) in self._sources.project_names
        if (is_generic and not is_tag) or is_own or is_path(name):
            return False
        if number(Origin.TAG, Origin.HEADING, Origin.PHRASE, Origin.WORD) > _too_many(total):
            return False
        several = len(content) > 1
        is_title = Origin.TITLE in candidate.claims and (several or not is_english(name.lower()))
        is_heading = Origin.HEADING in candidate.claims and several and is_name_of_heading(words)
        return (is_title or is_tag or is_heading or is_said) and not self._is_declared(name)

    def _is_declared(self, name: str) -> bool:
        """Whether a declared entity has this name in some form."""
        names = self._knowledge.names
        whole = ((mention.start, mention.end) == (0, len(name)) for mention in names.find(name))
        return bool(names.exactly(name)) or any(whole)

    def _chosen(self) -> list[Topic]:
        counting = [(key, each) for key, each in self._candidates.items() if self._counts(each)]
        counting.sort(key=lambda pair: (-len(pair[1].every), pair[0]))
        search = Search(self._knowledge.snapshot, self._gates)
        topics: dict[str, Topic] = {}
        for _, candidate in counting[:MAX_TOPICS]:
            self._sources.checkpoint()
            entity_id = topic_id(slug_of(candidate.name))
            if entity_id not in topics and self._knowledge.entity(entity_id) is None:
                entity = Entity(entity_id, "", candidate.name, TOPIC)
                claims = candidate.every | self._holding(search, candidate, Names([entity]))
                topics[entity_id] = Topic(entity, candidate.why, claims, frozenset(candidate.pages))
        return list(topics.values())

    def _holding(self, search: Search, candidate: _Candidate, named: Names) -> frozenset[str]:
        """The claims that contain all words of a title, a tag or a heading, a single one as
        `named`: “symlinks that resolve outside” speaks of no resolver.
        """
        words = terms(candidate.name)
        if min(candidate.claims) not in (Origin.TITLE, Origin.TAG, Origin.HEADING) or not words:
            return frozenset()
        sums = search.snapshot.sums(search.holding(words, Kind.CLAIM), "key")
        claims = (self._claims.get(key.split("\0")[1]) for key in sums)
        return frozenset(
            claim.id for claim in claims if claim and (len(words) > 1 or named.find(claim.text))
        )


def _too_many(total: int) -> float:
    """The number of claims, out of all, beyond which a name distinguishes nothing."""
    return max(IN_CLAIMS * total, min(FEW_CLAIMS, PART_OF_FEW * total), SPOKEN)
