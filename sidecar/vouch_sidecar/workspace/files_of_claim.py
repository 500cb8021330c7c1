"""Reads claims to find which files each cites or names, which identifiers it names, and what it
quotes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from vouch_sidecar.workspace.file_kinds import changes_with_all
from vouch_sidecar.workspace.locator import Locator
from vouch_sidecar.workspace.name_meanings import identifiers_in, place_in
from vouch_sidecar.workspace.names_in_text import digest, names_in
from vouch_sidecar.workspace.quotes_in_files import Quote
from vouch_sidecar.workspace.ties import STRENGTH, FoundTie, Tie, TieArm, Use, Where

FOLDER = 0.7
"""The factor for a file whose folder is named."""
OWN_NAME = 0.8
"""The factor for a file that has the name of an entity of the claim."""
MAX_TIES = 200
"""The number of ties of one claim; those of one file are not bounded here."""


class CitedFile(NamedTuple):
    """A source that a claim cites. `path` is the file that the source was made from. `line` comes
    from the receipt in the kept source (`quote`), or from a locator.
    """

    source_id: str
    path: str | None
    line: int | None = None
    quote: Quote | None = None
    """The words that the claim's receipt quotes."""


@dataclass(frozen=True, slots=True)
class ClaimFacts:
    """What the ties of one claim are computed from. `mark` changes with the text and the
    evidence.
    """

    id: str
    mark: str
    text: str
    cited: tuple[CitedFile, ...] = ()
    sentence: str = ""
    """The sentence of a source that is shown in place of the text to who may see both…"""
    sentence_of: str = ""
    """…and the id of that source."""
    entities: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """The ids of the entities that it declares, with their names."""


class ClaimReading(NamedTuple):
    """What one claim says of files: its ties to paths, and the identifiers that it names."""

    ties: tuple[FoundTie, ...]
    uses: tuple[tuple[str, Use], ...]
    """By name."""
    quotes: tuple[tuple[str, Quote], ...]
    """The quotes, each with the path of the file."""
    sources: tuple[str, ...]
    """The ids of the sources that the claim cites."""


def read_claim(claim: ClaimFacts, locator: Locator) -> ClaimReading:
    """Read a claim. The identifiers that it names become ties later, once it is known which files
    define them.
    """
    ties = [*_cited_by(claim), *_of_same_name(claim, locator)]
    uses: list[tuple[str, Use]] = []
    texts: list[tuple[str, Where, str | None]] = [(claim.text, "text", None)]
    if claim.sentence:
        texts.append((claim.sentence, "sentence", claim.sentence_of))
    for text, where, via in texts:
        for name in names_in(text, locator.listed):
            for path in locator.named_by(name):
                strength = STRENGTH["path"] * (FOLDER if path.endswith("/") else 1.0)
                place = (None, via, where, name.start, name.end)
                ties.append(FoundTie(path, Tie(claim.id, claim.mark, "path", strength, *place)))
            if name.kind == "path":
                continue
            shares = identifiers_in(name)
            dotted = next(iter(shares))
            for identifier, share in shares.items():
                first, last = place_in(name.text, identifier)
                here = name.start + first, name.start + last
                part_of = digest(dotted) if identifier != dotted else 0
                uses.append(
                    (identifier, Use(claim.id, claim.mark, share, via, where, *here, part_of))
                )
    quotes = tuple((file.path, file.quote) for file in claim.cited if file.path and file.quote)
    sources = tuple(dict.fromkeys(file.source_id for file in claim.cited))
    return ClaimReading(tuple(ties[:MAX_TIES]), tuple(uses[:MAX_TIES]), quotes, sources)


def _cited_by(claim: ClaimFacts) -> Iterator[FoundTie]:
    """The files that a claim cites. A file that nearly every commit changes counts only if a line
    of it is cited.
    """
    for cited in claim.cited:
        if cited.path is None or (cited.line is None and changes_with_all(cited.path)):
            continue
        arm: TieArm = "quotes" if cited.quote else "cites"
        tie = Tie(claim.id, claim.mark, arm, STRENGTH[arm], cited.line, cited.source_id)
        if cited.quote:
            _, start, end = cited.quote.range
            tie = tie._replace(start=start, end=end)
        yield FoundTie(cited.path, tie)


def _of_same_name(claim: ClaimFacts, locator: Locator) -> Iterator[FoundTie]:
    """The files that have the name of an entity of the claim."""
    strength = STRENGTH["path"] * OWN_NAME
    for entity_id, called in claim.entities:
        tie = Tie(claim.id, claim.mark, "path", strength, None, entity_id, "entity")
        for path in sorted({path for name in called for path in locator.called(name)}):
            yield FoundTie(path, tie)
