"""What is said of a prompt that names no entity, as far as the config lets it."""

from __future__ import annotations

from pathlib import Path

import pytest
from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.engine.pushes import Pushes

from tests.engine.bases import ask, engine_on, pushed, write
from tests.kb.samples import claim, entity, make_kb

PROMPT = "which database do we use for billing data?"


def engine(tmp_path: Path, recall: dict[str, object] | None = None) -> Engine:
    make_kb(tmp_path)
    for name, text in {
        "billing": "Billing data requires ACID guarantees; PostgreSQL is the data store.",
        "cookie": "The session cookie expires after 20 minutes without activity.",
    }.items():
        write(tmp_path, f"claims/{name}.yaml", claim(name, text=text, entities=[]))
    write(tmp_path, "entities/vault.yaml", entity("vault", name="Key Vault"))
    write(tmp_path, "config.yaml", {"sidecar": {"recall": recall or {}}})
    return engine_on(tmp_path)


def said(served: Engine, **params: object) -> list[str]:
    return [item["id"] for item in ask(served, "context", **params)["items"]]


@pytest.mark.parametrize(
    ("recall", "expected"),
    [
        ({}, ["billing"]),
        ({"fallback_to_fts": False}, []),
        ({"enabled": False}, []),
        ({"similarity_threshold": 0.999}, []),
        ({"min_prompt_len": len(PROMPT) + 1}, []),
    ],
)
def test_full_text_speaks_where_the_config_lets_it(
    tmp_path: Path, recall: dict[str, object], expected: list[str]
) -> None:
    assert said(engine(tmp_path, recall), task=PROMPT) == expected


def test_it_is_said_once_to_a_session_and_never_pushed(tmp_path: Path) -> None:
    served = engine(tmp_path)
    assert said(served, task=PROMPT, session_id="s", repeat=False) == ["billing"]
    assert said(served, task=f"{PROMPT} Hm.", session_id="s", repeat=False) == []
    assert said(served, task=PROMPT, session_id="s") == ["billing"]
    pushes = Pushes(served, Caller())
    served.observe("other", None, PROMPT)
    assert pushed(pushes) == []
    served.observe("other", None, "Where is the Key Vault?")
    assert pushed(pushes) != []
