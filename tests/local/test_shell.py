"""The shell asks a process that runs for the knowledge base, and gives the same answer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from tests.engine.world import PASSING, lasting
from tests.hook.conftest import Place, project
from tests.protocol import knowledge
from tests.protocol.client import Client, run_command

OWN = PASSING | {"sessions", "watcher"}
"""What tells one process from another."""


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with project() as made:
        (made.base / "elsewhere").mkdir()
        knowledge.entity(made.root, "mei", "Mei")
        owned = "id: r\nsource: jwt\nrelation: owned_by\ntarget: mei\n"
        knowledge.write(made.root, "relations/r.yaml", owned)
        yield made


@pytest.fixture(scope="module")
def server(place: Place) -> Iterator[Client]:
    with place.editor() as client:
        client.until("vouch/status", {}, lambda status: not status["degraded"])
        yield client


def ask(place: Place, *args: str, env: Mapping[str, str] | None = None) -> Any:
    """What a command prints as JSON, but for what is the process's own."""
    done = run_command(*args, "--json", cwd=place.root, env={**place.env, **(env or {})})
    return lasting(json.loads(done.stdout), OWN)


def answered(client: Client, operation: str) -> int:
    """How often the process has answered an operation."""
    timings = client.request("vouch/stats")["operations"]
    return sum(timing["count"] for timing in timings if timing["operation"] == operation)


@pytest.mark.parametrize(
    "args", [["experts", "jwt", "--explain"], ["entity", "jwt"], ["context", "JWT"], ["status"]]
)
def test_the_answer_is_the_same(place: Place, server: Client, args: list[str]) -> None:
    before = answered(server, args[0])
    wanted = ask(place, *args, env={"XDG_RUNTIME_DIR": str(place.base / "elsewhere")})
    if args[0] == "experts":  # who has a model asks nobody either
        assert ask(place, *args, env={"VOUCH_SIDECAR_SEMANTIC_MODEL": "/none"})["experts"]
    assert answered(server, args[0]) == before
    assert ask(place, *args) == wanted
    assert answered(server, args[0]) > before


def test_viewer_and_settings_are_those_of_who_calls(place: Place, server: Client) -> None:
    knowledge.claim(
        place.root, "mine", "JWT is mine.", "jwt", scope={"visibility": "private", "agent": "me"}
    )
    mine = {"topic": "jwt", "viewer": {"agent": "me"}, "root": str(place.root)}
    server.until("vouch/experts", mine, lambda answer: answer["experts"][0]["claim_count"] == 3)
    for args, env, count in (
        ([], {}, 2),
        (["--agent", "me"], {}, 3),
        ([], {"VOUCH_AGENT": "me"}, 3),
        (["--agent", "you"], {"VOUCH_AGENT": "me"}, 2),
    ):
        [row, *_] = ask(place, "experts", "jwt", *args, env=env)["experts"]
        assert row["claim_count"] == count


@pytest.mark.parametrize("answer", [None, b"nonsense\n", b'{"ok": true, "result": []}\n', b""])
def test_without_a_sensible_answer_it_works_alone(answer: bytes | None) -> None:
    with project() as place, place.listener(answer):
        assert ask(place, "experts", "jwt")["experts"][0]["entity_id"] == "jwt"
