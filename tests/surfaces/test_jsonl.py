"""One JSON object a line, and an answer to every line."""

from __future__ import annotations

import io
import json
import os
import subprocess
from pathlib import Path

import anyio
import pytest
from vouch_sidecar.engine import DiskFollower, Engine
from vouch_sidecar.operations.readiness import READY_SECONDS
from vouch_sidecar.surfaces import jsonl
from vouch_sidecar.surfaces.projects import Projects

from tests.engine.bases import Clock, base, unread_engine
from tests.forks import Forked
from tests.protocol import knowledge
from tests.protocol.client import COMMAND, environment
from tests.surfaces.json_lines import Answer, answers


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return knowledge.make(tmp_path_factory.mktemp("jsonl") / "project")


def error(answer: Answer) -> str:
    assert answer["ok"] is False
    assert set(answer) == {"id", "ok", "error"}
    assert set(answer["error"]) == {"code", "message"}
    return str(answer["error"]["code"])


def test_the_first_index_is_waited_for(root: Path) -> None:
    (answer,) = answers(root, {"id": 1, "method": "kb.experts", "params": {"topic": "jwt"}})
    assert set(answer) == {"id", "ok", "result"}
    assert answer["ok"] is True
    assert answer["result"]["complete"] is True
    assert [row["entity_id"] for row in answer["result"]["experts"]] == ["jwt", "redis"]


def test_bad_lines_cost_no_other(root: Path) -> None:
    found = answers(
        root,
        b"not json",
        b"",
        b"   ",
        b"[1, 2]",
        b'"text"',
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"id": 1e999, "method": "kb.status"}',
        {"id": 1},
        {"id": 2, "method": 5},
        {"id": 3, "method": "kb.unknown"},
        {"id": 4, "method": "experts", "params": {"topic": "jwt"}},
        {"id": 5, "method": "kb.experts"},
        {"id": 6, "method": "kb.experts", "params": {"topic": " "}},
        {"id": 7, "method": "kb.experts", "params": [1]},
        {"id": 8, "method": "kb.experts", "params": {"topic": "jwt", "limit": 1000}},
        {"id": 9, "method": "kb.salience"},
        {"id": 10, "method": "kb.entity", "params": {"id": "never-seen"}},
        {"id": 11, "method": "kb.status", "params": None},
    )
    assert [(answer["id"], error(answer)) for answer in found[:-1]] == [
        *[(None, "invalid_request")] * 6,
        (1, "invalid_request"),
        (2, "invalid_request"),
        (3, "method_not_found"),
        (4, "method_not_found"),
        (5, "missing_param"),
        (6, "invalid_request"),
        (7, "invalid_request"),
        (8, "invalid_request"),
        (9, "missing_param"),
        (10, "invalid_request"),
    ]
    assert found[-1]["ok"] is True


def test_an_id_of_any_depth_is_answered(root: Path) -> None:
    sent = [b'{"id": %s}' % (b"[" * depth + b"]" * depth) for depth in range(800, 1_000)]
    process = Forked(["jsonl"], root, environment({}))
    printed, errors = process.communicate(b"\n".join(sent))
    assert process.returncode == 0, errors
    assert len(printed.splitlines()) == len(sent)


def test_sessions_are_kept_and_ended(root: Path) -> None:
    ask = {"id": 0, "method": "kb.experts", "params": {"topic": "jwt", "session_id": "A"}}
    salience = {"id": 1, "method": "kb.salience", "params": {"session_id": "A"}}
    end = {"id": 2, "method": "kb.session_end", "params": {"session_id": "A"}}
    found = answers(root, ask, ask, ask, salience, end, salience)
    assert found[2]["result"]["_meta"]["vouch_salience"][0]["entity_id"] == "jwt"
    assert [row["entity_id"] for row in found[3]["result"]["salience"]] == ["jwt"]
    assert found[5]["result"]["salience"] == []


def test_a_root_may_begin_with_the_home_folder(tmp_path: Path) -> None:
    root = knowledge.make(tmp_path / "project")
    asked = {"id": 1, "method": "kb.claim", "params": {"id": "jwt-expires", "root": "~/project"}}
    (answer,) = answers(root, asked, env={"HOME": str(tmp_path)})
    assert answer["result"]["claim"]["id"] == "jwt-expires"


def test_later_changes_on_disk_are_picked_up(tmp_path: Path) -> None:
    root = knowledge.make(tmp_path / "project")
    with subprocess.Popen(
        [COMMAND, "jsonl"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=root,
        env=environment({}),
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def claims() -> int:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(b'{"id": 1, "method": "kb.experts", "params": {"topic": "jwt"}}\n')
            process.stdin.flush()
            rows = json.loads(process.stdout.readline())["result"]["experts"]
            return int(rows[0]["claim_count"])

        assert claims() == 2
        knowledge.claim(root, "jwt-signed", "JWT is signed with ES256.", "jwt")
        while claims() != 3:
            assert process.poll() is None
        process.stdin.close()
        assert process.wait(5) == 0


@pytest.mark.anyio
async def test_no_question_waits_for_ever_for_the_first_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is never read here, and ten seconds are over."""

    async def never(_: DiskFollower) -> None:
        await anyio.sleep_forever()

    monkeypatch.setattr(DiskFollower, "run", never)
    clock = Clock()
    engine = unread_engine(base(tmp_path / "kb"), clock=clock)
    clock.now += READY_SECONDS
    lines = [
        b"not json",
        b'{"id": 1, "method": "kb.status"}',
        b'{"id": 2, "method": "kb.experts", "params": {"topic": "vault"}}',
    ]
    reading, writing = os.pipe()
    os.write(writing, b"\n".join(lines))
    os.close(writing)
    sink = io.BytesIO()
    with anyio.CancelScope() as scope, os.fdopen(reading, "rb", buffering=0) as source:

        async def ended(_: Engine) -> None:
            scope.cancel()
            await anyio.sleep(0)

        monkeypatch.setattr(jsonl, "indexed", ended)
        projects = Projects({}, tmp_path / "kb", is_chosen=True)
        await jsonl._serve(engine, projects, source, sink)
    bad, *found = map(json.loads, sink.getvalue().splitlines())
    assert error(bad) == "invalid_request"
    for answer in found:
        assert "index_building" in answer["result"]["degraded"]
        assert answer["result"]["complete"] is False
