"""The whole sentence around a claim's receipt, made when a line is shown. The place around a range
of a source depends on its bytes alone, whose hash is the source's id; who may see it is decided
from ids and ranges (`Knowledge.concealed`).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.index.memo import Memo
from vouch_sidecar.kb.access import OPEN, gate_of, is_live
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
_MARK_BYTES = 4096
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
    """Ids of the live, visible claims whose text is a part of the sentence, sorted."""
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
    knowledge: Knowledge, root: Path | None, claim: Claim, gates: frozenset[str] | None
) -> Quoted | None:
    """The place of the claim's first receipt whose sentence contains the claim's text, else of its
    first receipt; None if no receipt is found. `gates` are those of the viewer; None: nothing of
    the sources is hidden.
    """
    first = None
    for evidence in _receipts_of(knowledge, claim) if root is not None else ():
        source = knowledge.source(evidence.source_id)
        if source is None or not source.kept or root is None:
            continue
        document = _document(root, source)
        if document is None:
            continue
        here = _Quoting(knowledge, source, document, gates).quoted(claim, evidence)
        if here is not None and here.sentence is not None and here.sentence.holds_text:
            return here
        first = first or here
    return first


def _receipts_of(knowledge: Knowledge, claim: Claim) -> list[Evidence]:
    """The receipts that a claim cites; first the one that quotes its text."""
    cited = map(knowledge.evidence, dict.fromkeys(claim.evidence))
    receipts = [evidence for evidence in cited if evidence is not None and is_receipt(evidence)]
    said = next((evidence.id for evidence in receipts if _says(claim, evidence)), None)
    return sorted(receipts, key=lambda evidence: evidence.id != said)


def _says(claim: Claim, evidence: Evidence) -> bool:
    return evidence.quote is not None and evidence.quote.split() == claim.text.split()


class _Document:
    """The text of a source, with its blocks."""

    def __init__(self, source_id: str, data: bytes, text: str) -> None:
        self.source_id = source_id
        self.text = text
        self._data = data
        self._is_ascii = text.isascii()
        self._marks = [(0, 0)]
        """Pairs of byte and character offset of the same place, sorted."""

    @cached_property
    def _blocks(self) -> list[Block]:
        return blocks_of(self.text)

    def span(self, start: int | None, end: int | None) -> Span | None:
        """A range of bytes in characters; None if there is no such range."""
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

    def around(self, span: Span) -> Place | None:
        """The whole sentences around a range of characters."""
        return _places.cached(self.source_id, span, lambda: around(self.text, self._blocks, *span))


def _document(root: Path, source: Source) -> _Document | None:
    def read() -> _Document | None:
        data = read_content(root / KB_DIRNAME, source)
        try:
            return None if data is None else _Document(source.id, data, data.decode())
        except UnicodeDecodeError:
            return None

    path = f"{root / KB_DIRNAME}/{source.path}"
    key = root, source.path, content_stat(source.path, path, root / KB_DIRNAME)
    document = _documents.cached(source.id, key, read)
    if document is None:  # it may be there the next time
        _documents.forget(source.id, key)
    return document


class _Quoting:
    """A source that claims quote, as one viewer may see it."""

    def __init__(
        self,
        knowledge: Knowledge,
        source: Source,
        document: _Document,
        gates: frozenset[str] | None,
    ) -> None:
        self._knowledge = knowledge
        self._source = source
        self._document = document
        self._gates = gates
        key = "hidden", source.id, gates
        self._hidden = knowledge.memo.cached("", key, self._find_hidden)

    def _find_hidden(self) -> list[Span] | None:
        """The ranges of characters that the viewer may not see, merged; None for everything."""
        if self._gates is None:
            return []
        ranges = self._knowledge.concealed(self._source.id, self._gates)
        if ranges is None or gate_of(self._source) not in self._gates:
            return None
        merged: list[Span] = []
        for start, end in filter(None, (self._document.span(*pair) for pair in ranges)):
            if merged and start <= merged[-1][1]:
                start, end = merged[-1][0], max(end, merged.pop()[1])
            merged.append((start, end))
        return merged

    def _shows(self, start: int, end: int) -> bool:
        """Whether the viewer may see a range of characters."""
        if self._hidden is None:
            return False
        at = bisect_left(self._hidden, end, key=lambda span: span[0])
        return at == 0 or self._hidden[at - 1][1] <= start

    def quoted(self, claim: Claim, evidence: Evidence) -> Quoted | None:
        """The place of a receipt of a claim."""
        document = self._document
        span = document.span(evidence.byte_start, evidence.byte_end)
        if span is None or evidence.quote not in (None, document.text[slice(*span)]):
            return None
        place = document.around(span)
        verbatim = _says(claim, evidence)
        said = (
            document.text[after_mark(document.text, span[0]) : span[1]] if verbatim else claim.text
        )
        holds = place is not None and _holds(place, span, said, document.text, verbatim)
        quotes = (holds or verbatim) and self._hidden is not None
        says = _says_something(place, self._source) if quotes else is_statement(claim.text)
        if place is None:
            return Quoted(says, None)
        if len(place.text) > MAX_SENTENCE or place.is_cut:
            return Quoted(says, None, only_whole=claim.auto_approved or place.is_cut)
        in_part = claim.auto_approved and not _is_all_of(said, place)
        if not self._shows(place.start, place.end):
            return Quoted(is_statement(claim.text), None, in_part)
        led = self._led_in(place)
        if led is None:
            return Quoted(says, None, only_whole=True)
        parts = [*filter(None, (led, place.text))]
        above = place.heading if place.heading and self._shows(*place.heading) else None
        title = heading_text(document.text[slice(*above)]) if above else ""
        heading = f"{title}:" if title else ""
        sentence = Sentence(
            " ".join(filter(None, [heading, *parts])),
            tuple(
                sorted({claim.id, *self._saying(place)} if not verbatim else self._saying(place))
            ),
            holds,
            holds and _is_all_of(said, place) and not led,
            self._source.id,
            place.start,
            heading,
        )
        return Quoted(says, sentence, only_whole=in_part or bool(led))

    def _led_in(self, place: Place) -> str | None:
        """The sentences that introduce the lists around a place, if they must be shown with it;
        None if they can't be. A long one without a negation need not.
        """
        texts = []
        for span in place.lead_ins:
            text = one_line(self._document.text[slice(*span)])
            if not self._shows(*span) or (len(text) > MAX_LEAD_IN and NEGATION.search(text)):
                return None
            texts += [text] if len(text) <= MAX_LEAD_IN else []
        return " ".join(texts)

    def _saying(self, place: Place) -> set[str]:
        """The ids of the claims whose text is quoted from a place."""
        return {
            claim.id
            for span, evidence in self._touching(place)
            for claim in self._knowledge.claims_citing(evidence.id)
            if is_live(claim)
            and gate_of(claim) in (self._gates or {OPEN})
            and _says(claim, evidence)
            and (there := self._document.around(span)) is not None
            and there[1:3] == place[1:3]
        }

    def _touching(self, place: Place) -> Iterator[tuple[Span, Evidence]]:
        """The receipts that overlap a place."""
        receipts = self._receipts
        longest = max((end - start for (start, end), _ in receipts), default=0)
        first = bisect_left(receipts, place.start - longest, key=lambda receipt: receipt[0][0])
        for span, evidence in receipts[first:]:
            if span[0] >= place.end:
                return
            if span[1] > place.start:
                yield span, evidence

    @property
    def _receipts(self) -> Sequence[tuple[Span, Evidence]]:
        """The receipts of the source, by place."""

        def find() -> list[tuple[Span, Evidence]]:
            found = (
                (self._document.span(evidence.byte_start, evidence.byte_end), evidence)
                for evidence in self._knowledge.evidence_in(self._source.id)
            )
            return [(span, evidence) for span, evidence in found if span is not None]

        return self._knowledge.memo.cached("", ("receipts", self._source.id), find)


def _says_something(place: Place | None, source: Source) -> bool:
    """Whether the sentences of a place of a source say something by themselves."""
    if place is None or is_fragment(place.text) or not is_statement(place.text):
        return False
    return not (source.type in TALKING and is_talk(place.text))


def _holds(place: Place, receipt: Span, said: str, text: str, verbatim: bool) -> bool:
    """Whether the sentences of a place contain what a claim says: as the receipt that stands there
    in the source's text, or as the same words in a row. False if it says no words.
    """
    if verbatim and place.start <= after_mark(text, receipt[0]) and receipt[1] <= place.end:
        return True
    wanted, words = _words(said), _words(place.text)
    many = len(wanted)
    return many > 0 and any(words[at : at + many] == wanted for at in range(len(words) - many + 1))


def _is_all_of(said: str, place: Place) -> bool:
    """Whether the sentences of a place say no more than a text."""
    return _words(place.text) == _words(said)


def _words(text: str) -> list[str]:
    return [unit.folded for unit in units(text).units]
