"""An operation is added by one file, a weight of experts by one class."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import vouch_sidecar
from mcp import ClientSession
from vouch_sidecar.operations import OPERATIONS
from vouch_sidecar.surfaces.cli.operation_commands import MUST_FIND
from vouch_sidecar.surfaces.mcp.tools import SERVED

from tests.mcp.client import called, connected, content_of, text_of
from tests.protocol import knowledge
from tests.protocol.client import environment, run_process, running

ECHO = '''"""Say a word again."""

from pydantic import Field

from vouch_sidecar.operations.wire import LongText, Params, Result
from vouch_sidecar.operations.operation import Operation


class EchoParams(Params):
    """A word."""

    word: LongText = Field(description="What to say.")
    times: int = Field(default=1, ge=1, le=3, description="How often.")


class EchoResult(Result):
    """The word again."""

    said: str


def answer(_, params):
    return EchoResult(said=" ".join([params.word] * params.times))


OPERATION = Operation(
    name="echo",
    summary="A word, said again.",
    params=EchoParams,
    result=EchoResult,
    run=answer,
    when="Call it to hear a word. Not in a library.",
    example={"word": "hush"},
    gist=lambda result: [f"It says {result.said}."],
    show=lambda page, result: page.record(result.said),
    text_field="word",
)
'''
FIFTH = """

class Fifth(ByCount):
    name = "fifth"
    formula = "sum, where every fifth claim is as good as any other"
"""


class Changed:
    """The program with something added, and a knowledge base that it serves."""

    def __init__(self, folder: Path, runtime: str) -> None:
        self.repository = folder / "repository"
        self.package = self.repository / "sidecar" / "vouch_sidecar"
        shutil.copytree(
            Path(vouch_sidecar.__file__).parent,
            self.package,
            ignore=shutil.ignore_patterns("__pycache__"),
        )
        self.root = knowledge.make(folder / "project")
        self.env = {
            "PYTHONPATH": str(self.package.parent),
            "PYTHONDONTWRITEBYTECODE": "1",
            "XDG_RUNTIME_DIR": runtime,
            "XDG_CACHE_HOME": str(folder / "cache"),
        }

    def shell(self, *args: str, said: str = "") -> str:
        """What a command prints that reads this."""
        return run_process(*args, cwd=self.root, env=self.env, said=said).stdout

    def schema(self) -> dict[str, Any]:
        """What `make generate` writes."""
        command = [sys.executable, "-m", "scripts.schemas"]
        here = Path(__file__).parents[2]
        subprocess.run(command, env=environment(self.env), cwd=here, check=True)
        written = self.repository / "schemas" / "protocol.json"
        found: dict[str, Any] = json.loads(written.read_text("utf-8"))
        return found

    def jsonl(self, method: str, **params: Any) -> dict[str, Any]:
        line = json.dumps({"id": 1, "method": method, "params": params})
        answer: dict[str, Any] = json.loads(self.shell("jsonl", said=line))
        return answer


@pytest.fixture
def changed(tmp_path: Path) -> Iterator[Changed]:
    with tempfile.TemporaryDirectory(prefix="vs") as runtime:  # a socket's path has little room
        yield Changed(tmp_path, runtime)


def test_an_operation_is_one_file(changed: Changed) -> None:
    (changed.package / "operations" / "echo.py").write_text(ECHO, "utf-8")
    asked = {"word": "Redis", "times": 2, "session_id": "s"}

    result = changed.jsonl("kb.echo", **asked)["result"]
    assert result["said"] == "Redis Redis"
    assert [row["entity_id"] for row in result["_meta"]["vouch_salience"]] == ["redis"]
    refused = changed.jsonl("kb.echo", word="x", times=9)["error"]
    assert refused["message"] == "times must be less than or equal to 3"

    assert "echo      Say a word again." in changed.shell("--help")
    assert "How often, 1 to 3." in changed.shell("echo", "--help")
    assert changed.shell("echo", "hush", "--times", "2") == "hush hush\n"
    assert json.loads(changed.shell("echo", "hush", "--json"))["said"] == "hush"

    operation = changed.schema()["operations"]["echo"]
    assert operation["method"] == "vouch/echo"

    with running(cwd=changed.root, env=changed.env) as client:
        told = client.initialize(changed.root)["capabilities"]["experimental"]["vouch"]
        assert "vouch/echo" in told["methods"]
        client.indexed()
        assert client.request("vouch/echo", asked)["said"] == "Redis Redis"

    async def talk(session: ClientSession) -> None:
        tools = {tool.name: tool for tool in (await session.list_tools()).tools}
        description = tools["kb_echo"].description or ""
        assert description.startswith("A word, said again. Call it to hear a word.")
        assert tools["kb_echo"].inputSchema["required"] == ["word"]
        answered = await called(session, "kb_echo", **asked)
        assert text_of(answered) == "It says Redis Redis."
        assert content_of(answered)["said"] == "Redis Redis"

    connected(changed.root, changed.env, talk, "--tools", "all")


def test_surfaces_know_nothing_of_operations_that_are_none() -> None:
    """And what a result says of itself names its own lists."""
    assert {*MUST_FIND, *SERVED} <= OPERATIONS.keys()
    assert all(OPERATIONS[name].result.found_in for name in MUST_FIND)
    for operation in OPERATIONS.values():
        result = operation.result
        assert set(result.found_in) <= result.model_fields.keys()
        assert bool(result.nothing) is bool(result.found_in)


def test_a_weight_is_one_class(changed: Changed) -> None:
    weights = changed.package / "retrieval" / "people" / "weights.py"
    with weights.open("a", encoding="utf-8") as source:
        source.write(FIFTH)
    asked = {"topic": "jwt", "weight": "fifth", "explain": True}

    (row, *_) = changed.jsonl("kb.experts", **asked)["result"]["experts"]
    assert row["explain"]["weight"] == "fifth"
    assert row["explain"]["formula"].startswith("sum, where every fifth")
    assert "[count|recency|citation|evidence|fifth]" in changed.shell("experts", "--help")
    listed = "count, recency, citation, evidence or fifth; anything else is read as count."
    fields = changed.schema()["$defs"]["ExpertsParams"]["properties"]
    assert fields["weight"]["description"] == listed
    assert fields["weight"]["x-titles"]["fifth"] == "by fifth"  # VS Code's choices
