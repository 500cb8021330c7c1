from __future__ import annotations

from contextlib import suppress

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from vouch_sidecar.kb import yaml_document
from vouch_sidecar.kb.reader import parse
from vouch_sidecar.kb.settings import load_settings
from vouch_sidecar.kb.yaml_document import DocumentError, YamlDocument, decode, position, split_page

from tests.kb.samples import claim

VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(10**9), 10**9),
        st.floats(allow_nan=False),
        st.dates(),
        st.datetimes(),
        st.text(st.characters(min_codepoint=0xA0, max_codepoint=0x2FF), max_size=20),
        st.sampled_from(
            ["yes", "010", "1:30", "~", "", "=", "<<", "2026-01-02", "1e3", ".5", "null"]
        ),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.one_of(st.text("ab=<~1", max_size=3), st.integers()), inner, max_size=4),
    ),
    max_leaves=20,
)


@given(VALUES, st.booleans())
def test_what_pyyaml_writes_has_the_values_that_pyyaml_reads(value: object, flow: bool) -> None:
    text = yaml.safe_dump(value, default_flow_style=flow, allow_unicode=True)
    assert repr(YamlDocument(text).value) == repr(yaml.safe_load(text))


@pytest.mark.parametrize(
    "text",
    [
        "a: !!str 1\nb: !!int '2'\nc: !!null x\nd: !!float 1\n",
        "a: !!map {x: 1}\nb: !!seq [x]\n",
        "1: a\n~: b\ntrue: c\n",
        "a: 2 * 3 *x*\nb: '*a'\n",
        "a: 1\nb: {c: 1, c: 2}\na: 3\n",
        "just text",
        "",
        "- 1\n- [a, {b: c}]\n",
        "? a\n: c\n",
        "a: 2026-01-02 03:04:05 +02:00\nb: 1:30\nc: 0x1F\nd: .inf\ne: 1_000\n",
    ],
)
def test_what_is_unusual_has_the_values_that_pyyaml_reads(text: str) -> None:
    assert repr(YamlDocument(text).value) == repr(yaml.safe_load(text))


@pytest.mark.parametrize(
    ("data", "said", "place"),
    [
        (b"\xef\xbb\xbfid: x\r\ntext: caf\xe9\r\n", "not UTF-8", (2, 10)),
        (b"id: x\ntext: a\x07b\n", r"U\+0007", (2, 8)),
        (b"id: x\ntext: 'sesame\n", "no valid YAML: (?!.*sesame)", (2, 14)),
        (b"a: &a [x]\nb: 2*3\nc: [y, *a]\n", "aliases", (3, 8)),
        (b"a: 1\nb: {c: 2026-13-45}\n", "does not fit its type", (2, 8)),
        (b"a: 1\nb: !!binary 'a'\n", "does not fit its type", (2, 4)),
        ("a: 'x\u2028y\x85z'\nb: *a\n".encode(), "aliases", (2, 4)),
    ],
)
def test_what_is_wrong_has_a_place_and_is_not_echoed(
    data: bytes, said: str, place: tuple[int, int]
) -> None:
    with pytest.raises(DocumentError, match=said) as caught:
        YamlDocument(decode(data))
    assert (caught.value.line, caught.value.column) == place


REFUSED = (
    *("a: *nowhere\n", "x: &x 1\ny: *x\n", "? " * 3000 + "x", "{[a]: 1}", "\ufeffa: \ufeff1"),
    *("a: !!timestamp x", "a: !!float x", "a: !!int ''", "a: !!set {x, y}", "a: {<<: {z: 2}}"),
    *('a: "\\ud800"', "a: 1\n---\nb: 1\n", "x" * (yaml_document.MAX_YAML + 1)),
)
"""More of it, as whole files, is in `tests/reliability/test_files.py`."""


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: text[:12])
@pytest.mark.timeout(30)
def test_what_is_dangerous_or_wrong_is_refused(text: str) -> None:
    with pytest.raises(DocumentError) as caught:
        YamlDocument(text)
    assert len(str(caught.value)) < 200


def test_nesting_up_to_the_cap_is_read() -> None:
    depth = yaml_document.MAX_DEPTH
    YamlDocument("[" * depth + "]" * depth)
    with pytest.raises(DocumentError, match="nested"):
        YamlDocument("[" * (depth + 1) + "]" * (depth + 1))


@given(
    st.text(alphabet=st.sampled_from("a1:-?[]{}&*!|>'\"%@#, \n\t\x85\u2028é~<=.+_"), max_size=200)
)
def test_load_and_place_never_raise_anything_else(text: str) -> None:
    with suppress(DocumentError):
        YamlDocument(text).place(("a", "0", "1"))


@given(st.text(alphabet="ab\r\n", max_size=30))
def test_position_counts_lines_as_editors_do(text: str) -> None:
    unified = text.replace("\r\n", "\n").replace("\r", "\n")
    line, column = position(text, len(text))
    assert line == unified.count("\n") + 1
    assert column == len(unified.rpartition("\n")[2]) + 1


@pytest.mark.parametrize(
    ("text", "front", "body"),
    [
        ("---\nid: x\n---\nbody\n", "id: x", "body\n"),
        ("---\r\nid: x\r\n---\r\nbody\r\n", "id: x", "body\n"),
        ("---\nid: x\n---", "id: x", ""),
        ("---\n\n---\n\nbody", "", "\nbody"),
        ("---\na: 1\n---\nb\n---\nc", "a: 1", "b\n---\nc"),
    ],
)
def test_front_matter_ends_where_vouch_ends_it(text: str, front: str, body: str) -> None:
    assert split_page(text) == (front, body)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (("b", "c"), (3, 3)),
        (("b", "d", "1"), (4, 10)),
        (("b", "nowhere"), (2, 1)),
        (("nowhere",), (1, 1)),
        (("e",), (6, 1)),
    ],
)
def test_place(path: tuple[str, ...], expected: tuple[int, int]) -> None:
    text = "a: 1\nb:\n  c: 2\n  d: [x, y]\ne: 1\ne: 2\n"
    assert YamlDocument(text).place(path) == expected


@pytest.mark.parametrize("sign", ["\u2028", "\u2029", "\x85", "😀"])
def test_a_line_is_one_of_an_editor(sign: str) -> None:
    document = YamlDocument(f"a: 'one {sign}two'\nb: {{c: '{sign}', d: 1, d: 2}}\n")
    assert document.place(("b", "d")) == (2, 19)


def test_a_key_that_is_given_twice_is_named_in_artifacts_and_the_config() -> None:
    text = "kb: {name: a}\nsidecar:\n  persona: b\n  persona: c\nkb: {name: d}\n"
    settings, of_config = load_settings(text.encode(), {}, {})
    assert settings.kb.name == "d"
    reading = parse("claims/auth-uses-jwt.yaml", claim() + b"status: redacted\n")
    assert reading.artifact is not None
    for problems, fields in (
        (of_config, ["sidecar.persona", "kb"]),
        (reading.problems, ["status"]),
    ):
        assert [problem.field for problem in problems] == fields
        assert all("is given twice; the last one counts" in one.message for one in problems)
        assert not any(problem.is_unusable for problem in problems)
    assert [(problem.line, problem.column) for problem in of_config] == [(4, 3), (5, 1)]
    for key in ('"\\e[31m"', '"x\\n::error::y"'):
        _, of_config = load_settings(f"{key}: 1\n{key}: 2\n".encode(), {}, {})
        assert all((one.field or "").isprintable() for one in of_config)
        assert of_config
