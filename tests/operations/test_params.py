"""What can be wrong with a call: one message a field, never what was sent."""

from __future__ import annotations

from pathlib import Path

import pytest
from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.operations.call import read_params
from vouch_sidecar.operations.operation import operations
from vouch_sidecar.operations.wire import InvalidParamsError

from tests.engine.bases import ask, base, engine_on
from tests.kb.samples import claim

SENT = "hunter2"
KNOWN = {"entity": {"id": "vault"}, "claim": {"id": "rotation"}}
POSITION = {"line": 0, "character": 0}
NO_TIMES = ("yesterday", "7", "-1d", "2026-13-01", "0d", "7d7d")


def valid(operation: str) -> dict[str, object]:
    """Params in order."""
    return {**operations()[operation].example, **KNOWN.get(operation, {})}


def refused(operation: str, params: object) -> dict[str, str]:
    """The messages by field."""
    with pytest.raises(InvalidParamsError) as error:
        read_params(operations()[operation].params, params)
    assert SENT not in str(error.value)
    messages = error.value.messages
    assert str(error.value) == "; ".join(f"{field} {text}" for field, text in messages.items())
    return {**messages}


@pytest.mark.parametrize(
    ("operation", "wrong", "field", "text"),
    [
        ("experts", {"topic": " \n\u3000"}, "topic", "must not be blank"),
        ("experts", {"limit": 0}, "limit", "must be greater than or equal to 1"),
        ("experts", {"limit": 101}, "limit", "must be less than or equal to 100"),
        ("experts", {"limit": True}, "limit", "must be a valid integer"),
        ("experts", {"linking": SENT}, "linking", "must be 'auto' or 'declared'"),
        ("experts", {"viewer": {"agent": 1}}, "viewer.agent", "must be a valid string"),
        ("experts", {"session_id": "x" * 257}, "session_id", "must have at most 256 characters"),
        ("context", {"repeat": "yes"}, "repeat", "must be a valid boolean"),
        ("entity", {"id": ""}, "id", "must have at least 1 character"),
    ],
)
def test_one_wrong_field(operation: str, wrong: dict[str, object], field: str, text: str) -> None:
    assert refused(operation, valid(operation) | wrong) == {field: text}


@pytest.mark.parametrize(
    ("operation", "params", "message"),
    [
        ("mentions", {}, "text is missing"),
        ("mentions", {"uri": "file:///a"}, "uri names no document that is open here"),
        ("mentions", {"uri": "a:b", "range": {"start": POSITION}}, "range.end is missing"),
        ("files", {}, "paths is missing"),
        ("files", {"paths": ["a"] * 1001}, "paths must have at most 1000 items"),
        ("files", {"paths": [""]}, "paths must have at least 1 character"),
        *(("search", {"query": "a", "since": at}, "must be an ISO date") for at in NO_TIMES),
    ],
)
def test_what_can_not_be_asked(
    engine: Engine, operation: str, params: dict[str, object], message: str
) -> None:
    with pytest.raises(InvalidParamsError, match=message):
        ask(engine, operation, None, **params)


@pytest.mark.parametrize("operation", sorted(operations()))
def test_null_is_not_given_and_what_is_no_object_is_refused(operation: str) -> None:
    model, needed = operations()[operation].params, valid(operation)
    nothing: dict[str, object] = dict.fromkeys(model.model_fields)
    assert read_params(model, nothing | needed) == read_params(model, needed)
    required = {name for name, info in model.model_fields.items() if info.is_required()}
    if required:
        assert set(refused(operation, nothing)) == required
    for params in ([], "x", 7, True, [SENT]):
        assert refused(operation, params) == {"params": "must be an object"}


def test_a_refusal_names_unknown_params_with_those_that_were_meant(engine: Engine) -> None:
    """A call that lacks what it asks about most likely gave that another name."""
    with pytest.raises(InvalidParamsError) as error:
        ask(engine, "experts", None, **dict.fromkeys(("query", "xyzzy", "a", "b", "c"), SENT))
    said = "topic is missing; query is no parameter; did you mean topic?; xyzzy is no parameter"
    assert str(error.value).startswith(said)
    assert str(error.value).count("is no parameter") == 3
    assert error.value.missing


@pytest.mark.parametrize("operation", sorted(operations()))
def test_unknown_params_are_refused_with_the_nearest(engine: Engine, operation: str) -> None:
    with pytest.raises(InvalidParamsError, match=r"viwer is no parameter; did you mean viewer\?"):
        ask(engine, operation, None, **{"session_id": "s", **valid(operation)}, viwer=SENT)
    assert ask(engine, "status")["sessions"] == 0
    of_protocols = {"workDoneToken": 1, "partialResultToken": 1, "_meta": {}}
    ask(engine, operation, None, **valid(operation), **of_protocols)


def test_a_refusal_of_many_params_ends() -> None:
    """The unknown ones are not compared with each other, which would take minutes."""
    many = {f"p{number}": SENT for number in range(50_000)}
    assert len(refused("experts", many | valid("experts"))) == 3


def test_an_unknown_weight_counts_as_count(engine: Engine) -> None:
    found = ask(engine, "experts", None, topic="keys", weight="fame")
    assert "unknown_weight" in found["degraded"]
    assert found["experts"] == ask(engine, "experts", None, topic="keys")["experts"]


def test_three_words_of_an_id_are_enough(tmp_path: Path) -> None:
    """The whole id of a superseded claim is no beginning of another's."""
    whole, old, hidden = "drain-the-relay-before-restart", "old-rule-here", "bad-rule-here"
    files = {
        "claims/a.yaml": claim(old, status="superseded", superseded_by=whole),
        "claims/b.yaml": claim(whole, supersedes=[old]),
        "claims/c.yaml": claim(f"{old}-in-winter"),
        "claims/d.yaml": claim(hidden, status="redacted"),
        "claims/e.yaml": claim(f"{hidden}-in-winter"),
    }
    engine = engine_on(base(tmp_path / "kb", files))
    for start, found in {
        "drain-the-relay-before": whole,
        "drain-the-relay…": whole,
        f"{old}…": f"{old}-in-winter",
        hidden: f"{hidden}-in-winter",
        f"{hidden}-in": f"{hidden}-in-winter",
    }.items():
        assert ask(engine, "claim", id=start)["claim"]["id"] == found
    for start, message in {
        "drain-the": f"shown; the nearest: {whole}",
        "drain-the…": f"shown; the nearest: {whole}",
        "drain-no-relay": "^id names no claim that may be shown",
        old: f"^id names a claim that is superseded by {whole}",
    }.items():
        with pytest.raises(InvalidParamsError, match=message):
            ask(engine, "claim", id=start)


def test_a_session_is_needed_where_nothing_else_says_what_is_meant(engine: Engine) -> None:
    for operation in ("salience", "context"):
        with pytest.raises(InvalidParamsError) as error:
            ask(engine, operation)
        assert error.value.missing
    own = Caller(session_id="own")
    assert ask(engine, "salience", own)["session_id"] == "own"
    assert ask(engine, "context", own)["text"] == ""
