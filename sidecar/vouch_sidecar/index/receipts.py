"""Finds the whole sentence around a claim's receipt in a kept source, and who may see the sentence.
A receipt is evidence with a range in a source. A sentence is visible to those who see the source
and every claim that cites a receipt in the sentence. If one of its receipts is cited by a retired
claim, or by none, nobody sees the sentence.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from vouch_sidecar.index.sentences import (
    MAX_SENTENCE,
    Form,
    Layout,
    Place,
    form_of_text,
    is_talk,
)
from vouch_sidecar.index.text import units
from vouch_sidecar.kb.access import OPEN, gate_of
from vouch_sidecar.kb.records import Artifact, Claim, Evidence, Source

_TALKING = frozenset({"message", "transcript"})
"""Types of sources in which people and agents talk to each other."""
_SLUG_CHARS = 60
_MARK_BYTES = 4096


class Sentence(NamedTuple):
    """The whole sentence around a claim's receipt, with the heading above it in front."""

    text: str
    claims: tuple[str, ...]
    """Ids of the live claims whose text is a part of the sentence, sorted."""
    holds: bool
    """Whether the sentence contains the claim's text. If so, the sentence is shown in place of the
    text.
    """
    whole: bool
    """Whether the claim's text is the whole sentence, the heading aside."""
    leads: bool
    """Whether the claim is the one under which full-text search finds this sentence."""
    source_id: str
    start: int
    """The offset of the sentence in its source, in characters."""
    gates: tuple[str, ...]
    """The gates, all of which a viewer must pass to see the sentence."""


class Quoted(NamedTuple):
    """The place of a claim's receipt: the form of the claim's text there, and the sentence; None
    instead of the sentence if nobody may see it or it is no sentence.
    """

    form: Form
    sentence: Sentence | None


class Citing(NamedTuple):
    """A live claim that cites evidence. `verbatim`: the claim's text is the evidence's quote."""

    claim_id: str
    gate: str
    verbatim: bool


class Cited(NamedTuple):
    """The live claims that cite a piece of evidence. `retired`: a retired claim cites it too;
    `redacted`: a redacted claim does.
    """

    by: tuple[Citing, ...]
    retired: bool
    redacted: bool


class Disk(NamedTuple):
    """Reads from disk what the index does not keep."""

    content: Callable[[Source], bytes | None]
    """The content of a source; None if the knowledge base does not keep it."""
    reread: Callable[[str], Artifact]
    """The artifact that a file holds now. Raises LookupError if there is none."""


def _nothing(path: str) -> Artifact:
    raise LookupError(path)


NO_DISK = Disk(lambda _: None, _nothing)


class Receipts(Protocol):
    """Look-ups of the artifacts that sentences depend on."""

    def source(self, source_id: str) -> Source | None:
        """A source that some viewer may see."""

    def evidence(self, evidence_id: str) -> Evidence | None:
        """A piece of evidence."""

    def evidence_in(self, source_id: str) -> Iterable[Evidence]:
        """The evidence that quotes a source."""

    def cited(self, evidence_id: str) -> Cited:
        """The claims that cite a piece of evidence."""

    def gate_of_text(self, text: str) -> str | None:
        """The gate of a live claim with exactly this text; None if there is none."""

    def content(self, source: Source) -> bytes | None:
        """The content of a source; None if it is not kept."""


def is_receipt(evidence: Evidence) -> bool:
    """Whether evidence says which bytes of its source it quotes."""
    return evidence.byte_start is not None and evidence.byte_end is not None


def citing(claim: Claim, evidence: Callable[[str], Evidence | None]) -> dict[str, Citing]:
    """How a claim cites each piece of its evidence, by evidence id. The first receipt whose quote
    is the claim's text comes first and is the only `verbatim` one.
    """
    gate = gate_of(claim) or OPEN
    cited = dict.fromkeys(claim.evidence)
    said = next((one for one in cited if _says(claim, evidence(one))), None)
    return {
        one: Citing(claim.id, gate, one == said)
        for one in sorted(cited, key=lambda one: one != said)
    }


