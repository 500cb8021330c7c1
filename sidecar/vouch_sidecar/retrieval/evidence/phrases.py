"""The phrases of a text, which `probe` shows. They decide nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vouch_sidecar.kb.records import Kind
from vouch_sidecar.retrieval.constants import MAX_PHRASES
from vouch_sidecar.retrieval.evidence.text_kinds import Span, blanked, exact_places
from vouch_sidecar.retrieval.evidence.word_weights import worths_of
from vouch_sidecar.retrieval.view import View

_QUOTED = re.compile(r"[“„]([^“”\n]{3,120})[“”]|\"([^\"\n]{3,120})\"|`([^`\n]{3,120})`")


def phrases(views: Sequence[View], text: str, names: Sequence[Span] = ()) -> list[str]:
    """At most eight phrases of a text without its names: what stands in quotes, identifiers and the
    like, and the words that some claim or section holds, the weightiest first.
    """
    rest = blanked(text, names)
    spans = [match.span(match.lastindex or 0) for match in _QUOTED.finditer(rest)]
    wholes = [rest[start:end].strip() for start, end in (*spans, *exact_places(rest))]
    weights = {
        word.word: weight
        for view in views
        for word, weight in worths_of(view, rest).items()
        if any(view.search.frequency(word, kind) for kind in (Kind.CLAIM, Kind.PAGE))
    }
    words = sorted(weights, key=lambda word: -weights[word])
    return list(dict.fromkeys(filter(None, [*wholes, *words])))[:MAX_PHRASES]
