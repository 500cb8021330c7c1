"""What a withheld claim closes stays closed where its file can't be used."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest
from vouch_sidecar.engine import Engine

from tests.engine.bases import Clock, ask, base, cached, engine_on, write
from tests.kb.samples import claim, dump

RECEIPT = "The Key Vault rotates its keys nightly"
SECRET = "zephyr code 4711"
CONTENT = f"{RECEIPT} with the {SECRET}. The Key Vault has two doors.\n".encode()
SOURCE = sha256(CONTENT).hexdigest()
PRIVATE = {"visibility": "private", "agent": "ada"}
FAULTS: dict[str, dict[str, object]] = {
    "misspelt": {"scope": {"visibilty": "private", "agent": "ada"}},
    "unknown visibility": {"scope": {"visibility": "secret"}},
    "misspelt status": {"status": "redcated"},
    "private, bad date": {"scope": PRIVATE, "updated_at": "soon"},
    "redacted, bad confidence": {"status": "redacted", "confidence": 7},
}
CITED: dict[str, dict[str, object]] = {
    "by its text": {"text": f"The {SECRET}.", "evidence": ["gone"]},
    "by what it cites": {"text": "It is what it is.", "evidence": [SOURCE]},
}


def lay(folder: Path) -> Path:
    root = base(folder / "kb")
    write(root, f"sources/{SOURCE}/content", CONTENT)
    meta = {"id": SOURCE, "type": "file", "locator": "docs/a.md"}
    write(root, f"sources/{SOURCE}/meta.yaml", meta)
    place = {"quote": RECEIPT, "byte_start": 0, "byte_end": len(RECEIPT)}
    write(root, "evidence/e.yaml", {"id": "e", "source_id": SOURCE, "locator": "L1", **place})
    write(root, "claims/open.yaml", claim("open", text=f"{RECEIPT}.", evidence=["e"]))
    return root


def said(engine: Engine) -> str:
    shown = ask(engine, "claim", id="open")["claim"]["said"]
    assert isinstance(shown, str)
    return shown


def in_conflict(data: bytes) -> bytes:
    return b"<<<<<<< HEAD\n" + data + b"=======\n" + data + b">>>>>>> main\n"


def test_the_sentence_is_said_where_nothing_is_withheld(tmp_path: Path) -> None:
    assert SECRET in said(engine_on(lay(tmp_path)))


@pytest.mark.parametrize("fields", CITED.values(), ids=CITED)
@pytest.mark.parametrize("fault", [*FAULTS.values(), None], ids=[*FAULTS, "conflict"])
def test_at_a_start(
    tmp_path: Path, fault: dict[str, object] | None, fields: dict[str, object]
) -> None:
    root = lay(tmp_path)
    data = claim("hidden", **fields, **(fault or {"scope": PRIVATE}))
    write(root, "claims/hidden.yaml", in_conflict(data) if fault is None else data)
    for _ in range(2):  # from the files, then from the cache
        engine = engine_on(root, env=cached(tmp_path))
        assert SECRET not in said(engine)
        for collection in engine.registry.collections.values():
            collection.reader.keep_up(whole=True)
    (root / ".vouch/claims/hidden.yaml").unlink()
    assert SECRET in said(engine_on(root, env=cached(tmp_path)))


@pytest.mark.parametrize("fields", CITED.values(), ids=CITED)
@pytest.mark.parametrize("withheld", [{"scope": PRIVATE}, {"status": "redacted"}], ids=str)
@pytest.mark.parametrize("is_readable", [True, False])
def test_while_running(
    tmp_path: Path, fields: dict[str, object], withheld: dict[str, object], is_readable: bool
) -> None:
    root, clock = lay(tmp_path), Clock()
    data = claim("hidden", **fields, **withheld)
    write(root, "claims/hidden.yaml", data)
    engine = engine_on(root, env=cached(tmp_path), clock=clock)
    assert SECRET not in said(engine)
    write(root, "claims/hidden.yaml", in_conflict(data) if is_readable else b"\xff" * 2_000_000)
    for _ in range(3):
        engine.read()
        assert SECRET not in said(engine)
        clock.now += 60
    write(root, "claims/hidden.yaml", claim("hidden", text="Doors are grey.", evidence=["gone"]))
    engine.read()
    assert SECRET in said(engine)


def test_an_open_claim_closes_its_sentence_until_it_is_mended(tmp_path: Path) -> None:
    root = lay(tmp_path)
    fields = CITED["by its text"]
    write(root, "claims/hidden.yaml", claim("hidden", **fields, confidence=7))
    engine = engine_on(root)
    assert SECRET not in said(engine)
    write(root, "claims/hidden.yaml", claim("hidden", **fields))
    engine.read()
    assert SECRET in said(engine)


@pytest.mark.parametrize("withheld", [{"scope": PRIVATE}, {"status": "redacted"}], ids=str)
def test_faulty_evidence_of_a_secret_claim_closes_its_source(
    tmp_path: Path, withheld: dict[str, object]
) -> None:
    root, clock = lay(tmp_path), Clock()
    start = CONTENT.index(SECRET.encode())
    place = {"quote": SECRET, "byte_start": start, "byte_end": start + len(SECRET)}
    quote = dump({"id": "hers", "source_id": SOURCE, "locator": "L1", **place})
    file = write(root, "evidence/hers.yaml", quote)
    hidden = claim("hidden", text="It is what it is.", evidence=["hers"], **withheld)
    write(root, "claims/hidden.yaml", hidden)
    engine = engine_on(root, env=cached(tmp_path), clock=clock)
    assert SECRET not in said(engine)
    for faulty in (quote + b"<<<<<<< HEAD\nx: [\n", b"\xff" * 2_000_000):
        write(root, "evidence/hers.yaml", faulty)
        for _ in range(3):
            engine.read()
            assert SECRET not in said(engine)
            clock.now += 61
        assert all(c.reader.store.is_settled() for c in engine.registry.collections.values())
    write(root, "evidence/hers.yaml", quote + b"<<<<<<< HEAD\nx: [\n")
    assert SECRET not in said(engine_on(root))
    file.unlink()
    engine.read()
    assert SECRET in said(engine)


def test_a_faulty_file_does_not_stand_in_the_way_of_a_good_one_with_its_id(tmp_path: Path) -> None:
    root = base(tmp_path / "kb")
    write(root, "claims/z.yaml", claim("twice", text="Pumps hum at night.", entities=[]))
    write(root, "claims/a.yaml", claim("twice", text="Pumps hum.", entities=[], confidence=9))
    engine = engine_on(root)
    assert ask(engine, "claim", id="twice")["claim"]["text"] == "Pumps hum at night."
    problems = ask(engine, "status")["roots"][0]["problems"]
    assert [one["line"] for one in problems if one["path"] == "claims/a.yaml"] == [5]
