"""The files and names in the recipes of CONTRIBUTING.md are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import vouch_sidecar

PACKAGE = Path(vouch_sidecar.__file__).parent
TOP = Path(__file__).parents[1]
SECTION = (TOP / "CONTRIBUTING.md").read_text("utf-8").partition("## How to add")[2]
RECIPES = re.findall(r"^\*\*(.+?)\*\* (.+?)\n\n", SECTION, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("recipe", [what for _, what in RECIPES], ids=[of for of, _ in RECIPES])
def test_what_a_recipe_names_is_there(recipe: str) -> None:
    named = [one for one in re.findall(r"`([^`]+)`", recipe) if "NAME." not in one]
    paths = [one for one in named if "/" in one or one.endswith(".py")]
    found = [[*PACKAGE.rglob(one), *TOP.glob(one)] for one in paths if one != ".vouch/"]
    assert all(found), paths
    modules = [module for every in found for module in every if module.suffix == ".py"]
    around = [*modules, *(module.parent / "__init__.py" for module in modules)]
    said = "\n".join(module.read_text("utf-8") for module in around)
    names = [one.rpartition(".")[2] for one in named if one not in paths]
    assert not [name for name in names if not re.search(rf"\b{name}\b", said)]
