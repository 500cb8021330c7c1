"""Texts of a generation and their vectors: what is compared, and how they are kept."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from vouch_sidecar.index.base_cache import Bases
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.kb.records import Artifact, Claim, Entity, Kind, Page, Scope
from vouch_sidecar.semantic.embedded_texts import KINDS, texts_of
from vouch_sidecar.semantic.vectors import arranged

from tests.index.worlds import knowledge_of
from tests.kb.samples import make_kb

ADA = Scope("private", agent="ada")
ARTIFACTS: list[Artifact] = [
    Claim("open", "claims/open.yaml", "Keys rotate weekly."),
    Claim("ada", "claims/ada.yaml", "Ada keeps the keys.", scope=ADA),
    Claim("kana", "claims/kana.yaml", "鍵は毎週変わる"),
    Entity("named", "entities/named.yaml", "Vault", "system"),
    Entity("told", "entities/told.yaml", "Queue", "system", description="Holds what waits."),
    Page("page", "pages/page.md", "Keys", body="First.\n\n# Second\n\nAnd this.\n"),
]
QUERY = np.array([1, 0], np.float32)


def test_claims_descriptions_and_sections_are_compared() -> None:
    _, texts = texts_of(knowledge_of(ARTIFACTS), any_script=False)
    assert set(texts.values()) == {
        "Keys rotate weekly.",
        "Ada keeps the keys.",
        "Queue: Holds what waits.",
        "Keys\nFirst.\n\n",
        "Keys\n# Second\n\nAnd this.\n",
    }
    _, others = texts_of(knowledge_of(ARTIFACTS), any_script=True)
    assert set(others.values()) - set(texts.values()) == {"鍵は毎週変わる"}


def test_the_nearest_come_first_and_no_more_than_asked() -> None:
    rows, by_mark = texts_of(knowledge_of(ARTIFACTS), any_script=False)
    angles = {mark: n / 4 for n, mark in enumerate(sorted(by_mark))}
    known = {m: np.array([np.cos(a), np.sin(a)], np.float32) for m, a in angles.items()}
    vectors, gates = arranged(rows, known), ["open", "agent:ada"]
    everything = vectors.nearest(QUERY, KINDS, gates, 0.0, 9)
    assert [row.mark for row, _ in everything] == sorted(by_mark)
    cosines = [cosine for _, cosine in everything]
    assert cosines == sorted(cosines, reverse=True)
    assert vectors.nearest(QUERY, KINDS, gates, 0.0, 2) == everything[:2]
    assert vectors.nearest(QUERY, KINDS, gates, cosines[2], 9) == everything[:3]
    hers = [row.id for row, _ in everything if row.gate != "open"]
    assert hers == ["ada"]
    assert vectors.nearest(QUERY, KINDS, ["open"], 0.0, 9) == [
        (row, cosine) for row, cosine in everything if row.gate == "open"
    ]
    assert vectors.nearest(QUERY, [Kind.PAGE], gates, 0.0, 9) == [
        (row, cosine) for row, cosine in everything if row.kind is Kind.PAGE
    ]


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
