"""The shape of every answer, and what the params of each operation change in it."""

from __future__ import annotations

import json
from math import prod
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from vouch_sidecar.engine import Caller, Engine, Pushes
from vouch_sidecar.operations import (
    OPERATIONS,
    salience_notification,
    status_notification,
)

from scripts import schemas
from tests.engine.bases import ask, base, counts, engine_on, pushed
from tests.kb.samples import SHA, claim, dump, entity, page

SCHEMA: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "schemas" / "protocol.json").read_text("utf-8")
)
FILES = {
    "entities/relay.yaml": entity("relay", name="Mail Relay", type="service"),
    "claims/bounces.yaml": claim("bounces", text="The Mail Relay parks bounces.", entities=[]),
    "claims/both.yaml": claim(
        "both",
        text="Keys sign mail.",
        entities=["vault", "relay", "relay", "nobody"],
        tags=["dkim"],
    ),
    "claims/paged.yaml": claim("paged", text="Parked for a week.", entities=["nobody"]),
    "pages/mail.md": page(
        "# Retry policy\n\n## Limits\n\nThree, then the operator is called.\n",
        id="mail",
        title="Retry policy for uploads",
        claims=["paged"],
        entities=["relay"],
    ),
    f"sources/{SHA}/meta.yaml": json.dumps({"id": SHA, "locator": "notes.md"}).encode(),
    "relations/r.yaml": b"id: r\nsource: relay\nrelation: uses\ntarget: vault\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return base(tmp_path / "kb", FILES)


def test_a_claim_says_who_approved_it_what_contradicts_it_and_whom_to_ask(tmp_path: Path) -> None:
    quote = {"id": "quote", "source_id": SHA, "locator": "b0-2", "quote": "It"}
    against: dict[str, Any] = {"status": "contested", "contradicts": ["not"]}
    files = {
        **FILES,
        "entities/ada.yaml": entity("ada", name="Ada Byron", type="person"),
        "claims/asked.yaml": claim("asked", entities=["ada", "relay"], approved_by="reviewer"),
        "claims/not.yaml": claim("not", text="It is not so.", contradicts=["asked", "nothing"]),
        "claims/alone.yaml": claim("alone", auto_approved=True, approved_by="ada"),
        "claims/mine.yaml": claim("mine", entities=[], auto_approved=True, evidence=["quote"]),
        "evidence/quote.yaml": dump(quote | {"byte_start": 0, "byte_end": 2}),
        "claims/asked-not.yaml": claim("asked-not", entities=["relay"], **against),
    }
    engine = engine_on(base(tmp_path / "asked", files))
    told = {one: ask(engine, "claim", id=one) for one in ("asked", "mine", "alone", "asked-not")}
    assert told["asked"]["approved_by"] == "reviewer"
    approved = {one: answer["auto_approved"] for one, answer in told.items()}
    assert approved == {"asked": False, "mine": True, "alone": False, "asked-not": False}
    (row,) = told["asked-not"]["contested_by"]
    assert (row["id"], row["said"]) == ("not", "It is not so.")
    for one in ("asked", "asked-not"):
        assert [row["name"] for row in told[one]["people"]] == ["Ada Byron"]
    shown = ask(engine, "entity", id="relay")
    assert shown["claim_count"] == len(shown["claims"]) == 5
    assert [row["id"] for row in (*shown["relations"], *shown["pages"])] == ["r", "mail"]


@pytest.fixture
def engine(root: Path) -> Engine:
    return engine_on(root)


def rows(engine: Engine, topic: str, **params: object) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = ask(engine, "experts", topic=topic, **params)["experts"]
    return found


def test_the_schemas_are_up_to_date() -> None:
    assert schemas.main(["--check"]) == 0


def valid(definition: dict[str, Any], instance: object) -> None:
    schema = {**definition, "$defs": SCHEMA["$defs"]}
    jsonschema.Draft202012Validator(schema).validate(instance)


CALLS: list[tuple[str, dict[str, object]]] = [
    ("experts", {"topic": "the Key Vault", "explain": True, "session_id": "s"}),
    ("experts", {"topic": "parked week nowhere", "weight": "evidence", "explain": True}),
    ("salience", {"session_id": "s"}),
    ("probe", {"text": "how does the Mail Relay park bounces"}),
    ("context", {"task": "the Mail Relay and the Key Vault", "session_id": "s"}),
    ("search", {"query": "keys mail"}),
    ("entity", {"id": "relay", "session_id": "s"}),
    ("claim", {"id": "both"}),
    ("status", {}),
    ("stats", {}),
    ("capabilities", {}),
    ("session_end", {"session_id": "s"}),
]


@pytest.mark.parametrize("several", [False, True])
def test_real_answers_of_every_operation_fit_the_schemas(
    tmp_path: Path, root: Path, several: bool
) -> None:
    engine = engine_on(root, *([base(tmp_path / "other")] if several else []))
    named = {name for name, _ in CALLS}
    others = [(n, dict(op.example)) for n, op in OPERATIONS.items() if n not in named]
    for name, params in [*CALLS, *others]:
        valid(SCHEMA["operations"][name]["params"], params)
        answer = ask(engine, name, None, **params)
        assert json.loads(json.dumps(answer)) == answer
        valid(SCHEMA["operations"][name]["result"], answer)
        assert ("_meta" in answer) is (params.get("session_id") == "s" and name != "session_end")


def test_pushes_fit_the_schemas(engine: Engine) -> None:
    pushes = Pushes(engine, Caller())
    engine.observe("s", None, "the Mail Relay")
    (push,) = pushed(pushes)
    status = pushes.status()
    assert status is not None
    for method, told in (
        ("vouch/didChangeSalience", salience_notification(push)),
        ("vouch/didChangeStatus", status_notification(status)),
    ):
        valid(SCHEMA["notifications"][method]["params"], told.model_dump(mode="json"))


@pytest.mark.parametrize(
    ("params", "found"),
    [
        ({}, {"relay": 3, "vault": 1}),
        ({"linking": "declared"}, {"relay": 1, "vault": 1}),
        ({"topic": "dkim"}, {"relay": 1, "vault": 1}),
        ({"topic": "parked week"}, {"relay": 1}),
        ({"min_claims": 2}, {"relay": 3}),
        ({"types": ["system"]}, {"vault": 1}),
        ({"types": []}, {}),
        ({"limit": 1}, {"relay": 3}),
    ],
)
def test_what_a_claim_counts_for(
    engine: Engine, params: dict[str, Any], found: dict[str, int]
) -> None:
    """What cuts rows changes no count."""
    assert counts(engine, **{"topic": "mail relay", **params}) == found
    (relay, *_) = rows(engine, "mail relay", explain=True)
    links = {one["claim_id"]: one["link"] for one in relay["explain"]["claims"]}
    assert links == {"both": "declared", "bounces": "named", "paged": "page"}


@pytest.mark.parametrize("weight", ["count", "recency", "citation", "evidence"])
def test_an_explanation_adds_up(engine: Engine, weight: str) -> None:
    for row in rows(engine, "mail relay keys", weight=weight, explain=True):
        explain = row["explain"]
        for one in explain["claims"]:
            assert one["contribution"] == pytest.approx(prod(one["factors"].values()))
        parts = sum(c["contribution"] for c in explain["claims"])
        assert explain["factors"]["sum"] == pytest.approx(parts)
        product = 1.0
        for factor in explain["formula"].split(",")[0].split(" × "):
            product *= explain["factors"][factor]
        assert row["score"] == pytest.approx(product, abs=1e-6)
        assert row["top_claim_ids"] == [c["claim_id"] for c in explain["claims"][:3]]


def test_evidence_of_a_source_that_is_withheld_is_missing(tmp_path: Path) -> None:
    secret = {"id": SHA, "locator": "secret.md", "scope": {"visibility": "private"}}
    quoted = {"id": "e", "source_id": SHA, "locator": "secret line", "quote": "the secret"}
    for number, source in enumerate((None, dump(secret), b"id: [")):
        files = {
            "evidence/e.yaml": dump(quoted),
            "claims/quoting.yaml": claim("quoting", evidence=["e", "e2"], entities=["vault"]),
        }
        files |= {f"sources/{SHA}/meta.yaml": source} if source is not None else {}
        engine = engine_on(base(tmp_path / str(number), files))
        assert "secret" not in json.dumps(ask(engine, "entity", id="vault"))
        cited = ask(engine, "claim", id="quoting")["claim"]["citations"]
        assert "secret" not in json.dumps(cited)
        assert [(row["id"], row["kind"]) for row in cited] == [("e", "missing"), ("e2", "missing")]
        (row,) = rows(engine, "authenticates requests")
        assert row["citation_count"] == 2


def test_a_call_with_a_session_is_a_slot_of_it_and_meta_tells_what_salience_tells(
    engine: Engine,
) -> None:
    for operation, params in (
        ("experts", {"topic": "Key Vault"}),
        ("search", {"query": "Mail Relay"}),
        ("context", {"task": "nothing here"}),
    ):
        ask(engine, operation, None, session_id="s", **params)
    found = ask(engine, "salience", session_id="s")["salience"]
    assert {row["entity_id"] for row in found} == {"vault", "relay"}
    meta = ask(engine, "status", session_id="s")["_meta"]["vouch_salience"]
    keys = ("entity_id", "claim_count", "top_claim_id")
    assert meta == [{key: row[key] for key in keys} for row in found]
    ask(engine, "experts", topic="Key Vault")
    assert ask(engine, "status")["sessions"] == 1
    assert "_meta" not in ask(engine, "status", session_id="unknown")


def test_a_page_that_is_asked_for_by_its_title_is_probed_where_it_says_something(
    engine: Engine,
) -> None:
    (hit,) = ask(engine, "probe", text="What is the retry policy for uploads?")["hits"]
    assert (hit["id"], hit["chunk_idx"]) == ("mail", 1)
    assert "operator is called" in hit["text"]
