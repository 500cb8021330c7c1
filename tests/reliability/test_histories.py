"""A knowledge base whose files changed while it was served answers as one that is read fresh."""

import random
from pathlib import Path
from typing import Any

import pytest
from vouch_sidecar.engine.disk_reader import DiskReader
from vouch_sidecar.index.base_cache import Bases
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.kb.access import OPEN
from vouch_sidecar.kb.store import GRACE_SECONDS

from tests.conftest import LONG
from tests.engine.bases import Clock, write
from tests.engine.world import SENTENCES, SOURCES, any_file
from tests.kb.samples import make_kb

STEPS = 8
BROKEN = f"<<<<<<< a\ntext: {SENTENCES[0]}\n=======\ntext: No.\n>>>>>>> b\nevidence: [ev1, ev2]\n"
"""A file that says nothing."""
FLIPS = [(b"status: stable", b"status: redacted"), (b"visibility: project", b"visibility: private")]
"""What alone a change of a claim may change, either way."""


def change(root: Path, rng: random.Random) -> str:
    """Change one file; returns which."""
    (path, data), way = any_file(rng, 7), rng.random()
    if way < 0.12:
        (root / ".vouch" / path).unlink(missing_ok=True)
        return f"- {path}"
    if way < 0.18 and not path.startswith("sources"):
        data = BROKEN.encode()
    if way > 0.95 and path.startswith("claims/"):
        path = f"claims/other{rng.randrange(2)}.yaml"
    if 0.8 > way > 0.6 and (claims := sorted((root / ".vouch" / "claims").iterdir())):
        file, flip = rng.choice(claims), rng.choice(FLIPS)
        path, data = f"claims/{file.name}", file.read_bytes()
        data = data.replace(*(flip if flip[0] in data else flip[::-1]))
    write(root, path, data)
    return f"+ {path} {data.decode()!r}"


def told(knowledge: Knowledge) -> dict[object, Any]:
    """Every document, all artifacts that somebody may see, and what of sources is hidden."""
    found: dict[object, Any] = {}
    for document in knowledge.documents():
        fields = {name: value for name, value in document.to_dict().items() if value}
        found[str((fields["key"], fields["place"]))] = fields
    for key in {**knowledge.records, **knowledge.states}:
        found[key] = knowledge.artifact(key), knowledge.state(key)
    for source in SOURCES:
        for gates in ({OPEN}, {OPEN, "agent:ada"}, {OPEN, "project:courier"}):
            found[source, *sorted(gates)] = knowledge.concealed(source, frozenset(gates))
    return found


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2_000 if LONG else 24))
def test_live_is_as_read_fresh(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With restarts, and changes while a base is written for the next process."""
    monkeypatch.setattr("vouch_sidecar.engine.disk_reader.REBASE_FROM", 1)
    rng, clock, root = random.Random(seed), Clock(), tmp_path / "kb"
    kb_dir = make_kb(root)
    done = [change(root, rng) for _ in range(25)]

    def settled(reader: DiskReader) -> dict[object, Any]:
        reader.read()
        clock.now += 2 * GRACE_SECONDS
        reader.read()
        return told(reader.latest)

    def served() -> DiskReader:
        return DiskReader(kb_dir, clock, Bases(tmp_path / "cache", kb_dir))

    live = served()
    settled(live)
    for _ in range(STEPS):
        how = rng.random()
        if how < 0.2:
            live.keep()
        if 0.1 < how < 0.3:
            live = served()
        done += [f"{how:.2f}", *(change(root, rng) for _ in range(rng.choice((1, 1, 1, 2, 5))))]
        live.read()
        if 0.3 < how < 0.5:
            live.keep()
            done.append(change(root, rng))
        assert settled(live) == settled(DiskReader(kb_dir, clock, None)), "\n".join(done)
