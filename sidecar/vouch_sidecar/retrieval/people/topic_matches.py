"""Finds the claims that match a topic: claims of the entities that it names, and claims that hold
its words; of a topic that names a file with tied claims, these in place of the latter.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import Literal, NamedTuple

from vouch_sidecar.index.query import rarity
from vouch_sidecar.index.schema import TITLE, key_in, stems_in
from vouch_sidecar.kb.records import Claim, Kind
from vouch_sidecar.names.matcher import Mention
from vouch_sidecar.retrieval.constants import MAX_ASKED, PARTIAL_SHARE
from vouch_sidecar.retrieval.files.file_ties import visible_ties
from vouch_sidecar.retrieval.people.of_files import Subject
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.text.content_words import Term, terms
from vouch_sidecar.text.prompt_text import WHOM, blanked

Linking = Literal["auto", "declared"]
Words = tuple[Term, ...]


class Matched(NamedTuple):
    """A claim that matches a topic: the words that it holds, whether the topic names one of its
    entities or a file that it is tied to, and the share of the topic's words that it holds, weighed
    by rarity (1 if a name or a file matched).
    """

    claim: Claim
    words: Words
    named: bool
    coverage: float


class Match(NamedTuple):
    """The claims of one view that match a topic, by id. The topic names entities and derived topics
    at `mentions`, and is a part of the names of those in `parts`.
    """

    view: View
    mentions: Sequence[Mention]
    parts: Sequence[str]
    claims: Sequence[Matched]


class TopicMatches(NamedTuple):
    """The claims of each view that match a topic, found once for all parts of an answer.

    Owners and authors are looked for about `subjects`. Words that stand in no live, visible claim,
    page or topic are `unmatched`: as written and in order, without words of names, and without
    those that ask for somebody.
    """

    in_views: Sequence[Match]
    subjects: Sequence[Subject]
    unmatched: Sequence[str]


def matching(views: Sequence[View], topic: str, linking: Linking = "auto") -> TopicMatches:
    """The claims of each view that match a topic. Words that stand nowhere in the knowledge base
    are ignored; and where the topic names a file that claims of any view are tied to, its path, and
    all words but those of names.
    """
    files = [view.workspace.files_in(topic) for view in views]
    named = [[path for _, _, path in of_view] for of_view in files]
    held = [_tied_to(view, paths) for view, paths in zip(views, named, strict=True)]
    by_file, beside, share = any(held), topic, 1.0
    if by_file:
        beside = blanked(topic, ((start, end) for of_view in files for start, end, _ in of_view))
    words = terms(beside)[:MAX_ASKED]
    known = [word for word in words if any(_stands_in(view, word, topic) for view in views)]
    if not by_file:
        held, share = _holding(views, known)
    matches, subjects = list[Match](), list[Subject]()
    for view, paths, ids in zip(views, named, held, strict=True):
        names, search = view.names, view.search
        mentions = [*names.mentions(beside), *names.topic_mentions(beside)]
        parts = sorted({*view.knowledge.names.containing(beside), *view.derived.containing(beside)})
        entity_ids = sorted({mention.entity_id for mention in mentions}.union(parts))
        of_names, claims = {*search.ids(search.claims_of(entity_ids))}, list[Matched]()
        for claim_id in sorted(of_names | ids):
            claim, (_, how) = view.knowledge.claim(claim_id), view.knowledge.links(claim_id)
            is_named, holds = by_file or claim_id in of_names, claim_id in ids and not by_file
            if claim is not None and (linking == "auto" or how == "declared"):
                has = tuple(known) if holds else ()
                claims.append(Matched(claim, has, is_named, 1.0 if is_named else share))
        matches.append(Match(view, mentions, parts, claims))
        subjects.append(Subject(view, [matched.claim for matched in claims], paths))
    places = [(m.start, m.end) for match in matches for m in match.mentions]
    places += [asking.span() for asking in WHOM.finditer(beside)]
    outside = {word.word for word in terms(blanked(beside, places))}
    if any(match.parts for match in matches):
        outside = set()
    unmatched = [word.word for word in words if word not in known and word.word in outside]
    return TopicMatches(matches, subjects, unmatched)


def _stands_in(view: View, word: Term, topic: str) -> bool:
    """Whether a word stands in a live, visible claim or page, or in the name of a topic that the
    question names.
    """
    if any(view.search.frequency(word, kind) for kind in (Kind.CLAIM, Kind.PAGE, TITLE)):
        return True
    named = (topic[mention.start : mention.end] for mention in view.names.topic_mentions(topic))
    return any(word in terms(name) for name in named)


def _tied_to(view: View, paths: Sequence[str]) -> set[str]:
    """The claims that are tied to files and folders as they were when they were read. Weak ties
    count where there are no others.
    """
    stored = view.workspace.stored_ties_of
    tied = visible_ties(view, ((path, tie) for path in paths for tie in stored(path)))
    strong = [each for each in tied if not each.is_weak] or tied
    ids = sorted(each.claim.id for each in strong)
    return set(view.search.ids(view.search.these_claims(ids)))


def _holding(views: Sequence[View], words: Sequence[Term]) -> tuple[list[set[str]], float]:
    """For each view, the claims that hold all words; if none of any view does, those that hold the
    largest share of their weight, at least `PARTIAL_SHARE`. By id, with this share.
    """
    if not words or any(view.search.holds(words, Kind.CLAIM) for view in views):
        queries = [(view.search, view.search.holding(words, Kind.CLAIM)) for view in views]
        return [set(search.ids(query)) for search, query in queries], 1.0
    total = sum(view.search.total(Kind.CLAIM) for view in views)
    weights = {
        word: rarity(total, sum(view.search.frequency(word, Kind.CLAIM) for view in views))
        for word in words
    }
    best = [
        fsum(weights[word] for word in words if word.held_by(frozenset(stems_in(document))))
        for view in views
        for _, document in view.visible.found(view.search.weighed(weights, Kind.CLAIM), 1)
    ]
    share = max(best, default=0.0) / fsum(weights.values())
    found = list[set[str]]()
    for view in views:
        hits = view.search.down_to(weights, Kind.CLAIM, share) if share >= PARTIAL_SHARE else ()
        found.append({key_in(view.knowledge.snapshot.document(hit)).id for hit in hits})
    return found, share
