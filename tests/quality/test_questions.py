"""What is said of a knowledge base without entities, for texts labelled by hand, with floors.

questions.json holds the claims and the texts; benchmarks/quality/README.md gives the format.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from benchmarks.quality.measures import Case
from benchmarks.quality.ordinary import docstring_sentences
from benchmarks.quality.runs import question_cases
from benchmarks.quality.sets import Questions, read_questions
from benchmarks.quality.world import written
from tests.quality.figures import within


@pytest.fixture(scope="module")
def questions() -> Questions:
    return read_questions(Path(__file__).with_name("questions.json"))


@pytest.fixture(scope="module")
def cases(questions: Questions) -> list[Case]:
    return list(question_cases(questions))


def test_most_of_it_shares_words_and_asks_for_nothing(questions: Questions) -> None:
    kinds = Counter(case.kind for case in questions.cases)
    assert not questions.entities
    assert kinds["asked"] >= 20
    assert sum(not (case.gold or case.acceptable) for case in questions.cases) >= 50
    assert len({case.text for case in questions.cases}) == len(questions.cases)


def test_what_is_asked_is_answered_and_little_is_said_unasked(cases: list[Case]) -> None:
    within(cases, "recall", least=0.95)
    within(cases, "false fires", most=0.2)


def test_docstrings_of_the_standard_library_bring_next_to_nothing(questions: Questions) -> None:
    sentences = docstring_sentences()
    with written(questions) as world:
        said = {s: world.ask("context", task=s)["text"] for s in sentences}
    assert len([text for text in said.values() if text]) <= 0.01 * len(sentences)
