"""Owners of the files of claims by CODEOWNERS, for those who may be told."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Any

import pytest
from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.engine.worlds import settle

from tests.engine.bases import ask, cached, engine_on, kept, until
from tests.kb.samples import claim, dump, entity, put
from tests.retrieval.people import person, relation
from tests.workspace.places import cite, commit_as, repository, write

MODEL = Caller(is_model=True)
AGENTS = {"people": {"git": "agents"}}
RULES = "* @everybody\n/src/ @acme/relay @ada\n/src/idle.py ops@example.org\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = repository(tmp_path / "repo", {".github/CODEOWNERS": RULES})
    commit_as(root, "Bob Kahn", {"src/relay.py": "class RelayLoop: ...\n", "src/idle.py": "x = 1"})
    cite(root, "night", "The loop restarts at night.", "src/relay.py", entities=["relay"])
    put(root / ".vouch", "entities/relay.yaml", entity("relay", name="Relay Loop", type="system"))
    return root


def looked(root: Path, tmp_path: Path, **client: Any) -> Engine:
    env = {**cached(tmp_path), "PATH": os.environ["PATH"]}
    engine = engine_on(root, env=env, client_settings=client)
    settle(engine.collections.values())
    return engine


def owners(engine: Engine, caller: Caller | None = None, **params: Any) -> list[str]:
    asked: dict[str, Any] = {"topic": "restarts"} | params
    rows = ask(engine, "experts", caller or Caller(), **asked).get("people", [])
    return [row["name"] for row in rows if row["relation"] == "owns"]


def test_owners_stand_behind_declared_people(root: Path, tmp_path: Path) -> None:
    for path, data in (person("mei") | relation("relay", "owned_by", "mei")).items():
        put(root / ".vouch", path, data)
    engine = looked(root, tmp_path)
    team: dict[str, Any] = {"entity_id": None, "name": "acme/relay", "type": "team", "via": "/src/"}
    team |= {"claim_count": 0, "relation": "owns", "said": "owner of the files"}
    people = ask(engine, "entity", id="relay")["people"]
    assert people[1:] == [team, team | {"name": "ada", "type": "person"}]
    assert people[0]["entity_id"] == "mei"
    asked = ask(engine, "experts", topic="relay loop restarts")
    assert asked["people"] == people
    assert ask(engine, "experts", topic="restarts")["people"] == people[1:]  # it names no entity
    assert ask(engine, "experts", topic="relay", types=["person"])["people"][0] == people[0]
    put(root / ".vouch", "claims/hum.yaml", claim("hum", text="It hums.", entities=["relay"]))
    assert "people" not in ask(looked(root, tmp_path), "experts", topic="hums")
    assert ask(engine, "experts", topic="restarts", types=["team"])["people"] == [team]
    assert [row["name"] for row in asked["by_commits"]] == ["Bob Kahn"]
    assert ask(engine, "entity", id="mei")["people"] == []


def test_models_are_told_of_teams_and_of_persons_where_the_user_says_so(
    root: Path, tmp_path: Path
) -> None:
    assert owners(looked(root, tmp_path), MODEL) == ["acme/relay"]
    assert owners(looked(root, tmp_path, **AGENTS), MODEL) == ["acme/relay", "ada"]


def test_blocks_tell_of_owners(root: Path, tmp_path: Path) -> None:
    cite(root, "glyphs", "Glyph fonts are embedded", "src/relay.py")

    def line(task: str, **client: Any) -> str:
        text = ask(looked(root, tmp_path, **client), "context", task=task)["text"]
        return next((line for line in text.splitlines() if "code owner" in line), "")

    assert "To ask: code owner acme/relay" in line("Who maintains the Relay Loop?")
    assert "ada" not in line("Who maintains the Relay Loop?")
    assert "code owners acme/relay, ada; by commits" in line("Who owns the Relay Loop?", **AGENTS)
    assert line("Whom should I ask about glyph fonts?") == ""
    assert line("What does the Relay Loop do?") == ""
    assert line("Who owns the Relay Loop?", people={"git": "off"}) == ""


@pytest.mark.parametrize("never", ["ADA", "@ada"])
def test_who_is_never_named(root: Path, tmp_path: Path, never: str) -> None:
    put(root / ".vouch", "config.yaml", dump({"sidecar": {"people": {"never": [never]}}}))
    assert owners(looked(root, tmp_path)) == ["acme/relay"]


def test_whom_one_of_two_never_names_neither_names(root: Path, tmp_path: Path) -> None:
    other = repository(tmp_path / "other", {"src/relay.py": "x = 1"})
    cite(other, "day", "The loop restarts by day.", "src/relay.py")
    people = {"git": "off", "never": ["ada", "Bob Kahn"]}
    put(other / ".vouch", "config.yaml", dump({"sidecar": {"people": people}}))
    engine = engine_on(root, other, env={**cached(tmp_path), "PATH": os.environ["PATH"]})
    settle(engine.collections.values())
    assert owners(engine) == ["acme/relay"]
    assert owners(engine, root=str(root)) == ["acme/relay", "ada"]
    assert ask(engine, "experts", topic="restarts").get("by_commits", []) == []
    (bob,) = ask(engine, "experts", topic="restarts", root=str(root))["by_commits"]
    assert bob["name"] == "Bob Kahn"


def test_a_repository_may_switch_it_off(root: Path, tmp_path: Path) -> None:
    put(root / ".vouch", "config.yaml", dump({"sidecar": {"people": {"git": "off"}}}))
    engine = looked(root, tmp_path, **AGENTS)
    assert owners(engine) == []
    assert not engine.collections.popitem()[1].world.code_owners.rules


@pytest.mark.anyio
async def test_a_change_counts_without_a_new_start(
    root: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    engine = engine_on(root, env={**cached(tmp_path), "PATH": os.environ["PATH"]})
    assert ask(engine, "experts", topic="restarts")["degraded"] == ["workspace_pending"]
    async with kept(engine):
        await until(lambda: owners(engine) == ["acme/relay", "ada"])
        write(root, {".github/CODEOWNERS": "* @acme/zebra\n!x @zebra\n"})
        engine.check_soon()
        await until(lambda: owners(engine) == ["acme/zebra"])
    assert "zebra" not in caplog.text
    files = [file for file in (tmp_path / "cache").rglob("*") if file.is_file()]
    assert not any(b"acme/relay" in file.read_bytes() for file in files)


def test_a_file_in_the_topic_stands_for_its_claims_and_people(root: Path, tmp_path: Path) -> None:
    """Its path is not taken for words: other claims hold some of them."""
    for path, data in (person("mei") | relation("relay", "owned_by", "mei")).items():
        put(root / ".vouch", path, data)
    commit_as(root, "Cyd Lane", {"src/wire.py": "x = 1\n"})
    put(root / ".vouch", "entities/src.yaml", entity("src", name="src", type="system"))
    told = claim("told", text="It owns src, relay and py.", entities=["src"])
    put(root / ".vouch", "claims/told.yaml", told)
    engine = looked(root, tmp_path)
    for named in ("src/relay.py", "relay.py", f"{root}/src/relay.py"):
        for topic in (named, f"who owns {named}", f"Whom do I ask about `{named}`?"):
            found = ask(engine, "experts", topic=topic)
            assert [row["entity_id"] for row in found["experts"]] == ["relay"]
            assert found["experts"][0]["top_claim_ids"] == ["night"]
            assert [row["name"] for row in found["people"]] == ["acme/relay", "ada"]
            assert [row["name"] for row in found["by_commits"]] == ["Bob Kahn"]
            assert "unmatched" not in found
    evidence = ask(engine, "experts", topic="relay.py", weight="evidence", explain=True)
    (claim_of,) = evidence["experts"][0]["explain"]["claims"]
    assert claim_of["arm"] == "entity"


def test_an_untied_file_has_owners_and_authors_too(root: Path, tmp_path: Path) -> None:
    commit_as(root, "Cyd Lane", {"src/wire.py": "x = 1\n"})
    found = ask(looked(root, tmp_path), "experts", topic="who owns src/wire.py")
    assert found["experts"] == []
    assert [row["name"] for row in found["people"]] == ["acme/relay", "ada"]
    assert [row["name"] for row in found["by_commits"]] == ["Cyd Lane"]
