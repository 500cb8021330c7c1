"""What a model reads of a result."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.operations import OPERATIONS, perform

from tests.engine.bases import ask, base, engine_on
from tests.kb.samples import claim, entity
from tests.workspace.places import cite, repository, settled, write


def read(engine: Engine, name: str, **params: Any) -> list[str]:
    """The lines that an operation gives."""
    operation = OPERATIONS[name]
    return operation.readable(perform(engine, operation, params, Caller())).split("\n")


def test_an_entity_says_whom_to_ask_and_how_many_of_its_claims_are_shown(tmp_path: Path) -> None:
    files = {f"claims/c{n}.yaml": claim(f"c{n}", entities=["vault", "ada"]) for n in range(8)}
    files["entities/ada.yaml"] = entity("ada", name="Ada", type="person")
    files["entities/ops.yaml"] = entity("ops", name="Ops", type="team")
    files["relations/r.yaml"] = b"id: r\nsource: vault\nrelation: owned_by\ntarget: ops\n"
    engine = settled(base(tmp_path / "kb", files), tmp_path)
    lines = read(engine, "entity", id="vault")
    assert "ask: Ada (8 claims), Ops (owner)" in lines
    assert "9 live claims, the best first" in lines
    assert len([line for line in lines if line.startswith("- ")]) == 10  # with the relation
    assert "ask: Ada (8 claims), Ops (owner)" in read(engine, "experts", topic="the Key Vault")
    assert "no entity is of type persn; did you mean person?" in read(
        engine, "experts", topic="a", types=["persn"]
    )


def test_what_an_answer_had_to_do_without_is_said(tmp_path: Path) -> None:
    engine = settled(base(tmp_path / "kb", {"claims/broken.yaml": b"id: ["}), tmp_path)
    assert read(engine, "claim", id="rotation")[-1] == "(without all of it: files_skipped)"


def test_a_found_claim_says_that_it_went_stale(tmp_path: Path) -> None:
    """Also where its text is cut."""
    text = b"Relay drops it. " * 20
    root = repository(tmp_path / "repo", {"docs/a.md": text})
    cite(root, "drops", text.decode(), "docs/a.md", text, quote=text)
    (line, *_) = read(settled(root, tmp_path), "search", query="relay")
    assert line.startswith("- drops · claim · Relay drops it")
    write(root, {"docs/a.md": "Relay keeps it.\n"})
    engine = settled(root, tmp_path)
    (line, *_) = read(engine, "search", query="relay")
    assert "· (quote gone since, docs/a.md changed on " in line
    (hit, *_) = ask(engine, "search", query="relay")["hits"]
    assert hit["stale"].startswith("quote gone since, docs/a.md changed on ")


def test_with_several_knowledge_bases_each_line_says_of_which(tmp_path: Path) -> None:
    both = {"entities/vault.yaml": entity("vault", name="Key Vault", aliases=["kv"])}
    engine = engine_on(base(tmp_path / "blue", both), base(tmp_path / "red", both))
    engine.settle()
    assert "in blue" in read(engine, "claim", id="rotation")
    for called in ("vault", "Key Vault", "kv"):
        assert "in blue" in read(engine, "entity", id=called)
    rows = ask(engine, "experts", topic="Key Vault")["experts"]
    assert {row["collection"] for row in rows} == {"blue", "red"}
    lines = "\n".join(read(engine, "experts", topic="Key Vault"))
    assert re.search(r"^- vault .* blue · ", lines, re.MULTILINE)
    assert re.search(r"^- vault .* red · ", lines, re.MULTILINE)
    lines = "\n".join(read(engine, "search", query="Key Vault"))
    assert "- vault · entity · blue" in lines
    assert "- vault · entity · red" in lines
