"""A base that is damaged while it is served costs an answer, not the server."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from vouch_sidecar.index.base_cache import RECORDS

from tests.engine.processes import Server, serving, until

FAILED = "the index could not be read; it is being rebuilt"
QUESTIONS: list[tuple[str, dict[str, Any]]] = [
    ("experts", {"topic": "mail relay"}),
    ("search", {"query": "keys rotate"}),
    ("context", {"task": "How do the keys of the key vault rotate?"}),
    ("claim", {"id": "rotation"}),
]


def finished(folder: Path) -> list[Path]:
    """The folders of finished bases: one gets its manifest, then its name."""
    found = (manifest.parent for manifest in folder.rglob(RECORDS))
    return [base for base in found if not base.name.startswith("unfinished-")]


def overwrite(folder: Path, ending: str) -> list[Path]:
    """Overwrite the files of the finished base, which are mapped by whoever serves it."""
    until(lambda: finished(folder), "it is not finished")
    (base,) = finished(folder)
    files = [*base.glob(f"*.{ending}")]
    for file in files:
        with file.open("r+b") as stream:
            stream.write(b"\xff" * file.stat().st_size)
    return files


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
    folder, env = here
    with serving(folder / "kb", env, 1) as (first,):
        before = answered(first)
        until(lambda: finished(folder), "it is not finished")
    with serving(folder / "kb", env, 1) as (server,):
        server.status()
        assert overwrite(folder, ending)
        assert {"error": FAILED} in answered(server)
        until(lambda: answered(server) == before, "it is not made anew")
        until(lambda: server.ask("status")["degraded"] == [], "it says that it is not whole")
