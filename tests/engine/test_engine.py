"""What an engine answers from what is published, and what its settings change."""

from __future__ import annotations

from pathlib import Path

import pytest
from vouch_sidecar.engine import Caller
from vouch_sidecar.operations import InvalidParamsError

from tests.engine.bases import ask, base, engine_on, write
from tests.kb.samples import claim, entity

# Several knowledge bases


@pytest.fixture
def three(tmp_path: Path) -> list[Path]:
    return [base(tmp_path / folder / "kb") for folder in "abc"]


def test_collections_get_names_of_their_own(three: list[Path]) -> None:
    engine = engine_on(*three[::-1])
    names = [root["collection"] for root in ask(engine, "status")["roots"]]
    assert names == ["kb", "kb-2", "kb-3"]
    write(three[0], "config.yaml", {"kb": {"name": "ops"}})
    engine.load()
    names = [root["collection"] for root in ask(engine, "status")["roots"]]
    assert names == ["ops", "kb", "kb-2"]


def test_a_root_limits_an_answer_to_one_knowledge_base(three: list[Path]) -> None:
    engine = engine_on(*three)
    (three[1] / "src").mkdir()
    for root in (
        str(three[1]),
        three[1].as_uri(),
        str(three[1] / "src"),
        str(three[1] / ".vouch"),
    ):
        rows = ask(engine, "experts", topic="key vault", root=root)["experts"]
        assert [r["collection"] for r in rows] == ["kb-2"]
        assert len(ask(engine, "status", root=root)["roots"]) == 1


@pytest.mark.parametrize(
    "root", ["/nowhere", "file://[", "file:///a%00b", "\0", "", "x" * 5000, "https://example.com/"]
)
def test_a_root_that_is_not_served_is_an_error_and_leaves_no_trace(
    three: list[Path], root: str
) -> None:
    engine = engine_on(*three)
    with pytest.raises(InvalidParamsError) as error:
        ask(engine, "experts", topic="key vault", session_id="s", root=root)
    assert str(error.value) == "root is no folder of a knowledge base that is served"
    assert ask(engine, "status")["sessions"] == 0


# Settings


def test_settings_in_the_environment_are_those_of_who_asks(tmp_path: Path) -> None:
    root = base(tmp_path / "kb")
    registry = engine_on(root, env={"VOUCH_SIDECAR_PEOPLE_GIT": "agents"}).registry
    for env, wanted in (
        (None, "agents"),
        ({}, "people"),
        ({"VOUCH_SIDECAR_PEOPLE_GIT": "off"}, "off"),
    ):
        settings = registry.settings_for(registry.collections[root], Caller(env=env))
        assert settings.people.git == wanted


def test_a_config_takes_effect_with_the_next_answer(tmp_path: Path) -> None:
    many = {f"entities/e{i}.yaml": entity(f"e{i}", name=f"Relay {i}x") for i in range(6)}
    root = base(tmp_path / "kb", many)
    engine = engine_on(root)
    engine.observe("s", None, " ".join(f"Relay {i}x" for i in range(6)))
    assert len(ask(engine, "salience", session_id="s")["salience"]) == 3
    write(root, "config.yaml", {"retrieval": {"reflex": {"top_k": 5}}})
    engine.load()
    assert len(ask(engine, "salience", session_id="s")["salience"]) == 5
    assert len(ask(engine, "salience", session_id="s", top_k=2)["salience"]) == 2
    write(root, "config.yaml", {"retrieval": {"reflex": {"top_k": True}}})
    engine.load()
    assert len(ask(engine, "salience", session_id="s")["salience"]) == 3
    (status,) = ask(engine, "status")["roots"]
    assert [p["field"] for p in status["problems"]] == ["retrieval.reflex.top_k"]


def test_a_window_counts_as_its_config_says(tmp_path: Path) -> None:
    one, two = base(tmp_path / "one"), base(tmp_path / "two")
    write(one, "config.yaml", {"retrieval": {"reflex": {"window": 1}}})
    engine = engine_on(one, two)
    engine.observe("s", None, "the Key Vault")
    engine.observe("s", None, "something else")
    rows = ask(engine, "salience", session_id="s")["salience"]
    assert [r["collection"] for r in rows] == ["two"]


def test_a_claim_dated_beyond_the_calendar_answers(tmp_path: Path) -> None:
    root = base(tmp_path / "kb")
    for name, date in (
        ("first", "0001-01-01T00:00:00+14:00"),
        ("last", "9999-12-31T23:00:00-14:00"),
    ):
        text = f"{name} keys of the Key Vault"
        write(root, f"claims/{name}.yaml", claim(name, text=text, updated_at=date))
    engine = engine_on(root)
    for name in ("first", "last"):
        shown = ask(engine, "claim", id=name)["claim"]
        assert shown["date"][:4] in ("0001", "9999")
        assert name in ask(engine, "context", task=f"the {name} of the Key Vault")["text"]
    rows = ask(engine, "experts", topic="first of the Key Vault", weight="recency")["experts"]
    assert rows[0]["claim_count"] == 3


def test_a_session_that_ends_on_disk_ends_here(tmp_path: Path) -> None:
    root = base(tmp_path / "kb")
    session = {"id": "s", "agent": "ada", "ended_at": None}
    write(root, "sessions/s.yaml", session)
    engine = engine_on(root)
    engine.observe("s", None, "the Key Vault")
    engine.load()
    assert ask(engine, "salience", session_id="s")["salience"]
    write(root, "sessions/s.yaml", session | {"ended_at": "2026-01-01T00:00:00"})
    engine.load()
    assert ask(engine, "salience", session_id="s")["salience"] == []
