"""Finds the claims that match a topic: claims of the entities that it names, and claims that hold
its words; of a topic that names a file with tied claims, these in place of the latter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import fsum
from typing import Literal, NamedTuple

from tantivy import Document, Occur, Query

from vouch_sidecar.index.document_schema import TITLE
from vouch_sidecar.index.links import LinkedBy
from vouch_sidecar.index.query import all_of, any_of, fewest, rarity, value_query
from vouch_sidecar.index.stored_artifacts import stems_in
from vouch_sidecar.kb.records import Claim, Kind
from vouch_sidecar.names.mentions import Mention
from vouch_sidecar.retrieval.constants import (
    MAX_CLAIMS_WITH_FILES,
    MAX_SETS,
    MAX_TOPIC_WORDS,
    PARTIAL_SHARE,
)
from vouch_sidecar.retrieval.evidence.text_kinds import Span, blanked
from vouch_sidecar.retrieval.files.file_ties import tied_to_paths
from vouch_sidecar.retrieval.view import View, claim_in
from vouch_sidecar.text.content_words import Term, terms
from vouch_sidecar.text.prompt_text import BEST, WHOM

Linking = Literal["auto", "declared"]


@dataclass(frozen=True, slots=True)
class Question:
    """A question for experts. `now` is in seconds since 1970; `explain` asks for more claims of
    each row.
    """

    topic: str
    now: float
    weight: str = "count"
    linking: Linking = "auto"
    limit: int = 10
    min_claims: int = 1
    types: frozenset[str] | None = None
    explain: bool = False


@dataclass(frozen=True)
class Match:
    """The claims of one view that match a topic, which `query` finds: those that count for one of
    the entities in `entity_ids`, those that hold all words of one of the `word_sets`, and those
    `tied` to files.
    """

    view: View
    entity_ids: frozenset[str]
    word_sets: tuple[tuple[Term, ...], ...]
    weights: Mapping[Term, float]
    query: Query
    mentions: tuple[Mention, ...] = ()
    """The places where the topic names entities and derived topics."""
    parts: tuple[str, ...] = ()
    """Ids of the entities and derived topics of whose names the topic is a part."""
    files: tuple[str, ...] = ()
    """The files that the topic names, and folders with a slash at their end."""
    tied: frozenset[str] = frozenset()
    """Ids of the claims tied to these."""

    def matched_claims(self) -> Iterator[tuple[Matched, Document]]:
        """All matching claims, each with the words that it holds, read in one pass."""
        search, snapshot = self.view.search, self.view.knowledge.snapshot
        held = {
            hit[1:]: words  # the first set of several
            for words in reversed(self.word_sets)
            for hit in snapshot.all_hits(all_of([self.query, search.holding(words, Kind.CLAIM)]))
        }
        for hit in snapshot.all_hits(self.query):
            document = snapshot.document(hit)
            yield self._matched(document, held.get(hit[1:], ())), document

    @cached_property
    def best_claims(self) -> list[Claim]:
        """The best claims by worth, for questions about their files."""
        return self.view.visible.best(self.query, MAX_CLAIMS_WITH_FILES)

    @cached_property
    def _shares(self) -> Mapping[tuple[Term, ...], float]:
        """The share of the weight of all words that each set has."""
        total = fsum(self.weights.values())
        return {words: fsum(self.weights[w] for w in words) / total for words in self.word_sets}

    def read_claim(self, document: Document) -> Matched:
        """Read a document as a matching claim."""
        stems = frozenset(stems_in(document))
        sets = (words for words in self.word_sets if all(word.held_by(stems) for word in words))
        return self._matched(document, next(sets, ()))

    def _matched(self, document: Document, held: tuple[Term, ...]) -> Matched:
        entity_ids = self.view.names.entities_in(document)
        claim = claim_in(self.view, document)
        is_named = not self.entity_ids.isdisjoint(entity_ids) or claim.id in self.tied
        share = 1.0 if is_named else self._shares.get(held, 0.0)
        linked_by: LinkedBy = document["linked"][0]
        return Matched(claim, entity_ids, held, is_named, share, linked_by)


class Matched(NamedTuple):
    """A claim that matches a topic: the words that it holds, whether the topic names one of its
    entities or a file that it is tied to, and the share of the topic's words that it holds, weighed
    by rarity (1 if a name or a file matched).
    """

    claim: Claim
    entity_ids: frozenset[str]
    words: tuple[Term, ...]
    named: bool
    coverage: float
    linked_by: LinkedBy


@dataclass(frozen=True)
class TopicMatches:
    """The claims of each view that match a topic, found once for all parts of an answer."""

    question: Question
    in_views: Sequence[Match]
    unknown: Sequence[Term]
    """The words of the topic that stand in no live, visible claim, page or topic."""

    def unmatched(self) -> list[str]:
        """The unknown words as written and in order, without words of names, and without those that
        ask for somebody.
        """
        topic, matches = self.question.topic, self.in_views
        if not self.unknown or any(match.parts for match in matches):
            return []
        places = [(mention.start, mention.end) for match in matches for mention in match.mentions]
        if (asking := WHOM.search(topic)) is not None:
            places += [asking.span(), *(word.span() for word in BEST.finditer(topic))]
        beside = {word.word for word in terms(blanked(topic, places))}
        return [term.word for term in self.unknown if term.word in beside]


def matching(views: Sequence[View], question: Question) -> TopicMatches:
    """The claims of each view that match a question. Words that stand nowhere in the knowledge base
    are ignored; and where the topic names a file that claims of any view are tied to, all words
    but those of names.
    """
    files = [view.workspace.files_in(question.topic) for view in views]
    paths = [(start, end) for of_view in files for start, end, _ in of_view]
    tied = [
        frozenset(each.claim.id for each in tied_to_paths(view, [path for _, _, path in of_view]))
        for view, of_view in zip(views, files, strict=True)
    ]
    words = _words(views, blanked(question.topic, paths) if any(tied) else question.topic)
    held_words = [word for word, stands in words if stands]
    total = sum(view.counts.claims for view in views)
    weights = {
        n: rarity(total, sum(view.counts.frequency(n) for view in views)) for n in held_words
    }
    sets = [[] for _ in views] if any(tied) else _sets(views, weights)
    matches = [
        _match(view, question, held, weights, paths, [path for _, _, path in of_view], claim_ids)
        for view, held, of_view, claim_ids in zip(views, sets, files, tied, strict=True)
    ]
    return TopicMatches(question, matches, [word for word, stands in words if not stands])


def _words(views: Sequence[View], topic: str) -> list[tuple[Term, bool]]:
    """The words of a topic, and whether each stands in a live, visible claim, page or topic."""
    words = terms(topic)[:MAX_TOPIC_WORDS]
    searches = [replace(view.search, since=None) for view in views]
    in_topics = frozenset(
        word
        for view in views
        for mention in view.names.topic_mentions(topic)
        for word in terms(topic[mention.start : mention.end])
    )
    kinds = (Kind.CLAIM, Kind.PAGE, TITLE)
    held = {w for w in words if any(s.frequency(w, kind) for s in searches for kind in kinds)}
    return [(word, word in in_topics or word in held) for word in words]


def _match(
    view: View,
    question: Question,
    held: Sequence[tuple[Term, ...]],
    weights: Mapping[Term, float],
    paths: Sequence[Span],
    files: Sequence[str],
    tied: frozenset[str],
) -> Match:
    """The claims of a view that match: those of entities that the topic names in full or by a part,
    those that hold a set of words, and those `tied` to the `files` that it names at `paths`. A name
    that is a part of a path is none.
    """
    topic, search = question.topic, view.search
    mentions = (*view.names.mentions(topic), *view.names.topic_mentions(topic))
    mentions = tuple(mention for mention in mentions if not _is_within(mention, paths))
    parts = tuple(view.names.with_part(topic))
    entity_ids = frozenset({mention.entity_id for mention in mentions}.union(parts))
    query = any_of(
        [
            search.claims_of(sorted(entity_ids)),
            *(search.holding(words, Kind.CLAIM) for words in held),
            *([search.these_claims(sorted(tied))] if tied else []),
        ]
    )
    if question.linking == "declared":
        query = all_of([query, value_query("linked", ["declared"])])
    return Match(view, entity_ids, tuple(held), weights, query, mentions, parts, tuple(files), tied)


def _is_within(mention: Mention, paths: Sequence[Span]) -> bool:
    return any(
        start <= mention.start and mention.end <= end and mention.end - mention.start < end - start
        for start, end in paths
    )


def _sets(views: Sequence[View], weights: Mapping[Term, float]) -> list[list[tuple[Term, ...]]]:
    """For each view, the sets of words of which a claim must hold one: all words; if no claim holds
    all, the sets with the largest share of them.
    """
    words = tuple(weights)
    if not words:
        return [[] for _ in views]
    if len(words) < 2 or any(view.search.holds(words, Kind.CLAIM) for view in views):
        return [[words] for _ in views]
    largest = [_largest(view, weights) for view in views]
    best = max((share for share, _ in largest), default=0.0)
    if best < PARTIAL_SHARE:
        return [[] for _ in views]
    return [sets if share == best else [] for share, sets in largest]


def _largest(view: View, weights: Mapping[Term, float]) -> tuple[float, list[tuple[Term, ...]]]:
    """The largest share of the words that a claim holds, and the sets of words that make it."""
    snapshot, whole = view.knowledge.snapshot, fsum(weights.values())
    at_least = fewest(weights.values(), PARTIAL_SHARE)
    clauses = [(Occur.Must, view.search.weighed(weights, Kind.CLAIM, at_least))]
    best, sets = 0.0, list[tuple[Term, ...]]()
    while len(sets) < MAX_SETS:
        hit = next(iter(snapshot.search(Query.boolean_query(clauses), 1)), None)
        if hit is None:
            break
        stems = frozenset(stems_in(snapshot.document(hit)))
        held = tuple(word for word in weights if word.held_by(stems))
        share = round(fsum(weights[word] for word in held) / whole, 9)
        if share < best:
            break
        if share > best:
            best, sets = share, []
        sets.append(held)
        clauses.append((Occur.MustNot, view.search.holding(held, Kind.CLAIM)))
    return best, sets
