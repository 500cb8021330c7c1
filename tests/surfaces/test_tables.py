"""What people read: whole ids at every width, and a row a line where nobody looks at it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
from contextlib import suppress
from pathlib import Path

import pytest
from rich.cells import cell_len

from tests.protocol import knowledge
from tests.protocol.client import COMMAND, environment, run_command
from tests.surfaces.courier import COURIER
from tests.surfaces.terminal import STYLE, on_terminal

LONG = "relay-answers-202-early--contradicts--relay-202-before-durable"
COMMANDS = [
    (["experts", "relay"], ["dead-letter-queue", "relay-202-before-durable", "17"]),
    (["salience", "why does Relay use Kafka?"], ["drain-before-restart", "1.00"]),
    (["search", "relay"], ["relay-answers-202-early", LONG]),
    (["entity", "kafka"], ["events-ordered-per-parcel", "relay-202-before-durable"]),
    (["claim", "inc-118-cause"], ["ev-902366559b84379a", "inc-118-review"]),
    (["probe", "why does Relay use Kafka?"], ["relay-uses-kafka"]),
    (["status"], ["courier", "73"]),
]


def piped(*args: str, cwd: Path = COURIER) -> list[str]:
    return run_command(*args, cwd=cwd, env={"COLUMNS": "40"}).stdout.splitlines()


@pytest.mark.parametrize(("args", "expected"), COMMANDS)
@pytest.mark.parametrize("width", [60, 120])
def test_on_a_terminal(width: int, args: list[str], expected: list[str]) -> None:
    lines = on_terminal(width, *args)
    assert [text for text in expected if not any(text in line for line in lines)] == []
    assert [ln for ln in lines if cell_len(ln) > width and LONG not in ln] == []


def test_a_row_is_a_line_in_a_pipe() -> None:
    (relay,) = (line for line in piped("experts", "relay") if line.startswith("relay\t"))
    assert relay.split("\t")[:6] == ["relay", "Relay", "system", "17", "13", "17"]
    assert relay.endswith("\tdepots-have-own-clock, dispatch-owner, dispatch-table-readonly")
    (claim,) = (line for line in piped("entity", "kafka") if line.startswith("claim\tkafka-five"))
    assert claim.endswith("losing two of them stops writes, which is wanted.")


def test_hashes_are_short_on_a_terminal_and_whole_in_a_pipe() -> None:
    for args in (["search", "relay", "--kind", "source"], ["claim", "inc-118-cause"]):
        hashes = re.findall(r"\b[0-9a-f]{64}\b", "\n".join(piped(*args)))
        assert hashes
        shown = "\n".join(on_terminal(80, *args))
        assert all(f"{digest[:12]}…" in shown for digest in hashes)


def test_long_texts_are_cut_on_a_terminal_but_where_they_were_asked_for(tmp_path: Path) -> None:
    root = knowledge.make(tmp_path / "project")
    knowledge.claim(root, "jwt-long", "JWT " + "word " * 2000 + "end.", "jwt")
    lines = on_terminal(80, "entity", "jwt", cwd=root)
    assert len("".join(lines)) < 3000
    assert any(line.rstrip().endswith("…") for line in lines)
    assert any("end." in line for line in on_terminal(80, "claim", "jwt-long", cwd=root))
    assert any(line.endswith("end.") for line in piped("entity", "jwt", cwd=root))


def test_what_a_narrow_terminal_has_no_columns_for_is_below(tmp_path: Path) -> None:
    root = knowledge.make(tmp_path / "project")
    long = "a-claim-with-a-very-long-name-that-fills-a-line"
    knowledge.claim(root, long, "JWT is long.", "jwt")
    lines = on_terminal(40, "experts", "jwt", "--limit", "1", cwd=root)
    assert lines[0] == "jwt"
    shown = " ".join(line.strip() for line in lines[1:])
    assert shown.startswith("name JWT · type concept · claims 3 · citations 1 · score 3")
    assert any(long in line for line in lines)


def test_wide_characters_take_their_room(tmp_path: Path) -> None:
    root = knowledge.make(tmp_path / "project")
    knowledge.entity(root, "ninsho", "認証基盤")
    knowledge.claim(root, "login", "認証基盤" * 60, "ninsho")
    lines = on_terminal(60, "entity", "ninsho", cwd=root)
    assert max(map(cell_len, lines)) <= 60
    heading, _, row, *_ = on_terminal(90, "experts", "認証基盤", cwd=root)
    before = row[: row.index("concept")]
    assert cell_len(before) == heading.index("type")


def test_a_table_is_as_wide_as_it_has_to_be() -> None:
    wide = on_terminal(200, "search", "relay", "--kind", "claim")
    narrow = on_terminal(70, "search", "relay", "--kind", "claim")
    assert len(narrow) > len(wide) == 12
    for word in "the scans table of dispatch is read-only since april;".split():
        assert any(word in line.casefold() for line in narrow)


def test_a_terminal_of_its_own() -> None:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 50, 0, 0))
    env = {**environment({"TERM": "xterm-256color"}), "COLUMNS": ""}
    with subprocess.Popen([COMMAND, "status"], stdout=theirs, cwd=COURIER, env=env) as process:
        os.close(theirs)
        shown = b""
        with suppress(OSError):  # how the end of a terminal shows on Linux
            while read := os.read(ours, 65_536):
                shown += read
    os.close(ours)
    assert process.returncode == 0
    lines = STYLE.sub("", shown.decode()).splitlines()
    assert any("courier" in line for line in lines)
    assert [line for line in lines if cell_len(line) > 50] == []
