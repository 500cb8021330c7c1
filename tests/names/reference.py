"""The places in a text that name entities, worked out slowly and plainly: every name is compared
with every run of words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from vouch_sidecar.kb.records import Entity
from vouch_sidecar.names.name_forms import FormKind
from vouch_sidecar.text.analysis import Unit, Units, fold, inflects, units


class Named(NamedTuple):
    """A place in a text that names an entity."""

    start: int
    end: int
    entity_id: str
    arm: FormKind
    ambiguous: bool
    nested: bool


class _Run(NamedTuple):
    """Neighbouring words of a text, and the punctuation between them."""

    start: int
    end: int
    words: tuple[str, ...]
    stems: tuple[str, ...]


def mentions(entities: Iterable[Entity], text: str) -> list[Named]:
    """Every place that names an entity; what a longer or earlier one covers is nested."""
    runs: dict[tuple[int, int], list[_Run]] = {}
    for run in _runs(units(text)):
        runs.setdefault((run.start, run.end), []).append(run)
    found = [name for same in runs.values() for name in _named_by(entities, text, same)]
    ordered = sorted(found, key=lambda n: (n.start, -n.end, n.entity_id))
    out: list[Named] = []
    covering: tuple[int, int] | None = None
    for named in ordered:
        if covering is None or named.start >= covering[1]:
            covering = named.start, named.end
        out.append(named._replace(nested=(named.start, named.end) != covering))
    return out


def _named_by(entities: Iterable[Entity], text: str, runs: Sequence[_Run]) -> Iterator[Named]:
    """What one place names, in any of the ways in which its words can be read."""
    start, end = runs[0][:2]
    written = text[start:end]
    arms: dict[str, FormKind] = {}
    for entity in entities:
        ways = [(n != written, arm) for run in runs for arm, n in _arms(entity, written, run)]
        if ways:  # a name that stands there just as it is spelled comes first
            arms[entity.id] = min(ways)[1]
    full = {e: arm for e, arm in arms.items() if arm is not FormKind.SURNAME}
    if not full and len(arms) > 1:
        return
    exact = {e: arm for e, arm in full.items() if arm is not FormKind.VARIANT}
    named = exact or full or arms
    for entity_id, arm in named.items():
        yield Named(start, end, entity_id, arm, len(named) > 1, False)


def _sequence(
    analysis: Units, whole: bool, gaps: bool = False
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Words and stems of a text, identifiers in parts or whole, punctuation between or not."""
    words: list[str] = []
    stems: list[str] = []
    i = 0
    while i < len(analysis.units):
        unit, after = analysis.units[i], i + 1
        if whole and i in analysis.wholes:
            unit, after = analysis.wholes[i]
        if gaps and unit.gap and i:
            words.append(unit.gap)
            stems.append("\0" + unit.gap)
        words.append(unit.folded)
        stems.append(unit.stem)
        i = after
    return tuple(words), tuple(stems)


def _runs(analysis: Units) -> Iterator[_Run]:
    """All runs of neighbouring words, every identifier both in parts and whole."""
    for first in range(len(analysis.units)):
        todo: list[tuple[int, tuple[str, ...], tuple[str, ...]]] = [(first, (), ())]
        while todo:
            i, words, stems = todo.pop()
            if words:
                start, end = analysis.units[first].start, analysis.units[i - 1].end
                yield _Run(start, end, words, stems)
            if i == len(analysis.units):
                continue
            gap = analysis.units[i].gap if i > first else ""
            if gap:
                words, stems = (*words, gap), (*stems, "\0" + gap)
            readings: list[tuple[Unit, int]] = [(analysis.units[i], i + 1)]
            if i in analysis.wholes:
                readings.append(analysis.wholes[i])
            for unit, after in readings:
                todo.append((after, (*words, unit.folded), (*stems, unit.stem)))


def _arms(entity: Entity, written: str, run: _Run) -> Iterator[tuple[FormKind, str]]:
    """How some words name an entity, if they do, and by which of its names."""
    names = [(FormKind.NAME, entity.name), *((FormKind.ALIAS, alias) for alias in entity.aliases)]
    for arm, name in names:
        for words, stems in _forms(name):
            if stems != run.stems:
                continue
            if _surface(written) == _surface(name):
                yield arm, name
            elif all(map(inflects, words, run.words)):
                yield FormKind.VARIANT, name
    parts = entity.name.split()
    if entity.type == "person" and len(parts) > 1 and len(parts[-1]) >= 3:
        for words, _ in _forms(parts[-1]):
            if words == run.words:
                yield FormKind.SURNAME, parts[-1]


def _forms(name: str) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    analysis = units(name)
    pairs = [(whole, gaps) for whole in (False, True) for gaps in (False, True)]
    return [form for pair in pairs if (form := _sequence(analysis, *pair))[0]]


def _surface(text: str) -> str:
    for apostrophe in "'’ʼ＇":
        text = text.replace(apostrophe, "")
    return " ".join(fold(text).split())
