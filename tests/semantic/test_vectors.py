"""How vectors are kept beside the bases."""

from __future__ import annotations

from pathlib import Path

from vouch_sidecar.index.base_cache import Bases
from vouch_sidecar.index.knowledge import Knowledge

from tests.kb.samples import make_kb


def test_what_is_kept_beside_the_bases_is_written_anew_with_them(tmp_path: Path) -> None:
    make_kb(tmp_path / "kb")
    bases = Bases(tmp_path / "caches", tmp_path / "kb")
    assert not bases.write_extra("one", b"data")
    bases.write(Knowledge(), {}, None)
    assert not bases.has_extra("one")
    for name, data in (("one", b"data"), ("two-a", b"data"), ("two-b", b"other")):
        assert bases.write_extra(name, data)
    assert Bases(tmp_path / "caches", tmp_path / "kb").open() is not None
    kept = {name: bases.read_extra(name) for name in ("one", "two-a", "two-b", "three")}
    assert kept == {"one": b"data", "two-a": None, "two-b": b"other", "three": None}
    assert all(file.stat().st_mode & 0o077 == 0 for file in bases.folder.glob("beside-*"))
    file = bases.folder / "beside-two"
    file.write_bytes(file.read_bytes()[:-1])
    assert bases.read_extra("two-b") is None
    file.unlink()
    file.mkdir()  # nothing can take its place
    assert not bases.write_extra("two-b", b"other")
    assert not any(bases.folder.glob("unfinished-*"))
    bases.purge()
    assert bases.read_extra("one") == b"data"
    assert bases.has_extra("one")
    bases.write(Knowledge(), {}, None)
    assert not bases.has_extra("one")  # it is due to be written anew
