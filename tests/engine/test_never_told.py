"""What may enter no prompt (`View.why_never_told`) is told nowhere, and hides nothing else."""

import json
from collections import defaultdict
from collections.abc import Mapping, Set
from pathlib import Path

import numpy as np
import pytest
from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.kb.records import Artifact, Claim
from vouch_sidecar.retrieval.blocks.session_brief import brief
from vouch_sidecar.retrieval.blocks.touched_files import Touched, lines_at
from vouch_sidecar.retrieval.statements.answers import answers
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.semantic.vectors import TextVector, arranged, texts_of

from tests.engine.bases import Listener, ask, base, engine_on, known, pushed, relays, told, write
from tests.kb.samples import claim, page
from tests.workspace.places import cite, repository, settled

WHY_NEVER_TOLD = View.why_never_told
SET = Path(__file__).parents[1] / "quality" / "prompts.jsonl"
PROMPTS = SET.read_text("utf-8").splitlines()[::6]


def refuse(monkeypatch: pytest.MonkeyPatch, ids: Set[str]) -> None:
    def why(view: View, artifact: Artifact) -> str | None:
        return "refused" if artifact.id in ids else WHY_NEVER_TOLD(view, artifact)

    monkeypatch.setattr(View, "why_never_told", why)


def claims_told(engine: Engine) -> Mapping[str, set[str]]:
    """The ids of the claims that are told, by the way of telling and what was asked."""
    caller, said = Caller(), defaultdict[str, set[str]](set)
    (served,) = engine.registry.serving(caller)
    listener = Listener(engine, caller)
    for text in (json.loads(line)["text"] for line in PROMPTS):
        items = ask(engine, "context", task=text)["items"]
        said[f"context {text}"] = {item["id"] for item in items if item["kind"] == "claim"}
        engine.observe("s", None, text)
        for push in pushed(listener):
            rows = {row["top_claim_id"] for row in (*push.salience, *push.fresh)}
            said[f"push {text}"] = {each for each in rows if each is not None}
            cited = [artifact for hit in push.block.hits for artifact in hit.cited]
            said[f"block {text}"] = {each.id for each in cited if isinstance(each, Claim)}
        engine.sessions.end("s")
    for path in served.view.world.files.paths:
        touched = Touched(str(served.view.world.tree / path))
        said[f"file {path}"] = {hit.artifact.id for hit in lines_at(served.view, touched)}
    return said


def test_what_is_refused_hides_nothing(courier: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = settled(courier)
    before = claims_told(engine)
    summary = brief([kb.view for kb in engine.registry.serving(Caller())], "")
    ids = sorted(set().union(*before.values()))
    assert len(ids) > 20
    for refused in (set(ids[::2]), set(ids[1::2])):
        refuse(monkeypatch, refused)
        again = settled(courier)
        after = claims_told(again)
        assert not [way for way, ids in after.items() if ids & refused]
        for way in before:  # of a name the best claim is told, which may be another one now
            if not way.startswith("push"):  # a row has one claim: its best
                lost, new = before[way] - refused - after[way], after[way] - before[way]
                assert len(lost) <= len(new), way
        assert brief([kb.view for kb in again.registry.serving(Caller())], "") == summary


def test_many_that_are_refused_hide_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither of a question's words, nor of a name, nor of a file."""
    root, refused = repository(tmp_path / "kb", {"src/relay.py": "x = 1\n"}), set[str]()
    base(root, known("pump", "Main Pump", "The Main Pump idles.", aliases=["pump house"]))
    for number in range(140):
        refused |= {f"c{number}", f"f{number}", f"p{number}"}
        cite(root, f"c{number}", f"Approval of a gate restart at night, part {number}.", "a.md")
        cite(root, f"p{number}", f"It idles, part {number}.", "e.md", entities=["pump"])
        if number < 60:
            cite(root, f"f{number}", f"src/relay.py must not be renamed. Part {number}.", "b.md")
    cite(root, "words", "No gate restart without approval.", "c.md")
    cite(root, "file", "src/relay.py must not be renamed.", "d.md")
    refuse(monkeypatch, refused)
    engine = settled(root)
    for task, wanted in {
        "Who gives approval of a gate restart at night?": ["words"],
        "I will touch src/relay.py now": ["file"],
        "Main Pump": ["pump"],
        "When does the Main Pump idle?": ["pump"],
    }.items():
        assert told(engine, task) == wanted
    listener = Listener(engine, Caller())
    engine.observe("s", None, "The Main Pump idles")
    (push,) = pushed(listener)
    assert [(row["entity_id"], row["top_claim_id"]) for row in push.fresh] == [("pump", "pump")]


def test_a_refused_name_takes_no_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = base(tmp_path / "kb", relays(4))
    write(root, "pages/p.md", page("It relays.", id="p", title="Relays", entities=["e2"]))
    refuse(monkeypatch, {"e0", "e1", "e2"})
    write(root, "config.yaml", {"volunteer": {"max_per_session": 2}})
    engine = engine_on(root)
    listener = Listener(engine, Caller())
    engine.observe("s", None, "Mail Relay 0x, Mail Relay 1x, Mail Relay 2x, Mail Relay 3x")
    (push,) = pushed(listener)
    assert [row["entity_id"] for row in push.fresh] == ["e2", "e3"]
    engine.observe("t", None, "Mail Relay 0x")
    assert [[row["entity_id"] for row in push.fresh] for push in pushed(listener)] == [["e0"]]


def test_what_is_near_in_meaning_is_gated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {f"claims/c{n}.yaml": claim(f"c{n}", text=f"Sails number {n}.") for n in range(9)}
    (served,) = engine_on(base(tmp_path, files)).registry.serving(Caller())
    rows, texts = texts_of(served.view.knowledge, any_script=True)
    vectors = arranged(rows, dict.fromkeys(texts, np.ones(1, np.float32)))
    vector = TextVector(np.ones(1, np.float32), {served.view.identity: vectors})
    refuse(monkeypatch, {f"c{n}" for n in range(8)})
    assert "c8" in {each.artifact.id for each in answers(served.view, "Canvas?", {}, vector)}


def test_refused_parts_are_not_cited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = b"The sluice gate opens at noon, and the miller rings twice.\n"
    parts = {"opens": b"The sluice gate opens at noon", "rings": b"the miller rings twice"}
    for name, quote in parts.items():
        cite(tmp_path, name, quote.decode(), "a.md", content, quote=quote)
    for refused in (set[str](), {"opens"}, {"rings"}):
        refuse(monkeypatch, refused)
        asked = "When does the sluice gate open, and how often does the miller ring?"
        assert {*told(engine_on(tmp_path), asked)} == parts.keys() - refused
