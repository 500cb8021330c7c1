"""The sources that claims quote: the whole sentence around each receipt, and the parts of a source
that some viewers may not see.

A viewer sees a range of a source if he sees the source, and every claim that cites a receipt in the
range or whose text is in it. If one of these claims is retired, or no claim cites a receipt in the
range, nobody sees it. What closes a whole source says `closed_sources`. `QuotedSources.gates`
decides all this; nothing else does.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from vouch_sidecar.index.closed_sources import ClosedSources
from vouch_sidecar.index.receipts import (
    Citing,
    Quoted,
    Receipts,
    Sentence,
    citing,
    is_receipt,
)
from vouch_sidecar.index.withheld_texts import Gates, all_gates
from vouch_sidecar.kb.access import OPEN, gate_of
from vouch_sidecar.kb.records import Claim, Evidence, Source
from vouch_sidecar.text.analysis import units
from vouch_sidecar.text.content_words import content_stems
from vouch_sidecar.text.document_blocks import after_mark
from vouch_sidecar.text.document_layout import Layout, Place, Span
from vouch_sidecar.text.sentences import MAX_SENTENCE
from vouch_sidecar.text.text_forms import Form, form_of_text, is_fragment, is_talk

TALKING = frozenset({"message", "transcript"})
"""Types of sources in which people and agents talk to each other."""
_MARK_BYTES = 4096
MAX_LEAD_IN = 240
"""Characters of a sentence that is put in front of the items of its list."""
MAX_STEMS_AROUND = 200
"""Stems that are kept of the surroundings of a sentence."""
NEGATION = re.compile(r"\b(?:not|never|no|neither|cannot|\w{1,9}n['’]t)\b", re.IGNORECASE)


class _Receipt(NamedTuple):
    """The place of a receipt in its source, in characters."""

    start: int
    end: int
    evidence: Evidence


@dataclass(frozen=True)
class _QuotedSource:
    """One source with its receipts, sorted by their start. `closed` gives the gates that all of the
    source needs.
    """

    world: Receipts
    source: Source
    text: str
    receipts: Sequence[_Receipt]
    by_id: Mapping[str, _Receipt]
    """The receipts whose quote, if they have one, stands there."""
    closed: Gates

    @cached_property
    def layout(self) -> Layout:
        return Layout(self.text)

    @cached_property
    def _longest(self) -> int:
        return max((receipt.end - receipt.start for receipt in self.receipts), default=0)

    @cached_property
    def _retired(self) -> tuple[str, ...]:
        """The texts of the receipts that retired claims cite, as these may occur again elsewhere in
        the source.
        """
        retired = (
            receipt for receipt in self.receipts if self.world.is_retired(receipt.evidence.id)
        )
        texts = (_flat(self.text[receipt.start : receipt.end]) for receipt in retired)
        return tuple(dict.fromkeys(filter(None, texts)))

    def touching(self, start: int, end: int) -> Iterator[_Receipt]:
        """Yield the receipts that overlap a range of characters."""
        first = bisect_left(self.receipts, start - self._longest, key=lambda receipt: receipt.start)
        for at in range(first, len(self.receipts)):
            receipt = self.receipts[at]
            if receipt.start >= end:
                return
            if receipt.end > start:
                yield receipt

    def gates(self, start: int, end: int) -> tuple[Gates, Gates]:
        """The gates that a range needs, without and with those for the texts of withheld claims in
        it.
        """
        text = self.text[start:end]
        gate = gate_of(self.source)
        shown: Gates = None if gate is None else frozenset({gate})
        flat = _flat(text) if self._retired else ""
        if any(phrase in flat for phrase in self._retired):
            shown = None
        receipts = (self._gates_of(receipt) for receipt in self.touching(start, end))
        needed = all_gates((shown, self.closed, *receipts))
        return needed, all_gates((needed, self.world.withheld.gates(text)))

    def _gates_of(self, receipt: _Receipt) -> Gates:
        by, retired, _ = self.world.cited(receipt.evidence.id)
        if retired:
            return None
        if by:
            return frozenset(cite.gate for cite in by)
        # vouch leaves the receipt of what it refused because a claim says the same already
        gate = self.world.gate_of_text(self.text[receipt.start : receipt.end])
        return None if gate is None else frozenset({gate})

    def said(self, receipt: _Receipt) -> str:
        """The text of a receipt without the mark of an item of a list, which vouch quotes too."""
        return self.text[after_mark(self.text, receipt.start) : receipt.end]

    def sentences_around(self, receipt: _Receipt) -> Place | None:
        """The whole sentences around a receipt."""
        return self.layout.sentences_around(receipt.start, receipt.end)

    def stems(self, span: Span, text: str) -> Sequence[str]:
        """The content stems of the text of a range."""
        if span not in self._stems:
            self._stems[span] = content_stems(text)
        return self._stems[span]

    @cached_property
    def _stems(self) -> dict[Span, Sequence[str]]:
        return {}

    def saying(self, place: Place) -> Iterator[str]:
        """Yield the ids of the claims whose text is quoted from a place."""
        for receipt in self.touching(place.start, place.end):
            citing = self.world.cited(receipt.evidence.id).citing
            verbatim = [claim.claim_id for claim in citing if claim.verbatim]
            if verbatim and _is_same(self.sentences_around(receipt), place):
                yield from verbatim


class _LeadIn(NamedTuple):
    """The sentences that introduce the lists around an item, and the gates that they need; None if
    nobody may see one of them.
    """

    text: str
    gates: Gates
    by_text: bool


@dataclass
class _Shown:
    """The parts of a source that viewers with some gates may see. `by_text` becomes true once
    something is kept from them only because of a withheld claim's text.
    """

    source: _QuotedSource
    gates: frozenset[str]
    by_text: bool = False

    def texts_of(self, span: Span, text: str) -> list[str]:
        """The text of a range in a list; an empty list if it may not be seen."""
        without, needed = self.source.gates(*span)
        shown = needed is not None and needed <= self.gates
        self.by_text |= not shown and without is not None and without <= self.gates
        return [text] if shown and text else []


class QuotedSources:
    """The sources that claims quote. The last `size` ones stay in memory: if claims are sorted by
    source, each source is read once.
    """

    def __init__(self, world: Receipts, size: int = 4) -> None:
        self._world = world
        self._size = size
        self._held: dict[str, _QuotedSource | None] = {}
        self.closed = ClosedSources(world)

    def quoted(self, claim: Claim) -> Quoted | None:
        """The place of the claim's first receipt whose sentence contains the claim's text, else of
        its first receipt; None if no receipt is found.
        """
        first = None
        for evidence_id, cite in citing(claim, self._world.evidence).items():
            evidence = self._world.evidence(evidence_id)
            if evidence is None or not is_receipt(evidence):
                continue
            here = self._quoted(claim, evidence, cite)
            if here is not None and here.sentence is not None and here.sentence.holds_text:
                return here
            first = first or here
        return first

    def gates(self, source_id: str, start: int, end: int) -> Gates:
        """The gates that a range of a source needs, in characters. Nobody may see a range of a
        source that is not kept or is not text.
        """
        source = self._of(source_id)
        return None if source is None else source.gates(start, end)[1]

    def span(self, evidence: Evidence) -> tuple[int, int] | None:
        """The range of characters that a receipt quotes from its source; None if it is unknown."""
        source = self._of(evidence.source_id)
        receipt = None if source is None else source.by_id.get(evidence.id)
        return None if receipt is None else (receipt.start, receipt.end)

    def parts(self, evidence: Evidence) -> tuple[Span, ...] | None:
        """The ranges of characters that decide what is shown around a receipt: its sentence, the
        headings above, the introduction of its list, and its paragraph. None if they are unknown.
        """
        source = self._of(evidence.source_id)
        receipt = None if source is None else source.by_id.get(evidence.id)
        place = None if source is None or receipt is None else source.sentences_around(receipt)
        return None if place is None else place.parts

    def repeats(self, evidence: Evidence) -> bool:
        """Whether a receipt's quote occurs more than once in its source."""
        source, span = self._of(evidence.source_id), self.span(evidence)
        if source is None or span is None:
            return False
        text = source.layout.text
        return text.count(text[span[0] : span[1]]) > 1

    def _quoted(self, claim: Claim, evidence: Evidence, citing: Citing) -> Quoted | None:
        source = self._of(evidence.source_id)
        receipt = None if source is None else source.by_id.get(evidence.id)
        if source is None or receipt is None:
            return None
        place = source.sentences_around(receipt)
        said = source.said(receipt) if citing.verbatim else claim.text
        holds = place is not None and _holds(place, receipt, said, source.text, citing)
        own = frozenset({OPEN, citing.gate, gate_of(source.source) or OPEN})
        is_closed = source.closed is None or not source.closed <= own
        quotes = (holds or citing.verbatim) and not is_closed
        form = _form(place, source.source) if quotes else form_of_text(claim.text)
        if place is None or place.form is not Form.STATEMENT:
            return Quoted(form, None)
        if len(place.text) > MAX_SENTENCE or place.is_cut:
            return Quoted(form, None, only_whole=claim.auto_approved or place.is_cut)
        in_part = claim.auto_approved and not _is_all_of(said, place)
        without, needed = source.gates(place.start, place.end)
        if needed is None or not needed <= own:
            form = form_of_text(claim.text)
        by_text = all_gates((without, own)) != all_gates((needed, own))
        if needed is None:
            return Quoted(form, None, by_text, in_part)
        parts = [place.text]
        led = self._led_in(source, place)
        if led is not None:
            by_text |= led.by_text
            if led.gates is None:
                return Quoted(form, None, by_text, only_whole=True)
            parts, needed = [led.text, *parts], needed | led.gates
        needed |= {citing.gate} - {OPEN}
        shown = _Shown(source, needed)
        titles = [
            f"{title}:"
            for span in place.headings[:1]
            for title in shown.texts_of(span, source.layout.heading(span))
        ]
        parts = [*titles, *parts]
        text = " ".join(parts)
        # What no part says the whole may say.
        composed = self._world.withheld.gates(text) if len(parts) > 1 else frozenset[str]()
        by_text |= composed is None or not composed <= needed
        if composed is None:
            return Quoted(form, None, by_text, only_whole=in_part or led is not None)
        needed |= composed
        saying = sorted(set(source.saying(place)))
        sentence = Sentence(
            text,
            tuple(saying if citing.verbatim else sorted({*saying, claim.id})),
            holds,
            holds and _is_all_of(said, place) and led is None,
            not citing.verbatim or saying[:1] == [claim.id],
            source.source.id,
            place.start,
            " ".join(titles),
            tuple(sorted(needed)),
            tuple(self._around(source, place, shown)),
        )
        by_text |= shown.by_text
        return Quoted(form, sentence, by_text, only_whole=in_part or led is not None)

    def _led_in(self, source: _QuotedSource, place: Place) -> _LeadIn | None:
        """The sentences that introduce the lists around a place, if they must be shown with it. A
        long one without a negation need not.
        """
        texts, gates, by_text = list[str](), frozenset[str](), False
        for span in place.lead_ins:
            ((text, *_),) = source.layout.sentences_in(span)[-1:]
            without, needed = source.gates(*span)
            by_text |= without is not None and needed != without
            if needed is None:
                return _LeadIn("", None, by_text)
            if len(text) <= MAX_LEAD_IN:
                texts, gates = [*texts, text], gates | needed
            elif NEGATION.search(text):
                return _LeadIn("", None, by_text)
        return _LeadIn(" ".join(texts), gates, by_text) if texts else None

    def _around(self, source: _QuotedSource, place: Place, shown: _Shown) -> Iterable[str]:
        """The stems of the surroundings of a place, each once."""
        stems: dict[str, None] = {}
        title = source.source.title
        if title and (gates := self._world.withheld.gates(title)) is not None:
            stems |= dict.fromkeys(content_stems(title) if gates <= shown.gates else ())
        for span in place.headings:
            for heading in shown.texts_of(span, source.layout.heading(span)):
                stems |= dict.fromkeys(source.stems(span, heading))
        for text, start, end in source.layout.sentences_in(place.paragraph or (0, 0)):
            for sentence in shown.texts_of((start, end), text):
                stems |= dict.fromkeys(source.stems((start, end), sentence))
            if len(stems) > MAX_STEMS_AROUND:
                break
        return list(stems)[:MAX_STEMS_AROUND]

    def _of(self, source_id: str) -> _QuotedSource | None:
        if source_id not in self._held:
            while len(self._held) >= self._size:
                del self._held[next(iter(self._held))]
            self._held[source_id] = self._quoted_source(source_id)
        return self._held[source_id]

    def _quoted_source(self, source_id: str) -> _QuotedSource | None:
        source = self._world.source(source_id)
        if source is None or gate_of(source) is None or not source.kept:
            return None
        data = self._world.content(source)
        try:
            text = "" if data is None else data.decode()
        except UnicodeDecodeError:
            return None
        if data is None:
            return None
        receipts, by_id = [], {}
        places = _Places(data, text)
        for evidence in self._world.evidence_in(source_id):
            if (span := places.range_of(evidence)) is not None:
                receipt = _Receipt(*span, evidence)
                receipts.append(receipt)
                if evidence.quote is None or evidence.quote == text[slice(*span)]:
                    by_id[evidence.id] = receipt
        receipts.sort(key=lambda receipt: (receipt.start, receipt.end, receipt.evidence.id))
        return _QuotedSource(self._world, source, text, receipts, by_id, self.closed.gates(source))


