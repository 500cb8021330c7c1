"""What is found while somebody types."""

from __future__ import annotations

from dataclasses import replace

import pytest
from vouch_sidecar.kb.records import Kind
from vouch_sidecar.retrieval.prefix_search import prefix_search

from tests.retrieval.samples import ADA, PRIVATE, claim, entity, view

HERE = view(
    claim("batch_size-is-limited", "Batches are small."),
    claim("retry-batch", "Batches are sent again."),
    claim("batch-of-ada", "Hers.", scope=PRIVATE),
    entity("batcher", "Batch Size Chooser", aliases=("chooser_9",)),
)


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("batch_size", ["batch_size-is-limited"]),
        ("BATCH_SIZE-IS", ["batch_size-is-limited"]),
        ("retry ba", ["retry-batch"]),
        ("size ch", ["batcher"]),
        ("chooser_9", ["batcher"]),
        ("batch", ["batch_size-is-limited", "batcher", "retry-batch"]),
        ("", ["batch_size-is-limited", "batcher", "retry-batch"]),
    ],
)
def test_an_id_and_a_name_are_found_as_they_are_written(typed: str, found: list[str]) -> None:
    matches = prefix_search(HERE, typed, [Kind.ENTITY, Kind.CLAIM], 5)
    assert [artifact.id for _, artifact in matches] == found
    hers = replace(HERE, gates=ADA.gates)
    assert len(prefix_search(hers, "batch", [Kind.CLAIM], 5)) == 3
