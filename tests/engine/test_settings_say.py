"""Settings do what README says of them: what is said follows them, as soon as they change."""

from __future__ import annotations

from pathlib import Path

import pytest
from vouch_sidecar.engine import Engine

from tests.engine.bases import ask, engine_on, write
from tests.kb.samples import claim, entity, make_kb

FILES = {
    "beacon": "Beacon shows the ovens.",
    "gull": "Gull writes to the tills.",
    "jwt": "Tokens live for an hour.",
}
NAMES = {"beacon": "Beacon", "gull": "Gull Service", "jwt": "JWT authentication"}


def engine(tmp_path: Path, **sidecar: object) -> Engine:
    make_kb(tmp_path)
    for name, text in FILES.items():
        write(tmp_path, f"claims/{name}.yaml", claim(name, text=text, entities=[name]))
        write(tmp_path, f"entities/{name}.yaml", entity(name, name=NAMES[name], type="system"))
    write(tmp_path, "config.yaml", {"sidecar": sidecar})
    return engine_on(tmp_path)


def said(served: Engine, task: str) -> list[tuple[str, float]]:
    items = ask(served, "context", task=task)["items"]
    return [(item["id"], item["similarity"]) for item in items]


@pytest.mark.parametrize(
    ("threshold", "expected"),
    [
        (None, [("gull", 1.0)]),
        (0.60, [("gull", 1.0)]),
        (1.0, [("gull", 1.0)]),
        (0.30, [("gull", 1.0), ("beacon", 0.45)]),
        (0.0, [("gull", 1.0), ("beacon", 0.45)]),
    ],
)
def test_names_obey_the_threshold_of_what_is_volunteered(
    tmp_path: Path, threshold: float | None, expected: list[tuple[str, float]]
) -> None:
    served = engine(tmp_path)
    if threshold is not None:
        write(tmp_path, "config.yaml", {"volunteer": {"threshold": threshold}})
        served.load()
    assert said(served, "Beacon or the gull service? and the jwt?") == expected


def test_words_are_settled_as_soon_as_the_config_says_so(tmp_path: Path) -> None:
    served, text = engine(tmp_path), "the beacon on the hill"
    assert said(served, text) == []
    write(tmp_path, "config.yaml", {"sidecar": {"names": {"always": ["beacon"]}}})
    served.load()
    assert said(served, text) == [("beacon", 1.0)]
    write(tmp_path, "config.yaml", {"sidecar": {"names": {"never": ["Beacon"]}}})
    served.load()
    assert said(served, "why is Beacon slow?") == []
