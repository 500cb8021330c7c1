"""A base that is damaged while it is served costs an answer, not the server."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.engine.bases import finished
from tests.engine.processes import Server, serving, until

FAILED = "the index could not be read; it is being rebuilt"
QUESTIONS: list[tuple[str, dict[str, Any]]] = [
    ("experts", {"topic": "mail relay"}),
    ("search", {"query": "keys rotate"}),
    ("context", {"task": "How do the keys of the key vault rotate?"}),
    ("claim", {"id": "rotation"}),
]


def answered(server: Server) -> list[dict[str, Any]]:
    """All answers, without what another generation, or one more moment, says otherwise."""
    found = [server.ask(name, **params) for name, params in QUESTIONS]
    for one in found:
        one.pop("generation", None)
        if one.get("degraded") == ["workspace_pending"]:
            one["degraded"] = []
    return found


@pytest.mark.parametrize("ending", ["store", "term", "idx"])
def test_jsonl_answers_and_goes_on(here: tuple[Path, Mapping[str, str]], ending: str) -> None:
    """Files of the finished base are overwritten, which are mapped by whoever serves it."""
    folder, env = here
    with serving(folder / "kb", env, 1) as (first,):
        before = answered(first)
        until(lambda: finished(folder), "it is not finished")
    with serving(folder / "kb", env, 1) as (server,):
        server.status()
        (base,) = finished(folder)
        for file in (files := [*base.glob(f"*.{ending}")]):
            with file.open("r+b") as stream:
                stream.write(b"\xff" * file.stat().st_size)
        assert files
        assert {"error": FAILED} in answered(server)
        until(lambda: answered(server) == before, "it is not made anew")
        until(lambda: server.ask("status")["degraded"] == [], "it says that it is not whole")
