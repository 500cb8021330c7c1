"""Turns the forms of names that a walk of a text through the trie reached into mentions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from vouch_sidecar.names.name_forms import FormKind, NameForm, Words, spelling
from vouch_sidecar.text.analysis import Units, inflects


class Mention(NamedTuple):
    """A place in a text that names an entity. The last fields are those of one that was weighed:
    `arm` to `place` are the factors of its strength, each from 0 to 1.
    """

    start: int
    end: int
    entity_id: str
    form: FormKind
    name: str
    """The name or alias that was recognised, as the entity spells it."""
    ambiguous: bool
    """Whether the same words name another entity as well."""
    nested: bool
    """Whether the mention is inside a longer one."""
    matched: str = ""
    """The words that name it, with the signs that belong to the name."""
    arm: float = 1.0
    specificity: float = 1.0
    keyness: float = 1.0
    place: float = 1.0
    placed: str = "name"
    """What its position says of it."""

    @property
    def strength(self) -> float:
        """How strongly it says that the entity is meant, from 0 to 1."""
        return round(self.arm * self.specificity * self.keyness * self.place, 3)


def mentions_between(
    analysis: Units, start: int, end: int, reached: Sequence[tuple[NameForm, Words]]
) -> Iterator[Mention]:
    """The mentions between two units, from the forms that a walk reached and the words of each, in
    all readings of the units.
    """
    first, last = analysis.units[start], analysis.units[end - 1]
    written = analysis.text[first.start : last.end]
    best: dict[str, tuple[bool, FormKind, str]] = {}
    for form, words in reached:
        if (kind := _kind(form, written, words)) is not None:
            # what is written exactly like the text fits best
            fit = (form.name != written, kind, form.name)
            best[form.entity_id] = min(best.get(form.entity_id, fit), fit)
    certain = [e for e, (_, kind, _) in best.items() if kind is not FormKind.SURNAME]
    if not certain and len(best) > 1:
        return  # a part that two entities share names nobody
    # Written just as one entity has it, the words are no inflection of another's name.
    exact = [e for e in certain if best[e][1] is not FormKind.VARIANT]
    entity_ids = exact or certain or list(best)
    for entity_id in sorted(entity_ids):
        named = entity_id, *best[entity_id][1:]
        yield Mention(first.start, last.end, *named, len(entity_ids) > 1, False)


def _kind(form: NameForm, written: str, words: tuple[str, ...]) -> FormKind | None:
    """How the written words name the form; None if they only share stems with it."""
    if form.kind is FormKind.SURNAME:
        return FormKind.SURNAME if form.words == words else None
    if spelling(written) == form.spelling:
        return form.kind
    if form.name.isupper():
        # A name in capitals has a plural, and no other inflection: DNS is no plural of DN.
        pairs = zip(form.words, words, strict=True)
        plural = not written.isupper() and all(b in (a, a + "s", a + "es") for a, b in pairs)
        return FormKind.VARIANT if plural or form.words == words else None
    return FormKind.VARIANT if all(map(inflects, form.words, words)) else None


def mark_nested(mentions: list[Mention]) -> list[Mention]:
    """Sort mentions by position, and mark those inside a longer mention or overlapping an earlier
    one as nested.
    """
    out: list[Mention] = []
    start = end = -1
    for mention in sorted(mentions, key=lambda m: (m.start, -m.end, m.entity_id)):
        if mention.start >= end:
            start, end = mention.start, mention.end
        nested = mention.start != start or mention.end != end
        out.append(mention._replace(nested=True) if nested else mention)
    return out


def outside(mentions: Iterable[Mention], others: Iterable[Mention]) -> list[Mention]:
    """The mentions that share no character with one of the others."""
    covered = {at for other in others for at in range(other.start, other.end)}
    return [
        mention for mention in mentions if covered.isdisjoint(range(mention.start, mention.end))
    ]
