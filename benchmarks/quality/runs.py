"""Every prompt put to the sidecar: what it should have brought, and whether it did."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from benchmarks.quality.sets import Prompt
from benchmarks.quality.world import World, view_of

AT_MOST = 3
"""The lines of a block that count."""
_WORD = re.compile(r"\w+")
_OF_A_PAGE = re.compile(r"^- “.*?” [\d.]+ page [^:]+: (.*)", re.MULTILINE)
"""A line of a block that shows a page, and its text."""


class Outcome(NamedTuple):
    """Of a prompt that something answers (`is_wanted`), whether it is answered; of another one,
    whether it is told something. `wrong`: what came instead, empty where all is right.
    """

    kind: str
    is_wanted: bool
    counts: bool
    wrong: str


class Line(NamedTuple):
    """A line of the block: the artifact that it shows, for which entity, and of a page the text."""

    id: str
    entity_id: str | None
    text: str

    def is_(self, wanted: str) -> bool:
        """Whether it shows a claim, an entity, or a section, which begins with its heading."""
        page, _, heading = wanted.partition("#")
        if not heading:
            return wanted in (self.id, self.entity_id)
        shown = slug(self.text.partition(". ")[2])
        return self.id == page and shown.startswith(slug(heading))


def slug(text: str) -> str:
    return "-".join(_WORD.findall(text.lower()))


def shown(prompts: Iterable[Prompt], world: World) -> Iterator[Outcome]:
    """Whether one of the first three lines of `context` answers; where nothing answers, whether
    there is a line about anything but what is tolerable. Who somebody is may also be told by a
    claim that declares them.
    """
    for prompt in prompts:
        lines = _lines(world, prompt)
        about = [{line.id, line.entity_id, *_declared(world, line)} for line in lines]
        if prompt.want:
            counts = any(line.is_(wanted) for line in lines for wanted in prompt.want)
            counts |= prompt.kind == "who" and any(not ids.isdisjoint(prompt.want) for ids in about)
        else:
            counts = any(ids.isdisjoint(prompt.tolerable) for ids in about)
        yield outcome(prompt, counts, [line.id for line in lines])


def listed(prompts: Iterable[Prompt], world: World) -> Iterator[Outcome]:
    """Whether `salience` lists all that is wanted for the text alone, and nothing else but parts of
    names.
    """
    for prompt in prompts:
        rows = world.listed(prompt.text)
        found = {
            row["entity_id"]
            for row in rows
            if row["arm"] != "partial" or row["entity_id"] in prompt.want
        }
        right = found == set(prompt.want)
        yield outcome(prompt, right if prompt.want else not right, sorted(found))


def outcome(prompt: Prompt, counts: bool, found: Sequence[str]) -> Outcome:
    """What became of a prompt: `counts` as it is answered, or told something."""
    is_wanted = bool(prompt.want)
    wrong = f"{prompt.kind}: {prompt.text!r} brought {found}, not {list(prompt.want)}"
    return Outcome(prompt.kind, is_wanted, counts, "" if counts is is_wanted else wrong)


def mentions(
    cases: Iterable[Mapping[str, Any]], world: World, *, parts: bool
) -> Mapping[str, float]:
    """What `salience` lists for sentences against what a person marked."""
    right = found = marked = 0
    for case in cases:
        rows = world.listed(case["text"])
        ids = [row["entity_id"] for row in rows if parts or row["arm"] != "partial"]
        right += len([one for one in ids if one in case["gold"]])
        found += len(ids)
        marked += len(set(case["gold"]))
    return {"precision": right / found, "recall": right / marked}


def experts(cases: Sequence[Mapping[str, Any]], world: World, weight: str) -> Mapping[str, float]:
    """Where the first known expert of each topic stands under a weight."""
    places = list[int | None]()
    for case in cases:
        rows = world.ask("experts", topic=case["topic"], weight=weight, limit=100)["experts"]
        ids = [row["entity_id"] for row in rows]
        places.append(next((n for n, one in enumerate(ids, 1) if one in case["gold"]), None))
    of = len(places)
    return {
        "first": sum(place == 1 for place in places) / of,
        "among three": sum(place in (1, 2, 3) for place in places) / of,
        "MRR": sum(1 / place for place in places if place) / of,
    }


def _lines(world: World, prompt: Prompt) -> list[Line]:
    params: dict[str, Any] = {"task": prompt.text}
    if prompt.before:
        params |= {"session_id": "one", "repeat": False}
        for earlier in prompt.before:
            world.ask("context", session_id="one", task=earlier, repeat=False)
    answer = world.ask("context", **params)
    world.end("one")
    texts = (found[1] for found in _OF_A_PAGE.finditer(answer["text"]))
    return [
        Line(item["id"], item["entity_id"], next(texts) if item["kind"] == "page" else "")
        for item in answer["items"][:AT_MOST]
    ]


def _declared(world: World, line: Line) -> Sequence[str]:
    claim = view_of(world).claim(line.id)
    return claim.entities if claim is not None else ()
