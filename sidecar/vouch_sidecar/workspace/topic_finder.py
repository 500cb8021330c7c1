"""Derives topics: names that nobody declared. They come from claims and pages without a declared
entity: titles, tags, headings of cited documents, names that claims share with the repository,
tickets, and words that are hardly English.

What everybody may see makes topics for everybody. What a gate protects makes topics, or adds claims
to topics, for those who pass that gate.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from vouch_sidecar.index.encoding import label_of
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.index.query import Search
from vouch_sidecar.index.topic_table import TOPIC, Table, Topic, topic_id
from vouch_sidecar.kb.access import OPEN, gate_of
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
from vouch_sidecar.workspace.topics import Topics

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
"""Topics that one gate makes, those with most claims."""
MAX_DOCUMENTS = 2_000
"""Documents whose headings are read."""


class Shared(NamedTuple):
    """A name that a claim shares with the repository: a folder, or something that the repository
    defines.
    """

    name: str
    claim_id: str
    is_folder: bool = False


class WorkspaceNames(NamedTuple):
    """What is known of the workspace: names shared with the repository; what sources were made of;
    the project's own names, folded; and what is called between small steps.
    """

    shared: Iterable[Shared] = ()
    content: Callable[[Source], bytes | None] = lambda _: None
    project_names: frozenset[str] = frozenset()
    checkpoint: Checkpoint = never_cancelled


@dataclass
class _TopicCandidate:
    """A name that may be a topic, with what supports it: artifacts with one gate."""

    claims: dict[Origin, set[str]] = field(default_factory=dict)
    spelled: dict[Origin, Counter[str]] = field(default_factory=dict)
    pages: set[str] = field(default_factory=set)
    folder: bool = False

    def note(self, origin: Origin, name: str, claims: Iterable[str] = ()) -> None:
        self.claims.setdefault(origin, set()).update(claims)
        self.spelled.setdefault(origin, Counter())[name] += 1

    def add(self, other: _TopicCandidate) -> None:
        for origin, claims in other.claims.items():
            self.claims.setdefault(origin, set()).update(claims)
            self.spelled.setdefault(origin, Counter()).update(other.spelled[origin])
        self.pages |= other.pages
        self.folder |= other.folder

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
            case Origin.NAME:
                return f"{'a folder' if self.folder else 'a name of the code'}, in {claims}"
            case Origin.TICKET:
                return f"ticket in {claims}"
            case Origin.HEADING:
                return f"heading of what {claims} cite{'s' * (self.number(origin) == 1)}"
            case Origin.PHRASE:
                return f"written with capitals in {claims}"
            case Origin.WORD:
                return f"no English word, in {claims}"


_ENOUGH = {Origin.TITLE, Origin.NAME, Origin.TICKET, Origin.HEADING}
"""The origins for which one claim, or a page, may be enough."""


def derive(knowledge: Knowledge, names: WorkspaceNames = WorkspaceNames()) -> Topics:  # noqa: B008
    """The topics of a generation."""
    return Topics(knowledge, _Deriving(knowledge, names).tables()).made_ready()


class _Deriving:
    """Gathers names by the gate that protects them, and chooses the topics among them."""

    def __init__(self, knowledge: Knowledge, names: WorkspaceNames) -> None:
        self._knowledge = knowledge
        self._workspace_names = names
        self._checkpoint = names.checkpoint
        self._candidates: dict[str, dict[str, _TopicCandidate]] = {OPEN: {}}
        """By gate and key."""
        self._claims: dict[str, tuple[Claim, str]] = {}
        """Claims that link to no entity, with their gates, by id."""
        self._totals = Counter[str]()
        """By gate, how many claims there are."""

    def tables(self) -> dict[str, Table]:
        """The topics by gate."""
        if not self._knowledge.sparse_labels:
            return {}
        self._read_claims()
        self._note_claims()
        self._note_pages()
        self._note_documents()
        for name, claim_id, is_folder in self._workspace_names.shared:
            for candidate in self._note(Origin.NAME, name, [claim_id], OPEN):
                candidate.folder |= is_folder
        everybodys, sparse = self._candidates.pop(OPEN), self._knowledge.sparse_labels
        chosen: dict[str, dict[str, _TopicCandidate]] = {OPEN: {}}
        if OPEN in sparse:
            chosen[OPEN] = {
                k: candidate for k, candidate in everybodys.items() if self._counts(candidate, OPEN)
            }
        for gate, own in sorted(self._candidates.items()):
            chosen[gate] = {}
            for key, topic_candidate in own.items() if label_of([gate]) in sparse else ():
                if key in everybodys:
                    topic_candidate.add(everybodys[key])
                if key in chosen[OPEN] or self._counts(topic_candidate, gate):
                    chosen[gate][key] = topic_candidate
        self._checkpoint()
        tables = {gate: self._table(chosen, gate) for gate in chosen}
        return {gate: table for gate, table in tables.items() if table.topics}

    # What is noted

    def _note(
        self, origin: Origin, name: str, claim_ids: Iterable[str], gate: str | None
    ) -> list[_TopicCandidate]:
        """Record a name that some claims contain. It needs the gates of both the name's artifact
        and the claim.
        """
        name = " ".join(name.split())
        key = key_of_name(name)
        if not key and origin is Origin.TAG and name.isprintable():
            key = spelling(name)  # in a script without spaces
        key = key if len(name) <= MAX_LENGTH else ""
        by_gate: dict[str, list[str]] = {}
        for claim_id in claim_ids:
            if (claim_and_gate := self._claims.get(claim_id)) is not None:
                by_gate.setdefault(claim_and_gate[1], []).append(claim_id)
        noted = []
        for own, ids in by_gate.items() if key and gate is not None else ():
            if gate in (OPEN, own) or own == OPEN:
                candidate = self._candidate(gate if own == OPEN and gate is not None else own, key)
                candidate.note(origin, name, ids)
                noted.append(candidate)
        return noted

    def _candidate(self, gate: str, key: str) -> _TopicCandidate:
        return self._candidates.setdefault(gate, {}).setdefault(key, _TopicCandidate())

    def _read_claims(self) -> None:
        """Find the claims that link to no entity."""
        for claim in sorted(self._knowledge.all_of(Kind.CLAIM), key=lambda claim: claim.id):
            self._checkpoint()
            gate = gate_of(claim)
            if gate is None or not isinstance(claim, Claim):
                continue
            self._totals[gate] += 1
            if not self._knowledge.state((Kind.CLAIM, claim.id)).entity_ids:
                self._claims[claim.id] = claim, gate

    def _note_claims(self) -> None:
        by_name: dict[tuple[Origin, str], dict[str, None]] = {}
        words: dict[str, dict[str, list[str]]] = {}
        vocabulary = set[str]()
        proses: list[set[str]] = []
        for claim, gate in self._claims.values():
            self._checkpoint()
            for name in names_in_claim(claim):
                by_name.setdefault(name, {})[claim.id] = None
            said = set(WORD.findall(prose_of(claim.text).lower()))
            proses.append(said)
            unknown = words_without_tier(said)
            vocabulary |= said - unknown
            here = words.setdefault(gate, {})
            for word in unknown:
                here.setdefault(word, []).append(claim.id)
        for (origin, called), claim_ids in by_name.items():
            self._note(origin, called, claim_ids, OPEN)
        self._add_identifiers(words, proses)
        self._note_words(words, vocabulary)

    def _add_identifiers(
        self, words: dict[str, dict[str, list[str]]], proses: Iterable[set[str]]
    ) -> None:
        """Add the claims in whose identifiers a word stands that other claims say as a word.
        `proses`: the words that each claim says.
        """
        keys = {gate: {word_key(word) for word in here} for gate, here in words.items()}
        for (claim, gate), said in zip(self._claims.values(), proses, strict=True):
            self._checkpoint()
            keys_here = keys.get(OPEN, set()), keys.get(gate, set())
            here = words.setdefault(gate, {})
            for word in words_without_tier(words_of_identifiers(claim.text) - said):
                if any(word_key(word) in some for some in keys_here):
                    here.setdefault(word, []).append(claim.id)

    def _note_words(
        self, words: Mapping[str, Mapping[str, list[str]]], english: Iterable[str]
    ) -> None:
        """Record words that are no form of an English word; `english` is filled with the others."""
        self._checkpoint()
        number, beginnings = Counter[str](), set[str]()
        for by_word in words.values():
            for word, ids in by_word.items():
                number[word_key(word)] += len(ids)
                beginnings.add(word[:3])
        english_keys = {word_key(word) for word in english if word[:3] in beginnings}
        for gate, by_word in words.items():
            for word, ids in by_word.items():
                key = word_key(word)
                if (
                    number[key] < SPOKEN_OF_FEW
                    or key in english_keys
                    or len(word) < 3
                    or is_english(word)
                ):
                    continue
                candidate = self._candidate(gate, key)
                text = self._claims[ids[0]][0].text
                at = text.lower().find(word)
                name = text[at : at + len(word)] if at >= 0 else word
                if name[0].islower() and has_prefix(word):
                    continue
                candidate.note(Origin.WORD, name, ids)
                candidate.spelled[Origin.WORD][name] += len(ids) - 1

    def _note_pages(self) -> None:
        entity = self._knowledge.entity
        for page in self._knowledge.all_of(Kind.PAGE):
            self._checkpoint()
            assert isinstance(page, Page)
            gate = gate_of(page)
            if gate is None or any(entity(declared) is not None for declared in page.entities):
                continue
            if (
                page.id != STARTER
                and page.type != "session"
                and len(page.title.split()) <= MAX_NAME_WORDS
            ):
                title = " ".join(page.title.split())
                if key := key_of_name(title) if len(title) <= MAX_LENGTH else "":
                    candidate = self._candidate(gate, key)
                    candidate.note(Origin.TITLE, title)
                    candidate.pages.add(page.id)
                listed = (self._knowledge.claim(claim_id) for claim_id in page.claims)
                ids = [claim.id for claim in listed if claim is not None]
                self._note(Origin.TITLE, title, ids, gate)

    def _note_documents(self) -> None:
        """Record the headings of documents that claims cite, each with the claims that quote text
        below it, and those that cite the document and hold all words of the heading.
        """
        documents: dict[str, Source] = {}
        quotes: dict[str, Evidence] = {}
        for source in self._knowledge.all_of(Kind.SOURCE):
            self._checkpoint()
            if not isinstance(source, Source) or not has_headings(source.locator):
                continue
            documents[source.id] = source
            quotes |= {one.id: one for one in self._knowledge.evidence_in(source.id)}
            if len(documents) == MAX_DOCUMENTS:
                break
        citing: dict[str, list[tuple[str, int | None]]] = {}
        for claim, _ in self._claims.values():
            for ref in dict.fromkeys(claim.evidence):
                evidence = quotes.get(ref)
                source_id = ref if evidence is None else evidence.source_id
                at = None if evidence is None else evidence.byte_start
                if source_id in documents:
                    citing.setdefault(source_id, []).append((claim.id, at))
        for source_id, claims in citing.items():
            self._checkpoint()
            if data := self._workspace_names.content(documents[source_id]):
                self._note_headings(documents[source_id], headings_in(data), claims, data)

    def _note_headings(
        self,
        source: Source,
        headings: list[DocumentHeading],
        citing: Iterable[tuple[str, int | None]],
        data: bytes,
    ) -> None:
        """`citing`: the claims that cite the document, and where in it what each quotes begins. A
        heading counts for those who may see the document, unless it is hidden from them.
        """
        own = gate_of(source)
        gates = (OPEN, *sorted(self._totals)) if own == OPEN else (own,)
        hidden = {
            gate: self._knowledge.concealed(source.id, frozenset({OPEN, gate}))
            for gate in gates
            if gate is not None
        }
        text = data.decode("utf-8", "replace")
        starts = [heading.offset for heading in headings]
        stems = {
            claim_id: frozenset(content_stems(self._claims[claim_id][0].text))
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
            told = [
                gate
                for gate, ranges in hidden.items()
                if ranges is not None and not any(a < end and b > start for a, b in ranges)
            ]
            for gate in ([OPEN] if OPEN in told else told) if ids else ():
                self._note(Origin.HEADING, heading.text, ids, gate)

    # What counts

    def _counts(self, candidate: _TopicCandidate, gate: str) -> bool:
        """Whether a name is a topic for those who pass a gate, not considering how many files
        contain it.
        """
        number, total = candidate.number, self._total(gate)
        enough = SPOKEN if total > FEW_SPEAK else SPOKEN_OF_FEW
        is_tag = number(Origin.TAG) >= TAGGED
        is_word = number(Origin.WORD) >= enough
        is_phrase = number(Origin.PHRASE) >= enough
        if not (candidate.claims.keys() & _ENOUGH or is_tag or is_phrase or is_word):
            return False
        name, own = candidate.name, self._workspace_names.project_names
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
            or (Origin.NAME in candidate.claims and not is_plain)
            or (
                Origin.HEADING in candidate.claims
                and len(content) > 1
                and is_name_of_heading(words)
            )
            or is_phrase
            or is_word
        ) and not self._is_declared(name)

    def _total(self, gate: str) -> int:
        """The number of claims that those who pass a gate may see."""
        return self._totals[OPEN] + (self._totals[gate] if gate != OPEN else 0)

    def _is_declared(self, name: str) -> bool:
        """Whether a declared entity has this name in some form."""
        return bool(self._knowledge.names.exactly(name)) or any(
            mention.start == 0 and mention.end == len(name)
            for mention in self._knowledge.names.find(name)
        )

    def _table(
        self,
        chosen: Mapping[str, Mapping[str, _TopicCandidate]],
        gate: str,
    ) -> Table:
        by_key = chosen[gate]
        first = sorted(by_key, key=lambda key: (-len(by_key[key].every), key))[:MAX_TOPICS]
        search = Search(self._knowledge.snapshot, frozenset({OPEN, gate}))
        topics: dict[str, Topic] = {}
        taken: set[str] = set()
        for key in first:
            self._checkpoint()
            candidate = by_key[key]
            entity_id = topic_id(slug_of(candidate.name))
            if entity_id in taken or self._knowledge.entity(entity_id) is not None:
                continue
            taken.add(entity_id)
            entity = Entity(entity_id, "", candidate.name, TOPIC)
            claims = candidate.every | self._holding(search, candidate, Names.of([entity]))
            topics[key] = Topic(key, entity, candidate.why, claims, frozenset(candidate.pages))
        everybodys = chosen[OPEN] if gate != OPEN else {}
        own = (topic.entity for key, topic in topics.items() if key not in everybodys)
        return Table(topics, Names.of(own))

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
            claim_id: self._claims[claim_id][0].text for claim_id in ids if claim_id in self._claims
        }
        return frozenset(
            claim_id for claim_id, text in texts.items() if len(words) > 1 or named.find(text)
        )


def _too_many(total: int) -> float:
    """The number of claims, out of all, beyond which a name distinguishes nothing."""
    return max(IN_CLAIMS * total, min(FEW_CLAIMS, PART_OF_FEW * total), SPOKEN)
