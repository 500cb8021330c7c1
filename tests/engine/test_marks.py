"""A paragraph with a mark of a secret claim is withheld, however vouch may read the mark."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.engine.bases import ask, base, engine_on, write
from tests.kb.samples import claim, page

HIDDEN, SECRET = "hidden-zephyr", "The zephyr key is under the mat"
PRIVATE = {"visibility": "private", "agent": "ada"}
MANY = " ".join(f"[claim: c{number}]" for number in range(2_100))
BODIES = {
    "plain": f"{SECRET} [claim: {HIDDEN}].",
    "wrapped": f"{SECRET} [claim:\n{HIDDEN}\n].",
    "no-break space": f"{SECRET} [claim:\u00a0{HIDDEN}].",
    "several": f"{SECRET} [claim: rotation, {HIDDEN}].",
    "unclosed": f"{SECRET} [claim: {HIDDEN}",
    "code": f"{SECRET} `[claim: {HIDDEN}]`.",
    "fence": f"```\n{SECRET} [claim: {HIDDEN}]\n```",
    "behind many alike": f"{'[claim: rotation] ' * 2_100}\n\n{SECRET} [claim: {HIDDEN}].",
    "behind many": f"{MANY}\n\n{SECRET} [claim: {HIDDEN}].",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_paragraph_of_a_secret_claim(tmp_path: Path, body: str) -> None:
    root = base(tmp_path / "kb")
    text = f"# Notes\n\n{body}\n\n## Doors\n\nDoors are grey and wide [claim: rotation].\n"
    write(root, "pages/notes.md", page(text, id="notes", title="Notes"))

    def hide(**fields: object) -> None:
        said = claim(HIDDEN, text="Nothing.", evidence=["gone"], **fields)
        write(root, f"claims/{HIDDEN}.yaml", said)

    def shown(query: str) -> str:
        return json.dumps(ask(engine, "search", query=query)["hits"])

    hide(scope=PRIVATE)
    engine = engine_on(root)
    assert "Doors" in shown("Doors are grey and wide")
    assert "zephyr" not in shown(SECRET)
    if MANY in body:  # these are too many to be told apart
        return
    hide()
    engine.read()
    assert "zephyr key" in shown(SECRET)
    hide(status="redacted")
    engine.read()
    assert "zephyr" not in shown(SECRET)
