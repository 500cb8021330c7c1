"""What the answers must be, worked out slowly and plainly from a list of artifacts.

No index, no postings, no memory of an earlier state: every question looks at everything.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from vouch_sidecar.index.artifact_documents import texts
from vouch_sidecar.kb.access import OPEN, gate_of, is_live
from vouch_sidecar.kb.records import Artifact, Claim, Entity, Kind, Page, key_of
from vouch_sidecar.names.name_forms import FormKind
from vouch_sidecar.text.analysis import Unit, Units, fold, inflects, units
from vouch_sidecar.text.content_words import Term, content_stems, terms
from vouch_sidecar.text.english_words import STOPWORDS

DAY = 86_400.0


class Named(NamedTuple):
    """A place in a text that names an entity."""

    start: int
    end: int
    entity_id: str
    arm: FormKind
    ambiguous: bool
    nested: bool


class Expert(NamedTuple):
    """What a row of experts says."""

    entity_id: str
    claim_count: int
    citation_count: int
    score: float
    top_claim_ids: tuple[str, ...]


class _Run(NamedTuple):
    """Neighbouring words of a text, and the punctuation between them."""

    start: int
    end: int
    words: tuple[str, ...]
    stems: tuple[str, ...]


def _stems_of(artifact: Artifact) -> list[tuple[str, ...]]:
    """The stems of each of an artifact's texts."""
    return [tuple(content_stems(text)) for text in texts(artifact)]


class Reference:
    """The artifacts that count, and what follows from them for a viewer with some gates."""

    def __init__(self, artifacts: Iterable[Artifact]) -> None:
        live = {key_of(a): a for a in artifacts if is_live(a) and gate_of(a)}
        everything = sorted(live.values(), key=lambda a: a.id)
        self.claims = {a.id: a for a in everything if isinstance(a, Claim)}
        self.entities = {a.id: a for a in everything if isinstance(a, Entity)}
        self.pages = {a.id: a for a in everything if isinstance(a, Page)}
        self.artifacts = live

    # Names

    def mentions(self, text: str) -> list[Named]:
        """Every place that names an entity; what a longer or earlier one covers is nested."""
        runs: dict[tuple[int, int], list[_Run]] = {}
        for run in _runs(units(text)):
            runs.setdefault((run.start, run.end), []).append(run)
        found = [name for same in runs.values() for name in self._named_by(text, same)]
        ordered = sorted(found, key=lambda n: (n.start, -n.end, n.entity_id))
        out: list[Named] = []
        covering: tuple[int, int] | None = None
        for named in ordered:
            if covering is None or named.start >= covering[1]:
                covering = named.start, named.end
            out.append(named._replace(nested=(named.start, named.end) != covering))
        return out

    def _named_by(self, text: str, runs: Sequence[_Run]) -> Iterator[Named]:
        """What one place names, in any of the ways in which its words can be read."""
        start, end = runs[0][:2]
        written = text[start:end]
        arms: dict[str, FormKind] = {}
        for entity in self.entities.values():
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

    # Links

    def links(self, claim_id: str) -> tuple[str, ...]:
        """The entities that a claim counts for under linking `auto`."""
        claim = self.claims[claim_id]
        if declared := self._known(claim.entities):
            return declared
        mentions = self.mentions(claim.text)
        if named := self._known(n.entity_id for n in mentions if not n.nested and not n.ambiguous):
            return named
        pages = [p for p in self.pages.values() if claim_id in p.claims]
        pages = [p for p in pages if gate_of(p) in {OPEN, gate_of(claim)}]
        return self._known(e for p in pages for e in self._about(p))

    def _about(self, page: Page) -> Collection[str]:
        """The only entity that a page lists, else those of them that its title names."""
        listed = set(page.entities)
        if len(listed) == 1:
            return listed
        there = Reference([self.entities[text] for text in listed if text in self.entities])
        return {mention.entity_id for mention in there.mentions(page.title)}

    def declared(self, claim_id: str) -> tuple[str, ...]:
        """The entities that a claim declares, those that there are."""
        return self._known(self.claims[claim_id].entities)

    def _known(self, entity_ids: Iterable[str]) -> tuple[str, ...]:
        return tuple(sorted({e for e in entity_ids if e in self.entities}))

    # Words

    def visible(self, kind: Kind, gates: frozenset[str]) -> list[Artifact]:
        """The artifacts of a kind that a viewer may see."""
        return [a for (k, _), a in self.artifacts.items() if k is kind and gate_of(a) in gates]

    def frequency(self, term: Term, kind: Kind, gates: frozenset[str]) -> int:
        """How many texts hold a word."""
        return sum(
            term.held_by(frozenset(text))
            for artifact in self.visible(kind, gates)
            for text in _stems_of(artifact)
        )

    def _stands(self, term: Term, gates: frozenset[str]) -> bool:
        return any(self.frequency(term, kind, gates) for kind in (Kind.CLAIM, Kind.PAGE))

    def rarities(
        self, words: Sequence[Term], kind: Kind, gates: frozenset[str]
    ) -> dict[Term, float]:
        """ln(1 + texts / texts that hold the word); a word that none holds is rarest."""
        total = sum(len(_stems_of(a)) for a in self.visible(kind, gates))
        return {
            n: math.log(1 + total / max(1, self.frequency(n, kind, gates))) if total else 1.0
            for n in words
        }

    def search(self, query: str, kind: Kind, gates: frozenset[str]) -> list[tuple[str, float]]:
        """Ids with BM25 scores, best first, ties by id; what the query is a name of goes first."""
        words = terms(query)
        rarities = self.rarities(words, kind, gates)
        texts = [(a.id, t) for a in self.visible(kind, gates) for t in _stems_of(a)]
        average = sum(len(t) for _, t in texts) / len(texts) if texts else 0.0
        named = {a.id for a in self.visible(kind, gates) if _is_called(a, query)}
        best: dict[str, float] = dict.fromkeys(named, 0.0)
        for artifact_id, text in texts:
            score = round(sum(_bm25(text, n, w, average) for n, w in rarities.items()), 6)
            is_whole = all(word.held_by(frozenset(text)) for word in words)
            if score > 0 and (is_whole or not re.fullmatch(r"[a-zA-Z]+(?:_[a-zA-Z]+)+", query)):
                best[artifact_id] = max(score, best.get(artifact_id, 0.0))
        return sorted(best.items(), key=lambda row: (row[0] not in named, -row[1], row[0]))

    def nearest(self, entity_id: str, text: str, gates: frozenset[str]) -> list[str]:
        """Ids of the claims that count for an entity: those first that share most with a text."""
        weights = self.rarities(terms(text), Kind.CLAIM, gates)

        def share(claim: Artifact) -> float:
            stems = frozenset(stem for stems in _stems_of(claim) for stem in stems)
            return round(math.fsum(w for n, w in weights.items() if n.held_by(stems)), 9)

        claims = [c for c in self.visible(Kind.CLAIM, gates) if entity_id in self.links(c.id)]
        return [claim.id for claim in sorted(claims, key=lambda c: (-share(c), c.id))]

    # Experts

    def experts(
        self, topic: str, now: float, weight: str, linking: str, gates: frozenset[str]
    ) -> list[Expert]:
        """All rows, in order."""
        links: Callable[[str], tuple[str, ...]]
        links = self.declared if linking == "declared" else self.links
        matched = self.matching(topic, links, gates)
        rows = []
        for entity_id in self.entities:
            claims = [c for c in matched if entity_id in links(c.id)]
            if not claims:
                continue
            amounts = {c.id: _amount(c, weight, now) for c in claims}
            top = sorted(amounts, key=lambda claim_id: (-amounts[claim_id], claim_id))
            cited = {e for c in claims for e in c.evidence}
            score = round(math.fsum(amounts.values()), 6)
            rows.append(Expert(entity_id, len(claims), len(cited), score, tuple(top[:3])))
        return sorted(rows, key=lambda r: (-r.score, r.entity_id))

    def matching(
        self, topic: str, links: Callable[[str], tuple[str, ...]], gates: frozenset[str]
    ) -> list[Claim]:
        """The claims that match a topic. Words that stand nowhere are left out."""
        claims = [a for a in self.visible(Kind.CLAIM, gates) if isinstance(a, Claim)]
        named = self.named_by_topic(topic)
        words = [n for n in terms(topic) if self._stands(n, gates)]
        rarities = self.rarities(words, Kind.CLAIM, gates)
        whole = math.fsum(rarities.values())
        shares = {}
        for claim in claims:
            stems = frozenset(s for text in _stems_of(claim) for s in text)
            held = math.fsum(w for n, w in rarities.items() if n.held_by(stems))
            shares[claim.id] = round(held / whole, 9) if whole else 0.0
        best = max(shares.values(), default=0.0)
        holding = {c for c, share in shares.items() if share == best} if best >= 0.5 else set()
        return [c for c in claims if c.id in holding or named & set(links(c.id))]

    def named_by_topic(self, topic: str) -> set[str]:
        """Entities that a topic names, by a name in it or by being a part of one."""
        found = {n.entity_id for n in self.mentions(topic)}
        for entity in self.entities.values():
            names = (entity.name, *entity.aliases)
            whole = any(_surface(n) and _surface(n) == _surface(topic) for n in names)
            if whole or any(_is_part(topic, name) for name in names):
                found.add(entity.id)
        return found


