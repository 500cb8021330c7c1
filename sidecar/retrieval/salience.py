"""Which entities are in play: a window of texts to a ranking of the entities that they name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Literal

from sidecar.index.names import Arm
from sidecar.index.search import fewest, rarity
from sidecar.index.text import needles
from sidecar.kb.records import Entity, Kind
from sidecar.retrieval.evidence import LISTED, VOLUNTEERED, Evidence, weigh
from sidecar.retrieval.view import View

__all__ = [
    "ArmName",
    "Salient",
    "named_in",
    "rank",
    "speaking_order",
    "worth_searching",
    "worth_volunteering",
]

ArmName = Literal["name", "alias", "variant", "partial", "text"]
_ARM_NAMES: dict[Arm, ArmName] = {
    Arm.NAME: "name",
    Arm.ALIAS: "alias",
    Arm.VARIANT: "variant",
    Arm.PARTIAL: "partial",
}
FADING = 0.9
"""What a text is worth of the next newer one."""
TEXT_COVERAGE = 0.65
"""Share of a text's content words, by rarity, that an entity's own words must hold."""
MIN_WORDS = 3
"""A text shorter than this is not searched for."""
REFLEX_COMMANDS = frozenset(
    """
    exit quit help status clear continue ok okay yes no thanks stop list ls list_tools tools resume
    retry undo
    """.split()
)

# Bands of the score: what is named goes before what full text finds, what has claims before both.
NAMED, FOUND, NAMED_WITHOUT_CLAIMS, FOUND_WITHOUT_CLAIMS = (
    (0.4, 0.6),
    (0.2, 0.15),
    (0.1, 0.1),
    (
        0.0,
        0.1,
    ),
)


@dataclass(frozen=True, slots=True)
class Salient:
    """An entity in play. `strength` is that of the evidence, `score` has its band added."""

    view: View
    entity: Entity
    claim_count: int
    top_claim_id: str | None
    score: float
    strength: float
    arm: ArmName
    matched: tuple[str, ...]
    why: str
    ambiguous: bool
    place: int = 0
    """Where the newest text that names the entity does so first."""


@dataclass(slots=True)
class _Gathered:
    """The evidence for one entity over the window, newest text first: (age, text, evidence)."""

    evidence: list[tuple[int, str, Evidence]]

    @property
    def by_text(self) -> list[tuple[int, Evidence]]:
        """The strongest evidence of each text, with the age of the text."""
        best: dict[int, Evidence] = {}
        for age, _, found in self.evidence:
            if age not in best or found.strength > best[age].strength:
                best[age] = found
        return list(best.items())

    @property
    def strength(self) -> float:
        """Evidence of different texts adds up as independent chances do: 1 − Π(1 − s·fading)."""
        return round(1 - prod(1 - found.strength * FADING**age for age, found in self.by_text), 3)

    @property
    def best(self) -> Evidence:
        return min(self.evidence, key=lambda e: (-e[2].strength, e[0], e[2].mention.start))[2]


def rank(views: Sequence[View], texts: Sequence[str], top_k: int) -> list[Salient]:
    """The entities that the texts (newest first) name or, below these, strongly describe."""
    rows = [row for view in views for row in _rank_in(view, texts)]
    rows.sort(key=lambda r: (-round(r.score, 6), r.entity.id, r.view.collection))
    return rows[:top_k]


def worth_volunteering(
    views: Sequence[View], texts: Sequence[str], threshold: float = VOLUNTEERED
) -> list[Salient]:
    """What texts (newest first) name so strongly that it may be said unasked, strongest first."""
    rows = [row for view in views for row in named_in(view, texts)]
    keep = [
        row
        for row in rows
        if row.strength >= threshold and not row.ambiguous and (row.claim_count or _has_page(row))
    ]
    return sorted(keep, key=speaking_order)


def speaking_order(row: Salient) -> tuple[float, int, str, str]:
    """Strongest first; of equals, those that a text names first, as it leads with its subject."""
    return (-row.strength, row.place, row.entity.id, row.view.collection)


def _has_page(row: Salient) -> bool:
    return bool(row.view.pages_about((Kind.ENTITY, row.entity.id)))


def _rank_in(view: View, texts: Sequence[str]) -> list[Salient]:
    named = named_in(view, texts)
    known = {row.entity.id for row in named}
    return named + [row for row in _found_in(view, texts) if row.entity.id not in known]


def named_in(view: View, texts: Sequence[str]) -> list[Salient]:
    """The entities that texts (newest first) name, in no particular order."""
    gathered: dict[str, _Gathered] = {}
    for age, text in enumerate(texts):
        for found in weigh(view, text):
            if found.strength >= LISTED:
                entry = gathered.setdefault(found.mention.entity_id, _Gathered([]))
                entry.evidence.append((age, text, found))
    rows = []
    for entity_id, entry in gathered.items():
        entity = view.entity(entity_id)
        if entity is not None:
            rows.append(_named_row(view, entity, entry))
    return rows


def _named_row(view: View, entity: Entity, gathered: _Gathered) -> Salient:
    count = view.claim_count(entity.id)
    newest, newest_text, _ = gathered.evidence[0]
    top = next(iter(view.nearest(entity.id, newest_text, 1)), None)
    strength = gathered.strength
    low, width = NAMED if count else NAMED_WITHOUT_CLAIMS
    best = gathered.best
    matched = tuple(dict.fromkeys(e.matched for _, _, e in gathered.evidence))
    return Salient(
        view=view,
        entity=entity,
        claim_count=count,
        top_claim_id=top.id if top else None,
        score=round(low + width * strength, 6),
        strength=strength,
        arm=_ARM_NAMES[best.mention.arm],
        matched=matched,
        why=_why(gathered, (low, width)),
        ambiguous=best.mention.ambiguous,
        place=min(e.mention.start for age, _, e in gathered.evidence if age == newest),
    )


def _why(gathered: _Gathered, band: tuple[float, float]) -> str:
    best, strength = gathered.best, gathered.strength
    low, width = band
    said = [f"“{best.matched}” names “{best.mention.name}”: {best.factors}"]
    if len(gathered.by_text) > 1:
        texts = " × ".join(
            f"(1 − {found.strength:g} × {FADING:g}^{age})" for age, found in gathered.by_text
        )
        said.append(f"over the window 1 − {texts} = {strength:g}")
    said.append(f"score {low:g} + {width:g} × {strength:g}")
    if best.mention.ambiguous:
        said.append("ambiguous: the same words name another entity")
    return "; ".join(said)


def _found_in(view: View, texts: Sequence[str]) -> list[Salient]:
    best: dict[str, Salient] = {}
    for age, text in enumerate(texts):
        repeated = text in texts[age + 1 : age + 2]
        if repeated or not worth_searching(text):
            continue
        described = view.once("described", text, partial(_described_by, view, text))
        for entity, held, share in described:
            row = _found_row(view, entity, text, held, round(share, 3), age)
            if row.entity.id not in best or row.strength > best[row.entity.id].strength:
                best[row.entity.id] = row
    return list(best.values())


def worth_searching(text: str) -> bool:
    """Whether full text may speak about a text: three words, not a reflex, not stopwords alone."""
    words = text.split()
    if len(words) < MIN_WORDS or words[0].strip("/!:").casefold() in REFLEX_COMMANDS:
        return False
    return len(needles(text)) > 1


def _described_by(view: View, text: str) -> list[tuple[Entity, list[str], float]]:
    """Entities whose name, aliases and description hold most of what a text is about."""
    search = view.knowledge.search
    words = needles(text)
    total = search.total(Kind.ENTITY, view.gates)
    weights = {n: rarity(total, search.frequency(n, Kind.ENTITY, view.gates)) for n in words}
    whole = sum(weights.values())
    at_least = max(2, fewest(weights.values(), TEXT_COVERAGE))
    rows = []
    for ordinal in search.holding(words, Kind.ENTITY, view.gates, at_least):
        ref, document = view.knowledge.document(ordinal)
        stems = frozenset(document.stems)
        held = [n for n in words if n.held_by(stems)]
        share = sum(weights[n] for n in held) / whole
        entity = view.entity(ref.key[1])
        if entity is not None and len(held) > 1 and share >= TEXT_COVERAGE:
            rows.append((entity, [n.word for n in held], share))
    return rows


def _found_row(
    view: View, entity: Entity, text: str, matched: list[str], share: float, age: int
) -> Salient:
    strength = round(share * FADING**age, 3)
    count = view.claim_count(entity.id)
    top = next(iter(view.nearest(entity.id, text, 1)), None)
    low, width = FOUND if count else FOUND_WITHOUT_CLAIMS
    return Salient(
        view=view,
        entity=entity,
        claim_count=count,
        top_claim_id=top.id if top else None,
        score=round(low + width * strength, 6),
        strength=strength,
        arm="text",
        matched=tuple(matched),
        why=(
            f"its name, aliases and description hold {', '.join(matched)}: "
            f"{share:g} of the text by rarity × {FADING:g}^{age} = {strength:g}; "
            f"score {low:g} + {width:g} × {strength:g}"
        ),
        ambiguous=False,
    )
