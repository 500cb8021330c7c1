"""Where finding by meaning joins, over the real process with a real model."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.kb.samples import put
from tests.semantic import ollama
from tests.semantic.conftest import ASKED, Process, Start, write

QUESTIONS: list[tuple[str, dict[str, Any]]] = [
    ("search", {"query": ASKED}),
    ("search", {"query": "photos deleted"}),
    ("search", {"query": "Relay", "kinds": ["entity", "claim"]}),
    ("context", {"task": ASKED}),
    ("context", {"task": "When do tokens of Relay expire?", "session_id": "s", "repeat": False}),
    ("explain", {"text": ASKED}),
    ("experts", {"topic": "photos"}),
    ("salience", {"session_id": "s"}),
    ("entity", {"id": "relay"}),
    ("claim", {"id": "photos"}),
    ("capabilities", {}),
]


def ids(found: dict[str, Any], arm: str | None) -> list[str]:
    return [hit["id"] for hit in found.get("hits", found.get("items", [])) if hit.get("arm") == arm]


def answers(process: Process) -> list[str]:
    """Each, whatever was published meanwhile."""
    lines = (process.line(operation, **params) for operation, params in QUESTIONS)
    return [re.sub(r'"generation":\d+', '"generation":0', line) for line in lines]


def test_search_ranks_by_meaning_and_words(start: Start, root: Path) -> None:
    write(root, "long", text="For long this is how it is.")
    process = start()
    process.ready()
    hits = process.ask("search", query=ASKED)["hits"]
    assert [(hit["id"], hit.get("arm")) for hit in hits] == [("photos", "semantic"), ("long", None)]
    assert 1 >= hits[0]["score"] > hits[1]["score"] > 0


def test_at_most_five_by_meaning_alone(start: Start, root: Path) -> None:
    for number in range(9):
        write(root, f"pictures-{number}", text=f"Pictures erased ({number}).")
    process = start()
    process.ready()
    assert len(ids(process.ask("search", query=ASKED, limit=50), "semantic")) == 5


def test_context_speaks_where_it_may(start: Start, root: Path) -> None:
    silent, speaking = start(VOUCH_SIDECAR_SEMANTIC_MODEL=""), start()
    for process in (silent, speaking):
        process.ready()
    assert silent.ask("context", task=ASKED)["items"] == []
    found = speaking.ask("context", task=ASKED)
    assert ids(found, "semantic") == ["photos"]
    assert "photos: Photos are deleted after 60 days." in found["text"]
    told = speaking.ask("explain", text=ASKED)["texts"]
    (said,) = [row for row in told if row["verdict"] == "said"]
    assert said["why"].endswith(": near by meaning")
    assert said["factors"]["cosine"] > 0
    assert not any(row["verdict"] == "said" for row in silent.ask("explain", text=ASKED)["texts"])
    write(root, "other", text="Pictures are kept.")
    speaking.ready()
    assert len(speaking.ask("context", task=ASKED)["items"]) == 1


@pytest.mark.parametrize(
    "task",
    [
        "is the weather of today nice?",
        "an image?",
    ],
)
def test_context_is_silent(start: Start, task: str) -> None:
    process = start()
    process.ready()
    assert ids(process.ask("context", task=task), "semantic") == []


def test_where_names_speak_meaning_does_not(start: Start) -> None:
    process = start()
    process.ready()
    found = process.ask("context", task="When does a login at Relay expire, or an image?")
    assert [item["arm"] for item in found["items"]] == ["name"]


@pytest.mark.parametrize(
    "scope", [{"visibility": "private", "agent": "ada"}, {"visibility": "project", "project": "x"}]
)
def test_what_a_viewer_may_not_see_is_not_compared(
    start: Start, root: Path, scope: dict[str, str]
) -> None:
    write(root, "photos", text="Photos are deleted after 60 days.", scope=scope)
    process = start()
    process.ready()
    for operation, field in (("search", "query"), ("probe", "text"), ("context", "task")):
        asked: dict[str, Any] = {field: ASKED}
        assert ids(process.ask(operation, **asked), "semantic") == []
        seen = process.ask(operation, **asked, viewer={"agent": "ada", "project": "x"})
        assert ids(seen, "semantic") == ["photos"]


def test_what_is_retired_is_gone_at_once_and_from_the_disk(
    start: Start, root: Path, tmp_path: Path
) -> None:
    process = start()
    process.ready()
    process.until(lambda _: kept(tmp_path), "status")
    (before,) = kept(tmp_path)
    write(root, "photos", text="Photos are deleted after 60 days.", status="superseded")
    process.until(lambda answer: not ids(answer, "semantic"), "search", query=ASKED)
    process.ready()
    process.until(lambda _: [b for b in kept(tmp_path) if b != before], "status")
    (after,) = kept(tmp_path)
    assert len(after) < len(before)


def kept(tmp_path: Path) -> list[bytes]:
    return [path.read_bytes() for path in tmp_path.rglob("beside-vectors*")]


def test_vectors_are_kept_for_the_next_process(start: Start, folder: Path, tmp_path: Path) -> None:
    with ollama.serving(folder) as server:
        first = start(**server.env)
        first.ready()
        first.until(lambda _: kept(tmp_path), "status")
        first.end()
        made = [text for _, body in server.asked for text in body["input"]]
        assert "Photos are deleted after 60 days." in made
        server.asked.clear()
        second = start(**server.env)
        second.ready()
        assert ids(second.ask("search", query=ASKED), "semantic") == ["photos"]
        assert [text for _, body in server.asked for text in body["input"]] == [ASKED]


def test_no_prompt_is_kept(start: Start, tmp_path: Path) -> None:
    process = start()
    process.ready()
    process.ask("context", task="for how long is the zanzibar image retained?")
    process.until(lambda _: kept(tmp_path), "status")
    assert "zanzibar" not in process.end()
    files = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert files
    assert not any(b"zanzibar" in path.read_bytes() for path in files)


def test_another_script_is_left_to_the_words(start: Start) -> None:
    process = start()
    process.ready()
    for operation, field in (("search", "query"), ("context", "task")):
        found = process.ask(operation, **{field: "写真はいつまで保存されますか"})
        assert (ids(found, "semantic"), found["degraded"]) == ([], [])


def test_a_repository_decides_nothing_of_it(start: Start, root: Path, folder: Path) -> None:
    config = {"model": str(folder), "ollama": "http://127.0.0.1:1"}
    said = json.dumps({"kb": {"name": "ops"}, "sidecar": {"semantic": config}})
    put(root / ".vouch", "config.yaml", said.encode())
    process = start(VOUCH_SIDECAR_SEMANTIC_MODEL="")
    assert ids(process.ask("search", query=ASKED), "semantic") == []
    problems = process.ask("status")["roots"][0]["problems"]
    assert {problem["path"] for problem in problems} == {"config.yaml"}
    assert all(
        "client settings and the environment alone" in problem["message"] for problem in problems
    )


def test_off_absent_and_broken_answer_alike(start: Start, tmp_path: Path) -> None:
    off, broken = (
        start(VOUCH_SIDECAR_SEMANTIC_MODEL=""),
        start(VOUCH_SIDECAR_SEMANTIC_MODEL=str(tmp_path / "nowhere")),
    )
    (said,) = broken.until(lambda s: s["roots"][0]["problems"], "status")["roots"][0]["problems"]
    assert said["message"] == (
        "Nothing is found by meaning: the folder of the model has no `model.onnx`"
    )
    wanted = answers(off)
    degraded = '"degraded":["semantic_unavailable"]'
    assert degraded not in "".join(wanted)
    assert [line.replace(degraded, '"degraded":[]') for line in answers(broken)] == wanted
    assert off.said() == []


@pytest.mark.parametrize("ollama", [{}, {"VOUCH_SIDECAR_SEMANTIC_OLLAMA": "http://127.0.0.1:1"}])
def test_without_the_extra_it_says_what_to_install(
    start: Start, tmp_path: Path, ollama: dict[str, str]
) -> None:
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    lacking = "numpy" if ollama else "onnxruntime"
    (hidden / f"{lacking}.py").write_text(f"raise ModuleNotFoundError(name='{lacking}')")
    process = start(PYTHONPATH=str(hidden), **ollama)
    found = process.until(lambda s: s["roots"][0]["problems"], "status")
    assert found["roots"][0]["problems"][0]["message"] == (
        f"Nothing is found by meaning: {lacking} is missing: install `vouch-sidecar[semantic]`"
    )
    assert process.ask("search", query=ASKED)["degraded"] == ["semantic_unavailable"]
