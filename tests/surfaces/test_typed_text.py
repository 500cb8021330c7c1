"""What counts of a text while it is typed, and what counts as well until a word ends."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from vouch_sidecar.surfaces.lsp.typed_text import SlotText, TypedText

Counted = list[tuple[str, list[str]]]


def whole(before: str, text: str) -> Iterator[tuple[str, str]]:
    if before != text:
        yield "slot", text


def typed(text: str = "") -> TypedText:
    return TypedText("session", whole, text, at_word_end=True)


def counted(slots: list[SlotText]) -> Counted:
    return [(text, list(also)) for _, text, also in slots]


def test_a_half_typed_word_takes_nothing_away_until_it_ends() -> None:
    document = typed()
    document.set_text("the vault")
    assert counted(document.end()) == [("the vault", [])]
    document.set_text("the vaults")
    assert counted(document.observe()) == [("the vaults", ["the vault"])]
    document.set_text("the vaultse")
    assert counted(document.observe()) == [("the vaultse", ["the vault", "the vaults"])]
    document.set_text("the vaultse ")
    assert not document.ends_in_word
    assert counted(document.end()) == [("the vaultse ", [])]


def test_looking_at_it_makes_nothing_count() -> None:
    document = typed("the ")
    document.set_text("the v")
    assert counted(document.as_it_stands()) == [("the v", [""])]
    document.set_text("the va")
    assert counted(document.observe()) == [("the va", [""])]


@pytest.mark.parametrize(
    ("text", "ended"),
    [
        ("the vaults", []),
        ("the vault of", [("the vault", [])]),
        ("the vault\nof", [("the vault", [])]),
        ("the vault.", []),  # whoever types it ends the word
    ],
)
def test_another_word_ends_the_one_before(text: str, ended: Counted) -> None:
    document = typed("the ")
    document.set_text("the vaul")
    document.set_text("the vault")
    assert counted(document.set_text(text)) == ended


def test_a_word_that_is_deleted_again_was_never_ended() -> None:
    document = typed("my red\nbox")
    document.set_text("my redi\nbox")
    document.set_text("my redis\nbox")
    document.set_text("my redi\nbox")
    assert counted(document.set_text("my red\nbox")) == []
    assert document.is_settled
    assert not document.is_half_typed
