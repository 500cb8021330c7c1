"""What a text brings in: probe, context and search."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from vouch_sidecar.operations.wire.base import (
    MAX_TEXT,
    Arm,
    Params,
    Result,
    SearchKind,
    Text,
    Topic,
    Wire,
)

__all__ = [
    "ContextItem",
    "ContextParams",
    "ContextResult",
    "ProbeHit",
    "ProbeParams",
    "ProbeResult",
    "SearchHit",
    "SearchParams",
    "SearchResult",
]


class ProbeParams(Params):
    """A text to take apart."""

    text: Text = Field(description="What was typed or read. 16,384 characters count.")


class ProbeHit(Wire):
    """An artifact that a phrase of the text brought in."""

    phrase: str = Field(description="The words of the text that matched.")
    collection: str = Field(description="The knowledge base it stands in.")
    kind: SearchKind
    id: str
    text: str = Field(description="What it says; of a page, the section.")
    similarity: float = Field(ge=0, le=1, description="Strength of the evidence.")
    arm: Arm = Field(description="How it matched; `text` is full text.")
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
    strength: Literal["strong", "moderate", "weak"] = Field(
        default="weak", description="Weak evidence is never pushed."
    )
    persona: str | None = Field(
        default=None, description="`sidecar.persona` of the primary collection's config."
    )
    phrases_tested: list[str] = Field(default_factory=list, description="At most eight.")
    from_cache: int = Field(default=0, description="How many of them the session remembered.")
    probe_time_ms: float = 0.0


class ContextParams(Params):
    """A task to give context for, or a session."""

    task: Text | None = Field(
        default=None,
        description=(
            "The task in its own words (16,384 characters count): gives what these bring in. Left "
            "out: what the latest texts of the session are about."
        ),
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
    adjacent: bool = Field(default=False, description="Adds what stands one step away.")


class ContextItem(Wire):
    """One line of the block."""

    kind: SearchKind
    id: str
    entity_id: str | None = Field(description="The entity that brought it in, if one did.")
    collection: str | None = Field(description="The knowledge base it stands in.")
    phrase: str = Field(description="The words of the text that matched.")
    similarity: float = Field(ge=0, le=1, description="Strength of the evidence.")
    arm: Arm = Field(description="How it matched; `text` is full text.")


class ContextResult(Result):
    """A block for a prompt, empty when there is nothing to say."""

    text: str = Field(default="", description="The block, in its frame.")
    items: list[ContextItem] = Field(default_factory=list, description="Its lines.")
    primary_collection: str | None = Field(
        default=None, description="The knowledge base that the text is about."
    )
    supplemental_collections: list[str] = Field(
        default_factory=list, description="Others that the block speaks of."
    )


class SearchParams(Params):
    """Words to search for."""

    query: Topic = Field(description="Words; must not be blank. 16,384 characters count.")
    kinds: list[SearchKind] | None = Field(default=None, description="Only these kinds.")
    limit: int = Field(default=10, ge=1, le=100, description="Hits at most.")
    exclude: list[str] | None = Field(default=None, description="Ids to leave out.")


class SearchHit(Wire):
    """An artifact that holds words of the query."""

    kind: SearchKind
    id: str
    title: str = Field(description="Name, title or id.")
    snippet: str = Field(description="Where the words stand, at most 200 characters.")
    score: float = Field(description="BM25, rounded to 6 places; comparable within one answer.")
    collection: str | None = Field(description="The knowledge base it stands in.")
    uri: str = Field(description="The artifact's file.")


class SearchResult(Result):
    """Hits, best first; before them the entities that the query is a name of."""

    hits: list[SearchHit] = Field(default_factory=list)
