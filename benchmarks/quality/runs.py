"""Every set run through the sidecar: one `Case` for each of its cases."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.quality.measures import Case
from benchmarks.quality.sets import (
    Asked,
    Dialogue,
    Experts,
    Foreign,
    Knowledge,
    KnowledgeBase,
    Mentions,
    Prompt,
    Questions,
    Wanted,
)
from benchmarks.quality.world import Said, World, written

_WORD = re.compile(r"\w+")
AT_MOST = 3
"""What counts of what is volunteered for one turn."""


def dialogue_cases(
    dialogues: Iterable[Dialogue], way: str, made: Callable[[Path], World] = World
) -> Iterator[Case]:
    """Conversations; `way` is `fresh` (pushed) or `context` (asked for with `repeat: false`)."""
    for dialogue in dialogues:
        knowledge = Knowledge(entities=dialogue.entities, claims=dialogue.claims)
        with written(knowledge, made) as world:
            turns, given = [], set[str]()
            for number, turn in enumerate(dialogue.turns):
                said = _said(world, way, dialogue.id, turn.text)
                if turn.role == "user":
                    where = f"{dialogue.id} turn {number}"
                    gold, allowed = set(turn.gold), {*turn.gold, *turn.acceptable}
                    turns.append(judged(where, turn.text, said, gold, allowed, given))
                given.update(said.ids)
            yield together(turns)


def prompt_cases(prompts: Iterable[Prompt], world: World) -> Iterator[Case]:
    """Single prompts over one knowledge base, each in a session of its own."""
    for prompt in prompts:
        given = {i for earlier in prompt.before for i in world.say(prompt.id, earlier).ids}
        said = world.say(prompt.id, prompt.text)
        world.end(prompt.id)
        gold, allowed = set(prompt.gold), {*prompt.gold, *prompt.acceptable}
        case = judged(f"{prompt.id} ({prompt.kind})", prompt.text, said, gold, allowed, given)
        if prompt.listed is not None:
            rows = [
                row
                for row in world.listed(prompt.text)
                if row["arm"] != "partial" or row["entity_id"] in prompt.listed
            ]
            listed = _listing(f"{prompt.id} ({prompt.kind})", prompt.text, rows, prompt.listed)
            case = together([case, listed])
        yield case


def question_cases(questions: Questions) -> Iterator[Case]:
    """Texts that name nothing: which claims `context` gives for each alone."""
    with written(questions) as world:
        for asked in questions.cases:
            said = _given(world, task=asked.text)
            where, allowed = f"{asked.id} ({asked.kind})", {*asked.gold, *asked.acceptable}
            yield judged(where, asked.text, said, set(asked.gold), allowed, set())


def answer_cases(asked: Iterable[Asked], world: World) -> Iterator[Case]:
    """Prompts over one knowledge base: whether a line that answers is among the first three."""
    for one in asked:
        if one.listed:
            found = [str(row["entity_id"]) for row in world.listed(one.prompt)]
            right = set(one.expect).issubset(found)
        else:
            lines = _lines_said(world, one.prompt)
            right = any(line.is_(i) for line in lines for i in one.expect) or not (
                one.expect or lines
            )
            found = [line.id for line in lines]
        wrong = f"{one.kind} ({one.kb}): {one.prompt!r} gave {found}, not {list(one.expect)}"
        measure = "answered" if one.expect else "fires"
        counts = {f"{one.kind} {measure}": (float(right is bool(one.expect)), 1.0)}
        yield Case(counts, [] if right else [wrong])


def real_cases(prompts: Iterable[Wanted], world: World) -> Iterator[Case]:
    """Prompts over a real knowledge base: whether one of the first three lines answers, or any is
    said where nothing answers.
    """
    for prompt in prompts:
        found = _ids_said(world, prompt.text)
        right = not set(prompt.want).isdisjoint(found) if prompt.want else not found
        measure = "answered" if prompt.want else "fires"
        wrong = f"{prompt.kind}: {prompt.text!r} gave {found}, not {list(prompt.want)}"
        counts = {f"{prompt.kind} {measure}": (float(right is bool(prompt.want)), 1.0)}
        yield Case(counts, [] if right else [wrong])


def foreign_cases(asked: Iterable[Foreign], world: World) -> Iterator[Case]:
    """Questions about other repositories: whatever `context` gives for one is a fire."""
    for one in asked:
        found = _ids_said(world, one.question)
        wrong = f"{one.repository}: {one.question!r} gave {found}"
        yield Case({"foreign fires": (bool(found), 1)}, [wrong] if found else [])


def world_cases(base: KnowledgeBase, world: World) -> Iterator[Case]:
    """Prompts of a knowledge base: whether one of the first three lines answers, or any is unasked.

    Who somebody is may also be told by a claim that declares them; a line that is about a tolerable
    entity is not unasked.
    """
    declared = {claim["id"]: set(claim.get("entities", ())) for claim in base.claims}
    for prompt in base.prompts:
        lines = _lines_said(world, prompt.text)
        about = [{line.id, line.entity_id} | declared.get(line.id, set()) for line in lines]
        if not prompt.want:
            fires = any(words.isdisjoint(prompt.tolerable) for words in about)
            measure, right = f"{prompt.kind} fires", not fires
        else:
            answers = any(line.is_(i) for line in lines for i in prompt.want)
            if prompt.kind == "who":
                answers = answers or any(not words.isdisjoint(prompt.want) for words in about)
            measure, right = f"{prompt.kind} answered", answers
        found = [line.id for line in lines]
        wrong = f"{prompt.kind}: {prompt.text!r} gave {found}, not {list(prompt.want)}"
        counted = float(right is bool(prompt.want))
        yield Case({measure: (counted, 1.0)}, [] if right else [wrong])


class _Line(NamedTuple):
    """A line of the block: the artifact that it tells, for which entity, and in which words."""

    id: str
    entity_id: str | None
    text: str

    def is_(self, wanted: str) -> bool:
        """Whether it tells a claim, an entity, or a section, which begins with its heading."""
        page, _, heading = wanted.partition("#")
        if not heading:
            return wanted in (self.id, self.entity_id)
        told = slug(self.text.partition(": ")[2].partition(". ")[2])
        return self.id == page and told.startswith(slug(heading))


def slug(text: str) -> str:
    return "-".join(_WORD.findall(text.lower()))


def _lines_said(world: World, prompt: str) -> list[_Line]:
    answer = world.ask("context", task=prompt)
    texts = [line for line in answer["text"].splitlines() if line.startswith("- ")]
    items = zip(answer["items"], texts, strict=True)
    return [_Line(item["id"], item["entity_id"], text) for item, text in items][:AT_MOST]


def _ids_said(world: World, prompt: str) -> list[str]:
    return [item["id"] for item in world.ask("context", task=prompt)["items"]][:AT_MOST]


def _said(world: World, way: str, session: str, text: str) -> Said:
    if way == "fresh":
        return world.say(session, text)
    return _given(world, session_id=session, task=text, repeat=False)


def _given(world: World, **params: object) -> Said:
    answer = world.ask("context", **params)
    rows = {item["entity_id"] or item["id"]: item for item in answer["items"]}
    return Said(
        [
            {"entity_id": i, "why": f"{item['arm']} “{item['phrase']}” {item['similarity']}"}
            for i, item in rows.items()
        ],
        answer["text"],
    )


def judged(
    where: str, text: str, said: Said, gold: set[str], allowed: set[str], given: set[str]
) -> Case:
    """One text: what was said for it against what had to be, might be, and was given before."""
    ids = said.ids[:AT_MOST]
    right = [i for i in ids if i in allowed]
    found = gold.intersection(ids)
    counts: dict[str, tuple[float, float]] = {
        "precision": (len(right), len(ids)),
        "recall": (len(found), len(gold)),
        "tokens": (said.tokens, 1),
        "repeats": (len(given.intersection(ids)), len(ids)),
    }
    if gold:
        counts["missed"] = (not found, 1)
    elif not allowed:
        counts["false fires"] = (bool(ids), 1)
    why = {row["entity_id"]: row["why"] for row in said.rows}
    wrong = [f"{where}: said {i} for {text!r}: {why[i]}" for i in ids if i not in allowed]
    wrong += [f"{where}: did not say {i} for {text!r}" for i in sorted(gold - found)]
    return Case(counts, wrong)


def together(cases: Sequence[Case]) -> Case:
    counts: dict[str, tuple[float, float]] = {}
    for case in cases:
        for name, (over, under) in case.counts.items():
            before = counts.get(name, (0, 0))
            counts[name] = (before[0] + over, before[1] + under)
    return Case(counts, [line for case in cases for line in case.wrong])


def mention_cases(mentions: Mentions, parts: bool = False) -> Iterator[Case]:
    """Sentences: what `salience` lists for each alone against what a person marked, without `parts`
    of names or with them.
    """
    with written(mentions) as world:
        for number, marked in enumerate(mentions.cases):
            rows = [r for r in world.listed(marked.text) if parts or r["arm"] != "partial"]
            yield _listing(f"sentence {number}", marked.text, rows, marked.gold)


def _listing(
    where: str, text: str, rows: Sequence[dict[str, object]], wanted: Sequence[str]
) -> Case:
    ids = [str(row["entity_id"]) for row in rows]
    right = [i for i in ids if i in wanted]
    wrong = [
        f"{where}: listed {row['entity_id']} for {text!r}: {row['why']}"
        for row in rows
        if row["entity_id"] not in wanted
    ]
    wrong += [f"{where}: did not list {i} for {text!r}" for i in wanted if i not in ids]
    return Case(
        {
            "listed precision": (len(right), len(ids)),
            "listed recall": (len(right), len(set(wanted))),
        },
        wrong,
    )


def expert_cases(experts: Experts, weight: str) -> Iterator[Case]:
    """Topics: where the first known expert stands under a weight."""
    with written(experts) as world:
        for case in experts.cases:
            rows = world.ask("experts", topic=case.topic, weight=weight, limit=100)["experts"]
            ids = [row["entity_id"] for row in rows]
            place = next((n for n, i in enumerate(ids, 1) if i in case.gold), None)
            top = [f"{row['entity_id']} {row['score']}" for row in rows[:3]]
            yield Case(
                {
                    "P@1": (place == 1, 1),
                    "hit@3": (place is not None and place <= 3, 1),
                    "MRR": (1 / place if place else 0, 1),
                },
                [] if place == 1 else [f"{case.topic}: expert at {place}; first are {top}"],
            )


def ordinary_cases(sentences: Iterable[str], names: Knowledge) -> Iterator[Case]:
    """Ordinary text against short names: nothing of it should be listed."""
    with written(names) as world:
        for sentence in sentences:
            rows = world.listed(sentence)
            said = world.say(sentence, sentence).ids
            yield Case(
                {"fires": (bool(rows), 1), "volunteered": (bool(said), 1)},
                [f"listed {row['entity_id']} for {sentence!r}: {row['why']}" for row in rows],
            )
