"""What went stale: quotes, cited files and names that are gone from the workspace."""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import anyio
import pytest
from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.engine.checks import CheckContext, check_all
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.kb.records import Problem, Severity
from vouch_sidecar.surfaces.install.hosts import SKILL_TEXT
from vouch_sidecar.surfaces.lsp.documents import Document
from vouch_sidecar.surfaces.lsp.features import diagnostics
from vouch_sidecar.surfaces.lsp.server import Sidecar
from vouch_sidecar.workspace import quotes_in_files
from vouch_sidecar.workspace.file_list import read_file
from vouch_sidecar.workspace.quotes_in_files import MAX_LOOKED

from tests.engine.bases import ask, cached, engine_on, only, settle, until
from tests.kb.samples import entity
from tests.workspace.places import cite, git, looked, repository, settled, ties, track, write

NOTES = "# Notes\n\nUploads stop after three\n  retries of the wire.\n\nNothing else.\n"
QUOTE = b"Uploads stop after three\n  retries"
TEXT = "Uploads stop after three retries"
TASK = "After how many retries do uploads stop?"
FILE = "docs/notes.md"
CODE = "src/upload.py"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {FILE: NOTES, CODE: "class UploadLoop:\n    pass\n"}
    root = repository(tmp_path / "repo", files, commit=True)
    cite(root, "one", TEXT, FILE, NOTES.encode(), quote=QUOTE)
    return root


def row(engine: Engine, path: str = FILE) -> tuple[str | None, int | None, str | None]:
    """How fresh the only claim of a file is: state, line, and what is said of it."""
    (file,) = ask(engine, "files", paths=[path])["files"]
    (claim,) = file["claims"]
    return claim["fresh"], claim["line"], claim["stale"]


def checked(engine: Engine) -> list[Problem]:
    collection = only(engine)
    return list(check_all(CheckContext(collection, collection.knowledge, now=engine.now())))


@pytest.mark.parametrize(
    ("now", "state", "line"),
    [
        (NOTES, "there", 3),
        ("# Notes\n\nUPLOADS  stop after\tthree\nretries of the wire.\n", "there", 3),
        (f"# More\n\nA line.\n{NOTES}", "moved", 6),
        (f"{TEXT}\n\n\n{TEXT}\n", "there", 4),
        (NOTES.replace("three", "five"), "gone", None),
        ("", "gone", None),
    ],
)
def test_a_quote_is_there_moved_or_gone(root: Path, now: str, state: str, line: int | None) -> None:
    write(root, {FILE: now})
    engine = settled(root)
    fresh, at, stale = row(engine)
    assert (fresh, at) == (state, line)
    (citation,) = ask(engine, "claim", id="one")["claim"]["citations"]
    assert citation["fresh"] == state
    assert citation["document"].endswith(f"#L{line}" if line else "#L3")
    assert (stale is not None) == (state == "gone")
    found = [(problem.path, problem.code, problem.severity) for problem in checked(engine)]
    assert found == [("claims/one.yaml", "quote-gone", Severity.HINT)] * (state == "gone")


def test_a_block_says_so_and_puts_it_behind_others(root: Path) -> None:
    other = b"Uploads stop after three retries, says the wire.\n"
    cite(root, "two", "Uploads stop after three retries on the wire", "b.md", other, quote=other)
    for notes, beside, order in ((b"", other, ["two", "one"]), (NOTES, b"-", ["one", "two"])):
        write(root, {FILE: notes, "b.md": beside})
        git(root, "add", "b.md")
        told = ask(settled(root), "context", task=TASK)
        assert [item["id"] for item in told["items"]] == order
        assert (f"one (quote gone since, {FILE} changed on 2" in told["text"]) == (not notes)


def test_a_save_that_nobody_reported_counts_for_what_is_told(root: Path) -> None:
    engine = settled(root)
    for now, is_gone in ((NOTES, False), ("# Notes\n", True), ("# New\n\n" + NOTES, False)):
        write(root, {FILE: now})
        assert (row(engine)[0] == "gone") == is_gone
        assert ("quote gone" in ask(engine, "context", task=TASK)["text"]) == is_gone
        (said, *_) = ask(engine, "explain", text=TASK)["texts"]
        assert said["verdict"] == "said"


