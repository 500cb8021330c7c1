"""The world around a knowledge base: built over what is remembered, it is that of a fresh start."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from vouch_sidecar.engine import Engine
from vouch_sidecar.kb.reader import read_content
from vouch_sidecar.kb.records import Severity, Source
from vouch_sidecar.workspace import build, claim_readings
from vouch_sidecar.workspace.file_list import read_file
from vouch_sidecar.workspace.world import World

from tests.engine.bases import ask, cached, load, only, reread, settle, unread_engine
from tests.kb.samples import entity, receipt, source
from tests.workspace.places import cite, git, looked, repository, settled, write

RELAY, DESK, ADR = "src/relay.py", "src/desk.py", "adr/7-queues.md"
FILES = {
    RELAY: "class Relay:\n    def send(self):\n        pass\n",
    DESK: "class Desk:\n    pass\n",
    ADR: "# Queues\n\nEverything queues.\n",
}

SHUT = b"It shuts. It shuts at noon.\n"

GIT = """#!/bin/sh
[ -e {broken} ] && exit 1
exec {git} "$@"
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root, quote = repository(tmp_path / "repo", FILES, commit=True), b"Everything queues."
    cite(root, "relay", "`Relay.send` waits.", "https://example.org/a")
    cite(root, "queue", "Everything queues.", ADR, FILES[ADR].encode(), quote=quote)
    return root


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are read to find what they define."""
    paths: list[str] = []

    def noted(tree: Path, path: str) -> Any:
        paths.append(path)
        return read_file(tree, path)

    monkeypatch.setattr(build, "read_file", noted)
    return paths


def ties_in(world: World) -> dict[str, list[str]]:
    return {path: sorted(map(str, world.ties.of_file(path))) for path in world.files.paths}


def told(world: World) -> object:
    of_quotes = world.quotes.places, world.quotes.gone
    of_files = ties_in(world), dict(world.sources)
    return *of_files, of_quotes, world.history.names, world.owners_rules


def of_vouch(files: Mapping[str, bytes]) -> dict[str, bytes]:
    return {f".vouch/{path}": data for path, data in files.items()}


def test_after_every_change_it_is_that_of_a_fresh_start(root: Path, tmp_path: Path) -> None:
    changes: list[Mapping[str, str | bytes | None]] = [
        # what a claim refers to, while the claim and the files around stay as they are
        of_vouch({"entities/door.yaml": entity("door", name="Desk")}),
        of_vouch(receipt("ev-shut", SHUT, b"It shuts at noon.")),
        of_vouch(source(SHUT, locator=DESK)),
        {RELAY: "\n\n" + FILES[RELAY]},
        {RELAY: "class Relay:\n    pass\n", "src/more.py": "class Relay:\n  def send(x):\n"},
        {DESK: "class Desk:\n    pass\n"},
        {ADR: None},
        {ADR: "# Queues\n\nNothing queues.\n"},
        {RELAY: None, DESK: None, "src/more.py": None},
        {".vouch/claims/relay.yaml": None},
        {"CODEOWNERS": "* @ada\n"},
        {"CODEOWNERS": "* @bob\n"},
        {"a/README.md": "It opens at nine.\n", "b/README.md": "It shuts at ten.\n"},
        {"a/README.md": "It shuts at ten.\n", "b/README.md": "It opens at nine.\n"},
        {"a/README.md": "It opens at nine.\n"},
    ]
    cite(root, "named", "It opens at nine.", "README.md", b"It opens at nine.\n")
    cite(root, "shut", "It shuts.", RELAY, SHUT, quote=b"It shuts.", entities=["door"])
    write(root, of_vouch({"entities/door.yaml": entity("door", name="Door")}))
    live = settled(root)
    for number, change in enumerate(changes):
        for path, text in change.items():
            if text is None:
                (root / path).unlink()
            else:
                write(root, {path: text})
        assert told(looked(live)) == told(looked(settled(root, tmp_path / f"other-{number}")))
    serial = only(live).world.serial
    (root / "a/README.md").touch()  # it is compared with the document anew, and says the same
    assert looked(live).serial == serial


def test_a_saved_document_alone(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What sources of another name hold is not read again."""
    compared = list[str]()
    for name in ("GUIDE.md", "README.md"):
        cite(root, name, f"{name} opens at nine.", name, f"{name} opens at nine.".encode())
        write(root, {f"{when}/{name}": f"{name} opens at {when}." for when in ("nine", "ten")})

    def content(kb_dir: Path, source: Source) -> bytes | None:
        compared.append(source.locator)
        return read_content(kb_dir, source)

    monkeypatch.setattr(claim_readings, "read_content", content)
    live = settled(root)
    compared.clear()
    write(root, {"nine/GUIDE.md": "It shuts.", "ten/GUIDE.md": "GUIDE.md opens at nine."})
    assert {*looked(live).sources.values()} >= {"ten/GUIDE.md", "nine/README.md"}
    assert compared == ["GUIDE.md"]


