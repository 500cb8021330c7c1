"""Knowledge as plain values, and back without building anything anew.

What comes back makes of them what it is asked for, when it is asked for it, and can be changed.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from marshal import dumps
from typing import Any

from pyroaring import BitMap
from vouch_sidecar.index.frozen_names import freeze_names, thaw_names
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.index.lazy import Lazy, plain
from vouch_sidecar.index.order import Order
from vouch_sidecar.index.packed import BLOCK, BY, NO_LINKS, NOBODY, Links, Packed, numbers_in
from vouch_sidecar.index.rows import encoded
from vouch_sidecar.index.search import Search
from vouch_sidecar.kb.records import Kind

__all__ = ["Frozen", "freeze", "frozen_parts", "in_blocks", "thaw"]

Frozen = dict[str, Any]
"""By name: mappings of plain values, and bytes."""
_INDEXES = ("pages_by_claim", "pages_by_entity", "relations_by_end")


def freeze(knowledge: Knowledge) -> Frozen:
    """Everything that is known, out of values that `marshal` takes."""
    frozen: Frozen = {}
    for name, part in frozen_parts(knowledge):
        if isinstance(part, dict):
            frozen.setdefault(name, {}).update(part)
        else:
            frozen[name] = part
    return frozen


def frozen_parts(knowledge: Knowledge) -> Iterator[tuple[str, Any]]:
    """What `freeze` gives, part by part.

    In another thread than the one that changes it, this may raise anything and counts only if
    `knowledge.changes` is the same before and after.
    """
    for name, entries in _mappings(knowledge):
        yield from in_blocks(name, entries)
    yield from _frozen_rows(knowledge)
    yield from _frozen_links(knowledge).items()
    yield "strays", knowledge.order.strays.serialize()


def in_blocks(name: str, entries: Iterator[tuple[Any, Any]]) -> Iterator[tuple[str, Frozen]]:
    """A mapping, some entries at a time: all of them would take as much memory again."""
    some = dict(islice(entries, BLOCK))
    yield name, some
    while some := dict(islice(entries, BLOCK)):
        yield name, some


def _mappings(knowledge: Knowledge) -> Iterator[tuple[str, Iterator[tuple[Any, Any]]]]:
    """What is kept as mappings, with the entries of each."""
    search = knowledge.search
    keys = enumerate(knowledge.by_key)
    yield "keys", (((str(kind), name), number) for number, (kind, name) in keys)
    yield from freeze_names(knowledge.names).items()
    yield "titles", iter(search.titles.items())
    yield "last", ((str(kind), last) for kind, last in knowledge.order.last.items())
    yield "counting", plain(knowledge.counted, _gates_as_bytes)
    yield "gated", iter(knowledge.gated.items())
    yield "declaring", plain(knowledge.declared_by, lambda ids: _claims_as_bytes(knowledge, ids))
    yield "totals", (((str(k), gate), n) for (k, gate), n in search.totals.items() if n)
    yield "lengths", (((str(k), gate), n) for (k, gate), n in search.lengths.items() if n)
    for name in _INDEXES:
        yield name, plain(getattr(knowledge, name), tuple)
    for (kind, gate), held in search.postings.held.items():
        yield f"postings {kind} {gate}", plain(held, BitMap.serialize)


def _frozen_rows(knowledge: Knowledge) -> Iterator[tuple[str, Any]]:
    """The artifacts, block by block of rows, and whose each ordinal is."""
    artifacts, documents = knowledge.by_key, knowledge.documents
    rows, ends = bytearray(), array("I")
    firsts, owners = array("I"), array("I")
    for number, key in enumerate(artifacts):
        row, span = artifacts.raw_of(key), documents.raw_of(key)
        rows += dumps(encoded(artifacts[key])) if row is None else row
        if span is None:
            held = documents[key]
            span = range(held[0].ordinal, held[-1].ordinal + 1) if held else range(0)
        ends.append(len(rows))
        firsts.append(span.start)
        owners.extend([NOBODY] * (span.stop - len(owners)))
        for ordinal in span:
            owners[ordinal] = number
        if len(ends) % BLOCK == 0:
            yield f"rows {number // BLOCK}", bytes(rows)
            rows.clear()
    yield f"rows {len(ends) // BLOCK}", bytes(rows)
    yield "ends", ends.tobytes()
    yield "firsts", firsts.tobytes()
    yield "owners", owners.tobytes()


def _frozen_links(knowledge: Knowledge) -> Frozen:
    """Per ordinal, the entities that a claim counts for, as numbers, and why."""
    numbers: dict[str, int] = {}
    ends, ids, by = array("I"), array("I"), bytearray()
    for ordinal in range(max(knowledge.refs, default=-1) + 1):
        links = _links(knowledge, ordinal)
        ids.extend(numbers.setdefault(entity, len(numbers)) for entity in links.entity_ids)
        ends.append(len(ids))
        by.append(BY.index(links.by))
    return {
        "linked entities": dict(enumerate(numbers)),
        "link ends": ends.tobytes(),
        "link ids": ids.tobytes(),
        "linked by": bytes(by),
    }


def _links(knowledge: Knowledge, ordinal: int) -> Links:
    """What a claim counts for; nothing that was packed is kept because of it."""
    linked = knowledge.linked
    if (made := linked.made(ordinal)) is not None:
        return made
    return NO_LINKS if linked.raw_of(ordinal) is None else knowledge.packed.links(ordinal)


def _gates_as_bytes(by_gate: Mapping[str, BitMap]) -> dict[str, bytes]:
    return {gate: ordinals.serialize() for gate, ordinals in by_gate.items()}


def _claims_as_bytes(knowledge: Knowledge, claim_ids: set[str]) -> bytes:
    documents = knowledge.documents
    keys = ((Kind.CLAIM, claim_id) for claim_id in sorted(claim_ids))
    spans = ((documents.raw_of(key), key) for key in keys)
    return array("I", [s.start if s else documents[k][0].ordinal for s, k in spans]).tobytes()


def thaw(frozen: Frozen, packed: Packed | None = None) -> Knowledge:
    """Knowledge as it was frozen; `packed` is what was packed of it, where that is at hand."""
    packed = packed or Packed.of(frozen)
    search = Search()
    search.titles = dict(frozen["titles"])
    search.totals = Counter(frozen["totals"])
    search.lengths = Counter(frozen["lengths"])
    for kind, gate in frozen["totals"]:
        search.postings.held[kind, gate] = Lazy(
            frozen.get(f"postings {kind} {gate}", {}),
            lambda _, data: BitMap.deserialize(data),
            BitMap,
        )
    knowledge = Knowledge(search, packed)
    knowledge.gated = dict(frozen["gated"])
    knowledge.order = Order(BitMap.deserialize(frozen["strays"]), dict(frozen["last"]))
    knowledge.gates |= {gate for _, gate in frozen["totals"]}
    knowledge.counted = Lazy(frozen["counting"], lambda _, gates: _ordinals(gates), dict)
    knowledge.declared_by = Lazy(
        frozen["declaring"],
        lambda _, data: set(map(packed.id_at, numbers_in(data))),
        set,
    )
    for name in _INDEXES:
        setattr(knowledge, name, Lazy(frozen[name], lambda _, ids: set(ids), set))
    knowledge.names = thaw_names(frozen, packed.entity)
    return knowledge


def _ordinals(by_gate: Mapping[str, bytes]) -> dict[str, BitMap]:
    return {gate: BitMap.deserialize(data) for gate, data in by_gate.items()}
