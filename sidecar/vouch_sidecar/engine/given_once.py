"""What a session was given before: it is given once, and again only when it changed."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from vouch_sidecar.engine.callers import Served
from vouch_sidecar.engine.session import GivenKey, Session
from vouch_sidecar.kb.records import Kind
from vouch_sidecar.retrieval.blocks.context import ContextBlock
from vouch_sidecar.retrieval.salience import Salient, volunteered_by


def given_entities(
    served: Sequence[Served], session: Session, text: str
) -> frozenset[tuple[Hashable, str]]:
    """The entities named by a text that the session was already given and that have not changed
    since: pairs of `View.identity` and entity id.
    """
    rows = (row for kb in served for row in volunteered_by([kb.view], [text]))
    return frozenset((row.view.identity, row.entity.id) for row in rows if was_given(session, row))


def was_given(session: Session, row: Salient) -> bool:
    """Whether the session was given an entity, and neither it nor its claims and pages changed."""
    given = session.given.get((row.view.identity, Kind.ENTITY, row.entity.id))
    return given == _entity_state(row)


def given_by(block: ContextBlock, rows: Sequence[Salient]) -> Iterator[tuple[GivenKey, Hashable]]:
    """What a block gives, each with its state: its entities among `rows`, and what its lines
    cite.
    """
    given_now = {(hit.view.identity, hit.entity_id) for hit in block.hits}
    for row in rows:
        if (row.view.identity, row.entity.id) in given_now:
            yield (row.view.identity, Kind.ENTITY, row.entity.id), _entity_state(row)
    for hit in block.hits:
        for cited in hit.cited:
            yield hit.identity_of(cited), hit.state_of(cited)


def _entity_state(row: Salient) -> int:
    """A hash that changes with the entity, its claims or its pages."""
    view, entity_id = row.view, row.entity.id
    ids = sorted(view.search.ids(view.search.claims_of([entity_id])))
    pages = view.visible.pages_about((Kind.ENTITY, entity_id))
    return hash((row.entity, *map(view.knowledge.claim, ids), *pages))
