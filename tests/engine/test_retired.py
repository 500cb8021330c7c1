"""What is retired is in no answer at once, and in no file soon, whoever is killed meanwhile."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.kb.access import Viewer

from tests.engine.bases import ask, cached, engine_on, finished, write
from tests.engine.processes import Server, holds, place, serving, until
from tests.engine.world import TIMELESS, answers, files, lay, said_by
from tests.kb.samples import claim, dump, entity, page
from tests.workspace.places import cite, source_of

SECRET = "doormat"
TEXT = f"The Key Vault keeps its master key under the {SECRET}."
LIVE = {"text": TEXT, "entities": ["e0"], "confidence": 1.0}
WAYS = ("redacted", "archived", "removed")


@pytest.fixture
def folder() -> Iterator[Path]:
    with place() as (made, _):
        yield made


@pytest.fixture
def env(folder: Path) -> dict[str, str]:
    return {**cached(folder), "XDG_RUNTIME_DIR": str(folder / "run")}


@pytest.fixture
def root(folder: Path) -> Path:
    return lay(folder / "kb", {**files(), "claims/master-key.yaml": claim("master-key", **LIVE)})


def retire(root: Path, way: str) -> None:
    path = "claims/master-key.yaml"
    if way == "removed":
        (root / ".vouch" / path).unlink()
    else:
        text = "[redacted]" if way == "redacted" else TEXT
        write(root, path, claim("master-key", **{**LIVE, "text": text, "status": way}))


def said(server: Server, root: Path) -> str:
    """All that a server answers, and what it says of the word itself."""
    about = server.ask("search", query=SECRET)["hits"], server.ask("probe", text=TEXT)["hits"]
    exact = server.ask("claim", id="master-key")
    return f"{answers(server.ask, root, TIMELESS)}{about}{exact}"


def claims(server: Server) -> int:
    found = server.status()["counts"]["claims"]
    assert isinstance(found, int)
    return found


@pytest.mark.parametrize("way", WAYS)
def test_with_three_processes_of_which_the_first_to_notice_is_killed(
    root: Path, folder: Path, env: dict[str, str], way: str
) -> None:
    with serving(root, env, 3) as servers:
        (live,) = {claims(server) for server in servers}
        until(lambda: finished(folder), "no base was finished")
        assert all(SECRET in said(server, root) for server in servers)
        before = [*(folder / "cache").rglob("meta.json")]
        assert holds(folder / "cache", SECRET)

        retire(root, way)
        first = noticed(servers, live)
        assert SECRET not in said(first, root)
        first.kill()
        assert not any(file.exists() for file in before)
        others = [server for server in servers if server is not first]
        until(lambda: all(claims(server) < live for server in others), "it was not noticed")
        assert not any(SECRET in said(server, root) for server in others)
        until(lambda: finished(folder), "no base was finished anew")
        until(lambda: not holds(folder / "cache", SECRET), "a file still holds it")
        wanted = said_by(engine_on(root), TIMELESS)
        assert [answers(server.ask, root, TIMELESS) for server in others] == [wanted, wanted]
        assert [server.faults() for server in others] == [[], []]
    assert not holds(folder / "cache", SECRET)
    assert said_by(engine_on(root, env=env), TIMELESS) == wanted


def noticed(servers: list[Server], live: int) -> Server:
    """The first server whose status shows that a claim is gone."""
    found: list[Server] = []

    def look() -> bool:
        found.extend(server for server in servers if claims(server) < live)
        return bool(found)

    until(look, "nobody noticed")
    return found[0]


@pytest.mark.parametrize("way", WAYS)
def test_with_one_process_that_is_killed_before_it_notices(
    root: Path, folder: Path, env: dict[str, str], way: str
) -> None:
    with serving(root, env, 1) as (server,):
        assert SECRET in said(server, root)
        until(lambda: finished(folder), "no base was finished")
        server.process.send_signal(signal.SIGSTOP)
        retire(root, way)
        server.kill()
    (before,) = finished(folder)
    assert holds(before, SECRET)
    with serving(root, env, 1) as (server,):
        assert SECRET not in said(server, root)
        assert not before.exists()
        until(lambda: finished(folder), "no base was finished anew")
        assert not holds(folder / "cache", SECRET)


def test_a_process_that_sleeps_through_it_leaves_nothing(
    root: Path, folder: Path, env: dict[str, str]
) -> None:
    """It wakes with a base of its own that is not finished yet, and the text in it."""
    with serving(root, env, 2) as (asleep, awake):
        live = claims(awake)
        assert claims(asleep) == live
        until(lambda: finished(folder), "no base was finished")
        os.kill(asleep.process.pid, signal.SIGSTOP)
        retire(root, "redacted")
        until(lambda: claims(awake) < live, "it was not noticed")
        until(lambda: finished(folder), "no base was finished anew")
        os.kill(asleep.process.pid, signal.SIGCONT)
        until(lambda: claims(asleep) < live, "it was not noticed")
        assert SECRET not in said(asleep, root)
        until(lambda: not holds(folder / "cache", SECRET), "a file still holds it")
    assert not holds(folder / "cache", SECRET)


@pytest.mark.parametrize("when", ["while nothing runs", "as the first change after a start"])
@pytest.mark.parametrize("way", ["redacted", "superseded", "new"])
def test_what_says_its_text_is_closed_by_a_process_that_began_from_a_base(
    root: Path, env: dict[str, str], way: str, when: str
) -> None:
    """Where the base knows of another retired claim already."""
    described = entity("depot", name="Depot", description=TEXT)
    write(root, "entities/depot.yaml", described)
    write(root, "pages/notes.md", page(f"# Notes\n\n{TEXT}\n", id="notes", title="Notes"))
    write(root, "claims/old.yaml", claim("old", text="Nothing of it.", status="archived"))
    secret = root / ".vouch" / "claims" / "master-key.yaml"
    if way == "new":
        secret.unlink()

    def told(engine: Engine) -> bool:
        hits = ask(engine, "search", query="master key")["hits"]
        return SECRET in f"{hits}{ask(engine, 'entity', id='depot')}"

    engine_on(root, env=env).load(whole=True)
    engine = engine_on(root, env=env)
    assert told(engine)
    status = "redacted" if way == "new" else way
    write(root, "claims/master-key.yaml", claim("master-key", **{**LIVE, "status": status}))
    if when == "while nothing runs":
        engine = engine_on(root, env=env)
    else:
        engine.read()
    assert not told(engine)


def test_a_second_file_with_the_id_of_a_redacted_claim_opens_nothing(
    root: Path, env: dict[str, str]
) -> None:
    described = entity("depot", name="Depot", description=TEXT)
    write(root, "claims/master-key.yaml", claim("master-key", **{**LIVE, "status": "redacted"}))
    write(root, "entities/depot.yaml", described)
    engine_on(root, env=env).load(whole=True)
    scope = {"visibility": "private"}
    write(root, "claims/copy.yaml", claim("master-key", text="Nothing of it.", scope=scope))
    engine = engine_on(root, env=env)
    for status in ("redacted", "stable"):
        write(root, "claims/more.yaml", claim("more", text=TEXT, status=status))
        engine.load(whole=True)
        assert SECRET not in str(ask(engine, "entity", id="depot"))


def test_a_description_that_some_are_told_is_gone_with_it(root: Path, env: dict[str, str]) -> None:
    ada, scope = Caller(viewer=Viewer(None, "ada")), {"visibility": "private", "agent": "ada"}
    write(root, "claims/master-key.yaml", claim("master-key", **{**LIVE, "scope": scope}))
    write(root, "entities/depot.yaml", entity("depot", name="Depot", description=TEXT))
    engine_on(root, env=env).load(whole=True)
    engine = engine_on(root, env=env)
    assert SECRET in str(ask(engine, "entity", ada, id="depot"))
    write(root, "entities/depot.yaml", entity("depot", name="Depot"))
    engine.load()
    assert SECRET not in str(ask(engine, "entity", ada, id="depot"))


def test_a_source_that_opens_tells_no_quote_that_holds_it(root: Path, env: dict[str, str]) -> None:
    scope = {"visibility": "private", "agent": "ada"}
    cite(root, "door", "The vault has a door.", "docs/a.md", TEXT.encode(), source_scope=scope)
    source = source_of(TEXT.encode())
    quoting = {"id": "ev-door", "source_id": source, "locator": "L1", "quote": TEXT}
    write(root, "evidence/ev-door.yaml", dump(quoting))
    write(root, "claims/door.yaml", claim("door", text="It has a door.", evidence=["ev-door"]))
    write(root, "claims/master-key.yaml", claim("master-key", **{**LIVE, "status": "redacted"}))
    engine = engine_on(root, env=env)
    write(root, f"sources/{source}/meta.yaml", dump({"id": source, "locator": "docs/a.md"}))
    engine.read()
    for one in (engine, engine_on(root)):
        assert SECRET not in str(ask(one, "claim", id="door")["claim"]["citations"])


def test_a_place_in_words_is_told_of_no_evidence_that_a_redacted_claim_cites(
    root: Path, env: dict[str, str]
) -> None:
    source = source_of(b"docs/a.md")
    cite(root, "door", "It has a door.", "docs/a.md")
    quoting = {"id": "ev-door", "source_id": source, "locator": f"the line on the {SECRET}"}
    write(root, "evidence/ev-door.yaml", dump(quoting | {"quote": "No."}))
    write(root, "claims/door.yaml", claim("door", text="It has a door.", evidence=["ev-door"]))
    gone = claim("master-key", **{**LIVE, "evidence": ["ev-door"], "status": "redacted"})
    engine = engine_on(root, env=env)
    assert SECRET in str(ask(engine, "claim", id="door"))
    write(root, "claims/master-key.yaml", gone)
    engine.load(whole=True)
    for one in (engine, engine_on(root)):
        assert SECRET not in str(ask(one, "claim", id="door"))
    assert not holds(Path(env["XDG_CACHE_HOME"]), SECRET)
