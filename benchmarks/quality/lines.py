"""Prints lines as a reader gets them, for somebody to judge: is each one a whole statement?

    python -m benchmarks.quality.lines ROOT … [--number 100] [--seed 41]

Draws by lot, as many of each knowledge base, among the statements that may be said of its claims,
each once, and prints them numbered. No whole statement is a heading, a row of a table, code, a part
of a sentence, a link or a badge by itself, or an item of a list that needs the sentence above it.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from vouch_sidecar.kb.records import Claim, Kind

from benchmarks.quality.world import World, view_of


def main(arguments: Sequence[str]) -> int:
    options = argparse.ArgumentParser(prog="python -m benchmarks.quality.lines")
    options.add_argument("roots", nargs="+", type=Path)
    options.add_argument("--number", type=int, default=100)
    options.add_argument("--seed", default="41")
    asked = options.parse_args(arguments)
    chosen = random.Random(asked.seed)
    number = 0
    for at, root in enumerate(asked.roots):
        lines = sorted(set(said_in(World(root))))
        share = (asked.number * (at + 1)) // len(asked.roots) - number
        drawn = chosen.sample(lines, min(share, len(lines)))
        print(f"{root.name}: {len(drawn)} of {len(lines)}")
        for line in drawn:
            number += 1
            print(f"{number:4} {line}")
    return 0


def said_in(world: World) -> Iterator[str]:
    """The text of each claim that may be said."""
    view = view_of(world)
    for claim in view.knowledge.all_of(Kind.CLAIM):
        if isinstance(claim, Claim) and view.visible.sees(claim) and view.texts.is_sayable(claim):
            yield view.texts.shown(claim).text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
