"""Finds the claims, sections of pages and relations that hold most of what a text asks for, and
those about the entities that it names. How likely each answers the text, or constrains what it asks
for, is a logistic function of its features.

`make fit` finds the weights (benchmarks/quality/fit.py); docs/how-it-decides.md shows one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, groupby, islice
from math import exp, fsum
from typing import NamedTuple

from tantivy import Document, Query

from vouch_sidecar.index.artifact_documents import sections, texts
from vouch_sidecar.index.claim_weights import worth
from vouch_sidecar.index.layers import Hit
from vouch_sidecar.index.query import all_of, term_query
from vouch_sidecar.index.schema import QUESTION, key_in, stems_in
from vouch_sidecar.kb.records import Artifact, Claim, Entity, Kind, Page, Relation, Source, Told
from vouch_sidecar.kb.sanitize import count
from vouch_sidecar.retrieval.constants import (
    ASKED_AGAIN,
    ASKS_MORE,
    BIAS,
    BIAS_SEMANTIC,
    FEW,
    LIKELIHOOD_WEIGHTS,
    LIKELIHOOD_WEIGHTS_SEMANTIC,
    MANY,
    MAX_CONSIDERED,
    MAX_SEMANTIC,
    MAX_TRIED,
    PASSAGE,
    SEMANTIC_LEAST,
    SPARE,
    CandidateKind,
)
from vouch_sidecar.retrieval.each_once import first_of_each
from vouch_sidecar.retrieval.evidence.asked import WeighedWords, worths_of
from vouch_sidecar.retrieval.statements.section_passages import Passage, heading, passages
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.semantic.vectors import TextVector
from vouch_sidecar.text.content_words import Term, content_stems
from vouch_sidecar.text.prompt_text import asks

Strengths = Mapping[str, float]
"""By entity id, how strongly a text names it, from 0 to 1."""


class Features(NamedTuple):
    """The features of one candidate for one text; nothing but 0 before it was judged."""

    held: float = 0.0
    """Weight of the words of the text that the candidate holds; names that speak are left out."""
    missing: float = 0.0
    """ln(1 + weight of the words that it lacks), without the heaviest of them: people often use one
    word of their own.
    """
    rivals: float = 0.0
    """ln of the number of candidates that hold all the words that it holds."""
    pairs: float = 0.0
    """Number of neighbouring words of the text that are neighbours in the candidate too, and of
    identifiers that it holds, at most 2.
    """
    named: float = 0.0
    """How strongly the text names what the candidate is about, from 0 to 1."""
    section: float = 0.0
    """1 for a section of a page, else 0."""
    size: float = 0.0
    """ln(1 + number of claims and sections that the viewer may see)."""
    shared: float = 0.0
    """ln(1 + number of words of the text that the candidate holds, where names and files count as
    `NAME_WORDS`): a single shared word tells little.
    """
    passage: float = 0.0
    """For a passage of a document that nobody worded as a claim, the same as `size`; else 0."""
    cosine: float | None = None
    """Its similarity in meaning to the text; None without a model, or if the model was too slow."""
    lead: float = 0.0
    """How much nearer in meaning it is than the next candidate."""

    @property
    def likelihood(self) -> float:
        """From 0 to 1, rounded to 3 places."""
        total = (BIAS if self.cosine is None else BIAS_SEMANTIC) + sum(self.terms.values())
        return round(1 / (1 + exp(-total)), 3)

    @property
    def terms(self) -> Mapping[str, float]:
        """What each feature adds (value × weight)."""
        weights = LIKELIHOOD_WEIGHTS if self.cosine is None else LIKELIHOOD_WEIGHTS_SEMANTIC
        if self.passage:
            weights = {**weights, "passage": PASSAGE}
        return {name: getattr(self, name) * weight + 0.0 for name, weight in weights.items()}

    def reason(self, words: Iterable[str]) -> str:
        """What decides, in a few words. `words` are those that the candidate holds."""
        shared, terms, others = " ".join(words), self.terms, round(exp(self.rivals)) - 1
        what = f"“{shared}”" if shared else "a name" if self.named else "its meaning"
        is_shared = others and terms["rivals"] <= terms["missing"]
        return f"{what} in common" + (f", as in {count(others, 'other')}" if is_shared else "")


class Candidate(NamedTuple):
    """An artifact, or a section of a page, with the words that it is judged by, and, once it was
    judged, the words that it shares with the text and its features.
    """

    artifact: Told
    section: int | None
    stems: list[str]
    text: str
    entity_ids: frozenset[str]
    sentence_key: str = ""
    """For a claim, the sentence that it is a part of: claims of one sentence are one candidate."""
    group: str = ""
    """Where it is from: candidates of one source or page are no rivals, entities and sources are
    none of any.
    """
    kind: CandidateKind = "worded"
    position: int = 0
    """For a statement of an exchange, its place in the answer."""
    words: tuple[str, ...] = ()
    """The words that it shares with the text, or the file that both name."""
    features: Features = Features()
    lacks: frozenset[Term] = frozenset()
    """The words of the text that it does not hold."""
    likelihood: float = 0.0
    """How likely it answers or constrains the text, from 0 to 1."""

    def is_told(self, view: View) -> bool:
        """Whether it is likely enough for its kind."""
        return self.likelihood >= view.least(self.kind)

    @property
    def order(self) -> tuple[float, int, int, str, int]:
        """A key to sort by: likeliest first, then the place in an answer, then worth, then id."""
        better = worth(self.artifact) if isinstance(self.artifact, Claim) else 0
        return (-self.likelihood, self.position, -better, self.artifact.id, self.section or 0)


def candidates_for(
    view: View,
    asked: WeighedWords,
    entity_strengths: Strengths,
    vector: TextVector | None = None,
) -> Iterator[Candidate]:
    """The candidates for a text, some of them several times: those about the entities that it
    names, those that hold its words, those near in meaning (with `vector`), and answers to
    questions like it. Only claims have a date.
    """
    strongest = sorted(entity_strengths, key=lambda entity: -entity_strengths[entity])
    for place, entity_id in enumerate(strongest[:MAX_CONSIDERED]):
        if place and view.deadline.has_passed():
            return  # those of the first are found however late it is
        yield from claims_of(view, entity_id, asked)
        if view.since is None:
            holding = view.search.weighed(asked.weights, Kind.RELATION)
            query = all_of([term_query("joins", entity_id), holding])
            yield from _found(view, query, MANY, asked, entity_strengths)
    if asked.weights and not view.deadline.has_passed():
        yield from claims_holding(view, asked)
    # an entity may be nearest in meaning
    others = (Kind.ENTITY, Kind.SOURCE) if view.lists_all or vector is not None else ()
    for kind in (Kind.PAGE, *others) if asked.weights and view.since is None else ():
        if not view.deadline.has_passed():
            query = view.search.weighed(asked.weights, kind)
            yield from _found(view, query, MAX_CONSIDERED, asked, entity_strengths)
    if vector is not None:
        near = vector.nearest(view.identity, [Kind.CLAIM], view.artifact, SEMANTIC_LEAST)
        tried = ((artifact, None) for artifact, _, _ in islice(near, MAX_TRIED))
        yield from islice(_claims(view, tried), MAX_SEMANTIC)
    if asked.weights and view.since is None and not view.deadline.has_passed():
        yield from chain.from_iterable(islice(_asked_again(view, asked), FEW))


def claims_holding(view: View, asked: WeighedWords) -> list[Candidate]:
    """The claims whose sentences hold most of the words asked for, of those that hold most by
    themselves: a few that are reviewed, and a few that are not.
    """
    hits = view.knowledge.snapshot.hits(view.search.weighed(asked.weights, Kind.CLAIM))
    found = sorted(
        islice(_claims(view, view.of_hits(islice(hits, MAX_TRIED))), SPARE * MAX_CONSIDERED),
        key=lambda each: -asked.weight_of(asked.held_by(frozenset(each.stems))),
    )
    few = list[Candidate]()
    for is_worded in (True, False):
        own = [each for each in found if (each.kind == "worded") is is_worded]
        sentences = [*dict.fromkeys(each.sentence_key for each in own)][:MAX_CONSIDERED]
        few += [each for each in own if each.sentence_key in sentences]
    return few


def claims_of(
    view: View, entity_id: str, asked: WeighedWords, most: int = MAX_CONSIDERED
) -> list[Candidate]:
    """The claims of an entity, at most `most`, of each sentence one: those that hold most of the
    words asked for, ties by worth; then its other claims by worth.
    """
    snapshot, own = view.knowledge.snapshot, view.search.claims_of([entity_id])
    holding = all_of([own, view.search.weighed(asked.weights, Kind.CLAIM)])

    def best() -> Iterator[Hit]:
        for _, tied in groupby(snapshot.hits(holding), key=lambda hit: hit.value):
            hits = list(tied)
            ranked = zip(snapshot.numbers(hits, "worth"), hits, strict=True)
            yield from (hit for _, hit in sorted(ranked, key=lambda each: -each[0]))
        yield from snapshot.hits(own, by="worth")

    found = _claims(view, view.of_hits(islice(best(), MAX_TRIED)))
    return list(islice(first_of_each(found, lambda each: each.sentence_key), most))


def claims_by_id(view: View, claim_ids: Iterable[str]) -> Iterator[Candidate]:
    """The candidates of some claims, without those that the viewer may not see."""
    return _claims(view, ((view.claim(each), None) for each in claim_ids))


def _claims(
    view: View, found: Iterable[tuple[Artifact | None, Document | None]]
) -> Iterator[Candidate]:
    """The candidates of the claims among some artifacts, as far as they may enter a prompt."""
    for claim, document in found:
        if isinstance(claim, Claim) and view.may_enter(claim):
            yield _claim(view, claim, document)


def _found(
    view: View, query: Query, limit: int, asked: WeighedWords, entity_strengths: Strengths
) -> Iterator[Candidate]:
    """The entities, relations, sources and sections that a query finds."""
    for artifact, document in view.found(query, limit):
        if isinstance(artifact, Page) and view.may_enter(artifact):
            yield _section(view, artifact, key_in(document).section, asked, entity_strengths)
        elif isinstance(artifact, Entity | Relation | Source) and view.may_enter(artifact):
            text, about, group = texts(artifact)[0], frozenset[str](), ""
            if isinstance(artifact, Relation):
                about, group = frozenset((artifact.source, artifact.target)), artifact.path
            yield Candidate(artifact, None, stems_in(document), text, about, group=group)


def _section(
    view: View, page: Page, number: int, asked: WeighedWords, entity_strengths: Strengths
) -> Candidate:
    """A section, represented by the passage that holds most of the words asked for. A passage that
    quotes a visible claim is left out, as the claim itself is a candidate.
    """
    section = sections(page)[number]
    above = f"{page.title}\n{heading(section)}"
    headed = content_stems(above)
    parts = view.cached("passages", section, lambda: [*passages(section)], for_all=True)

    def weight(part: Passage) -> float:
        return asked.weight_of(asked.held_by(frozenset((*headed, *part.stems))))

    own = (part for part in parts if not any(map(view.claim, part.claim_ids)))
    best = max(own, key=weight, default=Passage("", (), ()))
    text, stems = f"{above}\n{best.text}", [*headed, *best.stems]
    named = {each.entity_id for each in (view.mentions(text) if entity_strengths else ())}
    about = frozenset(page.entities).union(named.intersection(entity_strengths))
    return Candidate(page, number, stems, text, about, group=page.path, kind=view.kind_of(page))


def _claim(view: View, claim: Claim, document: Document | None = None) -> Candidate:
    """A claim with the words of its whole sentence; for a statement of an exchange, with those of
    the question. Its `document` has them where nothing else than its own text is shown.
    """
    shown = view.shown(claim)
    exchange = view.artifact((Kind.SOURCE, shown.source_id))
    (text,), about = texts(replace(claim, text=shown.text)), view.entities_of(claim.id)
    own = document if shown.text == claim.text else None
    stems = content_stems(text) if own is None else stems_in(own)
    if isinstance(exchange, Source) and exchange.question and asks(exchange.question):
        text = f"{exchange.question}\n{text}"
        stems = [*content_stems(exchange.question), *stems]
    where, kind = (shown.sentence_key, shown.source_id or claim.path), view.kind_of(claim)
    return Candidate(claim, None, stems, text, about, *where, kind)


def _asked_again(view: View, asked: WeighedWords) -> Iterator[Iterator[Candidate]]:
    """The statements that answered each of the captured questions which a text asks again: it asks,
    it holds most of the question, and question and answer together hold enough of it.
    """
    if not asks(asked.text):
        return
    stems, total = frozenset(content_stems(asked.text)), asked.weight_of(asked.weights)
    for source, _ in view.found(view.search.weighed(asked.weights, QUESTION), MANY):
        question = source.question or "" if isinstance(source, Source) else ""
        worths = worths_of(view, question)
        shared = fsum(weight for word, weight in worths.items() if word.held_by(stems))
        if not isinstance(source, Source) or shared < ASKED_AGAIN * fsum(worths.values()):
            continue
        parts = view.knowledge.evidence_in.get(source.id, ())
        citing = (
            claim for each in parts for claim in view.knowledge.claims_citing.get(each.id, ())
        )
        own = claims_by_id(view, dict.fromkeys(claim.id for claim in citing))
        statements = list(islice((each for each in own if each.group == source.id), MANY))
        held = asked.held_by(frozenset[str]().union(*(each.stems for each in statements)))
        if asks(question) and asked.weight_of(held) >= ASKS_MORE * total > 0:
            yield (
                each._replace(position=place, kind="answer")
                for place, each in enumerate(statements)
            )
