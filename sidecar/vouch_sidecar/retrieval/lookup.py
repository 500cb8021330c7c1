"""Artifacts by what people call them: an id in whatever case, a name, something near."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches

from vouch_sidecar.index.query import matching, nearly_query, spelled
from vouch_sidecar.kb.records import Artifact, Entity, Kind
from vouch_sidecar.retrieval.search import search
from vouch_sidecar.retrieval.view import View

MAX_CALLED = 256
"""Characters of a name or an id that are compared."""
LOOKED_AT = 500
"""Ids that are compared with the one asked for, beside those that full text finds."""
NEAREST = 3
NEAR = 0.3
"""The least similarity, by difflib's measure."""
MAX_STEPS = 100
"""Claims that are followed from a superseded claim to the one that stands for it."""


def by_name(view: View, kind: Kind, called: str) -> list[Artifact]:
    """The artifacts with this id, in any case; else the entities with this name or alias."""
    if len(called) > MAX_CALLED:
        return []
    key = matching("key", f"{kind}\0{spelled(called, any_case=True)}\0" + "000")
    if found := list(view.found(key, LOOKED_AT)):
        return found
    ids = view.called(called) if kind is Kind.ENTITY else []
    entities = (view.entity(one) for one in ids)
    return [one for one in entities if one is not None]


def nearest(views: Sequence[View], kind: Kind, called: str) -> list[str]:
    """The ids of the artifacts whose id, name or alias is most like this, at most three."""
    called, ids = called[:MAX_CALLED], dict[str, str]()
    for artifact in _candidates(views, kind, called):
        for name in names_of(artifact):
            ids.setdefault(name[:MAX_CALLED].casefold(), artifact.id)
    near = get_close_matches(called.casefold(), ids, 3 * NEAREST, NEAR)
    return list(dict.fromkeys(ids[name] for name in near))[:NEAREST]


def _candidates(views: Sequence[View], kind: Kind, called: str) -> Iterator[Artifact]:
    for view in views:
        yield from view.found(nearly_query(kind, called), LOOKED_AT)
        yield from (found.artifact for found in search([view], called, [kind], LOOKED_AT // 10))
        yield from view.found(matching("key", f"{kind}\0.*"), LOOKED_AT)


def names_of(artifact: Artifact) -> Iterable[str]:
    """What an artifact is called: its id, and of an entity its name and aliases."""
    own = (artifact.name, *artifact.aliases) if isinstance(artifact, Entity) else ()
    return (artifact.id, *own)


def successor(view: View, claim_id: str) -> str | None:
    """The id of the claim that supersedes a claim in the end; None if the viewer may not see it."""
    waiting, seen = [claim_id], {claim_id}
    while waiting and len(seen) < MAX_STEPS:
        for newer in view.knowledge.superseding(waiting.pop(0)):
            if view.claim(newer) is not None:
                return newer
            if newer not in seen:
                seen.add(newer)
                waiting.append(newer)
    return None