def _is_part(topic: str, name: str) -> bool:
    analysis = units(topic)
    if not analysis.units or all(u.folded in STOPWORDS for u in analysis.units):
        return False
    parts = [_sequence(analysis, whole)[1] for whole in (False, True)]
    wholes = [
        _sequence(units(name), whole, gaps)[1] for whole in (False, True) for gaps in (False, True)
    ]
    return any(
        whole[i : i + len(part)] == part
        for part in parts
        for whole in wholes
        for i in range(len(whole) - len(part) + 1)
    )


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


def _is_called(artifact: Artifact, text: str) -> bool:
    names = (artifact.name, *artifact.aliases) if isinstance(artifact, Entity) else ()
    return any(_surface(name) and _surface(name) == _surface(text) for name in names)


def _surface(text: str) -> str:
    for apostrophe in "'’ʼ＇":
        text = text.replace(apostrophe, "")
    return " ".join(fold(text).split())


def _bm25(text: tuple[str, ...], term: Term, weight: float, average: float) -> float:
    times = max(min(text.count(s) for s in option) for option in term.alternatives)
    if not times:
        return 0.0
    return weight * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * len(text) / average))


def _amount(claim: Claim, weight: str, now: float) -> float:
    if weight == "recency":
        at = claim.updated_at if claim.last_confirmed_at is None else claim.last_confirmed_at
        return 1.0 if at is None else float(2.0 ** (-max(0.0, now - at) / DAY / 30.0))
    if weight == "citation":
        return len(set(claim.evidence)) * claim.confidence
    return 1.0
