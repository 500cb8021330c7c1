"""The command as a process of its own: what it leaves out."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.protocol import knowledge
from tests.protocol.client import COMMAND, environment, framed

INITIALIZE = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}'

STATUS = b'{"id":1,"method":"kb.status","params":{}}\n'


PLANT = "import os\nopen(os.environ['RAN'], 'a').close()\nraise ImportError\n"


@pytest.mark.parametrize(
    "args", [["lsp"], ["jsonl"], ["experts", "jwt"], ["hook", "user-prompt-submit"]], ids=" ".join
)
@pytest.mark.parametrize("pythonpath", [":", "here:."])
def test_nothing_that_a_workspace_plants_is_imported(
    tmp_path: Path, args: list[str], pythonpath: str
) -> None:
    """What Python itself imports before the command begins, as `sitecustomize`, is out of reach."""
    root, ran = knowledge.make(tmp_path / "project"), tmp_path / "ran"
    for folder in (root, root / "here"):
        folder.mkdir(exist_ok=True)
        for name in (
            "pydantic",
            "tantivy",
            "yaml",
            "regex",
            "click",
            "anyio",
            "json",
            "subprocess",
        ):
            (folder / f"{name}.py").write_text(PLANT)
    done = subprocess.run(
        [COMMAND, *args],
        input=framed(INITIALIZE) if args == ["lsp"] else STATUS,
        env=environment({"PYTHONPATH": pythonpath, "RAN": str(ran)}),
        cwd=root,
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert not ran.exists(), done.stderr
    assert args[0] == "hook" or done.stdout


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("search nothing-like-it | true", 1),
        ("search jwt >&-", 0),
        ("search nothing-like-it >&-", 1),
        ("status 2>&- >&- <&-", 0),
    ],
)
def test_the_exit_code_says_what_was_found_though_nobody_reads_it(
    tmp_path: Path, command: str, code: int
) -> None:
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {COMMAND} {command}"],
        env=environment({}),
        cwd=knowledge.make(tmp_path / "project"),
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (code, b"Nothing found.\n" if code else b"")


def test_texts_are_utf8_in_every_locale(tmp_path: Path) -> None:
    root = knowledge.make(tmp_path / "größer")
    knowledge.entity(root, "lucja", "Łucja")
    done = subprocess.run(
        [COMMAND, "entity", "Łucja", "--root", str(root)],
        env=environment({"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}),
        cwd=tmp_path,
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.stdout.decode().startswith("entity\tlucja\tŁucja\t"), done.stderr


@pytest.mark.parametrize(
    ("args", "said", "answer"),
    [
        (["lsp"], framed(INITIALIZE), b'"serverInfo"'),
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
