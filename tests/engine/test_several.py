"""Which of several knowledge bases a prompt is about, and what is said of the others."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from vouch_sidecar.engine import Engine
from vouch_sidecar.kb.pauses import pause
from vouch_sidecar.operations.wire import NotFoundError

from tests.engine.bases import ask, engine_on, write
from tests.kb.samples import claim, entity, make_kb

CAMPAIGN = {
    "entities/end.yaml": entity("end", name="Rogue's End", type="place"),
    "entities/faction.yaml": entity("faction", name="Tower Faction", aliases=["tower"]),
    "claims/siege.yaml": claim(
        "siege", text="The Tower Faction besieged Rogue's End.", entities=["end", "faction"]
    ),
}
ATLAS = {
    "entities/end.yaml": entity("end", name="Rogue's End", type="place"),
    "claims/coast.yaml": claim("coast", text="Rogue's End is on the coast.", entities=["end"]),
}
RULES = {
    "entities/rest.yaml": entity("rest", name="Long Rest", type="concept"),
    "claims/rest.yaml": claim("rest", text="A long rest takes eight hours.", entities=["rest"]),
}
ARRIVED = "What happened at Rogue's End after the Tower Faction arrived?"


def serving(folder: Path, **bases: Mapping[str, bytes]) -> Engine:
    roots = []
    for name, files in bases.items():
        make_kb(folder / name)
        for path, data in files.items():
            write(folder / name, path, data)
        roots.append(folder / name)
    return engine_on(*roots)


def asked(engine: Engine, text: str) -> tuple[dict[str, Any], dict[str, Any]]:
    return ask(engine, "probe", text=text), ask(engine, "context", task=text)


@pytest.mark.parametrize("text", [ARRIVED, ARRIVED.replace("'", "’")])
def test_the_block_leads_with_the_one_that_has_the_most_evidence(tmp_path: Path, text: str) -> None:
    """One claim of the campaign holds both names; the atlas, with one, is no equal to it."""
    probed, context = asked(serving(tmp_path, atlas=ATLAS, campaign=CAMPAIGN), text)
    folded = [phrase.replace("’", "'") for phrase in probed["phrases_tested"]]
    assert folded[:2] == ["Rogue's End", "Tower Faction"]
    for answer in (probed, context):
        assert answer["primary_collection"] == "campaign"
        assert answer["supplemental_collections"] == ["atlas"]
    _, first, siege, second, coast, _ = context["text"].splitlines()
    assert (first, second) == ("PRIMARY campaign", "SUPPLEMENTAL atlas")
    assert "siege" in siege
    assert "coast" in coast


def test_a_prompt_is_held_against_as_many_as_the_config_says(tmp_path: Path) -> None:
    engine = serving(tmp_path, atlas=ATLAS, campaign=CAMPAIGN)
    engine.reconfigure({"probe": {"max_collections": 1}})
    for answer in asked(engine, ARRIVED):
        assert answer["primary_collection"] == "atlas"
        assert answer["supplemental_collections"] == []
    explained = ask(engine, "explain", text=ARRIVED)
    assert {row["collection"] for row in explained["entities"]} == {"atlas"}


def test_texts_are_not_followed_where_one_opts_out_and_the_other_is_paused(tmp_path: Path) -> None:
    make_kb(tmp_path / "off")
    make_kb(tmp_path / "on")
    write(tmp_path / "off", "config.yaml", b"retrieval:\n  reflex:\n    enabled: false\n")
    runtime = tmp_path / "runtime"
    runtime.mkdir(mode=0o700)
    engine = engine_on(tmp_path / "off", tmp_path / "on", env={"XDG_RUNTIME_DIR": str(runtime)})
    engine.observe("s", None, "A text that counts.")
    pause(tmp_path / "on", engine.env, None)
    engine.observe("t", None, "A text that counts nowhere.")
    assert [session.id for session in engine.sessions] == ["s"]


def test_a_cut_id_that_means_several_claims_lists_them(tmp_path: Path) -> None:
    ids = ("gate-opens-at-dawn-in-summer", "gate-opens-at-dawn-in-winter")
    texts = ("The gate opens at dawn in summer.", "The gate opens at dawn in winter too.")
    bases = [
        {f"claims/{at}.yaml": claim(at, text=text)} for at, text in zip(ids, texts, strict=True)
    ]
    engine = serving(tmp_path, one=bases[0], two=bases[1])
    said = ask(engine, "context", task="when does the gate open at dawn in summer or winter?")
    cited = [line.split()[-1] for line in said["text"].split(": ") if "gate-opens" in line]
    assert cited == ["gate-opens-at…"] * 2
    with pytest.raises(NotFoundError) as error:
        ask(engine, "claim", id=cited[0])
    assert all(claim_id in str(error.value) for claim_id in ids)