class _Places:
    """Turns ranges of bytes into ranges of characters."""

    def __init__(self, data: bytes, text: str) -> None:
        self._data = data
        self._is_ascii = text.isascii()
        self._marks = [(0, 0)]
        """Pairs of byte and character offset of the same place, sorted."""

    def range_of(self, evidence: Evidence) -> tuple[int, int] | None:
        """The range of evidence in the source, in characters; None if it has no valid range."""
        start, end = evidence.byte_start, evidence.byte_end
        if start is None or end is None or not start < end <= len(self._data):
            return None
        return self._place(start), self._place(end)

    def _place(self, at: int) -> int:
        if self._is_ascii:
            return at
        number = bisect_left(self._marks, (at + 1, 0)) - 1
        mark, before = self._marks[number]
        place = before + len(self._data[mark:at].decode("utf-8", "ignore"))
        if at - mark > _MARK_BYTES:
            self._marks.insert(number + 1, (at, place))
        return place


def _flat(text: str) -> str:
    return " ".join(text.split())


def _is_same(place: Place | None, other: Place) -> bool:
    return place is not None and (place.start, place.end) == (other.start, other.end)


def _form(place: Place | None, source: Source) -> Form:
    """The form of a claim's text that is quoted from a place of a source."""
    if place is None:
        return Form.MARKUP
    if place.form is not Form.STATEMENT:
        return place.form
    form = Form.FRAGMENT if is_fragment(place.text) else form_of_text(place.text)
    talks = form is Form.STATEMENT and source.type in TALKING and is_talk(place.text)
    return Form.TALK if talks else form


def _holds(place: Place, receipt: _Receipt, said: str, text: str, citing: Citing) -> bool:
    """Whether the sentences of a place contain what a claim says: as the receipt that stands there
    in the source's text, or as the same words in a row. False if it says no words.
    """
    start = after_mark(text, receipt.start)
    if citing.verbatim and place.start <= start and receipt.end <= place.end:
        return True
    wanted, words = _words(said), _words(place.text)
    many = len(wanted)
    return many > 0 and any(words[at : at + many] == wanted for at in range(len(words) - many + 1))


def _is_all_of(said: str, place: Place) -> bool:
    """Whether the sentences of a place say no more than a text."""
    return _words(place.text) == _words(said)


def _words(text: str) -> list[str]:
    return [unit.folded for unit in units(text).units]
