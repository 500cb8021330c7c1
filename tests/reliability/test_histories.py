"""A knowledge base whose files changed while it was served answers as one that is read fresh."""

from __future__ import annotations

import random
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from vouch_sidecar.engine.disk_reader import DiskReader
from vouch_sidecar.index.base_cache import Bases
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.kb.access import OPEN
from vouch_sidecar.kb.artifact_files import slug_of
from vouch_sidecar.kb.store import GRACE_SECONDS

from tests.engine.bases import Clock, write
from tests.kb.samples import claim, dump, entity, make_kb, page
from tests.soak import LONG, soak

SEEDS = range(2_000 if LONG else 40)
STEPS = 8
SENTENCES = (
    "The vault key lies under the mat.",
    "Doors open at nine in the morning, and the vault key lies under the mat.",
    "Couriers sign a_b.md twice.",
    "At night the gate does *not*:",
    "let couriers in.",
    "mail the red team.",
    "Couriers sign the ledger in Köln.",
)
CONTENT = """\
# Where the key is

{0} {1}

{2} The first is alone. {0}

## Gate

{3}

- {4}
- {5} {2}

{6}
""".format(*SENTENCES)
CONTENTS = (
    CONTENT,
    CONTENT.replace("nine", "ten") + "\nA line more.\n",
    "Nothing of it is here.\n",
)
SOURCES = [sha256(content.encode()).hexdigest() for content in CONTENTS]
SCOPES: list[object] = [
    *[{"visibility": "project"}] * 6,
    {"visibility": "private", "agent": "ada"},
    {"visibility": "project", "project": "courier"},
    {"visibility": "private"},
]
STATUSES = [*["stable"] * 6, "redacted", "redacted", "superseded", "archived"]
TEXTS = (
    *SENTENCES,
    "vault key lies under the mat",
    "Where the key is: the vault key lies under the mat.",
    "Gate is red",
    "gate 7",
    "At night the gate does not let couriers in.",
    "the mat. Doors open",
    "Couriers carry 1,000 parcels.",
    "Couriers c**arr**y 1000 parcels.",
    "So couriers carry 1&#48;00 parcels here.",
    "Couriers\u200bcarry [claim: c1] 1 000 parcels.",
    "The gate password=[redacted-secret] lies under the mat.",
    "The gate password=mat4711 lies under the mat.",
    "- `the-gate-password-mat4711-lies-under-the-mat`",
    "金庫の**鍵**はマットの下にある",
    "金庫の鍵はマットの下",
)
CLAIMS = [f"c{number}" for number in range(7)]
EVIDENCE = [f"ev{number}" for number in range(8)]
BROKEN = f"""\
<<<<<<< a
text: {SENTENCES[0]}
=======
text: Nobody said it.
>>>>>>> b
evidence: [ev1, ev2]
source_id: {SOURCES[0]}
"""
"""A file that says nothing."""


