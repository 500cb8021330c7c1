"""The demo shows what it promises, and leaves nothing behind."""

import subprocess
import tomllib
from pathlib import Path

from tests.protocol.client import COMMAND, ran

ROOT = Path(__file__).parents[1]
COURIER = "examples/courier"


def test_the_demo_plays_a_whole_session_and_leaves_nothing(tmp_path: Path) -> None:
    names = ("TMPDIR", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR")
    places = {name: str(tmp_path / name) for name in names}
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


def test_the_wheel_holds_of_the_example_what_git_tracks() -> None:
    """Its list names files and folders; what else vouch writes there lies beside these."""
    build = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]
    listed = build["targets"]["wheel"]["force-include"]
    git = ["git", "ls-files", "-z", COURIER]
    tracked = subprocess.run(git, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    files = [*filter(None, tracked.split("\0"))]
    written = [f"{COURIER}/.vouch/{name}" for name in ("state.db", "proposed/draft.yaml")]
    packed = [any(f"{file}/".startswith(f"{one}/") for one in listed) for file in files + written]
    assert packed == [True] * len(files) + [False] * len(written)
    example = [path for path in listed if path.startswith(COURIER)]
    assert all(listed[path] == path.replace("examples", "vouch_sidecar") for path in example)
