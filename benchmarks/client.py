"""The smallest LSP client: one thread, so that what is measured is the server."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Self

ROOT = Path(__file__).resolve().parents[1]
PAUSE = 0.004
"""Seconds between two looks, where something is waited for by asking; from 0.2 s on, a fiftieth of
what was waited: each question takes the interpreter from the thread that loads.
"""


class RefusedError(RuntimeError):
    """A request was answered with an error, of this code."""

    def __init__(self, method: str, error: Mapping[str, Any]) -> None:
        super().__init__(f"{method}: {error}")
        self.code = error["code"]


class Client:
    """One server process over stdio. Notifications of the server are dropped."""

    def __init__(self, env: Mapping[str, str], command: Sequence[str | Path], cwd: Path) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, cwd=cwd, env=dict(env)
        )
        self._next_id = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        with self.process:
            self.process.wait()

    def notify(self, method: str, params: object, **more: int) -> None:
        self._send({"jsonrpc": "2.0", "method": method, "params": params, **more})

    def request(self, method: str, params: object) -> Any:
        """The result of a request. Raises RefusedError, and RuntimeError when the server ends."""
        self._next_id += 1
        self.notify(method, params, id=self._next_id)
        while True:
            message = self._receive()
            if "method" in message and "id" in message:
                refused = {"code": -32601, "message": "Method not found"}
                self._send({"jsonrpc": "2.0", "id": message["id"], "error": refused})
            elif message.get("id") == self._next_id:
                if "error" in message:
                    raise RefusedError(method, message["error"])
                return message["result"]

    def initialize(self, root: Path) -> None:
        """Everything up to the answer of `initialize`, with a folder open."""
        params = {"processId": os.getpid(), "capabilities": {}, "rootUri": root.as_uri()}
        self.request("initialize", params)
        self.notify("initialized", {})

    def wait_until_complete(self) -> None:
        """Ask an empty question until the answer is complete."""
        started = time.perf_counter()
        while not self.request("vouch/sessionEnd", {"session_id": "nobody"})["complete"]:
            time.sleep(max(PAUSE, (time.perf_counter() - started) / 50))

    def processor_time(self) -> float:
        """Seconds that the process took, with all its threads."""
        clock = (~self.process.pid << 3) | 2  # as clock_getcpuclockid(3) makes it
        return time.clock_gettime(clock)

    def memory(self) -> int:
        """Bytes that the process holds."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) * 1024

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