def _says(claim: Claim, evidence: Evidence | None) -> bool:
    quote = None if evidence is None or not is_receipt(evidence) else evidence.quote
    return quote is not None and quote.split() == claim.text.split()


def slug_of(text: str) -> str:
    """The id that vouch gives a claim with this text."""
    letters = "".join(sign if sign.isalnum() else "-" for sign in text.lower().strip())
    return "-".join(filter(None, letters.split("-")))[:_SLUG_CHARS] or "untitled"


class _Receipt(NamedTuple):
    """The place of a receipt in its source, in characters. `gates` are those of the claims that
    cite the receipt; None if nobody may see it.
    """

    start: int
    end: int
    evidence_id: str
    by: tuple[Citing, ...]
    gates: frozenset[str] | None


@dataclass(frozen=True, slots=True)
class _QuotedSource:
    """One source with its receipts, sorted by their start."""

    source: Source
    gate: str
    layout: Layout
    receipts: Sequence[_Receipt]
    by_id: Mapping[str, _Receipt]
    longest: int
    withheld: tuple[str, ...]
    """The texts of the receipts that nobody may see."""

    def touching(self, start: int, end: int) -> Iterator[_Receipt]:
        """Yield the receipts that overlap a range of characters."""
        first = bisect_left(self.receipts, start - self.longest, key=lambda one: one.start)
        for at in range(first, len(self.receipts)):
            one = self.receipts[at]
            if one.start >= end:
                return
            if one.end > start:
                yield one

    def gates(self, start: int, end: int) -> frozenset[str] | None:
        """The gates, all of which a viewer must pass to see a range; None if nobody may see it."""
        text = _flat(self.layout.text[start:end])
        if any(one in text for one in self.withheld):
            return None
        needed = {self.gate}
        for one in self.touching(start, end):
            if one.gates is None:
                return None
            needed |= one.gates
        return frozenset(needed - {OPEN})

    def around(self, receipt: _Receipt) -> Place | None:
        """The whole sentences around a receipt."""
        return self.layout.around(receipt.start, receipt.end)

    def saying(self, place: Place) -> Iterator[str]:
        """Yield ids of the claims whose text is quoted from a place."""
        for one in self.touching(place.start, place.end):
            for claim in one.by:
                if claim.verbatim and _is_same(self.around(one), place):
                    yield claim.claim_id


