"""Authors by commits on every surface: in an editor and a shell, and for models on demand."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from vouch_sidecar.surfaces.local.client import ask

from tests.engine.processes import until
from tests.protocol import knowledge
from tests.protocol.client import Client, environment, hover, run_command, running
from tests.workspace.places import cite, commit_as, repository

HOSTILE = "Eve](http://evil) `x` ![i](u) \u202e\u200bEnd"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = repository(tmp_path / "project", {"CODEOWNERS": "src/ @acme/keys\n"})
    commit_as(root, HOSTILE, {"src/relay.py": "1"}, at="2025-06-01T00:00:00+0000")
    commit_as(root, "Ada Byron", {"src/relay.py": "2"})
    knowledge.make(root)
    cite(root, "night", "JWT keys turn at night.", "src/relay.py", entities=["jwt"])
    return root


def looked(root: Path, client: Client, **options: Any) -> Client:
    client.initialize(root, **options)
    client.indexed()
    client.until("vouch/experts", {"topic": "turn at night"}, lambda a: not a["degraded"])
    return client


def asked(root: Path, env: dict[str, str], *arguments: str) -> str:
    return run_command(*arguments, "--root", root, env=env).stdout


def test_an_editor_shows_them_behind_whoever_is_declared(root: Path, tmp_path: Path) -> None:
    env = environment({"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")})
    with running(cwd=root, env=env) as client:
        looked(root, client)
        found = client.request("vouch/experts", {"topic": "turn at night"})["by_commits"]
        assert [row["name"] for row in found] == [
            "Ada Byron",
            "Eve](http://evil) `x` ![i](u) End",
        ]
        lines = hover(client, "JWT", 0, 1)["contents"]["value"].splitlines()
        shown = "Eve\\]\\(http\\://evil) \\`x\\` !\\[i\\]\\(u) End"
        (line,) = [line for line in lines if "commit)" in line]
        assert line.startswith("Ask acme/keys (owner of the files), Ada Byron (1 commit), Eve")
        assert "](http" not in line.replace("\\](", "")
        assert "\u202e" not in line
        assert shown.replace("\\(", "(") in line


def test_what_other_processes_ask_for_models_has_none(root: Path, tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="vs") as runtime:
        env = environment(
            {
                "HOME": str(tmp_path),
                "XDG_CACHE_HOME": str(tmp_path / "cache"),
                "XDG_RUNTIME_DIR": runtime,
            }
        )
        with running(cwd=root, env=env) as client:
            looked(root, client)
            until(lambda: any(Path(runtime).rglob("*.sock")))
            asked_for = partial(ask, [root], "kb.entity", {"id": "jwt"}, timeout=20.0)
            assert "by_commits" not in asked_for(env=env)
            agents = {**env, "VOUCH_SIDECAR_PEOPLE_GIT": "agents"}
            assert asked_for(env=agents)["by_commits"]
            assert "by_commits\tAda Byron" in asked(root, env, "entity", "jwt")
