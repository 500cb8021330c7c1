"""No file outside the folder of a knowledge base is opened, whatever stands in it."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from threading import current_thread, main_thread
from typing import Any

import pytest
from vouch_sidecar.kb import artifact_files, store
from vouch_sidecar.kb.store import Store

from tests.engine.bases import base
from tests.kb.samples import claim

Plant = Callable[[Path, Path], None]
SECRET = "outside"
_opened: list[list[str]] = []
"""Lists that take the paths that are opened or listed; an audit hook can't be taken off."""


def _note(event: str, args: tuple[Any, ...]) -> None:
    """Threads that other tests began have files of their own."""
    is_of_path = event in ("open", "os.scandir") and isinstance(args[0], str | bytes)
    if is_of_path and current_thread() is main_thread():
        for paths in _opened:
            paths.append(os.fsdecode(args[0]))


sys.addaudithook(_note)


def said(root: Path) -> str:
    """All that is taken from the disk, as text."""
    store = Store(root / ".vouch")
    store.reconcile()
    return repr(store.records)


def link(kb_dir: Path, path: str, target: Path | str) -> None:
    (kb_dir / path).unlink(missing_ok=True)
    (kb_dir / path).symlink_to(target)


def link_file(kb_dir: Path, outside: Path) -> None:
    link(kb_dir, "claims/rotation.yaml", outside / "claims" / "rotation.yaml")
    relative = Path("../../..", outside.parent.name, ".vouch/claims/rotation.yaml")
    link(kb_dir, "claims/more.yaml", relative)


def link_folder(kb_dir: Path, outside: Path) -> None:
    (kb_dir / "claims").rename(kb_dir / "before")
    link(kb_dir, "claims", outside / "claims")


def link_twice(kb_dir: Path, outside: Path) -> None:
    link(kb_dir, "way", outside)
    link(kb_dir, "sources/s", kb_dir / "way/claims")
    link(kb_dir, "claims/more.yaml", kb_dir / "way/claims/rotation.yaml")


def special(kb_dir: Path, _: Path) -> None:
    os.mkfifo(kb_dir / "claims" / "pipe.yaml")
    link(kb_dir, "claims/null.yaml", "/dev/zero")
    link(kb_dir, "claims/loop.yaml", kb_dir / "claims/loop.yaml")
    (kb_dir / "claims" / "folder.yaml").mkdir()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A knowledge base beside a folder full of what must not be read."""
    data = claim("rotation", text=SECRET)
    base(tmp_path / SECRET, {f"{kind}/rotation.yaml": data for kind in ("claims", "pages")})
    return base(tmp_path / "kb")


@pytest.mark.parametrize("plant", [link_file, link_folder, link_twice, special])
def test_what_leads_out_is_not_opened(root: Path, plant: Plant) -> None:
    said(root)  # imports what reads records
    plant(root / ".vouch", root.parent / SECRET / ".vouch")
    paths: list[str] = []
    _opened.append(paths)
    text = said(root)
    _opened.clear()
    assert SECRET not in text
    absolute = [path for path in paths if path.startswith("/")]
    assert absolute
    assert all(os.path.realpath(path).startswith(str(root)) for path in absolute)


@pytest.mark.parametrize("plant", [link_file, link_folder])
def test_an_exchange_is_not_read(root: Path, plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    look = artifact_files.survey

    def survey(*args: Any, **kwargs: Any) -> Any:
        found = look(*args, **kwargs)
        plant(root / ".vouch", root.parent / SECRET / ".vouch")
        return found

    monkeypatch.setattr(store, "survey", survey)
    assert SECRET not in said(root)
