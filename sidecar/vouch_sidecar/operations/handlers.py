"""One function for each operation: params in, result out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from vouch_sidecar import __version__
from vouch_sidecar.engine import Caller, Engine, Served, probing
from vouch_sidecar.engine.served import Speaker
from vouch_sidecar.engine.speech import speak_of
from vouch_sidecar.kb.records import Entity, Kind, key_of
from vouch_sidecar.operations import wire
from vouch_sidecar.operations.errors import InvalidParamsError, Message
from vouch_sidecar.operations.rows import expert_row, salient_row
from vouch_sidecar.operations.views import ArtifactViews, iso, problem_view
from vouch_sidecar.retrieval import experts as expert_ranking
from vouch_sidecar.retrieval.search import SEARCHED, search, snippet, text_of
from vouch_sidecar.retrieval.view import View, claim_date

__all__ = ["Ask"]

NEWEST_CLAIMS = 20
MAX_ANALYSED = 16_384
"""Characters of a text that are looked at; so much is a prompt with a long paste."""
_KINDS: dict[Kind, wire.SearchKind] = {
    Kind.CLAIM: "claim",
    Kind.PAGE: "page",
    Kind.ENTITY: "entity",
    Kind.RELATION: "relation",
    Kind.SOURCE: "source",
}


@dataclass(frozen=True, slots=True)
class Ask:
    """A call under way: who asks, and what that caller sees."""

    engine: Engine
    caller: Caller
    served: Sequence[Served]

    @property
    def views(self) -> list[View]:
        return [one.view for one in self.served]

    @property
    def many(self) -> bool:
        """Whether rows name their collection: several knowledge bases are served."""
        return len(self.engine.collections) > 1

    def root_of(self, view: View) -> Path:
        return next(one.collection.root for one in self.served if one.view is view)

    def views_for(self, view: View) -> ArtifactViews:
        return ArtifactViews(view, self.root_of(view))

    def session(self, params: wire.Params) -> str | None:
        """The session that `salience` and `context` mean: the one named, else the connection's."""
        return params.session_id or self.caller.session_id


def _late(ask: Ask) -> Callable[[], bool]:
    """Whether the time that the strictest knowledge base gives an answer is up, from now on."""
    limits = [one.settings.recall.timeout_ms for one in ask.served]
    clock, until = ask.engine.clock, ask.engine.clock() + min(limits, default=0) / 1000
    return lambda: clock() >= until


def _degraded(timed_out: bool) -> list[wire.Degraded]:
    return ["timed_out"] if timed_out else []


def analysed(text: str) -> str:
    """The part of a text that is looked at."""
    return text[:MAX_ANALYSED]


def experts(ask: Ask, params: wire.ExpertsParams) -> wire.ExpertsResult:
    question = expert_ranking.Question(
        topic=analysed(params.topic),
        now=ask.engine.now(),
        weight=params.weight,
        linking=params.linking,
        limit=params.limit,
        min_claims=params.min_claims,
        types=None if params.types is None else frozenset(params.types),
    )
    rows = expert_ranking.rank(ask.views, question)
    return wire.ExpertsResult(experts=[expert_row(row, ask.many, params.explain) for row in rows])


def salience(ask: Ask, params: wire.SalienceParams) -> wire.SalienceResult:
    session_id = ask.session(params)
    if session_id is None:
        raise InvalidParamsError([Message("session_id", "is missing")], missing=True)
    ask.engine.sessions.get(session_id)  # asking is activity
    rows = ask.engine.salience(ask.served, session_id, params.top_k)
    return wire.SalienceResult(
        session_id=session_id, salience=[salient_row(row, ask.many) for row in rows]
    )


def context(ask: Ask, params: wire.ContextParams) -> wire.ContextResult:
    session_id = ask.session(params)
    if session_id is None and params.task is None:
        raise InvalidParamsError([Message("task", "or session_id is needed")], missing=True)
    sessions, late = ask.engine.sessions, _late(ask)
    if params.repeat:
        session = sessions.get(session_id) if session_id else None
    else:
        session = sessions.open(session_id) if session_id else None
    texts = None if params.task is None else [analysed(params.task)]
    probed = None
    served: Sequence[Speaker] = ask.served
    if params.task is not None:
        served = probing.allowed(ask.served)
        made = probing.probe(served, analysed(params.task), session, late)
        ask.engine.stats.looked(len(made.probe.phrases), made.from_cache)
        probed = made.probe
    speech = speak_of(
        served,
        texts,
        probed=probed,
        session=session,
        max_chars=params.max_chars,
        repeat=params.repeat,
        adjacent=params.adjacent,
    )
    ask.engine.stats.spoke(speech.hits)
    return wire.ContextResult(
        degraded=_degraded(probed is not None and probed.timed_out),
        text=speech.text,
        items=[
            wire.ContextItem(
                kind=_KINDS[key_of(hit.artifact)[0]],
                id=hit.artifact.id,
                entity_id=hit.entity_id,
                collection=hit.view.collection,
                phrase=hit.phrase,
                similarity=hit.similarity,
                arm=hit.arm,
            )
            for hit in speech.hits
        ],
        primary_collection=speech.primary,
        supplemental_collections=list(speech.supplemental),
    )


