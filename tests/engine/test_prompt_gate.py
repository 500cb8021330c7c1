"""What the gate refuses is in nothing that is told unasked, and hides nothing else of it."""

from __future__ import annotations

import json
import shutil
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from vouch_sidecar.engine import Caller, Engine, Pushes
from vouch_sidecar.engine.sessions import Session
from vouch_sidecar.kb.records import Claim
from vouch_sidecar.retrieval import gate
from vouch_sidecar.retrieval.blocks.session_brief import brief
from vouch_sidecar.retrieval.blocks.touched_files import Touched, hits_to_tell
from vouch_sidecar.retrieval.view import View

from tests.engine.bases import ask, base, engine_on, pushed
from tests.kb.samples import claim
from tests.workspace.places import cite, repository, settled

ROOT = Path(__file__).resolve().parents[2]
PROMPTS = ROOT / "tests" / "quality" / "prompts.jsonl"
EVERY = 6
"""Of so many prompts one is asked."""


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    root = shutil.copytree(ROOT / "examples" / "courier", tmp_path / "courier")
    return settled(Path(root), tmp_path)


def told(engine: Engine) -> Mapping[str, set[str]]:
    """The ids of the claims that are told, by the way of telling and what was asked."""
    caller, said = Caller("editor"), defaultdict[str, set[str]](set)
    (served,) = engine.serving(caller)
    for number, line in enumerate(PROMPTS.read_text("utf-8").splitlines()[::EVERY]):
        text, session = json.loads(line)["text"], f"s{number}"
        items = ask(engine, "context", task=text)["items"]
        said[f"context {text}"] = {item["id"] for item in items if item["kind"] == "claim"}
        engine.observe(session, None, text)
        for push in pushed(Pushes(engine, caller, _is(session))):
            rows = {row.top_claim_id for row, _ in (*push.update.rows, *push.update.fresh)}
            said[f"push {text}"] = {each for each in rows if each is not None}
            cited = [artifact for hit in push.update.block.hits for artifact in hit.cited]
            said[f"block {text}"] = {each.id for each in cited if isinstance(each, Claim)}
        engine.end_session(session)
    for path in served.view.workspace.files.paths:
        touched = Touched(str(served.view.workspace.root / path))
        said[f"file {path}"] = {hit.artifact.id for hit in hits_to_tell(served.view, touched, ())}
    return said


def _is(session_id: str) -> Callable[[Session], bool]:
    return lambda session: session.id == session_id


@pytest.mark.parametrize("half", [0, 1])
def test_what_is_refused_is_told_nowhere_and_hides_nothing(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, half: int
) -> None:
    before, summary = told(engine), brief(engine.serving(Caller()))
    ids = sorted(set().union(*before.values()))
    assert len(ids) > 20
    refused = set(ids[half::2])

    def is_lost(_: View, claim: Claim) -> bool:
        return claim.id in refused

    monkeypatch.setattr(gate, "is_lost", is_lost)
    again = settled(tmp_path / "courier", tmp_path)
    after = told(again)
    leaked = {way: both for way, ids in after.items() if (both := ids & refused)}
    assert not leaked
    lines = {way for way in before if not way.startswith("push")}  # a row has one claim: its best
    for way in lines:  # of a name the best claim is told, which may be another one now
        lost, new = before[way] - refused - after[way], after[way] - before[way]
        assert len(lost) <= len(new), way
    assert brief(again.serving(Caller())) == summary


def test_many_that_are_refused_hide_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = {f"c{n}": f"Approval of a relay restart at night, part {n}." for n in range(60)}
    texts = {**refused, "rule": "No relay restart without approval."}
    claims = {f"claims/{each}.yaml": claim(each, text=text) for each, text in texts.items()}
    engine = engine_on(base(tmp_path / "kb", claims))
    monkeypatch.setattr(gate, "is_lost", lambda _, claim: claim.id in refused)
    answer = ask(engine, "context", task="Who gives approval of a relay restart at night?")
    assert [item["id"] for item in answer["items"]] == ["rule"]


def test_many_tied_to_a_file_that_are_refused_hide_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = repository(tmp_path / "kb", {"src/relay.py": "x = 1\n"})
    refused = {f"c{n:02}" for n in range(30)}
    for claim_id in (*refused, "rule"):
        text = "src/relay.py must not be renamed."
        cite(root, claim_id, f"{text} {claim_id.title()}.", "notes.md")
    monkeypatch.setattr(gate, "is_lost", lambda _, claim: claim.id in refused)
    answer = ask(settled(root, tmp_path), "context", task="I will touch src/relay.py now")
    assert [item["id"] for item in answer["items"]] == ["rule"]
