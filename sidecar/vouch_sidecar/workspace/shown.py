"""The text that is shown for a claim: the whole sentence around its receipt, made when a line is
shown. The place around a range of a source depends on its bytes alone, whose hash is the source's
id; who may see it is decided from ids and ranges (`Knowledge.concealed`).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.kb.access import is_live, is_seen
from vouch_sidecar.kb.artifact_files import KB_DIRNAME, content_stat
from vouch_sidecar.kb.reader import read_content, span_in
from vouch_sidecar.kb.records import Claim, Evidence, Source
from vouch_sidecar.kb.safe_files import Stat, UnreadableError
from vouch_sidecar.text.analysis import units
from vouch_sidecar.text.around import (
    after_mark,
    around,
    heading_text,
    parts_of,
    unquoted,
)
from vouch_sidecar.text.sentences import MAX_SENTENCE, Span, is_fragment, is_statement, is_talk

TALKING = frozenset({"message", "transcript"})
"""Types of sources in which people and agents talk to each other."""
MAX_LEAD_IN = 240
"""Characters of a sentence that is put in front of the items of its list."""
MAX_RECEIPT = 20_000
"""Bytes of a range around which a sentence is looked for; a longer one quotes data."""
_MARK_BYTES = 64
"""Bytes that the mark of an item has in front of its sentence, at most."""
MAX_DOCUMENTS = 16
"""Documents that are kept in memory."""


class ShownText(NamedTuple):
    """The text that is shown for a claim: its whole sentence after the heading above it and, in a
    list, after the sentence that introduces the list, if the viewer may see these and they contain
    the claim's text; else its own text. Claims with the same `sentence_key` are parts of one
    sentence: they make one line, which cites all `claims`, sorted by id.
    """

    text: str
    claims: tuple[str, ...]
    sentence_key: str
    says: tuple[str, ...]
    """Claims that have one of these in common say the same."""
    says_something: bool
    """Whether it says something by itself, unlike a heading, a bare link, code or small talk."""
    lacks_context: bool = False
    """Whether the claim means something only in a sentence that the viewer may not see: because
    nobody approved it and it is only a part, or because the sentence that introduces its list may
    reverse its meaning.
    """
    heading: str = ""
    """The heading that the text begins with; empty without one."""
    is_whole: bool = False
    """Whether the text is the whole sentence."""
    source_id: str = ""
    start: int = 0
    """The sentence's source, and its offset there in bytes; "" if the viewer may not see it."""

    @property
    def fact(self) -> str:
        """The text without its heading."""
        return self.text.removeprefix(self.heading).lstrip()


def shown(
    knowledge: Knowledge, root: Path | None, claim: Claim, gates: frozenset[str]
) -> ShownText:
    """The text for a claim by the first of its receipts whose sentence contains it, else by the
    first that is found. `gates` are those of the viewer.
    """
    first = None
    for evidence in receipts_of(knowledge, claim):
        source = knowledge.source(evidence.source_id)
        document = document_of(root, source)
        there = document.around(evidence) if document is not None else None
        if source is not None and document is not None and there is not None:
            here = _shown_by(evidence, claim, knowledge, source, document, there, gates)
            if here.is_whole:
                return here
            first = first or here
    return first or _by_itself(claim)


def shows(
    knowledge: Knowledge, source: Source, gates: frozenset[str], start: int = 0, end: int = 0
) -> bool:
    """Whether a viewer is shown a range of bytes of a source; of an empty one, whether any."""
    concealed = knowledge.concealed(source.id, gates) if is_seen(source, gates) else None
    return concealed is not None and not any(a < end and start < b for a, b in concealed)


def _by_itself(claim: Claim) -> ShownText:
    own = (" ".join(claim.text.split()),)
    return ShownText(claim.text, (claim.id,), claim.id, own, is_statement(claim.text))


def receipts_of(knowledge: Knowledge, claim: Claim) -> list[Evidence]:
    """The receipts that a claim cites, also those of an empty range, which show nothing but may
    have approved it. Those come first that quote its text.
    """
    cited = filter(None, map(knowledge.evidence, dict.fromkeys(claim.evidence)))
    return sorted(
        (one for one in cited if None not in (one.byte_start, one.byte_end)),
        key=lambda one: not quotes(one, claim),
    )


def quotes(evidence: Evidence, claim: Claim) -> bool:
    """Whether the quote is the claim's text."""
    return evidence.quote is not None and evidence.quote.split() == claim.text.split()


class _Part(NamedTuple):
    """A part of a source, on one line, and its range in bytes, as that of a receipt."""

    text: str
    start: int
    end: int


class _Around(NamedTuple):
    """What stands around a receipt: whole sentences, the heading above, and what leads in."""

    sentence: _Part | None = None
    """None outside of prose and around data; without text where only a part of it may be shown."""
    heading: _Part = _Part("", 0, 0)
    lead_ins: tuple[_Part, ...] = ()


