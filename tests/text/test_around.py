"""Documents taken apart: what a range of one is widened to."""

import pytest
from vouch_sidecar.text.around import MAX_PARAGRAPH, Block, around, heading_text, parts_of
from vouch_sidecar.text.sentences import Span, is_fragment, is_statement, is_talk

from tests.conftest import lines_run

DOCUMENT = """\
# Relay

The relay retries three
times (see README.md) before it gives up. Then the event goes to the
dead letter queue, e.g. `dlq.main`. Done by J. Doe at 1.5 s!

- `Timeout` is 30 s in settings.yaml
  and cannot be changed. Ask Ines.

```python
retries = 3. and code
```

Build
-----

Use ``pip``::

    pip install relay

| name   | size     |
|--------|----------|
| buffer | 12 bytes |

> Quoted text goes
> over lines.

**Limits**

再試行は
三回です。その後は止まります。

For other software use:
```
retries: 3
```

reStructured
````````````

[guide]: https://example.org/guide

[^1]: It is asked twice.
"""
LISTED = """\
# Part

It copies. It does *not*:

- overwrite files. It warns instead.

  And asks.
  - follow links
1. Steps are these:
   - begin

Then it ends.

- a lone item
"""
RETRIES = "The relay retries three times (see README.md) before it gives up."
LETTERS = "Then the event goes to the dead letter queue, e.g. `dlq.main`."


def place_of(quote: str, text: str = DOCUMENT) -> tuple[str, Span, Block] | None:
    start = text.index(quote)
    return around(text, parts_of(text)[0], start, start + len(quote))


@pytest.mark.parametrize(
    ("quote", "whole", "heading"),
    [
        ("md) before", RETRIES, "Relay"),
        ("gives up. Then", f"{RETRIES} {LETTERS}", "Relay"),
        ("Doe", "Done by J. Doe at 1.5 s!", "Relay"),
        ("`Timeout`", "`Timeout` is 30 s in settings.yaml and cannot be changed.", "Relay"),
        ("over lines", "Quoted text goes over lines.", "Build"),
        ("三回", "再試行は三回です。", "Limits"),
        ("For other", "For other software use:", "Limits"),
        ("is asked", "[^1]: It is asked twice.", "reStructured"),
    ],
)
def test_a_range_is_widened_to_whole_sentences(quote: str, whole: str, heading: str) -> None:
    place = place_of(quote)
    assert place is not None
    found, _, block = place
    assert found == whole
    assert block.heading is not None
    assert heading_text(DOCUMENT[slice(*block.heading)]) == heading


def test_what_is_no_prose() -> None:
    for quote in (
        *("# Relay", "Build", "**Limits**", "reStructured", "retries = 3.", "pip install relay"),
        *("| name ", "| buffer", "-----", "[guide]", "retries: 3"),
    ):
        assert place_of(quote) is None, quote


@pytest.mark.parametrize(
    ("quote", "lead_ins", "whole"),
    [
        ("overwrite", ["It does *not*:"], "overwrite files. It warns instead."),
        ("asks", ["It does *not*:"], "overwrite files. It warns instead. And asks."),
        ("follow", ["It does *not*:"], "follow links"),
        ("begin", ["It does *not*:", "Steps are these:"], "begin"),
        ("lone", [], "a lone item"),
        ("Then", [], "Then it ends."),
    ],
)
def test_an_item_is_led_in_by_a_colon_above_it(quote: str, lead_ins: list[str], whole: str) -> None:
    place = place_of(quote, LISTED)
    assert place is not None
    found, _, block = place
    assert [LISTED[slice(*each)] for each in block.lead_ins] == lead_ins
    assert found == whole


def test_what_leads_in_a_list_ends_with_it() -> None:
    for between in ("# Part", "So much for that.", "| a | b |\n|---|---|\n| c | d |"):
        place = place_of("end well", f"It never does:\n\n{between}\n\n- end well")
        assert place is not None
        assert not place[2].lead_ins


def test_what_says_something_by_itself() -> None:
    assert is_fragment("JavaScript/TypeScript")
    for text in ("Use Kafka.", "Kafka keeps events", "その後は止まります"):
        assert not is_fragment(text)
    assert is_statement("Read the [guide](https://example.org/a) before a release.")
    assert is_statement("x" * 4_095 + ": it goes on.")
    for text in (
        *("**The limits are these:**", "## Limits", "https://example.org/a.b"),
        *("[![CI](https://example.org/a/b.svg)](https://example.org/a/b)", "<https://example.org>"),
        "`The Guide <https://example.org/a>`_",
        '<p align="center"><img src="docs/picture.png" width="400"></p>',
    ):
        assert not is_statement(text)
    for text in ("Sure, I'll look into it.", "Want me to open it?", "Good question!", "Sorry."):
        assert is_talk(text)
    for text in ("Yes, the relay retries.", "No index is asked twice.", "I found that it drops."):
        assert not is_talk(text)


@pytest.mark.parametrize(
    "text",
    [
        "Never:\n\n- a part\n\n" + "  More of it.\n\n" * 2_000 + "  end well",
        "".join(f"{'  ' * depth}- never:\n" for depth in range(400)) + "  " * 400 + "- end well",
    ],
)
def test_of_a_long_item_only_a_part_is_taken(text: str) -> None:
    place, start, blocks = place_of("end well", text), text.index("end well"), parts_of(text)[0]
    assert place is not None
    assert place[0] == ""
    assert lines_run(lambda: around(text, blocks, start, start + 3)) < 400


@pytest.mark.parametrize("part", ["## Part\n\nSay so.\n\n", "- Say so.\n"])
def test_a_place_is_found_at_the_same_cost_in_a_long_document(part: str) -> None:
    def cost(many: int) -> int:
        text = part * many
        start, blocks = text.rindex("Say"), parts_of(text)[0]
        return lines_run(lambda: around(text, blocks, start, start + 1))

    assert cost(1_000) < 2 * cost(200)
    data = "word, " * MAX_PARAGRAPH  # of which nothing is taken
    assert around(data, parts_of(data)[0], 0, len(data)) is None
