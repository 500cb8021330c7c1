"""Finds the pages that a text asks for by their title, and by nothing else."""

from __future__ import annotations

from itertools import islice

from vouch_sidecar.index.artifact_documents import sections
from vouch_sidecar.index.schema import TITLE
from vouch_sidecar.kb.records import Page
from vouch_sidecar.retrieval.constants import FEW, MAX_TITLES
from vouch_sidecar.retrieval.evidence.text_kinds import ASKING, is_common_word
from vouch_sidecar.retrieval.gate import pages_to_tell
from vouch_sidecar.retrieval.line import Line
from vouch_sidecar.retrieval.statements.section_passages import passages
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.text.analysis import fold
from vouch_sidecar.text.content_words import Term, terms

MAX_ASKING = 200
"""Characters of a text that asks for a page; a longer one asks for more."""


def pages_asked_for(view: View, text: str) -> list[Line]:
    """The pages of whose title a text holds all content words, and no others but those that only
    ask, in the order of the index. A common word is no title: it may mean anything.
    """
    words = _content(text[: MAX_ASKING + 1])
    is_short = len(words) > 0 and len(text) <= MAX_ASKING and not is_common_word(words)
    if not is_short or view.since is not None or view.deadline.has_passed():
        return []
    asked, phrase = {word.alternatives for word in words}, " ".join(word.word for word in words)
    titled = view.visible.artifacts_in(view.search.holding(words, TITLE), MAX_TITLES)
    pages = (
        page
        for page in pages_to_tell(titled)
        if {word.alternatives for word in _content(page.title)} == asked
    )
    return [
        Line(view, page, phrase, 1.0, "text", None, _first_section(page), likelihood=1.0)
        for page in islice(pages, FEW)
    ]


def _first_section(page: Page) -> int:
    """The first section that has more than a heading, else the first one."""
    telling = (number for number, text in enumerate(sections(page)) if any(passages(text)))
    return next(telling, 0)


def _content(text: str) -> tuple[Term, ...]:
    words = tuple(terms(text))
    return tuple(word for word in words if fold(word.word) not in ASKING) or words
