"""The smallest LSP client: one thread, so that what is measured is the server."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
COMMAND = Path(sys.executable).with_name("vouch-sidecar")
PAUSE = 0.004
"""Seconds between two looks, where something is waited for by asking; from 0.2 s on, a fiftieth of
what was waited: each question takes the interpreter from the thread that loads.
"""


class RefusedError(RuntimeError):
    """A request was answered with an error: `code` and `message` in `error`."""

    def __init__(self, method: str, error: dict[str, Any]) -> None:
        super().__init__(f"{method}: {error}")
        self.error = error


class Client:
    """One server process over stdio. Notifications of the server are dropped."""

    def __init__(
        self,
        env: Mapping[str, str],
        command: Sequence[str | Path] = (COMMAND, "lsp"),
        cwd: Path | None = None,
    ) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=cwd,
            env=dict(env),
        )
        self._next_id = 0

    def notify(self, method: str, params: object) -> None:
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def request(self, method: str, params: object) -> Any:
        """The result of a request. Raises RefusedError, and RuntimeError when the server ends."""
        message = self.next_answer({self.start(method, params)})
        if "error" in message:
            raise RefusedError(method, message["error"])
        return message["result"]

    def start(self, method: str, params: object) -> int:
        """Send a request; its id."""
        self._next_id += 1
        self._send({"jsonrpc": "2.0", "id": self._next_id, "method": method, "params": params})
        return self._next_id

    def next_answer(self, ids: Collection[int]) -> dict[str, Any]:
        """The message that answers one of these requests first. Raises RuntimeError when the server
        ends.
        """
        while True:
            message = self._receive()
            if "method" in message:
                self._refuse(message)
            elif message.get("id") in ids:
                return message

    def initialize(self, *roots: Path) -> None:
        """Everything up to the answer of `initialize`, with these folders open."""
        params: dict[str, Any] = {"processId": os.getpid(), "capabilities": {}}
        params["rootUri"] = roots[0].as_uri()
        if len(roots) > 1:
            folders = [{"uri": root.as_uri(), "name": root.name} for root in roots]
            params["workspaceFolders"] = folders
        self.request("initialize", params)

    def wait_for(self, condition: str, value: object) -> Any:
        """Ask an empty question until a field of the answer is at least `value`; the answer."""
        started = time.perf_counter()
        while True:
            answer = self.request("vouch/sessionEnd", {"session_id": "nobody"})
            if answer[condition] >= value:
                return answer
            time.sleep(max(PAUSE, (time.perf_counter() - started) / 50))

    def processor_time(self) -> float:
        """Seconds that the process took, with all its threads."""
        return time.clock_gettime(
            (~self.process.pid << 3) | 2
        )  # as clock_getcpuclockid(3) makes it

    def memory(self) -> int:
        """Bytes that the process holds."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) * 1024

    def close(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            stream.close()

    def _refuse(self, message: dict[str, Any]) -> None:
        if "id" in message:
            error = {"code": -32601, "message": "Method not found"}
            self._send({"jsonrpc": "2.0", "id": message["id"], "error": error})

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps(message).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self.process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        stream = self.process.stdout
        assert stream is not None
        length = 0
        while (line := stream.readline()) != b"\r\n":
            if not line:
                raise RuntimeError("the server has ended")
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        message: dict[str, Any] = json.loads(stream.read(length))
        return message


def environment(folder: Path) -> dict[str, str]:
    """Nothing of the user's own; caches and sockets lie in a folder. Bytecode is kept: what is
    installed has it.
    """
    folder.mkdir(mode=0o700, exist_ok=True)
    own = {name: value for name, value in os.environ.items() if not name.startswith("VOUCH_")}
    own.pop("PYTHONDONTWRITEBYTECODE", None)
    return own | {"XDG_CACHE_HOME": str(folder / "cache"), "XDG_RUNTIME_DIR": str(folder)}


def unpacked(ref: str | None, folder: Path) -> None:
    """The package of a commit in a new folder, or that of the working tree."""
    if ref is None:
        shutil.copytree(ROOT / "sidecar", folder / "sidecar")
        return
    folder.mkdir(parents=True)
    archive = ["git", "-C", str(ROOT), "archive", ref, "sidecar"]
    packed = subprocess.run(archive, check=True, capture_output=True).stdout
    subprocess.run(["tar", "-x", "-C", str(folder)], input=packed, check=True)


def is_finished(folder: Path) -> bool:
    """Whether what was read lies below a folder, so that the next start is a later one."""
    names = ("records", "manifest.json")  # the latter of older versions
    finished = (path for name in names for path in folder.rglob(name))
    return any(not path.parent.name.startswith("unfinished-") for path in finished)


@contextmanager
def connected(root: Path, folder: Path) -> Iterator[Client]:
    """A server that was asked to serve a knowledge base; it may know nothing of it yet."""
    client = Client(environment(folder))
    try:
        client.initialize(root)
        client.notify("initialized", {})
        yield client
    finally:
        client.close()


HIDDEN = (b"superseded", b"archived", b"redacted", b"private", b"elsewhere")
"""Claims whose files hold these are in no answer, or not as they are."""
EDITED = b"Edited now."
MAX_SECONDS = 60.0
"""Seconds until a claim is given up that is not answered as it was saved."""


def live_claims(root: Path, number: int) -> list[Path]:
    """The files of so many claims that everybody may see."""
    paths = sorted((root / ".vouch" / "claims").iterdir())
    live = (path for path in paths if not any(word in path.read_bytes() for word in HIDDEN))
    return list(islice(live, number))


def answers_as_saved(client: Client, path: Path) -> None:
    """Put words in front of a claim, report that it was saved, and ask until it is answered so."""
    path.write_bytes(path.read_bytes().replace(b'text: "', b'text: "%b ' % EDITED, 1))
    client.notify("textDocument/didSave", {"textDocument": {"uri": path.as_uri()}})
    until = time.monotonic() + MAX_SECONDS
    while EDITED.decode() not in str(client.request("vouch/claim", {"id": path.stem})):
        if time.monotonic() > until:
            raise TimeoutError(path)
        time.sleep(PAUSE)
