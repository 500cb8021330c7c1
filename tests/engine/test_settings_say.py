"""Settings do what README says of them: what is said follows them, as soon as they change."""

from __future__ import annotations

from pathlib import Path

import pytest
from vouch_sidecar.engine import Caller, Engine, Pushes

from tests.engine.bases import ask, engine_on, pushed, write
from tests.kb.samples import claim, entity, make_kb

NAMES = {"beacon": "Beacon", "gull": "Gull Service", "jwt": "JWT authentication"}
CLAIMS = {
    "beacon": "Beacon shows the ovens.",
    "gull": "Gull writes to the tills.",
    "jwt": "Tokens live for an hour.",
    "billing": "Billing data requires ACID guarantees; PostgreSQL is the data store.",
    "cookie": "The session cookie expires after 20 minutes without activity.",
}
NAMING = "Beacon or the gull service? and the jwt?"
UNNAMED = "which database do we use for billing data?"
"""A prompt that names no entity."""


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    make_kb(tmp_path)
    for name, text in CLAIMS.items():
        about = [name] if name in NAMES else []
        write(tmp_path, f"claims/{name}.yaml", claim(name, text=text, entities=about))
    for name, called in NAMES.items():
        write(tmp_path, f"entities/{name}.yaml", entity(name, name=called, type="system"))
    return engine_on(tmp_path)


def configure(engine: Engine, **sections: object) -> None:
    (root,) = engine.collections
    write(root, "config.yaml", sections)
    engine.load()


def said(engine: Engine, task: str, **params: object) -> dict[str, float]:
    items = ask(engine, "context", task=task, **params)["items"]
    return {item["id"]: item["similarity"] for item in items}


@pytest.mark.parametrize("threshold", [None, 0.0, 0.30, 0.60, 1.0])
def test_names_obey_the_threshold_of_what_is_volunteered(
    engine: Engine, threshold: float | None
) -> None:
    if threshold is not None:
        configure(engine, volunteer={"threshold": threshold})
    weak = {"beacon": 0.45} if threshold in (0.0, 0.30) else {}
    assert said(engine, NAMING) == {"gull": 1.0} | weak


def test_words_are_settled_as_soon_as_the_config_says_so(engine: Engine) -> None:
    text = "the beacon on the hill"
    assert said(engine, text) == {}
    configure(engine, sidecar={"names": {"always": ["beacon"]}})
    assert said(engine, text) == {"beacon": 1.0}
    configure(engine, sidecar={"names": {"never": ["Beacon"]}})
    assert said(engine, "why is Beacon slow?") == {}


@pytest.mark.parametrize(
    ("recall", "expected"),
    [
        ({}, {"billing"}),
        ({"fallback_to_fts": False}, set()),
        ({"enabled": False}, set()),
        ({"similarity_threshold": 0.999}, set()),
        ({"min_prompt_len": len(UNNAMED) + 1}, set()),
    ],
)
def test_full_text_speaks_where_the_config_lets_it(
    engine: Engine, recall: dict[str, object], expected: set[str]
) -> None:
    configure(engine, sidecar={"recall": recall})
    assert said(engine, UNNAMED).keys() == expected


def test_what_full_text_finds_is_said_once_to_a_session_and_never_pushed(engine: Engine) -> None:
    once: dict[str, object] = {"session_id": "s", "repeat": False}
    assert said(engine, UNNAMED, **once).keys() == {"billing"}
    assert said(engine, f"{UNNAMED} Hm.", **once) == {}
    assert said(engine, UNNAMED, session_id="s").keys() == {"billing"}
    pushes = Pushes(engine, Caller())
    engine.observe("other", None, UNNAMED)
    assert pushed(pushes) == []
    engine.observe("other", None, "Where is the Gull Service?")
    assert pushed(pushes) != []
