"""Record what every operation answers, or compare two recordings.

    python -m benchmarks.record REV OUT.jsonl        what the program of a commit answers
    python -m benchmarks.record --here OUT.jsonl     what that of this working tree answers
    python -m benchmarks.record --compare A B        what differs; exit code 1 where anything does

Asked over JSONL are the example and a generated knowledge base of 10,000 claims, at a fixed time,
with an empty cache and once more after a restart. Bases and questions are always those of this
working tree: two recordings that are to be compared are made with the same one.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import yaml

from benchmarks.generate import MEDIUM, generated

ROOT = Path(__file__).resolve().parents[1]
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
IGNORED = frozenset(
    "generation indexed_at version watcher session_id probe_time_ms from_cache degraded".split()
)
"""Fields of an answer that differ between two runs of the same program: times, cache counts, who
watches, what was still being read, the id of a session that a connection made up.
"""
LINES, WIDTH, MOST = 6, 100, 5
"""Places of an answer, characters of a place, and answers of an operation that are printed."""
ABSENT = "(nothing)"


class Question(NamedTuple):
    """An operation with its params."""

    op: str
    params: dict[str, Any]


Ask = Callable[[Question], dict[str, Any]]


# Asking


def record(tree: Path) -> Iterator[str]:
    """What the program of a tree answers, one JSON object a line."""
    with TemporaryDirectory(prefix="vouch-record-") as name:
        for source in (ROOT / "examples" / "courier", generated(MEDIUM)):
            root = Path(name) / source.name
            shutil.copytree(source / ".vouch", root / ".vouch")
            for path in root.rglob("*"):
                os.utime(path, (WRITTEN, WRITTEN))
            for phase in ("cold", "restarted"):
                with served(tree, root, Path(name)) as ask:
                    while ask(Question("experts", {"topic": "x"})).get("complete") is False:
                        continue
                    for one in questions(root):
                        line = {"kb": root.name, "phase": phase, **one._asdict()}
                        line["answer"] = ask(one)
                        yield json.dumps(line, ensure_ascii=False).replace(name, "")


@contextmanager
def served(tree: Path, root: Path, own: Path) -> Iterator[Ask]:
    """The program of a tree over the knowledge base in a folder, one question at a time."""
    others = {k: v for k, v in os.environ.items() if not k.startswith(("VOUCH_", "XDG_"))}
    env = others | dict.fromkeys(("HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"), str(own))
    env["VOUCH_SIDECAR_RECALL_TIMEOUT_MS"] = "10000"
    command = [sys.executable, "-P", "-c", PROGRAM, str(tree / "sidecar"), "jsonl"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, cwd=root, env=env) as process:
        source, sink = process.stdin, process.stdout
        assert source is not None
        assert sink is not None

        def ask(question: Question) -> dict[str, Any]:
            request = {"id": 0, "method": f"kb.{question.op}", "params": question.params}
            source.write(json.dumps(request).encode() + b"\n")
            source.flush()
            answer: dict[str, Any] = json.loads(sink.readline())
            return answer["result"] if answer["ok"] else {"error": answer["error"]}

        try:
            yield ask
        finally:
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
        named = {"session_id": f"session-{number}"}
        for text in [phrase() for _ in range(rng.choice((1, 3, 6)))]:
            yield Question("probe", {**named, "text": text})
            yield Question("salience", named)
        yield Question("context", {**named, "repeat": False})
        yield Question("session_end", named)
    yield from (Question(op, {}) for op in ("status", "capabilities"))


def _read(root: Path, folder: str) -> list[dict[str, Any]]:
    paths = sorted((root / ".vouch" / folder).glob("*.yaml"))
    return [yaml.load(path.read_bytes(), yaml.CSafeLoader) for path in paths]


# Comparing


def compare(first: Iterable[str], second: Iterable[str]) -> int:
    """Print the differences of two recordings by operation; how many there are."""
    before, after = _answers(first), _answers(second)
    found = defaultdict[str, list[str]](list)
    for asked in dict.fromkeys([*before, *after]):
        lines = list(_differing("", before.get(asked, ABSENT), after.get(asked, ABSENT)))
        if lines:
            kb, phase, op, params, _ = asked
            more = [f"and {len(lines) - LINES} more"] if len(lines) > LINES else []
            shown = [f"  {kb}, {phase}: {params[:WIDTH]}", *lines[:LINES], *more]
            found[op].append("\n    ".join(shown))
    for op, differing in sorted(found.items()):
        print(f"{op}: {len(differing)} answers differ", *differing[:MOST], sep="\n")
    return sum(map(len, found.values()))


def _answers(lines: Iterable[str]) -> dict[tuple[str, ...], object]:
    """The answers by what was asked, and the how manieth time."""
    found: dict[tuple[str, ...], object] = {}
    times = Counter[tuple[str, ...]]()
    for one in map(json.loads, lines):
        params = json.dumps(one["params"], sort_keys=True, ensure_ascii=False)
        asked = (one["kb"], one["phase"], one["op"], params)
        found[(*asked, str(times[asked]))] = one["answer"]
        times[asked] += 1
    return found


def _differing(path: str, first: object, second: object) -> Iterator[str]:
    """Where two answers differ: one line a place."""
    if isinstance(first, dict) and isinstance(second, dict):
        for name in sorted((first.keys() | second.keys()) - IGNORED):
            pair = (one.get(name, ABSENT) for one in (first, second))
            yield from _differing(f"{path}.{name}", *pair)
    elif isinstance(first, list) and isinstance(second, list):
        for number in range(max(len(first), len(second))):
            pair = (one[number] if number < len(one) else ABSENT for one in (first, second))
            yield from _differing(f"{path}[{number}]", *pair)
    elif not _is_same(first, second):
        signs = enumerate(zip(repr(first), repr(second), strict=False))
        same = next((at for at, (one, other) in signs if one != other), 0)
        start = max(0, same - WIDTH // 4)
        old, new = (repr(one)[start : start + WIDTH] for one in (first, second))
        yield f"{path or 'the answer'}: {old} -> {new}"


def _is_same(first: object, second: object) -> bool:
    """Sums of the same parts in another order are the same."""
    if isinstance(first, float) and isinstance(second, float):
        return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-9)
    return first == second


def main() -> int:
    """Run the command line; the exit code."""
    as_written = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=as_written)
    parser.add_argument("paths", nargs="+", metavar="REV OUT | OUT | A B")
    parser.add_argument("--here", action="store_true", help="record this working tree")
    parser.add_argument("--compare", action="store_true", help="compare two recordings")
    options = parser.parse_args()
    if len(options.paths) != (1 if options.here else 2):
        parser.error("the wrong number of arguments")
    first, out = options.paths[0], Path(options.paths[-1])
    if options.compare:
        with Path(first).open(encoding="utf-8") as one, out.open(encoding="utf-8") as other:
            count = compare(one, other)
        print(f"{count} answers differ" if count else "no answer differs")
        return 1 if count else 0
    with TemporaryDirectory(prefix="vouch-tree-") as tree, out.open("w", encoding="utf-8") as file:
        if not options.here:
            archive = ["git", "-C", ROOT, "archive", first, "sidecar"]
            packed = subprocess.run(archive, check=True, capture_output=True).stdout
            subprocess.run(["tar", "-x", "-C", tree], input=packed, check=True)
        file.writelines(f"{line}\n" for line in record(ROOT if options.here else Path(tree)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
