import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from vouch_sidecar.kb.reader import parse
from vouch_sidecar.kb.records import Severity
from vouch_sidecar.kb.settings import Config, load_settings
from vouch_sidecar.kb.yaml_document import MAX_DEPTH, MAX_NODES, DocumentError, YamlDocument, decode

from tests.kb.samples import claim

ODD = ["yes", "010", "1:30", "~", "", "=", "<<", "2026-01-02", "1e3", ".5", "null"]
LEAVES = [
    *(st.none(), st.booleans(), st.integers(-(10**9), 10**9), st.floats(allow_nan=False)),
    *(st.dates(), st.datetimes(), st.sampled_from(ODD)),
    st.text(st.characters(min_codepoint=0xA0, max_codepoint=0x2FF), max_size=20),
]
KEYS = st.text("ab=<~1", max_size=3) | st.integers()
VALUES = st.recursive(
    st.one_of(LEAVES),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)


@given(VALUES, st.booleans())
def test_what_pyyaml_writes_has_the_values_that_pyyaml_reads(value: object, flow: bool) -> None:
    text = yaml.safe_dump(value, default_flow_style=flow, allow_unicode=True)
    assert repr(YamlDocument(text).value) == repr(yaml.safe_load(text))


@pytest.mark.parametrize(
    ("data", "said", "place"),
    [
        (b"\xef\xbb\xbfid: x\r\ntext: caf\xe9\r\n", "not UTF-8", (2, 10)),
        (b"id: x\ntext: a\x07b\n", r"U\+0007", (2, 8)),
        (b"id: x\ntext: 'sesame\n", "no valid YAML: (?!.*sesame)", (2, 14)),
        (b"a: &a [x]\nb: 2*3\nc: [y, *a]\n", "aliases", (3, 8)),
        ("a: 'x\u2028y\x85z'\nb: *a\n".encode(), "aliases", (2, 4)),
        (b"a: 1\nb: {c: 2026-13-45}\n", "does not fit its type", (2, 8)),
        (b"a: 1\nb: !!binary 'a'\n", "does not fit its type", (2, 4)),
        (b"a: !!timestamp x", "does not fit its type", (1, 4)),
        (b"a: !!set {x, y}", "does not fit its type", (1, 4)),
        (b"{[a]: 1}", "does not fit its type", (1, 2)),
        (b"a: {<<: {z: 2}}", "does not fit its type", (1, 5)),
        (b'a: "\\ud800"', "no valid YAML", (1, 7)),
        (b"a: 1\n---\nb: 1\n", "second document", (2, 1)),
        (b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1), "nested", (1, MAX_DEPTH + 1)),
        (b"- a\n" * MAX_NODES, "more than 20000 values", (MAX_NODES, 3)),
        (b"x" * ((1 << 20) + 1), "larger than 1024 KiB", (1, 1)),
    ],
    ids=lambda given: repr(given)[:20],
)
def test_what_is_wrong_has_a_place(data: bytes, said: str, place: tuple[int, int]) -> None:
    with pytest.raises(DocumentError, match=said) as caught:
        YamlDocument(decode(data))
    assert (caught.value.line, caught.value.column) == place


@pytest.mark.parametrize(
    ("path", "place"),
    [
        (("b", "c"), (3, 3)),
        (("b", "d", "1"), (4, 10)),
        (("b", "nowhere"), (2, 1)),
        (("nowhere",), (1, 1)),
        (("e",), (6, 1)),
        (("f", "g"), (7, 21)),
    ],
)
def test_a_value_has_a_place(path: tuple[str, ...], place: tuple[int, int]) -> None:
    odd = "\u2028\x85😀"
    text = f"a: 1\nb:\n  c: 2\n  d: [x, y]\r\ne: 1\ne: 2\nf: {{c: '{odd}', e: 5, g: 1}}\n"
    assert YamlDocument(text).place(path) == place


def test_a_key_that_is_given_twice_is_named_in_artifacts_and_the_config() -> None:
    text = "kb: {name: a}\nsidecar:\n  persona: b\n  persona: c\nkb: {name: d}\n"
    settings, of_config = load_settings(Config(text.encode()), {}, {})
    assert settings.kb.name == "d"
    reading = parse("claims/auth-uses-jwt.yaml", claim() + b"status: redacted\n")
    assert reading.artifact is not None
    for problems, keys in ((of_config, ["sidecar.persona", "kb"]), (reading.problems, ["status"])):
        assert [problem.field for problem in problems] == keys
        assert all("is given twice; the last one counts" in one.message for one in problems)
        assert {problem.severity for problem in problems} == {Severity.WARNING}
    assert [(problem.line, problem.column) for problem in of_config] == [(4, 3), (5, 1)]
    for key in ('"\\e[31m"', '"x\\n::error::y"'):
        _, of_config = load_settings(Config(f"{key}: 1\n{key}: 2\n".encode()), {}, {})
        assert all((one.field or "").isprintable() for one in of_config)
        assert of_config
