"""Prompts over real knowledge bases, chosen and graded by people who saw no code.

    python -m benchmarks.quality.real [FOLDER] [BASE …]

`real/BASE.jsonl` holds the prompts, as `Wanted` has them. Of one with `want`, one of these claims
must be among the first three that are said; of one without, nothing may be said. FOLDER holds the
knowledge bases that are not checked in here, each beside its checkout: `real/README.md` says how to
come by them. Prints figures by base and kind, and how many questions about other repositories are
told something (`../shared/eval/foreign.jsonl`, and the file that `FOREIGN` names). With `SHOW=1`
every prompt that went wrong is listed.
"""

from __future__ import annotations

import json
import os
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.quality.runs import AT_MOST
from benchmarks.quality.sets import Wanted
from benchmarks.quality.world import World

SETS = Path(__file__).with_name("real")
FOREIGN = Path(__file__).resolve().parents[3] / "shared" / "eval" / "foreign.jsonl"
BASES = ("twenty", "click", "chat", "pip", "documents")


def main(arguments: Sequence[str]) -> int:
    folder = Path(arguments[0]).resolve() if arguments else SETS
    for name in arguments[1:] or BASES:
        roots = [root for root in (folder / name, SETS / name) if (root / ".vouch").is_dir()]
        if not roots:
            print(f"{name}: no knowledge base in {folder}", file=sys.stderr)
            continue
        counts = _asked(World(roots[0]), name)
        print(name, "; ".join(f"{what} {sum(n)} of {len(n)}" for what, n in counts.items()))
    return 0


def _asked(world: World, name: str) -> dict[str, list[bool]]:
    """By kind of prompt and measure, of which prompts it is true."""
    counts = defaultdict[str, list[bool]](list)
    for prompt in prompts(name):
        first = _said(world, prompt.text)
        right = not set(first).isdisjoint(prompt.want)
        if prompt.want:
            counts[f"{prompt.kind} right"].append(right)
        counts[f"{prompt.kind} told, not right"].append(bool(first) and not right)
        if os.environ.get("SHOW") and right is not bool(prompt.want or first):
            print(f"  {prompt.kind}: {prompt.text!r} gave {first}, not {list(prompt.want)}")
    for path in foreign():
        for text in questions(path):
            counts[f"{path.stem} told"].append(bool(_said(world, text)))
    return counts


def _said(world: World, text: str) -> list[str]:
    return [item["id"] for item in world.ask("context", task=text)["items"]][:AT_MOST]


def prompts(name: str) -> Iterator[Wanted]:
    """The prompts over a knowledge base."""
    lines = (SETS / f"{name}.jsonl").read_text("utf-8").splitlines()
    return (Wanted.model_validate_json(line) for line in lines if line.strip())


def foreign() -> list[Path]:
    """The files with questions about other repositories."""
    paths = [FOREIGN, *map(Path, filter(None, [os.environ.get("FOREIGN")]))]
    for path in paths:
        if not path.is_file():
            print(f"missing: {path.name}", file=sys.stderr)
    return [path for path in paths if path.is_file()]


def questions(path: Path) -> Iterator[str]:
    """The texts of a file of questions, an object a line."""
    for line in path.read_text("utf-8").splitlines():
        yield json.loads(line)["question"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
