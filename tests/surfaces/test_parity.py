"""The same question gives the same object on every surface."""

import json
from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from vouch_sidecar.api import open_kb
from vouch_sidecar.operations.operation import operations
from vouch_sidecar.operations.wire import as_json
from vouch_sidecar.surfaces.agent_requests import harmless

from tests.engine.processes import Server, until
from tests.engine.world import PASSING, lasting
from tests.mcp.conftest import content_of, host
from tests.protocol.client import PATIENT, environment, indexed_client, run_command

TEXT = "Can we restart Relay while the rate limiter is busy?"
QUESTIONS = {name: dict(islice(each.example.items(), 1)) for name, each in operations().items()}
"""By operation the main param of its example."""
OWN = PASSING | {"sessions", "watcher", "operations"}
"""What the contract exempts, and what tells one process from another."""
OF_SHELL = {
    **{name: [*map(str, params.values())] for name, params in QUESTIONS.items()},
    "salience": [TEXT],
    "files": QUESTIONS["files"]["paths"],
}


def ask_all(ask: Callable[..., Any]) -> dict[str, Any]:
    """The answer to every question, once what lies around is known and a prompt was heard."""
    until(lambda: not ask("status")["degraded"])
    ask("experts", topic=TEXT, **QUESTIONS["salience"])
    return {name: ask(name, **params) for name, params in QUESTIONS.items()}


def by_shell(root: Path) -> dict[str, Any]:
    asked = QUESTIONS.keys() - {"capabilities", "session_end", "stats"}
    told = {n: run_command(n, *OF_SHELL[n], "--json", cwd=root, env=PATIENT) for n in asked}
    return {name: json.loads(done.stdout) for name, done in told.items()}


@pytest.fixture(scope="module")
def given(courier: Path) -> dict[str, dict[str, Any]]:
    """By surface, the answer to every question."""
    found = {}
    with indexed_client(courier, env=PATIENT) as client:
        found["lsp"] = ask_all(lambda name, **of: client.request(operations()[name].method, of))
        shell = found["shell that asks"] = by_shell(courier)
        answered = client.request("vouch/stats")["operations"]
        assert {row["operation"] for row in answered if row["count"] > 1} >= shell.keys()
    with Server(courier, PATIENT) as server:
        found["jsonl"] = ask_all(server.ask)
    with open_kb(courier, settings={"recall": {"timeout_ms": 10_000}}) as kb:
        found["python"] = ask_all(lambda name, **of: as_json(kb.ask(operations()[name], of)))
    with host(courier, environment(PATIENT)) as agent:
        found["mcp"] = ask_all(lambda name, **of: content_of(agent.call(name, **of)))
    found["shell"] = by_shell(courier)
    return found


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_same_answer(given: dict[str, dict[str, Any]], name: str) -> None:
    answers = {one: lasting(said[name], OWN) for one, said in given.items() if name in said}
    expected = answers.pop("lsp")
    block = {"text": expected["text"]} if name == "context" else {}
    assert answers.pop("mcp") == {**harmless(expected), **block}
    assert [*answers.values()] == [expected] * len(answers)
    if name in ("experts", "salience", "context", "search", "mentions"):
        keys = ("experts", "salience", "items", "hits", "mentions")
        assert any(expected.get(key) for key in keys)


def test_a_shell_prints_the_same_whoever_answers(courier: Path, tmp_path: Path) -> None:
    """Where another process does, it is that one alone, and in the asker's place."""
    lines = [
        (["experts", "zzzqqq relay", "--explain", "--json", "--root=.."], 0),
        (["search", "zzzqqq"], 1),
        (["entity", "relay", "--root", "..", "--header"], 0),
        (["files", "-"], 0),
        (["salience", "--agent", "--root", "..", "-"], 0),
        (["salience", "--", "-", "-h"], 0),
        (["search", "--header", "-", "--limit=3", "--agent", "-", "--root=.."], 0),
        (["experts", "relay", "--root", "gone/.."], 2),
        (["experts", "relay", "--root", ""], 2),
    ]
    alone = {**PATIENT, "XDG_RUNTIME_DIR": str(tmp_path)}
    with indexed_client(courier, env=PATIENT) as client:
        for line, code in lines:
            said = "incidents/INC-118.md\nrelay" if "-" in line else ""
            asked = partial(run_command, *line, cwd=courier / "docs", said=said, code=code)
            served, own = asked(env=PATIENT), asked(env=alone)
            assert (served.stdout, served.stderr) == (own.stdout, own.stderr), line
        timings = {r["operation"]: r["count"] for r in client.request("vouch/stats")["operations"]}
    names = ("experts", "search", "entity", "files", "salience")
    assert [timings.get(name, 0) for name in names] == [1, 2, 1, 1, 2]
