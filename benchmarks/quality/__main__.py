"""Quality of what is shown: how many prompts are right, beside floors and ceilings."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence

from benchmarks.quality.every_set import every_set
from benchmarks.quality.runs import experts, mentions
from benchmarks.quality.sets import EVAL, KEPT_BACK, read_cases
from benchmarks.quality.table import HEADER, Counts, read_floors, row, write_floors
from benchmarks.quality.world import written


def main(arguments: Sequence[str]) -> int:
    """Print the table; 1 where a set is worse than its floors."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=__doc__)
    add = options.add_argument
    add("sets", nargs="*", metavar="SET", help="only these")
    add("--wrong", metavar="SET", help="list what is wrong in a set")
    add("--keep", action="store_true", help="keep today's figures as floors and ceilings")
    asked = options.parse_args(arguments)
    if not EVAL.is_dir():
        print(f"no sets in {EVAL}: only the project's own are measured", file=sys.stderr)
    if asked.wrong:
        return _wrong(asked.wrong)
    floors, found, worse = read_floors(), dict[str, Counts](), list[str]()
    print(HEADER)
    for one in every_set():
        if asked.sets and one.name not in asked.sets:
            continue
        counts = found[one.name] = Counts.of(one.run())
        bounds = floors.get(one.name)
        print(row(one.name, one.is_asked, counts, bounds), flush=True)
        if bounds is not None:
            worse += [f"{one.name}, {fault}" for fault in counts.faults(bounds)]
    for line in () if asked.sets else _others():
        print(line, flush=True)
    if asked.keep:
        write_floors(found)
    print("\n".join(["", *(f"WORSE: {line}" for line in worse)]) if worse else "")
    return 1 if worse and not asked.keep else 0


def _wrong(name: str) -> int:
    if any(world in name for world in KEPT_BACK):
        print("nobody reads the prompts of sets that are kept back", file=sys.stderr)
        return 2
    for one in every_set():
        if one.name == name:
            print("\n".join(outcome.wrong for outcome in one.run() if outcome.wrong))
    return 0


def _others() -> Iterator[str]:
    """What is no prompt: names that a person marked, and who is known to be an expert."""
    if (path := EVAL / "mentions.json").is_file():
        base, cases = read_cases(path)
        with written(base) as world:
            for parts in (False, True):
                figures = mentions(cases, world, parts=parts)
                yield _line("mentions" + ", parts of names too" * parts, figures)
    if (path := EVAL / "experts.json").is_file():
        base, cases = read_cases(path)
        with written(base) as world:
            for weight in ("count", "evidence"):
                yield _line(f"experts by {weight}", experts(cases, world, weight))


def _line(name: str, figures: Mapping[str, float]) -> str:
    return f"{name}: {', '.join(f'{what} {value:.3f}' for what, value in figures.items())}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
