"""What is said to an agent: chosen from what a text or a window names, never twice by itself."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

from vouch_sidecar.engine.served import Speaker, persona_of
from vouch_sidecar.engine.sessions import Session
from vouch_sidecar.kb.records import Claim, Kind, Page, Relation, key_of
from vouch_sidecar.retrieval.block import Hit, render
from vouch_sidecar.retrieval.constants import VOLUNTEERED
from vouch_sidecar.retrieval.context import (
    Tiers,
    adjacent_hits,
    each_once,
    lines_for,
    tiers,
    whom_to_ask,
)
from vouch_sidecar.retrieval.probe import Probe
from vouch_sidecar.retrieval.salience import (
    Salient,
    speaking_order,
    strength_of,
    worth_volunteering,
)


@dataclass(frozen=True, slots=True)
class Speech:
    """A block and what it is made of; everything is empty when there is nothing to say."""

    text: str = ""
    hits: tuple[Hit, ...] = ()
    primary: str | None = None
    supplemental: tuple[str, ...] = ()


def spoken_before(
    served: Sequence[Speaker], session: Session, text: str
) -> frozenset[tuple[Hashable, str]]:
    """The entities that a text names and that the session was given as they are: `View.identity`
    and id of each.
    """
    rows = (row for one in served for row in worth_volunteering([one.view], [text]))
    known = (row for row in rows if _given_state(session, row) == _state(row))
    return frozenset((row.view.identity, row.entity.id) for row in known)


def speak_of(
    served: Sequence[Speaker],
    texts: Sequence[str] | None,
    *,
    session: Session | None = None,
    max_chars: int | None = None,
    repeat: bool = True,
    adjacent: bool = False,
    probed: Probe | None = None,
    tied: Sequence[Hit] = (),
) -> Speech:
    """Context for texts, newest first, or else for the session's window; `probed` adds what full
    text found for them, and says which knowledge base they are about. `tied` are claims tied to the
    file that the texts come from.

    With `repeat` false, what the session was given stays out unless it changed since, and what is
    said now is kept as given. Of an entity that was given before, a text brings in what it asks
    next.
    """
    rows: list[Salient] = []
    for one in served:
        recall = one.settings.recall
        if recall.enabled:
            threshold = strength_of(recall.similarity_threshold)
            heard = _heard(one, session) if texts is None else texts
            rows += worth_volunteering([one.view], heard, threshold)
    rows.sort(key=speaking_order)
    more = _found(served, probed) if probed is not None else []
    if session is not None and not repeat:
        before = [row for row in rows if _given_state(session, row) == _state(row)]
        rows = [row for row in rows if _given_state(session, row) != _state(row)]
        if texts is not None:
            again = session.asked == list(texts)  # who repeats a prompt asks for nothing else
            whom = [hit for row in before for hit in whom_to_ask(row, " ".join(texts))]
            more = [] if again else [*whom, *more]
            session.asked = list(texts)
    more = [*_allowed(served, tied), *more]
    given = _given(session, repeat)
    if texts is None:
        texts = session.newest_first() if session is not None else []
    leads = probed.primary if probed is not None else None
    speech = say(served, rows, " ".join(texts), max_chars, adjacent, given, more, leads)
    if session is not None and not repeat:
        _remember(session, rows, speech)
    return speech


def _heard(one: Speaker, session: Session | None) -> list[str]:
    return [] if session is None else one.window(session)


def say(
    served: Sequence[Speaker],
    rows: Sequence[Salient],
    text: str,
    max_chars: int | None = None,
    adjacent: bool = False,
    given: frozenset[object] = frozenset(),
    more: Sequence[Hit] = (),
    leads: str | None = None,
) -> Speech:
    """A block about entities, then about `more`. `given` holds the keys, with state, of what stays
    out; the collection `leads` is primary where it has something to say.
    """
    recalls = {one.view.collection: one.settings.recall for one in served}
    about = {row.view.collection for row in rows} | {hit.view.collection for hit in more}
    if not about:
        return Speech()
    limit = max(recalls[collection].max_results for collection in about)
    hits = lines_for(rows, text, more, limit + len(given))
    hits = [hit for hit in hits if _state_of(hit) not in given]
    hits = _at_most(hits, {name: recall.max_results for name, recall in recalls.items()})[:limit]
    if adjacent:
        hits += [hit for hit in adjacent_hits(hits) if _state_of(hit) not in given]
    chosen = _led_by(leads, tiers(text, hits, [one.view.collection for one in served]))
    budget = max_chars or max(recalls[collection].max_context_chars for collection in about)
    key_facts = {name for name, recall in recalls.items() if recall.include_key_facts}
    persona = persona_of(served, chosen.primary)
    block, said = render(hits, chosen.primary, budget, key_facts, persona)
    if not said:
        return Speech()
    present = {hit.view.collection for hit in said}
    return Speech(
        block, tuple(said), chosen.primary, tuple(c for c in chosen.supplemental if c in present)
    )


def _led_by(leads: str | None, found: Tiers) -> Tiers:
    """Lines say less than a probe does: what two names bring in may be one claim."""
    if leads is None or leads not in found.supplemental:
        return found
    others = (found.primary, *found.supplemental)
    return Tiers(leads, tuple(c for c in others if c is not None and c != leads))


def _at_most(hits: Sequence[Hit], limits: Mapping[str, int]) -> list[Hit]:
    """The first hits of each collection, as many as it lets be said."""
    left = dict(limits)
    kept = []
    for hit in hits:
        left[hit.view.collection] -= 1
        if left[hit.view.collection] >= 0:
            kept.append(hit)
    return kept


def _found(served: Sequence[Speaker], probed: Probe) -> list[Hit]:
    """What answers a text, as far as each knowledge base's config lets it be said."""
    recalls = {one.view.collection: one.settings.recall for one in served}
    found = each_once(probed.answers)
    return _allowed(served, [h for h in found if recalls[h.view.collection].fallback_to_fts])


