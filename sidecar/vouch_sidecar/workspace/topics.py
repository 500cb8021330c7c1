"""Topics: names that nobody declared. They are derived from claims and pages without a declared
entity, as far as one viewer may see them: from titles, tags, tickets, headings of cited documents,
phrases, and words that are hardly English.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass, field
from itertools import islice

from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.index.query import Search
from vouch_sidecar.index.schema import labels_for
from vouch_sidecar.index.topic_table import (
    TOPIC,
    Topic,
    VisibleTopics,
    topic_id,
)
from vouch_sidecar.kb.access import is_seen
from vouch_sidecar.kb.artifact_files import slug_of
from vouch_sidecar.kb.records import (
    SESSION_PAGE,
    Claim,
    Entity,
    Kind,
    Page,
    Source,
    is_starter,
)
from vouch_sidecar.names.matcher import Names
from vouch_sidecar.names.name_forms import spelling
from vouch_sidecar.text.analysis import units
from vouch_sidecar.text.content_words import terms
from vouch_sidecar.text.english_words import DATES, STOPWORDS, tier
from vouch_sidecar.workspace.breath import Breathe
from vouch_sidecar.workspace.claim_readings import documents_in
from vouch_sidecar.workspace.shown import shows
from vouch_sidecar.workspace.topic_names import (
    GENERIC,
    MAX_NAME_WORDS,
    Origin,
    has_headings,
    headings_in,
    is_english,
    is_name_of_heading,
    key_of_name,
    may_name,
    names_in_claim,
    word_key,
    words_in_claim,
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
MAX_LENGTH = 60
MAX_TOPICS = 2_000
"""Topics of one viewer, those with most claims."""
MAX_DOCUMENTS = 2_000
"""Documents whose headings are read."""


_WHY = {
    Origin.TITLE: "title of a page",
    Origin.TAG: "tag",
    Origin.TICKET: "ticket",
    Origin.HEADING: "heading of a cited document",
    Origin.PHRASE: "written with capitals",
    Origin.WORD: "no English word",
}


@dataclass
class _Candidate:
    """A name that may be a topic: the claims in which it was found, and how it is spelled there, by
    origin; and the pages that have it as their title.
    """

    claims: dict[Origin, set[str]] = field(default_factory=lambda: defaultdict(set))
    spelled: dict[Origin, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    pages: set[str] = field(default_factory=set)

    def held(self, *origins: Origin) -> frozenset[str]:
        """The claims in which it was found, by these origins."""
        return frozenset().union(*(self.claims.get(origin, ()) for origin in origins))

    @property
    def name(self) -> str:
        """The name as its first origin spells it most often, not as sentences begin with it."""
        spelled = self.spelled[min(self.spelled)]
        return min(spelled, key=lambda name: (name.istitle(), -spelled[name], name))


class TopicFinder:
    """Finds the topics of a generation for those who pass some gates. `content` gives what a source
    was made of, `own` has the project's names, folded, which are no topics, and `breathe` is called
    between small steps.
    """

    def __init__(
        self,
        knowledge: Knowledge,
        gates: frozenset[str],
        content: Callable[[Source], bytes | None],
        own: Set[str],
        breathe: Breathe,
    ) -> None:
        self._knowledge = knowledge
        self._gates = gates
        self._content = content
        self._own = own
        self._breathe = breathe
        visible = sorted(
            (claim for claim in knowledge.all_of(Claim) if is_seen(claim, gates)),
            key=lambda claim: claim.id,
        )
        self._total = len(visible)
        self._claims = {
            claim.id: claim
            for claim in visible
            if not knowledge.state((Kind.CLAIM, claim.id)).entity_ids
        }
        """Claims that link to no entity, by id."""
        self._candidates: defaultdict[str, _Candidate] = defaultdict(_Candidate)

    def topics(self) -> VisibleTopics:
        if not self._knowledge.lacks_links(labels_for(self._gates)):
            return VisibleTopics()
        self._note_claims()
        self._note_pages()
        self._note_documents()
        return VisibleTopics(self._chosen())

    # What is found

    def _note(
        self, origin: Origin, name: str, claims: Iterable[str], pages: Iterable[str] = ()
    ) -> None:
        """Note that a name was found in some claims, or is the title of pages."""
        self._breathe()
        name, ids = " ".join(name.split()), self._claims.keys() & claims
        key = word_key(name.lower()) if origin is Origin.WORD else key_of_name(name)
        if key and len(name) <= MAX_LENGTH:
            candidate = self._candidates[key]
            candidate.claims[origin].update(ids)
            candidate.spelled[origin][name] += len(ids) if origin is Origin.WORD else 1
            candidate.pages.update(pages)

    def _note_claims(self) -> None:
        """The tags, tickets and phrases of claims, and their words that are no form of an English
        one.
        """
        words: defaultdict[str, list[str]] = defaultdict(list)
        english = set[str]()
        for claim in self._claims.values():
            for origin, name in names_in_claim(claim):
                self._note(origin, name, [claim.id])
            for word in words_in_claim(claim):
                if tier(word.lower()):
                    english.add(word.lower())
                else:
                    words[word].append(claim.id)
        forms = set(map(word_key, english))
        for word, holding in words.items():
            if may_name(word) and word_key(word.lower()) not in forms:
                self._note(Origin.WORD, word, holding)

    def _note_pages(self) -> None:
        """The titles of pages without a declared entity."""
        for page in self._knowledge.all_of(Page):
            if not is_seen(page, self._gates) or any(map(self._knowledge.entity, page.entities)):
                continue
            is_made = is_starter(page) or page.type == SESSION_PAGE
            if not is_made and len(page.title.split()) <= MAX_NAME_WORDS:
                self._note(Origin.TITLE, page.title, page.claims, [page.id])

    def _note_documents(self) -> None:
        """The headings of documents that claims cite, each with the claims that quote text below
        it. A heading that is hidden from the viewer does not count.
        """
        citing: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
        for claim in self._claims.values():
            for ref in claim.evidence:
                evidence, source_id = self._knowledge.cited_by(ref)
                at = None if evidence is None else evidence.byte_start
                citing[source_id].append((claim.id, -1 if at is None else at))
        knowledge, gates = self._knowledge, self._gates
        cited = documents_in(filter(None, map(knowledge.source, citing)))
        shown = (
            source
            for source in cited
            if has_headings(source.locator) and shows(knowledge, source, gates)
        )
        for source in islice(shown, MAX_DOCUMENTS):
            headings = headings_in(self._content(source) or b"")
            starts = [start for start, _, _ in headings]
            below: defaultdict[int, set[str]] = defaultdict(set)
            for claim_id, at in citing[source.id]:
                below[bisect_right(starts, at) - 1].add(claim_id)
            for number, (start, end, text) in enumerate(headings):
                if shows(knowledge, source, gates, start, end):
                    self._note(Origin.HEADING, text, below[number])

    # What counts

    def _counts(self, candidate: _Candidate) -> bool:
        """Whether a name is a topic."""
        held, total, name = candidate.held, self._total, candidate.name
        declared = self._knowledge.names
        whole = ((found.start, found.end) == (0, len(name)) for found in declared.find(name))
        if declared.exactly(name) or any(whole):
            return False
        if Origin.TICKET in candidate.claims:
            return True
        words = [unit.folded for unit in units(name).units]
        content = [word for word in words if word not in STOPWORDS and not word.isdigit()]
        is_generic = all(word in GENERIC | DATES or len(word) < 2 for word in content)
        is_tag = len(held(Origin.TAG)) >= TAGGED
        if (is_generic and not is_tag) or spelling(name) in self._own:
            return False
        too_many = max(IN_CLAIMS * total, min(FEW_CLAIMS, PART_OF_FEW * total), SPOKEN)
        if len(held(Origin.TAG, Origin.HEADING, Origin.PHRASE, Origin.WORD)) > too_many:
            return False
        several, enough = len(content) > 1, SPOKEN if total > FEW_SPEAK else SPOKEN_OF_FEW
        is_said = max(len(held(Origin.WORD)), len(held(Origin.PHRASE))) >= enough
        is_title = Origin.TITLE in candidate.claims and (several or not is_english(name.lower()))
        is_heading = Origin.HEADING in candidate.claims and several and is_name_of_heading(words)
        return is_title or is_tag or is_heading or is_said

    def _chosen(self) -> list[Topic]:
        counting = [(key, each) for key, each in self._candidates.items() if self._counts(each)]
        counting.sort(key=lambda pair: (-len(pair[1].held(*Origin)), pair[0]))
        search = Search(self._knowledge.snapshot, self._gates)
        topics: dict[str, Topic] = {}
        for _, candidate in counting[:MAX_TOPICS]:
            self._breathe()
            entity_id = topic_id(slug_of(candidate.name))
            if entity_id not in topics and self._knowledge.entity(entity_id) is None:
                entity = Entity(entity_id, "", candidate.name, TOPIC)
                claims = candidate.held(*Origin) | self._holding(search, entity)
                pages = frozenset(candidate.pages)
                why = "; ".join(_WHY[origin] for origin in sorted(candidate.claims))
                if claims or pages:
                    topics[entity_id] = Topic(entity, why, claims, pages)
        return list(topics.values())

    def _holding(self, search: Search, entity: Entity) -> frozenset[str]:
        """The claims that contain all words of a name, a single one as a form of it: “symlinks that
        resolve outside” speaks of no resolver.
        """
        words, named = terms(entity.name), Names([entity])
        claims = map(self._claims.get, search.ids(search.holding(words, Kind.CLAIM)))
        return frozenset(
            claim.id for claim in claims if claim and (len(words) > 1 or named.find(claim.text))
        )
