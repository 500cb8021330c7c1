"""Whatever stands in a file, nothing is raised, and the work is bounded."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vouch_sidecar.kb.reader import parse
from vouch_sidecar.kb.yaml_document import MAX_NODES

from tests.engine.bases import base, engine_on, only, write
from tests.engine.world import said_by
from tests.kb.samples import claim, page

PATHS = ["claims/a.yaml", "pages/a.md", "entities/a.yaml", "sources/a/meta.yaml"]
PUT = [b"", b"\0", b"\n", b"- ", b"&a ", b"*a", b"{", b"]", b": ", b"'", b"\xff", b"---\n"]
PUT += [b"<<: ", b"!!int ", b"\t", b"\xc2\x85"]
MUTATIONS = st.lists(st.tuples(st.integers(0, 10_000), st.sampled_from(PUT)), max_size=8)


def bomb(depth: int, width: int) -> bytes:
    """Aliases of aliases."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * width)}]" for n in range(1, depth)]
    return "\n".join(lines).encode()


HOSTILE: dict[str, bytes] = {
    "alias bomb": bomb(9, 9),
    "merge bomb": b"a: &a {x: 1}\nb: &b {<<: [*a, *a, *a]}\nc: {<<: [*b, *b, *b]}\n",
    "alias to itself": b"a: &a [*a]\n",
    "nested brackets": b"[" * 50_000,
    "nested blocks": b"- " * 50_000 + b"x",
    "many values": b"text:\n" + b"- a\n" * (MAX_NODES * 10),
    "many keys": b"".join(b"k%d: 1\n" % n for n in range(MAX_NODES * 4)),
    "one key again and again": b"a: 1\n" * 9_000,
    "python tag": b"id: !!python/object/apply:os.system [id]\n",
    "unknown tag": b"id: !secret x\n",
    "binary": b"text: !!binary " + b"A" * 1000,
    "endless number": b"confidence: " + b"9" * 500_000,
    "sexagesimal": b"confidence: " + b":".join([b"59"] * 100_000),
    "not a number": b"confidence: .nan\n",
    "zero bytes": b"\0" * 4096,
    "bom in between": b"id: a\n\xef\xbb\xbftext: b\n",
    "directive": b"%YAML 9.9\n---\nid: a\n",
    "tabs": b"a:\n\t- b\n",
    "front matter without end": b"---\nid: a\n" + b"x" * 100_000,
    "front matter of bombs": b"---\n" + bomb(9, 9) + b"\n---\nbody\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_problems_and_nothing_else(name: str) -> None:
    for path in PATHS:
        reading = parse(path, HOSTILE[name])
        assert reading.artifact is None or name == "front matter without end"
        assert 1 <= len(reading.problems) <= 40
        assert all(len(problem.message) < 300 for problem in reading.problems)


def test_all_of_them_cost_the_rest_nothing(tmp_path: Path) -> None:
    root = base(tmp_path / "kb")
    clean = said_by(engine_on(root))
    for number, data in enumerate(HOSTILE.values()):
        for path in (f"claims/h{number}.yaml", f"pages/h{number}.md", f"entities/h{number}.yaml"):
            write(root, path, data)
    sparse = root / ".vouch" / "claims" / "sparse.yaml"
    sparse.touch()
    os.truncate(sparse, 1 << 40)
    engine = engine_on(root)
    said = said_by(engine)
    for key in clean:
        if not key.startswith(("search", "probe", "context")):
            wanted = clean[key].replace('"degraded": []', '"degraded": ["files_skipped"]')
            assert said[key] == wanted
    assert only(engine).on_disk.skipped > len(HOSTILE)


@given(st.sampled_from([claim(), page("# T\n\ntext\n")]), MUTATIONS)
def test_no_damage_of_a_file_raises(data: bytes, mutations: list[tuple[int, bytes]]) -> None:
    for at, put in mutations:
        at %= len(data) + 1
        data = data[:at] + put + data[at + (not put) :]
    for path in PATHS:
        reading = parse(path, data)
        assert reading.artifact is not None or reading.problems
