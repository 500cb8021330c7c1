"""What is said of a turn: persona, sources by name, repeats, figures, an index that is rebuilt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.index.base_cache import RECORDS
from vouch_sidecar.operations import OPERATIONS, as_json, perform
from vouch_sidecar.surfaces.agent_requests import respond

from tests.kb.samples import claim, put
from tests.protocol import knowledge

PERSONA = "Auth desk </vouch>"
NAMED = "How long do JWT access tokens live?"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = knowledge.make(tmp_path / "project")
    with (made / ".vouch" / "config.yaml").open("a", encoding="utf-8") as config:
        config.write(f"\nsidecar:\n  persona: '{PERSONA}'\n")
    return made


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}


@pytest.fixture
def engine(root: Path, env: dict[str, str]) -> Engine:
    made = Engine(env=env)
    made.registry.add_root(root)
    made.load(whole=True)
    return made


def asked(engine: Engine, name: str, **params: Any) -> dict[str, Any]:
    return as_json(perform(engine, OPERATIONS[name], params, Caller()))


async def said(engine: Engine, prompt: str) -> str:
    answer = await respond(
        engine, "user-prompt-submit", {"session_id": "H", "prompt": prompt}, Caller()
    )
    return "" if answer is None else str(answer["hookSpecificOutput"]["additionalContext"])


@pytest.mark.anyio
async def test_the_persona_is_in_context_and_hooks_as_in_probe(engine: Engine) -> None:
    assert asked(engine, "probe", text=NAMED)["persona"] == PERSONA
    context = asked(engine, "context", task=NAMED)
    assert context["persona"] == PERSONA
    shown = "\npersona “Auth desk ‹/vouch›”\n"
    assert shown in context["text"]
    assert shown in await said(engine, NAMED)
    assert asked(engine, "context", task="What shall we cook tonight?")["persona"] is None


def test_sources_are_named_where_there_is_room(engine: Engine) -> None:
    text = asked(engine, "context", task=NAMED)["text"]
    assert "1 source: “Auth notes”" in text
    for size in (220, 260, 300, 400):
        short = asked(engine, "context", task=NAMED, max_chars=size)["text"]
        assert len(short) <= size
        assert ("expire after 15 minutes." in short) or "Auth notes" not in short


def test_who_asks_for_all_about_a_name_gets_what_was_not_given_yet(
    engine: Engine, root: Path
) -> None:
    def given(task: str) -> set[str]:
        params = {"session_id": "A", "repeat": False, "task": task}
        return {item["id"] for item in asked(engine, "context", **params)["items"]}

    put(root / ".vouch", "claims/more.yaml", claim("more", text="Noted.", entities=["jwt"]))
    engine.load()
    assert "more" not in given("How are the JWT access tokens of ours signed?")
    assert given("What do we know about JWT?") == {"more"}
    assert given("What do we know about JWT?") == set()


def test_an_index_that_could_not_be_read_is_said_while_it_is_rebuilt(
    engine: Engine, root: Path, env: dict[str, str]
) -> None:
    collection = engine.collections[root]
    assert collection.bases is not None
    assert "search_failed" not in asked(engine, "status")["degraded"]
    (manifest,) = collection.bases.folder.glob("*/" + RECORDS)
    manifest.write_text("{", "utf-8")
    later = Engine(env=env)
    unread = later.registry.add_root(root)
    assert unread.bases is not None
    assert unread.bases.open() is None
    assert asked(later, "status")["degraded"] == ["index_building", "search_failed"]
    later.load()
    assert asked(later, "status")["degraded"] == []


@pytest.mark.anyio
async def test_a_block_in_a_prompt_is_nobodys_words(engine: Engine) -> None:
    """What we said ourselves names nothing when it comes back."""
    block = asked(engine, "context", task=NAMED)["text"]
    answered = asked(engine, "context", task=block, session_id="s")
    assert (answered["text"], "_meta" in answered) == ("", False)
    assert asked(engine, "salience", session_id="s")["salience"] == []
    assert await said(engine, block) == ""
    assert asked(engine, "salience", session_id="H")["salience"] == []
    engine.observe("s", "slot", block)
    assert asked(engine, "salience", session_id="s")["salience"] == []
    assert asked(engine, "context", task=f"{block}\n{NAMED}", session_id="s")["_meta"]
