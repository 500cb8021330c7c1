"""Summarises knowledge bases in a few lines for an agent that starts a session: how much they hold,
on what, and how to ask. It quotes no claim, as nothing was asked yet.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from vouch_sidecar.kb.access import shared_gates
from vouch_sidecar.kb.records import Entity, Kind
from vouch_sidecar.kb.sanitize import clip, count
from vouch_sidecar.retrieval.blocks.block import frame, room_in_frame, safe
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.text.sentences import MAX_MATCHED

MAX_BRIEF = 300
"""Characters, frame included."""
BRIEF_NAME_CHARS = 40
MOST_SUBJECTS = 20
UNNAMED = "This repository's knowledge base"
_WORD = r"[(\"'“‘«]?\w++(?:['’&‐-]\w++)*+[+#]{0,2}+[)\"'”’»,.:?!…]{0,4}+"
_PLAIN = re.compile(rf"{_WORD}(?: (?:[&·–—-] )?{_WORD})*+")
"""Words with the signs of prose. What a name may consist of, as what reads like a command, a path,
an option, a host or an address can't be listed.
"""


def brief(views: Sequence[View], how_to_ask: str) -> str:
    """A block about each knowledge base that has `recall.enabled` and is not empty: the number of
    claims and pages and the largest subjects, cut where the room ends; and, once, the sentence that
    says how to ask. "" if there is none.
    """
    lines: list[str] = []
    for view in views:
        view = replace(view, gates=shared_gates(view.gates))
        if view.recall.enabled and (head := _head(view)):
            lines += [head] if lines else [head, how_to_ask]
            if listed := " · ".join(islice(_subjects(view), MOST_SUBJECTS)):
                lines.append(f"- subjects: {listed}")
    return frame([clip("\n".join(lines), room_in_frame(MAX_BRIEF) - 1)] if lines else [])


def _head(view: View) -> str:
    """The size of a knowledge base in words; "" if it is empty."""
    counts = (view.number_of(Kind.CLAIM), "claim"), (view.number_of(Kind.PAGE), "page")
    counted = [count(number, word) for number, word in counts if number]
    name = _harmless(view.collection) or UNNAMED
    return f"{name} holds {' and '.join(counted)}." if counted else ""


def _subjects(view: View) -> Iterator[str]:
    """The names of entities and topics, those with the most claims first."""
    entities = [*view.knowledge.all_of(Entity), *(topic.entity for topic in view.derived)]
    counted = sorted(
        (-view.search.claim_count(entity.id), entity.id, entity.name)
        for entity in entities
        if isinstance(entity, Entity)
    )
    return filter(None, (_harmless(name) for negative, _, name in counted if negative))


def _harmless(name: str) -> str:
    """A name as it is listed; "" for one that has more than words in it, in whichever of Unicode's
    forms.
    """
    name = safe(name[:MAX_MATCHED])
    kinds = map(unicodedata.category, normal := unicodedata.normalize("NFKC", name))
    letters = ("a" if kind[0] in "LMN" else sign for sign, kind in zip(normal, kinds, strict=True))
    return clip(name, BRIEF_NAME_CHARS) if _PLAIN.fullmatch("".join(letters)) else ""
