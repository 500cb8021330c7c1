"""A member of a JSON text with comments: replaced, and taken out."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vouch_sidecar.surfaces.install.jsonc import find, parse, replace, without
from vouch_sidecar.surfaces.install.project_files import ConflictError, InstallError, MalformedError

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
def written(draw: st.DrawFn, ours: bool = False) -> str:
    """An object as somebody may have written it; `ours`: with a member of ours in it."""

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

    bom, value = draw(st.sampled_from(["", "", "\ufeff"])), draw(OBJECTS)
    if ours:
        servers = value.get("servers")
        value["servers"] = {**(servers if isinstance(servers, dict) else {}), "ours": VALUE}
    return bom + blank() + render(value) + blank()


@given(written(ours=True))
def test_taken_out_it_is_gone_and_all_else_stays(text: str) -> None:
    after = without(text, find(text, KEYS))
    expected = parse(text).value
    del expected["servers"]["ours"]
    value = parse(after).value
    if "servers" not in value and not expected["servers"]:
        del expected["servers"]
    assert value == expected
    assert list(value) == list(expected)
    assert _is_spread_over(after, text)


@given(written(ours=True), VALUES)
def test_replaced_it_has_another_value_and_no_other_byte_is_changed(text: str, new: Any) -> None:
    path = find(text, KEYS)
    node = path[-1][1].node
    after = replace(text, path, new)
    expected = parse(text).value
    expected["servers"]["ours"] = new
    assert parse(after).value == expected
    assert after.startswith(text[: node.start])
    assert after.endswith(text[node.end :])


@given(written())
def test_what_is_not_there_is_not_found(text: str) -> None:
    below = parse(text).value.get("servers", {})
    if isinstance(below, dict):
        assert bool(find(text, KEYS)) == ("ours" in below)
    else:
        with pytest.raises(ConflictError):
            find(text, KEYS)


def _is_spread_over(short: str, long: str) -> bool:
    """Whether all of a text stands in another one, in order."""
    rest = iter(long)
    return all(char in rest for char in short)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"servers": {"ours": 1}}', "{}"),
        ('{"a": 1, "servers": { "ours": 1 }}', '{"a": 1}'),
        ('{"servers": {"ours": 1, "b": 2}}', '{"servers": { "b": 2}}'),
        ('{"servers": {"b": 2, "ours": 1}}', '{"servers": {"b": 2}}'),
        (
            '{\n  "a": 1, // one\n  "servers": {\n    "ours": 1\n  }\n}\n',
            '{\n  "a": 1 // one\n}\n',
        ),
        (
            '{\n\t"servers": {\n\t\t"b": 2, /* two */\n\t\t"ours": 1,\n\t},\n}',
            '{\n\t"servers": {\n\t\t"b": 2, /* two */\n\t},\n}',
        ),
        (
            '{\n  "servers": {\n    // mine\n    "ours": 1\n  }\n}\n',
            '{\n  "servers": {\n    // mine\n  }\n}\n',
        ),
    ],
)
def test_what_is_left(text: str, expected: str) -> None:
    assert without(text, find(text, KEYS)) == expected


def test_a_value_on_several_lines_stays_on_several() -> None:
    text = json.dumps({"servers": {"ours": {"a": 1}}}, indent=4).replace("\n", "\r\n")
    after = replace(text, find(text, KEYS), {"a": 2})
    assert after.count("\n") == after.count("\r\n") == text.count("\n")


@pytest.mark.parametrize(
    "text",
    ["", " \n", "// only a comment", '{"a" 1}', '{"a": 1 "b": 2}', "{a: 1}", '{"a": }',
     "{} {}", '{"a": "\x01"}', '{"a": 01}', "{", '{"a": [1 2]}', "{" * 9,
     '{"a":' * 9_000 + "1" + "}" * 9_000, '{"a": NaN}'],
)  # fmt: skip
def test_what_is_no_json_is_left_alone(text: str) -> None:
    with pytest.raises(MalformedError):
        find(text, KEYS)


@pytest.mark.parametrize(
    "text",
    ['{"servers": 1}', '{"servers": {}, "servers": {}}', '{"servers": {"ours": 1, "ours": 1}}',
     "[]", "1"],
)  # fmt: skip
def test_what_stands_in_the_way_is_left_alone(text: str) -> None:
    with pytest.raises(ConflictError):
        find(text, KEYS)


@given(st.text(alphabet='{}[]",:/*\\ \n1a', max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        value = parse(text).value
    except InstallError:
        return
    assert json.dumps(value)
