"""`mentions` gives every place of a text that names an entity, as the code that lists decides."""

from __future__ import annotations

from typing import Any

from vouch_sidecar.engine import Engine
from vouch_sidecar.operations.mentions import MAX_LOOKED_AT

from tests.engine.bases import ask


def found(engine: Engine, text: str, **params: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = ask(engine, "mentions", text=text, **params)["mentions"]
    return rows


def test_each_place_with_what_it_names(engine: Engine) -> None:
    text = "😀 Mail Relay, said Lovelace: restart Mail Relay!"
    first, second, third = found(engine, text)
    relay = {"entity_id": "relay", "name": "Mail Relay", "type": "service", "arm": "name"}
    surely = {"ambiguous": False, "listed": True}
    assert first == {**relay, **surely, "start": 2, "end": 12}
    assert third == {**relay, **surely, "start": 37, "end": 47}
    assert (second["entity_id"], second["arm"]) == ("ada", "partial")
    assert (second["start"], second["end"]) == (19, 27)
    two = found(engine, "What is in the DLQ since noon?")
    places = [(r["entity_id"], r["ambiguous"], r["arm"], r["start"], r["end"]) for r in two]
    assert places == [("queue", True, "alias", 15, 18), ("relay", True, "alias", 15, 18)]
    (hardly,) = found(engine, "please beacon this to him")
    assert (hardly["entity_id"], hardly["listed"]) == ("beacon", False)


def test_what_is_listed_is_what_salience_lists(engine: Engine) -> None:
    for text in ("Beacon or beacon?", "the DLQ and Lovelace", "please beacon it", "a mail relay"):
        rows = found(engine, text, session_id=text)
        ranked = ask(engine, "salience", session_id=text, top_k=20)["salience"]
        named = {row["entity_id"] for row in ranked if row["arm"] != "text"}
        assert {row["entity_id"] for row in rows if row["listed"]} == named


def test_the_rest_of_a_huge_text_is_not_looked_at(engine: Engine) -> None:
    padding = "so " * (MAX_LOOKED_AT // 3)
    assert not found(engine, padding + "Mail Relay")
