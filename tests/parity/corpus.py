"""A knowledge base to compare answers on: Zipf-like made-up words, the same in every run.

Everything in it counts alike for vouch and for us; what does not is in test_differences.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from itertools import accumulate
from random import Random

from tests.oracle import NOW, Step

ENTITIES = 40
CLAIMS = 150
PAGES = 8
SOURCES = 10
ROOTS = 500
AGENT = "analyst"
"""To whom the private claims belong."""

STATUSES = ["working"] * 6 + ["actionable"] * 4 + ["stable"] * 6 + ["contested"] * 2
RETIRED = ["superseded", "archived", "redacted"]
TYPES = ["fact", "decision", "workflow", "observation", "warning", "preference", "question"]
ENTITY_TYPES = ["person", "team", "system", "concept", "tool", "api", "repo", "incident"]
SCOPES: list[Step | None] = [None] * 7 + [
    {"visibility": "team"},
    {"visibility": "public"},
    {"visibility": "private", "agent": AGENT},
]
LITTLE_WORDS = "the of and in to is for with on by as from it must not".split()


class Vocabulary:
    """Made-up words, some with their inflections, drawn by Zipf's law."""

    def __init__(self, random: Random) -> None:
        self._random = random
        roots: dict[str, None] = {}
        while len(roots) < ROOTS:
            roots[self._root()] = None
        self.words = [form for root in roots for form in self._forms(root)]
        self._weights = list(accumulate(1 / (rank + 8) for rank in range(len(self.words))))

    def draw(self, count: int) -> list[str]:
        return self._random.choices(self.words, cum_weights=self._weights, k=count)

    def _root(self) -> str:
        syllables = self._random.choice([1, 2, 2, 2, 3, 3])
        start = "".join(
            self._random.choice("b br d f g k kr l m n p r s st t tr v z".split())
            + self._random.choice("aeiou")
            for _ in range(syllables)
        )
        return start + self._random.choice("b d g k l m n nd p r rk st t x".split())

    def _forms(self, root: str) -> list[str]:
        if self._random.random() < 0.7:
            return [root]
        return [root, self._random.choice([root + "s", root + "ed", root + "ing"])]


def steps() -> list[Step]:
    """What vouch is to do, after `init`."""
    random = Random(20261115)
    vocabulary = Vocabulary(random)
    return [
        *_sources(random, vocabulary),
        *_entities(random, vocabulary),
        *_claims(random, vocabulary),
        *_pages(random, vocabulary),
        {"op": "index"},
    ]


def _sentence(random: Random, vocabulary: Vocabulary) -> str:
    words = vocabulary.draw(random.randint(6, 16))
    for _ in range(random.randint(2, 5)):
        words.insert(random.randrange(len(words)), random.choice(LITTLE_WORDS))
    if random.random() < 0.15:
        one, two = vocabulary.draw(2)
        words.append(random.choice([f"{one}_{two}", f"{one}-{two}", one.title() + two.title()]))
    if random.random() < 0.2:
        words.append(str(random.randint(2, 900)))
    if random.random() < 0.2:
        at = random.randrange(len(words))
        words[at] += random.choice([",", "'s", ":"])
    return " ".join(words).capitalize() + random.choice([".", ".", "!", ""])


def _sources(random: Random, vocabulary: Vocabulary) -> Iterator[Step]:
    for i in range(SOURCES):
        lines = [_sentence(random, vocabulary) for _ in range(5)]
        yield {"op": "source", "content": "\n".join(lines), "title": f"Note {i}", "as": f"s{i}"}
        yield {"op": "evidence", "source": f"@s{i}", "quote": lines[2], "as": f"e{i}"}


def _entities(random: Random, vocabulary: Vocabulary) -> Iterator[Step]:
    for i in range(ENTITIES):
        words = random.sample(vocabulary.words, random.choice([1, 2, 2]))
        aliases = random.sample(vocabulary.words, random.choice([0, 0, 1]))
        yield {
            "op": "entity",
            "name": " ".join(words).title() if random.random() < 0.5 else "-".join(words),
            "entity_type": random.choice(ENTITY_TYPES),
            "aliases": aliases,
            "description": _sentence(random, vocabulary),
            "slug_hint": f"entity-{i:03}",
        }


def _claims(random: Random, vocabulary: Vocabulary) -> Iterator[Step]:
    popularity = list(accumulate(1 / (rank + 2) for rank in range(ENTITIES)))
    ids = [f"entity-{i:03}" for i in range(ENTITIES)]
    citations = [f"@{kind}{i}" for kind in "se" for i in range(SOURCES)]
    for i in range(CLAIMS):
        entities = random.choices(ids, cum_weights=popularity, k=random.choice([0, 1, 1, 2, 3]))
        cited = random.sample(citations, random.randint(1, 3))
        yield {
            "op": "claim",
            "text": _sentence(random, vocabulary),
            "evidence": [*cited, cited[0]] if random.random() < 0.1 else cited,
            "entities": list(dict.fromkeys(entities)),
            "tags": vocabulary.draw(random.choice([0, 1, 2])),
            "claim_type": random.choice(TYPES),
            "confidence": round(random.uniform(0.2, 1.0), 2),
            "scope": random.choice(SCOPES),
            "slug_hint": f"claim-{i:03}",
            "then": _later(random),
        }


def _later(random: Random) -> Step:
    """What became of a claim: its status and when it was touched, over the last year."""
    updated = NOW - timedelta(seconds=random.randrange(365 * 86_400))
    confirmed = updated + timedelta(days=random.randrange(40))  # a few after `NOW`: age 0
    return {
        "status": random.choice(RETIRED if random.random() < 0.12 else STATUSES),
        "created_at": (updated - timedelta(days=3)).isoformat(),
        "updated_at": updated.isoformat(),
        "last_confirmed_at": confirmed.isoformat() if random.random() < 0.4 else None,
    }


def _pages(random: Random, vocabulary: Vocabulary) -> Iterator[Step]:
    for i in range(PAGES):
        claims = random.sample(range(CLAIMS), 6)
        yield {
            "op": "page",
            "title": " ".join(vocabulary.draw(2)).title(),
            "body": "\n\n".join(_sentence(random, vocabulary) for _ in range(4)),
            "slug_hint": f"page-{i:02}",
            "claim_ids": [f"claim-{c:03}" for c in claims],
            "entity_ids": [f"entity-{random.randrange(ENTITIES):03}"],
        }
