"""Commands that ask: one for each operation, and `check`."""

from __future__ import annotations

import os
import sys

import click

from vouch_sidecar.surfaces.cli.asking import (
    SESSION,
    Asked,
    answer,
    answer_from,
    asking,
    loaded,
    nothing_found,
    root_of,
    show,
)

__all__ = ["QUESTIONS"]

STATS_SECONDS = 2.0
PROBLEMS = 1


@click.command()
@click.argument("topic")
@click.option("--limit", type=int, default=10, show_default=True, help="Rows at most, 1 to 100.")
@click.option("--min-claims", type=int, default=1, show_default=True, help="Claims a row needs.")
@click.option(
    "--weight", default="count", show_default=True, help="count, recency, citation or evidence."
)
@click.option("--type", "types", multiple=True, help="Only entities of this type. Repeatable.")
@click.option("--declared", is_flag=True, help="Only entities that claims declare themselves.")
@click.option("--explain", is_flag=True, help="Add the arithmetic behind each row.")
@asking
def experts(
    asked: Asked,
    topic: str,
    limit: int,
    min_claims: int,
    weight: str,
    types: tuple[str, ...],
    declared: bool,
    explain: bool,
) -> None:
    """Rank entities by the evidence they carry on a topic."""
    params = {
        "topic": topic,
        "limit": limit,
        "min_claims": min_claims,
        "weight": weight,
        "types": list(types) or None,
        "linking": "declared" if declared else "auto",
        "explain": explain,
    }
    show(asked, "experts", answer(asked, "experts", params))


@click.command()
@click.argument("texts", nargs=-1, required=True, metavar="TEXT...")
@click.option("--top-k", type=int, help="Entities at most, 1 to 20.")
@asking
def salience(asked: Asked, texts: tuple[str, ...], top_k: int | None) -> None:
    """Rank what is in play in a session of texts, the newest last."""
    engine, caller = loaded(asked)
    for text in texts:
        engine.observe(SESSION, None, text)
    params = {"session_id": SESSION, "top_k": top_k}
    show(asked, "salience", answer_from(engine, caller, "salience", params))


@click.command()
@click.argument("query")
@click.option("--limit", type=int, default=10, show_default=True, help="Hits at most, 1 to 100.")
@click.option("--kind", "kinds", multiple=True, help="Only this kind of artifact. Repeatable.")
@click.option("--exclude", multiple=True, metavar="ID", help="Leave this id out. Repeatable.")
@asking
def search(
    asked: Asked, query: str, limit: int, kinds: tuple[str, ...], exclude: tuple[str, ...]
) -> None:
    """Search claims, pages, entities, relations and sources."""
    params = {
        "query": query,
        "limit": limit,
        "kinds": list(kinds) or None,
        "exclude": list(exclude) or None,
    }
    show(asked, "search", answer(asked, "search", params))


@click.command()
@click.argument("artifact_id", metavar="ID")
@asking
def entity(asked: Asked, artifact_id: str) -> None:
    """Show an entity with its claims, pages and relations."""
    show(asked, "entity", answer(asked, "entity", {"id": artifact_id}, nothing_is_usage=False))


@click.command()
@click.argument("artifact_id", metavar="ID")
@asking
def claim(asked: Asked, artifact_id: str) -> None:
    """Show a claim with its citations, pages and relations."""
    show(asked, "claim", answer(asked, "claim", {"id": artifact_id}, nothing_is_usage=False))


@click.command()
@click.argument("text")
@asking
def probe(asked: Asked, text: str) -> None:
    """Show what the knowledge bases know of a text, phrase by phrase."""
    show(asked, "probe", answer(asked, "probe", {"text": text}))


@click.command()
@click.argument("task")
@click.option("--max-chars", type=int, help="Characters at most.  [default: what the config says]")
@click.option("--adjacent", is_flag=True, help="Add pages and relations one step away.")
@asking
def context(asked: Asked, task: str, max_chars: int | None, adjacent: bool) -> None:
    """Print the block for a prompt that a task brings in. Nothing where there is none."""
    params = {"task": task, "max_chars": max_chars, "adjacent": adjacent}
    show(asked, "context", answer(asked, "context", params))


@click.command()
@asking
def status(asked: Asked) -> None:
    """Show the knowledge bases found and how they are."""
    show(asked, "status", answer(asked, "status", {}))


@click.command()
@asking
def stats(asked: Asked) -> None:
    """Show what the sidecar that runs here has done. Exit code 1 without one."""
    root = root_of(asked)
    from vouch_sidecar.surfaces.local.client import ask

    answered = ask(root, "kb.stats", {}, timeout=STATS_SECONDS, env=os.environ)
    if answered is None or not answered.get("ok"):
        raise click.ClickException("no sidecar runs for this knowledge base")
    show(asked, "stats", answered["result"])


@click.command()
@asking
def check(asked: Asked) -> None:
    """List the problems of a knowledge base. Exit code 1 when there are any."""
    result = answer(asked, "status", {})
    if not result["roots"]:
        raise click.UsageError(nothing_found(asked))
    problems = [
        {"root": root["root"], **problem}
        for root in result["roots"]
        for problem in root["problems"]
    ]
    show(asked, "check", {"problems": problems})
    if problems:
        sys.exit(PROBLEMS)


QUESTIONS = (experts, salience, probe, context, search, entity, claim, status, stats, check)
