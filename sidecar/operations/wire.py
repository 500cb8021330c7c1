"""What operations take and give: the params and results that every surface shares.

Keys are snake_case. A field without a value is null; one whose schema says `x-absent` is left out.
Reading a params model is all the validation there is.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    StringConstraints,
    model_serializer,
    model_validator,
)

__all__ = ["Params", "Result", "Wire"]

MAX_TEXT = 1_000_000

SessionId = Annotated[str, StringConstraints(min_length=1, max_length=256)]
Text = Annotated[str, StringConstraints(max_length=MAX_TEXT)]
Topic = Annotated[str, StringConstraints(max_length=MAX_TEXT, pattern=r"\S")]
Id = Annotated[str, StringConstraints(min_length=1, max_length=1024)]

Arm = Literal["name", "alias", "variant", "partial", "text"]
SearchKind = Literal["claim", "page", "entity", "relation", "source"]
Degraded = Literal[
    "index_building",
    "search_failed",
    "watch_lost",
    "files_skipped",
    "timed_out",
    "semantic_unavailable",
]
ABSENT: dict[str, Any] = {"x-absent": True}


class Wire(BaseModel):
    """Base of everything on the wire."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True, populate_by_name=True)


class Sparse(Wire):
    """What has fields that are left out when they are null: those marked `x-absent`."""

    _absent: ClassVar[tuple[tuple[str, str], ...]] = ()

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        cls._absent = tuple(
            (name, info.serialization_alias or name)
            for name, info in cls.model_fields.items()
            if info.json_schema_extra == ABSENT
        )

    @model_serializer(mode="wrap")
    def _leave_out_absent(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data: dict[str, Any] = handler(self)
        for name, key in self._absent:
            if getattr(self, name) is None:
                data.pop(key, None)
                data.pop(name, None)
        return data


class ViewerParams(Wire):
    """Who asks; decides which private and project-bound claims are visible."""

    project: str | None = Field(default=None, description="Project that the viewer belongs to.")
    agent: str | None = Field(default=None, description="Agent that the viewer is.")


class Params(Wire):
    """What every operation takes. Null stands for an optional field that is not given."""

    session_id: SessionId | None = Field(
        default=None, description="Session that the call belongs to; without one it is stateless."
    )
    viewer: ViewerParams | None = Field(default=None, description="Who asks.")
    root: Text | None = Field(
        default=None, description="Path or file URI: only the knowledge base there is asked."
    )

    @model_validator(mode="before")
    @classmethod
    def _null_is_not_given(cls, data: object) -> object:
        if not isinstance(data, dict):
            return data
        needed = {name for name, info in cls.model_fields.items() if info.is_required()}
        return {k: v for k, v in data.items() if v is not None or k in needed}


class SalienceMeta(Sparse):
    """One salient entity, in the shape vouch attaches to its answers."""

    entity_id: str
    claim_count: int
    top_claim_id: str | None
    collection: str | None = Field(
        default=None, json_schema_extra=ABSENT, description="Present with several knowledge bases."
    )


class Meta(Wire):
    """What is in play in the session that the call named."""

    vouch_salience: list[SalienceMeta]


class Result(Sparse):
    """What every operation gives."""

    generation: int = Field(default=0, description="Rises with every change published.")
    complete: bool = Field(default=True, description="False until the first index is built.")
    degraded: list[Degraded] = Field(
        default_factory=list,
        description="What this answer had to do without; else empty.",
    )
    meta: Meta | None = Field(
        default=None,
        serialization_alias="_meta",
        validation_alias="_meta",
        json_schema_extra=ABSENT,
        description="Salience of the session named; absent without one, or with none in play.",
    )


class ExpertsParams(Params):
    """A topic to rank entities on."""

    topic: Topic = Field(description="Words or a name; must not be blank. 16,384 characters count.")
    limit: int = Field(default=10, ge=1, le=100, description="Rows at most.")
    min_claims: int = Field(default=1, ge=1, description="Matching claims that a row needs.")
    weight: str = Field(
        default="count",
        description="count, recency, citation or evidence; anything else is read as count.",
    )
    types: list[str] | None = Field(default=None, description="Only entities of these types.")
    linking: Literal["auto", "declared"] = Field(
        default="auto",
        description="Whether a claim that declares no known entity counts for those it names.",
    )
    explain: bool = Field(default=False, description="Adds `explain` to every row.")


class ExplainedClaim(Wire):
    """How one matching claim counted for an entity."""

    claim_id: str
    contribution: float = Field(description="What it added to the sum, before rounding.")
    factors: dict[str, float] = Field(description="The figures whose product it added.")
    coverage: float = Field(
        description="Share of the topic's words, by rarity, that it holds; 1 where a name matched."
    )
    matched: list[str] = Field(description="Words of the topic that it holds.")
    arm: Literal["entity", "text"] = Field(
        description="entity: the topic names an entity of it; text: its words match."
    )
    link: Literal["declared", "named", "page"] = Field(
        description="Why it counts for the entity: declared, named in its text, a page."
    )


class ExpertExplain(Wire):
    """The arithmetic behind a row."""

    weight: str = Field(description="The weight that was applied.")
    formula: str = Field(description="How the score follows from the factors.")
    factors: dict[str, float] = Field(description="The figures that the formula names.")
    named: bool = Field(description="Whether the topic names this entity.")
    claims: list[ExplainedClaim] = Field(description="The largest contributions, at most ten.")


class ExpertRow(Sparse):
    """An entity and the evidence it carries on the topic."""

    entity_id: str
    name: str
    type: str
    claim_count: int = Field(description="Matching live, visible claims linked to it.")
    citation_count: int = Field(description="Distinct evidence ids over those claims.")
    score: float = Field(description="Under the weight asked for, rounded to 6 places.")
    top_claim_ids: list[str] = Field(description="The three largest contributions.")
    collection: str | None = Field(
        default=None, json_schema_extra=ABSENT, description="Present with several knowledge bases."
    )
    explain: ExpertExplain | None = Field(
        default=None, json_schema_extra=ABSENT, description="Present when asked for."
    )


class ExpertsResult(Result):
    """Entities by evidence, best first."""

    experts: list[ExpertRow] = Field(default_factory=list)


class SalienceParams(Params):
    """Which session's window to rank."""

    top_k: int | None = Field(
        default=None, ge=1, le=20, description="Entities at most; by default what the config says."
    )


class SalientEntity(Sparse):
    """An entity in play, and why."""

    entity_id: str
    claim_count: int = Field(description="Live, visible claims linked to it.")
    top_claim_id: str | None = Field(
        description="The claim that shares most with the newest text that names the entity."
    )
    name: str
    type: str
    score: float = Field(ge=0, le=1, description="Strength of the evidence on an absolute scale.")
    arm: Arm = Field(description="How the window names it; `text` is full text.")
    matched: list[str] = Field(description="The words that named it, newest first.")
    why: str = Field(description="The evidence and its factors, readable.")
    ambiguous: bool = Field(description="Whether what named it names other entities as well.")
    collection: str | None = Field(
        default=None, json_schema_extra=ABSENT, description="Present with several knowledge bases."
    )


class SalienceResult(Result):
    """Entities in play in a session, strongest first."""

    session_id: str
    salience: list[SalientEntity] = Field(default_factory=list)


class ProbeParams(Params):
    """A text to take apart."""

    text: Text = Field(description="What was typed or read. 16,384 characters count.")


class ProbeHit(Wire):
    """An artifact that a phrase of the text brought in."""

    phrase: str
    collection: str
    kind: SearchKind
    id: str
    text: str = Field(description="What it says; of a page, the section.")
    similarity: float = Field(ge=0, le=1)
    arm: Arm
    filename: str = Field(description="Its file, relative to `.vouch/`.")
    chunk_idx: int = Field(ge=0, description="The section of a page, else 0.")


class ProbeResult(Result):
    """What the knowledge bases know of a text, and which of them it is about."""

    hits: list[ProbeHit] = Field(default_factory=list)
    primary_collection: str | None = None
    supplemental_collections: list[str] = Field(default_factory=list)
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
        default=None, ge=100, le=5000, description="Characters of `text` at most, frame included."
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
    similarity: float = Field(ge=0, le=1)
    arm: Arm


class ContextResult(Result):
    """A block for a prompt, empty when there is nothing to say."""

    text: str = ""
    items: list[ContextItem] = Field(default_factory=list)
    primary_collection: str | None = None
    supplemental_collections: list[str] = Field(default_factory=list)


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
    collection: str | None
    uri: str = Field(description="The artifact's file.")


class SearchResult(Result):
    """Hits, best first."""

    hits: list[SearchHit] = Field(default_factory=list)


class IdParams(Params):
    """An artifact by id."""

    id: Id


class Citation(Wire):
    """One citation of a claim, resolved as far as it goes."""

    id: str = Field(description="As the claim gives it.")
    kind: Literal["source", "evidence", "missing"]
    source_id: str | None
    title: str | None
    locator: str | None
    quote: str | None
    uri: str | None = Field(description="The file of the evidence, or of the source's record.")


class PageRef(Wire):
    """A page, to go to."""

    id: str
    title: str
    type: str
    status: str
    uri: str


class RelationRef(Wire):
    """An edge of the graph."""

    id: str
    source: str
    relation: str
    target: str
    confidence: float
    uri: str


class ClaimView(Wire):
    """A claim with its citations resolved."""

    id: str
    text: str
    type: str
    status: str
    confidence: float
    entities: list[str] = Field(description="As the claim declares them.")
    linked_entities: list[str] = Field(description="Those it counts for under linking `auto`.")
    tags: list[str]
    contradicts: list[str] = Field(description="Live, visible claims that it contradicts.")
    date: str | None = Field(description="Last confirmed, else updated, else created; ISO 8601.")
    citations: list[Citation]
    uri: str


class EntityView(Wire):
    """An entity."""

    id: str
    name: str
    type: str
    aliases: list[str]
    description: str | None
    uri: str


class EntityResult(Result):
    """An entity with what is known of it."""

    entity: EntityView
    claim_count: int = Field(description="Live, visible claims linked to it.")
    claims: list[ClaimView] = Field(description="The newest of them, at most twenty.")
    pages: list[PageRef]
    relations: list[RelationRef]
    collection: str | None


class ClaimResult(Result):
    """A claim with what it stands on."""

    claim: ClaimView
    pages: list[PageRef]
    relations: list[RelationRef]
    collection: str | None


class Counts(Wire):
    """Artifacts that are served, by kind."""

    claims: int
    entities: int
    pages: int
    relations: int
    sources: int
    evidence: int


class ProblemView(Wire):
    """Something wrong with one file."""

    path: str = Field(description="Relative to `.vouch/`.")
    line: int = Field(ge=1)
    column: int = Field(ge=1)
    field: str | None
    severity: Literal["error", "warning"]
    message: str


class RootStatus(Wire):
    """One knowledge base."""

    root: str = Field(description="The folder that holds `.vouch/`.")
    collection: str
    counts: Counts
    problems: list[ProblemView]
    indexed_at: str | None = Field(description="When the index was last changed; ISO 8601.")


class StatusResult(Result):
    """What this process serves, and how it is."""

    roots: list[RootStatus] = Field(default_factory=list)
    sessions: int = Field(description="Sessions with a window.")
    watcher: Literal["client", "own", "sweep", "none"] = Field(
        description="How changes on disk are noticed first; the sweep runs beside the others."
    )
    version: str


class ArmStats(Wire):
    """What came of one way to recognise something, since the process began."""

    arm: Arm
    said: int = Field(description="Times that a block or a push said something by it.")
    opened: int = Field(description="Of these, how often it was opened or hovered afterwards.")
    silent: int = Field(description="Times that it said nothing when it could have.")


class OperationStats(Wire):
    """How long one operation took: the latest thousand calls."""

    operation: str
    count: int = Field(description="Calls since the process began.")
    p50_ms: float
    p95_ms: float


class CacheStats(Wire):
    """How often a session remembered a phrase that was looked for before."""

    phrases: int
    remembered: int


class StatsResult(Result):
    """Figures since the process began, none of them text."""

    arms: list[ArmStats] = Field(default_factory=list)
    operations: list[OperationStats] = Field(default_factory=list)
    probe_cache: CacheStats


class CapabilitiesResult(Result):
    """What this server answers and sends."""

    name: str
    version: str
    protocol: int
    methods: list[str]
    notifications: list[str]


class SessionEndParams(Params):
    """The session to end."""

    session_id: SessionId = Field(description="Session whose window is dropped.")


class PromptParams(Wire):
    """A prompt submitted without a document."""

    session_id: SessionId
    text: Text


class DidChangeSalience(Wire):
    """Sent when the ranking of a session changes."""

    session_id: str
    salience: list[SalientEntity]
    fresh: list[SalientEntity] = Field(
        description="Entities newly brought in, strong enough to volunteer."
    )
    text: str = Field(description="A block for a prompt about `fresh`; empty without any.")
    generation: int


class DidChangeStatus(Wire):
    """Sent when the health of the server changes."""

    health: Literal["ok", "warning", "error"]
    quiescent: bool = Field(description="Whether nothing is being indexed.")
    message: str | None
    generation: int
