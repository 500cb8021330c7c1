"""A text to what the knowledge bases know of it, before anybody has thought about the text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from math import fsum
from typing import Literal

from tantivy import Document
from vouch_sidecar.index.content import needles
from vouch_sidecar.index.forms import surface
from vouch_sidecar.index.schema import key_in, stems_in, texts
from vouch_sidecar.index.text import fold
from vouch_sidecar.index.words import tier
from vouch_sidecar.kb.plain import count
from vouch_sidecar.kb.records import Artifact, Claim, Entity, Kind, Page, Relation, Source, key_of
from vouch_sidecar.retrieval.answering import answers
from vouch_sidecar.retrieval.asking import in_a_row, worth_searching
from vouch_sidecar.retrieval.block import Hit
from vouch_sidecar.retrieval.choosing import spans_of
from vouch_sidecar.retrieval.constants import (
    MAX_CLAIMS_OF_NAME,
    MAX_COMPARED,
    MAX_HITS,
    MAX_HITS_OF_PHRASE,
    MAX_PHRASED,
    MAX_PHRASES,
    MAX_SPEAKING,
    VOLUNTEERED,
    WHOLE_SHARE,
    WHOLE_WORTH,
)
from vouch_sidecar.retrieval.context import each_once, lines_for, tiers
from vouch_sidecar.retrieval.people import people_on
from vouch_sidecar.retrieval.phrases import Phrase, phrases, telling_of
from vouch_sidecar.retrieval.salience import Salient, named_in
from vouch_sidecar.retrieval.view import View

__all__ = ["Probe", "Strength", "run"]

Strength = Literal["strong", "moderate", "weak"]
TELLING_KINDS = frozenset({"quoted", "title", "identifier", "notation", "name"})
"""How a phrase must have been found for full text to be moderate evidence, not weak."""
_SEARCHED = (Kind.CLAIM, Kind.PAGE, Kind.ENTITY, Kind.SOURCE)

Lookup = Callable[[Phrase, Callable[[], list[Hit]]], list[Hit]]
"""Gives the hits of a phrase: from a cache, or by looking."""


@dataclass(frozen=True, slots=True)
class Probe:
    """What a text brings in. `moderate` holds the hits of full text that may be pushed."""

    hits: tuple[Hit, ...]
    primary: str | None
    supplemental: tuple[str, ...]
    strength: Strength
    phrases: tuple[str, ...]
    moderate: tuple[Hit, ...] = ()


def run(
    views: Sequence[View],
    text: str,
    threshold: float,
    lookup: Lookup,
    full_text: bool = True,
) -> Probe:
    """Probe all views. Full text speaks only where a text is worth searching."""
    named = [row for view in views for row in named_in(view, [text])]
    named.sort(key=lambda r: (-r.strength, r.entity.id, r.view.collection))
    hits = _named_hits(named, text)
    tested = list({row.matched[0].casefold(): row.matched[0] for row in named}.values())
    found: list[tuple[Phrase, Hit]] = []
    answering: list[Hit] = []
    if full_text and worth_searching(text):
        for phrase in _phrases(views, text):
            known = phrase.text.casefold() in map(str.casefold, tested)
            if not known and len(tested) >= MAX_PHRASES:
                continue
            looked = lookup(phrase, partial(_search, views, phrase))
            tested += [] if known else [phrase.text]
            found += [(phrase, hit) for hit in looked]
        answering = [*_to_ask(views, named, text), *_answering(views, named, text)]
    answering = [hit for hit in answering if hit.similarity >= threshold]
    enough = [h for _, h in found if h.similarity >= threshold]
    ranked = sorted(
        [*hits, *enough, *answering],
        key=lambda h: (-h.similarity, key_of(h.artifact), h.view.collection),
    )
    kept = each_once(ranked)[:MAX_HITS]
    chosen = tiers(text, kept, [view.collection for view in views])
    kept_ones = set(map(id, kept))
    telling = [h for p, h in found if id(h) in kept_ones and _tells(p, h)]
    whom = [hit for hit in answering if hit.to_ask]
    moderate = tuple(each_once([*whom, *telling, *answering]))
    return Probe(
        hits=tuple(kept),
        primary=chosen.primary,
        supplemental=chosen.supplemental,
        strength="strong" if _speaking(named) else "moderate" if moderate else "weak",
        phrases=tuple(tested[:MAX_PHRASES]),
        moderate=moderate,
    )


def _phrases(views: Sequence[View], text: str) -> list[Phrase]:
    """The phrases to look for beside the names that the text holds."""
    if any(view.deadline.has_passed() for view in views):
        return []
    known = [(m.start, m.end) for v in views for m in v.mentions(text) if not m.nested]
    return phrases(views, text[:MAX_PHRASED], known)


def _tells(phrase: Phrase, hit: Hit) -> bool:
    """Whether a hit of full text is more than weak: by how its phrase was found, unless that is a
    lone English word, or its words stand apart there; or because the phrase is half of a page's
    title or more.
    """
    if phrase.kind == "title" and isinstance(hit.artifact, Page):
        return _is_meant(phrase, hit.artifact.title)
    if phrase.kind in TELLING_KINDS:
        return not _is_english(phrase) and _stands_in(phrase, hit.artifact)
    if not isinstance(hit.artifact, Page) or len(phrase.needles) < 2:
        return False
    title = needles(hit.artifact.title)
    stems = frozenset(s for n in title for option in n.alternatives for s in option)
    held = sum(n.held_by(stems) for n in phrase.needles)
    return held == len(phrase.needles) and 2 * held >= len(title)


def _is_english(phrase: Phrase) -> bool:
    """Whether a phrase is an English word, or common ones that hyphens join: `dry-run`."""
    if len(phrase.needles) == 1:
        return tier(fold(phrase.needles[0].word)) > 0
    joined = phrase.text.split("-") if phrase.kind == "identifier" else []
    return bool(joined) and all(tier(word) in (1, 2) for word in joined)


def _is_meant(phrase: Phrase, title: str) -> bool:
    """Whether a title is meant where its words stand in a text, which those of “Starting a line” do
    in many: they stand there just so, are three, or one is not among the commonest.
    """
    common = [tier(fold(needle.word)) in (1, 2) for needle in phrase.needles]
    return len(common) > 2 or not all(common) or surface(phrase.text) == surface(title)


def _stands_in(phrase: Phrase, artifact: Artifact) -> bool:
    """Whether the words of a phrase stand side by side in an artifact."""
    wanted = in_a_row(phrase.text)
    return any(wanted in in_a_row(text) for text in texts(artifact))


def _speaking(named: Iterable[Salient]) -> list[Salient]:
    return [row for row in named if row.strength >= VOLUNTEERED and not row.ambiguous]


def _answering(views: Sequence[View], named: Sequence[Salient], text: str) -> list[Hit]:
    """What holds most of a text beside the names that speak, best first."""
    found: list[Hit] = []
    text, speaking = text[:MAX_PHRASED], [row.entity.id for row in _speaking(named)]
    for view in views:
        if view.deadline.has_passed():
            break
        for one in answers(view, text, spans_of(view, text, speaking)):
            phrase, similarity = " ".join(one.words), round(one.share * WHOLE_WORTH, 3)
            where = (one.section, one.words)
            found.append(Hit(view, one.artifact, phrase, similarity, "text", None, *where))
    found.sort(key=lambda hit: -hit.similarity)
    return found[:MAX_HITS_OF_PHRASE]


def _to_ask(views: Sequence[View], named: Sequence[Salient], text: str) -> list[Hit]:
    """Whom to ask, where a text asks that and names nothing that speaks."""
    if _speaking(named):
        return []
    topic, found = people_on(views, text[:MAX_PHRASED])
    out: list[Hit] = []
    for one in found:
        why = count(one.claim_count, "claim")
        out.append(Hit(one.view, one.entity, topic, WHOLE_WORTH, "text", None, to_ask=why))
    return out


def _named_hits(rows: Sequence[Salient], text: str) -> list[Hit]:
    """The named entities, each followed by what is said of it."""
    out: list[Hit] = []
    for place, row in enumerate(rows):
        arm, entity_id = row.arm, row.entity.id
        out.append(Hit(row.view, row.entity, row.matched[0], row.similarity, arm, entity_id))
        if place < MAX_SPEAKING and not (place and row.view.deadline.has_passed()):
            out += lines_for([row], text, limit=MAX_CLAIMS_OF_NAME)
    return out


def _search(views: Sequence[View], phrase: Phrase) -> list[Hit]:
    """What holds all words of a phrase; of a whole text, what holds most of them."""
    out: list[Hit] = []
    for view in views:
        whole = phrase.kind == "whole"
        similarity = 0.0 if whole else round(telling_of(view, phrase), 3)
        for kind in _SEARCHED:
            if view.deadline.has_passed():
                return out
            found = _covering(view, kind, phrase) if whole else _all(view, kind, phrase, similarity)
            out += sorted(found, key=lambda h: (-h.similarity, h.artifact.id))[:MAX_HITS_OF_PHRASE]
    return out


def _all(view: View, kind: Kind, phrase: Phrase, similarity: float) -> list[Hit]:
    """What holds all words of a phrase; of many, the first by id or, if the phrase tells, those
    that have it as it is.
    """
    query, snapshot = view.search.holding(phrase.needles, kind), view.knowledge.snapshot
    compared = phrase.kind in TELLING_KINDS and snapshot.count(query) <= MAX_COMPARED
    found = snapshot.search(query, MAX_COMPARED if compared else MAX_HITS_OF_PHRASE)
    documents = map(snapshot.document, found)
    hits = [hit for one in documents if (hit := _hit(view, one, phrase, similarity))]
    if compared and len(hits) > MAX_HITS_OF_PHRASE:
        hits.sort(key=lambda hit: not _stands_in(phrase, hit.artifact))
    return hits[:MAX_HITS_OF_PHRASE]


def _covering(view: View, kind: Kind, phrase: Phrase) -> list[Hit]:
    weights, snapshot = view.weights(phrase.text), view.knowledge.snapshot
    whole = fsum(weights.values())
    out = []
    for one in view.search.down_to(weights, kind, WHOLE_SHARE):
        document = snapshot.document(one)
        stems = frozenset(stems_in(document))
        share = fsum(w for n, w in weights.items() if n.held_by(stems)) / whole
        if share >= WHOLE_SHARE and (
            hit := _hit(view, document, phrase, round(share * WHOLE_WORTH, 3))
        ):
            out.append(hit)
    return out


def _hit(view: View, document: Document, phrase: Phrase, similarity: float) -> Hit | None:
    artifact, section = view.told_by(document), key_in(document)[2]
    if not isinstance(artifact, Claim | Page | Entity | Relation | Source):
        return None
    entity_id = artifact.id if isinstance(artifact, Entity) else None
    return Hit(view, artifact, phrase.text, similarity, "text", entity_id, section)
