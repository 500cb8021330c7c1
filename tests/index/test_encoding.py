"""What is put together for the index comes apart as it was."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from vouch_sidecar.index.encoding import (
    MAX_STEM,
    CountedEntity,
    DocumentKey,
    StemPlace,
    label_of,
    labels_for,
    placed_stem,
)
from vouch_sidecar.kb.access import OPEN

GATES = st.frozensets(st.text(min_size=1).map("project:{}".format), max_size=2)
IDS = st.text(alphabet=st.characters(exclude_characters="\0"))


@given(gates=GATES, entity_id=IDS)
def test_an_entity_that_a_claim_counts_for(gates: frozenset[str], entity_id: str) -> None:
    counted = CountedEntity(label_of(gates), entity_id)
    assert CountedEntity.decode(counted.encode()) == counted


@given(gates=GATES, stem=st.text(max_size=MAX_STEM))
def test_a_stem_and_its_place(gates: frozenset[str], stem: str) -> None:
    place = StemPlace("claim", label_of(gates))
    assert StemPlace.decode(place.encode()) == place
    placed, _, bare = placed_stem(place.encode(), stem).partition(":")
    assert (placed, bare) == (place.encode(), stem)


@given(artifact_id=IDS, section=st.integers(0, 999))
def test_the_key_of_a_document(artifact_id: str, section: int) -> None:
    key = DocumentKey("page", artifact_id, section)
    assert DocumentKey.decode(key.encode()) == key


@given(gates=GATES)
def test_a_label_is_one_of_those_for_its_gates(gates: frozenset[str]) -> None:
    label = label_of(gates | {OPEN})
    assert (label == OPEN) == (not gates)
    assert label in labels_for(gates)
