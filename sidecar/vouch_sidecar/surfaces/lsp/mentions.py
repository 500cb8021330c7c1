"""Finds the entities and ties that an open document names at a position."""

from __future__ import annotations

from dataclasses import dataclass

from lsprotocol import types as lsp

from vouch_sidecar.engine import Served
from vouch_sidecar.kb.artifact_files import KB_DIRNAME
from vouch_sidecar.retrieval.files.file_ties import Tied, tied_at
from vouch_sidecar.retrieval.salience import listed_topics
from vouch_sidecar.surfaces.lsp.documents import Document
from vouch_sidecar.surfaces.lsp.paths import path_of
from vouch_sidecar.surfaces.lsp.server import Sidecar
from vouch_sidecar.surfaces.lsp.typing import is_prompt
from vouch_sidecar.text.comments import is_code

REACH = 2_000
"""Characters on either side of a position that are analysed."""


@dataclass(frozen=True, slots=True)
class FoundMention:
    """A place and the entities that it names. `in_code`: whether it is in code, outside of comments
    and strings.
    """

    range: lsp.Range
    name: str
    in_code: bool
    entities: tuple[tuple[Served, str], ...]


def find(
    server: Sidecar, uri: str, position: lsp.Position, topics: bool = False
) -> FoundMention | None:
    """The entities that a document names at a position, with `topics` also topics in prose. None if
    it names none, or the document is not open.
    """
    document = server.documents.find(uri)
    offset = document.offset_at(position) if document is not None else None
    if document is None or offset is None:
        return None
    start = max(0, offset - REACH)
    around = document.source[start : offset + REACH]
    in_code = not is_ours(document) and is_code(document.language_id, document.source, offset)
    named = [
        (kb, mention)
        for kb in server.engine.serving(server.caller_for(uri))
        for mention in (
            *kb.view.names.mentions(around),
            *(listed_topics(kb.view, around) if topics and not in_code else ()),
        )
        if not mention.nested and mention.start <= offset - start <= mention.end
    ]
    if not named:
        return None
    _, longest = max(named, key=lambda row: row[1].end - row[1].start)
    length = longest.end - longest.start
    entities = tuple((kb, m.entity_id) for kb, m in named if m.end - m.start == length)
    place = document.range_of(start + longest.start, start + longest.end)
    return FoundMention(place, around[longest.start : longest.end], in_code, entities)


@dataclass(frozen=True, slots=True)
class FoundTies:
    """A place that names a file, a module or an identifier, and the claims tied to it."""

    range: lsp.Range
    name: str
    in_code: bool
    tied: tuple[tuple[Served, Tied], ...]


def find_ties(server: Sidecar, uri: str, position: lsp.Position) -> FoundTies | None:
    """The claims tied to the file, module or identifier that a document names at a position. None
    without any, if the document is not open, and below `.vouch/`.
    """
    document = server.documents.find(uri)
    offset = document.offset_at(position) if document is not None else None
    if document is None or offset is None or _is_below_vouch(document):
        return None
    start = document.source.rfind("\n", 0, offset) + 1
    start = max(start, offset - REACH)
    line = document.source[start : offset + REACH].partition("\n")[0]
    places: list[tuple[int, int, Served, list[Tied]]] = []
    for served in server.engine.serving(server.caller_for(uri)):
        if (tied_place := tied_at(served.view, line, offset - start)) is not None:
            places.append((tied_place[0], tied_place[1], served, tied_place[2]))
    if not places:
        return None
    begin, end = max(
        ((place[0], place[1]) for place in places), key=lambda place: place[1] - place[0]
    )
    tied = [(served, tie) for *_, served, several in places for tie in several]
    tied.sort(key=lambda row: -row[1].strength)
    in_code = not is_ours(document) and is_code(document.language_id, document.source, offset)
    place = document.range_of(start + begin, start + end)
    return FoundTies(place, line[begin:end], in_code, tuple(tied))


def is_ours(document: Document) -> bool:
    """Whether a document is a prompt or lies below `.vouch/`; all of its text is prose then."""
    return _is_below_vouch(document) or is_prompt(document.uri, document.language_id)


def _is_below_vouch(document: Document) -> bool:
    path = path_of(document.uri)
    return path is not None and KB_DIRNAME in path.parts
