"""What claims cite. A receipt is evidence with a range in a kept source."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple, Protocol

from vouch_sidecar.index.withheld_texts import Gates, Withheld
from vouch_sidecar.kb.access import OPEN, gate_of
from vouch_sidecar.kb.records import Artifact, Claim, Evidence, Key, Kind, Source
from vouch_sidecar.text.text_forms import Form

MAX_LOCATOR = 4096


class Sentence(NamedTuple):
    """The whole sentence around a claim's receipt, after the heading above it and, in a list, after
    the sentence that introduces the list.
    """

    text: str
    claims: tuple[str, ...]
    """Ids of the live claims whose text is a part of the sentence, sorted."""
    holds_text: bool
    """Whether the sentence contains the claim's text. If so, it is shown instead of the text."""
    is_whole: bool
    """Whether the claim's text is the whole sentence, the heading aside."""
    is_found: bool
    """Whether full-text search finds this sentence under this claim."""
    source_id: str
    start: int
    """The offset of the sentence in its source, in characters."""
    heading: str
    """The heading above that `text` begins with; empty without one."""
    gates: tuple[str, ...]
    """The gates, all of which a viewer must pass to see the sentence."""
    context_stems: tuple[str, ...] = ()
    """Stems of the document's title, of the headings above and of the paragraph, limited to what
    everybody who sees the sentence may see.
    """


class Quoted(NamedTuple):
    """The place of a claim's receipt: what kind of text it is there, and its sentence, which is
    None if nobody may see it or if it is no sentence.

    `by_text`: only the text of a withheld claim keeps some viewers from seeing the sentence or its
    surroundings. `only_whole`: the claim says something only within its sentence, because nobody
    approved it and it is only a part, or because the sentence that introduces its list may reverse
    its meaning.
    """

    form: Form
    sentence: Sentence | None
    by_text: bool = False
    only_whole: bool = False


class Citing(NamedTuple):
    """A live claim that cites evidence. `verbatim`: the claim's text is the evidence's quote."""

    claim_id: str
    gate: str
    verbatim: bool


class Cited(NamedTuple):
    """The live claims that cite a piece of evidence. `retired`: a retired claim cites it too;
    `redacted`: a redacted claim does.
    """

    citing: tuple[Citing, ...]
    retired: bool
    redacted: bool


class Disk(NamedTuple):
    """Reads from disk what the index does not keep."""

    content: Callable[[Source], bytes | None]
    """The content of a source; None if the knowledge base does not keep it."""
    reread: Callable[[str], Artifact]
    """The artifact that a file holds now. Raises LookupError if there is none."""
    hidden: Callable[[Kind, Callable[[Key], bool]], Iterable[Artifact]] = lambda *_: ()
    """The artifacts of a kind that nobody may see, read from their files. The given function tells
    for a key whether the index knows such an artifact.
    """


def _nothing(path: str) -> Artifact:
    raise LookupError(path)


NO_DISK = Disk(lambda _: None, _nothing)


class Receipts(Protocol):
    """Looks up the artifacts that sentences depend on."""

    def source(self, source_id: str) -> Source | None:
        """A source that some viewer may see."""

    def evidence(self, evidence_id: str) -> Evidence | None:
        """A piece of evidence."""

    def evidence_in(self, source_id: str) -> Iterable[Evidence]:
        """The evidence that quotes a source."""

    def cited(self, evidence_id: str) -> Cited:
        """The claims that cite a piece of evidence."""

    def is_retired(self, evidence_id: str) -> bool:
        """Whether a retired claim cites a piece of evidence."""

    def closing(self, cited: Collection[str], but: Collection[str]) -> Gates:
        """The gates of the secret claims that cite one of the ids in `cited`, and none of those in
        `but`.
        """

    def sources_at(self, locator: str) -> Iterable[Source]:
        """The sources with a locator that is a path or URL."""

    @property
    def withheld(self) -> Withheld:
        """The texts of the withheld claims."""

    def gate_of_text(self, text: str) -> str | None:
        """The gate of a live claim with exactly this text; None if there is none."""

    def content(self, source: Source) -> bytes | None:
        """The content of a source; None if it is not kept."""


def is_receipt(evidence: Evidence) -> bool:
    """Whether evidence gives the range of bytes that it quotes from its source."""
    return evidence.byte_start is not None and evidence.byte_end is not None


def is_exact(evidence: Evidence, data: bytes) -> bool:
    """Whether evidence has a valid range in its source's content, and its quote stands there."""
    start, end = evidence.byte_start, evidence.byte_end
    if start is None or end is None or not start < end <= len(data) or evidence.quote is None:
        return False
    return data[start:end] == evidence.quote.encode("utf-8", "surrogatepass")


def is_place(locator: str) -> bool:
    """Whether a locator is a path or URL. That of a captured source may be the question that its
    user asked.
    """
    text = locator.strip()
    if not text or "\n" in text or len(text) > MAX_LOCATOR:
        return False
    if " " not in text:
        return "/" in text or "." in text[:-1] or "\\" in text
    return "://" in text.partition(" ")[0] or 1 < len(text.rpartition(".")[2]) < 6


def names_place(source: Source) -> bool:
    """Whether a source's locator is a path or URL, and not a question or title that ends like one:
    “Does it open in vault.py”.
    """
    locator = source.locator
    is_text = source.question is not None or ("/" not in locator and locator == source.title)
    return is_place(locator) and not (" " in locator.strip() and is_text)


def citing(claim: Claim, evidence: Callable[[str], Evidence | None]) -> dict[str, Citing]:
    """How a claim cites each piece of its evidence, by evidence id. The first receipt that quotes
    the claim's text comes first, and is the only `verbatim` one.
    """
    gate = gate_of(claim) or OPEN
    cited = dict.fromkeys(claim.evidence)
    said = next((ref for ref in cited if _says(claim, evidence(ref))), None)
    return {
        ref: Citing(claim.id, gate, ref == said)
        for ref in sorted(cited, key=lambda ref: ref != said)
    }


def _says(claim: Claim, evidence: Evidence | None) -> bool:
    quote = None if evidence is None or not is_receipt(evidence) else evidence.quote
    return quote is not None and quote.split() == claim.text.split()