def test_a_look_without_news(root: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vouch_sidecar.engine.disk_reader.REBASE_FROM", 1)
    engine = settled(root)
    assert sorted(reads) == [DESK, RELAY]
    before = looked(engine)
    assert looked(engine) is before
    cite(root, "new", "`Desk` is open.", "https://example.org/b")
    world = looked(engine)
    assert [tie.claim_id for tie in world.ties.of_file(DESK)] == ["new"]
    assert len(reads) == 2  # a new claim searches no file
    (root / DESK).touch()
    again = looked(engine)
    assert (len(reads), ties_in(again) == ties_in(world)) == (3, True)
    woken = engine.changed.count
    load(engine)
    assert looked(engine) is again  # of the same generation on another base
    assert engine.changed.count > woken
    (root / ".git" / "index").touch()  # as `git status` writes it anew
    assert looked(engine).serial == again.serial


def test_that_nothing_is_pending_any_more_is_a_generation(root: Path) -> None:
    """Who was told that something is asks again, though the world says the same."""
    engine = settled(root)
    claim, before = root / ".vouch" / "claims" / "relay.yaml", only(engine).world

    def asked() -> tuple[list[str], int]:
        found = ask(engine, "files", paths=[DESK])
        return found["degraded"], found["generation"]

    less_sure = claim.read_text("utf-8").replace("confidence: 0.9", "confidence: 0.3")
    claim.write_text(less_sure, "utf-8")
    reread(engine)
    degraded, at = asked()
    assert degraded == ["workspace_pending"]
    world = looked(engine)
    assert (world is before, world.serial, asked()) == (False, before.serial, ([], at + 1))
    engine.look_soon([root / "saved.md"])
    assert asked() == (degraded, at + 1)
    settle(engine)
    assert asked() == ([], at + 2)
    assert looked(engine).serial == world.serial
    assert asked() == ([], at + 2), "nobody was told"
    claim.write_text(less_sure.replace("0.3", "0.4"), "utf-8")
    looked(engine)
    assert asked() == ([], at + 4), "what was read, and that the world is of it"


def test_a_file_changed_while_read_is_reread(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine, relay = settled(root), root / RELAY
    ties = ties_in(looked(engine))

    def written(tree: Path, path: str) -> Any:
        content = read_file(tree, path)
        write(root, {RELAY: FILES[RELAY]})
        return content

    relay.write_bytes(b"class Relay:\n")
    with monkeypatch.context() as patched:
        patched.setattr(build, "read_file", written)
        assert ties_in(looked(engine)) != ties
    assert ties_in(looked(engine)) == ties


def test_the_next_process_reads_what_changed(root: Path, tmp_path: Path, reads: list[str]) -> None:
    world = looked(settled(root))
    (kept,) = (tmp_path / "cache").rglob("beside-workspace*")
    assert b"Relay" not in kept.read_bytes()
    reads.clear()
    assert told(looked(settled(root))) == told(world)
    (root / ".vouch" / "claims" / "queue.yaml").unlink()  # a branch without it is checked out
    looked(settled(root))
    assert reads == []
    kept.write_bytes(kept.read_bytes()[:-20])
    assert told(looked(settled(root))) == told(looked(settled(root, tmp_path / "fresh")))
    assert len(reads) == 4


def test_a_first_start_keeps_what_it_read(root: Path, tmp_path: Path, reads: list[str]) -> None:
    first = unread_engine(root, env=cached(tmp_path))
    reread(first)
    settle(first)
    load(first)
    assert len(reads) == 2
    settled(root)
    assert len(reads) == 2


def test_a_checkout_counts_before_the_next_sweep(root: Path) -> None:
    engine = settled(root)
    write(root, {RELAY: "class Other:\n    pass\n"})
    for command, is_tied in (("commit -qam x", False), (f"checkout -q HEAD~ -- {RELAY}", True)):
        git(root, *command.split())
        load(engine)
        settle(engine)
        assert bool(only(engine).world.ties.of_file(RELAY)) == is_tied


def test_a_file_is_gone_that_commits_know(root: Path, tmp_path: Path) -> None:
    cite(root, "never", "It hums.", "/home/dev/repo/src/never.py")
    cite(root, "web", "It clicked.", f"https://example.org/repo/{RELAY}")
    cite(root, "elsewhere", "It beeped.", f"file:///home/dev/notes/{Path(RELAY).name}")
    for number, place in enumerate((f"/home/dev/repo/{RELAY}#L3", (root / RELAY).as_uri())):
        cite(root, f"gone{number}", "It rang.", place)
    asked = {"type": "message", "metadata": {"question": "Is it up?"}}
    write(root, of_vouch(source(b"Talk.", locator=RELAY, **asked)))
    git(root, "rm", "-q", "-f", RELAY)
    assert list(looked(settled(root)).quotes.gone.values()) == [RELAY, RELAY]
    write(root, {".vouch/config.yaml": "sidecar: {people: {git: false}}\n"})
    assert not looked(settled(root, tmp_path / "off")).quotes.gone


def test_history_is_read_again(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken, program = tmp_path / "broken", tmp_path / "bin" / "git"
    write(tmp_path, {"broken": "", "bin/git": GIT.format(broken=broken, git=shutil.which("git"))})
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    engine = settled(root)
    assert looked(engine).history.unread.startswith("git is missing")
    assert _severities(engine) == [Severity.WARNING]
    broken.unlink()
    assert set(looked(engine).history.known.paths) == set(FILES)
    (root / ".git").rename(tmp_path / "elsewhere")
    (root / ".git").symlink_to(tmp_path / "elsewhere")
    assert looked(engine).history.unread
    assert _severities(engine) == [Severity.HINT], "nothing is wrong with what is said"


def _severities(engine: Engine) -> list[Severity]:
    return [problem.severity for problem in only(engine).faulty()]
