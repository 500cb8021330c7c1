"""List every place of a text that names an entity."""

from __future__ import annotations

from pydantic import Field

from vouch_sidecar.operations.operation import Operation, OperationCall
from vouch_sidecar.operations.table import Shown, Table
from vouch_sidecar.operations.wire import (
    EditorParams,
    EntityRow,
    InvalidParamsError,
    LongText,
    Position,
    Range,
    Result,
    absent,
)
from vouch_sidecar.retrieval.blocks.block import without_blocks
from vouch_sidecar.retrieval.evidence.name_strength import is_listed, weigh
from vouch_sidecar.retrieval.line import ArmName
from vouch_sidecar.retrieval.salience import ARM_OF_FORM

MAX_LOOKED_AT = 65_536
"""Characters of a text that are searched, in a quarter of a second."""
MAX_AROUND = 4_096
"""Characters before and behind these that are analysed, too."""


class MentionsParams(EditorParams):
    """A text, or an open document."""

    text: LongText | None = Field(default=None, description="The text.")


class NamedEntity(EntityRow):
    """A place that names an entity. Where words name several, each is a row."""

    arm: ArmName = Field(description="How the words name it.")
    ambiguous: bool = Field(description="Whether they name other entities as well.")
    listed: bool = Field(description="Whether that is strong enough for what is in play.")
    start: int | None = absent("Of a text: where the words begin, in Unicode code points.")
    end: int | None = absent("Of a text: where they end.")
    range: Range | None = absent("Of a document: where the words stand.")


class MentionsResult(Result):
    """The entities that a text names."""

    mentions: list[NamedEntity] = Field(default_factory=list, description="As they stand there.")


def answer(ask: OperationCall, params: MentionsParams) -> MentionsResult:
    params.check()
    if params.text is not None:
        return MentionsResult(mentions=_named_between(ask, params.text, 0, len(params.text)))
    if (document := ask.document) is None:
        raise InvalidParamsError(
            {"uri": "names no document that is open here; only the language server has these"}
        )
    start, end = 0, len(document.source)
    if params.range is not None:
        start, end = (
            document.offset_at(at.line, at.character)
            for at in (params.range.start, params.range.end)
        )
    in_document = []
    for row in _named_between(ask, without_blocks(document.source), start, end):
        places = map(document.place_of, (row.start or 0, row.end or 0))
        first, last = (Position(line=line, character=at) for line, at in places)
        in_document.append(
            row.model_copy(
                update={"start": None, "end": None, "range": Range(start=first, end=last)}
            )
        )
    return MentionsResult(mentions=in_document)


def _named_between(ask: OperationCall, text: str, start: int, end: int) -> list[NamedEntity]:
    """The entities named between two offsets of a text, as far as `MAX_LOOKED_AT` reaches. The
    words around a name decide whether it counts.
    """
    end, first = min(end, start + MAX_LOOKED_AT), max(0, start - MAX_AROUND)
    piece = text[first : end + MAX_AROUND]
    rows = [
        NamedEntity(
            entity_id=entity.id,
            name=entity.name,
            type=entity.type,
            arm=ARM_OF_FORM[evidence.form],
            ambiguous=evidence.ambiguous,
            listed=is_listed(evidence),
            collection=served.view.shown_collection,
            start=first + evidence.start,
            end=first + evidence.end,
        )
        for served in ask.served
        for evidence in weigh(served.view, piece)
        if start <= first + evidence.start and first + evidence.end <= end
        if (entity := served.view.entity(evidence.entity_id)) is not None
    ]
    rows.sort(key=lambda row: (row.start, -(row.end or 0), row.entity_id, row.collection or ""))
    return rows


def table(result: MentionsResult) -> list[Shown]:
    return [
        Table(
            {
                "entity": "key",
                "name": "short",
                "type": "short",
                "at": "number",
                "meant": "whole",
            },
            [
                (
                    *(row.entity_id, row.name, row.type, row.start),
                    "perhaps" if row.ambiguous else "surely" if row.listed else "hardly",
                )
                for row in result.mentions
            ],
        )
    ]


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
    nothing="Nothing known is named.",
    is_long=True,
    text_field="text",
    needs=frozenset({"topics"}),
)
