"""Offsets, borders, identifiers and stems of the one text analysis."""

import tracemalloc
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vouch_sidecar.text.analysis import fold, stem, units
from vouch_sidecar.text.content_words import content_stems, terms

# Letters with marks, apostrophes, identifiers and scripts without spaces, all close together.
_tricky = st.text(
    st.sampled_from("aBcßİıéÅ\u0301\u0308\u200b\u00ad'’ʼ＇sS _-–+#.C@認証サーＲ１ﾞ๏ก\n\t\x85\u2028…")
    | st.characters()
)


def written(text: str) -> list[str]:
    return [text[unit.start : unit.end] for unit in units(text).units]


@given(_tricky)
def test_units_stand_in_the_text_in_order_and_each_piece_has_its_own(text: str) -> None:
    analysis = units(text)
    end = 0
    for unit in analysis.units:
        assert end <= unit.start < unit.end <= len(text)
        assert unit.folded
        assert unit.folded == fold(unit.folded)
        end = unit.end
    for i, (whole, after) in analysis.wholes.items():
        parts = analysis.units[i:after]
        assert len(parts) > 1
        assert (whole.start, whole.end) == (parts[0].start, parts[-1].end)
    pieces = [units(piece) for piece in text.split()]
    alone = [(unit.folded, unit.stem) for piece in pieces for unit in piece.units]
    assert [(unit.folded, unit.stem) for unit in analysis.units] == alone
    identifiers = [each.folded for piece in pieces for each, _ in piece.wholes.values()]
    assert [each.folded for each, _ in analysis.wholes.values()] == identifiers


@given(st.text("aéåöñşçß s-_.ҋй東ក"))
def test_the_form_of_composition_changes_no_word(text: str) -> None:
    composed, apart = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    assert content_stems(composed) == content_stems(apart)
    assert written(composed) == [unicodedata.normalize("NFC", word) for word in written(apart)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Straße und STRASSE", ["strasse", "und", "strasse"]),
        ("İstanbul", ["istanbul"]),
        ("cafe\u0301 café", ["cafe", "cafe"]),
        ("ＲａｔｅＬｉｍｉｔｅｒ", ["rate", "limiter"]),
        ("zero\u200bwidth soft\u00adhyphen", ["zerowidth", "softhyphen"]),
        ("Rogue's Rogue’s dogs' don't O’Brien", ["rogue", "rogue", "dogs", "dont", "obrien"]),
        ("RateLimiter rate_limiter rate-limiter", ["rate", "limiter"] * 3),
        ("HTTPServer iPhone", ["http", "server", "iphone"]),
        ("obsługaŻądań сервісІмен", ["obsługa", "zadan", "сервіс", "імен"]),
        ("C++ and C# on .NET a.net", ["c++", "and", "c#", "on", ".net", "a", "net"]),
        (".Net .env .Relay .withRelay", [".net", ".env", "relay", "with", "relay"]),
        ("認証 ok 한국", ["認", "証", "ok", "한", "국"]),
        ("पानी का பெரிய مُضَخَّة שָׁלוֹם", ["पानी", "का", "பெரிய", "مضخة", "שלום"]),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert [unit.folded for unit in units(text).units] == expected


def test_the_stems_of_identifiers_and_of_scripts_without_spaces() -> None:
    assert content_stems("RateLimiter") == [stem("rate"), stem("limiter"), stem("ratelimiter")]
    (term,) = terms("RateLimiter")
    texts = ("a rate limiter", "the ratelimiter", "the rate")
    held = [term.held_by(frozenset(content_stems(text))) for text in texts]
    assert held == [True, True, False]
    assert content_stems("認 x 証基盤") == ["x", "認", "証基", "基盤"]
    assert [n.word for n in terms("認証基盤を")] == ["認証", "証基", "基盤", "盤を"]
    assert content_stems("What is the tokens' issuer?") == [stem("tokens"), stem("issuer")]
    assert terms("it's of the") == []


def test_clauses_without_spaces_are_not_remembered() -> None:
    """Ten thousands of them, each with its pairs, would take much memory."""
    tracemalloc.start()
    for number in range(400):
        content_stems("".join(chr(0x4E00 + (number * 31 + i * i) % 20_000) for i in range(40)))
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert taken < 1 << 18


@pytest.mark.parametrize("letter", ["e", "가", "", "क"])
def test_marks_beyond_those_that_a_letter_has_cost_no_more_than_their_number(letter: str) -> None:
    found = written((letter + "\u0301\u0327" * 60_000 + " café") * 2)
    assert found[-1] == "café"
    assert len(found) >= 2