class Files:
    """Random files of one knowledge base."""

    def __init__(self, root: Path, rng: random.Random) -> None:
        self.root = root
        self.rng = rng
        make_kb(root)

    def change(self) -> str:
        """Change one file; returns which."""
        rng = self.rng
        path, data = rng.choice(
            (self.claim, self.claim, self.claim, self.evidence, self.evidence, self.source,
             self.content, self.page, self.page, self.entity, self.relation)
        )()  # fmt: skip
        file = self.root / ".vouch" / path
        way = rng.random()
        if way < 0.12:
            file.unlink(missing_ok=True)
            return f"- {path}"
        if way < 0.18 and not path.startswith("sources"):
            data = BROKEN.encode()
        if way > 0.95 and path.startswith("claims/"):
            path = f"claims/other{rng.randrange(2)}.yaml"
        write(self.root, path, data)
        return f"+ {path} {data.decode()!r}"

    def claim(self) -> tuple[str, bytes]:
        rng = self.rng
        text = rng.choice(TEXTS)
        earlier = text.replace("[redacted-secret]", "mat4711")
        name = slug_of(earlier) if rng.random() < 0.5 else rng.choice(CLAIMS)
        cited = [*EVIDENCE, *EVIDENCE, *SOURCES[:2], "gone"]
        fields: dict[str, object] = {
            "text": text,
            "status": rng.choice(STATUSES),
            "scope": rng.choice(SCOPES),
            "evidence": rng.sample(cited, rng.choice((1, 1, 2))),
            "entities": rng.choice(([], [], ["e0"], ["e1", "e9"])),
            "tags": rng.choice(([], ["mat"], ["vault key lies under the mat"])),
            "auto_approved": rng.random() < 0.3,
        }
        if rng.random() < 0.2:
            fields["contradicts"] = [rng.choice(CLAIMS)]
        if rng.random() < 0.2:
            fields["superseded_by"] = rng.choice(CLAIMS)
        return f"claims/{name}.yaml", claim(name, **fields)

    def evidence(self) -> tuple[str, bytes]:
        rng = self.rng
        name, source = rng.choice(EVIDENCE), rng.randrange(2)
        quote = rng.choice(SENTENCES)
        start = CONTENTS[source].encode().find(quote.encode())
        end = start + len(quote.encode())
        fields: dict[str, object] = {
            "id": name,
            "source_id": SOURCES[source],
            "locator": rng.choice(("b12", "where the vault key lies under the mat")),
            "quote": quote,
        }
        form = rng.random()
        if start >= 0 and form < 0.8:
            fields |= {"byte_start": start, "byte_end": end}
        if form < 0.05:
            fields["quote"] = "forged"
        if 0.05 < form < 0.1:
            del fields["quote"]
        return f"evidence/{name}.yaml", dump(fields)

    def source(self) -> tuple[str, bytes]:
        rng = self.rng
        source = rng.choice(SOURCES)
        fields = {
            "id": source,
            "locator": rng.choice(("a.md", "a.md", "b.md", rng.choice(SENTENCES))),
            "title": rng.choice((None, "Doors", rng.choice(TEXTS))),
            "type": rng.choice(("file", "message")),
            "scope": rng.choice(SCOPES),
            "metadata": rng.choice(({}, {"question": rng.choice(TEXTS)})),
        }
        return f"sources/{source}/meta.yaml", dump(fields)

    def content(self) -> tuple[str, bytes]:
        number = self.rng.randrange(len(SOURCES))
        data = CONTENTS[number].encode() if self.rng.random() < 0.85 else b"damaged"
        return f"sources/{SOURCES[number]}/content", data

    def page(self) -> tuple[str, bytes]:
        rng = self.rng
        body = "\n\n".join(
            rng.choice((*TEXTS, f"- One. [claim: {rng.choice(CLAIMS)}]\n- Two.", "# Gate"))
            for _ in range(4)
        )
        name = rng.choice(("p0", "p1", slug_of(SENTENCES[0])))
        fields: dict[str, object] = {
            "title": rng.choice(("Where", rng.choice(TEXTS))),
            "status": rng.choice(("active", "active", "archived")),
            "claims": rng.sample(CLAIMS, 2),
            "entities": rng.choice(([], ["e0"], ["e0", "e1"])),
            "tags": rng.choice(([], ["vault key lies under the mat"])),
            "scope": rng.choice(SCOPES),
        }
        return f"pages/{name}.md", page(body, id=name, **fields)

    def entity(self) -> tuple[str, bytes]:
        rng = self.rng
        name = rng.choice(("e0", "e1"))
        fields: dict[str, object] = {
            "name": rng.choice(("Vault", "Gate", "Couriers", rng.choice(TEXTS))),
            "aliases": rng.choice(([], ["key", rng.choice(TEXTS)])),
            "description": rng.choice((None, rng.choice(TEXTS))),
            "page": rng.choice((None, "p0")),
        }
        return f"entities/{name}.yaml", entity(name, **fields)

    def relation(self) -> tuple[str, bytes]:
        rng = self.rng
        ends = [rng.choice((*CLAIMS, "e0", "e1", "p0", *SOURCES)) for _ in range(2)]
        fields = {"id": "r0", "source": ends[0], "relation": "supports", "target": ends[1]}
        return "relations/r0.yaml", dump(fields)


def told(knowledge: Knowledge) -> dict[object, Any]:
    """Every document of a generation, every artifact that somebody may see, and what of each source
    is hidden from whom.
    """
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


class Served:
    """A knowledge base that is served while its files change, now and then by another process."""

    def __init__(self, folder: Path, files: Files) -> None:
        self.files = files
        self.clock = Clock()
        self._cache = folder / "cache"
        self.live = self._reader()

    def step(self, rng: random.Random) -> list[str]:
        """Change some files and read them; returns what was done."""
        done, how = list[str](), rng.random()
        if how < 0.2:
            self.live.keep(whole=True)
        if 0.1 < how < 0.3:
            self.live = self._reader()
            done.append("restart")
        done += [self.files.change() for _ in range(rng.choice((1, 1, 1, 2, 5)))]
        self.live.read()
        if 0.3 < how < 0.5:
            self.live.keep(whole=True)
            done += ["kept", self.files.change()]
        self._settle(self.live)
        return done

    def fresh(self) -> Knowledge:
        """What is known of the files as they are now."""
        reader = DiskReader(self.files.root, self.clock, None)
        self._settle(reader)
        return reader.latest

    def _reader(self) -> DiskReader:
        return DiskReader(self.files.root, self.clock, Bases(self._cache, self.files.root))

    def _settle(self, reader: DiskReader) -> None:
        reader.read()
        self.clock.now += 2 * GRACE_SECONDS
        reader.read()


@soak
@pytest.mark.parametrize("seed", SEEDS)
def test_what_changes_live_is_told_as_what_is_read_fresh(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    files = Files(tmp_path / "kb", rng)
    for _ in range(25):
        files.change()
    served = Served(tmp_path, files)
    served.live.read()
    done = list[str]()
    for _ in range(STEPS):
        done += ["", *served.step(rng)]
        live, fresh = told(served.live.latest), told(served.fresh())
        differing = [key for key in {*live, *fresh} if live.get(key) != fresh.get(key)]
        assert {key: live.get(key) for key in differing} == {
            key: fresh.get(key) for key in differing
        }, "\n".join(done)
