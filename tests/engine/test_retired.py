"""What is retired is in no answer at once, and in no file soon, whoever is killed meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.bases import cached, engine_on, finished, write
from tests.engine.processes import Server, holds, place, serving, until
from tests.engine.world import answers, files, lay, said_by
from tests.kb.samples import claim
from tests.soak import soak

SECRET = "doormat"
TEXT = f"The Key Vault keeps its master key under the {SECRET}."
LIVE = {"text": TEXT, "entities": ["e0"], "confidence": 1.0}


@pytest.fixture
def folder() -> Iterator[Path]:
    with place() as (made, _):
        yield made


@pytest.fixture
def env(folder: Path) -> dict[str, str]:
    return {**cached(folder), "XDG_RUNTIME_DIR": str(folder / "run")}


@pytest.fixture
def root(folder: Path) -> Path:
    return lay(folder / "kb", {**files(), "claims/master-key.yaml": claim("master-key", **LIVE)})


def said(server: Server, root: Path) -> str:
    """All that a server answers, and what it says of the word itself."""
    about = server.ask("search", query=SECRET)["hits"], server.ask("probe", text=TEXT)["hits"]
    exact = server.ask("claim", id="master-key")
    return f"{answers(server.ask, root)}{about}{exact}"


def claims(server: Server) -> int:
    found = server.status()["counts"]["claims"]
    assert isinstance(found, int)
    return found


@soak
def test_with_three_processes_of_which_the_first_to_notice_is_killed(
    root: Path, folder: Path, env: dict[str, str]
) -> None:
    with serving(root, env, 3) as servers:
        (live,) = {claims(server) for server in servers}
        until(lambda: finished(folder), "no base was finished")
        assert all(SECRET in said(server, root) for server in servers)
        before = [*(folder / "cache").rglob("meta.json")]
        assert holds(folder / "cache", SECRET)

        retired = {**LIVE, "text": "[redacted]", "status": "redacted"}
        write(root, "claims/master-key.yaml", claim("master-key", **retired))
        first = noticed(servers, live)
        assert SECRET not in said(first, root)
        first.kill()
        assert not any(file.exists() for file in before)
        others = [server for server in servers if server is not first]
        until(lambda: all(claims(server) < live for server in others), "it was not noticed")
        assert not any(SECRET in said(server, root) for server in others)
        until(lambda: finished(folder), "no base was finished anew")
        until(lambda: not holds(folder / "cache", SECRET), "a file still holds it")
        wanted = said_by(engine_on(root))
        assert [answers(server.ask, root) for server in others] == [wanted, wanted]
        assert [server.faults() for server in others] == [[], []]
    assert not holds(folder / "cache", SECRET)
    assert said_by(engine_on(root, env=env)) == wanted


def noticed(servers: list[Server], live: int) -> Server:
    """The first server whose status shows that a claim is gone."""
    found: list[Server] = []

    def look() -> bool:
        found.extend(server for server in servers if claims(server) < live)
        return bool(found)

    until(look, "nobody noticed")
    return found[0]
