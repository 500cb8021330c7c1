"""The whole sentence around a claim's receipt, made when a line is shown. The place around a range
of a source depends on its bytes alone, whose hash is the source's id; who may see it is decided
from ids and ranges (`Knowledge.concealed`).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.index.memo import Memo
from vouch_sidecar.kb.access import gate_of, is_live
from vouch_sidecar.kb.artifact_files import KB_DIRNAME, content_stat
from vouch_sidecar.kb.reader import read_content
from vouch_sidecar.kb.records import Claim, Evidence, Source
from vouch_sidecar.text.analysis import units
from vouch_sidecar.text.around import (
    Block,
    Place,
    Span,
    after_mark,
    around,
    blocks_of,
    heading_text,
    one_line,
)
from vouch_sidecar.text.sentences import MAX_SENTENCE
from vouch_sidecar.text.text_forms import is_fragment, is_statement, is_talk

TALKING = frozenset({"message", "transcript"})
"""Types of sources in which people and agents talk to each other."""
MAX_LEAD_IN = 240
"""Characters of a sentence that is put in front of the items of its list."""
NEGATION = re.compile(r"\b(?:not|never|no|neither|cannot|\w{1,9}n['’]t)\b", re.IGNORECASE)
_CHUNK = 4096
_MARK_BYTES = 64
"""Bytes that the mark of an item has in front of its sentence, at most."""
_documents = Memo(entries=16)
"""The documents that were read last, by source id."""
_places = Memo(entries=4096)
"""The places that were looked at last, by source id and range."""


class Sentence(NamedTuple):
    """The whole sentence around a claim's receipt, after the heading above it and, in a list, after
    the sentence that introduces the list.
    """

    text: str
    claims: tuple[str, ...]
    """Ids of the claim and of the live, visible claims that quote the same sentence, sorted."""
    holds_text: bool
    """Whether the sentence contains the claim's text. If so, it is shown instead of the text."""
    is_whole: bool
    """Whether the claim's text is the whole sentence, the heading aside."""
    source_id: str
    start: int
    """The offset of the sentence in its source, in characters."""
    heading: str
    """The heading above that `text` begins with; empty without one."""


class Quoted(NamedTuple):
    """The place of a claim's receipt: whether it says something there, and its sentence, which is
    None if the viewer may not see it or if it is no sentence.

    `only_whole`: the claim says something only within its sentence, because nobody approved it and
    it is only a part, or because the sentence that introduces its list may reverse its meaning.
    """

    says_something: bool
    sentence: Sentence | None
    only_whole: bool = False


def is_receipt(evidence: Evidence) -> bool:
    """Whether evidence gives the range of bytes that it quotes from its source."""
    return evidence.byte_start is not None and evidence.byte_end is not None


def quoted(
    knowledge: Knowledge, root: Path | None, claim: Claim, gates: frozenset[str]
) -> Quoted | None:
    """The place of the claim's first receipt whose sentence contains the claim's text, else of its
    first receipt; None if no receipt is found. `gates` are those of the viewer.
    """
    cited = map(knowledge.evidence, dict.fromkeys(claim.evidence))
    receipts = [evidence for evidence in cited if evidence is not None and is_receipt(evidence)]
    receipts.sort(key=lambda evidence: not _says(claim, evidence))
    first = None
    for evidence in receipts if root is not None else ():
        source = knowledge.source(evidence.source_id)
        document = _document(root, source) if root is not None and source is not None else None
        span = document.span(evidence) if document is not None else None
        if source is None or document is None or span is None:
            continue
        here = _Receipt(knowledge, source, document, evidence, span, gates).quoted(claim)
        if here.sentence is not None and here.sentence.holds_text:
            return here
        first = first or here
    return first


def _says(claim: Claim, evidence: Evidence) -> bool:
    return evidence.quote is not None and evidence.quote.split() == claim.text.split()


