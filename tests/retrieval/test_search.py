"""Plain search: order, limits, kinds, snippets; and what is found while somebody types."""

from dataclasses import replace

import pytest
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.kb.records import Kind, Scope, key_of
from vouch_sidecar.retrieval.lookup import prefix_search
from vouch_sidecar.retrieval.search import MAX_WORDS, SEARCHED, search, snippet
from vouch_sidecar.retrieval.view import View

from tests.retrieval.samples import ADA, after, claim, entity, knowledge_of, page, relation, view

FULL = view(
    entity("vault", "Vault", description="Keeps keys."),
    claim("keys", "Keys rotate weekly."),
    claim("bounces", "Bounces are parked."),
    page("life", "Life of keys", body="# Start\n\nNothing.\n\n# End\n\nKeys expire, keys go.\n"),
    relation("r", "vault", "keys"),
)


def found(query: str, *kinds: Kind, exclude: tuple[str, ...] = ()) -> list[str]:
    return [hit.artifact.id for hit in search([FULL], query, kinds or SEARCHED, 10, exclude)]


def test_every_kind_is_found_and_can_be_asked_for() -> None:
    assert set(found("key")) == {"vault", "keys", "life", "r"}
    assert found("keys", Kind.ENTITY) == ["vault"]
    assert found("keys", Kind.ENTITY, Kind.ENTITY) == ["vault"]
    assert found("keys", exclude=("life", "keys")) == ["r", "vault"]
    assert found("the of") == found("?!") == found("nowhere") == []
    (hit,) = search([FULL], "keys", [Kind.PAGE], 10)  # a page is found by its best section
    assert (hit.section, hit.text) == (1, "# End\n\nKeys expire, keys go.\n")
    several = [view(claim("b", "keys"), claim("a", "keys"), collection=c) for c in ("z", "m")]
    hits = search(several, "keys", SEARCHED, 10)
    assert [h.artifact.id + h.view.collection for h in hits] == ["am", "az", "bm", "bz"]


def test_an_identifier_is_not_found_by_a_part_of_it() -> None:
    seen = view(
        claim("limit", "RETRY_LIMIT is 5."),
        claim("words", "Retry, up to a limit."),
        claim("no", "A retry."),
    )
    found = [hit.artifact.id for hit in search([seen], "RETRY_LIMIT", SEARCHED, 10)]
    assert sorted(found) == ["limit", "words"]
    assert search([seen], "RETRY_LIMIT_MS", SEARCHED, 10) == []
    assert len(search([seen], "retry limit ms", SEARCHED, 10)) == 3


def test_what_the_query_is_a_name_of_comes_first() -> None:
    seen = view(
        entity("relay", "Relay", aliases=("way in",), description="Validates and appends."),
        entity("team", "Dispatch team", description="Relay, Relay, Relay, Relay, Relay."),
        claim("c", "Relay, Relay."),
        relation("relay", "relay", "relay"),
    )
    for query in ("Relay", "relay", "Way in"):
        for limit in (1, 2, 10):
            first, *others = search([seen], query, SEARCHED, limit)
            assert key_of(first.artifact) == (Kind.ENTITY, "relay")
            assert (Kind.ENTITY, "relay") not in {key_of(o.artifact) for o in others}
            assert len(others) < limit
    assert search([seen], "relay", [Kind.CLAIM], 1)[0].artifact.id == "c"
    assert search([seen], "relay", [Kind.ENTITY], 1, ("relay",))[0].artifact.id == "team"


def test_of_texts_that_hold_the_same_words_the_shorter_one_comes_first() -> None:
    seen = view(claim("a", "Keys rotate whenever somebody leaves us."), claim("b", "Keys rotate."))
    assert [hit.artifact.id for hit in search([seen], "keys", SEARCHED, 10)] == ["b", "a"]


def test_a_very_long_query_is_read_from_its_beginning() -> None:
    words = " ".join(f"word{i}" for i in range(MAX_WORDS))
    assert found(f"keys {words}")[0] in ("keys", "life")
    assert found(f"{words} keys") == []


def test_a_snippet_is_one_line_around_the_first_word_found() -> None:
    text = "x " * 200 + "the\nkey\x1b[31m fact " + "y " * 200
    cut = snippet(text, "keys")
    assert "the key fact" in cut
    assert len(cut) <= 200
    assert cut.startswith("…")
    assert cut.endswith("…")
    assert snippet("a\nb", "b") == "a b"
    assert "key" in snippet("x " * 40_000 + "key y", "keys")
    assert snippet("x " * 200, "nowhere").startswith("x x")


def test_what_is_new_is_found_where_its_words_are_common_among_what_is_new() -> None:
    texts = [f"The tide of harbour {i} turns at noon" for i in range(150)]
    texts += [f"Ferry {i} leaves at noon" for i in range(600)]
    known = knowledge_of([claim(f"c{i:03}", text) for i, text in enumerate(texts)])
    new = [claim(f"n{i:02}", f"The tide of channel {i} turns late") for i in range(40)]
    new.append(claim("springs", "Tide, tide, tide."))
    (first, *_) = search([View("kb", after(known, *new), Viewer().gates)], "tide", [Kind.CLAIM], 10)
    assert first.artifact.id == "springs"


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
def test_what_is_found_while_somebody_types(typed: str, found: list[str]) -> None:
    here = view(
        claim("batch_size-is-limited", "Batches are small."),
        claim("retry-batch", "Batches are sent again."),
        claim("batch-of-ada", "Hers.", scope=Scope("private", agent="ada")),
        entity("batcher", "Batch Size Chooser", aliases=("chooser_9",)),
    )
    matches = prefix_search(here, typed, [Kind.ENTITY, Kind.CLAIM], 5)
    assert [artifact.id for _, artifact in matches] == found
    assert len(prefix_search(replace(here, gates=ADA.gates), "batch", [Kind.CLAIM], 5)) == 3
