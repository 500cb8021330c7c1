"""Hooks without a resident process: from the warm cache, or silent."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from vouch_sidecar.engine import Engine
from vouch_sidecar.kb.layout import discover
from vouch_sidecar.surfaces.hook.alone import hold_warming
from vouch_sidecar.surfaces.hook.place import nearest

from tests.hook.conftest import Hook, Place, until
from tests.protocol import knowledge
from tests.protocol.client import COMMAND, environment

PROMPT = "How do we rotate JWT tokens, zanzibar?"
PATIENT = {"VOUCH_SIDECAR_RECALL_TIMEOUT_MS": "5000"}


def warm(place: Place) -> None:
    subprocess.run(
        [COMMAND, "warm", "--root", str(place.root)], env=environment(place.env), check=True
    )


def whole(place: Place) -> list[Path]:
    return list(place.cache.glob("*.cache"))


def test_cold_it_is_silent_and_warms(hook: Hook, place: Place) -> None:
    assert hook("user-prompt-submit", prompt=PROMPT).is_silent()
    until(lambda: whole(place))
    answered = hook("user-prompt-submit", prompt=PROMPT, env=PATIENT)
    assert " jwt-rotates: Refresh tokens for JWT rotate on every use." in answered.text


def test_while_somebody_warms_nobody_else_does(hook: Hook, place: Place) -> None:
    assert hold_warming(place.root, place.env)
    assert not hold_warming(place.root, place.env)
    assert hook("user-prompt-submit", prompt=PROMPT).is_silent()
    warm(place)
    assert not whole(place)


def test_it_says_what_a_resident_process_says(hook: Hook, place: Place) -> None:
    warm(place)
    engine = Engine(env={})
    engine.add_root(place.root)
    engine.load()
    from vouch_sidecar.engine import Caller
    from vouch_sidecar.operations import call

    unnamed = "which refresh tokens rotate on every use?"
    prompts = (PROMPT, "redis sessions", "JSON Web Token and Redis", "which tokens expire", unnamed)
    for prompt in prompts:
        said = call(engine, "context", {"task": prompt}, Caller())["text"]
        ended = hook("user-prompt-submit", prompt=prompt, env=PATIENT)
        assert (ended.text if ended.out else "") == said
    assert prompt == unnamed
    assert "“refresh tokens rotate use” 0.7 jwt-rotates: " in said
    assert "3 claims, 2 entities" in hook("session-start", env=PATIENT).text


def test_a_file_and_the_end_of_a_session(hook: Hook, place: Place) -> None:
    warm(place)
    event = {"file_path": str(place.root / "a.py"), "new_string": "x\n# the JWT\n"}
    said = hook("post-tool-use", tool_name="Edit", tool_input=event, env=PATIENT)
    assert "jwt-expires" in said.text
    assert hook("session-end").is_silent()


def test_without_a_folder_the_project_is_where_the_host_says(hook: Hook, place: Place) -> None:
    warm(place)
    env = {**PATIENT, "VOUCH_PROJECT_DIR": str(place.root)}
    assert hook("user-prompt-submit", prompt=PROMPT, cwd=None, env=PATIENT).is_silent()
    assert "jwt-rotates" in hook("user-prompt-submit", prompt=PROMPT, cwd=None, env=env).text
    (place.root / "a.py").write_text("# the JWT\n")
    event = {"file_path": "a.py"}
    assert "jwt-expires" in hook("post-tool-use", tool_input=event, cwd=None, env=env).text
    (place.base / "elsewhere").mkdir()
    env["VOUCH_PROJECT_DIR"] = str(place.base / "elsewhere")
    assert "jwt-rotates" in hook("user-prompt-submit", prompt=f"{PROMPT} Now?", env=env).text


def test_the_same_prompt_twice_is_answered_once(hook: Hook, place: Place) -> None:
    warm(place)
    assert hook("user-prompt-submit", prompt=PROMPT, env=PATIENT).out
    assert hook("user-prompt-submit", prompt=PROMPT, env=PATIENT).is_silent()
    assert hook("user-prompt-submit", prompt=PROMPT, session_id="b", env=PATIENT).out


def test_what_was_retired_since_is_not_said(hook: Hook, place: Place) -> None:
    warm(place)
    (place.base / "changed").touch()
    text = "Refresh tokens for JWT rotate on every use."
    knowledge.claim(place.root, "jwt-rotates", text, "jwt", status="superseded")
    assert hook("user-prompt-submit", prompt=PROMPT).is_silent()
    until(lambda: warmed_anew(place))
    again = hook("user-prompt-submit", prompt=PROMPT, env=PATIENT).text
    assert "jwt-rotates" not in again
    assert "jwt-expires" in again
    for path in place.cache.iterdir():
        assert b"rotate on every use" not in path.read_bytes()


def warmed_anew(place: Place) -> bool:
    files = whole(place)
    return bool(files) and all(b"every use" not in path.read_bytes() for path in files)


def test_a_damaged_cache_is_no_cache(hook: Hook, place: Place) -> None:
    warm(place)
    (path,) = whole(place)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x40
    path.write_bytes(data)
    assert hook("user-prompt-submit", prompt=PROMPT).is_silent()


def test_a_prompt_is_written_nowhere(hook: Hook, place: Place) -> None:
    warm(place)
    assert hook("user-prompt-submit", prompt=PROMPT, env=PATIENT).out
    for path in place.base.rglob("*"):
        assert not path.is_file() or b"zanzibar" not in path.read_bytes(), path
        assert "zanzibar" not in path.name


def test_only_the_user_may_read_what_is_kept(hook: Hook, place: Place) -> None:
    warm(place)
    hook("user-prompt-submit", prompt=PROMPT, env=PATIENT)
    for folder in (place.cache, place.runtime / "vouch-sidecar"):
        assert folder.stat().st_mode & 0o777 == 0o700
        for path in folder.rglob("*"):
            assert path.stat().st_mode & 0o077 == 0, path


def test_an_empty_knowledge_base_has_no_brief(hook: Hook, place: Place) -> None:
    (place.base / "changed").touch()
    for path in (place.root / ".vouch").rglob("*"):
        if path.is_file():
            path.unlink()
    warm(place)
    assert hook("session-start", env=PATIENT).is_silent(5)


def test_the_way_to_a_resident_process_is_standard_library() -> None:
    code = (
        "import sys\n"
        "import vouch_sidecar.surfaces.entry, sidecar.surfaces.hook.client\n"
        "roots = {name.partition('.')[0] for name in sys.modules}\n"
        "print(*sorted(roots - sys.stdlib_module_names - {'vouch_sidecar', '__main__'}))\n"
        "print(*sorted(n for n in sys.modules if n.startswith('sidecar.')))\n"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    foreign, own = done.stdout.splitlines()
    assert foreign == ""
    assert all(name.startswith("vouch_sidecar.surfaces") for name in own.split())


@pytest.mark.parametrize("home", ["", "project", "project/below"])
@pytest.mark.parametrize("start", ["", "project", "project/below", "project/below/deep", "other"])
@pytest.mark.parametrize("forced", [None, "project/.vouch", "project", "gone/.vouch"])
@pytest.mark.parametrize("allowed", [False, True])
def test_the_nearest_is_the_one_that_vouch_finds(
    tmp_path: Path, home: str, start: str, forced: str | None, allowed: bool
) -> None:
    for folder in ("project/.vouch", "project/below/deep", "other/.vouch"):
        (tmp_path / folder).mkdir(parents=True)
    if allowed:
        config = tmp_path / "project" / ".vouch" / "config.yaml"
        config.write_text("global: {allow_home_kb: true}\n", "utf-8")
    env = {"HOME": str(tmp_path / home)}
    if forced is not None:
        env["VOUCH_KB_PATH"] = str(tmp_path / forced)
    found = discover(tmp_path / start, env=env)
    assert nearest(str(tmp_path / start), env) == (None if found is None else str(found))
