"""Completion of ids and names in a shell."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from vouch_sidecar.surfaces.cli.asking import Asked, NoKnowledgeBaseError, loaded

__all__ = ["completes"]

MAX_OFFERED = 500
Complete = Callable[[click.Context, click.Parameter, str], list[str]]


def completes(operation: str) -> Complete | None:
    """What completes the argument of an operation: ids of claims, or names and ids of entities."""
    kinds = {"claim": "claim", "entity": "entity", "experts": "entity"}
    kind = kinds.get(operation)
    return None if kind is None else lambda ctx, _, start: _beginning(ctx, kind, start)


def _beginning(ctx: click.Context, kind: str, start: str) -> list[str]:
    from vouch_sidecar.kb.records import Kind
    from vouch_sidecar.retrieval.begun import beginning

    root = ctx.params.get("root")
    asked = Asked(Path(root) if root else None, ctx.params.get("project"), ctx.params.get("agent"))
    try:
        engine, caller = loaded(asked)
    except NoKnowledgeBaseError:
        return []
    return beginning([one.view for one in engine.serving(caller)], Kind(kind), start, MAX_OFFERED)
