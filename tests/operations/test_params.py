"""What can be wrong with a call: one message a field, never what was sent."""

import re
from pathlib import Path

import pytest
from vouch_sidecar.engine import Engine
from vouch_sidecar.operations.call import read_params
from vouch_sidecar.operations.operation import operations
from vouch_sidecar.operations.wire import InvalidParamsError

from tests.engine.bases import ask, base, engine_on
from tests.kb.samples import claim

SENT = "hunter2"
NOT_SHOWN = Path(__file__).parents[2] / "extension/src/claim/content.ts"
"""Has expressions for how an error begins, which it words for readers."""
KNOWN = {"entity": {"id": "vault"}, "claim": {"id": "rotation"}}
POSITION = {"line": 0, "character": 0}
NO_TIMES = ("yesterday", "7", "-1d", "2026-13-01", "0d", "7d7d")


def valid(operation: str) -> dict[str, object]:
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
    ("name", "wrong", "message"),
    [
        ("experts", {"topic": " \n\u3000"}, "topic must not be blank"),
        ("experts", {"limit": 0}, "limit must be greater than or equal to 1"),
        ("experts", {"limit": 101}, "limit must be less than or equal to 100"),
        ("experts", {"limit": True}, "limit must be a valid integer"),
        ("experts", {"linking": SENT}, "linking must be 'auto' or 'declared'"),
        ("experts", {"viewer": {"agent": 1}}, "viewer.agent must be a valid string"),
        ("experts", {"session_id": "x" * 257}, "session_id must have at most 256 characters"),
        ("context", {"repeat": "yes"}, "repeat must be a valid boolean"),
        ("context", {"task": None}, "task or session_id is needed"),
        ("entity", {"id": ""}, "id must have at least 1 character"),
        ("mentions", {"text": None}, "text is missing"),
        ("mentions", {"text": None, "uri": SENT}, "uri names no document that is open here"),
        ("mentions", {"uri": SENT, "range": {"start": POSITION}}, "range.end is missing"),
        ("files", {"paths": None}, "paths is missing"),
        ("files", {"paths": ["a"] * 1001}, "paths must have at most 1000 items"),
        ("files", {"paths": [""]}, "paths must have at least 1 character"),
        ("salience", {"session_id": None}, "session_id is missing"),
        *(("search", {"since": at}, "since must be an ISO date, or a span") for at in NO_TIMES),
    ],
)
def test_one_wrong_field(engine: Engine, name: str, wrong: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidParamsError) as error:
        ask(engine, name, None, **valid(name) | wrong)
    assert str(error.value).startswith(message)
    assert SENT not in str(error.value)
    is_missing = message.endswith(("missing", "needed"))
    assert error.value.code == ("missing_param" if is_missing else "invalid_request")


@pytest.mark.parametrize("operation", operations())
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
    """A call that is refused is none of its session; params of protocols are no unknown ones."""
    unknown = dict.fromkeys(("query", "xyzzy", "a", "b", "c"), SENT)
    with pytest.raises(InvalidParamsError) as error:
        ask(engine, "experts", None, session_id="s", **unknown)
    assert ask(engine, "status", workDoneToken=1, partialResultToken=1, _meta={})["sessions"] == 0
    said = "topic is missing; query is no parameter; did you mean topic?; xyzzy is no parameter"
    assert str(error.value).startswith(said)
    assert str(error.value).count("is no parameter") == 3
    assert error.value.code == "missing_param"


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
    whole_ids = {"drain-the-relay-before": whole, "drain-the-relay…": whole}
    whole_ids |= {f"{old}…": f"{old}-in-winter"}
    whole_ids |= dict.fromkeys([hidden, f"{hidden}-in"], f"{hidden}-in-winter")
    for start, found in whole_ids.items():
        assert ask(engine, "claim", id=start)["claim"]["id"] == found
    none, newer = re.findall(r"/(\^id [a-z ]+)", NOT_SHOWN.read_text("utf-8"))
    nearest = f"shown; the nearest: {whole}"
    refusals = {"drain-the": nearest, "drain-the…": nearest, "drain-no-relay": none}
    refusals |= {"winter-in-old-rules": none, "drain-teh": nearest}
    refusals |= {old: f"{newer} is superseded by {whole}"}
    for start, message in refusals.items():
        with pytest.raises(InvalidParamsError, match=message):
            ask(engine, "claim", id=start)
