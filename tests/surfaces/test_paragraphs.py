"""The paragraphs that were edited last."""

from __future__ import annotations

import pytest
from vouch_sidecar.surfaces.lsp.typing import Paragraphs

TEXT = "one\nmore\n\ntwo\n\nthree\n\nfour\n"


class Writer:
    """Somebody who edits one document."""

    def __init__(self, text: str = TEXT) -> None:
        self.text = text
        self.paragraphs = Paragraphs()

    def put(self, old: str, new: str) -> list[tuple[int, str]]:
        """Replaces a part of the text."""
        before, self.text = self.text, self.text.replace(old, new, 1)
        return self.paragraphs.edit(before, self.text)


def test_a_paragraph_is_told_whole_and_edited_again_it_replaces_itself() -> None:
    writer = Writer()
    assert writer.put("one", "one!") == [(0, "one!\nmore")]
    assert writer.put("two", "two!") == [(1, "two!")]
    assert writer.put("more", "more!") == [(0, "one!\nmore!")]
    assert writer.put("two!", "") == [(1, "")], "one that is taken away is empty"
    assert writer.put("four", "") == []


def test_there_are_three_at_most_and_the_oldest_goes() -> None:
    writer = Writer()
    numbers = [writer.put(word, f"{word}!") for word in ("one", "two", "three", "four", "two!")]
    assert [number for row in numbers for number, _ in row] == [0, 1, 2, 0, 1]


def test_typing_on_at_the_next_line_forgets_nothing() -> None:
    writer = Writer("see:")
    assert writer.put("see:", "see: JWT") == [(0, "see: JWT")]
    assert writer.put("JWT", "JWT\n") == []
    assert writer.put("JWT\n", "JWT\nRedis") == [(0, "see: JWT\nRedis")]
    assert writer.put("Redis", "Redis\n\nKafka") == [(1, "Kafka")]


@pytest.mark.parametrize("at", [0, 30, 59])
def test_a_long_paragraph_is_twenty_lines_around_the_edit(at: int) -> None:
    lines = [f"line {number}." for number in range(60)]
    writer = Writer("\n".join(lines))
    ((_, text),) = writer.put(f"line {at}.", f"line {at}!")
    assert len(text.split("\n")) <= 20
    assert f"line {at}!" in text.split("\n")


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("one\ntwo\nthree", "one\ntwo!\nthree", True),
        ("one\ntwo", "one\nnew\ntwo", True),
        ("", "one", True),
        ("one\n", "one\ntwo", True),
        ("a\nsame\nb", "a1\nsame\nb1", True),
        ("the jwt", "the ", True),
        ("a b", "a\nb", True),
        ("one\ntwo\n", "one\n\ntwo\n", False),
        ("one\r\ntwo", "one\ntwo", False),
        ("one\ntwo\none", "two\none", False),
        ("one\ntwo", "two\none", False),
        ("same", "same", False),
    ],
)
def test_only_changed_words_count(old: str, new: str, changed: bool) -> None:
    assert bool(Paragraphs().edit(old, new)) == changed


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("one\n\ntwo", "one\n\nNEW\n\ntwo"),
        ("one\n\ntwo", "NEW\n\none\n\ntwo"),
        ("one\n\ntwo", "one\n\ntwo\n\nNEW"),
        ("one\n\ntwo\n", "one\n\ntwo\n\nNEW\n"),
        ("one\n\ntwo\n", "one\n\ntwo\n\nNEW\n\n\n"),
        ("", "NEW\n"),
    ],
)
def test_an_inserted_paragraph_is_one_wherever_it_comes(old: str, new: str) -> None:
    assert Paragraphs().edit(old, new) == [(0, "NEW")]


def test_of_what_is_inserted_at_once_the_last_three_paragraphs_count() -> None:
    assert Writer().put("two\n\n", "two\n\nA\n\nB\nb\n\n") == [(0, "A"), (1, "B\nb")]
    pasted = "".join(f"P{number}\n\n" for number in range(5))
    assert Writer().put("two\n\n", f"two\n\n{pasted}") == [(0, "P2"), (1, "P3"), (2, "P4")]
