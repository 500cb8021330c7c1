"""A model that Ollama serves, and everything that it can do wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from vouch_sidecar.semantic.backend import UnavailableError
from vouch_sidecar.semantic.loading import backend_of
from vouch_sidecar.semantic.local import Local
from vouch_sidecar.semantic.ollama import Ollama

from tests.engine.processes import until
from tests.semantic import ollama
from tests.semantic.conftest import ASKED, Start, files_of_vectors, write


@pytest.fixture
def server(folder: Path) -> Iterator[ollama.Ollama]:
    with ollama.serving(folder) as found:
        yield found


def test_vectors_come_from_the_server(server: ollama.Ollama, folder: Path) -> None:
    texts = ["a photo", "snow in winter"]
    rows = backend_of("tiny", server.address).embed(texts, 5)
    assert np.allclose(rows, Local(folder).embed(texts, 5))
    assert server.asked == [("/api/embed", {"model": "tiny", "input": texts, "truncate": True})]


@pytest.mark.parametrize(
    ("failure", "said"),
    [
        ("slow", "took longer than 300 ms"),
        ("drips", "took longer than 300 ms"),
        ("error", "an error \\(500\\)"),
        ("gone", "run `ollama pull tiny`"),
        ("closed", "does not answer: start it"),
        ("no json", "an error \\(200\\)"),
        ("a list", "an error \\(200\\)"),
        ("no rows", "choose another"),
        ("too few", "choose another"),
        ("words", "choose another"),
        ("zeros", "choose another"),
        ("too large", "choose another"),
        ("infinite", "choose another"),
    ],
)
def test_every_failure_says_what_to_do(server: ollama.Ollama, failure: str, said: str) -> None:
    backend = Ollama(server.address, "tiny")
    backend.embed(["snow"], 5)
    server.failure = failure
    with pytest.raises(UnavailableError, match=said):
        backend.embed(["snow"], 0.3)


def test_a_model_or_a_server_that_is_not_there(server: ollama.Ollama) -> None:
    with pytest.raises(UnavailableError, match="ollama pull other"):
        Ollama(server.address, "other")
    server.failure = "no list"
    with pytest.raises(UnavailableError, match="ollama pull tiny"):
        Ollama(server.address, "tiny")
    server.server_close()
    with pytest.raises(UnavailableError, match="start it"):
        Ollama(server.address, "tiny")


def test_a_server_that_dies_and_comes_back_with_another_model_of_that_name(
    server: ollama.Ollama, start: Start, root: Path
) -> None:
    process = start(**server.env)
    process.ready()
    server.failure, server.digest = "error", "2"
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
    assert "Photos are deleted after 60 days." in server.embedded
    assert process.faults() == []


def test_vectors_of_another_model_take_the_place_of_those_that_are_kept(
    server: ollama.Ollama, start: Start, tmp_path: Path
) -> None:
    for digest in ("1", "2", "2"):
        server.digest = digest
        server.asked.clear()
        process = start(**server.env)
        process.ready()
        made = server.embedded - {ASKED}
        until(lambda: files_of_vectors(tmp_path))
        process.dispose()
    assert made == set()


def test_what_was_made_before_a_failure_is_not_made_again(
    server: ollama.Ollama, start: Start, root: Path
) -> None:
    for number in range(20):
        write(root, f"storm-{number}", text=f"Storm {number}.")
    long = "Snow." * ollama.LONG
    write(root, "long", text=long)
    server.failure = "long"
    process = start(**server.env)
    until(process.faults)
    server.asked.clear()
    server.failure = ""
    process.ready()
    assert (long in server.embedded, "Storm 1." in server.embedded) == (True, False)


def test_kept_vectors_of_another_length_fail_no_question(
    server: ollama.Ollama, start: Start, tmp_path: Path
) -> None:
    first = start(**server.env)
    first.ready()
    until(lambda: files_of_vectors(tmp_path))
    first.dispose()
    server.failure = "another dimension"
    server.asked.clear()
    process = start(**server.env)
    until(lambda: process.ask("search", query=ASKED) and server.asked)
    assert process.ask("search", query=ASKED)["degraded"] == ["semantic_unavailable"]


def test_a_slow_server_costs_the_time_limit_at_most(server: ollama.Ollama, start: Start) -> None:
    """The answer comes while the server still holds its own."""
    process = start(VOUCH_SIDECAR_RECALL_TIMEOUT_MS="2000", **server.env)
    process.ready()
    server.failure = "slow"
    found = process.ask("probe", text="after how many days are photos deleted?")
    assert "semantic_unavailable" in found["degraded"]
    assert ("photos", "text") in {(hit["id"], hit["arm"]) for hit in found["hits"]}
    assert re.search("took longer than [0-9]+ ms|takes too long", process.faults()[0])
    assert not server.released.is_set()


def test_only_this_machine_is_asked(start: Start) -> None:
    process = start(VOUCH_SIDECAR_SEMANTIC_OLLAMA="http://192.0.2.1:11434")
    assert any("this machine" in text for text in process.faults())
