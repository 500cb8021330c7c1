"""Finds the claims that match a topic: claims of the entities that it names, and claims that hold
its words; of a topic that names a file with tied claims, these in place of the latter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import fsum
from typing import Literal, NamedTuple

from vouch_sidecar.index.layers import Hit
from vouch_sidecar.index.links import LinkedBy
from vouch_sidecar.index.query import rarity
from vouch_sidecar.index.schema import TITLE, key_in, stems_in
from vouch_sidecar.kb.records import Claim, Kind
from vouch_sidecar.names.matcher import Mention
from vouch_sidecar.retrieval.constants import MAX_TOPIC_WORDS, PARTIAL_SHARE
from vouch_sidecar.retrieval.evidence.text_kinds import Span, blanked
from vouch_sidecar.retrieval.files.file_ties import tied_to_paths
from vouch_sidecar.retrieval.people.of_files import Subject
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.text.content_words import Term, terms
from vouch_sidecar.text.prompt_text import WHOM

Linking = Literal["auto", "declared"]
Words = tuple[Term, ...]


class Matched(NamedTuple):
    """A claim that matches a topic: the words that it holds, whether the topic names one of its
    entities or a file that it is tied to, and the share of the topic's words that it holds, weighed
    by rarity (1 if a name or a file matched).
    """

    claim: Claim
    entity_ids: frozenset[str]
    words: Words
    named: bool
    coverage: float
    linked_by: LinkedBy


@dataclass(frozen=True)
class Match:
    """The claims of one view that match a topic, by id, and what the topic names there.

    It names entities and derived topics at `mentions`, and `files`, with folders, which have a
    slash at their end; it is a part of the names of the entities and derived topics in `parts`.
    """

    view: View
    mentions: Sequence[Mention]
    parts: Sequence[str]
    files: Sequence[str]
    claims: Sequence[Matched]


@dataclass(frozen=True)
class TopicMatches:
    """The claims of each view that match a topic, found once for all parts of an answer."""

    topic: str
    in_views: Sequence[Match]
    unknown: Sequence[Term]
    """The words of the topic that stand in no live, visible claim, page or topic."""

    @cached_property
    def subjects(self) -> list[Subject]:
        """What owners and authors are looked for about."""
        return [
            Subject(match.view, [matched.claim for matched in match.claims], match.files)
            for match in self.in_views
        ]

    def unmatched(self) -> list[str]:
        """The unknown words as written and in order, without words of names, and without those that
        ask for somebody.
        """
        if any(match.parts for match in self.in_views):
            return []
        places = [(m.start, m.end) for match in self.in_views for m in match.mentions]
        places += [asking.span() for asking in WHOM.finditer(self.topic)]
        beside = {word.word for word in terms(blanked(self.topic, places))}
        return [term.word for term in self.unknown if term.word in beside]


def matching(views: Sequence[View], topic: str, linking: Linking = "auto") -> TopicMatches:
    """The claims of each view that match a topic. Words that stand nowhere in the knowledge base
    are ignored; and where the topic names a file that claims of any view are tied to, all words
    but those of names.
    """
    files = [view.workspace.files_in(topic) for view in views]
    paths = [(start, end) for of_view in files for start, end, _ in of_view]
    named = [[path for _, _, path in of_view] for of_view in files]
    tied = [_tied_to(view, of_view) for view, of_view in zip(views, named, strict=True)]
    words = terms(blanked(topic, paths) if any(tied) else topic)[:MAX_TOPIC_WORDS]
    known = [word for word in words if any(_stands_in(view, word, topic) for view in views)]
    total = sum(view.search.total(Kind.CLAIM) for view in views)
    weights = {
        w: rarity(total, sum(view.search.frequency(w, Kind.CLAIM) for view in views)) for w in known
    }
    if any(tied):
        weights = {}
    matches = [
        _match(view, topic, linking, paths, of_view, held, weights)
        for view, of_view, held in zip(
            views, named, tied if any(tied) else _holding(views, weights), strict=True
        )
    ]
    return TopicMatches(topic, matches, [word for word in words if word not in known])


def _stands_in(view: View, word: Term, topic: str) -> bool:
    """Whether a word stands in a live, visible claim or page, or in the name of a topic that the
    question names.
    """
    search = replace(view.search, since=None)
    if any(search.frequency(word, kind) for kind in (Kind.CLAIM, Kind.PAGE, TITLE)):
        return True
    named = (topic[mention.start : mention.end] for mention in view.names.topic_mentions(topic))
    return any(word in terms(name) for name in named)


def _match(
    view: View,
    topic: str,
    linking: Linking,
    paths: Sequence[Span],
    files: Sequence[str],
    held: Mapping[str, Words],
    weights: Mapping[Term, float],
) -> Match:
    """The claims of a view that match: those of entities that the topic names in full or by a part,
    and those in `held`, which hold its words, or without `weights` are tied to the `files` that it
    names at `paths`. A name that is a part of a path is none.
    """
    search, names = view.search, view.names
    mentions = [
        m
        for m in (*names.mentions(topic), *names.topic_mentions(topic))
        if not any(a <= m.start and m.end <= b and (a, b) != (m.start, m.end) for a, b in paths)
    ]
    parts = sorted({*view.knowledge.names.containing(topic), *view.derived.containing(topic)})
    entity_ids = sorted({mention.entity_id for mention in mentions}.union(parts))
    named = {*search.ids(search.claims_of(entity_ids))}
    claims, whole = [], fsum(weights.values())
    for claim_id in sorted(named.union(held)):
        claim, (_, how) = view.knowledge.claim(claim_id), view.knowledge.links(claim_id)
        if claim is None or (linking == "declared" and how != "declared"):
            continue
        words, is_named = held.get(claim_id, ()), claim_id in named or not weights
        share = 1.0 if is_named else fsum(weights[word] for word in words) / whole
        claims.append(Matched(claim, names.entities_of(claim_id), words, is_named, share, how))
    return Match(view, mentions, parts, files, claims)


def _tied_to(view: View, paths: Sequence[str]) -> dict[str, Words]:
    """The claims that are tied to files and folders."""
    tied = sorted(each.claim.id for each in tied_to_paths(view, paths))
    return dict.fromkeys(view.search.ids(view.search.these_claims(tied)), ())


def _holding(views: Sequence[View], weights: Mapping[Term, float]) -> list[dict[str, Words]]:
    """For each view, the claims that hold all words; if none of any view does, those that hold the
    largest share of their weight, at least `PARTIAL_SHARE`. By id, with the words that each holds.
    """
    words, whole = tuple(weights), fsum(weights.values())
    if not words or any(view.search.holds(words, Kind.CLAIM) for view in views):
        ids = (view.search.ids(view.search.holding(words, Kind.CLAIM)) for view in views)
        return [dict.fromkeys(of_view, words) for of_view in ids]

    def held_in(view: View, hit: Hit) -> tuple[float, str, Words]:
        """The share that a claim holds, its id, and the words."""
        claim = view.knowledge.snapshot.document(hit)
        stems = frozenset(stems_in(claim))
        held = tuple(word for word in words if word.held_by(stems))
        return round(fsum(weights[word] for word in held) / whole, 9), key_in(claim).id, held

    best = [
        held_in(view, hit)
        for view in views
        for hit in view.knowledge.snapshot.search(view.search.weighed(weights, Kind.CLAIM), 1)
    ]
    most = max((share for share, _, _ in best), default=0.0)
    found: list[dict[str, Words]] = []
    for view in views:
        hits = view.search.down_to(weights, Kind.CLAIM, most) if most >= PARTIAL_SHARE else ()
        held = [held_in(view, hit) for hit in hits]
        found.append({claim_id: theirs for share, claim_id, theirs in held if share == most})
    return found
