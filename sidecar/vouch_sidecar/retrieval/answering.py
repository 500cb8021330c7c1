"""Claims and sections of pages that hold most of what a text asks: for a text that names nothing,
for what a text asks beside the names in it, and for what is asked next of an entity that was spoken
of before.

docs/how-it-decides.md gives the rule, with the measurement behind the constants.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from tantivy import Document
from vouch_sidecar.index.content import Needle, content_stems
from vouch_sidecar.index.schema import key_in, sections, stems_in, texts
from vouch_sidecar.kb.records import Claim, Entity, Kind, Page
from vouch_sidecar.retrieval.asking import Asked, Least, asked_about, asked_by, own_stems
from vouch_sidecar.retrieval.clauses import Reading, Span, readings
from vouch_sidecar.retrieval.constants import (
    ABOUT_WEIGHT,
    ABOUT_WORDS,
    CONSIDERED_SHARE,
    MAX_CONSIDERED,
    MAX_NEAREST,
    MAX_SECTIONS,
    MUCH_COUNTS,
    QUESTION_SHARE,
    RIVALS,
    STANDS_OUT,
)
from vouch_sidecar.retrieval.view import View, claim_in

__all__ = ["Answer", "Considered", "answers", "asked_next", "considered", "sections_about"]


class Answer(NamedTuple):
    """A claim or a section of a page, the words of the text that it holds, and their share of the
    text from 0 to 1.
    """

    artifact: Claim | Page
    section: int | None
    words: tuple[str, ...]
    share: float


class Considered(NamedTuple):
    """What may answer, and what it lacks; None where it answers. `much`: it answers where nothing
    else holds nearly as much.
    """

    answer: Answer
    lacks: str | None
    much: bool = False


def answers(view: View, text: str, names: Sequence[Span] = ()) -> list[Answer]:
    """What holds most of a text or of a clause of it that asks, beside the names at some places:
    best first, claims before pages; nothing where too much does.
    """

    def find() -> list[Answer]:
        judged = (one for way in readings(text, names) for one in _of_reading(view, text, way))
        return _each_once(one.answer for one in sorted(judged, key=_order) if one.lacks is None)

    return view.once(f"answers {names}", text, find)


def considered(view: View, text: str, names: Sequence[Span] = ()) -> list[Considered]:
    """The same, with what falls short of it: what lacks nothing first, then by share."""
    judged = [one for way in readings(text, names) for one in _of_reading(view, text, way)]
    judged = [one for one in judged if one.answer.share >= CONSIDERED_SHARE]
    judged.sort(key=lambda one: (one.lacks is not None, _order(one)))
    lacking = {one.answer: one.lacks for one in reversed(judged)}
    return [Considered(one, lacking[one]) for one in _each_once(one.answer for one in judged)]


def _of_reading(view: View, text: str, reading: Reading) -> list[Considered]:
    """What holds a part of a text, read in one way, best first."""
    asked = asked_by(view, text, reading)
    if not asked.weights:
        return []
    hits = view.search.down_to(asked.weights, Kind.CLAIM, CONSIDERED_SHARE, MAX_CONSIDERED)
    judged = [_claim(asked, view.knowledge.snapshot.document(hit)) for hit in hits]
    judged = sorted([*judged, *_sections(view, asked, asked.least)], key=_order)
    shares = [one.answer.share for one in judged if one.lacks is None]
    if not shares and _stands_out(judged):
        answer = judged[0].answer._replace(share=MUCH_COUNTS)
        return [Considered(answer, None), *judged[1:]]
    rivals = shares.count(shares[0]) if shares else 0
    if rivals <= RIVALS:
        return judged
    unclear = f"{rivals} hold as much: none of them is meant"
    return [one if one.lacks else one._replace(lacks=unclear) for one in judged]


def _stands_out(judged: Sequence[Considered]) -> bool:
    """Whether the first holds much of a text, and all others far less."""
    if not judged or not judged[0].much:
        return False
    first = judged[0].answer
    others = (one.answer for one in judged if one.answer.artifact.id != first.artifact.id)
    return max((one.share for one in others), default=0.0) <= STANDS_OUT * first.share


def _order(judged: Considered) -> tuple[float, bool, str, int]:
    answer = judged.answer
    of_page = isinstance(answer.artifact, Page)
    return (-answer.share, of_page, answer.artifact.id, answer.section or 0)


def _each_once(found: Iterable[Answer]) -> list[Answer]:
    first: dict[tuple[bool, str], Answer] = {}
    for answer in found:
        first.setdefault((isinstance(answer.artifact, Page), answer.artifact.id), answer)
    return list(first.values())


def _claim(asked: Asked, document: Document) -> Considered:
    claim, stems = claim_in(document), stems_in(document)
    said = " ".join((claim.text, *claim.tags))
    return _judged(asked, asked.least, asked.held(stems), said, claim, None)


def _sections(view: View, asked: Asked, least: Least) -> Iterator[Considered]:
    """The sections of pages that hold a part of what is asked, together with their heading and the
    title of their page.
    """
    snapshot = view.knowledge.snapshot
    for hit in view.search.down_to(asked.weights, Kind.PAGE, CONSIDERED_SHARE, MAX_SECTIONS):
        document = snapshot.document(hit)
        page, number = view.told_by(document), key_in(document)[2]
        if isinstance(page, Page):
            first = sections(page)[number].partition("\n")[0]
            heading = f"{page.title}\n{first if first.startswith('#') else ''}"
            held = asked.held(stems_in(document), content_stems(heading))
            yield _judged(asked, least, held, f"{heading}\n{texts(page)[number]}", page, number)


def _judged(
    asked: Asked,
    least: Least,
    held: list[Needle],
    said: str,
    artifact: Claim | Page,
    section: int | None,
) -> Considered:
    """Whether words that stand together are enough, and still are as they are written there."""
    if asked.lacks(held, least) is None or asked.lacks(held, asked.much) is None:
        held = asked.as_written(held, said)
    words = tuple(word.word for word in held)
    answer = Answer(artifact, section, words, asked.share_of(held))
    return Considered(answer, asked.lacks(held, least), asked.lacks(held, asked.much) is None)


def sections_about(view: View, entity: Entity, text: str, names: Sequence[Span]) -> list[Answer]:
    """The sections that hold most of what a text asks beside the names in it, of those that are
    about an entity: their page lists it, or they name it.

    The name is evidence as well, so less of the rest is enough than for `answers`.
    """

    def find() -> list[Answer]:
        asked = asked_about(view, text, names)
        if not asked.weights:
            return []
        least = Least(QUESTION_SHARE, ABOUT_WEIGHT, ABOUT_WORDS)
        judged = sorted(_sections(view, asked, least), key=_order)
        found = [one.answer for one in judged if one.lacks is None]
        about = view.knowledge.pages_about((Kind.ENTITY, entity.id)) if found else []
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
        judged = _claim(asked, view.knowledge.snapshot.document(hit))
        if judged.lacks is None:
            yield judged.answer
