"""Measures vouch-kb 1.5.0 on the dialogues: `python -m benchmarks.quality.vouch_kb DIR` (a minute).

Rewrites the dialogue figures in vouch_kb_1.5.0.json; those of the other sets are quoted there.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.quality.measures import Case, ratio
from benchmarks.quality.runs import judged, together
from benchmarks.quality.sets import Dialogue, Knowledge, read_dialogues
from benchmarks.quality.world import Said, write

ROOT = Path(__file__).resolve().parents[2]
FIGURES = Path(__file__).with_name("vouch_kb_1.5.0.json")
MEASURES = ("missed", "false fires", "precision", "recall")


def main(folder: Path) -> None:
    """Ask vouch for every turn and write the figures down."""
    dialogues = read_dialogues(folder / "dialogues.jsonl")
    answers = _answers(dialogues)
    wide, narrow = (
        [_case(d, a) for d, a in zip(dialogues, answers[window], strict=True)]
        for window in ("8", "1")
    )
    figures = json.loads(FIGURES.read_text("utf-8"))
    figures["dialogues"] = {
        m: f"{ratio(m)(wide):.2f} (window 1: {ratio(m)(narrow):.2f})" for m in MEASURES
    }
    text = json.dumps(figures, indent=2, ensure_ascii=False)
    FIGURES.write_text(text + "\n", encoding="utf-8")


def _answers(dialogues: Sequence[Dialogue]) -> dict[str, list[list[list[str]]]]:
    with TemporaryDirectory(prefix="quality-") as folder:
        requests = []
        for number, dialogue in enumerate(dialogues):
            root = Path(folder) / str(number)
            write(root, Knowledge(entities=dialogue.entities, claims=dialogue.claims))
            texts = [turn.text for turn in dialogue.turns]
            requests.append({"root": str(root), "texts": texts})
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.quality.vouch_driver"],
            cwd=ROOT,
            input=json.dumps(requests),
            capture_output=True,
            text=True,
            check=True,
        )
    answers: dict[str, list[list[list[str]]]] = json.loads(done.stdout)
    return answers


def _case(dialogue: Dialogue, answers: Sequence[Sequence[str]]) -> Case:
    turns = []
    for turn, ids in zip(dialogue.turns, answers, strict=True):
        if turn.role == "user":
            said = Said([{"entity_id": i, "why": ""} for i in ids], "")
            allowed = {*turn.gold, *turn.acceptable}
            turns.append(judged(dialogue.id, turn.text, said, set(turn.gold), allowed, set()))
    return together(turns)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
