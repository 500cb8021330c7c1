"""Finds artifacts by what people call them: an id in any case, its beginning, a name, or something
similar.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches

from tantivy import Query

from vouch_sidecar.index.query import all_of, matching, nearly_query, spelled
from vouch_sidecar.kb.records import Artifact, Claim, Entity, Kind, key_of
from vouch_sidecar.retrieval.search import search
from vouch_sidecar.retrieval.view import View

_WORD = re.compile(r"[^\W_]++")
MAX_CALLED = 256
"""Characters of a name or an id that are compared."""
IDS_COMPARED = 500
"""Ids that are compared with the one asked for, beside those that full text finds."""
NEAREST = 3
NEAR = 0.3
"""The least similarity, by difflib's measure."""
ID_CHARS = 16
"""Characters of a beginning of an id at least."""
ID_WORDS = 3
"""Words of a beginning of an id at least."""
MAX_STEPS = 100
"""Claims that are followed from a superseded claim to the one that stands for it."""


def by_name(view: View, kind: Kind, called: str) -> list[Artifact]:
    """The artifacts with this id, in any case; else the entities with this name or alias."""
    if len(called.encode("utf-8", "replace")) > MAX_CALLED:  # an index takes no longer pattern
        return []
    if with_id := list(_with_id(view, kind, spelled(called, any_case=True))):
        return with_id
    ids = view.names.called(called) if kind is Kind.ENTITY else []
    entities = (view.visible.entity(entity_id) for entity_id in ids)
    return [entity for entity in entities if entity is not None]


def short_id(view: View, artifact: Artifact, beside: Iterable[View] = ()) -> str:
    """The beginning of an artifact's id that is enough to tell it from the ids of its kind that the
    viewer may see, in this view and those `beside` it, with `…` at its end. It ends with a whole
    word and is long enough to be understood. The whole id if there is no such beginning.
    """
    kind, artifact_id = key_of(artifact)
    cuts = [at for at in _cuts(artifact_id) if at < len(artifact_id)]
    if not cuts:
        return artifact_id
    own = _ids_beginning(view, kind, artifact_id[: cuts[0]])
    several = [
        [other for other in own if other != artifact_id],
        *(_ids_beginning(v, kind, artifact_id[: cuts[0]]) for v in beside),
    ]
    if any(len(ids) >= IDS_COMPARED - 1 for ids in several):
        return artifact_id
    begins = (artifact_id[:at] for at in cuts)
    unique = (
        start for start in begins if not any(o.startswith(start) for ids in several for o in ids)
    )
    cut = next(unique, None)
    return artifact_id if cut is None else f"{cut}…"


def _ids_beginning(view: View, kind: Kind, start: str) -> list[str]:
    return view.cached(
        f"ids of a {kind}", start, lambda: [each.id for each in _beginning(view, kind, start)]
    )


def _cuts(artifact_id: str) -> Iterator[int]:
    """Where an id may be cut: behind a word, the third at least."""
    ends = (word.end() for word in _WORD.finditer(artifact_id))
    return (end for number, end in enumerate(ends, 1) if number >= ID_WORDS and end >= ID_CHARS)


def _beginning(view: View, kind: Kind, start: str) -> Iterator[Artifact]:
    return _with_id(view, kind, f"{spelled(start)}.*")


def _with_id(view: View, kind: Kind, pattern: str) -> Iterator[Artifact]:
    """The artifacts that the viewer may see and whose id matches a pattern (a regular expression of
    Rust), first by id.
    """
    return _matching(view, kind, matching("key", f"{kind}\0{pattern}\0" + "000"))


def _matching(view: View, kind: Kind, query: Query) -> Iterator[Artifact]:
    return view.visible.artifacts_in(all_of([query, view.search.every(kind)]), IDS_COMPARED)


def by_beginning(view: View, kind: Kind, start: str) -> list[Artifact]:
    """The artifacts whose id begins with `start`, which may end with `…` as `short_id` gives it."""
    start = start.removesuffix("…")
    if not next(_cuts(start), None) or len(start) > MAX_CALLED:
        return []
    return list({key_of(artifact): artifact for artifact in _beginning(view, kind, start)}.values())


def with_short_beginning(view: View, kind: Kind, start: str) -> list[str]:
    """The ids that begin with `start`, where `by_beginning` would take more of them."""
    start = start.removesuffix("…")
    if not start or len(start.encode("utf-8", "replace")) > MAX_CALLED or any(_cuts(start)):
        return []
    ids = (artifact.id for artifact in _beginning(view, kind, start))
    return [artifact_id for artifact_id in ids if any(_cuts(artifact_id))]


def nearest(views: Sequence[View], kind: Kind, called: str) -> list[str]:
    """At most three ids of artifacts whose id, name or alias is most similar to what was called."""
    called, ids = called[:MAX_CALLED], dict[str, str]()
    for artifact in _candidates(views, kind, called):
        for name in names_of(artifact):
            ids.setdefault(name[:MAX_CALLED].casefold(), artifact.id)
    near = get_close_matches(called.casefold(), ids, 3 * NEAREST, NEAR)
    return list(dict.fromkeys(ids[name] for name in near))[:NEAREST]


def _candidates(views: Sequence[View], kind: Kind, called: str) -> Iterator[Artifact]:
    for view in views:
        yield from _matching(view, kind, nearly_query(kind, called))
        yield from (hit.artifact for hit in search([view], called, [kind], IDS_COMPARED // 10))
        yield from _with_id(view, kind, ".*")


def names_of(artifact: Artifact) -> Iterable[str]:
    """What an artifact is called: its id, and of an entity its name and aliases."""
    own = (artifact.name, *artifact.aliases) if isinstance(artifact, Entity) else ()
    return (artifact.id, *own)


def contradicting(view: View, claim: Claim) -> list[Claim]:
    """The claims that a claim contradicts, or that contradict it, by id."""
    others = {*claim.contradicts}
    if claim.status == "contested":
        citing = (other for other in view.visible.citing(claim.id) if isinstance(other, Claim))
        others |= {other.id for other in citing if claim.id in other.contradicts}
    claims = map(view.visible.claim, sorted(others))
    return [claim for claim in claims if claim is not None]


def successors(view: View, claim_id: str) -> list[str]:
    """The ids, sorted, of the claims that in the end supersede a claim, through a chain of
    supersedes, as far as the viewer may see them.
    """
    knowledge = view.knowledge
    waiting = [claim_id]
    seen = {*waiting}
    while waiting and len(seen) < MAX_STEPS:
        replacing = list(knowledge.superseding(waiting.pop(0)))
        claims = filter(None, map(knowledge.claim, replacing))
        if visible := sorted(claim.id for claim in claims if view.visible.sees(claim)):
            return visible
        for newer in replacing:
            if newer not in seen:
                seen.add(newer)
                waiting.append(newer)
    return []
