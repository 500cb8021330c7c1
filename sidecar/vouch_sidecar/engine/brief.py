"""What knowledge bases hold, in a few lines: for an agent that begins."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from vouch_sidecar.engine.served import Speaker
from vouch_sidecar.kb.records import Kind
from vouch_sidecar.retrieval.block import frame, safe
from vouch_sidecar.retrieval.view import View

__all__ = ["MAX_BRIEF", "brief"]

MAX_BRIEF = 600
"""Characters, frame included."""
ENTITIES = 12
TYPES = 4
NAME_CHARS = 40


def brief(served: Sequence[Speaker], max_chars: int = MAX_BRIEF) -> str:
    """Name, counts and the most evidenced entities by type of every knowledge base that may
    speak and holds anything; "" when there is none.
    """
    lines: list[str] = []
    for one in served:
        if one.settings.recall.enabled:
            lines += _lines(one.view)
    return frame(lines, max_chars)


def _lines(view: View) -> list[str]:
    counts = [
        (n, word)
        for kind, word in ((Kind.CLAIM, "claim"), (Kind.ENTITY, "entity"), (Kind.PAGE, "page"))
        if (n := view.count(kind))
    ]
    if not counts:
        return []
    held = ", ".join(f"{n} {_plural(word, n)}" for n, word in counts)
    head = f"{safe(view.collection)[:NAME_CHARS]} holds {held}."
    return [head, *(f"- {kind}: {', '.join(names)}" for kind, names in _entities(view))]


def _entities(view: View) -> list[tuple[str, list[str]]]:
    """The entities that most claims count for, by type; the type of the first comes first."""
    counted = [(view.claim_count(e.id), e) for e in view.knowledge.names.entities()]
    counted.sort(key=lambda c: (-c[0], c[1].id))
    by_type: defaultdict[str, list[str]] = defaultdict(list)
    for count, entity in counted[:ENTITIES]:
        if count:
            kind = safe(entity.type)[:NAME_CHARS]
            name = safe(entity.name)[:NAME_CHARS]
            by_type[kind].append(f"{name} ({count} {_plural('claim', count)})")
    return list(by_type.items())[:TYPES]


def _plural(word: str, count: int) -> str:
    if count == 1:
        return word
    return f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"
