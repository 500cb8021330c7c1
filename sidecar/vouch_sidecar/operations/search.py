"""Search claims, pages, entities, relations and sources."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from vouch_sidecar.kb.records import Kind
from vouch_sidecar.operations.artifacts import ArtifactRow, kind_of, uri_of
from vouch_sidecar.operations.operation import Operation, OperationCall
from vouch_sidecar.operations.table import Shown, by_collection, marked
from vouch_sidecar.operations.wire import Result, SearchKind, SinceParams, TopicText, absent
from vouch_sidecar.retrieval.search import SEARCHED, names_of, search, snippet


class SearchParams(SinceParams):
    """Words to search for."""

    query: TopicText = Field(description="Words.")
    kinds: list[SearchKind] | None = Field(default=None, description="Only these kinds.")
    limit: int = Field(default=10, ge=1, le=100, description="Hits at most.")
    exclude: list[str] | None = Field(default=None, description="Ids to leave out.")


class SearchHit(ArtifactRow):
    """An artifact that holds words of the query."""

    title: str = Field(description="Name, title or id.")
    snippet: str = Field(description="Where the words stand, at most 200 characters.")
    score: float = Field(description="Comparable within one answer.")
    arm: Literal["semantic"] | None = absent("Present where it was found by meaning alone.")
    stale: str | None = Field(description="As in `claim`.")
    uri: str = Field(description="The artifact's file.")


class SearchResult(Result):
    """Hits, best first; before them the entities that the query is a name of."""

    hits: list[SearchHit] = Field(default_factory=list)


def answer(ask: OperationCall, params: SearchParams) -> SearchResult:
    query, ask = ask.text, ask.since(params.since)
    kinds = list(SEARCHED if params.kinds is None else map(Kind, params.kinds))
    if params.since is not None:
        kinds = [kind for kind in kinds if kind is Kind.CLAIM]
    hits = search(ask.views, query, kinds, params.limit, params.exclude or (), ask.vector)
    return SearchResult(
        hits=[
            SearchHit(
                kind=kind_of(row.artifact),
                id=row.artifact.id,
                title=(*names_of(row.artifact)[1:], row.artifact.id)[0],
                snippet=snippet(row.text, query),
                score=row.similarity,
                arm="semantic" if row.arm == "semantic" else None,
                stale=row.stale and row.stale.reason,
                collection=row.view.collection,
                uri=uri_of(row.view, row.artifact.path),
            )
            for row in hits
        ]
    )


def table(result: SearchResult) -> list[Shown]:
    cells = []
    for hit in result.hits:
        title = f"{hit.title} · " if hit.title not in (hit.id, hit.snippet, "") else ""
        shown = marked((title + hit.snippet).removesuffix(" · "), hit.stale)
        cells.append((hit.id, hit.kind, hit.collection, shown))
    return [
        by_collection(
            len({hit.collection for hit in result.hits}) > 1,
            {
                "id": "key",
                "kind": "whole",
                "collection": "whole",
                "text": "text",
            },
            cells,
        )
    ]


OPERATION = Operation(
    name="search",
    summary="Artifacts that hold words of a query.",
    params=SearchParams,
    result=SearchResult,
    run=answer,
    when="Call it to find claims, pages, entities, relations or sources by their words. Not for "
    "source code: only the knowledge base is searched.",
    example={"query": "token bucket", "kinds": ["claim", "page"], "limit": 2},
    table=table,
    nothing="Nothing found.",
    is_long=True,
    text_field="query",
    needs=frozenset({"ties"}),
    is_semantic=True,
)
