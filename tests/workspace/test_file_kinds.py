"""What a path says of its file."""

from __future__ import annotations

from vouch_sidecar.workspace.file_kinds import changes_with_all

SILENT = """
pyproject.toml package.json Cargo.toml go.mod Gemfile setup.cfg setup.py build.gradle pom.xml
requirements.txt requirements-dev.txt requirements_dev.txt requirements/dev.txt requirements/base.in
requirements.in constraints.txt environment.yml Pipfile pubspec.yaml mix.exs vcpkg.json
Directory.Packages.props libs.versions.toml gradle/libs.versions.toml conanfile.txt
package-lock.json npm-shrinkwrap.json poetry.lock go.sum pnpm-lock.yaml packages.lock.json bun.lockb
conda-lock.yml gradle.lockfile Package.resolved uv-lock.toml
CHANGELOG CHANGELOG.md ChangeLog CHANGES.rst NEWS HISTORY.md RELEASES.md release-notes.md
CHANGELOG-1.2.md docs/changelog.md docs/changelog/2024.md docs/whatsnew.rst docs/whatsnew/3.1.rst
docs/whats-new.md news/123.bugfix.rst news/123.rst changes/1.txt changelog.d/new.md
doc/release_notes/v2.md
"""
SPEAKING = """
src/lock.py src/lock.go src/locks.json docs/lock.md src/block.json app/news/models.py src/changes.py
docs/requirements.md docs/requirements/login.md src/environment.py environments.yml config.yml
docs/history/founding.md docs/releases/process.md docs/breaking-changes.md docs/newsletter.md
src/versions.py docs/package.md src/changelog_writer.py packages.toml src/resolved.py
"""


def test_what_nearly_every_commit_changes_and_what_is_changed_on_purpose() -> None:
    assert [path for path in SILENT.split() if not changes_with_all(path)] == []
    assert [path for path in SPEAKING.split() if changes_with_all(path)] == []