class QuotedSources:
    """The sources that claims quote. The last `size` are kept, so claims sorted by source read each
    source once.
    """

    def __init__(self, world: Receipts, size: int = 4) -> None:
        self._world = world
        self._size = size
        self._held: dict[str, _QuotedSource | None] = {}

    def quoted(self, claim: Claim) -> Quoted | None:
        """The place of the claim's first receipt whose sentence contains the claim's text, else of
        its first receipt; None if no receipt is found.
        """
        found = None
        for evidence_id, one in citing(claim, self._world.evidence).items():
            evidence = self._world.evidence(evidence_id)
            if evidence is None or not is_receipt(evidence):
                continue
            here = self._quoted(claim, evidence, one)
            if here is not None and here.sentence is not None and here.sentence.holds:
                return here
            found = found or here
        return found

    def span(self, evidence: Evidence) -> tuple[int, int] | None:
        """The range of characters that a receipt quotes from its source; None if it is unknown."""
        source = self._of(evidence.source_id)
        receipt = None if source is None else source.by_id.get(evidence.id)
        return None if receipt is None else (receipt.start, receipt.end)

    def reach(self, evidence: Evidence) -> tuple[int, int] | None:
        """The range of characters from the heading above a receipt to the end of its sentence; None
        if it is unknown.
        """
        source = self._of(evidence.source_id)
        receipt = None if source is None else source.by_id.get(evidence.id)
        place = None if source is None or receipt is None else source.around(receipt)
        if place is None:
            return None
        return place.start if place.heading is None else place.heading[0], place.end

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
        place = source.around(receipt)
        holds = place is not None and _holds(place.text, claim.text)
        form = _form(place, source.source) if holds or citing.verbatim else form_of_text(claim.text)
        whole = place is not None and place.form is Form.STATEMENT
        if place is None or not whole or len(place.text) > MAX_SENTENCE:
            return Quoted(form, None)
        needed = source.gates(place.start, place.end)
        if needed is None:
            return Quoted(form, None)
        needed |= {citing.gate} - {OPEN}
        saying = sorted(set(source.saying(place)))
        sentence = Sentence(
            self._headed(source, place, needed),
            tuple(saying if citing.verbatim else sorted({*saying, claim.id})),
            holds,
            holds and _words(place.text) == _words(claim.text),
            not citing.verbatim or saying[:1] == [claim.id],
            source.source.id,
            place.start,
            tuple(sorted(needed)),
        )
        return Quoted(form, sentence)

    def _headed(self, source: _QuotedSource, place: Place, needed: frozenset[str]) -> str:
        """A sentence, with its heading in front if everybody who sees the sentence may see the
        heading.
        """
        if place.heading is None:
            return place.text
        heading, more = source.layout.heading(place.heading), source.gates(*place.heading)
        shown = heading and more is not None and more <= needed
        return f"{heading}: {place.text}" if shown else place.text

    def _of(self, source_id: str) -> _QuotedSource | None:
        if source_id not in self._held:
            while len(self._held) >= self._size:
                del self._held[next(iter(self._held))]
            self._held[source_id] = self._quoted_source(source_id)
        return self._held[source_id]

    def _quoted_source(self, source_id: str) -> _QuotedSource | None:
        source = self._world.source(source_id)
        gate = None if source is None else gate_of(source)
        if source is None or gate is None or not source.kept:
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
            if (span := places.of(evidence)) is not None:
                receipt = self._receipt(evidence, *span, text[slice(*span)])
                receipts.append(receipt)
                if evidence.quote is None or evidence.quote == text[slice(*span)]:
                    by_id[evidence.id] = receipt
        receipts.sort(key=lambda one: (one.start, one.end, one.evidence_id))
        longest = max((one.end - one.start for one in receipts), default=0)
        withheld = (_flat(text[one.start : one.end]) for one in receipts if one.gates is None)
        shown = tuple(filter(None, withheld))
        return _QuotedSource(source, gate, Layout(text), receipts, by_id, longest, shown)

    def _receipt(self, evidence: Evidence, start: int, end: int, said: str) -> _Receipt:
        by, retired, _ = self._world.cited(evidence.id)
        gates: frozenset[str] | None = frozenset(one.gate for one in by)
        if retired:
            gates = None
        elif not by:
            # vouch leaves the receipt of what it refused because a claim says the same already
            gate = self._world.gate_of_text(said)
            gates = None if gate is None else frozenset({gate})
        return _Receipt(start, end, evidence.id, by, gates)


class _Places:
    """Turns ranges of bytes into ranges of characters."""

    def __init__(self, data: bytes, text: str) -> None:
        self._data = data
        self._is_ascii = text.isascii()
        self._marks = [(0, 0)]
        """Pairs of byte and character offset of the same place, sorted."""

    def of(self, evidence: Evidence) -> tuple[int, int] | None:
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


def _is_same(one: Place | None, other: Place) -> bool:
    return one is not None and (one.start, one.end) == (other.start, other.end)


def _form(place: Place | None, source: Source) -> Form:
    """The form of a claim's text that is quoted from a place of a source."""
    if place is None:
        return Form.MARKUP
    if place.form is not Form.STATEMENT:
        return place.form
    form = form_of_text(place.text)
    talks = form is Form.STATEMENT and source.type in _TALKING and is_talk(place.text)
    return Form.TALK if talks else form


def _holds(sentence: str, text: str) -> bool:
    """Whether a sentence contains all words of a text, in a row; False if the text has none."""
    wanted, words = _words(text), _words(sentence)
    many = len(wanted)
    return many > 0 and any(words[at : at + many] == wanted for at in range(len(words) - many + 1))


def _words(text: str) -> list[str]:
    return [unit.folded for unit in units(text).units]
