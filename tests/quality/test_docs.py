"""The worked examples of docs/how-it-decides.md are what the sidecar says, its constants those of
the code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest
from vouch_sidecar.index.schema import HALF_LIFE_DAYS
from vouch_sidecar.retrieval import constants

from benchmarks.quality.world import World, copied

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "how-it-decides.md").read_text("utf-8")
EXAMPLES = re.findall(r"^\| (.+?) \| (“.+|nothing: .+?) \|$", PAGE, re.MULTILINE)

CONSTANTS = vars(constants)
TABLES = ("SPECIFICITY",)
"""Values by tier, from the rarest word to the commonest."""
QUOTES = """
name {NAME:g} · alias {ALIAS:g} · identifier form of a name {IDENTIFIER_FORM:g} ·
other number or verb form {INFLECTED:g} · surname {SURNAME:g} ·
part of a name {PART:g}, of several entities × {SHARED:g}
very common): {SPECIFICITY}.
One letter {ONE_LETTER:g}. Stopwords alone {STOPWORD:g}.
such as C# or @team: {SIGNED:g}.
One or two signs of a script without spaces {FEW_SIGNS:g}.
(own + 1) / (own + 1 + others / {OUTSIDE})
at least {WRITTEN_OUT:g} where name and text both have a capital
(all other factors but the arm are 1, too) | {PLACES[alone]:g} |
(where {HEADING_SHARE:g} of the content words have one)
but not “Relay the message” | {PLACES[name]:g} |
holds {TRADE_WORDS} or more other words of the sentence that weigh {TRADE_WEIGHT:g} together
keyness is 1, too | {PLACES[trade]:g} |
as the entity has it | {PLACES[as it is]:g} |
the scope of a commit | {PLACES[code]:g} |
beside words of its trade | {PLACES[bare]:g} |
signs that belong to the name | {PLACES[unsigned]:g} |
(“the bug tracker”) | {PLACES[another's]:g} |
a verb that begins a sentence | {PLACES[word]:g} |
From **{LISTED:.2f}** an entity is *listed*, from **{VOLUNTEERED:.2f}** it is *volunteered*
fades by {FADING:g} for every newer text
named {NAMED[0]:g} + {NAMED[1]:g} × strength; found by full text {FOUND[0]:g} + {FOUND[1]:g} ×
the same without claims {NAMED_WITHOUT_CLAIMS[0]:g} + {NAMED_WITHOUT_CLAIMS[1]:g} ×
and {FOUND_WITHOUT_CLAIMS[0]:g} + {FOUND_WITHOUT_CLAIMS[1]:g} ×.
at least two content words of a text and {DESCRIBED_SHARE:g} of them by rarity.
fewer than {LEAST_WORDS} words
quoted {PHRASE_WORTH[quoted]:g} · title, identifier or notation {PHRASE_WORTH[title]:g} ·
written like a name {PHRASE_WORTH[name]:g} ·
together in an artifact {PHRASE_WORTH[together]:g} ·
a rare word {PHRASE_WORTH[rare]:g} (from {RARE:g} of the greatest rarity);
what holds {WHOLE_SHARE:g} of it by rarity, with a similarity of {WHOLE_WORTH:g} × that share;
similarity = {WHOLE_WORTH:g} × share
counts {OF_THE_FAMILY:g} of it.
in {ABOUT_WORDS:g} word at least that weigh {ABOUT_WEIGHT:g} together.
on which {VOLUNTEERED:.2f} is {SAID:.2f} and 1 is 1;
none of the 40,000 commonest {COMMONNESS[0]:g}, ordinary {COMMONNESS[3]:g},
common {COMMONNESS[2]:g}, very common {COMMONNESS[1]:g}; numbers, days and months {SLIGHT:g};
a pair of signs of a script without spaces {SIGN_PAIR:g}, with hiragana {HIRAGANA:g}.
{ANSWER_WORDS:g} words or more that are no numbers;
of a question a share of {QUESTION_SHARE:g} and a weight of {QUESTION_WEIGHT:g},
of anything else {OTHER_SHARE:g} and {OTHER_WEIGHT:g}.
a share of {MUCH_SHARE:g} or more, of a question in {MUCH_QUESTION[1]:g} words or more
words or more that weigh {MUCH_QUESTION[0]:g} together,
of anything else in {MUCH_OTHER[1]:g} that weigh {MUCH_OTHER[0]:g},
all others hold at most {STANDS_OUT:g} of what it holds. It counts as a share of {MUCH_COUNTS:g}.
words more than {NEARBY} content words apart
where more than {RIVALS} claims hold as much as the best
those that hold a share of {CONSIDERED_SHARE:g} or more and are not
a hit scores {MEANING_WEIGHT:g} × cosine
descriptions and sections count {BESIDE_A_CLAIM:g} of it
whose cosine is {MEANT:g} or more
the cosine is {ANSWERS_BY_MEANING:g} or more
({ANSWERS_AMONG_MANY:g} from {MANY_CLAIMS:,} claims on)
the largest share from {PARTIAL_SHARE:g} on
{OTHER_FORM:g} for another form of one
{LEADS:g} where the claim begins with a word of the topic
1/√(1 + {PROLIFIC} × own_claims / all_claims)
with 1/{PROLIFIC} of all claims
2^(−age in days / {HALF_LIFE_DAYS:g})
""".strip().splitlines()
"""Words of the page around each constant; the page does not break its lines there."""


def test_every_constant_of_judgement_is_quoted() -> None:
    fields = (field for quote in QUOTES for _, field, _, _ in Formatter().parse(quote))
    quoted = {field.partition("[")[0] for field in fields if field}
    judged = {name for name in CONSTANTS if name.isupper() and not name.startswith("MAX_")}
    assert quoted - {"HALF_LIFE_DAYS"} == judged


@pytest.mark.parametrize("quote", QUOTES)
def test_a_constant_is_what_the_page_says(quote: str) -> None:
    tables = {
        name: " / ".join(f"{CONSTANTS[name][tier]:g}" for tier in (0, 3, 2, 1)) for name in TABLES
    }
    said = quote.format(**CONSTANTS | tables | {"HALF_LIFE_DAYS": HALF_LIFE_DAYS})
    assert said in PAGE


def test_phrases_that_are_quoted_together_have_one_worth() -> None:
    worth = constants.PHRASE_WORTH
    assert worth["title"] == worth["identifier"] == worth["notation"]


@pytest.fixture(scope="module")
def demo() -> Iterator[World]:
    with copied(ROOT / "examples" / "courier") as world:
        yield world


def test_there_are_examples_of_both() -> None:
    assert len(EXAMPLES) >= 6
    assert {why.startswith("nothing") for _, why in EXAMPLES} == {True, False}


@pytest.mark.parametrize(("text", "why"), EXAMPLES)
def test_a_worked_example(demo: World, text: str, why: str) -> None:
    rows = demo.listed(text)
    if why.startswith("nothing"):
        assert rows == []
    else:
        assert {row["why"] for row in rows} == {why}


def test_the_example_of_experts(demo: World) -> None:
    asked = {"topic": "restart", "weight": "evidence", "explain": True, "limit": 1}
    (row,) = demo.ask("experts", **asked)["experts"]
    factors = row["explain"]["factors"]
    said = (
        f"gives {row['name']} {row['score']}",
        f"together {factors['sum']:g}",
        f"of {factors['all_claims']:g} claims {factors['own_claims']:g} are its own",
        f"focus is {factors['focus']:.6f}",
    )
    assert [part for part in said if part not in PAGE] == []
