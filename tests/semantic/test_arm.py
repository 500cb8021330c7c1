"""Where finding by meaning joins, over the real process with a real model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.engine.processes import until
from tests.kb.samples import put
from tests.semantic import ollama
from tests.semantic.conftest import ASKED, MEANT, Process, Start, arms, files_of_vectors, write


def test_search_ranks_by_meaning_and_words(start: Start, root: Path) -> None:
    write(root, "long", text="For long this is how it is.")
    process = start()
    process.ready()
    hits = process.ask("search", query=ASKED)["hits"]
    assert [(hit["id"], hit.get("arm")) for hit in hits] == [*MEANT, ("long", None)]
    assert 1 >= hits[0]["score"] > hits[1]["score"] > 0


def test_words_of_a_name_count_beside_its_description(heard: Process) -> None:
    (hit,) = heard.ask("search", query="which ETA models?", kinds=["entity"])["hits"]
    assert hit["id"] == "eta"
    assert hit["score"] > 0.3


def test_what_is_near_by_meaning_is_said_where_no_name_speaks(heard: Process) -> None:
    assert len(heard.by_meaning("search", query="is there snow?", limit=50)) == 5
    found = heard.ask("context", task=ASKED)
    assert arms(found) == MEANT
    assert "photos: Photos are deleted after 60 days." in found["text"]
    told = heard.ask("explain", text=ASKED)["texts"]
    (said,) = [row for row in told if row["verdict"] == "said"]
    assert said["why"].endswith(": near by meaning")
    assert said["factors"]["cosine"] > 0
    found = heard.ask("context", task="When does a login at Relay expire, or an image?")
    assert [item["arm"] for item in found["items"]] == ["name"]


@pytest.mark.parametrize(
    "task", ["is the weather of today nice?", "an image?", "写真はいつまで保存されますか"]
)
def test_context_is_silent(heard: Process, task: str) -> None:
    """Another script is left to the words."""
    found = heard.ask("context", task=task)
    assert (heard.by_meaning("context", task=task), found["degraded"]) == ([], [])


def test_what_a_viewer_may_not_see_is_not_compared(start: Start, root: Path) -> None:
    scope = {"visibility": "private", "agent": "ada"}
    write(root, "photos", text="Photos are deleted after 60 days.", scope=scope)
    process = start()
    process.ready()
    for operation, field in (("search", "query"), ("probe", "text"), ("context", "task")):
        asked: dict[str, Any] = {field: ASKED}
        assert process.by_meaning(operation, **asked) == []
        assert process.by_meaning(operation, **asked, viewer={"agent": "ada"}) == ["photos"]


def test_what_is_retired_is_gone_at_once_and_from_the_disk(
    start: Start, root: Path, tmp_path: Path
) -> None:
    process = start()
    process.ready()
    until(lambda: kept(tmp_path))
    (before,) = kept(tmp_path)
    write(root, "photos", text="Photos are deleted after 60 days.", status="superseded")
    until(lambda: not process.by_meaning("search", query=ASKED))
    process.ready()
    until(lambda: [b for b in kept(tmp_path) if b != before])
    (after,) = kept(tmp_path)
    assert len(after) < len(before)


def kept(tmp_path: Path) -> list[bytes]:
    return [path.read_bytes() for path in files_of_vectors(tmp_path)]


def test_vectors_are_kept_for_the_next_process_and_prompts_are_not(
    start: Start, folder: Path, tmp_path: Path
) -> None:
    with ollama.serving(folder) as server:
        first = start(**server.env)
        first.ready()
        first.ask("context", task="for how long is the zanzibar image retained?")
        until(lambda: kept(tmp_path))
        first.dispose()
        assert b"zanzibar" not in first.log
        assert "Photos are deleted after 60 days." in server.embedded
        server.asked.clear()
        second = start(**server.env)
        second.ready()
        assert second.by_meaning("search", query=ASKED) == ["photos"]
        assert server.embedded == {ASKED}
    files = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert files
    assert not any(b"zanzibar" in path.read_bytes() for path in files)


def test_what_was_retired_meanwhile_costs_no_other_text_its_vector(
    start: Start, root: Path, folder: Path, tmp_path: Path
) -> None:
    with ollama.serving(folder) as server:
        first = start(**server.env)
        first.ready()
        until(lambda: kept(tmp_path))
        first.dispose()
        server.asked.clear()
        write(root, "photos", text="Photos are deleted after 60 days.", status="superseded")
        start(**server.env).ready()
        assert server.embedded == {ASKED}


def test_a_repository_decides_nothing_of_it(start: Start, root: Path, folder: Path) -> None:
    config = {"model": str(folder), "ollama": "http://127.0.0.1:1"}
    said = json.dumps({"kb": {"name": "ops"}, "sidecar": {"semantic": config}})
    put(root / ".vouch", "config.yaml", said.encode())
    process = start(VOUCH_SIDECAR_SEMANTIC_MODEL="")
    assert process.by_meaning("search", query=ASKED) == []
    messages = [problem["message"] for problem in process.status()["problems"]]
    assert messages
    assert all("client settings and the environment alone" in message for message in messages)


def test_off_absent_and_broken_answer_alike(start: Start, tmp_path: Path) -> None:
    off = start(VOUCH_SIDECAR_SEMANTIC_MODEL="")
    broken = start(VOUCH_SIDECAR_SEMANTIC_MODEL=str(tmp_path / "nowhere"))
    until(broken.faults)
    lacks = "Nothing is found by meaning: the folder of the model has no `model.onnx`"
    assert broken.faults() == [lacks]
    assert off.faults() == []
    for operation, field in (("search", "query"), ("probe", "text"), ("context", "task")):
        for text in (ASKED, "When are photos deleted, and do tokens of Relay expire?"):
            wanted, found = (each.ask(operation, **{field: text}) for each in (off, broken))
            assert (wanted["degraded"], found["degraded"]) == ([], ["semantic_unavailable"])
            assert arms(found) == arms(wanted)
            assert "semantic" not in dict(arms(found)).values()
    assert off.ask("context", task=ASKED)["items"] == []


@pytest.mark.parametrize("ollama", [{}, {"VOUCH_SIDECAR_SEMANTIC_OLLAMA": "http://127.0.0.1:1"}])
def test_without_the_extra_it_says_what_to_install(
    start: Start, tmp_path: Path, ollama: dict[str, str]
) -> None:
    lacking = "numpy" if ollama else "onnxruntime"
    (tmp_path / f"{lacking}.py").write_text(f"raise ModuleNotFoundError(name='{lacking}')")
    process = start(PYTHONPATH=str(tmp_path), **ollama)
    until(process.faults)
    assert process.faults() == [
        f"Nothing is found by meaning: {lacking} is missing: install `vouch-sidecar[semantic]`"
    ]
    assert process.ask("search", query=ASKED)["degraded"] == ["semantic_unavailable"]
