"""Which entities are in play: a window of texts to a ranking of the entities that they name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import prod
from typing import Literal, NamedTuple

from vouch_sidecar.index.content import Needle, needles
from vouch_sidecar.index.forms import Arm
from vouch_sidecar.index.mentions import Mention
from vouch_sidecar.index.query import rarity
from vouch_sidecar.index.schema import key_in, stems_in
from vouch_sidecar.index.text import fold, inflects, units
from vouch_sidecar.kb.records import Entity, Kind
from vouch_sidecar.retrieval.choosing import best_claim_id
from vouch_sidecar.retrieval.constants import (
    DESCRIBED_SHARE,
    FADING,
    FOUND,
    FOUND_WITHOUT_CLAIMS,
    MAX_NAMED,
    NAMED,
    NAMED_WITHOUT_CLAIMS,
    SAID,
    VOLUNTEERED,
    Band,
)
from vouch_sidecar.retrieval.evidence import Evidence, weigh
from vouch_sidecar.retrieval.searchable import worth_searching
from vouch_sidecar.retrieval.view import View

__all__ = [
    "ArmName",
    "Salient",
    "arm_of",
    "named_in",
    "not_listed",
    "not_said",
    "rank",
    "speaking_order",
    "strength_of",
    "worth_volunteering",
]

ArmName = Literal["name", "alias", "variant", "partial", "text", "semantic"]
_ARM_NAMES: dict[Arm, ArmName] = {
    Arm.NAME: "name",
    Arm.ALIAS: "alias",
    Arm.VARIANT: "variant",
    Arm.SURNAME: "partial",
    Arm.PART: "partial",
}


@dataclass(frozen=True, slots=True)
class Salient:
    """An entity in play. `strength` is that of the evidence, `score` has its band added."""

    view: View
    entity: Entity
    claim_count: int
    score: float
    strength: float
    arm: ArmName
    matched: tuple[str, ...]
    why: str
    ambiguous: bool
    text: str
    """The newest text that brings it in."""
    place: int = 0
    """Where it names the entity first."""

    @property
    def top_claim_id(self) -> str | None:
        """The best claim for that text."""
        return best_claim_id(self.view, self.entity, self.text)

    @property
    def similarity(self) -> float:
        """The strength on the scale of full text, on which what is volunteered begins at 0.40."""
        return similarity_of(self.strength)


@dataclass
class _Gathered:
    """The evidence for one entity over the window, newest text first: (age, text, evidence).

    Complete before it is asked for anything else.
    """

    evidence: list[tuple[int, str, Evidence]]

    @cached_property
    def by_text(self) -> dict[int, float]:
        """The strength of the strongest evidence of each text, by the age of the text."""
        best: dict[int, float] = {}
        for age, _, found in self.evidence:
            best[age] = max(found.strength, best.get(age, 0.0))
        return best

    @cached_property
    def strength(self) -> float:
        """Evidence of different texts adds up as independent chances do: 1 − Π(1 − s·fading)."""
        return round(1 - prod(1 - s * FADING**age for age, s in self.by_text.items()), 3)

    @cached_property
    def best(self) -> Evidence:
        """The strongest evidence; of equal ones the newest, then the first."""
        return min(self.evidence, key=lambda e: (-e[2].strength, e[0], e[2].mention.start))[2]

    @property
    def last(self) -> tuple[int, int]:
        """The age of the newest text, and minus the last place there."""
        return min((age, -e.mention.start) for age, _, e in self.evidence)


class _Draft(NamedTuple):
    """What decides the place of a row, and how the row is made."""

    view: View
    entity: Entity
    score: float
    last: tuple[int, int]
    """The age of the newest text that brings it in, and minus the last place there."""
    make: Callable[[], Salient]


def rank(views: Sequence[View], texts: Sequence[str], top_k: int) -> list[Salient]:
    """The entities that the texts (newest first) name or, below these, strongly describe.

    Where there are more of one score than `top_k` leaves room for, those that were written last
    are listed.
    """
    drafts = [draft for view in views for draft in _rank_in(view, texts)]
    drafts.sort(key=lambda d: (-round(d.score, 6), d.last, d.entity.id, d.view.collection))
    listed = drafts[:top_k]
    listed.sort(key=lambda d: (-round(d.score, 6), d.entity.id, d.view.collection))
    return [draft.make() for draft in listed]


def similarity_of(strength: float) -> float:
    """The strength of a name on the scale of `similarity_threshold`: two straight lines that meet
    where names are volunteered.
    """
    if strength <= VOLUNTEERED:
        return round(strength * SAID / VOLUNTEERED, 3)
    return round(SAID + (strength - VOLUNTEERED) * (1 - SAID) / (1 - VOLUNTEERED), 3)


def strength_of(similarity: float) -> float:
    """The strength that has a similarity."""
    if similarity <= SAID:
        return round(similarity * VOLUNTEERED / SAID, 3)
    return round(VOLUNTEERED + (similarity - SAID) * (1 - VOLUNTEERED) / (1 - SAID), 3)


def worth_volunteering(
    views: Sequence[View], texts: Sequence[str], threshold: float = VOLUNTEERED
) -> list[Salient]:
    """What texts (newest first) name so strongly that it may be said unasked, strongest first."""
    rows = [row for view in views for row in named_in(view, texts, parts=False)]
    return sorted((row for row in rows if not_said(row, threshold) is None), key=speaking_order)


def not_said(row: Salient, threshold: float) -> str | None:
    """Why nothing may be said of an entity unasked, for people; None where it may."""
    if row.ambiguous:
        return "the same words name another entity"
    if row.strength < threshold:
        return f"{row.strength:g} is less than {threshold:g}, from where on it is said"
    return None if row.claim_count or _has_page(row) else "nothing is known of it"


def not_listed(found: Evidence) -> str | None:
    """Why what stands in a text lists no entity, for people; None where it does."""
    if found.strength >= found.least:
        return None
    return f"{found.strength:g} is less than {found.least:g}, from where on it is listed"


def speaking_order(row: Salient) -> tuple[float, int, str, str]:
    """Strongest first; of equals, those that a text names first, as it leads with its subject."""
    return (-row.strength, row.place, row.entity.id, row.view.collection)


def _has_page(row: Salient) -> bool:
    return bool(row.view.pages_about((Kind.ENTITY, row.entity.id)))


def arm_of(mention: Mention) -> ArmName:
    """The way in which a mention names its entity."""
    return _ARM_NAMES[mention.arm]


def _rank_in(view: View, texts: Sequence[str]) -> list[_Draft]:
    named = _gathered_from(view, texts)
    known = {entity.id for entity, _ in named}
    drafts = []
    for entity, gathered in named:
        score = _score(_band(view, entity, NAMED, NAMED_WITHOUT_CLAIMS), gathered.strength)
        make = partial(_named_row, view, entity, gathered)
        drafts.append(_Draft(view, entity, score, gathered.last, make))
    for found in _found_in(view, texts):
        if found.entity.id not in known:
            score = _score(_band(view, found.entity, FOUND, FOUND_WITHOUT_CLAIMS), found.strength)
            make = partial(_found_row, view, found)
            drafts.append(_Draft(view, found.entity, score, (found.age, 0), make))
    return drafts


def _band(view: View, entity: Entity, with_claims: Band, without: Band) -> Band:
    return with_claims if view.claim_count(entity.id) else without


def _score(band: Band, strength: float) -> float:
    low, width = band
    return round(low + width * strength, 6)


def named_in(view: View, texts: Sequence[str], parts: bool = True) -> list[Salient]:
    """The entities that texts (newest first) name, or of whose names they hold `parts`: the
    strongest, in no particular order.
    """
    found = _gathered_from(view, texts, parts)
    found.sort(key=lambda one: (-one[1].strength, one[0].id))
    return [_named_row(view, entity, entry) for entity, entry in found[:MAX_NAMED]]


def _gathered_from(
    view: View, texts: Sequence[str], parts: bool = True
) -> list[tuple[Entity, _Gathered]]:
    gathered: dict[str, _Gathered] = {}
    for age, text in enumerate(texts):
        for found in weigh(view, text):
            is_part = found.mention.arm is Arm.PART
            if (parts or not is_part) and not_listed(found) is None:
                entry = gathered.setdefault(found.mention.entity_id, _Gathered([]))
                entry.evidence.append((age, text, found))
    known = ((view.entity(entity_id), entry) for entity_id, entry in gathered.items())
    return [(entity, entry) for entity, entry in known if entity is not None]


def _named_row(view: View, entity: Entity, gathered: _Gathered) -> Salient:
    newest, newest_text, _ = gathered.evidence[0]
    strength = gathered.strength
    band = _band(view, entity, NAMED, NAMED_WITHOUT_CLAIMS)
    best = gathered.best
    matched = tuple(dict.fromkeys(e.matched for _, _, e in gathered.evidence))
    return Salient(
        view=view,
        entity=entity,
        claim_count=view.claim_count(entity.id),
        score=_score(band, strength),
        strength=strength,
        arm=arm_of(best.mention),
        matched=matched,
        why=_why(gathered, band),
        ambiguous=best.mention.ambiguous,
        text=newest_text,
        place=min(e.mention.start for age, _, e in gathered.evidence if age == newest),
    )


def _why(gathered: _Gathered, band: Band) -> str:
    best, strength = gathered.best, gathered.strength
    low, width = band
    said = [f"“{best.matched}” names “{best.mention.name}”: {best.factors}"]
    if any(gathered.by_text):
        texts = " × ".join(f"(1 − {s:g} × {FADING:g}^{age})" for age, s in gathered.by_text.items())
        said.append(f"over the window 1 − {texts} = {strength:g}")
    said.append(f"score {low:g} + {width:g} × {strength:g}")
    if best.mention.ambiguous:
        said.append("ambiguous: the same words name another entity")
    return "; ".join(said)


class _Found(NamedTuple):
    """An entity whose own words hold most of a text: the words, their share, the text's age."""

    entity: Entity
    text: str
    matched: Sequence[str]
    share: float
    age: int

    @property
    def strength(self) -> float:
        return round(self.share * FADING**self.age, 3)


