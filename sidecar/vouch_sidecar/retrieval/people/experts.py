"""Ranks entities by the evidence that they carry on a topic. A matching claim counts for every
entity that it is linked to.

Claims match that are of an entity which the topic names, or hold its words; of a topic that names a
file with tied claims, these in place of the latter.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Sequence
from itertools import islice
from math import fsum, prod
from typing import Literal, NamedTuple

from vouch_sidecar.index.query import rarity
from vouch_sidecar.index.schema import TITLE, stems_in
from vouch_sidecar.index.topic_table import TOPIC
from vouch_sidecar.kb.records import PERSON, Entity, Kind
from vouch_sidecar.names.matcher import MANY_SHARE, Mention
from vouch_sidecar.retrieval.constants import MANY, MAX_ASKED, PARTIAL_SHARE
from vouch_sidecar.retrieval.files import files_of, visible_ties
from vouch_sidecar.retrieval.people.weights import WEIGHTS, Matched, Weight
from vouch_sidecar.retrieval.people.whom_to_ask import OF_EACH, Subject
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.text.analysis import fold
from vouch_sidecar.text.content_words import Term, terms
from vouch_sidecar.text.english_words import COMMON, VERY_COMMON, tier
from vouch_sidecar.text.prompt_text import BEST, WHOM, blanked
from vouch_sidecar.workspace.topic_names import is_ticket

WHO = re.compile(r"\bwho(?:m|se)?\b", re.IGNORECASE)
"""Asks about a person or a team in any way."""
_TOPIC = re.compile(r"\s*(?:(?:about|for|of|on|regarding|with)\s)?([^?!;\n]*)", re.IGNORECASE)
"""What may follow the words that ask for somebody."""


class Expert(NamedTuple):
    """A row of the ranking, with what each of its claims adds."""

    view: View
    entity: Entity
    score: float
    contributions: Sequence[Matched]

    def largest(self, limit: int) -> list[Matched]:
        """The claims that add most, ties by id, without those that mean nothing by themselves."""
        order = sorted(self.contributions, key=lambda adds: (-adds.amount, adds.claim.id))
        saying = (adds for adds in order if not self.view.shown(adds.claim).lacks_context)
        return list(islice(saying, limit))


class Match(NamedTuple):
    """The claims of one view that match a topic, by id, and the entities and files that the topic
    names.
    """

    view: View
    claims: Sequence[Matched]
    named: Sequence[Entity]
    paths: Sequence[str]

    @property
    def about(self) -> Subject:
        """The files that the topic names, else those of the claims."""
        claims = (matched.claim for matched in self.claims)
        return self.view, dict.fromkeys(self.paths, 1.0) or files_of(self.view, claims)


def people_on(views: Sequence[View], text: str) -> tuple[str, list[Expert]]:
    """The topic on which a text asks for somebody, and the people with most evidence on it: claims
    must hold all of its words. A common word alone is no topic.
    """
    asking = WHOM.search(text)
    behind = _TOPIC.match(text, asking.end()) if asking is not None else None
    topic = BEST.sub("", behind[1]).strip(" .") if behind is not None else ""
    words = terms(topic)
    is_common = len(words) == 1 and tier(fold(words[0].word)) in (VERY_COMMON, COMMON)
    if is_common or not any(view.search.holds(words, Kind.CLAIM) for view in views):
        return topic, []
    matches, _ = matching(views, topic)
    return topic, ranked_experts(matches, "evidence", OF_EACH, types={PERSON})


def ranked_experts(
    matches: Iterable[Match],
    weight: str = "count",
    limit: int = 10,
    min_claims: int = 1,
    types: Container[str] | None = None,
) -> list[Expert]:
    """The entities with evidence on a topic: by score, then id, then collection. Topics come last,
    in the same order; those that are tickets are left out. An unknown weight counts as `count`.
    """
    applied = WEIGHTS.get(weight, WEIGHTS["count"])
    rows = [
        Expert(match.view, entity, round(fsum(each.amount for each in adds), 6), adds)
        for match in matches
        for entity_id, adds in _contributions(match, applied).items()
        if (entity := match.view.entity(entity_id)) is not None
        and len(adds) >= min_claims
        and (types is None or entity.type in types)
        and not (entity.type == TOPIC and is_ticket(entity.name))
    ]
    return sorted(
        rows,
        key=lambda row: (
            row.view.is_topic(row.entity.id),
            -row.score,
            row.entity.id,
            row.view.collection,
        ),
    )[:limit]


def _contributions(match: Match, weight: Weight) -> dict[str, list[Matched]]:
    """What the claims that match a topic add for each entity."""
    out = defaultdict[str, list[Matched]](list)
    heard: set[tuple[str, str]] = set()
    for matched in match.claims:
        factors, claim = weight.factors(matched, match.view), matched.claim
        adds = matched._replace(factors=factors, amount=prod(factors.values()))
        again = adds._replace(factors=factors | {"repeat": 0.0}, amount=0.0)
        says = " ".join(claim.text.lower().split()) if weight.hears_once else claim.id
        for entity_id in match.view.entities_of(claim.id):
            out[entity_id].append(again if (entity_id, says) in heard else adds)
            heard.add((entity_id, says))
    return out


def matching(
    views: Sequence[View], topic: str, linking: Literal["auto", "declared"] = "auto"
) -> tuple[list[Match], list[str]]:
    """The claims of each view that match a topic, and the words that stand in no live, visible
    claim, page or topic, as written and in order: without words of names, and without those that
    ask for somebody. These words are ignored; and where the topic names a file that claims of any
    view are tied to, its path, and all words but those of names.
    """
    files = [view.world.files_in(topic) for view in views]
    named = [[path for _, _, path in of_view] for of_view in files]
    tied = [_tied_to(view, paths) for view, paths in zip(views, named, strict=True)]
    by_file, beside = any(tied), topic
    if by_file:
        beside = blanked(topic, ((start, end) for of_view in files for start, end, _ in of_view))
    words = terms(beside)[:MAX_ASKED]
    of_topics = {
        word
        for view in views
        for mention in view.topic_mentions(topic)
        for word in terms(topic[mention.start : mention.end])
    }
    places = [(view.search, kind) for view in views for kind in (Kind.CLAIM, Kind.PAGE, TITLE)]
    known = [
        word
        for word in words
        if word in of_topics or any(search.frequency(word, kind) for search, kind in places)
    ]
    held, share = _holding(views, () if by_file else known)
    matches = list[Match]()
    names = [asking.span() for asking in WHOM.finditer(beside)]
    for view, paths, of_files, holding in zip(views, named, tied, held, strict=True):
        mentions = [*view.mentions(beside), *view.topic_mentions(beside)]
        parts = sorted({*view.knowledge.names.containing(beside), *view.derived.containing(beside)})
        whole = [(0, len(beside))] if parts else []  # all of it is a part of a name
        names += [*((mention.start, mention.end) for mention in mentions), *whole]
        called = {mention.entity_id for mention in mentions}.union(parts)
        ids = of_files.union(view.search.ids(view.search.claims_of(sorted(called))))
        claims = [
            Matched(
                claim,
                words=tuple(known) if claim.id in holding else (),
                named=claim.id in ids,
                coverage=1.0 if claim.id in ids else share,
            )
            for claim in filter(None, map(view.knowledge.claim, sorted(ids | holding)))
            if linking == "auto" or view.knowledge.links(claim.id)[1] == "declared"
        ]
        matches.append(Match(view, claims, _named_by(view, mentions, parts), paths))
    outside = {word.word for word in terms(blanked(beside, names))}
    return matches, [word.word for word in words if word not in known and word.word in outside]


def _named_by(view: View, mentions: Iterable[Mention], parts: Sequence[str]) -> list[Entity]:
    """The entities that a topic names, in order; else the few of whose names it is a part."""
    whole = [mention for mention in mentions if not mention.nested]
    ids = [mention.entity_id for mention in sorted(whole, key=lambda mention: mention.start)]
    few = parts if len(parts) <= MANY_SHARE else ()
    return [*filter(None, map(view.entity, dict.fromkeys(ids or few)))][:MANY]


def _tied_to(view: View, paths: Sequence[str]) -> set[str]:
    """The claims that are tied to files and folders as they were when they were read. Weak ties
    count where there are no others.
    """
    tied = visible_ties(view, (tie for path in paths for tie in view.world.stored_ties_of(path)))
    strong = [each for each in tied if not each.is_weak] or tied
    return {*view.search.ids(view.search.these_claims([each.claim.id for each in strong]))}


def _holding(views: Sequence[View], words: Sequence[Term]) -> tuple[list[set[str]], float]:
    """For each view, the claims that hold all words; if none of any view does, those that hold the
    largest share of their weight, at least `PARTIAL_SHARE`. By id, with this share.
    """
    all_words = [{*view.search.ids(view.search.holding(words, Kind.CLAIM))} for view in views]
    if not words or any(all_words):
        return all_words, 1.0
    total = sum(view.search.total(Kind.CLAIM) for view in views)
    weights = {
        word: rarity(total, sum(view.search.frequency(word, Kind.CLAIM) for view in views))
        for word in words
    }
    best = [
        fsum(weights[word] for word in words if word.held_by(frozenset(stems_in(document))))
        for view in views
        for _, document in view.found(view.search.weighed(weights, Kind.CLAIM), 1)
    ]
    share = max(best, default=0.0) / fsum(weights.values())
    if share < PARTIAL_SHARE:
        return all_words, share  # which are none
    found = ((view, view.search.down_to(weights, Kind.CLAIM, share)) for view in views)
    return [{claim.id for claim, _ in view.of_hits(hits)} for view, hits in found], share
