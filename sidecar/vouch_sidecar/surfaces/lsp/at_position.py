"""Finds what a position of an open document names: an artifact by its id in a file below `.vouch/`,
an entity by its name, or claims that are tied to a file or identifier.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from lsprotocol import types as lsp

from vouch_sidecar.engine import Served
from vouch_sidecar.kb.artifact_files import anchored
from vouch_sidecar.kb.records import Artifact
from vouch_sidecar.kb.references import reference_at
from vouch_sidecar.names.matcher import Mention
from vouch_sidecar.retrieval.files import Tied, tied_at
from vouch_sidecar.retrieval.salience import listed_topics
from vouch_sidecar.surfaces.lsp.documents import Document
from vouch_sidecar.surfaces.lsp.server import Sidecar
from vouch_sidecar.text.comments import is_in_code

REACH = 2_000
"""Characters on either side of a position that are analysed."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Place(Generic[T]):
    """A place, and what it names in knowledge bases. `in_code`: whether it is in code, outside of
    comments and strings.
    """

    range: lsp.Range
    in_code: bool
    is_word_of_code: bool
    """Whether it is a word in small letters in code, which is seldom a name."""
    named: Sequence[tuple[Served, T]]

    def is_answered(self, where: str) -> bool:
        """Whether a feature that is on in `all`, `prose` or `off` answers here."""
        return where == "all" or (where == "prose" and not self.in_code)


def file_at(server: Sidecar, document: Document) -> tuple[Served, str] | None:
    """The served knowledge base below whose `.vouch/` an open document lies, and its path there."""
    if document.path is None or not document.is_below_vouch:
        return None
    path = anchored(document.path)
    for served in server.engine.registry.serving(server.caller_for(document.uri)):
        if (below := served.collection.below(path)) is not None:
            return served, below
    return None


def spot_of(server: Sidecar, uri: str, at: lsp.Position) -> tuple[Document, int] | None:
    """An open document, and the offset of a position in it; None where it is not open."""
    document = server.document(uri)
    return None if document is None else (document, document.offset_at(at.line, at.character))


def artifact_at(server: Sidecar, document: Document, offset: int) -> Place[Artifact] | None:
    """The artifact whose id stands in a document below `.vouch/`, if the caller may see it."""
    if (file := file_at(server, document)) is None:
        return None
    served, relative = file
    if (reference := reference_at(relative, document.source, offset)) is not None:
        for kind in reference.kinds:
            if artifact := served.view.artifact((kind, reference.text)):
                return _place(document, reference.start, reference.end, [(served, artifact)])
    return None


def entities_at(
    served: Sequence[Served], document: Document, offset: int, *, topics: bool = False
) -> Place[Artifact] | None:
    """The entities that a document names somewhere, with `topics` also topics in prose."""
    start = max(0, offset - REACH)
    around = document.source[start : offset + REACH]

    def is_there(mention: Mention) -> bool:
        return not mention.nested and mention.start <= offset - start <= mention.end

    takes_topics = topics and not _is_in_code(document, offset)
    mentions = []
    for kb in served:
        view = kb.view
        there = [*filter(is_there, view.mentions(around))]
        # To weigh all that the text names takes tens of milliseconds.
        if takes_topics and any(map(is_there, view.topic_mentions(around))):
            there += filter(is_there, listed_topics(view, around))
        for mention in there:
            if entity := view.entity(mention.entity_id):
                mentions.append((mention, kb, entity))
    if not mentions:
        return None
    width = max(mention.end - mention.start for mention, _, _ in mentions)
    longest = [row for row in mentions if row[0].end - row[0].start == width]
    first, named = longest[0][0], [(kb, entity) for _, kb, entity in longest]
    return _place(document, start + first.start, start + first.end, named)


def ties_at(served: Sequence[Served], document: Document, offset: int) -> Place[Tied] | None:
    """The claims tied to the file, module or identifier that a document names somewhere, strongest
    first; none below `.vouch/`.
    """
    if document.is_below_vouch:
        return None
    start = max(document.source.rfind("\n", 0, offset) + 1, offset - REACH)
    line = document.source[start : offset + REACH].partition("\n")[0]
    spans = [(kb, span) for kb in served if (span := tied_at(kb.view, line, offset - start))]
    tied = [(kb, tie) for kb, (_, _, several) in spans for tie in several]
    tied.sort(key=lambda row: -row[1].tie.strength)
    begin, end, _ = max((span for _, span in spans), key=lambda s: s[1] - s[0], default=(0, 0, 0))
    return _place(document, start + begin, start + end, tied)


def _place(
    document: Document, start: int, end: int, named: Sequence[tuple[Served, T]]
) -> Place[T] | None:
    """What stands between two offsets; None where it names nothing."""
    if not named:
        return None
    word, in_code = document.source[start:end], _is_in_code(document, start)
    is_word = in_code and word.islower() and word.isalnum()
    return Place(document.range_of(start, end), in_code, is_word, named)


def _is_in_code(document: Document, offset: int) -> bool:
    """Whether a place is in code; all text of a prompt and of a file below `.vouch/` is prose."""
    is_ours = document.is_prompt or document.is_below_vouch
    return not is_ours and is_in_code(document.language_id, document.source, offset)
