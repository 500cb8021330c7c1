"""One member into a JSON text with comments, and out again."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vouch_sidecar.surfaces.install.edit import add, drop
from vouch_sidecar.surfaces.install.errors import ConflictError, InstallError, MalformedError
from vouch_sidecar.surfaces.install.jsonc import parse

KEYS = ("servers", "ours")
VALUE = {"command": "x", "args": ["y", "z"]}
BLANKS = st.sampled_from(
    [
        "",
        "",
        "",
        " ",
        "\n",
        "\n  ",
        "\n\t",
        "\r\n    ",
        "  ",
        "\n\n",
        "// a, {b}\n",
        " /* c */ ",
        "/*\n*/",
    ]
)
NAMES = st.sampled_from(["servers", "ours", "theirs", "a b", 'q"uote', "é", "//", "{"])
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=8), st.sampled_from(["/* no */", "// no", "}", "ours"]),
)  # fmt: skip
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(NAMES, VALUES, max_size=4)


@st.composite
def written(draw: st.DrawFn) -> str:
    """An object as somebody may have written it."""

    def blank() -> str:
        return draw(BLANKS)

    def items(parts: list[str], opening: str, closing: str) -> str:
        trailing = "," + blank() if bool(parts) and draw(st.booleans()) else ""
        return opening + blank() + ("," + blank()).join(parts) + trailing + closing

    def render(value: Any) -> str:
        if isinstance(value, dict):
            members = [
                f"{json.dumps(k)}{blank()}:{blank()}{render(v)}{blank()}" for k, v in value.items()
            ]
            return items(members, "{", "}")
        if isinstance(value, list):
            return items([render(one) + blank() for one in value], "[", "]")
        return json.dumps(value, ensure_ascii=draw(st.booleans()))

    bom = draw(st.sampled_from(["", "", "\ufeff"]))
    return bom + blank() + render(draw(OBJECTS)) + blank()


@given(written())
def test_out_again_is_byte_for_byte_what_was_there(text: str) -> None:
    try:
        added = add(text, KEYS, VALUE)
    except ConflictError:
        below = parse(text).value["servers"]
        assert not isinstance(below, dict) or below["ours"] != VALUE
        return
    before, after = parse(text).value, parse(added).value
    assert after["servers"]["ours"] == VALUE
    del after["servers"]["ours"]
    if "servers" not in before:
        del after["servers"]
    assert after == before
    assert list(after) == list(before)
    assert _is_spread_over(text, added)
    assert add(added, KEYS, VALUE) == added
    assert drop(added, KEYS, VALUE) == text


def _is_spread_over(short: str, long: str) -> bool:
    """Whether all of a text stands in another one, in order."""
    rest = iter(long)
    return all(char in rest for char in short)


@given(written(), NAMES.filter(lambda n: n not in KEYS), VALUES)
def test_out_again_after_somebody_else_added(text: str, name: str, value: Any) -> None:
    try:
        added = add(text, KEYS, VALUE)
        later = add(added, ("servers", name), value)
    except ConflictError:
        return
    dropped = parse(drop(later, KEYS, VALUE)).value
    expected = parse(later).value
    del expected["servers"]["ours"]
    assert dropped == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{}", '{"servers": { "ours": 1 }}'),
        ('{"a": 1}', '{"a": 1, "servers": { "ours": 1 }}'),
        ('{"servers": {}}', '{"servers": {"ours": 1}}'),
        (
            '{\n  "a": 1 // one\n}\n',
            '{\n  "a": 1, // one\n  "servers": {\n    "ours": 1\n  }\n}\n',
        ),
        (
            '{\n\t"servers": {\n\t\t"b": 2, /* two */\n\t},\n}',
            '{\n\t"servers": {\n\t\t"b": 2, /* two */\n\t\t"ours": 1,\n\t},\n}',
        ),
        (
            '{\r\n    "a": []\r\n}\r\n',
            '{\r\n    "a": [],\r\n    "servers": {\r\n        "ours": 1\r\n    }\r\n}\r\n',
        ),
        ("{\n  // nothing yet\n}", '{\n  // nothing yet\n  "servers": {\n    "ours": 1\n  }\n}'),
    ],
)
def test_as_the_file_is_written(text: str, expected: str) -> None:
    assert add(text, KEYS, 1) == expected
    assert drop(expected, KEYS, 1) == text


@pytest.mark.parametrize(
    "text",
    ["", " \n", "// only a comment", "[]", "1", '{"a" 1}', '{"a": 1 "b": 2}', "{a: 1}", '{"a": }',
     "{} {}", '{"a": "\x01"}', '{"a": 01}', "{", '{"a": [1 2]}', "{" * 9,
     '{"a":' * 9_000 + "1" + "}" * 9_000, '{"a": NaN}'],
)  # fmt: skip
def test_what_is_no_json_object_is_left_alone(text: str) -> None:
    with pytest.raises(MalformedError):
        add(text, KEYS, VALUE)


@pytest.mark.parametrize(
    "text",
    ['{"servers": 1}', '{"servers": {"ours": 2}}', '{"servers": {}, "servers": {}}',
     '{"servers": {"ours": 1, "ours": 1}}'],
)  # fmt: skip
def test_what_stands_in_the_way_is_left_alone(text: str) -> None:
    with pytest.raises(ConflictError):
        add(text, KEYS, VALUE)
    with pytest.raises(ConflictError):
        drop(text, KEYS, VALUE)


def test_what_is_not_there_is_not_taken_out() -> None:
    for text in ("{}", '{"servers": {"b": 1}}'):
        assert drop(text, KEYS, VALUE) == text


@given(st.text(alphabet='{}[]",:/*\\ \n1a', max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        value = parse(text).value
    except InstallError:
        return
    assert json.dumps(value)
