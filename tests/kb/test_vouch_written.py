"""Everything that the real vouch-kb writes is read, without a problem, as it meant it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from vouch_sidecar.kb.access import Viewer, gate_of, is_live
from vouch_sidecar.kb.discovery import discover
from vouch_sidecar.kb.records import (
    Artifact,
    Claim,
    Evidence,
    Key,
    Kind,
    Page,
    Relation,
    VouchSession,
)
from vouch_sidecar.kb.settings import load_settings, viewer_for
from vouch_sidecar.kb.store import Store

from tests.conftest import MakeKb
from tests.oracle import Step


def read(root: Path) -> dict[Key, Artifact]:
    step = Store(root / ".vouch").reconcile()
    assert step.problems == {}
    assert step.skipped == 0
    return dict(step.records)


@pytest.fixture(scope="module")
def written(make_kb: MakeKb) -> tuple[Path, dict[str, str]]:
    def claim(name: str, text: str, **fields: object) -> Step:
        return {"op": "claim", "as": name, "text": text, "evidence": ["@source"], **fields}

    steps: list[Step] = [
        {"op": "source", "as": "source", "content": "Tokens live 15 minutes — «always».\n"},
        {"op": "evidence", "as": "receipt", "source": "@source", "quote": "15 minutes"},
        {"op": "entity", "as": "api", "name": "Service: API", "entity_type": "api"},
        {"op": "entity", "as": "auth", "name": "認証基盤", "entity_type": "system"},
        claim("plain", "Tokens live 15 minutes: yes, \"always\" — 'so' #1.", entities=["@api"]),
        claim("old", "Sessions are sticky."),
        claim("new", "Sessions are stateless."),
        claim("archived", "There is a cookie."),
        claim("redacted", "The password is hunter2."),
        claim("secret", "Only for one agent.", scope={"visibility": "private", "agent": "me"}),
        claim("left", "It rains.", tags=["on", "010", "2026-01-01"]),
        claim("right", "It does not rain."),
        {
            "op": "page",
            "as": "page",
            "title": "Auth",
            "body": "# Auth\n\n---\n\nNot front matter.\n",
            "claim_ids": ["@plain"],
            "entity_ids": ["@api"],
        },
        {"op": "relation", "as": "edge", "source": "@api", "relation": "uses", "target": "@auth"},
        {"op": "supersede", "old": "@old", "new": "@new"},
        {"op": "contradict", "a": "@left", "b": "@right"},
        {"op": "archive", "claim": "@archived"},
        {"op": "redact", "claim": "@redacted"},
        {"op": "confirm", "claim": "@plain"},
        {"op": "session_start", "as": "open", "task": "fix: auth"},
        {"op": "session_start", "as": "closed", "task": "done"},
        {"op": "session_end", "session": "@closed"},
    ]
    kb = make_kb(*steps)
    names = {
        str(step["as"]): str(result)
        for step, result in zip([{}, *steps], kb.results, strict=True)
        if "as" in step
    }
    return kb.root, names


def test_every_file_says_what_it_was_given(written: tuple[Path, dict[str, str]]) -> None:
    root, names = written
    artifacts = read(root)
    assert {artifact_id for _, artifact_id in artifacts} >= set(names.values())
    made = {
        name: by_id for key, by_id in artifacts.items() for name in names if key[1] == names[name]
    }
    claims = {name: one for name, one in made.items() if isinstance(one, Claim)}
    assert claims["plain"].text == "Tokens live 15 minutes: yes, \"always\" — 'so' #1."
    assert claims["plain"].evidence == (names["source"],)
    assert claims["plain"].entities == (names["api"],)
    assert claims["plain"].last_confirmed_at is not None
    assert claims["left"].tags == ("on", "010", "2026-01-01")
    assert claims["old"].superseded_by == names["new"]
    assert claims["left"].contradicts == (names["right"],)
    assert {name for name in claims if not is_live(claims[name])} == {"old", "archived", "redacted"}
    assert gate_of(claims["secret"]) == "agent:me"
    page, receipt, edge = made["page"], made["receipt"], made["edge"]
    assert isinstance(page, Page)
    assert page.body.strip() == "# Auth\n\n---\n\nNot front matter."
    assert page.claims == (names["plain"],)
    assert isinstance(receipt, Evidence)
    assert (receipt.source_id, receipt.quote) == (names["source"], "15 minutes")
    assert isinstance(edge, Relation)
    assert (edge.source, edge.relation, edge.target) == (names["api"], "uses", names["auth"])
    sessions = [made[name] for name in ("open", "closed")]
    assert [isinstance(one, VouchSession) and one.ended_at is None for one in sessions] == [
        True,
        False,
    ]
    config = (root / ".vouch" / "config.yaml").read_bytes()
    settings, problems = load_settings(config, {}, {})
    assert (settings.kb.name, problems) == (root.name, ())
    assert viewer_for(settings, None, None, {}) == Viewer(settings.kb.id, None)


def test_its_own_starter_and_a_real_redaction(vouch_kb: Path, tmp_path: Path) -> None:
    def run(*args: str) -> None:
        subprocess.run([vouch_kb, *args], cwd=tmp_path, check=True, capture_output=True)

    run("init")
    env = {"HOME": str(tmp_path.parent)}
    assert discover(tmp_path / "src", env=env) == [str(tmp_path)]
    store = Store(tmp_path / ".vouch")
    claims = [a for a in store.reconcile().records.values() if isinstance(a, Claim)]
    assert len(claims) == 1
    run("redact", claims[0].id)
    step = store.reconcile()
    assert not is_live(step.records[Kind.CLAIM, claims[0].id])
    shutil.rmtree(tmp_path / ".vouch")
    assert not store.reconcile().records
