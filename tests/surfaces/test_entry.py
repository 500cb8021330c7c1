"""The command as a process of its own: what it leaves out."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from vouch_sidecar.surfaces.lsp.framing import frame

from tests.protocol import knowledge
from tests.protocol.client import COMMAND, environment

INITIALIZE = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}'
STATUS = b'{"id":1,"method":"kb.status","params":{}}\n'


@pytest.mark.parametrize(
    ("args", "said", "answer"),
    [
        (["lsp"], frame(INITIALIZE), b'"serverInfo"'),
        (["jsonl"], STATUS, b'"ok":true'),
        (["experts", "jwt"], b"", b"JWT"),
    ],
    ids=["lsp", "jsonl", "shell"],
)
def test_no_plugin_of_pydantic_sees_what_is_said(
    tmp_path: Path, args: list[str], said: bytes, answer: bytes
) -> None:
    info, loaded = tmp_path / "spy-1.dist-info", tmp_path / "loaded"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: spy\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[pydantic]\nspy = spy:plugin\n")
    (tmp_path / "spy.py").write_text(f"open({str(loaded)!r}, 'w').close()\nplugin = None\n")
    done = subprocess.run(
        [COMMAND, *args],
        input=said,
        env=environment({"PYTHONPATH": str(tmp_path)}),
        cwd=knowledge.make(tmp_path / "project"),
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert answer in done.stdout
    assert not loaded.exists()
