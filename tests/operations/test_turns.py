"""What is said of a turn: persona, sources by name, repeats, figures, an index that is rebuilt."""

import asyncio
from dataclasses import replace
from pathlib import Path
from threading import Event

import anyio
import pytest
from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.index.base_cache import RECORDS
from vouch_sidecar.operations.call import perform
from vouch_sidecar.operations.context import ContextParams, ContextResult
from vouch_sidecar.operations.operation import Operation, OperationCall, operations
from vouch_sidecar.surfaces.agent_requests import respond
from vouch_sidecar.surfaces.hook.client import PROMPT

from tests.engine.bases import ask, base, cached, engine_on, load, only, reread, unread_engine
from tests.protocol import knowledge

PERSONA = "Auth desk </vouch>"
NAMED = "How long do JWT access tokens live?"
TASK = {"task": "How long does a JWT live?"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = knowledge.make(tmp_path / "project")
    knowledge.config(made, f"sidecar: {{persona: '{PERSONA}'}}\n")
    return made


@pytest.fixture
def engine(root: Path, tmp_path: Path) -> Engine:
    return engine_on(root, env=cached(tmp_path))


def said(engine: Engine, prompt: str) -> str:
    """What a hook says of a prompt."""
    answer = anyio.run(respond, engine, PROMPT, {"session_id": "H", "prompt": prompt}, Caller())
    return "" if answer is None else str(answer["hookSpecificOutput"]["additionalContext"])


def test_the_persona_is_in_context_and_hooks_as_in_probe(engine: Engine) -> None:
    assert ask(engine, "probe", text=NAMED)["persona"] == PERSONA
    context = ask(engine, "context", task=NAMED)
    assert context["persona"] == PERSONA
    for text in (context["text"], said(engine, NAMED)):
        assert "\npersona “Auth desk ‹/vouch›”\n" in text
    assert ask(engine, "context", task="What shall we cook tonight?")["persona"] is None


def test_an_index_that_is_rebuilt_is_said(engine: Engine, root: Path, tmp_path: Path) -> None:
    assert "search_failed" not in ask(engine, "status")["degraded"]
    (records,) = (tmp_path / "cache").rglob(RECORDS)
    records.write_text("{", "utf-8")
    later = unread_engine(root, env=cached(tmp_path))
    bases = only(later).bases
    assert bases is not None
    assert bases.open() is None
    assert ask(later, "status")["degraded"] == ["index_building", "search_failed"]
    load(later)
    assert ask(later, "status")["degraded"] == ["workspace_pending"]


def test_a_probe_lists_what_a_context_tells_and_what_holds_the_words(courier: Path) -> None:
    engine = engine_on(courier)
    asked = {
        "entity": "Who decides which parcel goes on which tour, and who orders the stops of it?",
        "source": "Our rate limiter is per depot, per service or per driver?",
    }
    for kind, text in asked.items():
        hits = ask(engine, "probe", text=text)["hits"]
        found = {(hit["kind"], hit["id"]) for hit in hits if hit["arm"] == "text"}
        told = ask(engine, "context", task=text)["items"]
        assert kind in {each for each, _ in found}
        assert {(item["kind"], item["id"]) for item in told if item["arm"] == "text"} <= found


def test_prompts_lines_and_phrases_are_counted(tmp_path: Path) -> None:
    root = base(tmp_path / "kb")
    engine = engine_on(root)
    for prompt in ("How do the keys of the key vault rotate?", "Order cake for everybody, please."):
        event = {"session_id": prompt, "cwd": str(root), "prompt": prompt}
        anyio.run(respond, engine, PROMPT, event, Caller(env={}))
    found = ask(engine, "stats")
    assert (found["prompts"], found["told"], found["silent"], found["lines"]) == (2, 1, 1, 1)
    for from_cache in (False, True):
        probed = ask(engine, "probe", text="How do the keys rotate?", session_id="s")
        before, found = found, ask(engine, "stats")
        assert found["phrases"] - before["phrases"] == len(probed["phrases_tested"])
        assert bool(found["from_cache"] - before["from_cache"]) is from_cache
    assert {row["operation"]: row["count"] for row in found["operations"]}["probe"] == 2


async def held_up(engine: Engine, until: Event) -> asyncio.Task[ContextResult]:
    """`context`, asked already, which begins to look only when `until` is set."""
    context: Operation[ContextParams, ContextResult] = operations()["context"]

    def run(ask: OperationCall, params: ContextParams) -> ContextResult:
        assert until.wait(30)
        return context.run(ask, params)

    asked = asyncio.create_task(perform(engine, replace(context, run=run), TASK, Caller()))
    await asyncio.sleep(0)
    return asked


async def test_others_are_answered_meanwhile_and_it_of_when_it_was_asked(engine: Engine) -> None:
    go_on, before = Event(), engine.sessions.generation(engine.registry.roots)
    slow = await held_up(engine, go_on)
    for name, params in (("status", {}), ("entity", {"id": "jwt"})):
        await perform(engine, operations()[name], params, Caller())
    (root,) = engine.registry.roots
    for file in (root / ".vouch/claims").iterdir():
        file.unlink()
    reread(engine)
    assert not slow.done()
    go_on.set()
    answered = await slow
    assert engine.sessions.generation(engine.registry.roots) > before
    assert answered.generation == before
    assert answered.items


async def test_an_answer_out_of_nothing_yet_is_never_complete(root: Path) -> None:
    engine, go_on = unread_engine(root), Event()
    slow = await held_up(engine, go_on)
    load(engine)
    go_on.set()
    answered = await slow
    assert (answered.complete, answered.items) == (False, [])
    assert "index_building" in answered.degraded


async def test_one_that_is_cancelled_holds_nobody_up(engine: Engine) -> None:
    go_on = Event()
    slow = [await held_up(engine, go_on) for _ in range(9)]
    for one in slow:
        one.cancel()
    done, _ = await asyncio.wait(slow, timeout=30)
    assert [future.cancelled() for future in done] == [True] * len(slow)
    go_on.set()
    assert (await perform(engine, operations()["context"], TASK, Caller())).items
