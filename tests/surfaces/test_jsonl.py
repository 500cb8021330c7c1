"""One JSON object a line, and an answer to every line."""

import json
from pathlib import Path
from typing import Any

from tests.protocol.client import Client

Answer = dict[str, Any]


def answers(root: Path, *lines: bytes) -> list[bytes]:
    """The answers to lines that are sent at once."""
    with Client("jsonl", cwd=root) as client:
        client.send_bytes(b"\n".join(lines))
        return client.last_words().splitlines()


def error(answer: Answer) -> str:
    assert answer["ok"] is False
    assert set(answer) == {"id", "ok", "error"}
    assert set(answer["error"]) == {"code", "message"}
    return str(answer["error"]["code"])


def test_bad_lines_cost_no_other(root: Path) -> None:
    no_requests = [b"not json", b"[1, 2]", b'"text"', b"\xff\xfe", b"[" * 100_000]
    no_requests.append(b'{"id": 1e999, "method": "kb.status"}')
    wrong: list[tuple[Answer, str]] = [
        ({}, "invalid_request"),
        ({"method": 5}, "invalid_request"),
        ({"method": "kb.unknown"}, "method_not_found"),
        ({"method": "experts", "params": {"topic": "jwt"}}, "method_not_found"),
        ({"method": "kb.experts"}, "missing_param"),
        ({"method": "kb.experts", "params": {"topic": " "}}, "invalid_request"),
        ({"method": "kb.experts", "params": [1]}, "invalid_request"),
        ({"method": "kb.salience"}, "missing_param"),
        ({"method": "kb.entity", "params": {"id": "never-seen"}}, "invalid_request"),
    ]
    bad = [{"id": number, **line} for number, (line, _) in enumerate(wrong)]
    asked = {"id": "asked", "method": "kb.experts", "params": {"topic": "jwt"}}
    objects = [json.dumps(each).encode() for each in (*bad, {**asked, "params": None}, asked)]
    *refused, last = map(json.loads, answers(root, *no_requests, b"", b"   ", *objects))
    assert [(answer["id"], error(answer)) for answer in refused] == [
        *((None, "invalid_request") for _ in no_requests),
        *((number, code) for number, (_, code) in enumerate(wrong)),
        ("asked", "missing_param"),
    ]
    assert set(last) == {"id", "ok", "result"}
    assert last["ok"] is last["result"]["complete"] is True
    assert [row["entity_id"] for row in last["result"]["experts"]] == ["jwt", "redis"]


def test_an_id_of_any_depth_is_answered(root: Path) -> None:
    sent = [b'{"id": %s}' % (b"[" * depth + b"]" * depth) for depth in range(800, 1_000)]
    assert len(answers(root, *sent)) == len(sent)