def _allowed(served: Sequence[Speaker], hits: Sequence[Hit]) -> list[Hit]:
    """The claims, pages, relations and people to ask that the config of their collection allows."""
    recalls = {one.view.collection: one.settings.recall for one in served}
    return [
        hit
        for hit in hits
        if (isinstance(hit.artifact, Claim | Page | Relation) or hit.to_ask)
        and recalls[hit.view.collection].enabled
        and hit.similarity >= recalls[hit.view.collection].similarity_threshold
    ]


def fresh(served: Sequence[Speaker], session: Session, now: float) -> list[Salient]:
    """What the newest text brings in strongly enough to be pushed, and never was in this session.

    `now` is on the sessions' clock. What is returned counts as pushed.
    """
    found: list[Salient] = []
    for one in served:
        volunteer = one.settings.volunteer
        if (
            not one.settings.reflex.enabled
            or not volunteer.enabled
            or _throttled(session, one.view.identity, volunteer.throttle_seconds, now)
        ):
            continue
        threshold = VOLUNTEERED if volunteer.threshold is None else volunteer.threshold
        rows = worth_volunteering([one.view], one.window(session)[:1], threshold)
        rows = [r for r in rows if (r.view.identity, r.entity.id) not in session.pushed]
        left = one.settings.reflex.top_k
        if volunteer.max_per_session is not None:
            pushed = sum(collection == one.view.identity for collection, _ in session.pushed)
            left = min(left, volunteer.max_per_session - pushed)
        found += _first(session, one.view.identity, rows, max(0, left))
    for row in found:
        session.pushed.add((row.view.identity, row.entity.id))
        session.last_push_at[row.view.identity] = now
    return found


def _first(
    session: Session, collection: Hashable, rows: Sequence[Salient], most: int
) -> Sequence[Salient]:
    """The first rows; the others are passed over for as long as the newest slot names them."""
    slot = session.newest()
    if slot is None:
        return []
    known, before = session.passed_over.get(collection, (slot, frozenset()))
    if not slot.continues(known):
        before = frozenset()
    again = before.intersection(row.entity.id for row in rows)
    rows = [row for row in rows if row.entity.id not in again]
    session.passed_over[collection] = slot, again.union(row.entity.id for row in rows[most:])
    return rows[:most]


def held_back(served: Sequence[Speaker], session: Session, now: float) -> bool:
    """Whether a throttle keeps back what would be `fresh`."""
    return any(
        _throttled(session, one.view.identity, one.settings.volunteer.throttle_seconds, now)
        for one in served
    )


def _throttled(session: Session, collection: Hashable, seconds: float | None, now: float) -> bool:
    last = session.last_push_at.get(collection)
    return seconds is not None and last is not None and now - last < seconds


def _state(row: Salient) -> int:
    """How an entity stands: changes when one of its claims or pages does."""
    claims = row.view.claims_mark(row.entity.id)
    pages = row.view.pages_about((Kind.ENTITY, row.entity.id))
    return hash((row.entity, claims, *pages))


def _state_of(hit: Hit) -> tuple[object, ...]:
    return (hit.view.identity, *key_of(hit.artifact), hash(hit.artifact), hit.section, hit.to_ask)


def _given_state(session: Session, row: Salient) -> object:
    return session.given.get((row.view.identity, Kind.ENTITY, row.entity.id))


def _given(session: Session | None, repeat: bool) -> frozenset[object]:
    if session is None or repeat:
        return frozenset()
    return frozenset(v for v in list(session.given.values()) if isinstance(v, tuple))


def _remember(session: Session, rows: Sequence[Salient], speech: Speech) -> None:
    said = {(hit.view.identity, hit.entity_id) for hit in speech.hits}
    for row in rows:
        if (row.view.identity, row.entity.id) in said:
            session.given[row.view.identity, Kind.ENTITY, row.entity.id] = _state(row)
    cited = (replace(hit, artifact=c) for hit in speech.hits for c in hit.cited)
    for hit in cited:
        kind, artifact_id = key_of(hit.artifact)
        whole = hit.section is None and not hit.to_ask
        told = artifact_id if whole else f"{artifact_id}#{hit.to_ask or hit.section}"
        session.given[hit.view.identity, kind, told] = _state_of(hit)
