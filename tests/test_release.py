"""What keeps a version from being published: `make release-check`."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from scripts.release_check import REPOSITORY, faults

READ = (
    "pyproject.toml",
    "CHANGELOG.md",
    "extension/package.json",
    "extension/package-lock.json",
    "extension/README.md",
    "sidecar/vouch_sidecar/version.py",
)
ADDRESS = "https://code.example/team/sidecar"
Change = Callable[[Path], None]


@pytest.fixture
def ready(tmp_path: Path) -> Path:
    """The repository's files, filled in as for version 4.5.6."""
    for name in READ:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(REPOSITORY / name, tmp_path / name)
    (tmp_path / "sidecar/vouch_sidecar/version.py").write_text('__version__ = "4.5.6"\n')
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "vouch-sidecar"\nauthors = [{ name = "A Team" }]\n[project.urls]\n'
        f'Repository = "{ADDRESS}"\nIssues = "{ADDRESS}/issues"\nChangelog = "{ADDRESS}/log"\n'
    )
    (tmp_path / "CHANGELOG.md").write_text(
        "# Changelog\n\n## 4.5.6 (2027-01-31)\n\n- News.\n\n## 4.5.5 (2027-01-30)\n"
    )
    (tmp_path / "extension/README.md").write_text(f"![A picture]({ADDRESS}/raw/HEAD/it.png)\n")
    change("package.json", publisher="a-team", version="4.5.6", homepage=ADDRESS)(tmp_path)
    urls = {"repository": {"url": f"{ADDRESS}.git"}, "bugs": {"url": f"{ADDRESS}/issues"}}
    change("package.json", **urls)(tmp_path)
    packages = {"": {"version": "4.5.6"}}
    change("package-lock.json", version="4.5.6", packages=packages)(tmp_path)
    return tmp_path


def change(name: str, **values: object) -> Change:
    """Sets values of one of the extension's files."""

    def make(root: Path) -> None:
        path = root / "extension" / name
        path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), **values}))

    return make


def replace(name: str, old: str, new: str) -> Change:
    def make(root: Path) -> None:
        text = (root / name).read_text("utf-8")
        assert old in text
        (root / name).write_text(text.replace(old, new), "utf-8")

    return make


def test_what_is_filled_in_may_be_published(ready: Path) -> None:
    assert faults(ready, "v4.5.6") == []
    assert faults(ready) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (replace("pyproject.toml", "A Team", "PLACEHOLDER"), "authors"),
        (replace("pyproject.toml", "Issues", "Other"), "urls.Issues"),
        (
            replace("pyproject.toml", f'"{ADDRESS}/log"', '"https://a.example/PLACEHOLDER"'),
            "urls.Changelog",
        ),
        (replace("pyproject.toml", f'"{ADDRESS}"', '"https://code.example/else"'), "another one"),
        (change("package.json", publisher="vouch-sidecar"), "publisher"),
        (change("package.json", publisher=""), "publisher"),
        (change("package.json", bugs={}), "bugs"),
        (change("package.json", homepage="http://code.example"), "homepage"),
        (change("package.json", version="4.5.5"), "package.json: version 4.5.5"),
        (change("package-lock.json", version="4.5.5"), "package-lock.json: version 4.5.5"),
        (change("package-lock.json", packages={"": {"version": "4"}}), "version 4, "),
        (replace("sidecar/vouch_sidecar/version.py", "4.5.6", "4.5.6rc1"), "4.5.6rc1 is no"),
        (replace("CHANGELOG.md", "(2027-01-31)", "(unreleased)"), "no heading"),
        (replace("CHANGELOG.md", "- News.", ""), "nothing stands below"),
        (replace("extension/README.md", ADDRESS, "https://code.example/b"), "another repository"),
    ],
)
def test_each_fault_is_refused(ready: Path, change: Change, said: str) -> None:
    change(ready)
    assert said in "\n".join(faults(ready, "v4.5.6"))


def test_a_tag_of_another_version_is_refused(ready: Path) -> None:
    assert faults(ready, "v4.5.7") == ["the tag is v4.5.7, version.py has 4.5.6"]


def test_this_repository_has_one_version() -> None:
    """Versions are equal at any time; the placeholders are what a maintainer fills in."""
    assert not [fault for fault in faults(REPOSITORY) if "version " in fault]