def _found_in(view: View, texts: Sequence[str]) -> list[_Found]:
    best: dict[str, _Found] = {}
    for age, text in enumerate(texts):
        if text in texts[age + 1 : age + 2]:
            continue
        described = view.once("described", text, partial(_described_by, view, text))
        for entity, held, share in described:
            found = _Found(entity, text, held, round(share, 3), age)
            if entity.id not in best or found.strength > best[entity.id].strength:
                best[entity.id] = found
    return list(best.values())


def _described_by(view: View, text: str) -> list[tuple[Entity, list[str], float]]:
    """Entities whose name, aliases and description hold most of what a text is about."""
    if not worth_searching(text):
        return []
    search, snapshot = view.search, view.knowledge.snapshot
    words = needles(text)
    total = search.total(Kind.ENTITY)
    weights = {n: rarity(total, search.frequency(n, Kind.ENTITY)) for n in words}
    whole = sum(weights.values())
    rows = []
    for hit in search.down_to(weights, Kind.ENTITY, DESCRIBED_SHARE):
        document = snapshot.document(hit)
        stems = frozenset(stems_in(document))
        held = [n for n in words if n.held_by(stems)]
        entity = view.entity(key_in(document)[1])
        if entity is None or sum(weights[n] for n in held) / whole < DESCRIBED_SHARE:
            continue
        held = [n for n in held if not _nearly_names(entity, n)]
        share = sum(weights[n] for n in held) / whole
        if len(held) > 1 and share >= DESCRIBED_SHARE:
            rows.append((entity, [n.word for n in held], share))
    return rows


def _nearly_names(entity: Entity, word: Needle) -> bool:
    """Whether a word shares its stem with one of an entity's names and is no form of it: what is
    “factional” is not the faction.
    """
    folded = fold(word.word)
    names = units("\n".join((entity.name, *entity.aliases))).units
    alike = [unit.folded for unit in names if (unit.stem,) in word.alternatives]
    return bool(alike) and not any(inflects(n, folded) or inflects(folded, n) for n in alike)


def _found_row(view: View, found: _Found) -> Salient:
    entity, strength = found.entity, found.strength
    low, width = band = _band(view, entity, FOUND, FOUND_WITHOUT_CLAIMS)
    return Salient(
        view=view,
        entity=entity,
        claim_count=view.claim_count(entity.id),
        score=_score(band, strength),
        strength=strength,
        arm="text",
        matched=tuple(found.matched),
        why=(
            f"its name, aliases and description hold {', '.join(found.matched)}: "
            f"{found.share:g} of the text by rarity × {FADING:g}^{found.age} = {strength:g}; "
            f"score {low:g} + {width:g} × {strength:g}"
        ),
        ambiguous=False,
        text=found.text,
    )
