"""A small LSP client over real stdio, which can also send what no client should, and an editor."""

import json
import logging
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir, contextmanager, suppress
from pathlib import Path
from typing import Any, Self
from unittest.mock import patch

from click.testing import CliRunner
from vouch_sidecar.surfaces.cli import main
from vouch_sidecar.surfaces.local.user_socket import socket_path

from tests.forks import Forked

Message = dict[str, Any]
WAIT = 60.0
LENGTH = re.compile(rb"Content-Length: (\d+)\r\n")
COMMAND = Path(sys.executable).with_name("vouch-sidecar")
AGREED: Message = {"result": None}
SALIENCE = "vouch/didChangeSalience"


def framed(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


BEGINS: Message = {"protocolVersion": "2025-11-25", "clientInfo": {"name": "test", "version": "1"}}
BEGINS |= {"capabilities": {}, "processId": None, "rootUri": None}
"""What a client says of itself to begin with, over LSP and over MCP."""
INITIALIZE: Message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": BEGINS}
HELLO = json.dumps(INITIALIZE).encode()
PATIENT = {"VOUCH_SIDECAR_RECALL_TIMEOUT_MS": "10000"}
"""The environment of who answers in whole on a busy machine."""
STATUS = b'{"id":1,"method":"kb.status"}\n'
GREETINGS = {
    "lsp": (framed(HELLO), b'"serverInfo"'),
    "mcp": (HELLO + b"\n", b'"serverInfo"'),
    "jsonl": (STATUS, b'"ok":true'),
}
"""By command, what it is asked first, and what stands in its answer."""
ABLE: dict[str, Any] = {
    "textDocument": {
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "definition": {},
        "completion": {"completionItem": {"documentationFormat": ["markdown"]}},
        "publishDiagnostics": {"codeDescriptionSupport": True},
    },
    "workspace": {"symbol": {}, "workspaceFolders": True},
    "window": {"showDocument": {"support": True}},
}
"""Capabilities without dynamic registration."""


class Client:
    """One server process, for the length of a block, whose messages are kept in `received`, and
    other bytes in `strays`. Each request of the server has the `answer`, none where that is None.
    """

    def __init__(
        self,
        *args: str,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        answer: Message | None = AGREED,
    ) -> None:
        self.process = Forked(args or ("lsp",), cwd, environment(env or {}))
        self.received: list[Message] = []
        self.strays = b""
        self.errors = b""
        self._answer = answer
        self._arrived = threading.Condition()
        self._next_id = 0
        self.is_over = False
        work = (self._read, self._log)
        self._threads = [threading.Thread(target=each, daemon=True) for each in work]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.dispose()

    def send_bytes(self, data: bytes) -> None:
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message: object) -> None:
        self.send_bytes(framed(json.dumps(message).encode()))

    def notify(self, method: str, params: object = None, **more: int) -> None:
        message: Message = {"jsonrpc": "2.0", "method": method, **more}
        self.send(message if params is None else {**message, "params": params})

    def start(self, method: str, params: object = None) -> int:
        """Send a request; the id to wait for."""
        self._next_id += 1
        self.notify(method, params, id=self._next_id)
        return self._next_id

    def answer(self, request_id: object) -> Message:
        return self.wait(lambda m: "method" not in m and m.get("id") == request_id)

    def request(self, method: str, params: object = None) -> Any:
        answer = self.answer(self.start(method, params))
        assert "error" not in answer, answer
        return answer["result"]

    def refused(self, method: str, params: object = None) -> Message:
        answer = self.answer(self.start(method, params))
        assert "error" in answer, answer
        error: Message = answer["error"]
        return error

    def wait(self, wanted: Callable[[Message], bool], since: int = 0) -> Message:
        """The first message received, from index `since` on, that is wanted."""
        found: Message = self._arrives(lambda: next(filter(wanted, self.received[since:]), None))
        return found

    def _arrives(self, sought: Callable[[], Any]) -> Any:
        with self._arrived:
            self._arrived.wait_for(lambda: sought() or self.is_over, WAIT)
            if not (found := sought()):
                raise TimeoutError(f"not received; stderr: {self.errors.decode()[-2000:]}")
            return found

    def until(self, method: str, params: object, wanted: Callable[[Any], bool]) -> Any:
        deadline = time.monotonic() + WAIT
        while not wanted(result := self.request(method, params)):
            if time.monotonic() > deadline:
                raise TimeoutError(f"the last answer was {result}")
            time.sleep(0.02)
        return result

    def notified(self, method: str, since: int = 0) -> Any:
        return self.wait(lambda m: m.get("method") == method, since)["params"]

    def pushed(self, session_id: str, ids: list[str], since: int = 0) -> Any:
        """The first push, from index `since` on, by which just these are in play in a session."""

        def wanted(message: Message) -> bool:
            params, is_push = message.get("params", {}), message.get("method") == SALIENCE
            is_of_session = is_push and params["session_id"] == session_id
            return is_of_session and sorted(row["entity_id"] for row in params["salience"]) == ids

        return self.wait(wanted, since)["params"]

    def in_play(self, session_id: str | None = None) -> list[str]:
        """The ids of what a session says is in play, the connection's own where none is named."""
        params = {} if session_id is None else {"session_id": session_id}
        rows = self.request("vouch/salience", params)["salience"]
        return sorted(row["entity_id"] for row in rows)

    def initialize(self, root: Path | None = None, **params: Any) -> Any:
        """Connect; the result of `initialize`."""
        uri = None if root is None else root.as_uri()
        own: Message = {"processId": os.getpid(), "rootUri": uri, "capabilities": {}}
        result = self.request("initialize", own | params)
        self.notify("initialized", {})
        return result

    def indexed(self) -> Any:
        return self.until("vouch/status", {}, lambda status: status["complete"])

    def open(self, uri: str, text: str, language: str = "plaintext") -> None:
        document = {"uri": uri, "languageId": language, "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def change(self, uri: str, text: str, version: int = 2) -> None:
        changed = {"uri": uri, "version": version}
        params = {"textDocument": changed, "contentChanges": [{"text": text}]}
        self.notify("textDocument/didChange", params)

    def save(self, uri: str) -> None:
        self.notify("textDocument/didSave", {"textDocument": {"uri": uri}})

    def close(self, uri: str) -> None:
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def line(self) -> bytes:
        """The next line that is no message of LSP."""
        self._arrives(lambda: b"\n" in self.strays)
        found, _, self.strays = self.strays.partition(b"\n")
        return found

    def hang_up(self) -> None:
        self.process.stdin.close()

    def last_words(self) -> bytes:
        """What it wrote beside messages of LSP, until it ended well as its input did."""
        self.hang_up()
        assert self.ended() == 0, self.errors
        self._arrives(lambda: self.is_over)
        return self.strays

    def ended(self) -> int:
        return self.process.wait(WAIT)

    def shut_down(self) -> int:
        """End as a client should; the exit code."""
        self.request("shutdown")
        self.notify("exit")
        return self.ended()

    def dispose(self) -> None:
        """End the process, however it is."""
        self.process.kill()
        self.process.wait()
        for thread in self._threads:
            thread.join(5)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            with suppress(OSError):
                stream.close()

    def _read(self) -> None:
        stream = self.process.stdout
        while line := stream.readline():
            if (length := LENGTH.fullmatch(line)) is None:
                with self._arrived:
                    self.strays += line
                    self._arrived.notify_all()
                continue
            while stream.readline().strip():  # what the header holds besides
                pass
            self._take(json.loads(stream.read(int(length[1]))))
        with self._arrived:
            self.is_over = True
            self._arrived.notify_all()

    def _take(self, message: Message) -> None:
        with self._arrived:
            self.received.append(message)
            self._arrived.notify_all()
        if "method" in message and "id" in message and self._answer:
            self.send({"jsonrpc": "2.0", "id": message["id"], **self._answer})

    def _log(self) -> None:
        while line := self.process.stderr.readline():
            self.errors += line


class Editor:
    """A client in which documents are open. Positions are given by words of the text."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.texts: dict[str, str] = {}

    def open(self, where: Path | str, text: str | None = None, language: str = "yaml") -> str:
        uri = where if isinstance(where, str) else where.as_uri()
        if text is None:
            assert isinstance(where, Path)
            text = where.read_text("utf-8")
        self.texts[uri] = text
        self.client.open(uri, text, language)
        return uri

    def at(self, uri: str, words: str, method: str) -> Any:
        """Ask at the first place of some words; `|` in them is the caret, else their beginning."""
        before, _, after = words.partition("|") if "|" in words else ("", "", words)
        offset = self.texts[uri].index(before + after) + len(before)
        document = {"textDocument": {"uri": uri}, "position": self.position(uri, offset)}
        return self.client.request(method, document)

    def position(self, uri: str, offset: int) -> dict[str, int]:
        """The position of an offset, in units of UTF-16."""
        lines = re.split(r"\r\n|\r|\n", self.texts[uri][:offset])
        return {"line": len(lines) - 1, "character": len(lines[-1].encode("utf-16-le")) // 2}

    def said(self, uri: str, span: Any) -> str:
        text = self.texts[uri]
        places = [self.position(uri, offset) for offset in range(len(text) + 1)]
        return text[places.index(span["start"]) : places.index(span["end"])]


@contextmanager
def indexed_client(root: Path, **options: Any) -> Iterator[Client]:
    """A server on a base that is indexed; options but `env` are params of `initialize`."""
    with Client(cwd=root, env=options.pop("env", None)) as client:
        client.initialize(root, **options)
        client.indexed()
        yield client


def run_command(
    *args: str | Path,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    said: str = "",
    code: int | None = 0,
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, with `said` as its standard input and this exit code, or any. It
    runs in this process, unless it ends that, needs streams of its own, or may ask another one.
    """
    words, env = [str(arg) for arg in args], env or {}
    is_hook = words[:1] == ["hook"] and "--help" not in words
    if is_hook or is_served(environment(env)) or "PYTHONIOENCODING" in env:
        ended = ran(COMMAND, *words, cwd=cwd, said=said.encode(), env=env)
        printed = ended.stdout.decode(), ended.stderr.decode()
        assert code in (None, ended.returncode), printed
        return subprocess.CompletedProcess(words, ended.returncode, *printed)
    with as_command(cwd, env):
        done = CliRunner().invoke(main, words, said, prog_name=COMMAND.name, obj=lambda: said)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert code in (None, done.exit_code), done.output
    return subprocess.CompletedProcess(words, done.exit_code, done.stdout, done.stderr)


def is_served(env: Mapping[str, str]) -> bool:
    """Whether somebody may answer at the user's socket, which tests hold without a lock."""
    path = socket_path(env)
    if not Path(path).exists():
        return False
    with socket.socket(socket.AF_UNIX) as asking:
        return not Path(f"{path}.lock").exists() or asking.connect_ex(path) == 0


def ran(
    *command: str | Path, cwd: Path | None = None, said: bytes = b"", env: Mapping[str, str] = {}
) -> subprocess.CompletedProcess[bytes]:
    """What became of a process with `said` as its standard input."""
    env = environment(env)
    return subprocess.run(command, input=said, capture_output=True, cwd=cwd, env=env, timeout=110)


@contextmanager
def as_command(cwd: Path | None, env: Mapping[str, str]) -> Iterator[None]:
    """This process in the folder and the environment of a command, and as it was afterwards."""
    log, level = logging.getLogger("vouch_sidecar"), logging.getLogger("vouch_sidecar").level
    interrupt = signal.getsignal(signal.SIGINT)
    with chdir(cwd or Path.cwd()), patch.dict(os.environ, environment(env), clear=True):
        try:
            yield
        finally:
            log.setLevel(level)
            signal.signal(signal.SIGINT, interrupt)


def environment(extra: Mapping[str, str]) -> dict[str, str]:
    """This process's environment without what tunes the sidecar. Hooks leave no process behind."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("VOUCH_")}
    every = {**own, "VOUCH_SIDECAR_HOOK_RESIDENT": "false", **extra}
    return {name: value for name, value in every.items() if value}


def at(uri: str, line: int, character: int) -> dict[str, Any]:
    return {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}


def hover(client: Client, text: str, line: int, character: int, uri: str = "untitled:a") -> Any:
    """The hover at a position of a text, which is open meanwhile."""
    client.open(uri, text, "markdown")
    found = client.request("textDocument/hover", at(uri, line, character))
    client.close(uri)
    return found
