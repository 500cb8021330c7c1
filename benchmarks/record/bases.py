"""The knowledge bases that are asked, each a copy in a folder of its own."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Container, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from benchmarks import generate
from benchmarks.record import rarities
from benchmarks.record.material import read

ROOT = Path(__file__).resolve().parents[2]
COURIER = ROOT / "examples" / "courier"
SHARED = ROOT.parent / "shared" / "kbs"
GENERATED = "generated"
WRITTEN = datetime(2026, 10, 1, tzinfo=UTC).timestamp()
"""When every file was last changed, as its time stamp has it."""


class Base(NamedTuple):
    """A knowledge base, how much is asked of it (1: of the generated one), and what is looked up in
    it whatever else is asked, as operation and id.
    """

    root: Path
    share: float
    looked_up: tuple[tuple[str, str], ...] = ()


def bases(folder: Path, only: Container[str] = ()) -> Iterator[Base]:
    """Put the knowledge bases into an empty folder, one at a time; those of `only`, if any."""
    for source in (COURIER, *sorted(path.parent for path in SHARED.glob("*/.vouch"))):
        if not only or source.name in only:
            root = shutil.copytree(source, folder / source.name)
            yield _aged(Base(root, 0.15 if source == COURIER else 0.08))
    if not only or GENERATED in only:
        root = folder / GENERATED
        generate.write(root, generate.MEDIUM)
        yield _aged(Base(root, 1.0, tuple(rarities.add(root, read(root)))))


def digest(root: Path) -> str:
    """What tells the files of two knowledge bases apart."""
    made = hashlib.sha256()
    for path in _files(root):
        made.update(f"{path.relative_to(root)}\0".encode())
        made.update(hashlib.sha256(path.read_bytes()).digest())
    return made.hexdigest()


def _aged(base: Base) -> Base:
    for path in _files(base.root):
        os.utime(path, (WRITTEN, WRITTEN))
    return base


def _files(root: Path) -> list[Path]:
    return sorted(path for path in (root / ".vouch").rglob("*") if path.is_file())
