"""Knowledge bases of one file, written out as vouch has them."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from benchmarks.quality.sets import FITTED, KEPT_BACK, KnowledgeBase, read_base
from benchmarks.quality.world import PLAIN, write, written

NAMES = ("bakery", "laboratory", "studio", "heating", *FITTED, *KEPT_BACK)


@pytest.mark.parametrize("name", NAMES)
def test_all_of_it_is_read(name: str) -> None:
    base = read_base(name)
    with written(base) as world:
        (root,) = world.ask("status")["roots"]
    assert root["problems"] == []
    assert root["collection"] == base.config.get("kb", {}).get("name", name)
    assert root["counts"]["entities"] == len(base.entities)
    assert root["counts"]["pages"] == len(base.pages)
    assert root["counts"]["evidence"] == len(base.evidence)


def test_what_a_record_leaves_out_is_as_in_most(tmp_path: Path) -> None:
    base = KnowledgeBase(
        name="quay",
        defaults={"claims": {"status": "working", "tags": ["tide"]}},
        claims=({"id": "low", "text": "Low."}, {"id": "high", "text": "High.", "tags": []}),
        sources=({"id": "log", "type": "file", "content": "Tide: 3 m\n"},),
        pages=({"id": "tides", "title": "Tides", "text": "# Tides\n\nTwo a day.\n"},),
    )
    write(tmp_path, base)
    folder = tmp_path / ".vouch"
    low, high = (yaml.safe_load((folder / f"claims/{i}.yaml").read_text()) for i in ("low", "high"))
    assert low == PLAIN["claims"] | {
        "id": "low",
        "text": "Low.",
        "status": "working",
        "tags": ["tide"],
    }
    assert high == low | {"id": "high", "text": "High.", "tags": []}
    assert (folder / "sources/log/content").read_text() == "Tide: 3 m\n"
    assert yaml.safe_load((folder / "sources/log/meta.yaml").read_text()) == {
        "id": "log",
        "type": "file",
    }
    _, front, body = (folder / "pages/tides.md").read_text().split("---\n")
    assert yaml.safe_load(front) == PLAIN["pages"] | {"id": "tides", "title": "Tides"}
    assert body == "# Tides\n\nTwo a day.\n"
