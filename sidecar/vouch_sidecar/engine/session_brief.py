"""Summarises knowledge bases in a few lines, for an agent that starts a session.

The time of an agent's last session and the number of claims then are kept in the user's cache, and
nothing else.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from hashlib import blake2b
from heapq import nlargest
from pathlib import Path
from typing import NamedTuple

from vouch_sidecar.engine.collection import Collection
from vouch_sidecar.index.schema import QUESTION
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.kb.records import Kind, Page, Source
from vouch_sidecar.kb.sanitize import clip
from vouch_sidecar.retrieval.block import frame, safe
from vouch_sidecar.retrieval.constants import STARTER_PAGE, UNASKED_PAGES
from vouch_sidecar.retrieval.context import Speaker
from vouch_sidecar.retrieval.file_ties import visible_ties
from vouch_sidecar.retrieval.recent_changes import changed_since
from vouch_sidecar.retrieval.view import View, moment

MAX_BRIEF = 600
"""Characters, frame included."""
ENTITIES = 12
TYPES = 4
NAME_CHARS = 40
PATH_CHARS = 60
SAID_CHARS = 90
LISTED = 3
LOOKED_AT = 12
"""Pages or files among which those are chosen."""
MAX_QUESTIONS = 200
MAX_BYTES = 64
"""Bytes read of the file that holds an agent's last session."""


class Last(NamedTuple):
    """When a session began or ended, in seconds since 1970, and how many claims were visible."""

    at: float
    claims: int


def brief(
    served: Sequence[Speaker],
    last: Callable[[Speaker], Last | None] = lambda _: None,
    max_chars: int = MAX_BRIEF,
) -> str:
    """A block with the name, counts, changes since the `last` session and most evidenced entities
    of every knowledge base that has `recall.enabled` and isn't empty. One without entities lists
    its page titles, files and questions instead. "" if there is nothing to list.
    """
    lines: list[str] = []
    for one in served:
        if one.settings.recall.enabled:
            lines += _lines(one.view, last(one))
    return frame(lines, max_chars)


def _lines(view: View, last: Last | None) -> list[str]:
    counts = [
        (n, word)
        for kind, word in ((Kind.CLAIM, "claim"), (Kind.ENTITY, "entity"), (Kind.PAGE, "page"))
        if (n := view.count(kind))
    ]
    if not counts:
        return []
    counted = ", ".join(f"{n} {_plural(word, n)}" for n, word in counts)
    head = f"{safe(view.collection)[:NAME_CHARS]} holds {counted}."
    by_type = [f"- {kind}: {', '.join(names)}" for kind, names in _entities(view)]
    return [head, *_changes(view, last), *(by_type or _without_entities(view))]


def _changes(view: View, last: Last | None) -> list[str]:
    """Lines on what changed since a session, with the best approved claims."""
    changes = None if last is None else changed_since(view, last.at, last.claims)
    if last is None or not changes:
        return []
    counts = [
        f"{number} {word}"
        for number, word in (
            (changes.approved, "approved"),
            (changes.superseded, "superseded"),
            (changes.retired, "retired"),
        )
        if number
    ]
    on = moment(last.at).date().isoformat()
    best = [
        f"- new: {safe(one.id)}: {clip(safe(view.said(one).text), SAID_CHARS)}"
        for one in changes.best
    ]
    return [f"Claims since your last session, {on}: {', '.join(counts)}.", *best]


def _without_entities(view: View) -> list[str]:
    """Lines for a knowledge base without entities: titles, files, questions."""
    found = (
        ("pages", _titles(view)),
        ("most claims on", _files(view)),
        ("asked lately", _questions(view)),
    )
    return [f"- {what}: {' · '.join(some)}" for what, some in found if some]


def _titles(view: View) -> list[str]:
    pages = view.found(view.search.every(Kind.PAGE), LOOKED_AT)
    titles = dict.fromkeys(
        page.title
        for page in pages
        if isinstance(page, Page) and page.id != STARTER_PAGE and page.type not in UNASKED_PAGES
    )
    return [clip(safe(one), NAME_CHARS) for one in [*titles][:LISTED]]


def _files(view: View) -> list[str]:
    """The files with the most ties that the viewer may see, each with its number of claims."""
    by_path = view.workspace.ties.by_path
    claims_hidden, sources_hidden = view.hidden(Kind.CLAIM), view.hidden(Kind.SOURCE)
    files = (
        (path, [t for t in ties if t.claim_id not in claims_hidden and t.via not in sources_hidden])
        for path, ties in by_path.items()
        if not path.endswith("/")
    )
    counted = []
    for path, ties in nlargest(LOOKED_AT, files, key=lambda one: len(one[1])):
        claims = len(visible_ties(view, ((path, tie) for tie in ties)))
        if claims:
            counted.append((claims, path))
    best = sorted(counted, key=lambda one: (-one[0], one[1]))[:LISTED]
    return [f"{clip(safe(path), PATH_CHARS)} ({claims})" for claims, path in best]


def _questions(view: View) -> list[str]:
    """The questions of the newest exchanges."""
    found = view.found(view.search.every(QUESTION), MAX_QUESTIONS)
    sources = [one for one in found if isinstance(one, Source) and one.question]
    newest = sorted(sources, key=lambda one: -(one.created_at or 0.0))
    asked = dict.fromkeys(one.question for one in newest if one.question)
    return [clip(safe(one), SAID_CHARS) for one in [*asked][:LISTED]]


def _entities(view: View) -> list[tuple[str, list[str]]]:
    """The entities with the most claims, by type; the type of the first comes first."""
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


def last_session(collection: Collection, viewer: Viewer | None) -> Last | None:
    """The last session of an agent in a knowledge base; None if unknown."""
    file = _file(collection, viewer)
    with suppress(OSError, ValueError, TypeError):
        if file is not None:
            at, claims = file.read_bytes()[:MAX_BYTES].split()
            return Last(float(at), int(claims))
    return None


def note_session(collection: Collection, viewer: Viewer | None, last: Last) -> None:
    """Write the last session to the cache. Does nothing if it cannot be written."""
    file = _file(collection, viewer)
    if file is None:
        return
    with suppress(OSError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        partial = file.with_suffix(f".{os.getpid()}")
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as written:
            written.write(f"{last.at:.0f} {last.claims}\n")
        partial.replace(file)


def _file(collection: Collection, viewer: Viewer | None) -> Path | None:
    if collection.bases is None:
        return None
    who = viewer or Viewer()
    parts = (str(collection.root), who.project or "", who.agent or "")
    name = blake2b("\0".join(parts).encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
    return collection.bases.caches / f"last-{name}"
