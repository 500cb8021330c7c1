"""Results in a few readable lines. Everything else stands in the structured content."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from vouch_sidecar.surfaces.plain import clip, found_text, one_line

__all__ = ["readable"]

Result = dict[str, Any]
ROWS = 10
CLAIMS = 5
TEXT = 300


def readable(operation: str, result: Result) -> str:
    """The gist of a result. Names and texts of the knowledge base never leave their line."""
    shown = _SHOWN.get(operation)
    if shown is None:
        return json.dumps(result, ensure_ascii=False, separators=(",", ":"))
    lines = shown(result)
    if result["degraded"]:
        lines = [*lines, f"(without all of it: {', '.join(result['degraded'])})"]
    return "\n".join(lines)


def _experts(result: Result) -> list[str]:
    rows = [
        f"{_name(row)}: {_count(row['claim_count'], 'claim')}, "
        f"{_count(row['citation_count'], 'citation')}, score {row['score']:g}; "
        f"top claims {', '.join(map(one_line, row['top_claim_ids']))}"
        for row in result["experts"]
    ]
    return _rows(rows, "No entity carries evidence on this topic.")


def _salience(result: Result) -> list[str]:
    rows = [
        f"{_name(row)}: {row['score']:.2f}, {one_line(row['why'])}" for row in result["salience"]
    ]
    return _rows(rows, "Nothing known is in play.")


def _probe(result: Result) -> list[str]:
    rows = [
        f"{one_line(hit['phrase'])} ({hit['similarity']:.2f}) → {hit['kind']} "
        f"{one_line(hit['id'])}: {_clipped(hit['text'])}"
        for hit in result["hits"]
    ]
    if not rows:
        return ["Nothing known is named."]
    primary = one_line(result["primary_collection"] or "none")
    return [f"Primary: {primary}; evidence: {result['strength']}", *_rows(rows, "")]


def _context(result: Result) -> list[str]:
    return [result["text"]] if result["text"] else []


def _search(result: Result) -> list[str]:
    rows = [
        f"{hit['kind']} {one_line(hit['id'])}: {_clipped(found_text(hit))}"
        for hit in result["hits"]
    ]
    return _rows(rows, "Nothing found.")


def _entity(result: Result) -> list[str]:
    entity = result["entity"]
    head = f"{one_line(entity['name'])} ({one_line(entity['type'])}, {one_line(entity['id'])})"
    about = _clipped(entity["description"]) if entity["description"] else ""
    claims = [_claim_line(claim) for claim in result["claims"][:CLAIMS]]
    count = result["claim_count"]
    pages = ", ".join(one_line(page["title"]) for page in result["pages"])
    return [
        head + (f": {about}" if about else ""),
        _count(count, "live claim") + (f", the {CLAIMS} newest" if count > CLAIMS else ""),
        *claims,
        *([f"pages: {pages}"] if pages else []),
    ]


def _claim(result: Result) -> list[str]:
    claim = result["claim"]
    sources = dict.fromkeys(one_line(c["title"] or c["id"]) for c in claim["citations"])
    return [_claim_line(claim, whole=True), f"sources: {', '.join(sources) or 'none'}"]


def _claim_line(claim: dict[str, Any], whole: bool = False) -> str:
    text = one_line(claim["text"]) if whole else _clipped(claim["text"])
    facts = [one_line(claim["status"]), f"confidence {claim['confidence']:g}"]
    facts += [claim["date"][:10]] if claim["date"] else []
    return f"{one_line(claim['id'])}: {text} ({', '.join(facts)})"


def _status(result: Result) -> list[str]:
    rows = [
        f"{one_line(root['collection'])} at {one_line(root['root'])}: "
        f"{_count(root['counts']['claims'], 'claim')}, "
        f"{_plural(root['counts']['entities'], 'entity', 'entities')}, "
        f"{_count(len(root['problems']), 'problem')}"
        for root in result["roots"]
    ]
    return _rows(rows, "No knowledge base here.")


def _session_end(_: Result) -> list[str]:
    return ["The session's window is dropped."]


_SHOWN: dict[str, Callable[[Result], list[str]]] = {
    "experts": _experts,
    "salience": _salience,
    "probe": _probe,
    "context": _context,
    "search": _search,
    "entity": _entity,
    "claim": _claim,
    "status": _status,
    "session_end": _session_end,
}


def _rows(rows: Sequence[str], nothing: str) -> list[str]:
    more = [f"and {len(rows) - ROWS} more"] if len(rows) > ROWS else []
    return [*rows[:ROWS], *more] if rows else [nothing]


def _name(row: dict[str, Any]) -> str:
    return f"{one_line(row['name'])} ({one_line(row['entity_id'])})"


def _clipped(text: str) -> str:
    return clip(one_line(text), TEXT)


def _count(number: int, noun: str) -> str:
    return _plural(number, noun, noun + "s")


def _plural(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
