"""Hooks without a resident process: from the warm cache, or silent."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tantivy import Index
from vouch_sidecar.engine import Engine
from vouch_sidecar.index.base_cache import MANIFEST
from vouch_sidecar.index.layers import Layer
from vouch_sidecar.index.schema import artifact_in
from vouch_sidecar.surfaces.local.ownership import hold

from tests.engine.processes import until
from tests.hook.conftest import Hook, Place
from tests.hook.test_bad_input import listening, socket_of
from tests.protocol import knowledge
from tests.protocol.client import Client, run_command

PROMPT = "How do we rotate JWT tokens, zanzibar?"
PATIENT = {"VOUCH_SIDECAR_RECALL_TIMEOUT_MS": "10000"}


def warm(place: Place) -> None:
    run_command("warm", "--root", place.root, env=place.env)


def whole(place: Place) -> list[Path]:
    """The bases that a process can begin with."""
    return [manifest.parent for manifest in place.cache.glob("*/*/" + MANIFEST)]


def test_cold_it_is_silent_and_warms(hook: Hook, place: Place) -> None:
    assert hook("user-prompt-submit", prompt=PROMPT).is_silent()
    until(lambda: whole(place))
    answered = hook("user-prompt-submit", prompt=PROMPT, env=PATIENT)
    assert " jwt-rotates: Refresh tokens for JWT rotate on every use." in answered.text


def test_while_somebody_warms_nobody_else_does(hook: Hook, place: Place) -> None:
    lock = hold(place.root, place.env, "warm")
    assert lock is not None
    assert hold(place.root, place.env, "warm") is None
    assert hook("user-prompt-submit", prompt=PROMPT).is_silent()
    warm(place)
    assert not whole(place)
    os.close(lock)
    warm(place)
    assert whole(place)


def test_a_knowledge_base_below_the_folder_answers(hook: Hook, place: Place) -> None:
    warm(place)
    said = hook("user-prompt-submit", prompt=PROMPT, cwd=str(place.base), env=PATIENT).text
    assert "jwt-rotates" in said


def test_it_says_what_a_resident_process_says(hook: Hook, place: Place) -> None:
    warm(place)
    engine = Engine(env={})
    engine.add_root(place.root)
    engine.load()
    from vouch_sidecar.engine import Caller
    from vouch_sidecar.operations import context, perform

    unnamed = "which refresh tokens rotate on every use?"
    prompts = (PROMPT, "redis sessions", "JSON Web Token and Redis", "which tokens expire", unnamed)
    for prompt in prompts:
        said = perform(engine, context.OPERATION, {"task": prompt}, Caller()).text
        ended = hook("user-prompt-submit", prompt=prompt, env=PATIENT)
        assert (ended.text if ended.out else "") == said
    assert "jwt-rotates: " in said
    assert "3 claims" in hook("session-start", env=PATIENT).text


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


def test_it_needs_no_event_loop(hook: Hook, place: Place) -> None:
    """The import of one takes a twelfth of its time."""
    warm(place)
    told = {"PYTHONPROFILEIMPORTTIME": "1", "VOUCH_SIDECAR_LOG": "warning"}
    ended = hook("user-prompt-submit", prompt=PROMPT, env=told)
    assert "jwt-rotates" in ended.text
    imported = {line.rpartition(b"|")[2].strip() for line in ended.err.splitlines()}
    assert b"vouch_sidecar.retrieval.context" in imported
    assert b"asyncio" not in imported


def test_the_same_prompt_twice_is_answered_once(hook: Hook, place: Place) -> None:
    warm(place)
    assert hook("user-prompt-submit", prompt=PROMPT, env=PATIENT).out
    assert hook("user-prompt-submit", prompt=PROMPT, env=PATIENT).is_silent()
    assert hook("user-prompt-submit", prompt=PROMPT, session_id="b", env=PATIENT).out


def test_what_was_retired_since_is_not_said(hook: Hook, place: Place) -> None:
    """And once somebody has warmed the cache, it is in no file."""
    warm(place)
    (before,) = whole(place)
    (place.base / "changed").touch()
    text = "Refresh tokens for JWT rotate on every use."
    knowledge.claim(place.root, "jwt-rotates", text, "jwt", status="superseded")
    said = hook("user-prompt-submit", prompt=PROMPT, env=PATIENT).text
    assert "jwt-rotates" not in said
    assert "jwt-expires" in said
    assert not before.exists()
    until(lambda: whole(place))
    again = hook("user-prompt-submit", prompt=f"{PROMPT} Again.", env=PATIENT).text
    assert "jwt-rotates" not in again
    assert "jwt-expires" in again
    assert not stored(place, "rotate on every use")


def stored(place: Place, text: str) -> bool:
    """Whether a finished base holds a text, compressed as it is there."""
    layers = [Layer(Index.open(str(base))) for base in whole(place)]
    assert sum(layer.size for layer in layers) > 1
    documents = (document for layer in layers for document in layer.documents())
    return any(text in f"{artifact_in(one)}" for one in documents if one.get_all("artifact"))


def test_what_changed_since_is_said_as_it_is_now(hook: Hook, place: Place) -> None:
    warm(place)
    (before,) = whole(place)
    assert stored(place, "rotate on every use")
    (place.base / "changed").touch()
    knowledge.claim(place.root, "jwt-rotates", "JWT refresh tokens rotate every hour.", "jwt")
    knowledge.claim(place.root, "jwt-new", "We rotate the JWT signing key in May.", "jwt")
    said = hook("user-prompt-submit", prompt=PROMPT, env=PATIENT).text
    assert "every use" not in said
    for text in ("rotate every hour", "signing key in May"):
        assert text in said
    assert whole(place) == [before]


@pytest.mark.parametrize("changed", [3, 400])
def test_after_many_changes_what_it_leaves_behind_lets_the_next_one_answer(
    hook: Hook, place: Place, changed: int
) -> None:
    warm(place)
    before = whole(place)
    (place.base / "changed").touch()
    for number in range(changed):
        text = f"Rule {number}: JWT signing keys rotate."
        knowledge.claim(place.root, f"rule-{number}", text, "jwt")
    short = {"VOUCH_SIDECAR_RECALL_TIMEOUT_MS": "100"}
    assert hook("user-prompt-submit", prompt=PROMPT, env=short).is_silent()
    until(lambda: whole(place) not in ([], before))
    said = hook("user-prompt-submit", prompt="signing keys of JWT, which rule?", env=PATIENT).text
    assert "rule-" in said
    assert stored(place, f"Rule {changed - 1}: JWT")


def test_a_prompt_is_written_nowhere(hook: Hook, place: Place) -> None:
    warm(place)
    assert hook("user-prompt-submit", prompt=PROMPT, env=PATIENT).out
    for path in place.base.rglob("*"):
        assert not path.is_file() or b"zanzibar" not in path.read_bytes(), path
        assert "zanzibar" not in path.name


def test_a_process_that_serves_a_part_of_it_does_not_answer_for_all(
    hook: Hook, place: Place, server: Client
) -> None:
    knowledge.make(place.base / "other")
    warm(place)
    warm(replace(place, root=place.base / "other"))
    said = hook("user-prompt-submit", prompt=PROMPT, cwd=str(place.base), env=PATIENT).text
    assert {"PRIMARY", "SUPPLEMENTAL"} <= set(said.split())
    assert server.request("vouch/salience", {"session_id": "agent"})["salience"] == []


def test_an_owner_that_ends_in_the_middle_is_done_without(hook: Hook, place: Place) -> None:
    warm(place)
    with listening(socket_of(place), b'{"id":1,"ok":true,"result":5}\n'):
        said = hook("user-prompt-submit", prompt=PROMPT, env=PATIENT).text
    assert "jwt-rotates" in said


def test_the_way_to_a_resident_process_is_standard_library() -> None:
    code = (
        "import sys\n"
        "import vouch_sidecar.surfaces.entry, vouch_sidecar.surfaces.hook.client\n"
        "roots = {name.partition('.')[0] for name in sys.modules}\n"
        "print(*sorted(roots - sys.stdlib_module_names - {'vouch_sidecar', '__main__'}))\n"
        "print(*sorted(n for n in sys.modules if n.startswith('vouch_sidecar.')))\n"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2] / "sidecar",
    )
    foreign, own = done.stdout.splitlines()
    assert foreign == ""
    allowed = ("vouch_sidecar.surfaces", "vouch_sidecar.kb.discovery", "vouch_sidecar.version")
    assert all(name.startswith(allowed) or name == "vouch_sidecar.kb" for name in own.split())
