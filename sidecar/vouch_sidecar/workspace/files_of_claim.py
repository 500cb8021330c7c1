"""Reads claims to find which files each cites or names, which identifiers it names, and what it
quotes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from vouch_sidecar.workspace.file_kinds import changes_with_all
from vouch_sidecar.workspace.locator import Locator
from vouch_sidecar.workspace.name_meanings import identifiers_in, paths_of, place_in
from vouch_sidecar.workspace.names_in_text import NameInText, digest, names_in
from vouch_sidecar.workspace.quotes_in_files import Quote
from vouch_sidecar.workspace.ties import (
    STRENGTH,
    FoundTie,
    Tie,
    TieArm,
    Use,
    Where,
)

BESIDE = 0.7
"""The factor for a name that stands in the quoted line, but not in the claim."""
FOLDER = 0.6
"""The factor for a file whose folder is named."""
LATER = 0.8
"""The factor for a name in the second half of a claim, which is rarely its subject."""
SMALL_FOLDER, SMALL_FOLDER_FILES = 0.7, 20
"""The factor for a file in a named folder of so few files."""
OWN_NAME = 0.8
"""The factor for a file that has the name of an entity of the claim."""
FOLDERS_NAMED = 2
"""Folders that a claim may name; the ties to more of them are the weaker."""
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
    quoted: str = ""
    """The whole sentence with these words, if all who see the claim may see it."""


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
    """The sentence that the text is a part of, if all who see the claim may see it."""
    is_sentence_shown: bool = False
    """Whether the sentence stands for the claim wherever it is shown."""
    entities: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """The ids of the entities that it declares, with their names."""


class ClaimReading(NamedTuple):
    """What one claim says of files: its ties to paths, and the identifiers that it names."""

    mark: str
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
    for text, where, via in _texts(claim):
        for name in _names_in(text, claim.sentence if where == "text" else "", locator):
            worth = LATER if name.start > _half(text) else 1.0
            worth *= BESIDE if where == "quote" else 1.0
            start, end = (0, 0) if where == "quote" else (name.start, name.end)
            paths = paths_of(name, locator)
            for path in paths:
                strength = STRENGTH["path"] * worth * _part(path, locator)
                place = (None, via, where, start, end)
                ties.append(FoundTie(path, Tie(claim.id, claim.mark, "path", strength, *place)))
            if name.kind == "path":
                continue
            shares = identifiers_in(name)
            dotted = next(iter(shares))
            for identifier, share in shares.items():
                first, last = place_in(name.text, identifier)
                here = (0, 0) if where == "quote" else (start + first, start + last)
                part_of = digest(dotted) if identifier != dotted else 0
                use = Use(claim.id, claim.mark, worth * share, via, where, *here, part_of)
                uses.append((identifier, use))
    quotes = tuple((file.path, file.quote) for file in claim.cited if file.path and file.quote)
    sources = tuple(dict.fromkeys(file.source_id for file in claim.cited))
    weighed = tuple(_weighed(ties[:MAX_TIES], locator))
    return ClaimReading(claim.mark, weighed, tuple(uses[:MAX_TIES]), quotes, sources)


def _weighed(ties: Sequence[FoundTie], locator: Locator) -> Iterator[FoundTie]:
    """Ties, of which those to folders that the claim names, and to their packages, are the weaker,
    the more beyond two they are: what enumerates folders is about none of them. A folder with the
    name of an entity is left out where the claim is tied to something in it.
    """
    folders = {path for path, tie in ties if path.endswith("/") and tie.where != "entity"}
    packages = {path for folder in folders for path in locator.package_file(folder)}
    share = min(1.0, FOLDERS_NAMED / max(1, len(folders)))
    for path, tie in ties:
        if tie.where == "entity" and path.endswith("/"):
            if any(other.startswith(path) and other != path for other, _ in ties):
                continue
        elif path in folders or (path in packages and tie.arm == "path"):
            tie = tie._replace(strength=tie.strength * share)
        yield FoundTie(path, tie)


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
    """The files and folders that have the name of an entity of the claim."""
    strength = STRENGTH["path"] * OWN_NAME
    for entity_id, called in claim.entities:
        tie = Tie(claim.id, claim.mark, "path", strength, None, entity_id, "entity")
        for path in sorted({path for name in called for path in locator.called(name)}):
            yield FoundTie(path, tie)
        for folder in sorted({found for name in called if (found := locator.folder_called(name))}):
            of_folder = STRENGTH["path"] * _part(folder, locator)
            yield FoundTie(folder, tie._replace(strength=of_folder, other_file=folder))


def _half(text: str) -> float:
    """Where a claim's second half begins, which is not before its first statement ends."""
    return max(len(text) / 2, text.find(";"))


def _part(path: str, locator: Locator) -> float:
    """The factor for a path: that of a folder is smaller, the more files the folder has."""
    if not path.endswith("/"):
        return 1.0
    return SMALL_FOLDER if locator.files.folders.get(path[:-1], 0) <= SMALL_FOLDER_FILES else FOLDER


def _names_in(text: str, sentence: str, locator: Locator) -> list[NameInText]:
    """The names in a text that are also names in the whole sentence: an address that was cut off is
    not one.
    """
    at = sentence.find(text) if sentence else -1
    if at < 0:
        return names_in(text, locator.listed)
    return [
        name._replace(start=name.start - at, end=name.end - at)
        for name in names_in(sentence, locator.listed)
        if at <= name.start and name.end <= at + len(text)
    ]


def _texts(claim: ClaimFacts) -> Iterator[tuple[str, Where, str | None]]:
    yield claim.text, "text", None
    for cited in claim.cited:
        if cited.quoted:
            is_shown = claim.is_sentence_shown and cited.quoted == claim.sentence
            yield cited.quoted, "sentence" if is_shown else "quote", cited.source_id


def wanted_in(reads: Iterable[ClaimReading]) -> set[str]:
    """The identifiers that claims name."""
    return {name for read in reads for name, _ in read.uses}
