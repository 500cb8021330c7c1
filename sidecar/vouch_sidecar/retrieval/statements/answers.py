"""How likely the claims, sections of pages and relations that hold words of a text answer it, or
constrain what it asks for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import nlargest
from itertools import chain, pairwise
from math import fsum
from types import MappingProxyType
from typing import TYPE_CHECKING

from vouch_sidecar.kb.records import Claim, Kind, Page, Relation
from vouch_sidecar.retrieval.constants import (
    BARE_WEIGHT,
    EXACT_WORDS,
    FEW,
    MANY,
    MAX_PHRASED,
    NAME_WORDS,
)
from vouch_sidecar.retrieval.evidence.text_kinds import asks_only_about
from vouch_sidecar.retrieval.evidence.word_weights import WeighedWords, asked_by, is_pair
from vouch_sidecar.retrieval.files.file_ties import Tied, tied_to_what
from vouch_sidecar.retrieval.gate import may_enter
from vouch_sidecar.retrieval.statements.candidates import (
    Candidate,
    Strengths,
    candidates_for,
    claims_by_id,
    claims_of,
)
from vouch_sidecar.retrieval.statements.likelihood import Features
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.text.content_words import Term
from vouch_sidecar.workspace.names_in_text import names_in

if TYPE_CHECKING:
    from vouch_sidecar.retrieval.statements.text_vector import TextVector

ANSWERING = (Kind.CLAIM, Kind.PAGE, Kind.RELATION)
"""Kinds of artifacts that answer a text."""


def kinds_for(view: View) -> Sequence[Kind]:
    """The kinds of artifacts that are looked through for a text; only claims have a date."""
    return (*ANSWERING, Kind.ENTITY, Kind.SOURCE) if view.since is None else (Kind.CLAIM,)


def answers(
    view: View,
    text: str,
    entity_strengths: Strengths,
    kinds: Sequence[Kind] = ANSWERING,
    vector: TextVector | None = None,
) -> list[Candidate]:
    """The artifacts of `kinds` that may answer a text, likeliest first, each once.

    Candidates are artifacts that hold most of the text's words beside names, and artifacts about
    the entities in `entity_strengths`. A name of strength 0 is removed from the text and counts for
    nothing. With `vector`, artifacts near in meaning are candidates too, and nearness is a feature.
    """
    strengths = tuple(sorted(entity_strengths.items()))
    key = "answers", text, strengths, tuple(kinds), vector is not None
    return view.once(key, lambda: _answers(view, text, entity_strengths, kinds, vector))


def _answers(
    view: View,
    text: str,
    entity_strengths: Strengths,
    kinds: Sequence[Kind],
    vector: TextVector | None,
) -> list[Candidate]:
    ties = _ties(view, text)
    asked = asked_beside(view, text, entity_strengths)
    tied = claims_by_id(view, ties)
    found = [*candidates_for(view, asked, entity_strengths, kinds, vector), *tied]
    found.sort(key=lambda candidate: candidate.kind == "worded")  # the last of a sentence is judged
    by_place = {
        (
            type(candidate.artifact),
            candidate.sentence_key or candidate.artifact.id,
            candidate.section,
        ): candidate
        for candidate in found
    }
    judged = list(judge(view, asked, entity_strengths, by_place.values(), ties))
    if vector is not None:
        judged = _with_nearness(view, judged, vector)
    else:
        named = entity_strengths.keys()
        judged = [each for each in judged if each.words or not named.isdisjoint(each.entity_ids)]
    judged.sort(key=lambda answer: answer.order)
    first: dict[tuple[type, str], Candidate] = {}
    for answer in judged:
        first.setdefault((type(answer.artifact), answer.artifact.id), answer)
    return list(first.values())


def _ties(view: View, text: str) -> dict[str, Tied]:
    """By claim id, the strongest ties to what a text names."""

    def find() -> dict[str, Tied]:
        return {tied.claim.id: tied for tied in tied_to_what(view, text)[:MANY]}

    return view.once(("ties", text), find)


def asked_beside(view: View, text: str, entity_ids: Iterable[str]) -> WeighedWords:
    """The words of a text without the names of some entities, and of files that claims are tied
    to.
    """
    spans = list(view.names.places_of(text, entity_ids))
    if _ties(view, text):
        named = names_in(view.workspace.relative(text))
        spans += [(name.start, name.end) for name in named if name.kind == "path"]
        spans += view.workspace.documents_in(text)
    return asked_by(view, text, spans)


def claims_about(
    view: View, entity_id: str, text: str, entity_strengths: Strengths
) -> list[Candidate]:
    """The claims of an entity among the candidates of a text, likeliest first, each sentence
    once. The entity is one of those that the text names.
    """
    first: dict[str, Candidate] = {}
    for candidate in answers(view, text[:MAX_PHRASED], entity_strengths, kinds_for(view)):
        if isinstance(candidate.artifact, Claim) and entity_id in candidate.entity_ids:
            first.setdefault(candidate.sentence_key, candidate)
    return list(first.values())


def asked_for(
    view: View, about: Sequence[Candidate], text: str, entity_strengths: Strengths
) -> set[str]:
    """The ids of those claims of an entity that lack nothing of weight that a text asks for beside
    its names. There is none where the text asks for something that no claim of the entity holds.
    """
    asked = asked_beside(view, text[:MAX_PHRASED], entity_strengths)
    held_by_none = frozenset(asked.weights).intersection(*(each.lacks for each in about))
    if held_by_none and not asks_only_about(text, asked.names):
        return set()
    return {each.artifact.id for each in about if asked.weight_of(each.lacks) < BARE_WEIGHT}


def asks_for_all(view: View, text: str, entity_strengths: Strengths) -> bool:
    """Whether a text asks for nothing in particular beside the names of some entities."""
    asked = asked_beside(view, text[:MAX_PHRASED], entity_strengths)
    return asked.total_weight < BARE_WEIGHT or asks_only_about(text, asked.names)


def best_claim_id(view: View, entity_id: str, text: str) -> str | None:
    """The id of the entity's claim that fits a text best, of the few that hold most of it."""

    def find() -> str | None:
        certain = {m.entity_id for m in view.names.mentions(text) if not m.ambiguous}
        asked = asked_beside(view, text, certain | {entity_id})
        few = claims_of(view, entity_id, asked, FEW)
        judged = judge(view, asked, {entity_id: 1.0}, few)
        best = min(judged, key=lambda candidate: candidate.order, default=None)
        return None if best is None else best.artifact.id

    best = view.cached(f"best claim of {entity_id}", text, find)
    if best is None or may_enter(view, view.visible.claim(best)):
        return best
    return find()  # its file went meanwhile


