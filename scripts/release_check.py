"""Says what keeps a version from being published: placeholders, versions that differ, no entry in
the changelog.

python -m scripts.release_check [TAG]
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

REPOSITORY = Path(__file__).parents[1]
PLACEHOLDER = "PLACEHOLDER"
"""Stands where an author, the owner of a repository or a publisher will stand."""
RELEASE = re.compile(r"\d+\.\d+\.\d+")
"""A version that PyPI and the stores of VS Code both take."""


def faults(root: Path, tag: str = "") -> list[str]:
    """What is wrong with the repository at `root` for a release under `tag`; blank: none yet."""
    pyproject = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    manifest = json.loads((root / "extension/package.json").read_text("utf-8"))
    return [
        *_versions(root, manifest, tag),
        *_changelog((root / "CHANGELOG.md").read_text("utf-8"), _version(root)),
        *_people(pyproject, manifest),
        *_addresses(pyproject, manifest, (root / "extension/README.md").read_text("utf-8")),
    ]


def _version(root: Path) -> str:
    text = (root / "sidecar/vouch_sidecar/version.py").read_text("utf-8")
    found = re.search(r'^__version__ = "(.*)"$', text, re.MULTILINE)
    return found[1] if found else ""


def _versions(root: Path, manifest: Mapping[str, Any], tag: str) -> Iterator[str]:
    version = _version(root)
    if not RELEASE.fullmatch(version):
        yield f"version.py: {version or 'nothing'} is no version of the form 1.2.3"
    lock = json.loads((root / "extension/package-lock.json").read_text("utf-8"))
    others = {
        "extension/package.json": manifest.get("version"),
        "extension/package-lock.json": lock.get("version"),
        'extension/package-lock.json, packages[""]': lock["packages"][""].get("version"),
    }
    for place, other in others.items():
        if other != version:
            yield f"{place}: version {other}, version.py has {version}"
    if tag and tag != f"v{version}":
        yield f"the tag is {tag}, version.py has {version}"


def _changelog(text: str, version: str) -> Iterator[str]:
    """The entry is a heading with the version and a date, and a text below it."""
    heading = rf"^## {re.escape(version)} \((\d{{4}}-\d\d-\d\d)\)$"
    found = re.search(heading + r"(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    if found is None:
        yield f"CHANGELOG.md: no heading “## {version} (YYYY-MM-DD)”"
    elif not found[2].strip():
        yield f"CHANGELOG.md: nothing stands below {version}"


def _people(pyproject: Mapping[str, Any], manifest: Mapping[str, Any]) -> Iterator[str]:
    authors = [str(one.get("name", "")) for one in pyproject.get("authors", [])]
    if not authors or any(_is_placeholder(name) for name in authors):
        yield "pyproject.toml: authors are missing or placeholders"
    publisher = str(manifest.get("publisher", ""))
    if _is_placeholder(publisher) or publisher == manifest.get("name"):
        yield f"extension/package.json: the publisher {publisher or '(none)'} is a placeholder"


def _addresses(
    pyproject: Mapping[str, Any], manifest: Mapping[str, Any], readme: str
) -> Iterator[str]:
    urls = pyproject.get("urls", {})
    for name in ("Repository", "Issues", "Changelog"):
        if not _is_address(urls.get(name)):
            yield f"pyproject.toml: urls.{name} is missing or a placeholder"
    for name, url in (
        ("repository", manifest.get("repository", {}).get("url")),
        ("bugs", manifest.get("bugs", {}).get("url")),
        ("homepage", manifest.get("homepage")),
    ):
        if not _is_address(url):
            yield f"extension/package.json: {name} is missing or a placeholder"
    repository = str(urls.get("Repository")).removesuffix("/")
    if str(manifest.get("repository", {}).get("url")).removesuffix(".git") != repository:
        yield "extension/package.json: repository is another one than that of pyproject.toml"
    for image in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", readme):
        if not image.startswith(f"{repository}/"):
            yield f"extension/README.md: {image} lies in another repository"


def _is_placeholder(name: str) -> bool:
    return not name.strip() or name.strip().upper() == PLACEHOLDER


def _is_address(url: object) -> bool:
    parts = urlsplit(str(url or ""))
    return parts.scheme == "https" and bool(parts.hostname) and PLACEHOLDER not in parts.path


def main() -> int:
    found = faults(REPOSITORY, *sys.argv[1:2])
    for fault in found:
        sys.stderr.write(f"not to be published: {fault}\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