async def test_an_idle_editor_is_told_too(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server, told = Sidecar(settled(root)), list[list[object]]()
    path = root / ".vouch" / "claims" / "one.yaml"
    server.documents[path.as_uri()] = Document(path.as_uri(), path.read_text("utf-8"), "utf-8")
    monkeypatch.setattr(diagnostics, "LOOK_SECONDS", 0.1)
    monkeypatch.setattr(Sidecar, "folders", [])
    server.text_document_publish_diagnostics = lambda params: told.append(  # type: ignore[method-assign]
        [one.code for one in params.diagnostics]
    )
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(diagnostics.keep_published, server)
        for now, count in (("# Notes\n", 1), (NOTES, 2)):
            write(root, {FILE: now})
            await until(lambda count=count: len(told) == count)  # type: ignore[misc]
        tasks.cancel_scope.cancel()
    assert told == [["quote-gone"], []]


def test_what_a_name_gave_a_session_is_given_again_once_its_quote_is_gone(root: Path) -> None:
    write(root, {".vouch/entities/queue.yaml": entity("queue", name="Upload Queue").decode()})
    cite(root, "one", TEXT, FILE, NOTES.encode(), quote=QUOTE, entities=["queue"])
    engine, told = settled(root), []
    for now in (NOTES, NOTES, "# Notes\n", "# Notes\n", NOTES):
        write(root, {FILE: now})
        asked = {"task": "Is the Upload Queue on fire?", "session_id": "s", "repeat": False}
        text = ask(engine, "context", **asked)["text"]
        told.append(text and ("quote gone" in text))
    assert told == [False, "", True, "", False]


def test_a_question_reads_a_few_files_once(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[str] = []

    def noted(where: Path, path: str) -> object:
        reads.append(path)
        return read_file(where, path)

    paths = [f"docs/many/n{number}.md" for number in range(MAX_LOOKED + 5)]
    for number, path in enumerate(paths):
        text = f"Uploads of sort {number} stop."
        write(root, {path: text})
        cite(root, f"c{number}", text, path, text.encode(), quote=text.encode())
    engine = settled(root)
    monkeypatch.setattr(quotes_in_files, "read_file", lambda *_: None)
    assert row(engine)[0] is None
    monkeypatch.setattr(quotes_in_files, "read_file", noted)
    assert row(engine)[0] == "there"  # what could not be read is tried again
    reads.clear()

    def states() -> list[str | None]:
        files = ask(engine, "files", paths=paths)["files"]
        return [claim["fresh"] for file in files for claim in file["claims"]]

    assert sorted(states(), key=str) == [None] * 5 + ["there"] * MAX_LOOKED
    assert len(reads) == MAX_LOOKED
    states()
    assert len(reads) == MAX_LOOKED  # what is as it was is not read again


@pytest.mark.parametrize("more", [0, 1])
def test_a_quote_whose_file_was_not_looked_at_may_be_there(root: Path, more: int) -> None:
    cite(root, "one", TEXT, FILE, evidence=[f"ev-{at}" for at in range(MAX_LOOKED + more)])
    for at in range(MAX_LOOKED + more):
        quote = f"Uploads of sort {at} stop.".encode()
        cite(root, str(at), TEXT, f"docs/n{at}.md", quote, quote=quote)
        track(root, {f"docs/n{at}.md": quote if at == MAX_LOOKED else b"-"})
    engine = settled(root)
    assert (ask(engine, "claim", id="one")["claim"]["stale"] is None) == bool(more)
    assert ("claims/one.yaml" in [problem.path for problem in checked(engine)]) == (not more)


def test_of_claims_that_say_the_same_the_one_with_the_quote_is_told(root: Path) -> None:
    said, path = "Refunds stop at noon and wait for the clerk.", "docs/refunds.md"
    there = f"# Desk\n\n{said}\n"
    cite(root, "a", said, path, there.encode())
    cite(root, "b", said, path, there.encode(), quote=said.encode())

    def told(now: str) -> tuple[list[str], str]:
        track(root, {path: now})
        engine = settled(root)
        answer = ask(engine, "context", task="When do refunds stop and wait for the clerk?")
        (line,) = answer["text"].splitlines()[1:-1]
        return [tied.claim.id for tied in ties(engine, path)], line

    for now, is_gone in ((there, False), (there.replace("noon", "five"), True)):
        claims, line = told(now)
        assert (claims, "quote gone" in line) == (["b"], is_gone)
    cite(root, "a", said, path, there.encode(), status="contested")
    claims, line = told(there)
    assert (claims, "a (contested)" in line) == (["a"], True)


def test_a_claim_whose_file_is_gone_is_not_volunteered(root: Path) -> None:
    """Until it comes back, though git's index is as it was."""
    engine = settled(root)
    (root / FILE).unlink()
    for gone in (f"{FILE}, which it cites, is gone", None):
        looked(engine)
        assert ask(engine, "claim", id="one")["claim"]["stale"] == gone
        assert (ask(engine, "context", task=TASK)["items"] == []) == bool(gone)
        (said, *_) = ask(engine, "explain", text=TASK)["texts"]
        assert (said["why"] == f"never told: {gone}") == bool(gone)
        assert ask(engine, "search", query=TEXT)["hits"]
        found = [problem.code for problem in checked(engine) if str(gone) in problem.message]
        assert found == ["file-gone"] * bool(gone)
        write(root, {FILE: NOTES})


def test_the_skill_names_marks_that_lines_bear(root: Path) -> None:
    marks = re.findall('"([^"]+)"', SKILL_TEXT.partition("A line marked")[2])
    then: dict[str, Any] = {"last_confirmed_at": "2020-01-01T00:00:00Z", "status": "contested"}
    cite(root, "old", "Uploads stop after nine retries", "https://example.org/x", **then)
    cite(root, "lost", "Uploads stop at noon", CODE)
    engine = settled(root)
    (root / CODE).unlink()
    write(root, {FILE: "# Notes\n"})
    looked(engine)
    said = ask(engine, "context", task=TASK)["text"] + str(ask(engine, "search", query="uploads"))
    assert marks
    assert [mark for mark in marks if mark not in said] == []


def test_a_file_that_was_moved_is_not_gone_before_git_is_told(root: Path) -> None:
    cite(root, "class", "`UploadLoop` retries.", "https://example.org/x")
    settled(root)
    (root / "lib").mkdir()
    (root / CODE).rename(root / "lib/wire.py")
    (root / FILE).rename(root / "lib/notes.md")
    write(root, {"lib/more.txt": "class UploadLoop:"})
    engine = settled(root)
    stale = {text: ask(engine, "claim", id=text)["claim"]["stale"] for text in ("class", "one")}
    assert stale == {"class": None, "one": None}
    assert row(engine, "lib/notes.md")[0] == "there"
    assert ask(engine, "files", paths=["lib/wire.py"])["files"][0]["claims"][0]["id"] == "class"


def test_a_private_source_tells_nobody_else_how_fresh_it_is(root: Path) -> None:
    private = {"visibility": "private", "agent": "ada"}
    cite(root, "one", TEXT, FILE, NOTES.encode(), quote=QUOTE, source_scope=private)
    write(root, {FILE: "# Notes\n"})
    engine = settled(root)
    ada = Caller(viewer=Viewer(None, "ada"))
    assert ask(engine, "claim", ada, id="one")["claim"]["stale"] is not None
    for answer in (ask(engine, "claim", id="one"), ask(engine, "files", paths=[FILE])):
        assert "gone" not in str(answer)
    assert checked(engine) == []


def test_age_in_words_where_no_file_can_show_it(root: Path) -> None:
    then, day = 1_700_000_000, 86_400  # 14 November 2023
    at = datetime.fromtimestamp(then, UTC).isoformat()
    cite(root, "one", TEXT, FILE, NOTES.encode(), quote=QUOTE, last_confirmed_at=at)
    rule = "Downloads stop after nine retries."
    cite(root, "rule", rule, "https://example.org/x", last_confirmed_at=at)
    cite(root, "never", "Nobody said when uploads stop.", "https://example.org/y")
    engine = engine_on(root, env=cached(root.parent))

    def stale(days: float) -> dict[str, str | None]:
        engine.now = engine.registry.now = lambda: then + days * day
        every = {each: ask(engine, "claim", id=each)["claim"] for each in ("one", "rule", "never")}
        return {each: claim["stale"] for each, claim in every.items()}

    assert set(stale(366).values()) == {None}, "the files that may show it are not known yet"
    assert checked(engine) == []
    settle(engine)
    assert set(stale(365).values()) == {None}
    assert stale(366) == {"one": None, "rule": "last confirmed over a year ago", "never": None}
    block = ask(engine, "context", task="After how many retries do downloads stop?")["text"]
    assert " rule (last confirmed over a year ago): Downloads" in block
    (problem,) = (each for each in checked(engine) if each.path == "claims/rule.yaml")
    assert (problem.code, problem.severity) == ("unconfirmed", Severity.HINT)
    assert problem.field == "last_confirmed_at"
