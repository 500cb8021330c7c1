"""Results of operations for people: tables, in colour on a terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sidecar.surfaces.plain import clip, one_line

__all__ = ["render"]

WIDTH = 120
"""Columns where there is no terminal to fill."""

TEXT = 400


def render(name: str, result: dict[str, Any]) -> None:
    """Print the result of the operation `name`, or of `check`."""
    width = WIDTH if not sys.stdout.isatty() and "COLUMNS" not in os.environ else None
    console = Console(width=width, highlight=False)
    RENDERERS[name](console, result)


def _plain(value: object, style: str = "") -> Text:
    """A value as it is: whatever it holds, it is neither markup nor a control sequence."""
    return Text("" if value is None else one_line(str(value)), style=style)


def _table(console: Console, headings: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for heading in headings:
        number = heading in NUMBERS
        table.add_column(heading, justify="right" if number else "left", overflow="fold")
    for row in rows:
        table.add_row(*(_plain(cell) for cell in row))
    console.print(table)


NUMBERS = frozenset(
    "claims citations score confidence similarity said opened silent count p50_ms p95_ms".split()
)


def _nothing(console: Console, message: str) -> None:
    console.print(Text(message, style="dim"))


def _experts(console: Console, result: dict[str, Any]) -> None:
    if not result["experts"]:
        _nothing(console, "No entity carries evidence on this topic.")
        return
    several = any("collection" in row for row in result["experts"])
    _table(
        console,
        ["entity", "name", "type", "claims", "citations", "score", "top claims"]
        + (["collection"] if several else []),
        (
            [
                row["entity_id"],
                row["name"],
                row["type"],
                row["claim_count"],
                row["citation_count"],
                f"{row['score']:g}",
                ", ".join(row["top_claim_ids"]),
                *([row["collection"]] if several else []),
            ]
            for row in result["experts"]
        ),
    )
    for row in result["experts"]:
        if "explain" in row:
            _explain(console, row)


def _explain(console: Console, row: dict[str, Any]) -> None:
    """The arithmetic of one row."""
    explain = row["explain"]
    factors = ", ".join(f"{name} {value:g}" for name, value in explain["factors"].items())
    console.print()
    console.print(_plain(f"{row['name']}: {row['score']:g} = {explain['formula']}"))
    console.print(_plain(factors))
    for claim in explain["claims"]:
        why = f"matched by {claim['arm']}, {claim['link']}"
        console.print(_plain(f"{claim['contribution']:g}  {claim['claim_id']} ({why})"))


def _salience(console: Console, result: dict[str, Any]) -> None:
    if not result["salience"]:
        _nothing(console, "Nothing known is in play.")
        return
    _table(
        console,
        ["entity", "name", "type", "score", "claims", "top claim", "why"],
        (
            [
                row["entity_id"],
                row["name"],
                row["type"],
                f"{row['score']:.2f}",
                row["claim_count"],
                row["top_claim_id"],
                row["why"],
            ]
            for row in result["salience"]
        ),
    )


def _search(console: Console, result: dict[str, Any]) -> None:
    if not result["hits"]:
        _nothing(console, "Nothing found.")
        return
    _table(
        console,
        ["kind", "id", "title", "snippet"],
        ([hit["kind"], hit["id"], hit["title"], hit["snippet"]] for hit in result["hits"]),
    )


def _entity(console: Console, result: dict[str, Any]) -> None:
    entity = result["entity"]
    console.print(_plain(entity["name"], "bold"), _plain(f"{entity['type']} · {entity['id']}"))
    if entity["aliases"]:
        console.print(_plain("also " + ", ".join(entity["aliases"])))
    if entity["description"]:
        console.print(_plain(clip(entity["description"], TEXT)))
    if result["claims"]:
        console.print()
        console.print(_plain(f"{result['claim_count']} live claims, the newest first"))
        _claims(console, result["claims"])
    _around(console, result)


def _claims(console: Console, claims: Iterable[dict[str, Any]]) -> None:
    _table(
        console,
        ["id", "status", "confidence", "date", "text"],
        (
            [
                claim["id"],
                claim["status"],
                f"{claim['confidence']:g}",
                (claim["date"] or "")[:10],
                claim["text"],
            ]
            for claim in claims
        ),
    )


def _claim(console: Console, result: dict[str, Any]) -> None:
    claim = result["claim"]
    console.print(_plain(claim["text"], "bold"))
    facts = [claim["id"], claim["type"], claim["status"], f"confidence {claim['confidence']:g}"]
    console.print(_plain(" · ".join([*facts, *([claim["date"][:10]] if claim["date"] else [])])))
    for name in ("linked_entities", "tags", "contradicts"):
        if claim[name]:
            console.print(_plain(f"{name.replace('_', ' ')}: {', '.join(claim[name])}"))
    if claim["citations"]:
        console.print()
        _table(
            console,
            ["citation", "kind", "title", "place", "quote"],
            (
                [cited["id"][:16], cited["kind"], cited["title"], cited["locator"], cited["quote"]]
                for cited in claim["citations"]
            ),
        )
    _around(console, result)


def _around(console: Console, result: dict[str, Any]) -> None:
    if result["pages"]:
        console.print()
        pages = result["pages"]
        _table(
            console,
            ["page", "title", "status"],
            ([p["id"], p["title"], p["status"]] for p in pages),
        )
    if result["relations"]:
        console.print()
        edges = result["relations"]
        _table(
            console,
            ["from", "relation", "to", "confidence"],
            ([e["source"], e["relation"], e["target"], f"{e['confidence']:g}"] for e in edges),
        )


def _probe(console: Console, result: dict[str, Any]) -> None:
    if not result["hits"]:
        _nothing(console, "Nothing known is named.")
        return
    others = ", ".join(result["supplemental_collections"])
    console.print(_plain(f"{result['strength']} evidence for {result['primary_collection']}"))
    if others:
        console.print(_plain(f"supplemental: {others}"))
    _table(
        console,
        ["phrase", "collection", "kind", "id", "similarity", "text"],
        (
            [
                hit["phrase"],
                hit["collection"],
                hit["kind"],
                hit["id"],
                f"{hit['similarity']:.2f}",
                clip(one_line(hit["text"]), TEXT),
            ]
            for hit in result["hits"]
        ),
    )


def _context(console: Console, result: dict[str, Any]) -> None:
    if result["text"]:
        console.print(Text(result["text"]), soft_wrap=True)


def _status(console: Console, result: dict[str, Any]) -> None:
    if not result["roots"]:
        _nothing(console, "No knowledge base found.")
        return
    for root in result["roots"]:
        console.print(_plain(root["collection"], "bold"), _plain(root["root"]))
        counts = ", ".join(f"{count} {kind}" for kind, count in root["counts"].items())
        console.print(_plain(counts))
        console.print(_plain(f"{len(root['problems'])} problems"))


def _stats(console: Console, result: dict[str, Any]) -> None:
    arms, operations, cache = result["arms"], result["operations"], result["probe_cache"]
    headings = ["arm", "said", "opened", "silent"]
    _table(console, headings, ([arm[name] for name in headings] for arm in arms))
    headings = ["operation", "count", "p50_ms", "p95_ms"]
    _table(console, headings, ([one[name] for name in headings] for one in operations))
    console.print(_plain(f"{cache['remembered']} of {cache['phrases']} phrases were remembered"))


def _check(console: Console, result: dict[str, Any]) -> None:
    if not result["problems"]:
        _nothing(console, "No problems.")
        return
    for problem in result["problems"]:
        place = f"{problem['path']}:{problem['line']}:{problem['column']}"
        field = f"{problem['field']}: " if problem["field"] else ""
        console.print(
            _plain(place, "bold"),
            _plain(problem["severity"], "red" if problem["severity"] == "error" else "yellow"),
            _plain(field + problem["message"]),
            soft_wrap=True,
        )


RENDERERS: dict[str, Callable[[Console, dict[str, Any]], None]] = {
    "experts": _experts,
    "stats": _stats,
    "salience": _salience,
    "search": _search,
    "entity": _entity,
    "claim": _claim,
    "probe": _probe,
    "context": _context,
    "status": _status,
    "check": _check,
}
