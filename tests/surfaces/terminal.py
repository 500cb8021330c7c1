"""Runs commands as a person does: in a pipe, or on a terminal of some width."""

from __future__ import annotations

import re
from contextlib import redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest
from vouch_sidecar.surfaces.cli import main

from tests.protocol.client import COMMAND, as_command

COURIER = Path(__file__).parents[2] / "examples" / "courier"
STYLE = re.compile(r"\x1b\[[0-9;]*m")


class Terminal(TextIOWrapper):
    """Standard output that is a terminal."""

    def isatty(self) -> bool:
        return True


def on_terminal(width: int, *args: str, cwd: Path = COURIER) -> list[str]:
    """The lines that a terminal of a width shows, without their styles."""
    terminal = {"TERM": "xterm-256color", "COLUMNS": str(width)}
    with (
        Terminal(shown := BytesIO(), "utf-8", write_through=True) as out,
        as_command(cwd, terminal),
        redirect_stdout(out),
    ):
        with pytest.raises(SystemExit) as ended:
            main(args, COMMAND.name)
        assert ended.value.code == 0
        return STYLE.sub("", shown.getvalue().decode()).splitlines()
