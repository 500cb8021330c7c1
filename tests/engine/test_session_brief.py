"""What an agent is told that begins: what changed since it was here last, and what there is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from vouch_sidecar.engine import Caller
from vouch_sidecar.engine.session_brief import MAX_BRIEF, brief
from vouch_sidecar.surfaces.hook.events import respond

from tests.engine.bases import NOW, ask, base, cached, engine_on, write
from tests.kb.samples import claim, dump, make_kb, page, put
from tests.workspace.places import cite, repository, settled, source_of

DAY = 86_400.0


def at(seconds: float) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(seconds, UTC).isoformat()


def dated(claim_id: str, when: float, **fields: object) -> bytes:
    text = fields.pop("text", f"It says {claim_id}.")
    return claim(claim_id, text=text, created_at=at(when), updated_at=at(when), **fields)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {f"claims/old{n}.yaml": dated(f"old{n}", NOW - 9 * DAY) for n in range(3)}
    return base(tmp_path / "kb", files)


def begin(root: Path, tmp_path: Path, now: float, event: str = "session-start", **more: str) -> str:
    """What a hook prints that works alone, at some time."""
    env = {**cached(tmp_path), "PATH": os.environ["PATH"]}
    engine = engine_on(root, env=env, now=lambda: now)
    payload = {"session_id": "s", "cwd": str(root), **more}
    answered = respond(engine, event, payload, Caller())
    return "" if answered is None else str(answered["hookSpecificOutput"]["additionalContext"])


def test_a_session_is_told_what_changed_since_the_last(root: Path, tmp_path: Path) -> None:
    assert "last session" not in begin(root, tmp_path, NOW)
    assert "last session" not in begin(root, tmp_path, NOW + 1)
    new = dated("new", NOW + DAY, text="Keys rotate daily.", supersedes=["old0"], confidence=0.9)
    write(root, "claims/new.yaml", new)
    write(root, "claims/other.yaml", dated("other", NOW + DAY, confidence=0.5))
    write(root, "claims/old0.yaml", dated("old0", NOW - 9 * DAY, status="superseded"))
    write(root, "claims/old1.yaml", dated("old1", NOW - 9 * DAY, status="archived"))
    told = begin(root, tmp_path, NOW + 2 * DAY)
    since = at(NOW)[:10]
    changed = f"Claims since your last session, {since}: 2 approved, 1 superseded, 1 retired."
    assert changed in told
    assert "- new: new: Keys rotate daily." in told
    assert "old0" not in told
    assert "last session" not in begin(root, tmp_path, NOW + 3 * DAY)


def test_the_end_of_a_session_counts_and_a_compaction_begins_none(
    root: Path, tmp_path: Path
) -> None:
    begin(root, tmp_path, NOW)
    write(root, "claims/new.yaml", dated("new", NOW + 1))
    assert "last session" not in begin(root, tmp_path, NOW + 2, source="compact")
    begin(root, tmp_path, NOW + 3, "session-end")
    assert "last session" not in begin(root, tmp_path, NOW + DAY)


def test_each_agent_has_a_last_session_of_its_own(root: Path, tmp_path: Path) -> None:
    begin(root, tmp_path, NOW)
    write(root, "claims/new.yaml", dated("new", NOW + DAY))
    engine = engine_on(root, env=cached(tmp_path))
    payload = {"session_id": "s", "cwd": str(root), "viewer": {"agent": "ada"}}
    answered = respond(engine, "session-start", payload, Caller())
    assert answered is not None
    assert "last session" not in str(answered)
    assert "1 approved" in begin(root, tmp_path, NOW + 2 * DAY)


def test_what_is_kept_is_a_time_and_a_number(root: Path, tmp_path: Path) -> None:
    begin(root, tmp_path, NOW)
    (file,) = (tmp_path / "cache" / "vouch-sidecar").glob("last-*")
    assert file.read_text() == f"{NOW:.0f} 4\n"
    assert file.stat().st_mode & 0o077 == 0
    for content in ("", "x y", "1 2 3", "nan\0", "1" * 1000):
        file.write_text(content)
        assert "last session" not in begin(root, tmp_path, NOW + DAY)


def test_without_entities_it_says_what_there_is(tmp_path: Path) -> None:
    root = repository(tmp_path / "kb", {"docs/net.md": "It idles.\n", "docs/b.md": "b\n"})
    for number in range(3):
        cite(root, f"c{number}", f"It idles {number}.", "docs/net.md")
    put(root / ".vouch", "pages/p.md", page(id="p", title="How it idles"))
    answer = b"It idles at night.\n"
    source = {"id": source_of(answer), "locator": "m", "type": "message"}
    metadata = {"question": "When does it idle?", "kind": "session-answer"}
    meta = dump({**source, "metadata": metadata})
    put(root / ".vouch", f"sources/{source_of(answer)}/meta.yaml", meta)
    put(root / ".vouch", f"sources/{source_of(answer)}/content", answer)
    engine = settled(root, tmp_path)
    told = brief(engine.serving(Caller()))
    assert "- pages: How it idles" in told
    assert "- most claims on: docs/net.md (3)" in told
    assert "- asked lately: When does it idle?" in told
    assert len(told) <= MAX_BRIEF


def test_an_empty_base_has_none(tmp_path: Path) -> None:
    make_kb(tmp_path / "kb")
    assert brief(engine_on(tmp_path / "kb").serving(Caller())) == ""


def test_files_are_chosen_among_those_with_visible_claims(tmp_path: Path) -> None:
    paths = [f"docs/f{number:02}.md" for number in range(13)]
    root = repository(tmp_path / "kb", {path: f"It idles in {path}.\n" for path in paths})
    for number, path in enumerate(paths):
        cite(root, f"c{number}", f"It idles {number} times.", path)
    told = brief(settled(root, tmp_path).serving(Caller()))
    assert f"- most claims on: {paths[0]} (1)" in told
    secret = {"visibility": "private", "agent": "ada"}
    for path in paths[1:]:
        for number in range(2):
            cite(
                root, f"hers-{path[6:8]}-{number}", f"Ada alone knows {number}.", path, scope=secret
            )
    assert (
        brief(settled(root, tmp_path / "again").serving(Caller())).splitlines()[1:]
        == (told.splitlines()[1:])
    )


def test_pages_of_sessions_and_of_vouch_itself_are_in_no_overview(
    root: Path, tmp_path: Path
) -> None:
    pages = {
        "edit-in-obsidian": {"title": "Edit in Obsidian"},
        "session-1": {"title": "A long session", "type": "session"},
        "runbook": {"title": "Runbook of the relay"},
    }
    for entity in (root / ".vouch" / "entities").iterdir():
        entity.unlink()
    for name, fields in pages.items():
        write(root, f"pages/{name}.md", page(id=name, **fields))
    told = begin(root, tmp_path, NOW)
    assert "Runbook of the relay" in told
    assert "Obsidian" not in told
    assert "A long session" not in told


def test_pages_of_sessions_are_said_to_whom_asks_alone(root: Path, tmp_path: Path) -> None:
    body = "# Notes\n\nThe turnstile firmware was flashed twice over the maintenance port.\n"
    write(root, "pages/s1.md", page(body, id="s1", title="Notes", type="session"))
    engine = engine_on(root, env=cached(tmp_path))
    asked = "flash the turnstile firmware over the maintenance port"
    assert ask(engine, "context", task=asked)["text"] == ""
    assert [hit["id"] for hit in ask(engine, "probe", text=asked)["hits"]] == ["s1"]
