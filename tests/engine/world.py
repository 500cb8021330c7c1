"""A knowledge base with every kind of file and scope, questions to it, and how it changes."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from vouch_sidecar.engine import Engine
from vouch_sidecar.operations import InvalidParamsError

from tests.engine.bases import ask, write
from tests.kb.samples import claim, dump, entity, make_kb, page

Files = dict[str, bytes]
"""Path below `.vouch/`, and bytes."""
Ask = Callable[..., dict[str, Any]]
"""Operation and params to result."""

WORDS = (
    "keys rotate every week the relay queue limits tokens of service accounts before a deploy "
    "expire sessions audit trail restart worker shards index cache metrics drain retry budget"
).split()
NAMES = {
    "Key Vault": "vault",
    "Relay 3x": "relay",
    "JWT": "JSON Web Token",
    "rate limiter": "RateLimiter",
    "Ada Lovelace": "Lovelace",
    "Redis": "redis cache",
}
"""The names of entities, each with its alias."""
SCOPES: list[dict[str, str]] = [
    *[{"visibility": "project"}] * 3,
    {"visibility": "private", "agent": "ada"},
    {"visibility": "project", "project": "courier"},
]
VIEWERS: tuple[dict[str, str], ...] = ({}, {"agent": "ada", "project": "courier"})
TOPICS = ("key vault", "rotate keys", "JSON Web Token expire", "Lovelace audit")
TEXTS = (
    "Does the Key Vault rotate keys every week?",
    "What limits the queue of Relay 3x before a deploy?",
    "sessions expire and the worker drains its shards",
)
PASSING = frozenset({"generation", "probe_time_ms", "from_cache", "session_id", "indexed_at"})
SOURCES = [hashlib.sha256(b"%d" % number).hexdigest() for number in range(4)]


def files(claims: int = 60, seed: int = 7) -> Files:
    """Some of every kind."""
    rng = random.Random(seed)
    made = {f"entities/e{i}.yaml": _entity(i) for i in range(len(NAMES))}
    made |= {f"claims/c{i:03}.yaml": _claim(rng, f"c{i:03}", claims) for i in range(claims)}
    made |= {f"pages/p{i}.md": _page(rng, i, claims) for i in range(6)}
    for i, source in enumerate(SOURCES):
        meta = {"id": source, "locator": f"docs/{i}.md", "title": f"Notes on {[*NAMES][i]}"}
        made[f"sources/{source}/meta.yaml"] = dump(meta | {"scope": SCOPES[i]})
        quote = {"id": f"v{i}", "source_id": source, "locator": f"L{i}", "quote": "Keys rotate."}
        made[f"evidence/v{i}.yaml"] = dump(quote)
        ends = {"source": f"e{i}", "relation": "depends_on", "target": f"c{i:03}"}
        made[f"relations/r{i}.yaml"] = dump({"id": f"r{i}", **ends})
    made["sessions/s1.yaml"] = dump({"id": "s1", "agent": "ada"})
    made["config.yaml"] = dump({"kb": {"name": "ops"}})
    return made


def changed(before: Files, seed: int) -> dict[str, bytes | None]:
    """Some files as they are written next; None: removed."""
    rng = random.Random(seed)
    claims = [path for path in before if path.startswith("claims/")]
    out: dict[str, bytes | None] = {}
    for path in rng.sample(claims, min(6, len(claims))):
        out[path] = _claim(rng, Path(path).stem, len(claims), tag=f"again{seed}")
    out |= dict.fromkeys(rng.sample(claims, min(3, len(claims))))
    out[f"claims/new{seed}.yaml"] = _claim(rng, f"new{seed}", len(claims))
    number = rng.randrange(len(NAMES))
    out[f"entities/e{number}.yaml"] = _entity(number, f"alias{seed}")
    out[f"pages/p{rng.randrange(6)}.md"] = None
    source = f"sources/{SOURCES[1]}/meta.yaml"
    out[source] = None if source in before else files()[source]
    return out


def take(before: Files, change: Mapping[str, bytes | None]) -> Files:
    """The files after a change."""
    after: dict[str, bytes | None] = {**before, **change}
    return {path: data for path, data in after.items() if data is not None}


def lay(root: Path, change: Mapping[str, bytes | None]) -> Path:
    """Have a knowledge base hold these files, and no more those that are removed."""
    if not (root / ".vouch").exists():
        make_kb(root)
    for path, data in change.items():
        if data is None:
            (root / ".vouch" / path).unlink(missing_ok=True)
        else:
            write(root, path, data)
    return root


def questions() -> Iterator[tuple[str, dict[str, Any]]]:
    """Operations and params; each session is new."""
    for who, viewer in enumerate(VIEWERS):
        for topic in TOPICS:
            for weight in ("count", "citation"):  # whose scores depend on no time
                yield "experts", {"topic": topic, "weight": weight, "limit": 50, "viewer": viewer}
            yield "search", {"query": topic, "limit": 50, "viewer": viewer}
        for number, text in enumerate(TEXTS):
            session = f"{who}.{number}"
            yield "probe", {"text": text, "viewer": viewer}
            yield "context", {"task": text, "viewer": viewer, "session_id": session}
            yield "salience", {"session_id": session, "top_k": 20, "viewer": viewer}
            yield "session_end", {"session_id": session}
        for number in range(len(NAMES)):
            yield "entity", {"id": f"e{number}", "viewer": viewer}
        yield "claim", {"id": "c000", "viewer": viewer}


def answers(asking: Ask, root: Path) -> dict[str, str]:
    """By question what is said: all that has to be the same after a restart."""
    found = {}
    for operation, params in questions():
        said = json.dumps(_lasting(asking(operation, **params)), sort_keys=True)
        found[f"{operation} {params}"] = said.replace(str(root), "ROOT")
    return found


def said_by(engine: Engine) -> dict[str, str]:
    """The same of an engine with one knowledge base."""

    def asking(operation: str, **params: Any) -> dict[str, Any]:
        try:
            return ask(engine, operation, **params)
        except InvalidParamsError as error:
            return {"error": str(error)}

    (root,) = engine.collections
    return answers(asking, root)


def _lasting(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _lasting(v) for k, v in value.items() if k not in PASSING}
    if isinstance(value, list):  # what is pending comes when it comes
        return [_lasting(item) for item in value if item != "workspace_pending"]
    return value


def _claim(rng: random.Random, claim_id: str, claims: int, tag: str = "ops") -> bytes:
    names = rng.choices([*NAMES, *NAMES.values()], k=rng.randrange(3))
    text = " ".join([*rng.choices(WORDS, k=6), *names]).capitalize()
    return claim(
        claim_id,
        text=f"{text}.",
        status=rng.choice(["working", "stable", "stable", "contested", "superseded"]),
        confidence=rng.choice([0.3, 0.7, 0.9]),
        evidence=rng.sample([*SOURCES[:2], "v0", "v1", "v2"], rng.randrange(1, 4)),
        entities=[f"e{rng.randrange(9)}" for _ in range(rng.randrange(3))],
        tags=[tag],
        scope=rng.choice(SCOPES),
        updated_at=f"2026-01-{rng.randrange(1, 28):02}T08:00:00+00:00",
        contradicts=[f"c{rng.randrange(claims):03}"],
    )


def _entity(number: int, *more: str) -> bytes:
    name = [*NAMES][number]
    kind = "person" if "Ada" in name else "system"
    return entity(f"e{number}", name=name, type=kind, aliases=[NAMES[name], *more])


def _page(rng: random.Random, number: int, claims: int) -> bytes:
    parts = [f"# Part {i}\n\n{' '.join(rng.choices(WORDS, k=8))}\n" for i in range(3)]
    return page(
        "\n".join(parts),
        id=f"p{number}",
        title=f"Handbook {number} of the {rng.choice([*NAMES])}",
        claims=[f"c{rng.randrange(claims):03}" for _ in range(4)],
        entities=[f"e{rng.randrange(7)}"],
        scope=rng.choice(SCOPES),
    )
