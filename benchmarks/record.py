"""Whether two versions answer the same: `python -m benchmarks.record REF [OTHER]`.

The programs of two commits, or of one and of the working tree, are asked over JSONL about the
example and a generated knowledge base of 10,000 claims, at a fixed time, with an empty cache and
once more after a restart. Answers that differ are printed by operation; exit code 1 where any does.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from benchmarks.client import ROOT, unpacked
from benchmarks.generate import MEDIUM, generated

WRITTEN, NOW = 1_790_812_800, 1_793_491_200
"""When every file was last changed, and what the clock of every program shows."""
PROGRAM = f"""
import sys, time
time.time = lambda: {NOW}.0  # before anything takes the clock for a default argument
sys.path.insert(0, sys.argv.pop(1))
from vouch_sidecar.surfaces.entry import main
main()
"""
EACH = 150
"""Topics, prompts, claims and entities that are asked about."""
VIEWERS: list[dict[str, Any]] = [{}, {}, {"agent": "reviewer", "project": "elsewhere"}]
PHRASINGS = (
    "Why does {name} {a} the {b} twice?",
    "Who knows about {name} and {b}?",
    "In `{name}.{a}()` the {b} is wrong; see {a}_{b}.py.\n\nThen test it.",
)
ODD = (
    *("", "the of and", "status", 'what about "jwt', "a AND b OR", "http://example.org/a?b=c"),
    *("認証", "令牌", "C++", "node.js", "rate_limiter", "rateLimiters", "okafor's", "ISTANBUL"),
    *("😀", "a\u200bb", "x" * 300, "zanzibar", "-not (closed"),
)
IGNORED = frozenset(
    "generation indexed_at version watcher session_id probe_time_ms from_cache degraded".split()
)
"""Fields of an answer that differ between two runs of the same program: times, cache counts, who
watches, what was still being read, the id of a session that a connection made up.
"""
WIDTH, PLACES, MOST = 100, 6, 5
"""Characters of a place, places of an answer, and answers of an operation that are printed."""
Question = tuple[str, dict[str, Any]]
"""An operation with its params."""


def recorded(tree: Path) -> Iterator[tuple[str, Question, object]]:
    """What the program of a tree answers: where it was asked, the question and the answer."""
    with TemporaryDirectory(prefix="vouch-record-") as name:
        for source in (ROOT / "examples" / "courier", generated(MEDIUM)):
            root = Path(name) / source.name
            shutil.copytree(source / ".vouch", root / ".vouch")
            for path in root.rglob("*"):
                os.utime(path, (WRITTEN, WRITTEN))
            for phase in ("cold", "restarted"):
                for question, answer in _answered(tree, root):
                    where = f"{root.name}, {phase}"
                    yield where, question, json.loads(json.dumps(answer).replace(name, ""))


def _answered(tree: Path, root: Path) -> Iterator[tuple[Question, object]]:
    """What the program of a tree answers about the knowledge base in a folder, once it has read
    it.
    """
    others = {k: v for k, v in os.environ.items() if not k.startswith(("VOUCH_", "XDG_"))}
    own = dict.fromkeys(("HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"), str(root.parent))
    env = others | own | {"VOUCH_SIDECAR_RECALL_TIMEOUT_MS": "10000"}
    command = [sys.executable, "-P", "-c", PROGRAM, str(tree / "sidecar"), "jsonl"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, cwd=root, env=env) as process:
        source, sink = process.stdin, process.stdout
        assert source is not None
        assert sink is not None

        def ask(op: str, params: dict[str, Any]) -> Any:
            request = {"id": 0, "method": f"kb.{op}", "params": params}
            source.write(json.dumps(request).encode() + b"\n")
            source.flush()
            answer = json.loads(sink.readline())
            return answer["result"] if answer["ok"] else {"error": answer["error"]}

        while ask("experts", {"topic": "x"}).get("complete") is False:
            continue
        for question in questions(root):
            yield question, ask(*question)
        source.close()  # it serves until its input ends


def questions(root: Path) -> Iterator[Question]:
    """What is asked about the knowledge base in a folder: drawn from its own words, the same for
    the same files.
    """
    rng = random.Random(7)
    claims, entities = _read(root, "claims"), _read(root, "entities")
    names, texts = [one["name"] for one in entities], [one["text"] for one in claims]
    words = sorted({word for text in texts for word in text.split() if word.isalpha()})

    def phrase() -> str:
        a, b = rng.sample(words, 2)
        return rng.choice(PHRASINGS).format(name=rng.choice(names), a=a, b=b)

    for text in (*ODD, *(phrase() for _ in range(EACH)), *rng.choices(texts, k=EACH)):
        for op, field in (("probe", "text"), ("context", "task"), ("search", "query")):
            yield op, {field: text, "viewer": rng.choice(VIEWERS)}
        yield "explain", {"text": text}
    for topic in (*ODD, *rng.choices(names, k=EACH // 2), *rng.choices(words, k=EACH // 2)):
        for weight in ("count", "recency", "citation", "evidence"):
            params = {"topic": topic, "weight": weight, "explain": True}
            yield "experts", {**params, "viewer": rng.choice(VIEWERS)}
    for op, records in (("claim", claims), ("entity", entities)):
        ids = [str(one["id"]) for one in rng.sample(records, min(EACH, len(records)))]
        yield from ((op, {"id": one, "viewer": rng.choice(VIEWERS)}) for one in (*ids, "nobody"))
    for number in range(EACH // 5):
        named = {"session_id": f"session-{number}"}
        yield from (("probe", {**named, "text": phrase()}) for _ in range(3))
        yield "salience", named
        yield "context", {**named, "repeat": False}
        yield "session_end", named
    yield from ((op, {}) for op in ("status", "capabilities", "nothing"))


def _read(root: Path, folder: str) -> list[dict[str, Any]]:
    paths = sorted((root / ".vouch" / folder).glob("*.yaml"))
    return [yaml.load(path.read_bytes(), yaml.CSafeLoader) for path in paths]


def compare(before: Path, after: Path) -> int:
    """Print by operation what two trees answer differently; how many answers that are."""
    found = defaultdict[str, list[str]](list)
    for (where, question, old), (_, _, new) in zip(recorded(before), recorded(after), strict=True):
        was, now = dict(_places("", old)), dict(_places("", new))
        places = [place for place in was | now if was.get(place) != now.get(place)]
        if places:
            lines = [f"{p}: {was.get(p, ''):.{WIDTH}} -> {now.get(p, ''):.{WIDTH}}" for p in places]
            asked = f"  {where}: {json.dumps(question[1]):.{WIDTH}}"
            found[question[0]].append("\n    ".join((asked, *lines[:PLACES])))
    for op, differing in sorted(found.items()):
        print(f"{op}: {len(differing)} answers differ", *differing[:MOST], sep="\n")
    return sum(map(len, found.values()))


def _places(path: str, answer: object) -> Iterator[tuple[str, str]]:
    """The values of an answer by their places. Sums of the same parts in another order are the
    same.
    """
    if isinstance(answer, dict) and answer:
        for name in answer.keys() - IGNORED:
            yield from _places(f"{path}.{name}", answer[name])
    elif isinstance(answer, list) and answer:
        for number, one in enumerate(answer):
            yield from _places(f"{path}[{number}]", one)
    else:
        yield path, repr(round(answer, 8) if isinstance(answer, float) else answer)


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m benchmarks.record", description=__doc__)
    options.add_argument("ref", metavar="REF", help="a commit")
    options.add_argument("other", metavar="OTHER", nargs="?", help="another; else what is here")
    given = options.parse_args()
    with TemporaryDirectory(prefix="vouch-tree-") as name:
        before, after = (Path(name) / side for side in ("before", "after"))
        unpacked(given.ref, before)
        unpacked(given.other, after)
        count = compare(before, after)
    print(f"{count} answers differ" if count else "no answer differs")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
