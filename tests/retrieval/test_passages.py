"""Sections of pages, passage by passage."""

from __future__ import annotations

import pytest
from vouch_sidecar.retrieval.constants import MAX_PASSAGED
from vouch_sidecar.retrieval.statements.section_passages import heading, passages, plain


def test_paragraphs_and_items_are_passages_below_the_heading() -> None:
    items = "- an item\n  that goes on\n* another\n12. a third\n| a | row |\n"
    for section, above, found in (
        (
            f"## Pumps\n\nOne\nparagraph.\n\n{items}",
            "## Pumps",
            ["One paragraph.", "- an item that goes on", "* another", "12. a third", "| a | row |"],
        ),
        ("Plain.\n\nMore.", "", ["Plain.", "More."]),
        ("# Alone", "# Alone", []),
    ):
        assert heading(section) == above
        assert [passage.text for passage in passages(section)] == found


@pytest.mark.parametrize(
    ("text", "read", "claim_ids"),
    [
        ("A fact. [claim: a-fact]", "A fact.", ("a-fact",)),
        ("A fact.[claim: a|b] More [claim:c].", "A fact. More.", ("a", "c")),
        ("See [[Relay]] and [[relay|the relay]].", "See Relay and the relay.", ()),
        ("[claim: never closed", "[claim: never closed", ()),
        ("a [link](x) and [1]", "a [link](x) and [1]", ()),
    ],
)
def test_marks_are_read_and_not_shown(text: str, read: str, claim_ids: tuple[str, ...]) -> None:
    assert plain(text) == read
    assert [(passage.text, passage.claim_ids) for passage in passages(text)] == [(read, claim_ids)]


def test_of_a_very_long_section_the_start_is_looked_at() -> None:
    section = "one two. " * MAX_PASSAGED
    assert sum(len(passage.text) for passage in passages(section)) <= MAX_PASSAGED
    assert len(plain("[claim:" + " " * (4 << 20))) <= MAX_PASSAGED
