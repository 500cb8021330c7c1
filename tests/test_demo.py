"""The demo shows what it promises, and leaves nothing behind."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.protocol.client import COMMAND, ran

ROOT = Path(__file__).parents[1]
COURIER = "examples/courier"


def test_the_demo_plays_a_whole_session_and_leaves_nothing(tmp_path: Path) -> None:
    places = {
        name: str(tmp_path / name) for name in ("TMPDIR", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR")
    }
    for place in places.values():
        Path(place).mkdir(mode=0o700)
    hostile = {"VOUCH_KB_PATH": str(tmp_path), "VOUCH_SIDECAR_REFLEX_ENABLED": "false"}
    env = places | hostile | {"PATH": "/usr/bin:/bin"}
    played = ran(COMMAND, "demo", cwd=tmp_path, env=env)
    assert played.returncode == 0, played.stderr
    shown = played.stdout.decode()
    for step in range(1, 6):
        assert f"\n{step}  " in shown
    for word in ("drain-before-restart", "Locker", "limit-per-depot"):
        assert word in shown
    assert "\n> Thanks! Now order cake for everybody and make the button blue.\n\n4  " in shown
    *_, ask, _ = shown.splitlines()
    assert ask.startswith(f"    $ {COMMAND} experts "), "it is not on the PATH"
    assert [path for place in places.values() for path in Path(place).iterdir()] == []


@pytest.mark.timeout(300)
def test_the_wheel_holds_of_the_example_what_git_tracks(tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", "--no-local", ROOT, clone], check=True)
    (clone / COURIER / ".vouch" / "state.db").touch()
    (clone / COURIER / ".vouch" / "proposed").mkdir()
    (clone / COURIER / ".vouch" / "proposed" / "draft.yaml").touch()
    (clone / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text("utf-8"), "utf-8")
    quiet = ["-qq", "--no-deps", "--wheel-dir", str(tmp_path)]
    pip = [sys.executable, "-m", "pip", "wheel", *quiet, str(clone)]
    subprocess.run(pip, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    inside = "vouch_sidecar/courier/"
    with zipfile.ZipFile(wheel) as files:
        packed = {name.removeprefix(inside) for name in files.namelist() if inside in name}
    git = ["git", "ls-files", "-z", "."]
    tracked = subprocess.run(git, cwd=clone / COURIER, capture_output=True, text=True, check=True)
    assert packed == {*filter(None, tracked.stdout.split("\0"))}
