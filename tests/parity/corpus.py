"""A knowledge base to compare answers on: made-up words, the same in every run.

Everything in it counts alike for vouch and for us; what does not is in test_differences.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from itertools import product
from random import Random

from vouch_sidecar.text.analysis import stem

from tests.oracle import NOW, Step

ENTITIES, CLAIMS, SOURCES, WORDS = 40, 150, 10, 400
AGENT = "analyst"
"""To whom the private claims belong."""
STATUSES = [*["working", "actionable", "stable"] * 5, "contested"]
RETIRED = ["superseded", "archived", "redacted"]
SCOPES: list[Step | None] = [None] * 7 + [
    {"visibility": "team"},
    {"visibility": "public"},
    {"visibility": "private", "agent": AGENT},
]
LITTLE_WORDS = "the of and in to is for with on by as from it must not".split()


def vocabulary() -> list[str]:
    """Words of one length, so that none stands in another one, each its own stem."""
    made = ("".join(letters) + "k" for letters in product("bdgmnprt", "aeiou", "dgmnprt", "aeiou"))
    return Random(1).sample([word for word in made if stem(word) == word], WORDS)


def steps() -> list[Step]:
    """What vouch is to do, after `init`."""
    return [*_steps(Random(20261115)), {"op": "index"}]


def _steps(random: Random) -> Iterator[Step]:
    words, ids = vocabulary(), [f"entity-{number:03}" for number in range(ENTITIES)]

    def sentence() -> str:
        said = random.choices(words, [1 / (n + 8) for n in range(WORDS)], k=random.randint(6, 16))
        said += random.choices(LITTLE_WORDS, k=3)
        random.shuffle(said)
        return " ".join(said).capitalize() + random.choice([".", "!", ""])

    for number in range(SOURCES):
        yield {"op": "source", "content": (quote := sentence()), "as": f"s{number}"}
        yield {"op": "evidence", "source": f"@s{number}", "quote": quote, "as": f"e{number}"}
    for entity_id in ids:
        name = " ".join(random.sample(words, random.choice([1, 2, 2]))).title()
        aliases = random.sample(words, random.choice([0, 0, 1]))
        kind = random.choice(["person", "team", "system"])
        yield {
            "op": "entity",
            "name": name,
            "entity_type": kind,
            "aliases": aliases,
            "description": sentence(),
            "slug_hint": entity_id,
        }
    for number in range(CLAIMS):
        cited = random.sample([f"@{kind}{n}" for kind in "se" for n in range(SOURCES)], 2)
        about = random.choices(ids, [1 / (n + 2) for n in range(ENTITIES)], k=random.randint(0, 3))
        updated = NOW - timedelta(seconds=random.randrange(365 * 86_400))
        confirmed = updated + timedelta(days=random.randrange(40))  # a few after `NOW`: age 0
        then = {
            "status": random.choice(RETIRED if random.random() < 0.12 else STATUSES),
            "updated_at": updated.isoformat(),
            "last_confirmed_at": confirmed.isoformat() if random.random() < 0.4 else None,
        }
        yield {
            "op": "claim",
            "text": sentence(),
            "slug_hint": f"claim-{number:03}",
            "then": then,
            "evidence": [*cited, cited[0]],
            "entities": list(dict.fromkeys(about)),
            "tags": random.sample(words, random.choice([0, 1, 2])),
            "confidence": round(random.uniform(0.2, 1.0), 2),
            "scope": random.choice(SCOPES),
        }
