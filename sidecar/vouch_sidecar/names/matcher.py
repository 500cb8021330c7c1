"""Finds the names and aliases of entities in a text, by a trie that is walked from word boundary to
word boundary. Offsets are those of the original text. A matcher is immutable.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from math import prod
from typing import NamedTuple

from vouch_sidecar.kb.records import Entity
from vouch_sidecar.names.name_forms import (
    FormKind,
    NameForm,
    Words,
    forms,
    path_of,
    spelling,
    unpunctuated,
)
from vouch_sidecar.text.analysis import Units, differ_in_number, inflects, units
from vouch_sidecar.text.english_words import STOPWORDS

MANY_SHARE = 5
"""The most entities that a part of a name may match; a part that matches more is ignored."""
MOST_MENTIONS = 10_000
"""Mentions in one text; those behind them are left out."""
LONG_NAME = 256
"""The longest text, in characters, that is looked up as one name."""
_NUMBER_BEHIND = re.compile(r"-\d")
"""A number after a part of a name rules it out: the INC of INC-118 does not match in INC-119."""


class Mention(NamedTuple):
    """A place in a text that names an entity. The last fields are those of one that was weighed."""

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
    placed: str = "name"
    """What its position says of it."""
    factors: Mapping[str, float] = {}
    """The factors of its strength, each from 0 to 1."""

    @property
    def strength(self) -> float:
        """How strongly it says that the entity is meant, from 0 to 1."""
        return round(prod(self.factors.values()), 3)


class Names:
    """A matcher over the names of all entities. Any thread may ask."""

    def __init__(self, entities: Iterable[Entity], before: Names | None = None) -> None:
        """What is worked out of an entity is taken from a matcher `before` that knew the same."""
        self._entities = {entity.id: entity for entity in entities}
        former = before._forms if before is not None else {}
        self._forms: dict[Entity, tuple[NameForm, ...]] = {
            entity: former.get(entity) or forms(entity) for entity in self._entities.values()
        }
        self._next: dict[tuple[int, str], int] = {}
        """The trie: by a node, of which the first is 0, and a key the node that it leads to."""
        self._ends = defaultdict[int, list[NameForm]](list)
        self._by_spelling: defaultdict[str, list[str]] = defaultdict(list)
        self._by_stem = defaultdict[str, defaultdict[str, list[NameForm]]](
            lambda: defaultdict(list)
        )
        """The names, other than surnames, that have a stem or punctuation, by entity."""
        for entity, named in self._forms.items():
            for form in named:
                node = 0
                for key in form.path:
                    node = self._next.setdefault((node, key), len(self._next) + 1)
                self._ends[node].append(form)
                for key in {*form.path} if form.kind is not FormKind.SURNAME else ():
                    self._by_stem[key][entity.id].append(form)
            for text in {*map(spelling, (entity.name, *entity.aliases))} - {""}:
                self._by_spelling[text].append(entity.id)

    def entity(self, entity_id: str) -> Entity | None:
        return self._entities.get(entity_id)

    def find(self, text: str) -> list[Mention]:
        """The mentions in a text, by position, the first `MOST_MENTIONS` of them; a mention inside
        another is marked as nested.
        """
        analysis = units(text)
        mentions: list[Mention] = []
        for start, unit in enumerate(analysis.units):
            if (0, unit.stem) in self._next or start in analysis.wholes:
                mentions += self._named_from(analysis, start)
            if len(mentions) >= MOST_MENTIONS:
                break
        whole = self._whole(text, {mention.entity_id for mention in mentions})
        return [*islice(mark_nested([*mentions, *whole]), MOST_MENTIONS)]

    def _named_from(self, analysis: Units, start: int) -> Iterator[Mention]:
        """The mentions that begin at unit `start`: every end of a name that a walk reaches."""
        reached = defaultdict[int, list[tuple[NameForm, Words]]](list)
        todo: list[tuple[int, int, Words]] = [(start, 0, ())]
        while todo:
            i, node, words = todo.pop()
            reached[i] += [(form, words) for form in self._ends.get(node, ())]
            if i == len(analysis.units):
                continue
            gap = analysis.units[i].gap
            if gap and i > start:
                if (between := self._next.get((node, gap))) is None:
                    continue
                node, words = between, (*words, gap)
            readings = [(analysis.units[i], i + 1)]
            readings += [analysis.wholes[i]] if i in analysis.wholes else []
            for unit, after in readings:
                if (child := self._next.get((node, unit.stem))) is not None:
                    todo.append((after, child, (*words, unit.folded)))
        for end, named in reached.items():
            yield from _mentions_between(analysis, start, end, named)

    def _whole(self, text: str, mentioned: Container[str]) -> list[Mention]:
        """Mentions of entities, other than those `mentioned`, that the whole text names. The trie
        misses names without words, such as a lone sign, and names that differ from another one only
        in signs.
        """
        if len(text) > LONG_NAME:
            return []
        written = text.strip() if self.exactly(text) else unpunctuated(text)
        ids, start = self.exactly(written), text.find(written)
        return [
            Mention(start, start + len(written), i, FormKind.NAME, written, len(ids) > 1, False)
            for i in ids
            if i not in mentioned
        ]

    def exactly(self, text: str) -> list[str]:
        """Ids of the entities that have the whole text, folded, as a name or alias; sorted."""
        return sorted(self._by_spelling.get(spelling(text), ()))

    def containing(self, text: str) -> list[str]:
        """Sorted ids of the entities whose name or alias contains the text.

        Only whole words match, and a text of stopwords matches nothing.
        """
        analysis = units(text)
        if all(u.folded in STOPWORDS for u in analysis.units):
            return []
        runs = {path_of(analysis, whole)[0] for whole in (False, True)}
        return sorted(
            {
                entity_id
                for run in runs
                for entity_id, having in self._by_stem.get(run[0], {}).items()
                if any(f" {' '.join(run)} " in f" {' '.join(form.path)} " for form in having)
            }
        )

    def parts(self, text: str, mentions: Sequence[Mention]) -> list[Mention]:
        """The words of a text outside the given mentions that are a part of the names of at most
        `MANY_SHARE` entities, in the singular or plural.
        """
        found: list[Mention] = []
        for unit in units(text).units:
            having: Mapping[str, list[NameForm]] = self._by_stem.get(unit.stem, {})
            is_word = not unit.spaceless and unit.folded not in STOPWORDS
            is_whole = _NUMBER_BEHIND.match(text, unit.end) is None
            if not (is_word and is_whole and len(having) <= MANY_SHARE):
                continue
            named: dict[str, str] = {}
            for form in chain.from_iterable(having.values()):
                if any(differ_in_number(word, unit.folded) for word in form.words):
                    named.setdefault(form.entity_id, form.name)
            found += [
                Mention(unit.start, unit.end, i, FormKind.PART, name, len(named) > 1, False)
                for i, name in sorted(named.items())
            ]
        return outside(found, mentions)


def _mentions_between(
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
        _, kind, name = best[entity_id]
        yield Mention(first.start, last.end, entity_id, kind, name, len(entity_ids) > 1, False)


def _kind(form: NameForm, written: str, words: tuple[str, ...]) -> FormKind | None:
    """How the written words name the form; None if they only share stems with it."""
    if form.kind is FormKind.SURNAME:
        return FormKind.SURNAME if form.words == words else None
    if spelling(written) == spelling(form.name):
        return form.kind
    if form.name.isupper():
        # A name in capitals has a plural, and no other inflection: DNS is no plural of DN.
        plural = not written.isupper() and all(
            b in (a, a + "s", a + "es") for a, b in zip(form.words, words, strict=True)
        )
        return FormKind.VARIANT if plural or form.words == words else None
    return FormKind.VARIANT if all(map(inflects, form.words, words)) else None


def mark_nested(mentions: Iterable[Mention]) -> Iterator[Mention]:
    """Sort mentions by position, and mark those inside a longer mention or overlapping an earlier
    one as nested.
    """
    start = end = -1
    for mention in sorted(mentions, key=lambda m: (m.start, -m.end, m.entity_id)):
        if mention.start >= end:
            start, end = mention.start, mention.end
        is_whole = (mention.start, mention.end) == (start, end)
        yield mention if is_whole else mention._replace(nested=True)


def outside(mentions: Iterable[Mention], others: Iterable[Mention]) -> list[Mention]:
    """The mentions that share no character with one of the others."""
    covered = {at for other in others for at in range(other.start, other.end)}
    return [
        mention for mention in mentions if covered.isdisjoint(range(mention.start, mention.end))
    ]
