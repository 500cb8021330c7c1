"""Finds the pages that a text asks for by their title, or by a number as in `ADR 3`, and by nothing
else.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from vouch_sidecar.index.artifact_documents import sections
from vouch_sidecar.index.query import any_of
from vouch_sidecar.index.schema import TITLE
from vouch_sidecar.kb.records import Page
from vouch_sidecar.retrieval.constants import ASKED_FOR, FEW, MAX_TITLES
from vouch_sidecar.retrieval.evidence.text_kinds import ASKING, asks_only_about, is_common_word
from vouch_sidecar.retrieval.gate import pages_to_tell
from vouch_sidecar.retrieval.line import Line
from vouch_sidecar.retrieval.statements.section_passages import passages
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.text.analysis import fold
from vouch_sidecar.text.content_words import Term, terms
from vouch_sidecar.workspace.names_in_text import documents_in

MAX_ASKING = 200
"""Characters of a text that asks for a page; a longer one asks for more."""
NUMBER_DIGITS = 5


def pages_asked_for(view: View, text: str) -> list[Line]:
    """The pages that a text asks for, in the order of the index, each at its first section that
    says something, with what the text calls it.
    """
    if len(text) > MAX_ASKING or view.since is not None or view.deadline.has_passed():
        return []
    asked = dict([*_titled(view, text), *numbered(view, text)])
    return [
        Line(view, page, phrase, ASKED_FOR, "text", None, _section(page), likelihood=ASKED_FOR)
        for page, phrase in islice(asked.items(), FEW)
    ]


def _titled(view: View, text: str) -> Iterator[tuple[Page, str]]:
    """Pages of whose title a text holds all content words, and no others but those that only ask.
    A common word is no title: it may mean anything.
    """
    words = _content(text)
    if not words or is_common_word(words):
        return
    asked = {word.alternatives for word in words}
    titled = view.visible.artifacts_in(view.search.holding(words, TITLE), MAX_TITLES)
    for page in pages_to_tell(titled):
        if {word.alternatives for word in _content(page.title)} == asked:
            yield page, " ".join(word.word for word in words)


def _content(text: str) -> tuple[Term, ...]:
    words = tuple(terms(text))
    return tuple(word for word in words if fold(word.word) not in ASKING) or words


def numbered(view: View, text: str) -> Iterator[tuple[Page, str]]:
    """Pages whose title begins with the number that a text only asks about."""
    number = next(iter(documents_in(text)), None)
    if number is None or not asks_only_about(text, [(number.start, number.end)]):
        return
    series, _, digits = number.text.partition("-")
    forms = [f"{series} {digits:0>{width}}" for width in range(len(digits), NUMBER_DIGITS + 1)]
    query = any_of([view.search.holding(tuple(terms(form)), TITLE) for form in forms])
    for page in pages_to_tell(view.visible.artifacts_in(query, MAX_TITLES)):
        begins = [name.text for name in documents_in(page.title.strip()) if name.start == 0]
        if begins == [number.text]:
            yield page, text[number.start : number.end]


def _section(page: Page) -> int:
    """The first section with more than a heading; else the first."""
    sayable = (number for number, section in enumerate(sections(page)) if any(passages(section)))
    return next(sayable, 0)
