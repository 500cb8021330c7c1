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
NAMES = ("Key Vault", "Relay 3x", "JWT", "rate limiter", "Ada Lovelace", "Grace Hopper", "Redis")
ALIASES = ("vault", "relay", "JSON Web Token", "RateLimiter", "Lovelace", "Hopper", "redis cache")
SCOPES: list[dict[str, object]] = [
    {"visibility": "project"},
    {"visibility": "project"},
    {"visibility": "team"},
    {"visibility": "private", "agent": "ada"},
    {"visibility": "project", "project": "courier"},
]
VIEWERS: tuple[dict[str, str], ...] = ({}, {"agent": "ada"}, {"agent": "ada", "project": "courier"})
TOPICS = ("key vault", "rotate keys", "JSON Web Token expire", "relay 3x queue", "Lovelace audit")
TEXTS = (
    "Does the Key Vault rotate keys every week?",
    "What limits the queue of Relay 3x before a deploy?",
    "sessions expire and the worker drains its shards",
)
WEIGHTS = ("count", "citation")
"""Those whose scores do not depend on when they are asked for."""
ODD = {
    "claims/elsewhere.yaml",
    "claims/rival.yaml",
    "claims/rival2.yaml",
    "claims/rivals.yaml",
    "entities/other.yaml",
    "entities/warned.yaml",
}
"""Files that are not named like what they hold, of which one of several counts, or that draw a
warning.
"""
PASSING = frozenset({"generation", "probe_time_ms", "from_cache", "session_id", "indexed_at"})


def files(claims: int = 60, seed: int = 7) -> Files:
    """Some of every kind."""
    rng = random.Random(seed)
    made = {f"entities/e{i}.yaml": _entity(i) for i in range(len(NAMES))}
    made |= {f"claims/c{i:03}.yaml": _claim(rng, f"c{i:03}", claims) for i in range(claims)}
    made |= {f"pages/p{i}.md": _page(rng, i, claims) for i in range(6)}
    made |= {f"sources/{_sha(i)}/meta.yaml": _source(i) for i in range(4)}
    made |= {f"evidence/v{i}.yaml": _evidence(i) for i in range(4)}
    made |= {f"relations/r{i}.yaml": _relation(rng, i, claims) for i in range(8)}
    made |= _odd_ones(rng, claims)
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
    for path in rng.sample(claims, min(3, len(claims))):
        out[path] = None
    out[f"claims/new{seed}.yaml"] = _claim(rng, f"new{seed}", len(claims))
    number = rng.randrange(len(NAMES))
    out[f"entities/e{number}.yaml"] = _entity(number, alias=f"alias{seed}")
    out[f"pages/p{rng.randrange(6)}.md"] = None
    odd = _odd_ones(rng, len(claims))
    for path in rng.sample(sorted(odd), 3):
        out[path] = None if path in before else odd[path]
    source = f"sources/{_sha(1)}/meta.yaml"
    out[source] = None if source in before else _source(1)
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


# Questions


def questions() -> Iterator[tuple[str, dict[str, Any]]]:
    """Operations and params; each session is new."""
    for who, viewer in enumerate(VIEWERS):
        for topic in TOPICS:
            for weight in WEIGHTS:
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


# Files


def _claim(rng: random.Random, claim_id: str, claims: int, tag: str = "ops") -> bytes:
    names = rng.choices(NAMES + ALIASES, k=rng.randrange(3))
    text = " ".join([*rng.choices(WORDS, k=6), *names]).capitalize()
    day = f"2026-{rng.randrange(1, 10):02}-{rng.randrange(1, 28):02}T08:00:00+00:00"
    return claim(
        claim_id,
        text=f"{text}.",
        status=rng.choice(["working", "stable", "stable", "contested", "superseded"]),
        confidence=rng.choice([0.3, 0.7, 0.9]),
        evidence=rng.sample([_sha(0), _sha(1), "v0", "v1", "v2"], rng.randrange(1, 4)),
        entities=[f"e{rng.randrange(9)}" for _ in range(rng.randrange(3))],
        tags=[tag],
        scope=rng.choice(SCOPES),
        updated_at=day,
        contradicts=[f"c{rng.randrange(claims):03}"],
    )


def _odd_ones(rng: random.Random, claims: int) -> Files:
    made = [
        _claim(rng, "here", claims),
        _claim(rng, "rivals", claims),
        _claim(rng, "rivals", claims),
        _claim(rng, "rivals", claims),
        entity("another", name="Drain Budget", type="system"),
        entity("warned", name="Audit Trail", type="gizmo"),
    ]
    return dict(zip(sorted(ODD), made, strict=True))


def _entity(number: int, **more: str) -> bytes:
    aliases = [ALIASES[number], *more.values()]
    kind = "person" if " L" in NAMES[number] or " H" in NAMES[number] else "system"
    return entity(f"e{number}", name=NAMES[number], type=kind, aliases=aliases)


def _page(rng: random.Random, number: int, claims: int) -> bytes:
    parts = [f"# Part {i}\n\n{' '.join(rng.choices(WORDS, k=8))}\n" for i in range(3)]
    return page(
        "\n".join(parts),
        id=f"p{number}",
        title=f"Handbook {number} of the {NAMES[number]}",
        claims=[f"c{rng.randrange(claims):03}" for _ in range(4)],
        entities=[f"e{rng.randrange(7)}"],
        scope=rng.choice(SCOPES),
    )


def _source(number: int) -> bytes:
    scope = SCOPES[3] if number == 3 else SCOPES[0]
    locator, title = f"docs/{number}.md", f"Notes on the {NAMES[number]}"
    return dump({"id": _sha(number), "locator": locator, "title": title, "scope": scope})


def _evidence(number: int) -> bytes:
    where = {"source_id": _sha(number), "locator": f"L{number}"}
    return dump({"id": f"v{number}", **where, "quote": "Keys rotate."})


def _relation(rng: random.Random, number: int, claims: int) -> bytes:
    ends = [f"e{rng.randrange(8)}", f"c{rng.randrange(claims):03}"]
    return dump(
        {"id": f"r{number}", "source": ends[0], "relation": "depends_on", "target": ends[1]}
    )


def _sha(number: int) -> str:
    return hashlib.sha256(f"{number}".encode()).hexdigest()
