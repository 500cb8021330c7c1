"""Random events of agents and editors over a live process, and random bytes where owners
are kept: each event has one answer, nothing fails, and nothing of them stands in a log.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from vouch_sidecar.surfaces.hook import payload as payloads
from vouch_sidecar.surfaces.hook.events import END, FILE, PROMPT, START
from vouch_sidecar.surfaces.local.client import UnansweredError, ask
from vouch_sidecar.workspace.code_owners import CodeOwners, rules_in

from tests.engine.processes import place, until
from tests.protocol import knowledge
from tests.protocol.client import running
from tests.reliability.nonsense import PIECES, texts, value
from tests.soak import LONG, examples, soak

CALLS = 20_000 if LONG else 300
SECRET = "xyzzy-answer"
OWNER = "xyzzy-owner"


def changed(random: Random, right: Any) -> Any:
    """A value that is right but for some parts, however deep they stand."""
    if random.random() < 0.1:
        return value(random)
    if isinstance(right, dict):
        return {
            name: changed(random, item) for name, item in right.items() if random.random() > 0.05
        }
    if isinstance(right, list):
        return [changed(random, item) for item in right for _ in range(random.randrange(3))]
    if isinstance(right, str) and random.random() < 0.3:
        return right + texts(random)
    if isinstance(right, int) and random.random() < 0.3:
        return random.choice((-1, 0, 10**9, 10**30, 1.5, True))
    return right


def events(root: Path) -> Mapping[str, dict[str, Any]]:
    """By event, one that is right."""
    hunk = {"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 2, "lines": ["+# JWT", " x"]}
    of = {"session_id": "s", "cwd": str(root)}
    file = {"startLine": 1, "numLines": 2, "content": "# Redis holds\nx\n"}
    tool = {
        "file_path": "src/auth/login.py",
        "offset": 1,
        "limit": 2,
        "old_string": "x",
        "new_string": "# JWT and Redis\n",
        "edits": [{"old_string": "a", "new_string": "Redis"}],
    }
    response = {"file": file, "structuredPatch": [hunk]}
    return {
        PROMPT: {**of, "prompt": f"How does a JWT rotate, {SECRET}?"},
        START: {**of, "source": "compact"},
        FILE: {**of, "tool_name": "Edit", "tool_input": tool, "tool_response": response},
        END: of,
    }


def in_editor(random: Random) -> tuple[str, Any]:
    """A request of an editor."""
    pause = {"seconds": random.choice((0, 1, None)), "root": None}
    params = {
        "vouch/pause": pause,
        "vouch/sessionEnd": {"session_id": "s"},
        "vouch/prompt": {"session_id": "s", "text": f"JWT {SECRET}"},
    }
    method = random.choice(sorted(params))
    return method, changed(random, params[method])


@soak
def test_every_event_has_one_answer_and_no_log_holds_one() -> None:
    with place() as (folder, env):
        root = knowledge.make(folder / "project")
        (root / "CODEOWNERS").write_text(f"* @{OWNER}\n[x] @{OWNER}\nsrc/ {OWNER}\n", "utf-8")
        right, random, spoken = events(root), Random(43), 0
        with running("lsp", cwd=root, env={**env, "VOUCH_SIDECAR_LOG": "debug"}) as client:
            client.initialize(root)
            client.indexed()
            until(lambda: any((folder / "run" / "vouch-sidecar").glob("*.sock")))
            for number in range(CALLS):
                event = random.choice(sorted(right))
                sent = changed(random, right[event])
                if number % 2:  # what another program sends, and what our hook makes of it
                    sent = {**sent, "cwd": str(root)} if isinstance(sent, dict) else {}
                try:
                    said = ask([root], f"hook.{event}", sent, env=env, timeout=30)
                except UnansweredError:  # it is refused
                    assert not isinstance(sent, dict)
                    continue
                assert said is None or set(said) == {"hookSpecificOutput"}, (event, sent)
                spoken += said is not None
                method, params = in_editor(random)
                answered = client.answer(client.start(method, params))
                assert ("result" in answered) is not ("error" in answered), (method, params)
            assert spoken > CALLS / 20
            assert client.request("vouch/pause", {"seconds": 0}) == {"paused_until": None}
            assert client.request("vouch/experts", {"topic": "jwt"})["experts"]
            assert client.strays == b""
        text = client.errors.decode()
    assert " failed: " not in text
    assert SECRET not in text
    assert OWNER not in text


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@examples(100)
@given(st.dictionaries(st.sampled_from(["tool_input", "tool_response", "cwd", "session_id"]), JSON))
def test_no_payload_raises(given: dict[str, Any]) -> None:
    assert payloads.digest_of(FILE, given)
    if payloads.edited_file(given) is None:
        return
    for read in (
        payloads.text_of,
        payloads.is_edit,
        payloads.change_of,
        payloads.ranges_of,
        payloads.ranges_before,
        payloads.growth_of,
    ):
        json.dumps(read(given))


OWNERS = st.lists(
    st.sampled_from(
        [*PIECES, "*", "**", "/", "docs/*", "@a", "@a/b", "a@b.example", "#", "\\ ", "\n"]
    )
)


@examples(100)
@given(
    st.binary(max_size=300) | OWNERS.map(lambda parts: " ".join(parts).encode("utf-8", "replace"))
)
def test_no_code_owners_raise(data: bytes) -> None:
    read = CodeOwners(rules=rules_in(data.decode("utf-8", "replace")))
    for path in ("src/a.py", "docs/", "a" * 300, ""):
        assert read.rule_for(path) in (None, *read.rules)
