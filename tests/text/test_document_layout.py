"""Documents taken apart: what a range of one is widened to."""

from __future__ import annotations

import pytest
from vouch_sidecar.text.document_blocks import MAX_PARAGRAPH
from vouch_sidecar.text.document_layout import Layout
from vouch_sidecar.text.text_forms import Form, form_of_text, is_fragment, is_talk

from tests.text.lines_run import lines_run

DOCUMENT = """\
# Relay

The relay retries three
times (see README.md and docs/x.md. It is long) before it gives up. Then the event goes to the
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

再試行は三回です。その後は止まります。
"""


def around(quote: str, text: str = DOCUMENT) -> tuple[Form, str, str] | None:
    layout, start = Layout(text), text.index(quote)
    place = layout.sentences_around(start, start + len(quote))
    if place is None:
        return None
    return place.form, place.text, "".join(map(layout.heading, place.headings[:1]))


@pytest.mark.parametrize(
    ("quote", "text", "heading"),
    [
        (
            "md and docs/x.",
            ("The relay retries three times (see README.md and docs/x.md. It is long) before it "
            "gives up."),
            "Relay",
        ),
        ("dead letter", "Then the event goes to the dead letter queue, e.g. `dlq.main`.", "Relay"),
        ("Doe", "Done by J. Doe at 1.5 s!", "Relay"),
        ("- `Timeout`", "`Timeout` is 30 s in settings.yaml and cannot be changed.", "Relay"),
        ("Ask Ines", "Ask Ines.", "Relay"),
        ("gives up. Then", ("The relay retries three times (see README.md and docs/x.md. It is "
         "long) before it gives up. Then the event goes to the dead letter queue, e.g. "
         "`dlq.main`."), "Relay"),
        ("over lines", "Quoted text goes over lines.", "Build"),
        ("その後", "その後は止まります。", "Limits"),
    ],
)  # fmt: skip
def test_a_range_is_widened_to_whole_sentences(quote: str, text: str, heading: str) -> None:
    assert around(quote) == (Form.STATEMENT, text, heading)


@pytest.mark.parametrize(
    ("quote", "form"),
    [
        ("# Relay", Form.HEADING),
        ("Build", Form.HEADING),
        ("**Limits**", Form.HEADING),
        ("retries = 3.", Form.CODE),
        ("pip install relay", Form.CODE),
        ("| name ", Form.MARKUP),
        ("| buffer", Form.MARKUP),
        ("-----", Form.MARKUP),
    ],
)
def test_what_is_no_prose(quote: str, form: Form) -> None:
    found = around(quote)
    assert found is not None
    assert found[0] is form


@pytest.mark.parametrize(
    ("quote", "form"),
    [
        ("For other software use:", Form.STATEMENT),
        ("retries: 3", Form.CODE),
        ("Then it is", Form.STATEMENT),
        ("reStructured", Form.HEADING),
        ("[guide]", Form.MARKUP),
        ("[^1]", Form.STATEMENT),
        ("size | 3", Form.MARKUP),
        ("a | b", Form.STATEMENT),
    ],
)
def test_what_a_line_is_by_the_lines_around_it(quote: str, form: Form) -> None:
    text = (
        "For other software use:\n```\nretries: 3\n```\n\nThen it is used.\n\n"
        "reStructured\n````````````\n\n[guide]: https://example.org/guide\n\n"
        "[^1]: It is asked twice.\n\nname | value\n--- | ---\nsize | 3\n\nEither a | b is set.\n"
    )
    found = around(quote, text)
    assert found is not None
    assert found[0] is form


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        ("JavaScript/TypeScript", True),
        ("`AWS::ECR::Repository`", True),
        ("Use Kafka.", False),
        ("Kafka keeps events", False),
        ("その後は止まります", False),
    ],
)
def test_what_is_too_little_to_say_something(text: str, fragment: bool) -> None:
    assert is_fragment(text) is fragment


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("Here's what I found:", Form.LEAD_IN),
        ("**The limits are these:**", Form.LEAD_IN),
        ("## Limits", Form.HEADING),
        ("https://example.org/a.b", Form.LINK),
        ("- [Guide](https://example.org/a)", Form.LINK),
        ("See [the guide](https://example.org/a).", Form.LINK),
        ("---", Form.MARKUP),
        ("[![CI](https://example.org/a/b.svg)](https://example.org/a/b)", Form.LINK),
        ('<p align="center"><img src="docs/picture.png" width="400"></p>', Form.MARKUP),
        ("Read the [guide](https://example.org/a) before a release.", Form.STATEMENT),
        ("The limit is 3.", Form.STATEMENT),
    ],
)
def test_the_form_of_a_text(text: str, form: Form) -> None:
    assert form_of_text(text) is form