def _with_nearness(view: View, judged: Sequence[Candidate], vector: TextVector) -> list[Candidate]:
    """The candidates with their nearness by meaning."""
    cosines = [vector.cosine(view, answer.artifact) for answer in judged]
    first, second = nlargest(2, [*cosines, 0.0, 0.0])
    return [
        answer.judged(
            answer.features._replace(
                cosine=cosine, lead=cosine - (second if cosine == first else first)
            )
        )
        for answer, cosine in zip(judged, cosines, strict=True)
    ]


def judge(
    view: View,
    asked: WeighedWords,
    entity_strengths: Strengths,
    candidates: Iterable[Candidate],
    ties: Mapping[str, Tied] = MappingProxyType({}),
) -> Iterator[Candidate]:
    """The candidates with their features, each by the sentence of the text that it likeliest
    answers: another sentence never takes from that. A relation counts only if the text names one
    of its ends and holds another word of it; its other end counts as a word if the text names it
    too. `ties` gives, by claim id, the strength of ties to files that the text names, which count
    like exact words.
    """
    compared = [_compared(candidate, asked) for candidate in candidates]
    rivals = _rivals(chain(*compared))
    total = view.search.total(Kind.CLAIM) + view.search.total(Kind.PAGE)

    def judged(candidate: Candidate) -> Candidate | None:
        held, text = candidate.held, candidate.text
        named = [entity_strengths.get(each, 0.0) for each in candidate.entity_ids]
        strength, other_end = (*sorted(named, reverse=True), 0.0, 0.0)[:2]
        if not isinstance(candidate.artifact, Relation):
            other_end = 0.0
        elif not (strength and held):
            return None
        own = candidate.own_stems
        if held and own and not any(word.held_by(own) for word in held):
            return None  # the words are those of the question alone
        tied = ties.get(candidate.artifact.id) if isinstance(candidate.artifact, Claim) else None
        tie = tied.strength if tied is not None else 0.0
        missing = sorted(asked.weights[word] for word in candidate.missing)
        exactly = "".join(word.word for word in asked.exactly_in(text).intersection(held))
        identifiers = sum(len(word.alternatives) > 1 for word in held)
        features = Features.of(
            held=asked.weight_of(held) + tie + other_end,
            missing=fsum(missing[:-1]),
            rivals=1 if tie else rivals[frozenset(held)],
            pairs=identifiers + len(asked.pairs.intersection(pairwise(candidate.stems))),
            named=strength,
            section=candidate.section is not None,
            total=total,
            kind=candidate.kind,
            shared=fsum(0.5 if is_pair(word) else 1.0 for word in held)
            + NAME_WORDS * strength
            + (EXACT_WORDS if tie or any(map(str.isdigit, exactly)) else 0),
        )
        words = tuple(word.word for word in held)
        if tied is not None and not words:
            words = (tied.path,)
        return candidate._replace(words=words).judged(features)

    for by_sentence in compared:
        found = [each for each in map(judged, by_sentence) if each is not None]
        if found:
            yield max(found, key=lambda candidate: candidate.likelihood)


def _compared(candidate: Candidate, asked: WeighedWords) -> list[Candidate]:
    """The candidate with the words that it shares with the text and those that it lacks, by each of
    the sentences that it holds most of.
    """
    everywhere = asked.meant_by(candidate.text, frozenset(candidate.stems))
    lacks = frozenset(asked.weights).difference(everywhere)
    found = []
    for sentence in asked.best_sentences(everywhere):
        held = tuple(word for word in everywhere if word in sentence)
        missing = sentence.difference(held)
        found.append(candidate._replace(held=held, missing=missing, lacks=lacks))
    return found


def _rivals(candidates: Iterable[Candidate]) -> dict[frozenset[Term], int]:
    """For each set of words, how many groups of candidates hold all of them. Statements of one
    source form one group.
    """
    groups = defaultdict[frozenset[Term], set[str]](set)
    for candidate in candidates:
        rivals = groups[frozenset(candidate.held)]
        if isinstance(candidate.artifact, Claim | Page | Relation):
            rivals.add(candidate.group or candidate.artifact.path)
    return {
        words: len(set().union(*(some for other, some in groups.items() if words <= other)))
        for words in groups
    }
