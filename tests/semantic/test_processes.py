"""Where finding by meaning joins: real processes with a real model, or one that Ollama serves."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.engine.processes import until
from tests.protocol.client import indexed_client, run_command
from tests.semantic.conftest import ASKED, MEANT, Start, arms, vectors, with_model, write
from tests.semantic.model import Ollama

WAYS = (("search", "query"), ("probe", "text"), ("context", "task"))
PHOTOS = "Photos are deleted after 60 days."


def test_what_is_near_by_meaning_is_found_and_said(start: Start, root: Path) -> None:
    for number in range(9):
        write(root, f"storm-{number}", text=f"Winter storms ({number}).")
    process = start()
    process.ready()
    (hit,) = process.ask("search", query="which ETA models?", kinds=["entity"])["hits"]
    assert hit["id"] == "eta"
    assert hit["score"] > 0.3
    assert process.by_meaning("search", query="which queue?", kinds=["page"]) == ["lag"]
    assert len(process.by_meaning("search", query="is there snow?", limit=50)) == 5
    told = process.ask("context", task="is there snow in winter?")["items"]
    assert {item["kind"] for item in told} == {"claim"}  # what an entity is, answers nothing
    found = process.ask("context", task=ASKED)
    assert arms(found) == MEANT
    assert f"photos: {PHOTOS}" in found["text"]
    explained = process.ask("explain", text=ASKED)["texts"]
    (said,) = [row for row in explained if row["verdict"] == "said"]
    assert said["why"].endswith(": its meaning in common")
    assert said["factors"]["cosine"] > 0
    found = process.ask("context", task="When does a login at Relay expire, or an image?")
    assert [item["arm"] for item in found["items"]] == ["text"]
    for task in ("is the weather of today nice?", "an image?", "写真はいつまで保存されますか"):
        found = process.ask("context", task=task)  # another script is left to the words
        assert (found["items"], found["degraded"]) == ([], [])


def test_what_a_viewer_may_not_see_is_not_compared(start: Start, root: Path) -> None:
    write(root, "photos", text=PHOTOS, scope={"visibility": "private", "agent": "ada"})
    write(root, "long", text="For long this is how it is.")
    process = start()
    process.ready()
    first, second = process.ask("search", query=ASKED, viewer={"agent": "ada"})["hits"]
    assert arms({"hits": [first, second]}) == [*MEANT, ("long", None)]
    assert 1 >= first["score"] > second["score"] > 0
    for operation, field in WAYS:
        asked: dict[str, Any] = {field: ASKED}
        assert process.by_meaning(operation, **asked) == []
        assert process.by_meaning(operation, **asked, viewer={"agent": "ada"}) == ["photos"]


def test_what_is_retired_leaves_memory_and_disk(start: Start, root: Path, tmp_path: Path) -> None:
    process = start()
    process.ready()
    until(lambda: vectors(tmp_path))
    (before,) = vectors(tmp_path)
    write(root, "photos", text=PHOTOS, status="superseded")
    until(lambda: not process.by_meaning("search", query=ASKED))
    until(lambda: [now for now in vectors(tmp_path) if len(now) < len(before)])


def test_off_absent_and_broken_answer_alike(start: Start, tmp_path: Path) -> None:
    off = start(VOUCH_SIDECAR_SEMANTIC_MODEL="")
    broken = start(VOUCH_SIDECAR_SEMANTIC_MODEL=str(tmp_path / "nowhere"))
    until(broken.faults)
    lacks = "Nothing is found by meaning: the folder of the model has no `model.onnx`"
    assert (off.faults(), broken.faults()) == ([], [lacks])
    for operation, field in WAYS:
        for text in (ASKED, "When are photos deleted, and do tokens of Relay expire?"):
            wanted, found = (each.ask(operation, **{field: text}) for each in (off, broken))
            assert (wanted["degraded"], found["degraded"]) == ([], ["semantic_unavailable"])
            assert arms(found) == arms(wanted)
            assert "semantic" not in dict(arms(found)).values()
    assert off.ask("context", task=ASKED)["items"] == []


@pytest.mark.parametrize(
    ("lacks", "more"),
    [("onnxruntime", {}), ("numpy", {"VOUCH_SIDECAR_SEMANTIC_OLLAMA": "http://127.0.0.1:1"})],
)
def test_without_the_extra(start: Start, tmp_path: Path, lacks: str, more: dict[str, str]) -> None:
    (tmp_path / f"{lacks}.py").write_text(f"raise ModuleNotFoundError(name='{lacks}')")
    process = start(PYTHONPATH=str(tmp_path), **more)
    until(process.faults)
    (said,) = process.faults()
    assert said.endswith(f" by meaning: {lacks} is missing: install `vouch-sidecar[semantic]`")
    assert process.ask("search", query=ASKED)["degraded"] == ["semantic_unavailable"]


def test_vectors_are_kept(server: Ollama, start: Start, root: Path, tmp_path: Path) -> None:
    """What was retired meanwhile costs no other text its vector; another model costs all."""
    for digest, made in (("1", True), ("1", False), ("2", True), ("2", False)):
        server.digest = digest
        server.asked.clear()
        process = start(**server.env)
        process.ready()
        process.ask("context", task="for how long is the zanzibar image retained?")
        assert ("Tokens of Relay expire." in server.embedded) is made
        until(lambda: vectors(tmp_path))
        process.dispose()
        assert b"zanzibar" not in process.errors
        write(root, "photos", text=PHOTOS, status="superseded")
    files = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert files
    assert not any(b"zanzibar" in path.read_bytes() for path in files)


def test_a_server_comes_back_with_another_model(server: Ollama, start: Start, root: Path) -> None:
    process = start(**server.env)
    process.ready()
    server.failure, server.digest = (500, b"{}"), "2"
    without = process.ask("search", query=ASKED)
    assert without["degraded"] == ["semantic_unavailable"]
    assert not any("arm" in hit for hit in without["hits"])
    (said,) = process.faults()
    assert said.startswith("Nothing is found by meaning: Ollama answers with an error (500)")
    write(root, "one", text="Snow.")
    until(lambda: "Snow." in server.embedded)
    server.asked.clear()
    server.failure = ""
    write(root, "two", text="Storms.")  # it is tried again at once
    process.ready()
    assert PHOTOS in server.embedded
    assert process.faults() == []
    server.failure = (200, b'{"embeddings": [[1.0, 2.0, 3.0]]}')  # of another dimension
    assert process.ask("search", query=ASKED)["degraded"] == ["semantic_unavailable"]


def test_a_slow_server_costs_the_time_limit_at_most(server: Ollama, start: Start) -> None:
    """The answer comes while the server still holds its own."""
    process = start(VOUCH_SIDECAR_RECALL_TIMEOUT_MS="2000", **server.env)
    process.ready()
    server.failure = "slow"
    found = process.ask("probe", text="after how many days are photos deleted?")
    assert "semantic_unavailable" in found["degraded"]
    assert ("photos", "text") in {(hit["id"], hit["arm"]) for hit in found["hits"]}
    assert re.search("took longer than [0-9]+ ms|takes too long", process.faults()[0])
    assert not server.released.is_set()


def test_the_language_server_and_who_asks_it(root: Path, folder: Path, tmp_path: Path) -> None:
    env = with_model(folder, tmp_path / "cache")
    model = env["VOUCH_SIDECAR_SEMANTIC_MODEL"]
    with indexed_client(root, env=env | {"VOUCH_SIDECAR_SEMANTIC_MODEL": ""}) as server:
        for given, wanted in ((None, []), (model, MEANT), (None, []), (model, MEANT)):
            settings = {"vouchSidecar": {"semantic": {"model": given}}}
            server.notify("workspace/didChangeConfiguration", {"settings": settings})
            server.until("vouch/search", {"query": ASKED}, lambda f, w=wanted: arms(f) == w)  # type: ignore[misc]
    with indexed_client(root, env=env) as server:
        server.until("vouch/search", {"query": ASKED}, lambda answer: not answer["degraded"])
        for method, field in WAYS:
            assert arms(server.request(f"vouch/{method}", {field: ASKED})) == MEANT
        event = {"session_id": "agent", "cwd": str(root), "prompt": ASKED}
        said = run_command("hook", "user-prompt-submit", env=env, said=json.dumps(event)).stdout
        assert f"photos: {PHOTOS}" in said
        own = {k: v for k, v in env.items() if not k.startswith("VOUCH_")} | {"PYTHONUTF8": "1"}
        found = json.loads(run_command("search", ASKED, "--json", cwd=root, env=own).stdout)
        assert arms(found) == MEANT