@pytest.mark.parametrize(
    "text",
    [
        "Let me know if the limit should be another one.",
        "Want me to open a pull request?",
        "Sure, I'll look into it.",
        "Good question!",
        "Done.",
        "You're right, sorry.",
        "I’ll run the tests next.",
    ],
)
def test_talk(text: str) -> None:
    assert is_talk(text)


@pytest.mark.parametrize(
    "text",
    [
        "Yes, the relay retries three times.",
        "No index is asked twice.",
        "The relay is done after three retries.",
        "I found that the relay drops events when a worker restarts.",
    ],
)
def test_what_says_something(text: str) -> None:
    assert not is_talk(text)


LISTED = """\
# Part

It copies. It does *not*:

- overwrite files. It warns instead.
  - follow links
1. Steps are these:
   - begin

Then it ends.

- a lone item
"""


@pytest.mark.parametrize(
    ("quote", "lead_ins"),
    [
        ("overwrite", ["It does *not*:"]),
        ("follow", ["It does *not*:"]),
        ("begin", ["It does *not*:", "Steps are these:"]),
        ("lone", []),
        ("Then", []),
    ],
)
def test_an_item_is_led_in_by_the_last_sentence_with_a_colon_above_its_list(
    quote: str, lead_ins: list[str]
) -> None:
    start = LISTED.index(quote)
    place = Layout(LISTED).sentences_around(start, start + 1)
    assert place is not None
    assert [LISTED[slice(*each)] for each in place.lead_ins] == lead_ins


@pytest.mark.parametrize(
    "text",
    [
        "It never does:\n\n- a part\n\nSo much for that.\n\n- end well",
        "It never does:\n\n# Part\n\n- end well",
        "It never does. Note: it can.\n\n- end well",
        "It never does:\n\n- a part\n\nIt will end well.",
        "It never does:\n\n| a | b |\n|---|---|\n| c | d |\n\n- end well",
    ],
)
def test_what_leads_in_a_list_ends_with_it(text: str) -> None:
    start = text.index("end well")
    place = Layout(text).sentences_around(start, start + 3)
    assert place is not None
    assert not place.lead_ins


@pytest.mark.parametrize(
    "text",
    [
        "Never:\n\n- a part\n\n" + "  More of it.\n\n" * 2_000 + "  end well",
        "".join(f"{'  ' * depth}- never:\n" for depth in range(400)) + "  " * 400 + "- end well",
    ],
)
def test_of_a_long_item_only_a_part_is_taken(text: str) -> None:
    start = text.index("end well")

    def cost(many: int) -> int:
        layout = Layout(text)
        layout.sentences_around(0, 1)
        return lines_run(lambda: [layout.sentences_around(start, start + 3) for _ in range(many)])

    place = Layout(text).sentences_around(start, start + 3)
    assert place is not None
    assert place.is_cut
    assert cost(2) - cost(1) < 200


def test_a_range_of_data_is_cut() -> None:
    text = "word, " * MAX_PARAGRAPH
    place = Layout(text).sentences_around(0, len(text))
    assert place is not None
    assert len(place.text) <= MAX_PARAGRAPH


@pytest.mark.parametrize("part", ["Say so. ", "## Part\n\nSay so.\n\n", "- Say so.\n"])
def test_a_place_is_found_at_the_same_cost_in_a_long_document(part: str) -> None:
    def cost(many: int) -> int:
        layout = Layout(part * many)
        start = layout.text.rindex("Say")
        assert layout.sentences_around(start, start + 1)
        return lines_run(lambda: layout.sentences_around(start, start + 1))

    assert cost(2_000) < 2 * cost(300)
