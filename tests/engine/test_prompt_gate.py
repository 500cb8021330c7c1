"""What the gate refuses is in nothing that is told unasked, and hides nothing else of it."""

from __future__ import annotations

import json
import shutil
from collections import defaultdict
from collections.abc import Mapping, Set
from pathlib import Path

import pytest
from vouch_sidecar.engine import Caller, Engine, Pushes
from vouch_sidecar.kb.records import Claim
from vouch_sidecar.retrieval import gate
from vouch_sidecar.retrieval.blocks.session_brief import brief
from vouch_sidecar.retrieval.blocks.touched_files import Touched, hits_to_tell

from tests.engine.bases import ask, pushed
from tests.workspace.places import cite, repository, settled

ROOT = Path(__file__).resolve().parents[2]
PROMPTS = ROOT / "tests" / "quality" / "prompts.jsonl"
EVERY = 6
"""Of so many prompts one is asked."""


def refuse(monkeypatch: pytest.MonkeyPatch, ids: Set[str]) -> None:
    monkeypatch.setattr(gate, "is_lost", lambda _, claim: claim.id in ids)


def told(engine: Engine) -> Mapping[str, set[str]]:
    """The ids of the claims that are told, by the way of telling and what was asked."""
    caller, said = Caller("editor"), defaultdict[str, set[str]](set)
    (served,) = engine.serving(caller)
    for line in PROMPTS.read_text("utf-8").splitlines()[::EVERY]:
        text = json.loads(line)["text"]
        items = ask(engine, "context", task=text)["items"]
        said[f"context {text}"] = {item["id"] for item in items if item["kind"] == "claim"}
        engine.observe("s", None, text)
        for push in pushed(Pushes(engine, caller)):
            rows = {row.top_claim_id for row, _ in (*push.update.rows, *push.update.fresh)}
            said[f"push {text}"] = {each for each in rows if each is not None}
            cited = [artifact for hit in push.update.block.hits for artifact in hit.cited]
            said[f"block {text}"] = {each.id for each in cited if isinstance(each, Claim)}
        engine.end_session("s")
    for path in served.view.workspace.files.paths:
        touched = Touched(str(served.view.workspace.tree / path))
        said[f"file {path}"] = {hit.artifact.id for hit in hits_to_tell(served.view, touched, ())}
    return said


def test_what_is_refused_is_told_nowhere_and_hides_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = Path(shutil.copytree(ROOT / "examples" / "courier", tmp_path / "courier"))
    engine = settled(root, tmp_path)
    before, summary = told(engine), brief([kb.view for kb in engine.serving(Caller())])
    ids = sorted(set().union(*before.values()))
    assert len(ids) > 20
    for refused in (set(ids[::2]), set(ids[1::2])):
        refuse(monkeypatch, refused)
        again = settled(root, tmp_path)
        after = told(again)
        assert not [way for way, ids in after.items() if ids & refused]
        for way in before:  # of a name the best claim is told, which may be another one now
            if not way.startswith("push"):  # a row has one claim: its best
                lost, new = before[way] - refused - after[way], after[way] - before[way]
                assert len(lost) <= len(new), way
        assert brief([kb.view for kb in again.serving(Caller())]) == summary


def test_many_that_are_refused_hide_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither of a question's words, nor of a file."""
    root, refused = repository(tmp_path / "kb", {"src/relay.py": "x = 1\n"}), set[str]()
    for number in range(60):
        refused |= {f"c{number}", f"f{number}"}
        cite(root, f"c{number}", f"Approval of a gate restart at night, part {number}.", "a.md")
        cite(root, f"f{number}", f"src/relay.py must not be renamed. Part {number}.", "b.md")
    cite(root, "words", "No gate restart without approval.", "c.md")
    cite(root, "file", "src/relay.py must not be renamed.", "d.md")
    refuse(monkeypatch, refused)
    engine = settled(root, tmp_path)
    for task, wanted in {
        "Who gives approval of a gate restart at night?": ["words"],
        "I will touch src/relay.py now": ["file"],
    }.items():
        assert [item["id"] for item in ask(engine, "context", task=task)["items"]] == wanted
