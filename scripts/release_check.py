"""Says what keeps a version from being published: placeholders, versions that differ, no entry in
the changelog.

python -m scripts.release_check [TAG]
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLACEHOLDERS = re.compile(r"PLACEHOLDER|ADDRESS-OF-THIS-REPOSITORY")
EXTENSION = ROOT / "extension"


def versions(tag: str) -> Iterator[str]:
    """What the versions have wrong for a release under `tag`; blank: there is none yet."""
    stated = (ROOT / "sidecar/vouch_sidecar/version.py").read_text("utf-8")
    version = "".join(re.findall(r'^__version__ = "(\d+\.\d+\.\d+)"$', stated, re.MULTILINE))
    if not version:
        yield "version.py: no version of the form 1.2.3, which PyPI and the stores of VS Code take"
    manifest = json.loads((EXTENSION / "package.json").read_text("utf-8"))
    lock = json.loads((EXTENSION / "package-lock.json").read_text("utf-8"))
    for place, other in (
        ("package.json", manifest["version"]),
        ("package-lock.json", lock["version"]),
        ('package-lock.json, packages[""]', lock["packages"][""]["version"]),
    ):
        if other != version:
            yield f"extension/{place}: version {other}, version.py has {version}"
    if tag not in ("", f"v{version}"):
        yield f"the tag is {tag}, version.py has {version}"
    heading = rf"^## {re.escape(version)} \(\d{{4}}-\d\d-\d\d\)\n+(?!## )\S"
    if not re.search(heading, (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE):
        yield f"CHANGELOG.md: no text below a heading “## {version} (YYYY-MM-DD)”"


def placeholders() -> Iterator[str]:
    """What stands for an author, an address or a publisher that is not known yet."""
    for name in ("README.md", "pyproject.toml", "extension/package.json", "extension/README.md"):
        for line, text in enumerate((ROOT / name).read_text("utf-8").splitlines(), 1):
            if PLACEHOLDERS.search(text):
                yield f"{name}:{line}: a placeholder"
    manifest = json.loads((EXTENSION / "package.json").read_text("utf-8"))
    if manifest["publisher"] == manifest["name"] or not {"repository", "bugs"} <= manifest.keys():
        yield "extension/package.json: no publisher, repository or bugs of one's own"
    pyproject = (ROOT / "pyproject.toml").read_text("utf-8")
    repository = "".join(re.findall(r'^Repository = "(.*)"$', pyproject, re.MULTILINE))
    for image in re.findall(
        r"!\[[^\]]*\]\(([^)]+)\)", (EXTENSION / "README.md").read_text("utf-8")
    ):
        if not image.startswith(f"{repository}/"):
            yield f"extension/README.md: {image} lies in another repository"


def main() -> int:
    found = [*versions("".join(sys.argv[1:2])), *placeholders()]
    for fault in found:
        sys.stderr.write(f"not to be published: {fault}\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
