"""Finds pages by their title, or by what they list; they are told from the first section on that
says something.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from vouch_sidecar.index.artifact_documents import sections
from vouch_sidecar.index.schema import TITLE
from vouch_sidecar.kb.records import SESSION_PAGE, Artifact, Kind, Page
from vouch_sidecar.retrieval.constants import FEW, MAX_ASKED, MAX_TITLES
from vouch_sidecar.retrieval.evidence.text_kinds import ASKING, is_common_word
from vouch_sidecar.retrieval.line import Line
from vouch_sidecar.retrieval.salience import Salient
from vouch_sidecar.retrieval.statements.section_passages import passages
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.text.analysis import fold
from vouch_sidecar.text.content_words import Term, terms


def pages_asked_for(view: View, text: str) -> Iterator[Line]:
    """The pages of whose title a text holds all content words, and no others but those that only
    ask, in the order of the index. A common word is no title: it may mean anything.
    """
    words = _content(text)
    if view.since is not None or len(words) > MAX_ASKED or is_common_word(words):
        return
    asked, phrase = {word.alternatives for word in words}, " ".join(word.word for word in words)
    titled = _to_tell(_titled(view, words, MAX_TITLES))
    pages = (page for page in titled if {w.alternatives for w in _content(page.title)} == asked)
    for page in islice(pages, FEW):
        yield Line(view, page, phrase, 1.0, "text", None, _first_section(page))


def pages_about(row: Salient) -> Iterator[Line]:
    """The pages that list an entity, then those with its name in their title; they have no date."""
    view = row.view
    if view.since is None:
        listing = view.visible.pages_about((Kind.ENTITY, row.entity.id))
        for page in _to_tell([*listing, *_titled(view, terms(row.entity.name), FEW)]):
            yield row.line(page, _first_section(page))


def _titled(view: View, words: Sequence[Term], limit: int) -> Iterator[Artifact]:
    """Pages with all of some words in their title."""
    return view.visible.artifacts_in(view.search.holding(words, TITLE), limit)


def _to_tell(pages: Iterable[Artifact]) -> Iterator[Page]:
    """Notes of a session are not yet knowledge."""
    return (page for page in pages if isinstance(page, Page) and page.type != SESSION_PAGE)


def _first_section(page: Page) -> int:
    """The first section that has more than a heading, else the first one."""
    telling = (number for number, text in enumerate(sections(page)) if any(passages(text)))
    return next(telling, 0)


def _content(text: str) -> tuple[Term, ...]:
    words = tuple(terms(text))
    return tuple(word for word in words if fold(word.word) not in ASKING) or words
