"""One rule for where knowledge bases are, as a table; wherever one is, VS Code starts a server."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from vouch_sidecar.kb import discovery
from vouch_sidecar.kb.discovery import SOUGHT_BY, find, path_of, start_folder

TABLE = json.loads(Path(__file__).with_name("discovery_cases.json").read_text("utf-8"))


@pytest.mark.parametrize(
    ("named", "path"),
    [
        *((each, "/a b;c") for each in ("/a b;c", "file:///a%20b;c", "FILE://localhost/a b;c#L3")),
        ("file:///C:/a", "C:/a"),
        ("file:///c%3A/a", "c:/a"),
        ("file://host/a", "//host/a"),
        *((each, each) for each in ("file://[/a", "https://host/a", "a", "")),
        ("~/a", str(Path("~/a").expanduser())),
    ],
)
def test_a_path_or_the_uri_of_a_file_names_it(named: str, path: str) -> None:
    assert path_of(named) == path


def found_from(start: Path | str | None, env: dict[str, str]) -> list[str]:
    """The working trees in the order in which they are found."""
    return [place.tree for place in find(start, env).places]


class Asked(dict[str, str]):
    """An environment whose variables are those that decide, and no others are asked for."""

    def get(self, name: str, default: Any = None) -> Any:
        assert name in SOUGHT_BY
        return super().get(name, default)


def build(base: Path, case: dict[str, Any]) -> None:
    """Put the folders, files and links of a case below a folder."""
    for folder in (*case["folders"], "home"):
        (base / folder).mkdir(parents=True, exist_ok=True)
    for folder, number in case.get("many", {}).items():
        for at in range(number):
            (base / folder / f"f{at:03}").mkdir()
    for path, text in case.get("files", {}).items():
        (base / path).write_text(text, "utf-8")
    for path, target in case.get("links", {}).items():
        (base / path).symlink_to(base / target)


@pytest.mark.parametrize("case", TABLE["cases"], ids=lambda case: str(case["name"]))
def test_the_rule(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: dict[str, Any]) -> None:
    build(tmp_path, case)
    foreign = {str(tmp_path / path) for path in case.get("foreign", ())}
    monkeypatch.setattr(discovery, "_is_foreign", foreign.__contains__)
    env = {"HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path / "temporary")}
    env |= {"VOUCH_KB_PATH": str(tmp_path / case["forced"])} if "forced" in case else {}
    wanted = [str(tmp_path / path) for path in case["found"]]
    assert found_from(tmp_path / case["start"], Asked(env)) == wanted


def test_where_nobody_says_where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("named", "project"):
        (tmp_path / name / ".vouch").mkdir(parents=True)
    env = {"HOME": str(tmp_path), "VOUCH_PROJECT_DIR": str(tmp_path / "project")}
    assert found_from(None, env) == [str(tmp_path / "project")]
    assert found_from(tmp_path / "named", env) == [str(tmp_path / "named")]
    monkeypatch.chdir(tmp_path / "named")
    assert found_from(None, env | {"VOUCH_PROJECT_DIR": "/nowhere"}) == [str(tmp_path / "named")]
    monkeypatch.chdir(tmp_path)
    assert start_folder({"VOUCH_PROJECT_DIR": "project"}) == str(tmp_path / "project")


def test_a_path_that_goes_up_from_behind_a_link_leads_where_it_leads(tmp_path: Path) -> None:
    for folder in ("home", "kept/deep", "kept/.vouch"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "home" / "link").symlink_to(tmp_path / "kept" / "deep")
    up = tmp_path / "home" / "link" / ".."
    assert found_from(up, {"HOME": str(tmp_path / "home")}) == [str(tmp_path / "kept")]


@pytest.mark.parametrize("name", ["a\0b", "\udcff", "x" * 5_000, "loop"])
def test_what_no_file_is_called_or_leads_to_itself(tmp_path: Path, name: str) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert found_from(f"{tmp_path}/{name}", {"HOME": str(tmp_path)}) == []


def test_a_pipe_that_git_never_made_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / ".vouch").mkdir()
    os.mkfifo(tmp_path / ".git")
    assert found_from(tmp_path, {}) == [str(tmp_path)]
