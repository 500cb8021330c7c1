"""The shape of every answer, and what the params of each operation change in it."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.operations.mentions import MAX_LOOKED_AT
from vouch_sidecar.operations.notifications import salience_notification, status_notification
from vouch_sidecar.operations.operation import operations
from vouch_sidecar.operations.table import for_model

from tests.engine.bases import Listener, ask, base, counts, engine_on, performed, pushed, settle
from tests.kb.samples import SHA, claim, dump, entity
from tests.operations.conftest import FILES
from tests.workspace.places import settled

PROTOCOL = Path(__file__).parents[2] / "schemas" / "protocol.json"
SCHEMA: dict[str, Any] = json.loads(PROTOCOL.read_text("utf-8"))


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


def rows(engine: Engine, topic: str, **params: object) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = ask(engine, "experts", topic=topic, **params)["experts"]
    return found


def valid(definition: dict[str, Any], instance: object) -> None:
    jsonschema.Draft202012Validator({**definition, "$defs": SCHEMA["$defs"]}).validate(instance)


def test_answers_and_pushes_fit_the_schemas(courier: Path, tmp_path: Path) -> None:
    engine = engine_on(courier, base(tmp_path / "other"))
    listener = Listener(engine)
    for name, operation in operations().items():
        asked = {**operation.example, "session_id": "s"}
        asked |= {"explain": True} if name == "experts" else {}
        valid(SCHEMA["operations"][name]["params"], asked)
        answer = ask(engine, name, None, **asked)
        assert json.loads(json.dumps(answer)) == answer
        valid(SCHEMA["operations"][name]["result"], answer)
    engine.observe("s", None, "the Key Vault")
    (push,) = pushed(listener)
    for method, told in (
        ("vouch/didChangeSalience", salience_notification(push)),
        ("vouch/didChangeStatus", status_notification(engine, Caller())),
    ):
        valid(SCHEMA["notifications"][method]["params"], told.model_dump(mode="json"))


@pytest.mark.parametrize(
    ("params", "found"),
    [
        ({}, {"relay": 3, "vault": 1}),
        ({"linking": "declared"}, {"relay": 1, "vault": 1}),
        ({"topic": "dkim"}, {"relay": 1, "vault": 1}),
        ({"topic": "parked week"}, {"relay": 1}),  # one claim holds both words
        ({"topic": "answers cache bounces"}, {"beacon": 1}),  # two hold some, one of them more
        ({"topic": "signed key"}, {"relay": 1, "vault": 1}),
        ({"topic": "of the"}, {}),
        ({"min_claims": 2}, {"relay": 3}),
        ({"types": ["system"]}, {"vault": 1}),
        ({"types": []}, {}),
        ({"limit": 1}, {"relay": 3}),
    ],
)
def test_which_claims_count(engine: Engine, params: dict[str, Any], found: dict[str, int]) -> None:
    """What cuts rows changes no count."""
    assert counts(engine, **{"topic": "mail relay", **params}) == found
    (relay, *_) = rows(engine, "mail relay", explain=True)
    links = {one["claim_id"]: one["link"] for one in relay["explain"]}
    assert links == {"both": "declared", "bounces": "named", "paged": "page"}


def test_every_live_claim_counts_and_no_retired_one(tmp_path: Path) -> None:
    """vouch looks at the best fifty, and counts retired ones in what is in play."""
    files = {"entities/depot.yaml": entity("depot", name="North Depot")}
    for n in range(60):
        for name, status in ((f"old-{n}", "archived"), (f"new-{n}", "stable")):
            text = f"Parcel {n} was weighed"
            files[f"claims/{name}.yaml"] = claim(name, text=text, status=status, entities=["depot"])
    engine = engine_on(base(tmp_path, files))
    assert counts(engine, "weighed", limit=1) == {"depot": 60}
    engine.observe("s", None, "Restart the North Depot?")
    (row,) = ask(engine, "salience", session_id="s")["salience"]
    assert (row["entity_id"], row["claim_count"]) == ("depot", 60)


def test_a_call_with_a_session_is_a_slot_and_meta_tells_salience(engine: Engine) -> None:
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


def test_only_what_is_newer_is_searched_said_and_counted(tmp_path: Path) -> None:
    files = {"entities/relay.yaml": entity("relay", name="Mail Relay")}
    for name, month in (("old", "01"), ("new", "06"), ("undated", None)):
        text, at = f"The Mail Relay parks {name} bounces.", month and f"2026-{month}-05T00:00:00Z"
        files[f"claims/{name}.yaml"] = claim(name, text=text, entities=["relay"], updated_at=at)
    engine = engine_on(base(tmp_path, files))

    def found(**since: str) -> list[set[str]]:
        hits = ask(engine, "search", query="bounces", **since)["hits"]
        items = ask(engine, "context", task="where does the Mail Relay park bounces?", **since)
        return [{row["id"] for row in rows} for rows in (hits, items["items"])]

    for every in found():
        assert every >= {"old", "new"}
    for since in ("2026-03-01", "200d"):
        assert found(since=since) == [{"new"}, {"new"}]
        (row,) = rows(engine, "bounces", since=since)
        assert (row["claim_count"], row["top_claim_ids"]) == (1, ["new"])


def mentioned(engine: Engine, text: str, **params: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = ask(engine, "mentions", text=text, **params)["mentions"]
    return rows


def test_each_place_with_what_it_names(engine: Engine) -> None:
    text = "😀 Mail Relay, said Lovelace: restart Mail Relay!"
    first, second, third = mentioned(engine, text)
    relay = {"entity_id": "relay", "name": "Mail Relay", "type": "service", "arm": "name"}
    surely = {"ambiguous": False, "listed": True}
    assert first == {**relay, **surely, "start": 2, "end": 12}
    assert third == {**relay, **surely, "start": 37, "end": 47}
    assert (second["entity_id"], second["arm"]) == ("ada", "partial")
    assert (second["start"], second["end"]) == (19, 27)
    two = mentioned(engine, "What is in the DLQ since noon?")
    places = [(r["entity_id"], r["ambiguous"], r["arm"], r["start"], r["end"]) for r in two]
    assert places == [("queue", True, "alias", 15, 18), ("relay", True, "alias", 15, 18)]
    (hardly,) = mentioned(engine, "please beacon this to him")
    assert (hardly["entity_id"], hardly["listed"]) == ("beacon", False)


def test_what_is_listed_is_what_salience_lists(engine: Engine) -> None:
    for text in ("Beacon or beacon?", "the DLQ and Lovelace", "please beacon it", "a mail relay"):
        rows = mentioned(engine, text, session_id=text)
        ranked = ask(engine, "salience", session_id=text, top_k=20)["salience"]
        named = {row["entity_id"] for row in ranked if row["arm"] != "text"}
        assert {row["entity_id"] for row in rows if row["listed"]} == named


def test_the_rest_of_a_huge_text_is_not_looked_at(engine: Engine) -> None:
    assert not mentioned(engine, "so " * (MAX_LOOKED_AT // 3) + "Mail Relay")


def read(engine: Engine, name: str, **params: Any) -> list[str]:
    operation = operations()[name]
    said = for_model(operation.shown(performed(engine, operation, Caller(is_model=True), **params)))
    return said.split("\n")


def test_an_entity_says_whom_to_ask_and_how_many_of_its_claims_are_shown(tmp_path: Path) -> None:
    files = {f"claims/c{n}.yaml": claim(f"c{n}", entities=["vault", "ada"]) for n in range(8)}
    files["entities/ada.yaml"] = entity("ada", name="Ada", type="person")
    files["entities/ops.yaml"] = entity("ops", name="Ops", type="team")
    files["relations/r.yaml"] = b"id: r\nsource: vault\nrelation: owned_by\ntarget: ops\n"
    files["claims/title.yaml"] = claim("title", text="# The vault", entities=["vault"])
    engine = settled(base(tmp_path / "kb", files), tmp_path)
    lines = read(engine, "entity", id="vault")
    assert "ask: Ada (8 claims), Ops (owner)" in lines
    assert "10 live claims, 9 shown" in lines
    assert len([line for line in lines if line.startswith("- ")]) == 10  # with the relation
    assert "ask: Ada (8 claims), Ops (owner)" in read(engine, "experts", topic="the Key Vault")


def test_what_an_answer_had_to_do_without_is_said(tmp_path: Path) -> None:
    files = {"claims/broken.yaml": b"id: [", "config.yaml": b"id: ["}
    files["claims/rival.yaml"] = claim("rotation")
    engine = settled(base(tmp_path / "kb", files), tmp_path)
    (status,) = ask(engine, "status")["roots"]
    assert (len(status["problems"]), status["unusable"]) == (4, 1)
    skipped = "(without all of it: files_skipped)"
    assert read(engine, "claim", id="rotation")[-1] == skipped
    said = read(engine, "experts", topic="keys", weight="fame")
    assert said[-2:] == ["fame is no weight, and counts as count", skipped]
    assert rows(engine, "keys", weight="fame") == rows(engine, "keys")
    asked = {"weight": "evidense", "types": ["persn", "team", "topic", "system"]}
    assert ask(engine, "experts", topic="keys", **asked)["unknown"] == [
        "evidense is no weight, and counts as count; did you mean evidence?",
        "persn is no type of an entity here; did you mean person?",
    ]
    assert "unknown" not in ask(engine, "experts", topic="keys", types=["system", " "])
    many = ask(engine, "experts", topic="keys", types=[f"t{number}" for number in range(9)])
    assert len(many["unknown"]) == 3


def test_status_counts_no_hint_as_a_problem(tmp_path: Path) -> None:
    (root := base(tmp_path / "kb")).joinpath(".git").write_text("gitdir: /nowhere\n", "utf-8")
    engine = settled(root)
    (status,) = ask(engine, "status")["roots"]
    assert [problem["severity"] for problem in status["problems"]] == ["hint"]
    assert not re.search("check|problems [1-9]", "\n".join(read(engine, "status")))


def test_with_several_knowledge_bases_each_line_says_of_which(tmp_path: Path) -> None:
    both = {"entities/vault.yaml": entity("vault", name="Key Vault", aliases=["kv"])}
    red = {"claims/rotation.yaml": claim("rotation", text="It is red.", entities=["vault"])}
    engine = engine_on(base(tmp_path / "blue", both), base(tmp_path / "red", both | red))
    settle(engine)
    assert "in blue" in read(engine, "claim", id="rotation")
    for called in ("vault", "Key Vault", "kv"):
        assert "in blue" in read(engine, "entity", id=called)
    for name, params in (("experts", {"topic": "Key Vault"}), ("mentions", {"text": "Key Vault"})):
        found = ask(engine, name, None, **params)[name]
        assert [row["collection"] for row in found] == ["blue", "red"]
    lines = "\n".join(read(engine, "experts", topic="Key Vault"))
    assert re.search(r"^- vault .* blue · ", lines, re.MULTILINE)
    assert re.search(r"^- vault .* red · ", lines, re.MULTILINE)
    said = re.findall(r"^- rotation · \((blue|red)\) (.*)", lines, re.MULTILINE)
    assert [where for where, _ in said] == ["blue", "red"]
    assert said[1][1] == "It is red."
    lines = "\n".join(read(engine, "search", query="Key Vault"))
    assert "- vault · entity · blue" in lines
    assert "- vault · entity · red" in lines
    engine.observe("s", None, "the Key Vault")
    lines = "\n".join(read(engine, "salience", session_id="s"))
    assert re.search(r"^- vault .* It is red\. · red$", lines, re.MULTILINE)
