"""The text of a withheld claim is recognised in what a reader sees."""

from __future__ import annotations

from dataclasses import replace

import pytest
from vouch_sidecar.index.withheld_texts import Withheld, texts_of
from vouch_sidecar.kb.artifact_files import slug_of

from tests.retrieval.samples import claim


def closes(text: str, document: str) -> bool:
    hidden = replace(claim("hidden", text), status="redacted")
    return Withheld().changed({"hidden": texts_of(hidden)}).gates(document) is None


@pytest.mark.parametrize(
    "document",
    [
        "The front door opens at noon.",
        "The front door[^1] opens at noon.",
        "The front door [12] opens at noon.",
        "The front do**or** opens at ***no***on.",
        "The front door <!-- which? --> opens at noon.",
        "The front ![a door](door.png) door opens at noon.",
        "The front d&#111;or opens at&nbsp;noon.",
        "The front do\u200dor opens \u200eat no\ufeffon.",
        "The\u200bfront\u200bdoor\u200bopens\u200bat\u200bnoon.",
        "The front do&shy;or opens at no<wbr>on.",
        "The front<br>door opens at noon.",
        "The front <b title='>'>do</b>or opens at noon.",
        "The front do\x1b[0mor opens at noon.",
        "The [front](a_(b)) door opens at noon.",
        "The front ![a door][1] door opens at noon.",
        "The front door<sup>12</sup> opens [1, 2] at [@ada] noon.",
        "The front door [claim: other] opens [ Claim: it ] at noon.",
        "The front <!-- a < b > c --> door opens at noon.",
        "The front do-\nor opens at noon.",
        "1. The front door\n2. opens at noon.",
        "- [ ] The front door\n- [x] opens at noon.",
        '"The front door\\n","opens at noon."',
        "The front door {#door} opens%20at noon.",
        "The [[gate|front]] door opens at noon.",
        "The :std:term:`front` door opens at noon.",
    ],
)
def test_what_stands_between_and_in_its_words(document: str) -> None:
    assert closes("The front door opens at noon.", document)
    assert closes(document, "The front door opens at noon.")
    assert not closes("The front door opens at noon.", document.replace("opens", "shuts"))


@pytest.mark.parametrize(
    ("text", "document"),
    [
        ("The limit is 1,000 per depot.", "The limit is 1000 per depot."),
        ("The limit is 1,234,567 per depot.", "The limit is 1234567 per depot."),
        ("The limit is 1 000 per depot.", "The limit is 1000 per depot."),
        ("The limit is 1\u202f000 per depot.", "The limit is 1,000 per depot."),
        ("The limit is 1'000 per depot.", "The limit is 1.000 per depot."),
        ("The limit is 1,000 per depot.", "The limit is 1_000 per depot."),
        ("The depot's limit is low.", "The depot&#39;s limit is low."),
        ("The depot's limit is low.", "The depot&rsquo;s limit is low."),
    ],
)
def test_how_a_number_or_a_word_is_written(text: str, document: str) -> None:
    assert closes(text, document)
    assert closes(document, text)
    assert closes(text, text)
    assert closes(document, document)


def test_a_comma_between_two_numbers() -> None:
    assert closes("Depots open ports 80,443 at noon.", "Depots open ports 80, 443 at noon.")


def test_of_texts_that_begin_alike_each_closes_what_says_it_while_it_is_withheld() -> None:
    texts = [f"The front door of depot {number} opens at {number % 7}." for number in range(60)]
    hidden = [replace(claim(f"c{n}", text), status="redacted") for n, text in enumerate(texts)]
    told = {one.id: texts_of(one) for one in hidden}
    withheld = Withheld().changed(told)
    assert all(withheld.gates(f"So: {text}") is None for text in texts)
    assert withheld.gates("The front door of depot opens at 7.") == frozenset()
    withheld = withheld.changed({"c3": (), "c4": texts_of(replace(hidden[4], text=texts[5]))})
    assert [withheld.gates(text) is None for text in texts[2:7]] == [True, False, False, True, True]
    withheld = withheld.changed({one.id: () for one in hidden})
    assert not withheld
    assert not any(withheld.gates(text) is None for text in texts)


def test_a_long_text_is_recognised_by_its_pieces() -> None:
    text = " ".join(f"word{number}" for number in range(5_000))
    assert closes(text, f"So: {text}.")
    assert closes(text, text[:3_000])
    assert closes(text, text[-3_000:])
    assert not closes(text, text[:300])


def test_the_end_of_a_long_text_is_closed_with_its_beginning() -> None:
    words = [f"word{number}" for number in range(260)]
    document = f"{' '.join(words[:215])}\n\n{' '.join(words[215:])}"
    hidden = replace(claim("hidden", " ".join(words)), status="redacted")
    (place,) = Withheld().changed({"hidden": texts_of(hidden)}).places(document)
    assert document[place.start : place.end] == document


def test_what_tells_of_a_masked_text_is_recognised() -> None:
    """vouch masks passwords in the text of a claim that it redacts, and leaves its id."""
    text = "The staging database takes password=[redacted-secret] until the spring migration ends."
    hidden = replace(claim("the-staging-database-takes-password-quokka-7", text), status="redacted")
    withheld = Withheld().changed({hidden.id: texts_of(hidden)})
    for told in (
        "The staging database takes password=quokka-7 until the spring migration ends.",
        "It is quokka-7 until the spring migration ends.",
        f"- `{hidden.id}`",
    ):
        assert withheld.gates(told) is None
    assert withheld.gates("The staging database is large.") == frozenset()


def test_an_id_that_is_made_of_the_text_is_recognised() -> None:
    text = "The vault of the depot keeps its master key behind the blue kettle in the kitchen."
    listed = f"- `{slug_of(text)}`"
    hidden = replace(claim(slug_of(text), text), status="redacted")
    assert Withheld().changed({hidden.id: texts_of(hidden)}).gates(listed) is None
    named = replace(claim("master-key-place", text), status="redacted")
    gates = Withheld().changed({named.id: texts_of(named)}).gates("The master key place is known.")
    assert gates == frozenset()


def test_places_of_texts_that_begin_alike_are_few() -> None:
    words = "alpha beta gamma " * 40
    several = [
        replace(claim(f"c{n}", " ".join(words.split()[:n])), status="redacted")
        for n in range(3, 90)
    ]
    withheld = Withheld().changed({hidden.id: texts_of(hidden) for hidden in several})
    (place,) = withheld.places(words)
    assert (place.start, place.end) == (0, len(words.rstrip()))


@pytest.mark.parametrize(
    "document",
    [
        "The front door opens at noon.\n\n## The key hangs behind the blue kettle, code quokka9\n",
        "## Code quokka9: the front door opens at noon.\n\nThe key hangs behind the blue kettle.\n",
    ],
)
def test_a_heading_that_holds_the_end_of_a_text_is_closed_whole(document: str) -> None:
    text = "The front door opens at noon. The key hangs behind the blue kettle."
    hidden = replace(claim("hidden", text), status="redacted")
    withheld = Withheld().changed({hidden.id: texts_of(hidden)})
    at = document.index("quokka9")
    assert any(part.start <= at < part.end for part in withheld.sentences(document))