def probe(ask: Ask, params: wire.ProbeParams) -> wire.ProbeResult:
    started = perf_counter()
    session = ask.engine.sessions.get(params.session_id) if params.session_id else None
    probed = probing.probe(ask.served, analysed(params.text), session, _late(ask))
    found = probed.probe
    ask.engine.stats.looked(len(found.phrases), probed.from_cache)
    return wire.ProbeResult(
        degraded=_degraded(found.timed_out),
        hits=[
            wire.ProbeHit(
                phrase=hit.phrase,
                collection=hit.view.collection,
                kind=_KINDS[key_of(hit.artifact)[0]],
                id=hit.artifact.id,
                text=text_of(hit.artifact, hit.section or 0),
                similarity=hit.similarity,
                arm=hit.arm,
                filename=hit.artifact.path,
                chunk_idx=hit.section or 0,
            )
            for hit in found.hits
        ],
        primary_collection=found.primary,
        supplemental_collections=list(found.supplemental),
        strength=found.strength,
        persona=probed.persona,
        phrases_tested=list(found.phrases),
        from_cache=probed.from_cache,
        probe_time_ms=round((perf_counter() - started) * 1000, 3),
    )


def search_for(ask: Ask, params: wire.SearchParams) -> wire.SearchResult:
    kinds = SEARCHED if params.kinds is None else [Kind(kind) for kind in params.kinds]
    rows = search(ask.views, analysed(params.query), kinds, params.limit, params.exclude or ())
    return wire.SearchResult(
        hits=[
            wire.SearchHit(
                kind=_KINDS[row.kind],
                id=row.artifact.id,
                title=row.title,
                snippet=snippet(row.text, analysed(params.query)),
                score=row.score,
                collection=row.view.collection,
                uri=ask.views_for(row.view).uri(row.artifact.path),
            )
            for row in rows
        ]
    )


def entity(ask: Ask, params: wire.IdParams) -> wire.EntityResult:
    view, found = _find(ask, Kind.ENTITY, params.id)
    assert isinstance(found, Entity)
    ask.engine.stats.opened(found.id)
    return entity_result(ask.views_for(view), view, found)


def entity_result(views: ArtifactViews, view: View, found: Entity) -> wire.EntityResult:
    """An entity with its newest claims; those without a date come last."""
    claims = view.claims_of(found.id)
    newest = sorted(claims, key=lambda c: (-(claim_date(c) or 0.0), c.id))
    return wire.EntityResult(
        entity=views.entity(found),
        claim_count=len(claims),
        claims=[views.claim(claim) for claim in newest[:NEWEST_CLAIMS]],
        pages=views.pages((Kind.ENTITY, found.id)),
        relations=views.relations(found.id),
        collection=view.collection,
    )


def claim(ask: Ask, params: wire.IdParams) -> wire.ClaimResult:
    view, _ = _find(ask, Kind.CLAIM, params.id)
    ask.engine.stats.opened(params.id)
    found = view.claim(params.id)
    assert found is not None
    views = ask.views_for(view)
    return wire.ClaimResult(
        claim=views.claim(found),
        pages=views.pages((Kind.CLAIM, found.id)),
        relations=views.relations(found.id),
        collection=view.collection,
    )


def _find(ask: Ask, kind: Kind, artifact_id: str) -> tuple[View, object]:
    for view in ask.views:
        if (found := view.visible((kind, artifact_id))) is not None:
            return view, found
    raise InvalidParamsError([Message("id", f"names no {kind.value} that may be shown")])


def status(ask: Ask, _: wire.Params) -> wire.StatusResult:
    return wire.StatusResult(
        roots=[_root_status(ask, one) for one in ask.served],
        sessions=len(ask.engine.sessions),
        watcher=ask.engine.watching,
        version=__version__,
    )


def _root_status(ask: Ask, served: Served) -> wire.RootStatus:
    collection, view = served.collection, served.view
    problems = ask.engine.problems(ask.caller, collection)

    return wire.RootStatus(
        root=str(collection.root),
        collection=collection.name,
        counts=wire.Counts(
            claims=view.count(Kind.CLAIM),
            entities=view.count(Kind.ENTITY),
            pages=view.count(Kind.PAGE),
            relations=view.count(Kind.RELATION),
            sources=view.count(Kind.SOURCE),
            evidence=view.count(Kind.EVIDENCE),
        ),
        problems=[
            problem_view(problem)
            for _, found in sorted(problems.items())
            for problem in sorted(found, key=lambda one: (one.line, one.column))
        ],
        indexed_at=iso(collection.indexed_at),
    )


def stats(ask: Ask, _: wire.Params) -> wire.StatsResult:
    kept = ask.engine.stats
    return wire.StatsResult(
        arms=[
            wire.ArmStats(arm=arm, said=one.said, opened=one.opened, silent=one.silent)
            for arm, one in kept.arms.items()
        ],
        operations=[
            wire.OperationStats(
                operation=name,
                count=timing.count,
                p50_ms=timing.percentile(50),
                p95_ms=timing.percentile(95),
            )
            for name, timing in sorted(kept.timings.items())
        ],
        probe_cache=wire.CacheStats(phrases=kept.phrases, remembered=kept.remembered),
    )


def session_end(ask: Ask, params: wire.SessionEndParams) -> wire.Result:
    ask.engine.end_session(params.session_id, ask.caller.root)
    return wire.Result()
