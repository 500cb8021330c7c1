"""`vouch-sidecar watch`: sees sessions of hooks and of editors, whoever was there first."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from vouch_sidecar.kb.discovery import RESIDENT

from tests.engine.processes import until
from tests.hook.conftest import Place, hook_in, project
from tests.protocol.client import COMMAND, environment, running

PROMPT = "How do we rotate JWT tokens?"


@pytest.fixture
def place() -> Iterator[Place]:
    with project() as made:
        yield made


@contextmanager
def watching(place: Place) -> Iterator[list[list[str]]]:
    """The rows that a watch prints, as they come."""
    rows: list[list[str]] = []
    with subprocess.Popen(
        [COMMAND, "watch"],
        stdout=subprocess.PIPE,
        cwd=place.root,
        env=environment(place.env),
        text=True,
    ) as process:
        assert process.stdout is not None
        out = process.stdout
        threading.Thread(
            target=lambda: rows.extend(line.rstrip("\n").split("\t") for line in out), daemon=True
        ).start()
        try:
            yield rows
        finally:
            process.terminate()


def test_prompts_of_hooks_are_seen(place: Place) -> None:
    """Also by one that began before there was a process to follow."""
    with watching(place) as rows:
        keep = {RESIDENT: "true"}
        assert "jwt-" in hook_in(place)("user-prompt-submit", prompt=PROMPT, env=keep).text
        until(lambda: ["agent", "jwt", "JWT"] in [row[:3] for row in rows])


def test_what_is_edited_is_seen(place: Place) -> None:
    with watching(place) as rows, running(cwd=place.root, env=place.env) as editor:
        editor.initialize(place.root, initializationOptions={"session_id": "typing"})
        editor.indexed()
        editor.open("file:///notes.txt", "")
        editor.change("file:///notes.txt", "We ask Redis whether the JWT is known.")
        until(lambda: ["typing", "jwt"] in [row[:2] for row in rows])
