"""Pages say what is so: recipes name what is there, and numbers are those of the code."""

import re
from pathlib import Path

import pytest
import vouch_sidecar
from vouch_sidecar import open_kb
from vouch_sidecar.kb.discovery import DEPTH
from vouch_sidecar.kb.settings_model import Recall, Volunteer
from vouch_sidecar.names.name_forms import FormKind
from vouch_sidecar.operations.wire import MAX_TEXT
from vouch_sidecar.retrieval import constants
from vouch_sidecar.retrieval.blocks.block import LEAST_CHARS
from vouch_sidecar.retrieval.people.rows import Author
from vouch_sidecar.surfaces.entry import MAX_INPUT
from vouch_sidecar.workspace.ties import STRENGTH

PACKAGE, TOP = Path(vouch_sidecar.__file__).parent, Path(__file__).parents[1]
PAGE = (TOP / "docs" / "how-it-decides.md").read_text("utf-8")
ROW = re.compile(r"^\| (\w+) \| (-?\d+\.\d+) \|", re.MULTILINE)
EXAMPLE = re.compile(
    r"“(?P<text>[^”]+)” → `(?P<id>[^`]+)`: (?P<sum>[^→]+) "
    r"→ \*\*(?P<likely>[\d.]+)\*\*, (?P<verdict>(?:not )?shown)"
)
TERM = re.compile(r"([−+]) (\d+\.\d\d) (\w+)")
SECTION = (TOP / "CONTRIBUTING.md").read_text("utf-8").partition("## How to add")[2]
RECIPES = re.findall(r"^\*\*(.+?)\*\* (.+?)\n\n", SECTION, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("recipe", [what for _, what in RECIPES], ids=[of for of, _ in RECIPES])
def test_what_a_recipe_names_is_there(recipe: str) -> None:
    named = [one for one in re.findall(r"`([^`]+)`", recipe) if "NAME." not in one]
    paths = [one for one in named if "/" in one or one.endswith(".py")]
    found = [[*PACKAGE.rglob(one), *TOP.glob(one)] for one in paths if one != ".vouch/"]
    assert all(found), paths
    modules = [module for every in found for module in every if module.suffix == ".py"]
    said = "\n".join(module.read_text("utf-8") for module in modules)
    names = [one.rpartition(".")[2] for one in named if one not in paths]
    begins = {name: "^" if name.isupper() else r"\b" for name in names}
    assert not [one for one, at in begins.items() if not re.search(rf"{at}{one}\b", said, re.M)]


def test_the_weights_and_thresholds_of_the_page_are_those_of_the_code() -> None:
    rows = {name: float(value) for name, value in ROW.findall(PAGE)}
    weights = {"bias": constants.BIAS, **constants.LIKELIHOOD_WEIGHTS}
    assert rows == pytest.approx(weights | {arm: STRENGTH[arm] for arm in STRENGTH})
    for least in (constants.LISTED, constants.VOLUNTEERED, *constants.UNASKED_LEAST.values()):
        assert f"**{least:.2f}**" in PAGE
    assert f"{Recall().similarity_threshold:.2f} or more" in PAGE
    arms = (value for form, value in constants.ARMS.items() if form is not FormKind.DERIVED)
    assert all(f" {value:g}" in PAGE for value in (*arms, *constants.PLACES.values()))


def test_the_worked_example_is_what_explain_says(courier: Path) -> None:
    examples = list(EXAMPLE.finditer(" ".join(PAGE.split())))
    assert len(examples) == 2
    with open_kb(courier) as kb:
        for example in examples:
            found = kb.explain(example["text"])
            text = next(one for one in found.texts if one.id == example["id"])
            terms = TERM.findall(example["sum"])
            shown = {name: float(f"{'-' * (sign == '−')}{value}") for sign, value, name in terms}
            factors = {name: value for name, value in text.factors.items() if value}
            assert shown == pytest.approx(factors, abs=0.006)
            assert float(example["likely"]) == pytest.approx(text.similarity, abs=0.006)
            shown_ids = {item.id for item in kb.context(example["text"]).items}
            assert (example["id"] in shown_ids) == (example["verdict"] == "shown")


def test_figures_that_are_repeated_are_those_of_the_code() -> None:
    words = {3: "three", 7: "seven"}
    extension, levels = TOP / "extension", f"up to {words[DEPTH]} levels below"
    said = {
        f"{levels} count": (TOP / "docs" / "using.md").read_text("utf-8"),
        f"{levels}.": (extension / "package.json").read_text("utf-8"),
        f"DEPTH = {DEPTH};": (extension / "src/server/knowledgeNearby.ts").read_text("utf-8"),
        f"{constants.VOLUNTEERED:.2f} where": Volunteer.model_fields["threshold"].description,
        f"below {LEAST_CHARS} none": Recall.model_fields["max_context_chars"].description,
        f"most {words[constants.MAX_PATHS_OF_AUTHOR]}.": Author.__doc__,
    }
    assert [figure for figure, text in said.items() if figure not in (text or "")] == []
    assert MAX_INPUT == 4 * MAX_TEXT + 1  # UTF-8
