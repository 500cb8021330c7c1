"""What is asked of a knowledge base: drawn from its own words, the same for the same files."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

EACH = 150
"""Topics, prompts, claims and entities that are asked about."""
VIEWERS: tuple[dict[str, Any], ...] = (
    *[{}] * 3,
    {"viewer": {"agent": "reviewer"}},
    {"viewer": {"agent": "auditor", "project": "elsewhere"}},
)
PHRASINGS = (
    "Why does {name} {a} the {b} twice?",
    "Who knows about {name} and {b}?",
    "{a} {b} in {name}",
    "In `{name}.{a}()` the {b} is wrong; see {a}_{b}.py.",
    "Fix {name}'s {a}\nand the {b}.\n\nThen test it.",
)
ODD = (
    *("the of and", "status", 'what about "jwt', "a AND b OR", "http://example.org/a?b=c"),
    *("認証", "令牌", "C++", "node.js", "rate_limiter", "rateLimiters", "okafor's", "ISTANBUL"),
    *("😀", "a\u200bb", "x" * 300, "zanzibar", "-not (closed"),
)
REFUSED: tuple[tuple[str, dict[str, Any]], ...] = (
    *(("experts", {"topic": " "}), ("experts", {}), ("experts", {"topic": "x", "limit": 0})),
    *(("search", {"query": ""}), ("salience", {}), ("context", {}), ("probe", {"text": None})),
    *(("entity", {"id": "never-seen"}), ("claim", {"id": "never-seen"}), ("nothing", {})),
)


class Question(NamedTuple):
    """An operation with its params."""

    op: str
    params: dict[str, Any]


def questions(root: Path) -> Iterator[Question]:
    """Everything that is asked about the knowledge base in a folder."""
    rng = random.Random(7)
    claims, entities = _read(root, "claims"), _read(root, "entities")
    names, texts = _said(entities, "name"), _said(claims, "text")
    words = sorted({word for text in texts for word in text.split() if word.isalpha()})

    def phrase() -> str:
        a, b = rng.sample(words, 2)
        return rng.choice(PHRASINGS).format(name=rng.choice(names), a=a, b=b)

    def topic() -> str:
        return rng.choice((rng.choice(names), rng.choice(words), " ".join(rng.sample(words, 2))))

    yield from (Question(op, dict(params)) for op, params in REFUSED)
    for text in (*ODD, *(phrase() for _ in range(EACH)), *rng.choices(texts, k=EACH)):
        who = rng.choice(VIEWERS)
        for op, field in (("probe", "text"), ("context", "task"), ("search", "query")):
            yield Question(op, {field: text, **who})
        yield Question("explain", {"text": text})
    for text in (*ODD, *(topic() for _ in range(EACH))):
        for weight in ("count", "recency", "citation", "evidence"):
            params = {"topic": text, "weight": weight, "explain": True, **rng.choice(VIEWERS)}
            yield Question("experts", params)
    for op, files in (("claim", claims), ("entity", entities)):
        ids = [str(fields["id"]) for fields in rng.sample(files, min(EACH, len(files)))]
        yield from (Question(op, {"id": one, **rng.choice(VIEWERS)}) for one in ids)
    for number in range(EACH // 5):
        yield from _session(f"session-{number}", [phrase() for _ in range(rng.choice((1, 3, 6)))])
    yield from (Question(op, {}) for op in ("status", "stats", "capabilities"))


def _session(session_id: str, texts: Iterable[str]) -> Iterator[Question]:
    """What some prompts of a session make salient, and what is told of them."""
    named = {"session_id": session_id}
    for text in texts:
        yield Question("probe", {**named, "text": text})
        yield Question("salience", named)
    yield Question("context", {**named, "repeat": False})
    yield Question("session_end", named)


def _read(root: Path, folder: str) -> list[dict[str, Any]]:
    paths = sorted((root / ".vouch" / folder).glob("*.yaml"))
    return [yaml.load(path.read_bytes(), yaml.CSafeLoader) for path in paths]


def _said(files: list[dict[str, Any]], field: str) -> list[str]:
    return [fields[field] for fields in files]
