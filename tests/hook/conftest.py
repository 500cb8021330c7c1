"""The hook command as a process, in a project with folders of its own, and who may answer it."""

import json
import os
import signal
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from vouch_sidecar.kb.discovery import RESIDENT
from vouch_sidecar.surfaces.local.user_socket import socket_path

from tests.engine import processes
from tests.engine.processes import until
from tests.protocol import knowledge
from tests.protocol.client import COMMAND, Client, indexed_client, ran

PROMPT, START, FILE, END = "user-prompt-submit", "session-start", "post-tool-use", "session-end"
LIMIT = "VOUCH_SIDECAR_RECALL_TIMEOUT_MS"
KEEP = {RESIDENT: "true"}
KNOWN = "How do we rotate JWT tokens, zanzibar?"


@dataclass(frozen=True)
class Place:
    """A project with a knowledge base, and the environment that hooks and servers share."""

    root: Path
    base: Path
    env: Mapping[str, str]

    @property
    def socket(self) -> Path:
        """The user's socket, in a folder that is there."""
        path = Path(socket_path(self.env))
        path.parent.mkdir(mode=0o700, exist_ok=True)
        return path

    def hook(
        self,
        event: str,
        prompt: object = None,
        *,
        raw: bytes = b"",
        env: Mapping[str, str] | None = None,
        **given: object,
    ) -> str:
        """What a hook hands to the agent. It has ten seconds, unless `env` says otherwise."""
        payload = {"session_id": "agent", "cwd": str(self.root), "prompt": prompt, **given}
        patient = {**self.env, LIMIT: "10000", **(env or {})}
        said = raw or json.dumps(payload).encode()
        done = ran(COMMAND, "hook", event, cwd=Path(os.sep), said=said, env=patient)
        assert (done.returncode, done.stderr) == (0, b"")
        if not done.stdout:
            return ""
        told = json.loads(done.stdout)["hookSpecificOutput"]
        assert set(told) == {"hookEventName", "additionalContext"}
        return str(told["additionalContext"])

    def processes(self) -> list[Path]:
        """What runs with folders of this project."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):  # it ended meanwhile
                if os.fsencode(self.base) in (process / "environ").read_bytes():
                    found.append(process)
        return found

    def is_left(self) -> bool:
        """Whether nothing of this project runs any more; what does is told to end."""
        running = self.processes()
        for process in running:
            with suppress(ProcessLookupError):
                os.kill(int(process.name), signal.SIGTERM)
        return not running

    @contextmanager
    def editor(self) -> Iterator[Client]:
        """A language server on the project, whose socket can be reached."""
        with indexed_client(self.root, env=self.env) as client:
            until(self.socket.exists)
            yield client

    @contextmanager
    def listener(self, *answers: bytes | None) -> Iterator[list[tuple[float, bytes]]]:
        """Who holds the socket, and answers with these in turn; what he was asked, and when."""
        asked = list[tuple[float, bytes]]()

        def serve(*answers: bytes) -> None:
            with suppress(OSError):  # nobody came
                for answer in answers:
                    connected, _ = listener.accept()
                    with connected:
                        question = connected.recv(1 << 16)
                        asked.append((time.monotonic(), question))
                        connected.sendall(answer)
                listener.close()

        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(self.socket))
            listener.listen()
            os.utime(self.socket, (0, 0))  # long ago: one that begins is waited for
            if None not in answers:
                threading.Thread(target=serve, args=answers, daemon=True).start()
            yield asked
            with suppress(OSError):  # it is closed
                listener.shutdown(socket.SHUT_RDWR)


@contextmanager
def project() -> Iterator[Place]:
    """A project; what was left running ends with it."""
    with processes.place() as (base, env):
        made = Place(knowledge.make(base / "work" / "project"), base, env)
        yield made
        until(made.is_left)


@contextmanager
def left_alone() -> Iterator[Place]:
    """A project whose knowledge base is the same afterwards."""
    with project() as made:
        before = knowledge.digest(made.root)
        yield made
        assert knowledge.digest(made.root) == before


@pytest.fixture
def place() -> Iterator[Place]:
    with left_alone() as made:
        yield made


@pytest.fixture(scope="module")
def served() -> Iterator[Place]:
    """A project with a language server, one for a whole module."""
    with left_alone() as made, made.editor():
        yield made
