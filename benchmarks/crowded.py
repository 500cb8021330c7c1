"""What the worst files and clients cost a language server that somebody else asks meanwhile.

`python -m benchmarks.crowded` measures the knowledge base of 10,000 claims, and three small ones
that are written for it, and prints milliseconds.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.client import Client, connected
from benchmarks.generate import MEDIUM, Questions, generated, questions_of
from benchmarks.timing import Figure, Figures, timed

CONTENT = b"Notes"
SOURCE = hashlib.sha256(CONTENT).hexdigest()
RETIRED = 500
"""Claims that one page links to."""
REFERRING, REFERRING_BYTES = 80, 1_000_000
"""Files that refer to one id, and bytes of each."""
PROBLEMS = 1_200
KEYS = 40
DOCUMENT = 1 << 20
"""Characters of the long document that is typed in."""
CALLS, CALL_BYTES = 12, 12_000
PAGE = 3_900_000
"""Bytes of a hostile page; the largest that is read has 4 MiB."""
PAGES = {
    "one mark": "[claim:" + " " * PAGE,
    "many marks": ("[claim:" + " " * 300) * (PAGE // 307),
    "letters": "漢字仮名交文書類" * (PAGE // 24),
}
PATIENCE = 120.0
"""Seconds until a page must be known, and ties be worked out."""


def measure(root: Path, folder: Path, questions: Questions) -> Figures:
    """`root` is asked by many at once; the others are written below `folder`, which is empty."""
    folder.mkdir(mode=0o700)
    found = _calls(root, folder / "calls", questions)
    for name, case in (("links", _links), ("references", _references)):
        with _served(folder / name) as (client, kb):
            found |= {f"worst: {name}{what}": one for what, one in case(client, kb).items()}
    with _served(folder / "keys") as (client, kb):
        found |= _keys(client, kb)
    for name, text in PAGES.items():
        with _served(folder / name.replace(" ", "-")) as (client, kb):
            found |= {f"worst: {name}{what}": one for what, one in _page(client, kb, text).items()}
    return found


@contextmanager
def _served(folder: Path) -> Iterator[tuple[Client, Path]]:
    """A server of a knowledge base that `_write` makes, complete."""
    folder.mkdir()
    kb = folder / "kb" / ".vouch"
    _write(kb, folder.name)
    with connected(kb.parent, folder / "user") as client:
        client.wait_for("complete", True)
        yield client, kb


def _write(kb: Path, case: str) -> None:
    """One entity, and what the case is about."""
    for kind in ("claims", "entities", "pages"):
        (kb / kind).mkdir(parents=True)
    (kb / "config.yaml").write_text("kb:\n  name: crowded\n", "utf-8")
    (kb / "entities" / "relay.yaml").write_text("id: relay\nname: Relay\ntype: tool\n", "utf-8")
    folder = kb / "sources" / SOURCE
    folder.mkdir(parents=True)
    said = f"id: {SOURCE}\ntype: file\nlocator: notes.md\ntitle: Notes\n"
    (folder / "meta.yaml").write_text(said, "utf-8")
    (folder / "content").write_bytes(CONTENT)
    if case == "links":
        for number in range(RETIRED):
            _claim(kb, f"old-{number}", "status: superseded\n")
        marks = "".join(f"[claim: old-{number}]\n" for number in range(RETIRED))
        (kb / "pages" / "links.md").write_text(_titled(marks), "utf-8")
    elif case == "references":
        padding = "# a line that says nothing\n" * (REFERRING_BYTES // 27)
        for number in range(REFERRING):
            _claim(kb, f"large-{number}", f"status: stable\n{padding}")
    elif case == "keys":
        for number in range(PROBLEMS):
            _claim(kb, f"faulty-{number}", "status: stable\nconfidence: 7\n")


def _claim(kb: Path, claim_id: str, more: str) -> None:
    text = f"id: {claim_id}\ntext: Relay holds {claim_id}.\ntype: fact\nentities: [relay]\n"
    more = f"evidence: [{SOURCE}]\n{more}"
    (kb / "claims" / f"{claim_id}.yaml").write_text(text + more, "utf-8")


def _titled(body: str) -> str:
    return f"---\nid: page\ntitle: Page\n---\n{body}\n"


def _calls(root: Path, folder: Path, questions: Questions) -> Figures:
    """Long texts asked about at once by as many sessions: from the first to each answer."""
    text = " ".join(questions.prompts)
    with connected(root, folder) as client:
        client.wait_for("complete", True)
        _wait_for_ties(client)
        client.request("vouch/context", {"task": "What does an ordinary question cost?"})
        asked = [f"{number} {text[number * 97 :][:CALL_BYTES]}" for number in range(CALLS)]
        started = time.perf_counter()
        waiting = {
            client.start("vouch/context", {"task": task, "session_id": f"s{number}"})
            for number, task in enumerate(asked)
        }
        taken = []
        while waiting:
            waiting.remove(client.next_answer(waiting)["id"])
            taken.append(time.perf_counter() - started)
    return {"worst: calls": Figure.of(taken)}


def _wait_for_ties(client: Client) -> None:
    """They are worked out in the background, which takes the interpreter from what is measured."""
    started = time.perf_counter()
    while "workspace_pending" in client.request("vouch/files", {"paths": ["a"]})["degraded"]:
        if time.perf_counter() - started > PATIENCE:
            raise RuntimeError("ties were never worked out")
        time.sleep(0.2)


def _links(client: Client, kb: Path) -> Figures:
    path = kb / "pages" / "links.md"
    return _beside(client, "textDocument/documentLink", _open(client, path))


def _references(client: Client, kb: Path) -> Figures:
    opened = _open(client, kb / "entities" / "relay.yaml")
    params = {**opened, "position": {"line": 0, "character": 5}}
    more = {"context": {"includeDeclaration": True}}
    return _beside(client, "textDocument/references", {**params, **more})


def _open(client: Client, path: Path) -> dict[str, Any]:
    """The params that name an open document."""
    text = path.read_text("utf-8")
    document = {"uri": path.as_uri(), "languageId": "yaml", "version": 1, "text": text}
    client.notify("textDocument/didOpen", {"textDocument": document})
    client.request("vouch/sessionEnd", {"session_id": "nobody"})
    return {"textDocument": {"uri": path.as_uri()}}


def _beside(client: Client, method: str, params: Mapping[str, object]) -> Figures:
    """How long a request takes, and how long an ordinary one that comes right behind it."""
    started = time.perf_counter()
    waiting = {client.start(method, params), client.start("vouch/status", {})}
    slow, quick = sorted(waiting)
    taken = {}
    while waiting:
        answered = client.next_answer(waiting)["id"]
        taken[answered] = time.perf_counter() - started
        waiting.remove(answered)
    return {"": Figure.of([taken[slow]]), ", meanwhile": Figure.of([taken[quick]])}


def _keys(client: Client, kb: Path) -> Figures:
    """A letter is typed, until the server has taken it in."""
    faulty = kb / "claims" / "faulty-0.yaml"
    long = kb.parent / "long.md"
    long.write_text("A line that says nothing.\n" * (DOCUMENT // 26), "utf-8")
    found = {}
    for name, path, line in (("diagnostics", faulty, 1), ("long document", long, 20_000)):
        document = _open(client, path)["textDocument"]
        place = {"line": line, "character": 6}
        taken = []
        for number in range(KEYS):
            change = {"range": {"start": place, "end": place}, "text": "x"}
            version = {**document, "version": number + 2}
            params = {"textDocument": version, "contentChanges": [change]}
            taken.append(timed(lambda p=params: _typed(client, p)))  # type: ignore[misc]
            time.sleep(0.05)
        found[f"worst: a key, {name}"] = Figure.of(taken)
    return found


def _typed(client: Client, params: Mapping[str, object]) -> None:
    client.notify("textDocument/didChange", params)
    client.request("vouch/sessionEnd", {"session_id": "nobody"})


def _page(client: Client, kb: Path, text: str) -> Figures:
    """A page is written: processor time until it is known, and the longest wait for an answer."""
    generation = client.wait_for("generation", 0)["generation"]
    before, started = _processor_time(client), time.perf_counter()
    path = kb / "pages" / "page.md"
    path.write_text(_titled(text), "utf-8")
    event = {"changes": [{"uri": path.as_uri(), "type": 1}]}
    client.notify("workspace/didChangeWatchedFiles", event)
    longest = 0.0
    while True:
        asked = time.perf_counter()
        answer = client.request("vouch/status", {})
        longest = max(longest, time.perf_counter() - asked)
        if answer["generation"] > generation and answer["roots"][0]["counts"]["pages"]:
            break
        if time.perf_counter() - started > PATIENCE:
            raise RuntimeError("a page never became known")
        time.sleep(0.02)
    used = _processor_time(client) - before
    return {"": Figure.of([used]), ", meanwhile": Figure.of([longest])}


def _processor_time(client: Client) -> float:
    """Seconds that the server's process has used."""
    fields = Path(f"/proc/{client.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    root = generated(MEDIUM)
    with TemporaryDirectory(prefix="v") as made:
        for name, one in measure(root, Path(made) / "w", questions_of(root)).items():
            print(f"{name}: {one.p95 * 1e3:.0f} ms")


if __name__ == "__main__":
    main()
