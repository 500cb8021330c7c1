"""The command as a process of its own: what it leaves out."""

import sys
from pathlib import Path

import pytest

from tests.protocol.client import COMMAND, GREETINGS, ran

ANSWERED = {**GREETINGS, "experts": (b"", b"JWT"), "hook": (b"", b"")}
PLANT = "import os\nopen(os.environ['RAN'], 'a').close()\nraise ImportError\n"
PLANTED = ("pydantic", "tantivy", "yaml", "regex", "click", "anyio", "json", "subprocess")
COMMANDS = [["lsp"], ["jsonl"], ["experts", "jwt"], ["hook", "user-prompt-submit"]]


def test_who_has_closed_the_output_ends_with_a_code_of_his_own(tmp_path: Path) -> None:
    """As the language server on `exit`: nobody reads what is closed, but the client is there."""
    code = """if True:
        from vouch_sidecar.surfaces.stdio import *
        _, sink = claim_streams()
        sink.close()
        time.sleep(3 * CLIENT_POLL_SECONDS)
        os._exit(7)
    """
    assert ran(sys.executable, "-c", code, cwd=tmp_path).returncode == 7


@pytest.mark.parametrize("args", COMMANDS, ids=" ".join)
def test_nothing_that_is_planted_is_imported(root: Path, tmp_path: Path, args: list[str]) -> None:
    """Nor is a plugin of pydantic, which would see all; `sitecustomize` is out of reach."""
    mark, plugins = tmp_path / "ran", tmp_path / "plugins"
    for folder in (root, root / "here"):
        folder.mkdir(exist_ok=True)
        for name in PLANTED:
            (folder / f"{name}.py").write_text(PLANT)
    (plugins / "spy-1.dist-info").mkdir(parents=True)
    (plugins / "spy-1.dist-info/METADATA").write_text("Metadata-Version: 2.1\nName: spy\n")
    (plugins / "spy-1.dist-info/entry_points.txt").write_text("[pydantic]\nspy = spy:plugin\n")
    (plugins / "spy.py").write_text(PLANT)
    env = {"PYTHONPATH": f":here:.:{plugins}", "RAN": str(mark)}
    said, answered = ANSWERED[args[0]]
    done = ran(COMMAND, *args, cwd=root, said=said, env=env)
    assert not mark.exists(), done.stderr
    assert answered in done.stdout


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ("search nothing-like-it | true", 1, b"Nothing found.\n"),
        ("install zed 2>/dev/null | true", 1, b""),
        ("search jwt >&-", 0, b""),
        ("search nothing-like-it >&-", 1, b"Nothing found.\n"),
        ("status 2>&- >&- <&-", 0, b""),
        ("search jwt >/dev/full", 1, b"vouch-sidecar: No space left on device\n"),
        ("search jwt --json >/dev/full", 1, b"vouch-sidecar: No space left on device\n"),
    ],
)
def test_an_exit_code_without_readers(root: Path, command: str, code: int, said: bytes) -> None:
    done = ran("bash", "-c", f"set -o pipefail; {COMMAND} {command}", cwd=root)
    assert (done.returncode, done.stderr) == (code, said)


def test_a_working_folder_that_is_gone_is_not_asked_for(root: Path, tmp_path: Path) -> None:
    (gone := tmp_path / "gone").mkdir()
    done = ran("bash", "-c", f"rmdir {gone}; {COMMAND} experts jwt --root {root}", cwd=gone)
    assert b"JWT" in done.stdout, done.stderr
