"""Links claims to entities, and gives every artifact its visibility label. Both depend on other
artifacts, so one pass over all of them makes both anew after every change.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache, lru_cache, partial
from typing import Literal, NamedTuple

from vouch_sidecar.index.schema import NOBODY, label_of
from vouch_sidecar.kb.access import OPEN, gate_of, is_live, live_gate, needed_gates
from vouch_sidecar.kb.records import Artifact, Claim, Evidence, Key, Page, Relation
from vouch_sidecar.names.matcher import Names

LinkedBy = Literal["declared", "named", "page"]
Records = Mapping[Key, Artifact]
PagesByClaim = Mapping[str, list[tuple[Page, Callable[[], tuple[str, ...]]]]]
"""The pages by claim, each with what gives the ids of the entities that it is about."""


class LinkState(NamedTuple):
    """What other artifacts decide about one: its visibility label; for a claim, the entities that
    it is linked to, sorted, and how.
    """

    label: str
    entity_ids: tuple[str, ...] = ()
    how: LinkedBy = "named"


States = Mapping[Key, LinkState]


def _named(names: Names, claim: Claim, label: str) -> LinkState | None:
    """The state of a claim that declares or names entities; None for any other."""
    if declared := _existing(names, claim.entities):
        return LinkState(label, declared, "declared")
    mentions = names.find(claim.text)
    plain = (one.entity_id for one in mentions if not one.nested and not one.ambiguous)
    named = _existing(names, plain)
    return LinkState(label, named, "named") if named else None


def _about(names: Names, page: Page) -> tuple[str, ...]:
    """Ids of the entities that a page is about: its only entity, or those of several that its title
    names.
    """
    listed = _existing(names, page.entities)
    if len(set(page.entities)) < 2:
        return listed
    entities = filter(None, map(names.entity, listed))
    return _existing(names, (one.entity_id for one in Names(entities, names).find(page.title)))


def _existing(names: Names, entity_ids: Iterable[str]) -> tuple[str, ...]:
    """Those ids that an entity has, sorted."""
    return tuple(sorted({e for e in entity_ids if names.entity(e) is not None}))


def link_all(
    records: Records, names: Names, was: Records | None = None, then: States | None = None
) -> dict[Key, LinkState]:
    """The state of every artifact. `was` and `then` are the records and states before a change that
    changed no name.

    A claim is linked to the entities that it declares; if none of these exists, to those that its
    text names; if there are none, to those that the pages listing it are about, of those pages that
    all who see the claim may see. A relation is visible to those who see both of its ends, evidence
    to those who see its source and the claims that cite it. Where several artifacts share an id or
    cite the same, a viewer must see all of them, unless one is open.
    """
    pages, cited = cache(partial(_pages_by_claim, records, names)), _citations(records)
    states: dict[Key, LinkState] = {}
    was, then = was or {}, then or {}
    for key, artifact in records.items():
        before = then[key] if was.get(key) is artifact else None
        if isinstance(artifact, Relation | Evidence):
            citing = cited.get(artifact.id, {OPEN})
            states[key] = LinkState(_label(needed_gates(artifact, records, citing)))
        elif before is not None and before.how != "page":
            states[key] = before  # which no other artifact decides
        else:
            states[key] = _of_itself(artifact, names, pages)
    return states


def link_again(
    records: Records,
    names: Names,
    was: Records,
    then: States,
    differing: Collection[Key],
    *,
    is_renamed: bool,
) -> dict[Key, LinkState]:
    """The states that may differ after a change of some records; `is_renamed` tells whether it
    changed names. A claim that is in force for the same viewers as before, or for none, and that
    cites the same decides nothing about other artifacts.
    """
    if is_renamed:
        return link_all(records, names)
    changes = [(was.get(key), records.get(key)) for key in differing]
    if not all(decides_as_before(old, new) for old, new in changes):
        return link_all(records, names, was, then)
    pages = cache(partial(_pages_by_claim, records, names))
    return {key: _of_itself(records[key], names, pages) for key in differing}


def decides_as_before(old: Artifact | None, new: Artifact | None) -> bool:
    """Whether a change of a claim, as of its text, changes nothing about other artifacts."""
    return (
        isinstance(old, Claim)
        and isinstance(new, Claim)
        and live_gate(old) == live_gate(new)
        and old.evidence == new.evidence
    )


def _of_itself(artifact: Artifact, names: Names, pages: Callable[[], PagesByClaim]) -> LinkState:
    """The state of an artifact that is no relation and no evidence."""
    gate = live_gate(artifact)
    if gate is None:
        return GONE
    if not isinstance(artifact, Claim):
        return _of_gate(gate)
    linked = _named(names, artifact, _of_gate(gate).label)
    return linked or _by_pages(gate, artifact.id, pages())


GONE = LinkState(NOBODY)


@lru_cache(maxsize=1 << 8)
def _of_gate(gate: str) -> LinkState:
    return LinkState(label_of([gate]))


def _pages_by_claim(records: Records, names: Names) -> PagesByClaim:
    """The pages in force that list a claim, by its id."""
    pages = defaultdict[str, list[tuple[Page, Callable[[], tuple[str, ...]]]]](list)
    for page in records.values():
        if isinstance(page, Page) and is_live(page):
            about = cache(partial(_about, names, page))
            for claim_id in page.claims:
                pages[claim_id].append((page, about))
    return pages


def _citations(records: Records) -> Mapping[str, set[str | None]]:
    """By the id of what claims cite, the gates of those that do; None for one not in force."""
    cited = defaultdict[str, set[str | None]](set)
    for claim in records.values():
        if isinstance(claim, Claim):
            for ref in claim.evidence:
                cited[ref].add(live_gate(claim))
    return cited


def _by_pages(gate: str, claim_id: str, pages: PagesByClaim) -> LinkState:
    entity_ids = {
        entity_id
        for page, about in pages.get(claim_id, ())
        if gate_of(page) in (OPEN, gate)
        for entity_id in about()
    }
    return LinkState(_of_gate(gate).label, tuple(sorted(entity_ids)), "page")


def _label(needed: list[set[str]]) -> str:
    if not all(needed):
        return NOBODY
    return label_of(gate for gates in needed if OPEN not in gates for gate in gates)
