"""Where the contract says that we answer as vouch does, we do, number for number."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from itertools import product
from pathlib import Path
from random import Random

import pytest
import yaml
from vouch_sidecar.engine import Caller
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.text.analysis import stem

from tests.engine.bases import NOW, ask, engine_on
from tests.oracle import OracleKb, Step, vouch

ENTITIES, CLAIMS, SOURCES, WORDS = 40, 100, 10, 300
TODAY = datetime.fromtimestamp(NOW, UTC)
AGENT = "analyst"
"""To whom the private claims belong."""
STATUSES = [*["working", "actionable", "stable"] * 5, "contested", "superseded", "archived"]
SCOPES: list[Step] = [*[{}] * 7, {"visibility": "team"}, {"visibility": "public"}]
SCOPES.append({"visibility": "private", "agent": AGENT})
LITTLE_WORDS = "the of and in to is for with on by as from it must not".split()


def vocabulary() -> list[str]:
    """Words of one length, so that none stands in another one, each its own stem."""
    made = ("".join(letters) + "k" for letters in product("bdgmnprt", "aeiou", "dgmnprt", "aeiou"))
    return Random(1).sample([word for word in made if stem(word) == word], WORDS)


def steps(words: list[str], random: Random) -> Iterator[Step]:
    """What vouch is to do. Everything counts alike for vouch and for us."""

    def sentence() -> str:
        said = random.choices(words, [1 / (n + 8) for n in range(WORDS)], k=random.randint(6, 16))
        said += random.choices(LITTLE_WORDS, k=3)
        random.shuffle(said)
        return " ".join(said).capitalize() + random.choice([".", "!", ""])

    for number in range(SOURCES):
        yield {"op": "source", "content": (quote := sentence()), "as": f"s{number}"}
        yield {"op": "evidence", "source": f"@s{number}", "quote": quote, "as": f"e{number}"}
    for number in range(ENTITIES):
        yield {
            "op": "put",
            "kind": "entity",
            "id": f"entity-{number:03}",
            "name": " ".join(random.sample(words, random.choice([1, 2, 2]))).title(),
            "type": random.choice(["person", "team", "system"]),
            "aliases": random.sample(words, random.choice([0, 0, 1])),
            "description": sentence(),
        }
    for number in range(CLAIMS):
        cited = random.sample([f"@{kind}{n}" for kind in "se" for n in range(SOURCES)], 2)
        about = random.choices(range(ENTITIES), [1 / (n + 2) for n in range(ENTITIES)], k=2)
        updated = TODAY - timedelta(seconds=random.randrange(365 * 86_400))
        confirmed = updated + timedelta(days=random.randrange(40))  # a few after today: age 0
        yield {
            "op": "put",
            "kind": "claim",
            "id": f"claim-{number:03}",
            "text": sentence(),
            "status": random.choice(STATUSES),
            "updated_at": updated,
            "last_confirmed_at": random.choice([confirmed, confirmed, None, None, None]),
            "evidence": [*cited, cited[0]],
            "entities": list({f"entity-{n:03}": None for n in about[: random.randint(0, 2)]}),
            "tags": random.sample(words, random.choice([0, 1, 2])),
            "confidence": round(random.uniform(0.2, 1.0), 2),
            "scope": random.choice(SCOPES),
        }


def test_experts_are_the_same_as_vouchs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml, "safe_load", partial(yaml.load, Loader=yaml.CSafeLoader))
    monkeypatch.setattr(yaml, "safe_dump", partial(yaml.dump, Dumper=yaml.CSafeDumper))
    words = vocabulary()
    kb = OracleKb(tmp_path / "kb", *steps(words, Random(20261115)))
    vouch("health").rebuild_index(kb.store)
    for method in ("list_claims", "list_entities"):  # files are read once
        monkeypatch.setattr(kb.store, method, cache(getattr(kb.store, method)))
    monkeypatch.setattr(vouch("experts"), "utcnow", lambda: TODAY)
    engine, analyst, found = engine_on(kb.root), Caller(viewer=Viewer(agent=AGENT)), 0
    for topic, weight in product(words[:60], ("count", "recency", "citation")):
        asked = {"topic": topic, "weight": weight, "limit": 100}
        theirs = vouch("experts").rank_experts(kb.store, **asked)
        theirs.sort(key=lambda row: (-row["score"], row["entity_id"]))  # ties by id
        assert ask(engine, "experts", analyst, **asked, linking="declared")["experts"] == theirs
        found += bool(theirs)
    assert found > 120
