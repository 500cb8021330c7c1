"""Show what the knowledge bases know of a text, phrase by phrase."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter

from pydantic import Field

from vouch_sidecar.engine import answering
from vouch_sidecar.operations.artifacts import FoundByPhrase, kind_of
from vouch_sidecar.operations.operation import Operation, OperationCall
from vouch_sidecar.operations.table import Shown, Words, by_collection
from vouch_sidecar.operations.wire import LongText, Params, Result
from vouch_sidecar.retrieval.blocks.context import persona_of, tiers
from vouch_sidecar.retrieval.constants import MAX_CONSIDERED
from vouch_sidecar.retrieval.probe import Strength


class ProbeParams(Params):
    """A text to take apart."""

    text: LongText = Field(description="What was typed or read.")


class ProbeHit(FoundByPhrase):
    """An artifact that a phrase of the text brought in."""

    text: str = Field(description="What it says; of a page, the section.")
    filename: str = Field(description="Its file, relative to `.vouch/`.")
    chunk_idx: int = Field(ge=0, description="The section of a page, else 0.")


class ProbeResult(Result):
    """What the knowledge bases know of a text, and which of them it is about."""

    hits: list[ProbeHit] = Field(default_factory=list, description="By similarity.")
    primary_collection: str | None = Field(
        default=None, description="The knowledge base that the text is about."
    )
    supplemental_collections: list[str] = Field(
        default_factory=list, description="Others with hits."
    )
    strength: Strength = Field(default="weak", description="Weak evidence is never pushed.")
    persona: str | None = Field(
        default=None, description="`sidecar.persona` of the primary collection's config."
    )
    phrases_tested: list[str] = Field(
        default_factory=list, description=f"At most {MAX_CONSIDERED}."
    )
    from_cache: int = Field(default=0, description="How many of them the session remembered.")
    probe_time_ms: float = 0.0


def answer(ask: OperationCall, params: ProbeParams) -> ProbeResult:
    started = perf_counter()
    session = ask.engine.sessions.get(params.session_id) if params.session_id else None
    served = [
        replace(kb, view=replace(kb.view, lists_all=True)) for kb in answering.to_probe(ask.served)
    ]
    probe, from_cache = answering.probe(served, ask.text, session, ask.vector)
    ask.engine.stats.counts.update(phrases=len(probe.phrases), from_cache=from_cache)
    hits = probe.hits()
    primary, supplemental = tiers(ask.text, hits, probe.views)
    return ProbeResult(
        hits=[
            ProbeHit(
                phrase=hit.phrase,
                collection=hit.view.collection,
                kind=kind_of(hit.artifact),
                id=hit.artifact.id,
                text=hit.text,
                similarity=hit.similarity,
                arm=hit.arm,
                filename=hit.artifact.path,
                chunk_idx=hit.section or 0,
            )
            for hit in hits
        ],
        primary_collection=primary,
        supplemental_collections=list(supplemental),
        strength=probe.strength,
        persona=persona_of(ask.views, primary),
        phrases_tested=probe.phrases,
        from_cache=from_cache,
        probe_time_ms=round((perf_counter() - started) * 1000, 3),
    )


def table(result: ProbeResult) -> list[Shown]:
    others = result.supplemental_collections
    cells = [
        (
            *(hit.id, hit.kind, f"{hit.similarity:.2f}", hit.phrase),
            *(hit.collection, hit.text),
        )
        for hit in result.hits
    ]
    return [
        Words(f"{result.strength} evidence for {result.primary_collection or 'none'}"),
        *([Words(f"supplemental: {', '.join(others)}")] if others else []),
        by_collection(
            bool(others),
            {
                "id": "key",
                "kind": "whole",
                "similarity": "number",
                "phrase": "short",
                "collection": "whole",
                "text": "text",
            },
            cells,
        ),
    ]


OPERATION = Operation(
    name="probe",
    summary="What a text brings in: phrases, hits over all knowledge bases, and which of them "
    "leads.",
    params=ProbeParams,
    result=ProbeResult,
    run=answer,
    when="Call it to see how a text was understood: its phrases, what each one hit, and which "
    "knowledge base leads. Not to get context for a prompt: kb_context gives the same, readable "
    "and cut to size.",
    example={"text": "Can we restart Relay tonight?"},
    table=table,
    nothing="Nothing known is named.",
    is_long=True,
    text_field="text",
    is_semantic=True,
    needs=frozenset({"ties", "topics"}),
)
