"""Print the block for a prompt that a task brings in. Nothing where there is none."""

from __future__ import annotations

from functools import partial

from pydantic import Field

from vouch_sidecar.engine.answering import context_for, probe, to_probe
from vouch_sidecar.operations.artifacts import FoundByPhrase, kind_of
from vouch_sidecar.operations.operation import Operation, OperationCall
from vouch_sidecar.operations.table import Shown, Verbatim, Words
from vouch_sidecar.operations.wire import (
    MAX_TEXT,
    InvalidParamsError,
    LongText,
    Result,
    SinceParams,
)
from vouch_sidecar.retrieval.blocks.context import persona_of


class ContextParams(SinceParams):
    """A task to give context for, or a session."""

    task: LongText | None = Field(
        default=None,
        description=("The prompt. Left out: what the latest texts of the session are about."),
    )
    max_chars: int | None = Field(
        default=None,
        ge=1,
        le=MAX_TEXT,
        description="Characters of `text` at most, frame included; else what the config says.",
    )
    repeat: bool = Field(
        default=True, description="False leaves out what this session was given before."
    )


class ContextItem(FoundByPhrase):
    """What a line of the block cites."""

    entity_id: str | None = Field(description="The entity that brought it in, if one did.")
    reviewed: bool = Field(description="Whether a person worded, approved or confirmed it.")


class ContextResult(Result):
    """A block for a prompt, empty when there is nothing to say."""

    text: str = Field(default="", description="The block, in its frame.")
    items: list[ContextItem] = Field(default_factory=list, description="What its lines cite.")
    primary_collection: str | None = Field(
        default=None, description="The knowledge base that the text is about."
    )
    supplemental_collections: list[str] = Field(
        default_factory=list, description="Others that the block speaks of."
    )
    persona: str | None = Field(
        default=None, description="`sidecar.persona` of the primary collection's config."
    )


def answer(ask: OperationCall, params: ContextParams) -> ContextResult:
    ask = ask.since(params.since)
    if ask.session_id is None and params.task is None:
        raise InvalidParamsError({"task": "or session_id is needed"}, missing=True)
    find = ask.engine.sessions.get if params.repeat else ask.engine.sessions.open
    session = find(ask.session_id) if ask.session_id else None
    once = None if params.repeat else session
    task = None if params.task is None else ask.text
    served = ask.served if task is None else to_probe(ask.served)
    probed, asked, counts = None, None, ask.engine.stats.counts
    if task is not None:
        asked = task, *(kb.view.identity for kb in served)
        if once is None or once.last_task != asked:  # a repeated prompt asks for nothing new
            probed, known = probe(served, task, session, ask.vector, repeat=params.repeat)
            counts.update(phrases=len(probed.phrases), from_cache=known)
    speech, given = context_for(
        served,
        task,
        session,
        repeat=params.repeat,
        probed=probed,
        max_chars=params.max_chars,
    )
    if once is not None:
        is_cut = any(kb.view.deadline.has_cut for kb in served)  # then it is asked anew
        ask.to_record.append(partial(once.give, given, None if is_cut else asked))
        ask.to_record.append(partial(counts.update, lines=len(speech.hits)))
    return ContextResult(
        text=speech.text,
        items=[
            ContextItem(
                kind=kind_of(cited),
                id=cited.id,
                entity_id=hit.entity_id,
                collection=hit.view.collection,
                phrase=hit.phrase,
                similarity=hit.similarity,
                arm=hit.arm,
                reviewed=hit.view.is_reviewed(cited),
            )
            for hit in speech.hits
            for cited in hit.cited
        ],
        primary_collection=speech.primary,
        supplemental_collections=list(speech.supplemental),
        persona=persona_of(ask.views, speech.primary),
    )


def table(result: ContextResult) -> list[Shown]:
    nothing = "Nothing surely answers this; `vouch-sidecar explain` says what comes near."
    return [Verbatim(result.text) if result.text else Words(nothing, aside=True, to="terminal")]


OPERATION = Operation(
    name="context",
    summary="A block of reviewed knowledge for a prompt, empty when there is nothing to say.",
    params=ContextParams,
    result=ContextResult,
    run=answer,
    when="Call it once before work on a task whose words may name things that this repository has "
    "reviewed knowledge about, with the task in the words it was given. An empty text means that "
    "nothing surely answers the task: try kb_search. Not for small talk, nor again for the same "
    "task.",
    example={"task": "Can we restart Relay tonight?", "max_chars": 400},
    table=table,
    is_long=True,
    text_field="task",
    is_of_session=True,
    is_semantic=True,
    needs=frozenset({"ties", "topics"}),
)
