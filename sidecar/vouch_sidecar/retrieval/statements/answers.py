"""Finds the claims, sections of pages and relations that may answer a text or constrain what it
asks for, and how likely each one does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from heapq import nlargest
from itertools import pairwise
from math import fsum
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from tantivy import Document, Query

from vouch_sidecar.index.artifact_documents import sections, texts
from vouch_sidecar.index.claim_weights import worth
from vouch_sidecar.index.document_schema import QUESTION, SENTENCE_STEMS
from vouch_sidecar.index.layers import Hit
from vouch_sidecar.index.query import all_of, pointing_query
from vouch_sidecar.index.stored_artifacts import key_in, stems_in
from vouch_sidecar.kb.records import Claim, Entity, Kind, Page, Relation, Source
from vouch_sidecar.retrieval.constants import (
    ALIKE,
    ASKED_AGAIN,
    ASKS_MORE,
    BARE_WEIGHT,
    EXACT_WORDS,
    EXCHANGE_SHARE,
    MAX_CONSIDERED,
    MAX_EXCHANGES,
    MAX_NEAREST,
    MAX_PASSAGES,
    MAX_RELATIONS,
    MAX_SEMANTIC,
    MAX_SPEAKING,
    MAX_STATEMENTS,
    MAX_TIED,
    NAME_WORDS,
    SEMANTIC_LEAST,
    STARTER_PAGE,
    UNASKED_KINDS,
    UNASKED_PAGES,
    CandidateKind,
)
from vouch_sidecar.retrieval.evidence.text_kinds import asks_only_about
from vouch_sidecar.retrieval.evidence.word_weights import WeighedWords, asked_by, worths_of
from vouch_sidecar.retrieval.files.file_ties import Tied, tied_to_what
from vouch_sidecar.retrieval.statements.likelihood import Features
from vouch_sidecar.retrieval.statements.section_passages import Passage, heading, passages
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.text.content_words import Term, content_stems
from vouch_sidecar.text.prompt_text import asks
from vouch_sidecar.workspace.names_in_text import names_in

if TYPE_CHECKING:
    from vouch_sidecar.retrieval.statements.text_vector import TextVector

ANSWERING = (Kind.CLAIM, Kind.PAGE, Kind.RELATION)
"""Kinds of artifacts that answer a text."""
Strengths = Mapping[str, float]
"""By entity id, how strongly a text names it, from 0 to 1."""


class Answer(NamedTuple):
    """An artifact that may answer a text, with the words that both share and the features."""

    artifact: Claim | Entity | Page | Relation | Source
    section: int | None
    words: tuple[str, ...]
    features: Features
    entity_ids: frozenset[str]
    """Ids of the entities that the artifact is about."""
    position: int = 0
    """For a statement of an exchange, its place in the answer."""
    kind: CandidateKind = "worded"

    @property
    def is_volunteered(self) -> bool:
        """Whether it may be volunteered, by its kind."""
        if isinstance(self.artifact, Page):
            is_starter = self.artifact.id == STARTER_PAGE
            return not is_starter and self.artifact.type not in UNASKED_PAGES
        return self.kind not in UNASKED_KINDS

    @property
    def likelihood(self) -> float:
        """How likely it answers or constrains the text, from 0 to 1."""
        return self.features.likelihood

    @property
    def order(self) -> tuple[float, int, int, str, int]:
        """A key to sort by: likeliest first, then the place in an answer, then worth, then id."""
        claim = self.artifact if isinstance(self.artifact, Claim) else None
        better = worth(claim) if claim is not None else 0
        return (-self.likelihood, self.position, -better, self.artifact.id, self.section or 0)


class _Candidate(NamedTuple):
    artifact: Claim | Entity | Page | Relation | Source
    section: int | None
    stems: list[str]
    text: str
    entity_ids: frozenset[str]
    sentence_key: str = ""
    """For a claim, the sentence that it is a part of: claims of one sentence are one candidate."""
    group: str = ""
    """Candidates of the same group, such as statements of one exchange, are no rivals of each
    other.
    """
    position: int = 0
    """For a statement of an exchange, its place in the answer."""
    kind: CandidateKind = "worded"
    own_stems: frozenset[str] = frozenset()
    """For a statement of an exchange, its stems without those of the question."""
    context_stems: frozenset[str] = frozenset()
    """All stems of what stands around: of the section, of the sentence's paragraph, and of the
    headings and the title above. For a section…"""
    quotes: tuple[str, ...] = ()
    """…the ids of the claims that it quotes."""


def answers(
    view: View,
    text: str,
    entity_strengths: Strengths,
    kinds: Sequence[Kind] = ANSWERING,
    vector: TextVector | None = None,
) -> list[Answer]:
    """The artifacts of `kinds` that may answer a text, likeliest first, each once.

    Candidates are artifacts that hold most of the text's words beside names, and artifacts about
    the entities in `entity_strengths`. A name of strength 0 is removed from the text and counts for
    nothing. With `vector`, artifacts near in meaning are candidates too, and nearness is a feature.
    """
    key = f"answers {sorted(entity_strengths.items())} {kinds} {vector is not None}"
    return view.cached(key, text, lambda: _answers(view, text, entity_strengths, kinds, vector))


def _answers(
    view: View,
    text: str,
    entity_strengths: Strengths,
    kinds: Sequence[Kind],
    vector: TextVector | None,
) -> list[Answer]:
    ties = {tied.claim.id: tied for tied in tied_to_what(view, text)[:MAX_TIED]}
    named = names_in(view.workspace.relative(text)) if ties else []
    files = [(name.start, name.end) for name in named if name.kind == "path"]
    files += view.workspace.documents_in(text) if ties else []
    asked = asked_by(view, text, (*view.names.places_of(text, entity_strengths), *files))
    tied = _claims(view, ties)
    by_place = {
        (
            type(candidate.artifact),
            candidate.sentence_key or candidate.artifact.id,
            candidate.section,
        ): candidate
        for candidate in (*_candidates(view, asked, entity_strengths, kinds, vector), *tied)
        if view.texts.is_sayable(candidate.artifact)
    }
    judged = list(_judged(view, asked, entity_strengths, by_place.values(), ties))
    if vector is not None:
        judged = _with_nearness(view, judged, vector)
    judged.sort(key=lambda answer: answer.order)
    first: dict[tuple[type, str], Answer] = {}
    for answer in judged:
        first.setdefault((type(answer.artifact), answer.artifact.id), answer)
    return list(first.values())


def _with_nearness(view: View, judged: Sequence[Answer], vector: TextVector) -> list[Answer]:
    """The candidates with their nearness by meaning."""
    cosines = [vector.cosine(view, answer.artifact) for answer in judged]
    first, second = nlargest(2, [*cosines, 0.0, 0.0])
    return [
        answer._replace(
            features=answer.features._replace(
                cosine=cosine, lead=cosine - (second if cosine == first else first)
            )
        )
        for answer, cosine in zip(judged, cosines, strict=True)
    ]


def _candidates(
    view: View,
    asked: WeighedWords,
    entity_strengths: Strengths,
    kinds: Sequence[Kind],
    vector: TextVector | None = None,
) -> Iterator[_Candidate]:
    snapshot = view.knowledge.snapshot
    for kind in kinds if asked.weights else ():
        if kind is not Kind.RELATION and not view.deadline.has_passed():
            query = view.search.weighed(
                asked.weights, SENTENCE_STEMS if kind is Kind.CLAIM else kind
            )
            for hit in snapshot.search(query, MAX_CONSIDERED):
                yield from _candidate(view, snapshot.document(hit), asked, entity_strengths)
    near = (
        [] if vector is None else vector.nearest(view, [Kind.CLAIM], SEMANTIC_LEAST, MAX_SEMANTIC)
    )
    yield from _claims(view, (claim.id for claim in near))
    if asked.weights and Kind.CLAIM in kinds and not view.deadline.has_passed():
        yield from _of_exchanges(view, asked)
    for entity_id in sorted(entity_strengths, key=lambda entity: -entity_strengths[entity])[
        :MAX_SPEAKING
    ]:
        if view.deadline.has_passed():
            return
        yield from _claims_of(view, entity_id, asked)
        if Kind.RELATION in kinds:
            for hit in snapshot.search(_relations_of(view, entity_id, asked), MAX_RELATIONS):
                yield from _candidate(view, snapshot.document(hit), asked, entity_strengths)


def _claims_of(view: View, entity_id: str, asked: WeighedWords) -> list[_Candidate]:
    """The claims of an entity that hold most of the words asked for."""

    def find() -> list[_Candidate]:
        documents = _nearest(view, entity_id, asked.weights)
        return [
            _claim_candidate(view, document, claim)
            for document in documents
            if isinstance(claim := view.visible.in_document(document), Claim)
        ]

    return view.cached(f"claims of {entity_id} beside {asked.names}", asked.text, find)


def _relations_of(view: View, entity_id: str, asked: WeighedWords) -> Query:
    """The relations of an entity that hold a word asked for."""
    of_entity = pointing_query("joins", entity_id)
    return all_of([of_entity, view.search.weighed(asked.weights, Kind.RELATION)])


def _claims(view: View, claim_ids: Iterable[str]) -> Iterator[_Candidate]:
    for claim_id in claim_ids:
        document = view.knowledge.document((Kind.CLAIM, claim_id))
        if document is not None and isinstance(claim := view.visible.in_document(document), Claim):
            yield _claim_candidate(view, document, claim)


def _candidate(
    view: View, document: Document, asked: WeighedWords, entity_strengths: Strengths
) -> Iterator[_Candidate]:
    artifact = view.visible.in_document(document)
    if isinstance(artifact, Claim):
        yield _claim_candidate(view, document, artifact)
    elif isinstance(artifact, Relation):
        ends = frozenset((artifact.source, artifact.target))
        yield _Candidate(artifact, None, stems_in(document), texts(artifact)[0], ends)
    elif isinstance(artifact, Page):
        yield _section_candidate(view, document, artifact, asked, entity_strengths)
    elif isinstance(artifact, Entity | Source):
        stems = stems_in(document)
        yield _Candidate(artifact, None, stems, texts(artifact)[0], frozenset())


def _section_candidate(
    view: View, document: Document, page: Page, asked: WeighedWords, entity_strengths: Strengths
) -> _Candidate:
    """A section, represented by the passage that holds most of the words asked for. A passage that
    quotes a visible claim is left out, as the claim itself is a candidate, which gets the words of
    the section.
    """
    number = key_in(document)[2]
    section = sections(page)[number]
    above = f"{page.title}\n{heading(section)}"
    headed, whole = _stems(view, above), stems_in(document)
    parts = view.cached("passages", section, lambda: list(passages(section)))

    def weight(part: Passage) -> float:
        held = asked.held_by(frozenset((*headed, *part.stems)))
        return asked.weight_of(held, asked.exactly_in(part.text))

    best = Passage("", (), ())
    for part in sorted(parts, key=lambda part: -weight(part))[:MAX_PASSAGES]:
        if not any(view.visible.claim(claim_id) for claim_id in part.claim_ids):
            best = part
            break
    text, stems = f"{above}\n{best.text}", [*headed, *best.stems]
    about = frozenset(page.entities).union(_named_there(view, entity_strengths, text, stems))
    quoted = tuple(claim_id for part in parts for claim_id in part.claim_ids)
    around = frozenset((*headed, *whole))
    return _Candidate(page, number, stems, text, about, context_stems=around, quotes=quoted)


def _named_there(view: View, entity_ids: Strengths, text: str, stems: Sequence[str]) -> set[str]:
    """Which of some entities a text with these stems names."""
    held = frozenset(stems)
    entities = (view.visible.entity(entity_id) for entity_id in entity_ids)
    names = [
        _stems(view, "\n".join((entity.name, *entity.aliases))) for entity in entities if entity
    ]
    if all(words and held.isdisjoint(words) for words in names):
        return set()
    return {mention.entity_id for mention in view.names.mentions(text)}.intersection(entity_ids)


def _claim_candidate(view: View, document: Document, claim: Claim) -> _Candidate:
    """A claim with the words of its whole sentence; for a statement of an exchange, with those of
    the question.
    """
    shown, exchange = view.texts.shown(claim), view.texts.exchange_of(claim)
    text = " ".join((shown.text, *claim.topical_tags))
    stems = stems_in(document) if shown.text == claim.text else _stems(view, text)
    about, where = view.names.entities_in(document), shown.sentence_key
    kind, sentence = view.texts.kind_of(claim), view.texts.sentence(claim)
    around = frozenset(sentence.context_stems if sentence is not None else ())
    group = sentence.source_id if sentence is not None else ""
    candidate = _Candidate(
        claim, None, stems, text, about, where, group, kind=kind, context_stems=around
    )
    if exchange is None or exchange.question is None or not asks(exchange.question):
        return candidate
    asked, whole = _stems(view, exchange.question), f"{exchange.question}\n{text}"
    return candidate._replace(stems=[*asked, *stems], text=whole, own_stems=frozenset(stems))


def _stems(view: View, text: str) -> list[str]:
    return view.cached("stems", text, lambda: content_stems(text))


def _of_exchanges(view: View, asked: WeighedWords) -> Iterator[_Candidate]:
    """The statements of the exchanges whose question holds most of the words asked for, and enough
    of them.
    """
    snapshot = view.knowledge.snapshot
    for hit in view.search.down_to(asked.weights, QUESTION, EXCHANGE_SHARE, MAX_EXCHANGES):
        source = view.visible.in_document(snapshot.document(hit))
        if not isinstance(source, Source) or not asks(source.question or ""):
            continue
        statements = view.texts.statements_of(source)[:MAX_STATEMENTS]
        again = _asks_again(view, asked, source.question or "", statements)
        for turn, claim in enumerate(statements):
            document = view.knowledge.document((Kind.CLAIM, claim.id))
            if document is not None and view.visible.is_recent(claim):
                candidate = _claim_candidate(view, document, claim)
                kind: CandidateKind = "answer" if again else candidate.kind
                yield candidate._replace(position=turn, kind=kind)


def _asks_again(view: View, asked: WeighedWords, question: str, answer: Sequence[Claim]) -> bool:
    """Whether a text asks a captured question again: it asks, it holds most of the question, and
    question and answer together hold enough of it.
    """
    if not asks(asked.text):
        return False
    before, stems = worths_of(view, question), frozenset(_stems(view, asked.text))
    shared = fsum(weight for word, weight in before.items() if word.held_by(stems))
    if shared < ASKED_AGAIN * fsum(before.values()):
        return False
    texts = (question, *(view.texts.shown(claim).text for claim in answer))
    held = asked.held_by(frozenset(stem for text in texts for stem in _stems(view, text)))
    return asked.weight_of(held, ()) >= ASKS_MORE * asked.total_weight > 0


def _judged(
    view: View,
    asked: WeighedWords,
    entity_strengths: Strengths,
    candidates: Iterable[_Candidate],
    ties: Mapping[str, Tied] = MappingProxyType({}),
) -> Iterator[Answer]:
    """The candidates as answers, with their features. A relation counts only if the text names one
    of its ends and holds another word of it; its other end counts as a word if the text names it
    too. `ties` gives, by claim id, the strength of ties to files that the text names, which count
    like exact words.
    """
    candidates = list(candidates)
    # Reversed, so that of several sections that quote a claim the first one lends its words.
    lent = {
        claim_id: candidate.context_stems
        for candidate in reversed(candidates)
        for claim_id in candidate.quotes
    }
    holding = [_holding(asked, candidate) for candidate in candidates]
    rivals = _rivals(holding)
    total = view.search.total(SENTENCE_STEMS) + view.search.total(Kind.PAGE)
    for candidate, exactly, sentence, held, beyond in holding:
        strengths = sorted(
            (entity_strengths[each] for each in candidate.entity_ids if each in entity_strengths),
            reverse=True,
        )
        strength, other_end = (*strengths, 0.0, 0.0)[:2]
        if not isinstance(candidate.artifact, Relation):
            other_end = 0.0
        elif not (strength and held):
            continue
        own = candidate.own_stems
        if held and own and not any(word.held_by(own) for word in held):
            continue  # the words are those of the question alone
        tied = ties.get(candidate.artifact.id) if isinstance(candidate.artifact, Claim) else None
        tie = tied.strength if tied is not None else 0.0
        missing = sorted(asked.weights[word] for word in sentence.difference(held))
        around = asked.held_by(
            candidate.context_stems | lent.get(candidate.artifact.id, frozenset())
        )
        features = Features.of(
            held=asked.weight_of(held, exactly) + tie + other_end,
            missing=fsum(missing[:-1]),
            rivals=1 if tie else rivals[frozenset(held)],
            pairs=_pairs(asked, held, candidate.stems),
            named=strength,
            section=candidate.section is not None,
            around=asked.weight_of(set(around).intersection(sentence).difference(held), ()),
            beyond=asked.weight_of(beyond, ()),
            total=total,
            kind=candidate.kind,
            shared=asked.words_in(held) + NAME_WORDS * strength + (EXACT_WORDS if tie else 0),
        )
        words = tuple(word.word for word in held)
        if tied is not None and not words:
            words = (tied.path,)
        yield Answer(
            candidate.artifact,
            candidate.section,
            words,
            features,
            candidate.entity_ids,
            candidate.position,
            candidate.kind,
        )


class _Holding(NamedTuple):
    """The words of a text that a candidate holds, by the sentence of the text that it holds most
    of.
    """

    candidate: _Candidate
    exactly: frozenset[Term]
    """Words of identifiers, tickets, paths and options that it holds exactly as written."""
    sentence: frozenset[Term]
    held: tuple[Term, ...]
    beyond: frozenset[Term]
    """The words, if several, that it holds of another sentence: of the one of which it holds
    most.
    """


def _holding(asked: WeighedWords, candidate: _Candidate) -> _Holding:
    everywhere = _held(asked, candidate)
    exactly = asked.exactly_in(candidate.text)
    sentence = asked.best_sentence(everywhere, exactly)
    held = tuple(word for word in everywhere if word in sentence)
    others = [words.difference(sentence).intersection(everywhere) for words in asked.sentences]
    several = (words for words in others if asked.words_in(words) > 1)
    beyond = max(several, key=lambda words: asked.weight_of(words, ()), default=frozenset[Term]())
    return _Holding(candidate, exactly, sentence, held, beyond)


def _rivals(holding: Sequence[_Holding]) -> dict[frozenset[Term], int]:
    """For each set of words, how many groups of candidates hold all of them. Statements of one
    source form one group, as do statements that say the same.
    """
    groups: defaultdict[frozenset[Term], set[Hashable]] = defaultdict(set)
    alike: dict[Hashable, _Candidate] = {}
    for candidate, *_, held, _ in holding:
        if isinstance(candidate.artifact, Claim | Page | Relation):
            group: Hashable = candidate.group or (type(candidate.artifact), candidate.artifact.id)
            same = (earlier for earlier, other in alike.items() if _say_the_same(candidate, other))
            group = next(same, group)
            alike.setdefault(group, candidate)
            groups[frozenset(held)].add(group)
    return {
        words: len(set().union(*(some for other, some in groups.items() if words <= other)))
        for words in {frozenset(held) for *_, held, _ in holding}
    }


def _say_the_same(candidate: _Candidate, other: _Candidate) -> bool:
    """Whether two claims agree in numbers and identifiers, and in most of their stems."""
    if not isinstance(candidate.artifact, Claim) or not isinstance(other.artifact, Claim):
        return False
    ours, theirs = frozenset(candidate.stems), frozenset(other.stems)
    return len(ours & theirs) >= ALIKE * len(ours | theirs) > 0 and _exact_stems(
        ours
    ) == _exact_stems(theirs)


def _exact_stems(stems: frozenset[str]) -> frozenset[str]:
    """The numbers, and the identifiers as wholes, among some stems."""
    return frozenset(stem for stem in stems if not stem.isalpha())


def _held(asked: WeighedWords, candidate: _Candidate) -> tuple[Term, ...]:
    held = asked.held_by(frozenset(candidate.stems))
    return asked.as_written(held, candidate.text) if asked.proper.intersection(held) else held


def _pairs(asked: WeighedWords, held: Iterable[Term], stems: list[str]) -> int:
    """How many neighbouring words of the text are neighbours in a candidate; an identifier counts
    as one such pair.
    """
    whole = sum(len(word.alternatives) > 1 for word in held)
    return whole + len(asked.pairs.intersection(pairwise(stems)))


# The claims of one entity. This is their order in the block, in hover, in `entity` and behind
# `top_claim_id`.


def claims_about(view: View, entity: Entity, text: str) -> list[Answer]:
    """The claims of an entity that fit a text, likeliest first, of equal ones the best by worth; at
    most `MAX_NEAREST`.
    """

    def find() -> list[Answer]:
        asked = _asked_without_names(view, entity, text)
        candidates = _claims_of(view, entity.id, asked)
        return sorted(
            _judged(view, asked, {entity.id: 1.0}, candidates), key=lambda answer: answer.order
        )

    return view.cached(f"claims about {entity.id}", text, find)


def answers_about(view: View, entity: Entity, text: str) -> list[Answer]:
    """The claims of an entity that fit a text and say something by themselves, each sentence
    once.
    """
    first: dict[str, Answer] = {}
    for answer in claims_about(view, entity, text):
        if isinstance(answer.artifact, Claim) and view.texts.is_sayable(answer.artifact):
            first.setdefault(view.texts.shown(answer.artifact).sentence_key, answer)
    return list(first.values())


def best_claim_id(view: View, entity: Entity, text: str) -> str | None:
    """The id of the entity's claim that fits a text best, of those that mean something by
    themselves.
    """
    for answer in claims_about(view, entity, text):
        if isinstance(answer.artifact, Claim) and not view.texts.lacks_context(answer.artifact):
            return answer.artifact.id
    return None


def asks_for_all(view: View, entity: Entity, text: str) -> bool:
    """Whether a text asks for nothing in particular beside names, that of this entity among
    them.
    """
    asked = _asked_without_names(view, entity, text)
    return asked.total_weight < BARE_WEIGHT or asks_only_about(text, asked.names)


def asks_in_so_many_words(view: View, entity: Entity, text: str) -> bool:
    """Whether a text is nothing but names, that of this entity among them, or explicitly asks for
    everything about them.
    """
    return asks_only_about(text, _asked_without_names(view, entity, text).names)


def _asked_without_names(view: View, entity: Entity, text: str) -> WeighedWords:
    """The words of a text without its names; the name of the entity is removed also if it is a
    topic.
    """
    own = {entity.id} if view.names.is_topic(entity.id) else set()
    return asked_by(view, text, view.names.places_of(text, _named_in(view, text) | own))


def _named_in(view: View, text: str) -> set[str]:
    """The entities that a text names unambiguously. Their names do not distinguish between their
    claims.
    """
    return {mention.entity_id for mention in view.names.mentions(text) if not mention.ambiguous}


def _nearest(view: View, entity_id: str, weights: Mapping[Term, float]) -> Iterator[Document]:
    """The claims of an entity that hold most of the weighed words, ties by worth; then its other
    claims by worth.
    """
    snapshot = view.knowledge.snapshot
    hits = []
    if weights:
        query = view.search.claims_scored(entity_id, weights)
        hits = [hit for hit in snapshot.search(query, MAX_NEAREST) if hit.value]
        if len(hits) == MAX_NEAREST:
            hits = snapshot.down_to(query, hits[-1].value)  # with all that hold as much
    worths = dict(zip(map(_key, hits), snapshot.numbers(hits, "worth"), strict=True))
    hits.sort(key=lambda hit: (-hit.value, -worths[_key(hit)]))
    if len(hits) < MAX_NEAREST:
        best = snapshot.search(view.search.claims_of([entity_id]), MAX_NEAREST, by="worth")
        hits += [hit for hit in best if _key(hit) not in worths]
    return map(snapshot.document, hits[:MAX_NEAREST])


def _key(hit: Hit) -> tuple[int, int]:
    return id(hit.layer), hit.number
