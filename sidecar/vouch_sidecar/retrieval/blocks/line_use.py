"""Estimates whether an answer used a line of the block that its writer was given."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from vouch_sidecar.kb.records import Claim, Page
from vouch_sidecar.retrieval.blocks.block import ContextHit, line_text
from vouch_sidecar.retrieval.constants import RARE
from vouch_sidecar.retrieval.evidence.word_weights import worth_of
from vouch_sidecar.retrieval.lookup import short_id
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.text.analysis import fold
from vouch_sidecar.text.content_words import Term, content_stems, terms
from vouch_sidecar.text.windows import windows

TELLING = 2
"""Telling things of a line that an answer holds, from which on it used the line."""
_TWO_DIGITS = re.compile(r"\d{2}")
_SEVERAL_WORDS = re.compile(r"\w[-_./]\w")


@dataclass(slots=True)
class GivenLine:
    """A line of a block as it was given to a prompt. The last two fields say whether an answer was
    read since, and whether one of these used the line.
    """

    id: str
    cited: str
    text: str
    prompt: str
    is_judged: bool = False
    is_used: bool = False


def given_line(hit: ContextHit, prompt: str) -> GivenLine:
    """The line that a block has for a hit."""
    artifact = hit.artifact
    cited = short_id(hit.view, artifact) if isinstance(artifact, Claim) else artifact.id
    cited = artifact.path if isinstance(artifact, Page) else cited
    return GivenLine(artifact.id, cited.removesuffix("…"), line_text(hit), prompt)


def is_used(view: View, line: GivenLine, answer: str, prompt: str) -> bool:
    """Whether an answer names the id of a line, or holds two telling things of it that neither the
    prompt which brought it in nor the last one holds.
    """
    if _SEVERAL_WORDS.search(line.cited) and _names(answer, line.cited):
        return True
    asked = frozenset(content_stems(f"{line.prompt}\n{prompt}"))
    new = [word for word in _telling(view, line.text) if not word.held_by(asked)]
    held = stems_in(answer)
    return sum(word.held_by(held) for word in new) >= TELLING


def stems_in(text: str) -> frozenset[str]:
    """The stems of a long text."""
    return frozenset(s for start, end in windows(text) for s in content_stems(text[start:end]))


def _names(answer: str, cited: str) -> bool:
    """Whether an answer holds an id, not as the end of a longer one."""
    before, match, _ = answer.partition(cited)
    return bool(match) and not (before[-1:].isalnum() or before[-1:] in ("-", "_"))


def _telling(view: View, text: str) -> Iterator[Term]:
    """The numbers, identifiers and rare words of a text."""
    for word in terms(text):
        is_number = _TWO_DIGITS.search(fold(word.word)) is not None
        if is_number or len(word.alternatives) > 1 or worth_of(view, word) >= RARE:
            yield word
