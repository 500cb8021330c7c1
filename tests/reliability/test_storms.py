"""Random requests and events over a live process, beside those of `protocol/test_bad_input`."""

from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest
from vouch_sidecar.surfaces.hook.client import END, FILE, PROMPT, START
from vouch_sidecar.surfaces.local.user_socket import ask

from tests.conftest import LONG
from tests.engine.bases import places
from tests.engine.processes import place, until
from tests.protocol import knowledge
from tests.protocol.client import PATIENT, Client, at
from tests.reliability.nonsense import changed

ROUNDS = 20_000 if LONG else 600
SECRET, OWNER = "xyzzy-answer", "xyzzy-owner"
TEXT = "Does JWT 😀 rotate, and is Rédis 密码 next to it? " * 20
FLOOD = "file:///flood.md"
JWT = {"topic": "jwt", "weight": "evidence"}
ASKED: list[tuple[str, dict[str, Any]]] = [
    ("vouch/context", {"task": "How long does a JWT live, and who knows Redis?"}),
    ("vouch/explain", {"text": TEXT}),
    ("vouch/search", {"query": "JWT tokens"}),
    ("vouch/experts", JWT),
    ("textDocument/hover", at(FLOOD, 0, 6)),
]


def events(root: Path) -> Mapping[str, dict[str, Any]]:
    """By event, one that is right."""
    of = {"session_id": "s", "cwd": str(root)}
    hunk = {"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 2, "lines": ["+# JWT", " x"]}
    file = {"startLine": 1, "numLines": 2, "content": "# Redis holds\nx\n"}
    tool = {"file_path": "src/auth/login.py", "offset": 1, "limit": 2, "old_string": "x"}
    tool |= {"new_string": "# JWT and Redis\n", "edits": [{"old_string": "a", "new_string": "b"}]}
    response = {"file": file, "structuredPatch": [hunk]}
    return {
        PROMPT: {**of, "prompt": f"How does a JWT rotate, {SECRET}?"},
        START: {**of, "source": "compact"},
        FILE: {**of, "tool_name": "Edit", "tool_input": tool, "tool_response": response},
        END: of,
    }


@pytest.mark.soak
def test_every_request_and_event_has_one_answer_and_no_log_holds_one() -> None:
    with place() as (folder, env):
        root, random = knowledge.make(folder / "project"), Random(43)
        (root / "CODEOWNERS").write_text(f"* @{OWNER}\n[x] @{OWNER}\nsrc/ {OWNER}\n", "utf-8")
        right, prompts, asked, taken_back, spoken = events(root), set(), [], set(), 0
        noted = {**env, **PATIENT, "VOUCH_SIDECAR_LOG": "debug"}
        with Client("lsp", cwd=root, env=noted) as client:
            client.initialize(root)
            client.indexed()
            client.open(FLOOD, TEXT, "markdown")
            until(lambda: any((folder / "run" / "vouch-sidecar").glob("*.sock")))
            wanted, since = client.request("vouch/experts", JWT)["experts"], len(client.received)
            for number in range(ROUNDS):
                asked.append(client.start(*random.choice(ASKED)))
                client.change(FLOOD, f"{TEXT}\nJWT {number}", number + 2)
                while random.random() < 0.5:
                    taken_back.add(random.choice(asked))
                    client.notify("$/cancelRequest", {"id": max(taken_back)})
                if number % 3:
                    continue
                prompt = changed(random, {"session_id": "s", "text": f"JWT {SECRET}"})
                prompts.add(client.start("vouch/prompt", prompt))
                event = random.choice(sorted(right))
                sent = changed(random, right[event])
                if number % 2:  # what another program sends, and what our hook makes of it
                    sent = {**sent, "cwd": str(root)} if isinstance(sent, dict) else {}
                said = ask(places(root), f"hook.{event}", sent, env=env, timeout=30)
                assert said is None or set(said) == {"hookSpecificOutput"}, (event, sent)
                spoken += said is not None
            for request_id in {*asked, *prompts}:
                client.answer(request_id)
            answers = [one for one in client.received[since:] if "method" not in one]
            assert sorted(one["id"] for one in answers) == sorted({*asked, *prompts})
            for one in answers:
                assert ("result" in one) is not ("error" in one), one
                assert "error" not in one or one["id"] in taken_back | prompts, one
            assert spoken > ROUNDS / 60
            assert client.request("vouch/experts", JWT)["experts"] == wanted
            assert client.strays == b""
        log = client.errors.decode()
    assert not [word for word in (" failed: ", SECRET, OWNER) if word in log]
