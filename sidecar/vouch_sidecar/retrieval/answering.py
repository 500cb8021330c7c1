"""Claims and sections of pages that hold most of what a text asks: for a text that names nothing,
for what a text asks beside the names in it, and for what is asked next of an entity that was spoken
of before.

docs/how-it-decides.md gives the rule, with the measurement behind the constants.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from tantivy import Document
from vouch_sidecar.index.content import content_stems
from vouch_sidecar.index.schema import key_in, sections, stems_in, texts
from vouch_sidecar.kb.records import Claim, Entity, Kind, Page
from vouch_sidecar.retrieval.asking import Asked, Least, asked_about, asked_by, own_stems
from vouch_sidecar.retrieval.clauses import Reading, Span, readings
from vouch_sidecar.retrieval.constants import (
    ABOUT_WEIGHT,
    ABOUT_WORDS,
    MAX_NEAREST,
    MAX_PHRASED,
    MAX_SECTIONS,
    QUESTION_SHARE,
    RIVALS,
)
from vouch_sidecar.retrieval.view import View, claim_in

__all__ = ["Answer", "answers", "asked_next", "sections_about"]


class Answer(NamedTuple):
    """A claim or a section of a page, the words of the text that it holds, and their share of the
    text from 0 to 1.
    """

    artifact: Claim | Page
    section: int | None
    words: tuple[str, ...]
    share: float


def answers(view: View, text: str, names: Sequence[Span] = ()) -> list[Answer]:
    """What holds most of a text or of a clause of it that asks, beside the names at some places:
    best first, claims before pages; nothing where too much does.
    """
    return view.once(f"answers {names}", text, partial(_answers, view, text, names))


def _answers(view: View, text: str, names: Sequence[Span]) -> list[Answer]:
    found = [one for way in readings(text, names) for one in _of_reading(view, text, way)]
    return _each_once(sorted(found, key=_order))


def _of_reading(view: View, text: str, reading: Reading) -> list[Answer]:
    asked = asked_by(view, text, reading)
    if not asked.weights:
        return []
    hits = view.search.down_to(asked.weights, Kind.CLAIM, asked.least.share)
    documents = map(view.knowledge.snapshot.document, hits)
    found = [answer for document in documents if (answer := _claim(asked, document))]
    found += _sections(view, asked, asked.least)
    found.sort(key=_order)
    rivals = sum(answer.share == found[0].share for answer in found) if found else 0
    return found if rivals <= RIVALS else []


def _order(answer: Answer) -> tuple[float, bool, str, int]:
    of_page = isinstance(answer.artifact, Page)
    return (-answer.share, of_page, answer.artifact.id, answer.section or 0)


def _each_once(found: Sequence[Answer]) -> list[Answer]:
    first: dict[tuple[bool, str], Answer] = {}
    for answer in found:
        first.setdefault((isinstance(answer.artifact, Page), answer.artifact.id), answer)
    return list(first.values())


def _claim(asked: Asked, document: Document) -> Answer | None:
    held = asked.held(stems_in(document))
    if asked.enough(held, asked.least) is None:
        return None
    claim = claim_in(document)
    held = asked.as_written(held, " ".join((claim.text, *claim.tags)))
    share = asked.enough(held, asked.least)
    return Answer(claim, None, tuple(word.word for word in held), share) if share else None


def _sections(view: View, asked: Asked, least: Least) -> Iterator[Answer]:
    """The sections that hold enough, together with their heading and the title of their page."""
    snapshot = view.knowledge.snapshot
    for hit in snapshot.search(view.search.weighed(asked.weights, Kind.PAGE), MAX_SECTIONS):
        document = snapshot.document(hit)
        _, page_id, section = key_in(document)
        page = view.visible((Kind.PAGE, page_id))
        if not isinstance(page, Page):
            continue
        heading = f"{page.title}\n{_heading(sections(page)[section])}"
        held = asked.held(stems_in(document), content_stems(heading))
        held = asked.as_written(held, f"{heading}\n{texts(page)[section]}")
        if share := asked.enough(held, least):
            yield Answer(page, section, tuple(word.word for word in held), share)


def _heading(section: str) -> str:
    first = section.partition("\n")[0]
    return first if first.startswith("#") else ""


def sections_about(view: View, entity: Entity, text: str, names: Sequence[Span]) -> list[Answer]:
    """The sections that hold most of what a text asks beside the names in it, of those that are
    about an entity: their page lists it, or they name it.

    The name is evidence as well, so less of the rest is enough than for `answers`.
    """

    def find() -> list[Answer]:
        asked = asked_about(view, text[:MAX_PHRASED], names)
        if not asked.weights:
            return []
        about = {page.id for page in view.pages_about((Kind.ENTITY, entity.id))}
        least = Least(QUESTION_SHARE, ABOUT_WEIGHT, ABOUT_WORDS)
        found = sorted(_sections(view, asked, least), key=_order)
        told = [one for one in found if one.artifact.id in about or _names(view, one, entity)]
        return _each_once(told)

    return view.once(f"sections {entity.id} {names}", text, find)


def _names(view: View, found: Answer, entity: Entity) -> bool:
    page = found.artifact
    assert isinstance(page, Page)
    said = f"{page.title}\n{sections(page)[found.section or 0]}"
    return any(mention.entity_id == entity.id for mention in view.mentions(said))


def asked_next(view: View, entity: Entity, text: str) -> Iterator[Answer]:
    """Those claims of an entity that hold most of what a text asks besides its name."""
    asked, own = asked_by(view, text, readings(text)[0]), own_stems(entity)
    words = {word: weight for word, weight in asked.weights.items() if not word.held_by(own)}
    asked = asked._replace(weights=words, mute=frozenset())
    for hit in view.search.nearest(entity.id, asked.weights, MAX_NEAREST):
        if answer := _claim(asked, view.knowledge.snapshot.document(hit)):
            yield answer
