"""What people read: whole ids at every width, and a row a line where nobody looks at it."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.cells import cell_len

from tests.protocol import knowledge
from tests.protocol.client import run_command
from tests.surfaces.terminal import COURIER, on_terminal

LONG = "relay-answers-202-early--contradicts--relay-202-before-durable"
COMMANDS = [
    (["experts", "relay"], ["dead-letter-queue", "relay-202-before-durable", "17"]),
    (["salience", "why does Relay use Kafka?"], ["drain-before-restart", "1.00"]),
    (["search", "relay"], ["relay-answers-202-early", LONG]),
    (["entity", "kafka"], ["events-ordered-per-parcel", "relay-202-before-durable"]),
    (["claim", "inc-118-cause"], ["ev-902366559b84379a", "inc-118-review"]),
    (["claim", "relay-answers-202-early"], ["approved by reviewer", "contradicted by"]),
    (["probe", "why does Relay use Kafka?"], ["relay-uses-kafka"]),
    (["status"], ["courier", "73"]),
]


@pytest.mark.parametrize(("args", "expected"), COMMANDS)
@pytest.mark.parametrize("width", [60, 120])
def test_on_a_terminal(width: int, args: list[str], expected: list[str]) -> None:
    lines = on_terminal(width, *args)
    assert [text for text in expected if not any(text in line for line in lines)] == []
    assert [ln for ln in lines if cell_len(ln) > width and LONG not in ln and " " in ln] == []


def test_a_row_is_a_line_in_a_pipe() -> None:
    experts, kafka = (
        run_command(*args, cwd=COURIER, env={"COLUMNS": "40"}).stdout.splitlines()
        for args in (["experts", "relay"], ["entity", "kafka"])
    )
    (relay,) = (line for line in experts if line.startswith("relay\t"))
    assert relay.split("\t")[:6] == ["relay", "Relay", "system", "17", "13", "17"]
    assert relay.endswith("\tdepots-have-own-clock, dispatch-owner, dispatch-table-readonly")
    (claim,) = (line for line in kafka if line.startswith("claim\tkafka-five"))
    assert claim.endswith("losing two of them stops writes, which is wanted.")


def test_wide_characters_take_their_room(tmp_path: Path) -> None:
    root = knowledge.make(tmp_path / "project")
    knowledge.entity(root, "ninsho", "認証基盤")
    knowledge.claim(root, "login", "認証基盤" * 60, "ninsho")
    lines = on_terminal(60, "entity", "ninsho", cwd=root)
    assert max(map(cell_len, lines)) <= 60
    heading, _, row, *_ = on_terminal(90, "experts", "認証基盤", cwd=root)
    before = row[: row.index("concept")]
    assert cell_len(before) == heading.index("type")
