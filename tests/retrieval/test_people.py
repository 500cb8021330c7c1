"""Whom to ask about an entity."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.engine.collection import settle
from vouch_sidecar.operations import OPERATIONS, perform

from tests.engine.bases import ask, base, engine_on
from tests.kb.samples import claim, entity
from tests.retrieval.people import person, relation, team


def says(name: str, *entities: str, **fields: object) -> dict[str, bytes]:
    fields = {"text": f"It holds {name}.", "entities": list(entities), **fields}
    return {f"claims/{name}.yaml": claim(name, **fields)}


def engine(folder: Path, *files: dict[str, bytes]) -> Engine:
    return engine_on(base(folder, {path: data for some in files for path, data in some.items()}))


def people(engine: Engine, entity_id: str = "vault", **params: Any) -> list[tuple[Any, ...]]:
    rows = ask(engine, "entity", id=entity_id, **params)["people"]
    return [(r["entity_id"], r["claim_count"], r["relation"], r["via"]) for r in rows]


def test_people_by_claims_then_owners_then_people_of_an_owning_team(tmp_path: Path) -> None:
    found = engine(
        tmp_path,
        *(person(name) for name in ("ada", "bob", "cyd", "dan", "eve")),
        team("ops"),
        says("one", "vault", "ada", "ops"),
        says("two", "vault", "ada"),
        says("three", "vault", "bob"),
        says("four", "ops", "cyd"),
        says("five", "ops", "dan"),
        says("six", "ops", "dan", "eve", confidence=0.5),
        relation("vault", "owned_by", "ops"),
    )
    assert people(found) == [
        ("ada", 2, None, None),
        ("bob", 1, None, None),
        ("ops", 1, "owned_by", None),
        ("dan", 2, None, "ops"),
    ]


@pytest.mark.parametrize(
    ("relations", "expected"),
    [
        ([("vault", "owned_by", "ada")], "owned_by"),
        ([("vault", "maintained_by", "ada")], "maintained_by"),
        ([("ada", "leads", "vault")], "leads"),
        ([("ada", "member_of", "vault")], "member_of"),
        ([("vault", "maintained_by", "ada"), ("vault", "owned_by", "ada")], "owned_by"),
        ([("vault", "leads", "ada")], None),
        ([("ada", "owned_by", "vault")], None),
        ([("vault", "uses", "ada")], None),
        ([("vault", "owned_by", "nobody")], None),
    ],
)
def test_relations_that_name_somebody(
    tmp_path: Path, relations: list[tuple[str, str, str]], expected: str | None
) -> None:
    found = engine(tmp_path, person("ada"), *(relation(*one) for one in relations))
    assert people(found) == ([("ada", 0, expected, None)] if expected else [])


def test_an_owner_with_claims_is_named_once(tmp_path: Path) -> None:
    files = person("ada"), says("one", "vault", "ada"), relation("vault", "owned_by", "ada")
    assert people(engine(tmp_path, *files)) == [("ada", 1, "owned_by", None)]


def test_teams_that_own_each_other_end(tmp_path: Path) -> None:
    found = engine(
        tmp_path,
        team("ops"),
        team("dev"),
        relation("ops", "owned_by", "dev"),
        relation("dev", "owned_by", "ops"),
    )
    assert people(found, "ops") == [("dev", 0, "owned_by", None)]


def test_only_claims_that_may_be_told_count(tmp_path: Path) -> None:
    private = {"visibility": "private", "agent": "eve"}
    found = engine(
        tmp_path,
        person("ada"),
        person("bob"),
        says("old", "vault", "ada", status="superseded"),
        says("hers", "vault", "bob", scope=private),
    )
    assert people(found) == []
    assert people(found, viewer={"agent": "eve"}) == [("bob", 1, None, None)]


def test_a_person_is_the_one_to_ask_and_nothing_is_read_out_of_texts(tmp_path: Path) -> None:
    text = "Ada and Bob like the Key Vault."
    found = engine(tmp_path, person("ada"), person("bob"), says("one", "ada", "bob", text=text))
    assert (people(found, "ada"), people(found)) == ([], [])


def context(engine: Engine, text: str, **params: Any) -> list[str]:
    block = ask(engine, "context", task=text, **params)["text"]
    return [line for line in block.splitlines() if line.startswith("- ")]


OWNED = (
    person("ada"),
    team("ops"),
    says("one", "vault", "ada", confidence=0.9),
    says("two", "vault", text="Ops owns the Key Vault."),
    relation("vault", "owned_by", "ops"),
)
ASK = "- “Key Vault” 1 entity vault: Key Vault. To ask: ada (1 claim), owned by Ops"


def test_a_text_that_asks_for_somebody_is_told_whom_to_ask(tmp_path: Path) -> None:
    found = engine(tmp_path, *OWNED)
    says_so, asks, *_ = context(found, "who owns the Key Vault?")
    assert "two: Ops owns the Key Vault." in says_so
    assert asks == ASK.replace("ada", "Ada")
    assert context(found, "whom do I ask about the Key Vault")[0] == asks
    assert not any("To ask" in line for line in context(found, "what holds the Key Vault?"))


def test_a_session_is_told_once_whom_to_ask(tmp_path: Path) -> None:
    found, given = engine(tmp_path, *OWNED), {"session_id": "s", "repeat": False}
    context(found, "what holds the Key Vault?", **given)
    (asks,) = context(found, "whom do I ask about the Key Vault", **given)
    assert "To ask" in asks
    assert context(found, "and who leads the Key Vault", **given) == []
    assert context(found, "what holds the Key Vault, again?", **given) == []


def test_a_topic_without_a_name_has_people_to_ask(tmp_path: Path) -> None:
    found = engine(
        tmp_path,
        *(person(name) for name in ("ada", "bob")),
        says("one", "bob", text="Glyph fonts are embedded."),
        says("two", "ada", text="Glyph fonts are licensed."),
        says("three", "ada", text="Glyph fonts are small."),
    )
    asks = context(found, "whom should I ask about glyph fonts? It is for a small dog.")[:2]
    assert asks == [
        "- “glyph fonts” 1 entity ada: Ada. To ask: 2 claims",
        "- “glyph fonts” 1 entity bob: Bob. To ask: 1 claim",
    ]
    told = ask(found, "explain", text="whom should I ask about glyph fonts?")["texts"]
    assert [(t["id"], t["verdict"]) for t in told[:2]] == [("ada", "said"), ("bob", "said")]
    assert "asks for somebody" in told[0]["why"]
    for text in (
        "whom should I ask about small dogs?",
        "whom should I ask about it",
        "glyph fonts",
    ):
        assert not any("To ask" in line for line in context(found, text))


def owned(folder: Path) -> Engine:
    """A vault that Ada owns and Ops maintains; another base entity that nobody does."""
    return engine(
        folder,
        person("ada"),
        team("ops"),
        {"entities/gate.yaml": entity("gate", name="Side Gate", type="system")},
        relation("vault", "owned_by", "ada"),
        relation("vault", "maintained_by", "ops"),
    )


def ids(rows: list[dict[str, Any]]) -> list[str]:
    return [row["entity_id"] for row in rows]


def test_experts_name_whom_relations_make_responsible(tmp_path: Path) -> None:
    found = owned(tmp_path)
    answer = ask(found, "experts", topic="who owns the Key Vault")
    assert ids(answer["experts"]) == ["vault"]
    assert answer["people"] == ask(found, "entity", id="vault")["people"]
    only = ask(found, "experts", topic="who owns the Key Vault", types=["person"])
    assert (ids(only["experts"]), ids(only["people"])) == ([], ["ada"])
    for nobody in ("the Side Gate", "rotate"):
        assert "people" not in ask(found, "experts", topic=nobody)


def test_a_model_reads_whom_to_ask(tmp_path: Path) -> None:
    found, operation = owned(tmp_path), OPERATIONS["experts"]
    settle(found.collections.values())

    def read(topic: str, **params: Any) -> list[str]:
        asked = {"topic": topic, **params}
        return operation.readable(perform(found, operation, asked, Caller())).splitlines()

    for topic in ("who owns the Key Vault", "the Key Vault"):
        assert "ask: Ada (owner), Ops (maintainer)" in read(topic)
    assert read("who owns the Key Vault", types=["person"])[0] == "ask: Ada (owner)"
    assert read("who owns the Side Gate")[0] == operation.nothing


def test_people_of_several_collections_say_whose_they_are(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    base(one, {**person("ada"), **relation("vault", "owned_by", "ada")})
    base(other, {**person("ada"), **relation("vault", "owned_by", "ada")})
    rows = ask(engine_on(one, other), "experts", topic="who owns the Key Vault")["people"]
    assert [(row["entity_id"], row["collection"]) for row in rows] == [
        ("ada", "one"),
        ("ada", "other"),
    ]
