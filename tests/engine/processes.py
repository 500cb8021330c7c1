"""Real processes on one knowledge base, that share a cache, and what lies in that."""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tantivy import Index
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.index.layers import Layer

from tests.engine.bases import cached
from tests.protocol.client import Client


class Server(Client):
    """`vouch-sidecar jsonl` on a knowledge base. It reads as soon as it starts."""

    def __init__(self, root: Path, env: Mapping[str, str]) -> None:
        super().__init__("jsonl", "--root", str(root), cwd=root, env=env)

    def ask(self, operation: str, **params: Any) -> dict[str, Any]:
        """The result of an operation, or the error, once the first index is built."""
        while (answer := self._ask(operation, params)).get("complete") is False:
            time.sleep(0.02)
        return answer

    def _ask(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        request = {"id": 1, "method": f"kb.{operation}", "params": params}
        self.send_bytes(json.dumps(request).encode() + b"\n")
        answer = json.loads(self.line())
        found: dict[str, Any] = answer["result"] if answer["ok"] else answer["error"]
        return {"error": found["message"]} if "message" in found else found

    def status(self) -> dict[str, Any]:
        (root,) = self.ask("status")["roots"]
        assert isinstance(root, dict)
        return root

    def faults(self) -> list[str]:
        """What is wrong with no file, but with what the sidecar does."""
        return [problem["message"] for problem in self.status()["problems"] if not problem["path"]]


@contextmanager
def place() -> Iterator[tuple[Path, dict[str, str]]]:
    """A folder with a short path, for sockets, and an environment that keeps all in it."""
    with TemporaryDirectory(prefix="v") as name:
        folder = Path(name).resolve()
        (folder / "run").mkdir(mode=0o700)
        yield folder, {**cached(folder), "XDG_RUNTIME_DIR": str(folder / "run")}


def until(holds: Callable[[], object], what: str = "it does not come to hold") -> None:
    deadline = time.monotonic() + 60
    while not holds():
        if time.monotonic() > deadline:
            raise TimeoutError(what)
        time.sleep(0.02)


def holds(folder: Path, word: str) -> bool:
    """Whether any file of the cache holds a word that is its own stem, or is being written."""
    try:
        return word in kept(folder)
    except (OSError, ValueError):
        return True


def kept(folder: Path) -> str:
    """What the files of a cache hold, compressed or not."""
    texts = []
    for path in folder.rglob("*"):
        if path.is_file():
            texts.append(path.read_bytes().decode("utf-8", "replace"))
        if path.name == "meta.json":
            documents = Knowledge(Layer(Index.open(str(path.parent)))).documents()
            every = (value for one in documents for of in one.to_dict().values() for value in of)
            texts += (str(v, "utf-8") if isinstance(v, bytes) else str(v) for v in every)
    return "\n".join(texts)


def sockets(folder: Path) -> list[Path]:
    """What processes have left for others, but for empty lock files."""
    found = (path for path in (folder / "run").rglob("*") if not path.is_dir())
    return [path for path in found if not path.is_file() or path.stat().st_size]
