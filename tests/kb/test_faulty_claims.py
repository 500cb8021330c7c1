"""What a claim withholds whose file can't be used."""

from __future__ import annotations

import pytest
from vouch_sidecar.kb.access import is_shown_to_any
from vouch_sidecar.kb.reader import parse
from vouch_sidecar.kb.records import OPEN_SCOPE, Claim, Evidence, Scope

from tests.kb.samples import SHA, claim, dump

LONG = f'Keys {"really " * 20}rotate: every night, as "planned".'
PRIVATE = {"visibility": "private", "agent": "ada"}


def closing(data: bytes) -> Claim:
    reading = parse("claims/a.yaml", data)
    assert reading.artifact is None
    assert isinstance(reading.closes, Claim)
    assert not is_shown_to_any(reading.closes)
    return reading.closes


@pytest.mark.parametrize(
    ("fields", "status", "scope"),
    [
        ({"scope": {"visibilty": "private", "agent": "ada"}}, "redacted", OPEN_SCOPE),
        ({"scope": "secret"}, "redacted", OPEN_SCOPE),
        ({"status": "redcated"}, "redacted", OPEN_SCOPE),
        ({"status": "redacted", "confidence": 7}, "redacted", OPEN_SCOPE),
        ({"status": "superseded", "confidence": 7}, "superseded", OPEN_SCOPE),
        ({"scope": PRIVATE, "updated_at": "soon"}, "archived", Scope("private", agent="ada")),
        ({"confidence": 7}, "archived", OPEN_SCOPE),
    ],
)
def test_a_faulty_field_leaves_the_text_and_what_is_cited(
    fields: dict[str, object], status: str, scope: Scope
) -> None:
    found = closing(claim("a", text=LONG, evidence=["e", "f"], **fields))
    assert (found.text, found.evidence) == (LONG, ("e", "f"))
    assert (found.status, found.scope) == (status, scope)


def test_an_id_that_is_none_is_left_out() -> None:
    odd = closing(b'id: "\\0"\ntext: Keys.\nevidence: ["e\\0", " ", e, 7]\nstatus: no\n')
    assert (odd.id, odd.text, odd.evidence) == ("a", "Keys.", ("e",))


def test_both_sides_of_a_merge_count() -> None:
    ours = claim("a", text=LONG, evidence=["e"])
    theirs = claim("a", text="Keys never rotate.", evidence=["f"])
    whole = b"<<<<<<< HEAD\n" + ours + b"=======\n" + theirs + b">>>>>>> main\n"
    found = closing(whole)
    assert (found.id, found.status) == ("a", "redacted")
    assert found.text == f"{LONG}\n\nKeys never rotate."
    assert found.evidence == ("e", "f")


def test_a_merge_within_a_text_and_a_list() -> None:
    found = closing(
        b"id: b\ntext: Keys rotate\n<<<<<<< HEAD\n  every night.\n||||||| base\n  once.\n=======\n"
        b"  every day.\n>>>>>>> main\nevidence:\n<<<<<<< HEAD\n- e\n=======\n- f\n>>>>>>> main\n"
    )
    assert found.id == "a", "by the file: by its own it might stand in the way of a good one"
    assert "Keys rotate every day." in found.text
    assert found.text.startswith("Keys rotate every night.")
    assert found.evidence == ("e", "f")


def test_what_is_no_yaml_is_read_field_by_field() -> None:
    found = closing(b"id: a\ntext: Keys rotate: every night\nevidence: [e, f\nstatus: [\n")
    assert (found.text, found.evidence) == ("Keys rotate: every night", ("e", "f"))
    endless = b"text: [\n" * 50_000 + b"evidence: {\n" * 50_000
    assert closing(endless).evidence == ()


@pytest.mark.parametrize(
    "data",
    [
        dump({"id": "e", "source_id": SHA, "locator": "L1", "byte_start": "soon"}),
        b"id: e\n<<<<<<< HEAD\nsource_id: "
        + SHA.encode()
        + b"\n=======\n>>>>>>> main\nlocator: [\n",
    ],
)
def test_of_evidence_the_source_is_left(data: bytes) -> None:
    reading = parse("evidence/e.yaml", data)
    assert reading.artifact is None
    assert reading.closes == Evidence("e", "evidence/e.yaml", SHA, "")


def test_evidence_of_no_source_closes_nothing() -> None:
    assert parse("evidence/e.yaml", b"id: e\nsource_id: [\n").closes is None
    assert parse("entities/e.yaml", b"id: e\n").closes is None
