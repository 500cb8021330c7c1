"""Whether two versions answer the same: `python -m benchmarks.record REF [OTHER]`.

The language servers of two commits, or of one and of the working tree, are asked about the example
and a generated knowledge base of 10,000 claims, at a fixed time. Answers that differ are printed;
exit code 1 where any does.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml
from vouch_sidecar.retrieval.people.weights import WEIGHTS

from benchmarks.client import ROOT, Client, RefusedError, environment, unpacked
from benchmarks.generate import MEDIUM, generated, questions_of

WRITTEN, NOW = 1_790_812_800, 1_793_491_200
"""When every file was last changed, and what the clock of every program shows."""
PROGRAM = f"""
import sys, time
time.time = lambda: {NOW}.0  # before anything takes the clock for a default argument
sys.path.insert(0, sys.argv.pop(1))
from vouch_sidecar.surfaces.entry import main
main()
"""
UNHURRIED = {"VOUCH_SIDECAR_RECALL_TIMEOUT_MS": "10000"}
EACH = 50
"""Of a kind: texts, topics, claims, entities, sessions."""
VIEWERS: list[dict[str, Any]] = [{}, {}, {"agent": "reviewer", "project": "elsewhere"}]
ODD = (
    *("", "the of and", "status", 'what about "jwt', "a AND b OR", "http://example.org/a?b=c"),
    *("認証", "令牌", "C++", "node.js", "rate_limiter", "rateLimiters", "okafor's", "ISTANBUL"),
    *("😀", "a\u200bb", "x" * 300, "zanzibar", "-not (closed"),
)
IGNORED = frozenset(
    "generation indexed_at version watcher sessions probe_time_ms from_cache degraded".split()
)
"""Fields of an answer that differ between two runs of the same program: times, cache counts, who
watches, what was still being read.
"""
MOST = 5
"""Answers of an operation that are printed, and lines that differ of each, before and after."""
Question = tuple[str, dict[str, Any]]
"""An operation with its params."""


def recorded(tree: Path) -> Iterator[tuple[Question, object]]:
    """What the program of a tree answers, once it has read a knowledge base."""
    with TemporaryDirectory(prefix="v") as name:
        for source in (ROOT / "examples" / "courier", generated(MEDIUM)):
            root = Path(name) / source.name
            shutil.copytree(source / ".vouch", root / ".vouch")
            for path in root.rglob("*"):
                os.utime(path, (WRITTEN, WRITTEN))
            command = [sys.executable, "-P", "-c", PROGRAM, str(tree / "sidecar"), "lsp"]
            env = environment(Path(name)) | UNHURRIED
            with Client(env, command, root) as client:
                client.initialize(root)
                while client.request("vouch/experts", {"topic": "x"})["degraded"]:
                    continue
                for question in questions(root):
                    answer = json.dumps(_answered(client, *question)).replace(name, "")
                    yield question, json.loads(answer)


def _answered(client: Client, op: str, params: dict[str, Any]) -> object:
    try:
        return _comparable(client.request(f"vouch/{op}", params))
    except RefusedError as refused:
        return str(refused)


def _comparable(answer: object) -> object:
    """An answer without what is ignored. Sums of the same parts in another order are the same."""
    if isinstance(answer, dict):
        return {k: _comparable(v) for k, v in answer.items() if k not in IGNORED}
    if isinstance(answer, list):
        return [*map(_comparable, answer)]
    return round(answer, 8) if isinstance(answer, float) else answer


def questions(root: Path) -> Iterator[Question]:
    """What is asked about the knowledge base in a folder, the same for the same files: odd texts,
    texts and names of its own, and what is asked of the generated one.
    """
    rng, asked = random.Random(7), questions_of(generated(MEDIUM))
    claims, entities = (
        [yaml.load(path.read_bytes(), yaml.CSafeLoader) for path in sorted(folder.glob("*.yaml"))]
        for folder in (root / ".vouch" / "claims", root / ".vouch" / "entities")
    )
    texts = [one["text"] for one in rng.choices(claims, k=EACH)]
    for text in (*ODD, *texts, *asked.prompts[:EACH]):
        for op, field in (("probe", "text"), ("context", "task"), ("search", "query")):
            yield op, {field: text, "viewer": rng.choice(VIEWERS)}
        yield "explain", {"text": text}
    names = [one["name"] for one in rng.choices(entities, k=EACH)]
    for topic in (*ODD, *names, *asked.topics[::4]):
        for weight in WEIGHTS:
            params = {"topic": topic, "weight": weight, "explain": True}
            yield "experts", {**params, "viewer": rng.choice(VIEWERS)}
    for op, records in (("claim", claims), ("entity", entities)):
        for one in (*rng.choices(records, k=EACH), {"id": "nobody"}):
            yield op, {"id": str(one["id"]), "viewer": rng.choice(VIEWERS)}
    for number, window in enumerate(asked.windows[:EACH]):
        named = {"session_id": f"session-{number}"}
        yield from (("probe", {**named, "text": text}) for text in window)
        yield "salience", named
        yield "context", {**named, "repeat": False}
    yield from ((op, {}) for op in ("status", "capabilities", "nothing"))


def compare(before: Path, after: Path) -> int:
    """Print what two trees answer differently; how many answers that are."""
    found = Counter[str]()
    for (question, was), (_, now) in zip(recorded(before), recorded(after), strict=True):
        if was != now:
            found[question[0]] += 1
            if found[question[0]] <= MOST:
                one, other = (json.dumps(part, indent=1, sort_keys=True) for part in (was, now))
                diff = [*unified_diff(one.split("\n"), other.split("\n"), n=0)]
                lines = [line for line in diff[2:] if line[0] != "@"]
                print(f"{question[0]} {json.dumps(question[1]):.200}", *lines[:MOST], sep="\n  ")
    print(*(f"{op}: {count} answers differ" for op, count in found.items()), sep="\n")
    return found.total()


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m benchmarks.record", description=__doc__)
    options.add_argument("ref", metavar="REF", help="a commit")
    options.add_argument("other", metavar="OTHER", nargs="?", help="another; else what is here")
    given = options.parse_args()
    with TemporaryDirectory(prefix="vouch-tree-") as name:
        before, after = (Path(name) / side for side in ("before", "after"))
        unpacked(given.ref, before)
        unpacked(given.other, after)
        return 1 if compare(before, after) else 0


if __name__ == "__main__":
    sys.exit(main())