class CitedDocument:
    """The text of a source, with its blocks."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._line_ends = [end.start() for end in re.finditer(b"\n", data)]
        try:
            self._text = data.decode()
        except UnicodeDecodeError:
            self._text = ""  # around whose ranges nothing stands
        self._blocks, _ = parts_of(self._text)
        self._places: dict[Span, _Around] = {}

    def line_at(self, offset: int) -> int:
        """The line, from 1, that contains a byte."""
        return bisect_left(self._line_ends, offset) + 1

    def around(self, evidence: Evidence) -> _Around | None:
        """What stands around a receipt; None if the source is no text, or has another one there."""
        span = span_in(self.data, evidence)
        if span is None or not self._text:
            return None
        if span not in self._places:
            self._places[span] = self._around(*span)
        return self._places[span]

    def _around(self, first: int, last: int) -> _Around:
        if last - first > MAX_RECEIPT:
            return _Around()
        text = self._text
        start, end = (len(self.data[:at].decode("utf-8", "ignore")) for at in (first, last))
        place = around(text, self._blocks, start, end)
        if place is None:
            return _Around()
        whole, span, block = place
        sentence, heading = (
            self._part(span)._replace(text=whole),
            self._part(block.heading or (0, 0)),
        )
        return _Around(sentence, heading, tuple(map(self._part, block.lead_ins)))

    def _part(self, span: Span) -> _Part:
        written = self._text[slice(*span)]
        start = len(self._text[: span[0]].encode())
        return _Part(unquoted(written), start, start + len(written.encode()))


def document_of(root: Path | None, source: Source | None) -> CitedDocument | None:
    """The document of a source; None if it is not kept, or can't be read now. `root` is the folder
    of the knowledge base.
    """
    if root is None or source is None or not source.kept:
        return None
    kb_dir = root / KB_DIRNAME
    with suppress(UnreadableError):
        return _document_at(
            kb_dir, source, content_stat(source.path, f"{kb_dir}/{source.path}", kb_dir)
        )
    return None


@lru_cache(maxsize=MAX_DOCUMENTS)
def _document_at(kb_dir: Path, source: Source, _: Stat) -> CitedDocument:
    """The document of a source as it is at this stat. Raises UnreadableError, so that it is tried
    again.
    """
    if (data := read_content(kb_dir, source)) is None:
        raise UnreadableError(source.path)
    return CitedDocument(data)


def _shown_by(
    evidence: Evidence,
    claim: Claim,
    knowledge: Knowledge,
    source: Source,
    document: CitedDocument,
    there: _Around,
    gates: frozenset[str],
) -> ShownText:
    """The text for a claim by one of its receipts, around which stands what is `there`."""
    sentence, verbatim = there.sentence, quotes(evidence, claim)
    whole = "" if sentence is None else sentence.text
    begins = after_mark(claim.text, 0) if verbatim else 0
    said, words = _words(unquoted(claim.text[begins:])), _words(whole)
    holds = bool(said) and f" {' '.join(said)} " in f" {' '.join(words)} "
    own = _by_itself(claim)
    if (holds or verbatim) and shows(knowledge, source, gates):
        is_small_talk = source.type in TALKING and is_talk(whole)
        says_something = is_statement(whole) and not is_fragment(whole) and not is_small_talk
        own = own._replace(says_something=says_something)
    if sentence is None:
        return own
    if not 0 < len(whole) <= MAX_SENTENCE:
        return own._replace(lacks_context=not (claim.is_approved and whole))

    def is_shown(part: _Part) -> bool:
        return shows(knowledge, source, gates, part.start, part.end)

    if not is_shown(sentence):
        return _by_itself(claim)._replace(lacks_context=not claim.is_approved and said != words)
    if not all(is_shown(each) and len(each.text) <= MAX_LEAD_IN for each in there.lead_ins):
        return own._replace(lacks_context=True)
    lead_ins = [each.text for each in there.lead_ins]
    title = heading_text(there.heading.text)
    heading = f"{title}:" if title and is_shown(there.heading) else ""
    whole = " ".join(filter(None, [heading, *lead_ins, whole]))
    own = own._replace(source_id=source.id, start=sentence.start)
    if not holds:
        return own
    # Who words a claim says all of it; what a passage says, confirmed or not, may depend on the
    # heading above.
    is_own = said == words and not lead_ins and not claim.auto_approved
    return own._replace(
        text=whole,
        is_whole=True,
        claims=tuple(sorted({claim.id, *_saying(knowledge, source, document, sentence, gates)})),
        sentence_key=f"{source.id} {sentence.start} {whole}",
        says=(" ".join(whole.split()), *(own.says if is_own else ())),
        heading=heading,
    )


def _saying(
    knowledge: Knowledge,
    source: Source,
    document: CitedDocument,
    sentence: _Part,
    gates: frozenset[str],
) -> Iterator[str]:
    """The ids of the live, visible claims that quote the same sentence."""
    every = knowledge.evidence_in.get(source.id, ())
    first = bisect_left(every, sentence.start - _MARK_BYTES, key=lambda one: one.byte_start or 0)
    last = bisect_left(every, sentence.end, key=lambda one: one.byte_start or 0)
    for evidence in every[first:last]:
        there = document.around(evidence)
        if there is not None and there.sentence == sentence:
            for claim in knowledge.claims_citing.get(evidence.id, ()):
                if is_live(claim) and is_seen(claim, gates) and quotes(evidence, claim):
                    yield claim.id


def _words(text: str) -> list[str]:
    return [unit.folded for unit in units(text).units]
