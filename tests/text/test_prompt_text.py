"""What of a prompt counts as its words, and which stored texts ask something."""

from __future__ import annotations

import pytest
from vouch_sidecar.text.prompt_text import (
    asked_sentences,
    asks,
    without_asking,
    without_printed,
    without_steering,
)

TRACE = """\
Why does the upload fail?
Traceback (most recent call last):
  File "/usr/lib/python3.11/runpy.py", line 198, in _run_module_as_main
    return _run_code(code)
2026-11-23T10:11:12Z ERROR no space left on device
ada@host:~/relay$ make upload
"""


def test_what_machines_print_counts_for_no_words() -> None:
    left = without_printed(TRACE)
    assert len(left) == len(TRACE)
    for kept in ("upload fail", "return _run_code", "ERROR no space left on device", "make upload"):
        assert kept in left
    for printed in ("runpy", "_run_module_as_main", "2026", "10:11", "ada@host"):
        assert printed not in left


def test_a_prompt_is_taken_apart_at_ends_of_sentences_and_lines() -> None:
    text = "relay is slow, e.g. at night. what now?\nthe log\nsays 3.5 s"
    spans = asked_sentences(text)
    assert [text[start:end].strip() for start, end in spans] == [
        "relay is slow, e.g. at night.",
        "what now?",
        "the log\nsays 3.5 s",
    ]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("who should I ask about labels", "about labels"),
        ("who knows the labels best?", "the labels     ?"),
        ("who knows most about labels", "about labels"),
        ("who owns the labels", "who owns the labels"),
        ("ask the relay", "ask the relay"),
    ],
)
def test_words_that_ask_for_somebody_are_no_subject(text: str, left: str) -> None:
    assert without_asking(text).strip() == left


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("why is the relay slow", True),
        ("a customer asks for a parcel, where do I find its events now", True),
        ("is it kafka?", True),
        ("add retries to the upload", False),
        ("can you add retries to the upload?", False),
        ("yes, go ahead", False),
        ("what is this " + "log line " * 60, False),
    ],
)
def test_a_stored_text_asks_or_does_not(text: str, expected: bool) -> None:
    assert asks(text) is expected


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Thanks, that looks good. Why does the relay wait?", "Why does the relay wait?"),
        ("why does the relay wait?\nkeep it short please", "why does the relay wait?"),
        ("That's it. Is the queue full? Think carefully.", "Is the queue full?"),
        ("That relay looks good. Is the queue full?", "That relay looks good. Is the queue full?"),
        ("ok, try again", "ok, try again"),
    ],
)
def test_sentences_that_only_steer_are_blanks(text: str, left: str) -> None:
    blanked = without_steering(text)
    assert len(blanked) == len(text)
    assert blanked.strip() == left
