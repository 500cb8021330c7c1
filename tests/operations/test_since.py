"""What is asked about since a time: claims that were confirmed or updated later."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from vouch_sidecar.engine import Engine
from vouch_sidecar.operations import InvalidParamsError

from tests.engine.bases import ask, engine_on, write
from tests.kb.samples import claim, entity, make_kb

OLD, NEW = "2026-01-05T00:00:00Z", "2026-06-05T00:00:00Z"


@pytest.fixture
def served(tmp_path: Path) -> Engine:
    make_kb(tmp_path)
    write(tmp_path, "entities/relay.yaml", entity("relay", name="Mail Relay"))
    for name, at in (("old", OLD), ("new", NEW), ("undated", None)):
        text = f"The Mail Relay parks bounces in the {name} buffer."
        record = claim(name, text=text, entities=["relay"], updated_at=at)
        write(tmp_path, f"claims/{name}.yaml", record)
    return engine_on(tmp_path)


def ids(found: Any) -> set[str]:
    return {row["id"] for row in found}


def test_only_what_is_newer_is_searched_said_and_counted(served: Engine) -> None:
    text = "where does the Mail Relay park bounces?"
    assert ids(ask(served, "search", query="bounces buffer")["hits"]) >= {"old", "new"}
    assert ids(ask(served, "context", task=text)["items"]) >= {"new", "old"}
    for since in ("2026-03-01", "200d"):
        found = ask(served, "search", query="bounces buffer", since=since)
        assert ids(found["hits"]) == {"new"}
        assert ids(ask(served, "context", task=text, since=since)["items"]) == {"new"}
        (row,) = ask(served, "experts", topic="bounces", since=since)["experts"]
        assert (row["claim_count"], row["top_claim_ids"]) == (1, ["new"])


def test_a_blank_search_lists_what_is_newer_best_first(served: Engine, tmp_path: Path) -> None:
    sure = claim("sure", text="The Mail Relay is sure.", confidence=0.99, updated_at=NEW)
    write(tmp_path, "claims/sure.yaml", sure)
    private = {"visibility": "private", "agent": "ada"}
    write(tmp_path, "claims/hers.yaml", claim("hers", text="It is.", scope=private, updated_at=NEW))
    served.load()
    found = ask(served, "search", query=" ", since="2026-03-01")["hits"]
    assert [hit["id"] for hit in found] == ["sure", "new"]
    assert [hit["snippet"] for hit in found][:1] == ["The Mail Relay is sure."]
    assert len(ask(served, "search", query="", since="2026-03-01", limit=1)["hits"]) == 1
    assert ask(served, "search", query="", since="2026-03-01", kinds=["page"])["hits"] == []


def test_what_is_no_time_is_said(served: Engine) -> None:
    for since in ("yesterday", "7", "-1d", "2026-13-01", "0d", "7d7d"):
        with pytest.raises(InvalidParamsError, match="must be an ISO date"):
            ask(served, "search", query="bounces", since=since)
