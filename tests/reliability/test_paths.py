"""No file outside the folder of a knowledge base is opened, whatever stands in it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from vouch_sidecar.kb import artifact_files, store
from vouch_sidecar.kb.store import Store

from tests.engine.bases import base, write
from tests.kb.samples import claim

SECRET = "outside"
_opened: list[str] | None = None


def _note(event: str, args: tuple[Any, ...]) -> None:
    """An audit hook can't be taken off: it notes while somebody wants it to."""
    if event == "open" and _opened is not None and isinstance(args[0], str | bytes):
        _opened.append(os.fsdecode(args[0]))


sys.addaudithook(_note)


@contextmanager
def opened() -> Iterator[list[str]]:
    """The paths that are opened meanwhile."""
    global _opened
    found: list[str] = []
    _opened = found
    try:
        yield found
    finally:
        _opened = None


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder full of what must not be read."""
    folder = base(tmp_path / "outside")
    for kind in ("claims", "entities", "pages"):
        write(folder, f"{kind}/rotation.yaml", claim("rotation", text=SECRET))
    return folder / ".vouch"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return base(tmp_path / "kb")


def said(found: Store) -> str:
    """All that a store takes from the disk, as text."""
    return repr(found.reconcile().records)


def link_file(kb_dir: Path, outside: Path) -> None:
    (kb_dir / "claims" / "rotation.yaml").unlink()
    (kb_dir / "claims" / "rotation.yaml").symlink_to(outside / "claims" / "rotation.yaml")


def link_folder(kb_dir: Path, outside: Path) -> None:
    (kb_dir / "claims").rename(kb_dir / "before")
    (kb_dir / "claims").symlink_to(outside / "claims")


def link_relative(kb_dir: Path, outside: Path) -> None:
    (kb_dir / "claims" / "more.yaml").symlink_to(
        Path("..", "..", "..", outside.parent.name, ".vouch", "claims", "rotation.yaml")
    )


def link_twice(kb_dir: Path, outside: Path) -> None:
    (kb_dir / "way").symlink_to(outside)
    (kb_dir / "sources" / "s").symlink_to(kb_dir / "way" / "claims")
    (kb_dir / "claims" / "more.yaml").symlink_to(kb_dir / "way" / "claims" / "rotation.yaml")


def special(kb_dir: Path, _: Path) -> None:
    os.mkfifo(kb_dir / "claims" / "pipe.yaml")
    (kb_dir / "claims" / "null.yaml").symlink_to("/dev/zero")
    (kb_dir / "claims" / "loop.yaml").symlink_to(kb_dir / "claims" / "loop.yaml")
    (kb_dir / "claims" / "folder.yaml").mkdir()


Plant = Callable[[Path, Path], None]
PLANTS = [link_file, link_folder, link_relative, link_twice, special]


@pytest.mark.parametrize("plant", PLANTS)
def test_what_leads_out_is_not_opened(root: Path, outside: Path, plant: Plant) -> None:
    said(Store(root / ".vouch"))  # imports what reads records
    plant(root / ".vouch", outside)
    with opened() as paths:
        text = said(Store(root / ".vouch"))
    assert SECRET not in text
    assert not [path for path in paths if path.startswith("/") and not _is_in(path, root)]


def _is_in(path: str, root: Path) -> bool:
    return os.path.realpath(path).startswith(str(root))


@pytest.mark.parametrize("plant", [link_file, link_folder])
def test_what_is_exchanged_after_it_was_looked_at_is_not_read(
    root: Path, outside: Path, plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = artifact_files.survey

    def survey(*args: Any, **kwargs: Any) -> Any:
        found = look(*args, **kwargs)
        plant(root / ".vouch", outside)
        return found

    monkeypatch.setattr(store, "survey", survey)
    assert SECRET not in said(Store(root / ".vouch"))
