"""The first answer is whole, whoever serves, or says what it lacks."""

import threading
from math import inf
from pathlib import Path
from typing import Any

import anyio
import pytest
from vouch_sidecar.engine import Caller, Engine, running
from vouch_sidecar.engine.threads import WORLDS
from vouch_sidecar.kb.runtime_folder import READY_SECONDS
from vouch_sidecar.operations.call import perform
from vouch_sidecar.operations.operation import operations
from vouch_sidecar.operations.table import for_model
from vouch_sidecar.surfaces.agent_requests import respond
from vouch_sidecar.surfaces.console.printing import show
from vouch_sidecar.surfaces.hook.client import FILE, PROMPT, START
from vouch_sidecar.surfaces.jsonl import answer
from vouch_sidecar.surfaces.projects import Projects

from tests.engine.bases import Clock, base, cached, load, only, unread_engine, until
from tests.protocol.knowledge import config
from tests.workspace.places import cite, commit_as, git, repository

UNREAD = "Not everything is read yet"
CALLER = Caller()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = repository(tmp_path / "repo", {})
    cite(root, "night", "The relay restarts at night.", "src/relay.py")
    commit_as(root, "Ada Byron", {"src/relay.py": "x = 1\n"})
    return root


def engine_at(root: Path, **options: Any) -> Engine:
    nobody = {"XDG_RUNTIME_DIR": "/nowhere"}  # whom MCP could ask
    return unread_engine(root, env=cached(root.parent) | nobody, **options)


async def by_jsonl(engine: Engine, name: str, **params: Any) -> Any:
    request = {"id": 1, "method": f"kb.{name}", "params": params}
    return (await answer(engine, request, projects_of(engine)))["result"]


def projects_of(engine: Engine) -> Projects:
    return Projects(engine.env, Path(next(iter(engine.registry.collections)).root), is_chosen=True)


async def no_folders() -> list[str]:
    return []


async def by_mcp(engine: Engine, name: str, **params: Any) -> Any:
    from vouch_sidecar.surfaces.mcp.run import Answers  # with the SDK, which few tests need

    answers = Answers(projects_of(engine), engine)
    return (await answers.called(operations()[name], params, no_folders))["structuredContent"]


@pytest.mark.parametrize("ask", [by_jsonl, by_mcp])
async def test_the_first_answer_waits_until_it_is_whole(root: Path, ask: Any) -> None:
    engine = engine_at(root)
    async with running(engine):
        found = await ask(engine, "files", paths=["src/relay.py"])
    assert found["degraded"] == []
    assert [claim["id"] for file in found["files"] for claim in file["claims"]] == ["night"]


async def test_no_question_waits_for_ever(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Ten seconds are over, before which first no claim is read, then nothing around them."""
    clock = Clock()
    engine = engine_at(root, clock=clock)
    clock.now += READY_SECONDS
    engine.registry.set_folders([root, new := base(root.parent / "zoo")])
    only(engine, new).ready_at = inf  # of which nobody asks
    for ask in (by_jsonl, by_mcp):
        found = await ask(engine, "experts", topic="relay", types=["ship"])
        assert (found["complete"], "index_building" in found["degraded"]) == (False, True)
        assert (found.get("unknown"), found.get("unmatched")) == (None, None)
    load(engine)
    engine.registry.set_folders([root])
    for name, params in (("experts", {"topic": "zebra"}), ("files", {"paths": ["src/relay.py"]})):
        with anyio.fail_after(60):  # nothing is waited for any more
            asked = operations()[name], params, CALLER
            result = await perform(engine, *asked, until="first")
        show(operations()[name].shown(result))
        said = capsys.readouterr().err
        assert said.startswith(UNREAD)
        assert "No " not in said
    zebra = await perform(engine, operations()["experts"], {"topic": "zebra"}, CALLER)
    assert for_model(operations()["experts"].shown(zebra)).startswith(UNREAD)
    status = await perform(engine, operations()["status"], {}, CALLER)
    assert status.degraded == ["workspace_pending"]


@pytest.mark.parametrize(
    ("event", "told"),
    [(START, "subjects: keyring"), (PROMPT, "The keyring holds"), (FILE, " night: ")],
)
async def test_a_hook_waits_for_half_of_its_time(root: Path, event: str, told: str) -> None:
    """However little the settings leave to a question, for which who asks has more here."""
    config(root, "sidecar: {recall: {timeout_ms: 100}}\n")
    for number, text in enumerate(("The keyring holds keys.", "A keyring rotates.", "My keyring.")):
        cite(root, f"key-{number}", text, f"https://example.org/{number}")
    touched = {"file_path": str(root / "src" / "relay.py")}
    asked = {"cwd": str(root), "prompt": "What about the keyring?", "tool_input": touched}
    engine, is_over, answered = engine_at(root), threading.Event(), list[object]()
    until = anyio.current_time() + 60

    async def answer() -> None:
        caller = Caller(env={}, until=until, is_model=True)
        answered.append(await respond(engine, event, asked, caller))

    WORLDS.submit(is_over.wait)
    try:
        async with running(engine), anyio.create_task_group() as tasks:
            tasks.start_soon(answer)
            await anyio.sleep(0.5)
            is_over.set()
    finally:
        is_over.set()
    assert told in str(answered)


async def test_what_was_saved_is_in_the_next_answer_or_missing_by_name(root: Path) -> None:
    """Claims and the files that they quote; what is not yet looked at is said."""
    cite(root, "dusk", "It waits.", "src/wait.py", b"wait(30)\n", quote=b"wait(30)")
    (root / "src" / "wait.py").write_text("wait(30)\n", "utf-8")
    git(root, "add", "src/wait.py")
    engine = engine_at(root)
    (collection,) = engine.registry.collections.values()

    async def asked(patience: float = 20.0) -> tuple[str, str | None, list[str]]:
        asked = operations()["claim"], {"id": "dusk"}, CALLER
        found = await perform(engine, *asked, patience=patience)
        (cited,) = found.claim.citations
        return found.claim.text, cited.fresh, found.degraded

    async with running(engine):
        await until(lambda: collection.complete and not collection.is_world_behind)
        assert await asked() == ("It waits.", "there", [])
        (root.parent / "link").symlink_to(root)  # a path as a host of an agent may report it
        for line, fresh in [("wait(60)", "gone"), ("wait(30)", "there")] * 2:
            (root / "src" / "wait.py").write_text(f"{line}\n", "utf-8")
            engine.look_soon([root.parent / "link" / "src" / "wait.py"])
            hasty, patient = await asked(patience=0), await asked()
            assert patient == ("It waits.", fresh, [])
            assert hasty == patient or hasty[2] == ["workspace_pending"]
        engine.look_soon([root / ".vouch" / "state.db"])  # which holds nothing that is told
        assert (await asked(patience=0))[2] == []
        claim = root / ".vouch" / "claims" / "dusk.yaml"
        claim.write_text(claim.read_text("utf-8").replace("waits", "rests"), "utf-8")
        engine.look_soon([claim])
        hasty, patient = await asked(patience=0), await asked()
        assert patient[0] == "It rests."
        assert hasty[0] == "It rests." or "index_building" in hasty[2]
