"""Everything that the real vouch-kb writes is read, without a problem, as it meant it."""

from __future__ import annotations

from vouch_sidecar.kb.access import Viewer, gate_of, is_live
from vouch_sidecar.kb.records import Claim, Kind
from vouch_sidecar.kb.settings import Config, load_settings, viewer_for
from vouch_sidecar.kb.store import Store

from tests.conftest import MakeKb
from tests.oracle import Step

TEXT = "Tokens live 15 minutes: yes, \"always\" — 'so' #1."
BODY = "# Auth\n\n---\n\nNot front matter.\n"


def claim(name: str, text: str, **fields: object) -> Step:
    return {"op": "claim", "as": name, "text": text, "evidence": ["@source"], **fields}


STEPS: list[Step] = [
    {"op": "source", "as": "source", "content": "Tokens live 15 minutes — «always».\n"},
    {"op": "evidence", "as": "receipt", "source": "@source", "quote": "15 minutes"},
    {"op": "entity", "as": "api", "name": "Service: API", "entity_type": "api"},
    {"op": "entity", "as": "auth", "name": "認証基盤", "entity_type": "system"},
    claim("plain", TEXT, entities=["@api"]),
    claim("old", "Sessions are sticky."),
    claim("new", "Sessions are stateless."),
    claim("archived", "There is a cookie."),
    claim("redacted", "The password is hunter2."),
    claim("secret", "Only for one agent.", scope={"visibility": "private", "agent": "me"}),
    claim("left", "It rains.", tags=["on", "010", "2026-01-01"]),
    claim("right", "It does not rain."),
    {"op": "page", "as": "page", "title": "Auth", "body": BODY, "claim_ids": ["@plain"]},
    {"op": "relation", "as": "edge", "source": "@api", "relation": "uses", "target": "@auth"},
    {"op": "supersede", "old": "@old", "new": "@new"},
    {"op": "contradict", "a": "@left", "b": "@right"},
    {"op": "archive", "claim": "@archived"},
    {"op": "redact", "claim": "@redacted"},
    {"op": "session_start", "as": "open", "task": "fix: auth"},
    {"op": "session_start", "as": "closed", "task": "done"},
    {"op": "session_end", "session": "@closed"},
]


def test_every_file_says_what_it_was_given(make_kb: MakeKb) -> None:
    kb = make_kb(*STEPS)
    ids = {s["as"]: i for s, i in zip([{}, *STEPS], kb.results, strict=True) if "as" in s}
    store = Store(kb.root / ".vouch")
    seen = store.reconcile()
    assert (seen.problems, seen.skipped) == ({}, 0)
    by_id = {one.id: one for one in store.records.values()}
    made = {name: by_id[artifact_id] for name, artifact_id in ids.items()}
    for name, field, value in (
        ("plain", "text", TEXT),
        ("plain", "evidence", (ids["source"],)),
        ("plain", "entities", (ids["api"],)),
        ("left", "tags", ("on", "010", "2026-01-01")),
        ("left", "contradicts", (ids["right"],)),
        ("old", "superseded_by", ids["new"]),
        ("page", "body", BODY),
        ("page", "claims", (ids["plain"],)),
        ("receipt", "source_id", ids["source"]),
        ("receipt", "quote", "15 minutes"),
        ("edge", "source", ids["api"]),
        ("edge", "relation", "uses"),
        ("edge", "target", ids["auth"]),
        ("open", "ended_at", None),
    ):
        assert getattr(made[name], field) == value, (name, field)
    assert getattr(made["closed"], "ended_at", None) is not None
    assert {name for name in made if not is_live(made[name])} == {"old", "archived", "redacted"}
    assert gate_of(made["secret"]) == "agent:me"
    config = Config((kb.root / ".vouch/config.yaml").read_bytes())
    settings, problems = load_settings(config, {}, {})
    assert (settings.kb.name, problems) == (kb.root.name, ())
    assert viewer_for(settings, None, None, {}) == Viewer(settings.kb.id, None)


def test_a_passage_is_unreviewed_until_it_is_confirmed(make_kb: MakeKb) -> None:
    kb = make_kb(
        {"op": "config", "review": {"auto_approve_on_receipt": True}},
        {"op": "ingest", "content": "The pump is never off at night.\n", "title": "tank.md"},
    )
    store = Store(kb.root / ".vouch")
    store.reconcile()
    (passage,) = (one for one in store.records.values() if isinstance(one, Claim))
    assert (passage.auto_approved, passage.last_confirmed_at) == (True, None)
    kb.run({"op": "confirm", "claim": passage.id})
    store.reconcile()
    confirmed = store.records[Kind.CLAIM, passage.id]
    assert isinstance(confirmed, Claim)
    assert confirmed.last_confirmed_at is not None
