"""Explain what a text brings in, and what candidates lack."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from vouch_sidecar.engine.answering import context_for, probe, to_probe
from vouch_sidecar.operations.artifacts import ArtifactRow, kind_of
from vouch_sidecar.operations.operation import Operation, OperationCall
from vouch_sidecar.operations.table import Shown, Table
from vouch_sidecar.operations.wire import EntityRow, Params, Result, TopicText
from vouch_sidecar.retrieval.probe import Verdict, explained_names, explained_texts


class ExplainParams(Params):
    """A text to explain."""

    text: TopicText = Field(description="A prompt or a paragraph.")


class ExplainedEntity(EntityRow):
    """An entity that the text may name."""

    strength: float = Field(ge=0, le=1, description="The product of the factors.")
    factors: dict[str, float] = Field(description="By name, each from 0 to 1.")
    verdict: Verdict = Field(
        description="`volunteered`: a prompt is told of it; `listed`: it is in play alone."
    )
    why: str = Field(description="How it was found, and the threshold that it missed.")


class ExplainedText(ArtifactRow):
    """A claim or a page that the text may bring in."""

    similarity: float = Field(ge=0, le=1, description="Likelihood that it answers the text.")
    factors: dict[str, float] = Field(description="What each feature adds to it, by name.")
    verdict: Literal["said", "refused"]
    why: str = Field(description="What brings it in, or what it lacks.")


class ExplainResult(Result):
    """Every candidate of a text."""

    entities: list[ExplainedEntity] = Field(default_factory=list, description="Strongest first.")
    texts: list[ExplainedText] = Field(
        default_factory=list, description="What is said first, then by similarity."
    )


def answer(ask: OperationCall, _: ExplainParams) -> ExplainResult:
    text, served = ask.text, to_probe(ask.served)
    probed = probe(served, text, None, ask.vector)[0]
    speech = context_for(served, text, probed=probed)[0]
    return ExplainResult(
        entities=[
            ExplainedEntity(
                entity_id=entity.id,
                name=entity.name,
                type=entity.type,
                strength=mention.strength,
                factors={**mention.factors},
                verdict=verdict,
                why=why,
                collection=kb.view.shown_collection,
            )
            for kb in served
            for entity, mention, verdict, why in explained_names(kb.view, probed, speech.hits)
        ],
        texts=[
            ExplainedText(
                kind=kind_of(line.artifact),
                id=line.artifact.id,
                similarity=line.likelihood,
                factors={
                    name: round(value, 3)
                    for name, value in (line.judged.features.terms if line.judged else {}).items()
                },
                verdict="said" if is_said else "refused",
                why=why,
                collection=kb.view.collection,
            )
            for kb in served
            for line, is_said, why in explained_texts(kb.view, probed, speech.hits, ask.vector)
        ],
    )


def table(result: ExplainResult) -> list[Shown]:
    return [
        Table(
            {"id": "key", "verdict": "whole", "value": "number", "why": "text"},
            [
                *((e.entity_id, e.verdict, f"{e.strength:.2f}", e.why) for e in result.entities),
                *((t.id, t.verdict, f"{t.similarity:.2f}", t.why) for t in result.texts),
            ],
        )
    ]


OPERATION = Operation(
    name="explain",
    summary="Every candidate of a text, listed, volunteered or refused, with its factors and what "
    "it missed.",
    params=ExplainParams,
    result=ExplainResult,
    run=answer,
    when="Call it when something was said, or was not, and somebody asks why. Not to get context: "
    "kb_context gives what is said.",
    example={"text": "Can we restart Relay tonight?"},
    table=table,
    nothing="The text holds nothing that is known.",
    is_long=True,
    text_field="text",
    is_semantic=True,
    needs=frozenset({"ties", "topics"}),
)
