"""Results of operations for people: tables, in colour on a terminal."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from rich.console import Console
from rich.text import Text

from vouch_sidecar.surfaces.plain import clip, found_text, one_line, with_field
from vouch_sidecar.surfaces.table import TEXT, Column, Row, on_terminal, show

__all__ = ["render"]

ID = "bold"
HASH = re.compile(r"[0-9a-f]{64}")
SHORT_HASH = 12
COLLECTION = Column("collection", whole=True)
SINGULAR = {"entities": "entity", "live claims": "live claim"}


def render(name: str, result: dict[str, Any]) -> None:
    """Print the result of the operation `name`, or of `check`."""
    RENDERERS[name](Console(highlight=False), result)


def _print(console: Console, *parts: Text) -> None:
    """A line. On a terminal it breaks at words, elsewhere not at all."""
    console.print(*parts, soft_wrap=not on_terminal())


def _plain(value: object, style: str = "") -> Text:
    """A value as it is: whatever it holds, it is neither markup nor a control sequence."""
    return Text("" if value is None else one_line(str(value)), style=style)


def _nothing(console: Console, message: str) -> None:
    console.print(Text(message, style="dim"))


def _id(artifact_id: str) -> str:
    """An id; a hash, which nobody reads, is cut on a terminal, as git does."""
    return (
        artifact_id[:SHORT_HASH] if on_terminal() and HASH.fullmatch(artifact_id) else artifact_id
    )


def _number(count: int, what: str) -> str:
    """`1 claim`, `2 claims`."""
    return f"{count} {SINGULAR.get(what, what.removesuffix('s')) if count == 1 else what}"


def _experts(console: Console, result: dict[str, Any]) -> None:
    rows = result["experts"]
    if not rows:
        _nothing(console, "No entity carries evidence on this topic.")
        return
    several = any("collection" in row for row in rows)
    columns = [
        Column("entity", whole=True, style=ID),
        Column("name", leave=1),
        Column("type", leave=2),
        Column("claims", number=True),
        Column("citations", leave=3, number=True),
        Column("score", number=True),
        *([COLLECTION] if several else []),
    ]
    show(console, columns, (_expert(row, several) for row in rows), "top claims", ids=True)
    for row in rows:
        if "explain" in row:
            _explain(console, row)


def _expert(row: dict[str, Any], several: bool) -> Row:
    values = [
        row["entity_id"],
        row["name"],
        row["type"],
        row["claim_count"],
        row["citation_count"],
        f"{row['score']:g}",
    ]
    collection = [row["collection"]] if several else []
    return Row([*values, *collection], ", ".join(map(one_line, row["top_claim_ids"])))


def _explain(console: Console, row: dict[str, Any]) -> None:
    """The arithmetic of one row."""
    explain = row["explain"]
    factors = ", ".join(f"{name} {value:g}" for name, value in explain["factors"].items())
    console.print()
    _print(console, _plain(f"{row['name']}: {row['score']:g} = {explain['formula']}", ID))
    _print(console, _plain(factors))
    for claim in explain["claims"]:
        why = f"matched by {claim['arm']}, {claim['link']}"
        console.print(
            _plain(f"{claim['contribution']:g}  {claim['claim_id']} ({why})"), soft_wrap=True
        )


def _salience(console: Console, result: dict[str, Any]) -> None:
    if not result["salience"]:
        _nothing(console, "Nothing known is in play.")
        return
    columns = [
        Column("entity", whole=True, style=ID),
        Column("name", leave=1),
        Column("type", leave=3),
        Column("score", number=True),
        Column("claims", leave=2, number=True),
        Column("top claim", whole=True),
    ]
    names = ("entity_id", "name", "type", "score", "claim_count", "top_claim_id")
    rows = ({**row, "score": f"{row['score']:.2f}"} for row in result["salience"])
    show(console, columns, (Row([row[n] for n in names], row["why"]) for row in rows), "why")


def _search(console: Console, result: dict[str, Any]) -> None:
    hits = result["hits"]
    if not hits:
        _nothing(console, "Nothing found.")
        return
    several = len({hit["collection"] for hit in hits}) > 1
    columns = [Column("kind"), Column("id", whole=True, style=ID), *([COLLECTION] * several)]
    rows = (
        Row([hit["kind"], _id(hit["id"]), *([hit["collection"]] * several)], found_text(hit))
        for hit in hits
    )
    show(console, columns, rows, "text")


def _entity(console: Console, result: dict[str, Any]) -> None:
    entity = result["entity"]
    _print(console, _plain(entity["name"], ID), _plain(f"{entity['type']} · {entity['id']}"))
    if entity["aliases"]:
        _print(console, _plain(clip("also " + ", ".join(entity["aliases"]), TEXT)))
    if entity["description"]:
        _print(console, _plain(clip(entity["description"], TEXT)))
    if result["claims"]:
        console.print()
        _print(console, _plain(_live(result["claim_count"], len(result["claims"]))))
        console.print()
        _claims(console, result["claims"])
    _around(console, result)


def _live(count: int, shown: int) -> str:
    live = _number(count, "live claims")
    order = f", the {shown} newest" if shown < count else ", the newest first" if count > 1 else ""
    return live + order


def _claims(console: Console, claims: Iterable[dict[str, Any]]) -> None:
    columns = [
        Column("claim", whole=True, style=ID),
        Column("status", leave=1),
        Column("confidence", leave=2, number=True),
        Column("date", leave=3),
    ]
    rows = (
        Row(
            [claim["id"], claim["status"], f"{claim['confidence']:g}", (claim["date"] or "")[:10]],
            claim["text"],
        )
        for claim in claims
    )
    show(console, columns, rows, "text")


def _claim(console: Console, result: dict[str, Any]) -> None:
    claim = result["claim"]
    _print(console, _plain(claim["text"], ID))
    facts = [claim["id"], claim["type"], claim["status"], f"confidence {claim['confidence']:g}"]
    _print(console, _plain(" · ".join([*facts, *([claim["date"][:10]] if claim["date"] else [])])))
    for name in ("linked_entities", "tags", "contradicts"):
        if claim[name]:
            _print(console, _plain(f"{name.replace('_', ' ')}: {', '.join(claim[name])}"))
    if claim["citations"]:
        console.print()
        columns = [Column("citation", whole=True, style=ID), Column("kind", leave=1)]
        columns.append(Column("place", whole=True))
        rows = (
            Row([_id(one["id"]), one["kind"], one["locator"]], _cited(one))
            for one in claim["citations"]
        )
        show(console, columns, rows, "title and quote")
    _around(console, result)


def _cited(citation: dict[str, Any]) -> str:
    parts = [citation["title"], f"“{citation['quote']}”" if citation["quote"] else None]
    return " · ".join(part for part in parts if part)


def _around(console: Console, result: dict[str, Any]) -> None:
    if result["pages"]:
        console.print()
        columns = [Column("page", whole=True, style=ID), Column("title"), Column("status", leave=1)]
        show(console, columns, (Row([p["id"], p["title"], p["status"]]) for p in result["pages"]))
    if result["relations"]:
        console.print()
        columns = [Column("from", whole=True, style=ID), Column("relation")]
        columns += [Column("to", whole=True, style=ID), Column("confidence", leave=1, number=True)]
        rows = (
            Row([edge["source"], edge["relation"], edge["target"], f"{edge['confidence']:g}"])
            for edge in result["relations"]
        )
        show(console, columns, rows)


def _probe(console: Console, result: dict[str, Any]) -> None:
    hits, others = result["hits"], result["supplemental_collections"]
    if not hits:
        _nothing(console, "Nothing known is named.")
        return
    _print(console, _plain(f"{result['strength']} evidence for {result['primary_collection']}"))
    if others:
        _print(console, _plain(f"supplemental: {', '.join(others)}"))
    console.print()
    columns = [Column("phrase"), Column("similarity", leave=1, number=True), Column("kind")]
    columns += [Column("id", whole=True, style=ID), *([COLLECTION] if others else [])]
    rows = (
        Row(
            [
                hit["phrase"],
                f"{hit['similarity']:.2f}",
                hit["kind"],
                _id(hit["id"]),
                *([hit["collection"]] if others else []),
            ],
            hit["text"],
        )
        for hit in hits
    )
    show(console, columns, rows, "text")


def _context(console: Console, result: dict[str, Any]) -> None:
    if result["text"]:
        console.print(Text(result["text"]), soft_wrap=True)


def _status(console: Console, result: dict[str, Any]) -> None:
    if not result["roots"]:
        _nothing(console, "No knowledge base found.")
        return
    for root in result["roots"]:
        _print(console, _plain(root["collection"], ID), _plain(root["root"]))
        counts = (_number(count, kind) for kind, count in root["counts"].items())
        _print(console, _plain(", ".join(counts)))
        _print(console, _plain(_number(len(root["problems"]), "problems")))


def _stats(console: Console, result: dict[str, Any]) -> None:
    arms, operations, cache = result["arms"], result["operations"], result["probe_cache"]
    for label, names, found in (
        ("arm", ("said", "opened", "silent"), arms),
        ("operation", ("count", "p50_ms", "p95_ms"), operations),
    ):
        columns = [Column(label, style=ID), *(Column(name, number=True) for name in names)]
        show(console, columns, (Row([one[label], *(one[n] for n in names)]) for one in found))
        console.print()
    remembered = f"{cache['remembered']} of {_number(cache['phrases'], 'phrases')}"
    _print(console, _plain(f"{remembered} remembered"))


def _check(console: Console, result: dict[str, Any]) -> None:
    if not result["problems"]:
        _nothing(console, "No problems.")
        return
    for problem in result["problems"]:
        path = problem["path"]
        place = f"{path}:{problem['line']}:{problem['column']}" if path else "settings"
        console.print(
            _plain(place, "bold"),
            _plain(problem["severity"], "red" if problem["severity"] == "error" else "yellow"),
            _plain(with_field(problem["field"], problem["message"])),
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