class _Document:
    """The text of a source, with its blocks."""

    def __init__(self, source_id: str, data: bytes) -> None:
        self.text = data.decode()
        self._source_id = source_id
        self._data = data
        chunks = range(0, len(self.text), _CHUNK)
        sizes = (len(self.text[start : start + _CHUNK].encode()) for start in chunks)
        self._starts = [*accumulate(sizes, initial=0)]
        """Where each `_CHUNK` characters begin, in bytes."""

    @cached_property
    def _blocks(self) -> list[Block]:
        return blocks_of(self.text)

    def span(self, evidence: Evidence) -> Span | None:
        """The range that a receipt quotes, in characters; None if the source has another text
        there.
        """
        start, end = evidence.byte_start or 0, evidence.byte_end or 0
        if not start < end <= len(self._data):
            return None
        if evidence.quote is not None and self._data[start:end] != evidence.quote.encode():
            return None
        return self._character(start), self._character(end)

    def _character(self, at: int) -> int:
        number = bisect_right(self._starts, at) - 1
        before = self._data[self._starts[number] : at]
        return number * _CHUNK + len(before.decode("utf-8", "ignore"))

    def bytes_of(self, span: Span) -> Span:
        """A range of characters in bytes."""
        chunks = (at // _CHUNK for at in span)
        first, last = (
            self._starts[number] + len(self.text[number * _CHUNK : at].encode())
            for number, at in zip(chunks, span, strict=True)
        )
        return first, last

    def around(self, span: Span) -> Place | None:
        """The whole sentences around a range of characters."""
        return _places.cached(self._source_id, span, lambda: around(self.text, self._blocks, *span))


def _document(root: Path, source: Source) -> _Document | None:
    def read() -> _Document | None:
        data = read_content(root / KB_DIRNAME, source)
        try:
            return None if data is None else _Document(source.id, data)
        except UnicodeDecodeError:
            return None

    path = f"{root / KB_DIRNAME}/{source.path}"
    key = root, source.path, content_stat(source.path, path, root / KB_DIRNAME)
    document = _documents.cached(source.id, key, read) if source.kept else None
    if document is None:  # it may be there the next time
        _documents.forget(source.id, key)
    return document


class _Receipt(NamedTuple):
    """A receipt in its source, for a viewer with some gates. `span` is in characters."""

    knowledge: Knowledge
    source: Source
    document: _Document
    evidence: Evidence
    span: Span
    gates: frozenset[str]

    def quoted(self, claim: Claim) -> Quoted:
        """The place of the receipt, which a claim cites."""
        text, (start, end) = self.document.text, self.span
        place, verbatim = self.document.around(self.span), _says(claim, self.evidence)
        said = _words(one_line(text[after_mark(text, start) : end]) if verbatim else claim.text)
        there = _words(place.text) if place is not None else []
        holds = bool(said) and f" {' '.join(said)} " in f" {' '.join(there)} "
        says = is_statement(claim.text)
        if (holds or verbatim) and self._hidden is not None:
            says = place is not None and _says_something(place, self.source)
        if place is None:
            return Quoted(says, None)
        if len(place.text) > MAX_SENTENCE or place.is_cut:
            return Quoted(says, None, only_whole=claim.auto_approved or place.is_cut)
        in_part = claim.auto_approved and said != there
        if not self._shows((place.start, place.end)):
            return Quoted(is_statement(claim.text), None, in_part)
        lead_ins = [one_line(text[slice(*span)]) for span in place.lead_ins]
        short = [lead_in for lead_in in lead_ins if len(lead_in) <= MAX_LEAD_IN]
        is_negated = any(NEGATION.search(each) for each in lead_ins if each not in short)
        if is_negated or not all(map(self._shows, place.lead_ins)):
            return Quoted(says, None, only_whole=True)
        above = place.heading if place.heading and self._shows(place.heading) else (0, 0)
        title = heading_text(text[slice(*above)])
        heading = f"{title}:" if title else ""
        whole = " ".join(filter(None, [heading, *short, place.text]))
        claims = tuple(sorted({claim.id, *self._saying(place)}))
        is_whole = said == there and not short
        where = self.source.id, place.start
        sentence = Sentence(whole, claims, holds, is_whole, *where, heading)
        return Quoted(says, sentence, only_whole=in_part or bool(short))

    @property
    def _hidden(self) -> tuple[Span, ...] | None:
        """The ranges of bytes that the viewer may not see; None for everything."""
        is_seen = gate_of(self.source) in self.gates
        return self.knowledge.concealed(self.source.id, self.gates) if is_seen else None

    def _shows(self, span: Span) -> bool:
        """Whether the viewer may see a range of characters."""
        start, end = self.document.bytes_of(span)
        hidden = self._hidden
        return hidden is not None and not any(a < end and start < b for a, b in hidden)

    def _saying(self, place: Place) -> Iterator[str]:
        """The ids of the claims whose text is quoted from a place."""
        every = self.knowledge.evidence_in(self.source.id)
        start, end = self.document.bytes_of((place.start, place.end))
        first = bisect_left(every, start - _MARK_BYTES, key=lambda one: one.byte_start or 0)
        last = bisect_left(every, end, key=lambda one: one.byte_start or 0)
        for evidence in every[first:last]:
            span = self.document.span(evidence)
            there = self.document.around(span) if span is not None else None
            if there is not None and there[1:3] == place[1:3]:
                for claim in self.knowledge.claims_citing(evidence.id):
                    if is_live(claim) and gate_of(claim) in self.gates and _says(claim, evidence):
                        yield claim.id


def _says_something(place: Place, source: Source) -> bool:
    """Whether the sentences of a place of a source say something by themselves."""
    if is_fragment(place.text) or not is_statement(place.text):
        return False
    return not (source.type in TALKING and is_talk(place.text))


def _words(text: str) -> list[str]:
    return [unit.folded for unit in units(text).units]
