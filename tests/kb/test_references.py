"""Where the text of a file names artifacts: as YAML has it, and while it is being written."""

from __future__ import annotations

from contextlib import suppress

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from vouch_sidecar.kb.references import MAX_MARKS, references

from tests.soak import examples

IDS = st.lists(
    st.text(alphabet="acd-_.09'é ", min_size=1, max_size=8).filter(str.strip), max_size=3
)


def named(relative: str, text: str) -> list[tuple[str, str]]:
    """Field and id of all that is named; each stands where it is said to."""
    found = list(references(relative, text))
    for one in found:
        assert text[one.start : one.end] in (one.text, one.text.replace("'", "''"))
    return [(reference.field, reference.text) for reference in found]


@examples(150)
@given(IDS, IDS, st.booleans(), st.sampled_from(["\n", "\r\n", "\r"]))
def test_what_a_yaml_parser_reads(
    cited: list[str], listed: list[str], flow: bool, end: str
) -> None:
    text = "id: x\ntext: 'some: text\n  - of it'\n"
    for name, ids in (("evidence", cited), ("entities", listed)):
        said = yaml.safe_dump(ids, default_flow_style=flow, allow_unicode=True, width=9999)
        text += f"{name}: {said}" if flow or not ids else f"{name}:\n{said}"
    again = yaml.safe_load(text)
    wanted = [("id", "x")]
    wanted += [("evidence", one) for one in again["evidence"] if isinstance(one, str)]
    wanted += [("entities", one) for one in again["entities"] if isinstance(one, str)]
    text = text.replace("\n", end)
    plain = [(field, name) for field, name in named("claims/x.yaml", text) if not is_value(name)]
    assert plain == [pair for pair in wanted if not is_value(pair[1])]


def is_value(text: str) -> bool:
    """Whether YAML takes a text for a number, nothing or a mark where it stands without quotes."""
    with suppress(yaml.YAMLError):
        return not isinstance(yaml.safe_load(text) if "'" not in text else text, str)
    return True


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("entities: [a, 'b', \"c\", d] # [e]\n", ["a", "b", "c", "d"]),
        ("entities: [a,\n  b,\n]\nsupersedes: [c]\n", ["a", "b", "c"]),
        ("entities: [a, b\nsupersedes:\n- c # d\n", ["a", "b", "c"]),
        ("entities:\n  - a\n\n  # b\n  - c\n", ["a", "c"]),
        ("entities: null\nsuperseded_by: ~\ncontradicts: []\n", []),
        ("text: |\n  entities:\n  - a\nentities: []\n", []),
        ("text: entities\ntags:\n- a\n", []),
        ("metadata:\n  entities: [a]\n", []),
    ],
)
def test_lists_of_a_claim(text: str, found: list[str]) -> None:
    assert [name for _, name in named("claims/x.yaml", text)] == found


def test_the_body_of_a_page() -> None:
    text = "---\nid: p\nclaims: [a]\n---\nclaims: [b]\n[[c]], [[d|D]], [claim: e], [claim:f] [[]]\n"
    assert named("pages/p.md", text) == [
        ("id", "p"),
        ("claims", "a"),
        ("[[", "c"),
        ("[[", "d"),
        ("[claim:", "e"),
        ("[claim:", "f"),
    ]


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "text",
    [
        f"id: x{' ' * 1_000_000}y\n",
        f"id: x\n---\n{'[claim:' + ' ' * 4_000_000}",
        f"id: x\n---\n{('[claim:' + ' ' * 300) * 13_000}",
    ],
)
def test_blanks_are_read_once(text: str) -> None:
    """Work that grows with the square of these would go on for hours, or many seconds."""
    found = list(references("pages/x.md", f"---\n{text}"))
    assert len(found) == 1


def test_marks_of_a_page_are_bounded() -> None:
    found = list(references("pages/x.md", "---\nid: x\n---\n" + "[[a]] [claim: b] " * 5_000))
    assert len(found) == 1 + MAX_MARKS


def test_a_mark_that_goes_on_and_on_names_nothing() -> None:
    text = f"---\nid: x\n---\n[[{'a' * 201}]] [[{'b' * 200}]] [claim: c{' ' * 300}]"
    assert named("pages/x.md", text)[1:] == [("[[", "b" * 200), ("[claim:", "c")]
