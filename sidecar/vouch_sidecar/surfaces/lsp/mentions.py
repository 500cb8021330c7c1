"""Finds the entities and ties that an open document names at a position."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from lsprotocol import types as lsp

from vouch_sidecar.engine import Served
from vouch_sidecar.kb.artifact_files import KB_DIRNAME
from vouch_sidecar.names.mentions import Mention
from vouch_sidecar.retrieval.files.file_ties import Tied, tied_at
from vouch_sidecar.retrieval.salience import listed_topics
from vouch_sidecar.surfaces.lsp.documents import Document
from vouch_sidecar.surfaces.lsp.paths import path_of
from vouch_sidecar.surfaces.lsp.typing import is_prompt
from vouch_sidecar.text.comments import is_code

REACH = 2_000
"""Characters on either side of a position that are analysed."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Found(Generic[T]):
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


def entities_at(
    served: Sequence[Served], document: Document, position: lsp.Position, *, topics: bool = False
) -> Found[str] | None:
    """The ids of the entities that a document names at a position, with `topics` also topics in
    prose. None if it names none.
    """
    if (offset := document.offset_at(position)) is None:
        return None
    start = max(0, offset - REACH)
    around = document.source[start : offset + REACH]
    in_code = _is_code(document, offset)

    def is_there(mention: Mention) -> bool:
        return not mention.nested and mention.start <= offset - start <= mention.end

    places = []
    for kb in served:
        names = kb.view.names
        found = [*filter(is_there, names.mentions(around))]
        if topics and not in_code and any(map(is_there, names.topic_mentions(around))):
            found += filter(is_there, listed_topics(kb.view, around))
        places += [(mention.end - mention.start, mention, kb) for mention in found]
    if not places:
        return None
    width, longest, _ = max(places, key=lambda place: place[0])
    begin, end = start + longest.start, start + longest.end
    named = [(kb, mention.entity_id) for wide, mention, kb in places if wide == width]
    return Found(document.range_of(begin, end), document.source[begin:end], in_code, named)


def ties_at(
    served: Sequence[Served], document: Document, position: lsp.Position
) -> Found[Tied] | None:
    """The claims tied to the file, module or identifier that a document names at a position,
    strongest first. None without any, and below `.vouch/`.
    """
    offset = document.offset_at(position)
    if offset is None or _is_below_vouch(document):
        return None
    start = max(document.source.rfind("\n", 0, offset) + 1, offset - REACH)
    line = document.source[start : offset + REACH].partition("\n")[0]
    places = [(tied_at(kb.view, line, offset - start), kb) for kb in served]
    found = [(place, kb) for place, kb in places if place is not None]
    if not found:
        return None
    (begin, end, _), _ = max(found, key=lambda row: row[0][1] - row[0][0])
    tied = [(kb, tie) for (*_, several), kb in found for tie in several]
    tied.sort(key=lambda row: -row[1].strength)
    there = document.range_of(start + begin, start + end)
    return Found(there, line[begin:end], _is_code(document, offset), tied)


def _is_code(document: Document, offset: int) -> bool:
    """Whether a place is in code; all text of a prompt and of a file below `.vouch/` is prose."""
    is_ours = _is_below_vouch(document) or is_prompt(document.uri, document.language_id)
    return not is_ours and is_code(document.language_id, document.source, offset)


def _is_below_vouch(document: Document) -> bool:
    path = path_of(document.uri)
    return path is not None and KB_DIRNAME in path.parts
