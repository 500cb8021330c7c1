"""Finds what a position of an open document names: an artifact by its id in a file below `.vouch/`,
an entity by its name, or claims that are tied to a file or identifier.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from lsprotocol import types as lsp

from vouch_sidecar.engine import Served
from vouch_sidecar.index.schema import TITLE
from vouch_sidecar.kb.artifact_files import KB_DIRNAME, anchored
from vouch_sidecar.kb.records import Artifact, Page
from vouch_sidecar.kb.references import LINKED, Reference, reference_at
from vouch_sidecar.names.mentions import Mention
from vouch_sidecar.retrieval.constants import MAX_TITLES
from vouch_sidecar.retrieval.files.file_ties import Tied, tied_at
from vouch_sidecar.retrieval.salience import listed_topics
from vouch_sidecar.surfaces.lsp.documents import Document
from vouch_sidecar.surfaces.lsp.server import Sidecar
from vouch_sidecar.text.analysis import fold
from vouch_sidecar.text.comments import is_code
from vouch_sidecar.text.content_words import terms

REACH = 2_000
"""Characters on either side of a position that are analysed."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ArtifactFile:
    """An open document at path `relative` below the `.vouch/` of a served knowledge base."""

    document: Document
    relative: str
    served: Served

    def resolve(self, reference: Reference) -> Artifact | None:
        """The artifact that an id names, or the only page with the title that a link says; None if
        there is none that the caller may see.
        """
        view, named = self.served.view, reference.text
        for kind in reference.kinds:
            if artifact := view.visible.artifact((kind, named)):
                return artifact
        if reference.kinds != LINKED or not (words := terms(named)):
            return None
        titled = view.visible.artifacts_in(view.search.holding(words, TITLE), MAX_TITLES)
        pages = [p for p in titled if isinstance(p, Page) and fold(p.title) == fold(named)]
        return pages[0] if len(pages) == 1 else None


def file_at(server: Sidecar, document: Document) -> ArtifactFile | None:
    """An open document as a file of a knowledge base that is served, else None."""
    if document.path is None or not document.is_below_vouch:
        return None
    path = anchored(document.path)
    for served in server.engine.serving(server.caller_for(document.uri)):
        below = served.collection.root / KB_DIRNAME
        if path.is_relative_to(below):
            return ArtifactFile(document, path.relative_to(below).as_posix(), served)
    return None


@dataclass(frozen=True, slots=True)
class Place(Generic[T]):
    """A place, and what it names in knowledge bases. `in_code`: whether it is in code, outside of
    comments and strings.
    """

    range: lsp.Range
    name: str
    in_code: bool
    named: Sequence[tuple[Served, T]]

    @property
    def is_word_of_code(self) -> bool:
        """Whether it is a word in small letters in code, which is seldom a name."""
        return self.in_code and self.name.islower() and self.name.isalnum()


def artifact_at(
    server: Sidecar, document: Document, position: lsp.Position
) -> Place[Artifact] | None:
    """The artifact whose id stands at a position of a document below `.vouch/`."""
    file, offset = file_at(server, document), document.offset_at(position)
    if file is None or offset is None:
        return None
    reference = reference_at(file.relative, document.source, offset)
    artifact = None if reference is None else file.resolve(reference)
    if reference is None or artifact is None:
        return None
    return _place(document, reference.start, reference.end, [(file.served, artifact)])


def entities_at(
    served: Sequence[Served], document: Document, position: lsp.Position, *, topics: bool = False
) -> Place[str] | None:
    """The ids of the entities that a document names at a position, with `topics` also topics in
    prose. None if it names none.
    """
    if (offset := document.offset_at(position)) is None:
        return None
    start = max(0, offset - REACH)
    around = document.source[start : offset + REACH]

    def is_there(mention: Mention) -> bool:
        return not mention.nested and mention.start <= offset - start <= mention.end

    takes_topics = topics and not _is_code(document, offset)
    mentions = []
    for kb in served:
        names = kb.view.names
        there = [*filter(is_there, names.mentions(around))]
        if takes_topics and any(map(is_there, names.topic_mentions(around))):
            there += filter(is_there, listed_topics(kb.view, around))
        mentions += [(mention.end - mention.start, mention, kb) for mention in there]
    if not mentions:
        return None
    width, longest, _ = max(mentions, key=lambda row: row[0])
    named = [(kb, mention.entity_id) for wide, mention, kb in mentions if wide == width]
    return _place(document, start + longest.start, start + longest.end, named)


def ties_at(
    served: Sequence[Served], document: Document, position: lsp.Position
) -> Place[Tied] | None:
    """The claims tied to the file, module or identifier that a document names at a position,
    strongest first. None without any, and below `.vouch/`.
    """
    offset = document.offset_at(position)
    if offset is None or document.is_below_vouch:
        return None
    start = max(document.source.rfind("\n", 0, offset) + 1, offset - REACH)
    line = document.source[start : offset + REACH].partition("\n")[0]
    spans = [(kb, span) for kb in served if (span := tied_at(kb.view, line, offset - start))]
    tied = [(kb, tie) for kb, (_, _, several) in spans for tie in several]
    tied.sort(key=lambda row: -row[1].strength)
    begin, end, _ = max((span for _, span in spans), key=lambda s: s[1] - s[0], default=(0, 0, 0))
    return _place(document, start + begin, start + end, tied)


def _place(
    document: Document, start: int, end: int, named: Sequence[tuple[Served, T]]
) -> Place[T] | None:
    """What stands between two offsets; None where it names nothing."""
    if not named:
        return None
    name, in_code = document.source[start:end], _is_code(document, start)
    return Place(document.range_of(start, end), name, in_code, named)


def _is_code(document: Document, offset: int) -> bool:
    """Whether a place is in code; all text of a prompt and of a file below `.vouch/` is prose."""
    is_ours = document.is_prompt or document.is_below_vouch
    return not is_ours and is_code(document.language_id, document.source, offset)
