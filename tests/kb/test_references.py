"""Which id stands at a place of a file, also while the file is being written."""

import pytest
from vouch_sidecar.kb.references import MAX_MARKS, marks, reference_at

PAGE = "---\nid: p\nclaims: [a]\n---\nclaims: [b]\n[[c]], [[d|D]], [claim: e], [claim:f] [[]]\n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("entities: [a, 'b', \"c\", d] # none\n", ["a", "b", "c", "d", "none"]),
        ("entities: [a,\n  b,\n]\nsupersedes: [c]\n", ["a", "b", "c"]),
        ("entities: [a b\r\nsupersedes:\r\n- c-d # e\r\n", ["a b", "c-d", "e"]),
        ("entities:\n  - é#1\n\n  - ''\n  - c", ["é#1", "c"]),
        ("superseded_by: x y\ncontradicts: []\n", ["x y"]),
        ("text: |\n  entities:\n  - a\nentities: []\n", []),
        ("metadata:\n  entities: [a]\n", []),
        (PAGE, ["p", "a", "c", "d", "e", "f"]),
        (PAGE.replace("\n", "\r\n"), ["p", "a", "c", "d", "e", "f"]),
        ("---\nclaims: [a]\n---- \nclaims: [b]\n---\n[[c]]", ["a", "c"]),
    ],
)
def test_the_ids_of_a_claim_or_a_page(text: str, found: list[str]) -> None:
    places: dict[int, str] = {}
    path = "pages/p.md" if text.startswith("---") else "claims/x.yaml"
    for offset in range(len(text) + 1):
        one = reference_at(path, text, offset)
        if one is not None:
            assert text[one.start : one.end] == one.text
            assert one.start <= offset <= one.end
            places[one.start] = one.text
    assert [*places.values()] == found


def test_marks_of_a_page_are_bounded() -> None:
    assert len(list(marks("[[a]] [claim: b] " * 5_000))) == MAX_MARKS
    text = f"[[{'a' * 201}]] [[{'b' * 200}]] [claim: c{' ' * 300}]"
    assert [one.text for one in marks(text)] == ["b" * 200, "c"]
