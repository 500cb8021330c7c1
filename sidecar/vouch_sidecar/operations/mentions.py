"""List every place of a text that names an entity."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from vouch_sidecar.operations.errors import InvalidParamsError, Message
from vouch_sidecar.operations.operation import OpenDocument, Operation, OperationCall
from vouch_sidecar.operations.table import ColumnKind, Shown, Table
from vouch_sidecar.operations.wire import EditorOnly, LongText, Params, Result, Wire, absent
from vouch_sidecar.retrieval.blocks.block import without_blocks
from vouch_sidecar.retrieval.evidence.name_strength import weigh
from vouch_sidecar.retrieval.line import ArmName
from vouch_sidecar.retrieval.salience import arm_of

MAX_PIECE = 16_384
"""Characters of a document that are analysed in one piece."""
MAX_LOOKED_AT = 4 * MAX_PIECE
"""Characters of a text that are searched, in a quarter of a second."""


class Position(Wire):
    """A place in a document, as in LSP."""

    line: int = Field(ge=0)
    character: int = Field(ge=0, description="In the client's encoding.")


class Range(Wire):
    """A part of a document, as in LSP."""

    start: Position
    end: Position


class MentionsParams(Params):
    """A text, or an open document."""

    text: LongText | None = Field(default=None, description="The text.")
    uri: Annotated[LongText | None, EditorOnly()] = Field(
        default=None,
        description="Instead of a text, an open document; over LSP alone.",
    )
    range: Annotated[Range | None, EditorOnly()] = Field(
        default=None,
        description="The part of the document that is looked at.",
    )


class NamedEntity(Wire):
    """A place that names an entity. Where words name several, each is a row."""

    entity_id: str
    name: str
    type: str
    arm: ArmName = Field(description="How the words name it.")
    ambiguous: bool = Field(description="Whether they name other entities as well.")
    listed: bool = Field(description="Whether that is strong enough for what is in play.")
    collection: str | None = absent("Present with several knowledge bases.")
    start: int | None = absent("Of a text: where the words begin, in Unicode code points.")
    end: int | None = absent("Of a text: where they end.")
    range: Range | None = absent("Of a document: where the words stand.")


class MentionsResult(Result):
    """The entities that a text names."""

    found_in = ("mentions",)
    nothing = "Nothing known is named."

    mentions: list[NamedEntity] = Field(default_factory=list, description="As they stand there.")


def answer(ask: OperationCall, params: MentionsParams) -> MentionsResult:
    if params.uri is None:
        if params.range is not None:
            raise InvalidParamsError([Message("range", "needs the uri of an open document")])
        if params.text is None:
            raise InvalidParamsError([Message("text", "is missing")], missing=True)
        return MentionsResult(mentions=_named_between(ask, params.text, 0, len(params.text)))
    if params.text is not None:
        raise InvalidParamsError([Message("uri", "can't stand beside a text")])
    document = _document(ask, params.uri)
    start, end = 0, len(document.source)
    if params.range is not None:
        first, last = map(document.offset_at, (params.range.start, params.range.end))
        start, end = end if first is None else first, end if last is None else last
    in_document = []
    for row in _named_between(ask, without_blocks(document.source), start, end):
        assert row.start is not None
        assert row.end is not None
        there = document.range_of(row.start, row.end)
        there = Range.model_validate(there, from_attributes=True)
        in_document.append(row.model_copy(update={"start": None, "end": None, "range": there}))
    return MentionsResult(mentions=in_document)


def _document(ask: OperationCall, uri: str) -> OpenDocument:
    if ask.documents is None:
        lacks = "is for the language server alone, which has the open documents: give a text"
        raise InvalidParamsError([Message("uri", lacks)])
    document = ask.documents.find(uri)
    if document is None:
        raise InvalidParamsError([Message("uri", "names no open document")])
    return document


def _named_between(ask: OperationCall, text: str, start: int, end: int) -> list[NamedEntity]:
    """The entities named between two offsets of a text. Analyses whole lines, because the words
    around a name decide whether it counts.
    """
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end)
    places = []
    for at, piece in _pieces(text, first, len(text) if last < 0 else last):
        if any(view.deadline.has_passed() for view in ask.views):
            break
        for served in ask.served:
            for evidence in weigh(served.view, piece):
                place = (at + evidence.mention.start, at + evidence.mention.end)
                entity = served.view.visible.entity(evidence.mention.entity_id)
                if entity is not None and start <= place[0] and place[1] <= end:
                    places.append((place, entity, evidence, served.view))
    places.sort(key=lambda found: (found[0][0], -found[0][1], found[1].id, found[3].collection))
    return [
        NamedEntity(
            entity_id=entity.id,
            name=entity.name,
            type=entity.type,
            arm=arm_of(evidence.mention),
            ambiguous=evidence.mention.ambiguous,
            listed=evidence.is_listed,
            collection=view.shown_collection,
            start=place[0],
            end=place[1],
        )
        for place, entity, evidence, view in places
    ]


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    """The text between two offsets, at most `MAX_LOOKED_AT` characters, in pieces of at most
    `MAX_PIECE`, cut between lines or words. Yields the offset and text of each.
    """
    end = min(end, start + MAX_LOOKED_AT)
    while end - start > MAX_PIECE:
        most = start + MAX_PIECE
        cut = max(text.rfind("\n", start, most), 0) or text.rfind(" ", start, most)
        cut = most if cut <= start else cut + 1
        yield start, text[start:cut]
        start = cut
    yield start, text[start:end]


def table(result: MentionsResult) -> list[Shown]:
    places: dict[tuple[str | None, str], list[NamedEntity]] = {}
    for row in result.mentions:
        places.setdefault((row.collection, row.entity_id), []).append(row)
    cells = []
    for rows in places.values():
        row = next((row for row in rows if row.listed and not row.ambiguous), rows[0])
        meant = "perhaps" if row.ambiguous else "yes" if row.listed else "hardly"
        cells.append((row.entity_id, row.name, row.type, len(rows), meant))
    columns: dict[str, ColumnKind] = {"entity": "key", "name": "short", "type": "short"}
    return [Table(columns | {"places": "number", "meant": "whole"}, cells)]


OPERATION = Operation(
    name="mentions",
    summary="Every place of a text that names an entity.",
    params=MentionsParams,
    result=MentionsResult,
    run=answer,
    when="Call it with a text to see which known entities it names, and where. Not to learn about "
    "them: kb_context and kb_entity say what is known.",
    example={"text": "Can we restart Relay tonight?"},
    table=table,
    is_long=True,
    text_field="text",
    needs=frozenset({"topics"}),
)
