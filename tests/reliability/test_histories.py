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
    "mail the red team.",
    "Couriers sign the ledger in Köln.",
)
CONTENT = """\
# Where the key is

{0} {1}

{2} The first is alone. {0}

## Gate

At night the gate does *not*:

- {3}
- {4} {2}
""".format(*SENTENCES)
CONTENTS = (CONTENT, CONTENT.replace("nine", "ten") + "\nA line more.\n", "Nothing is here.\n")
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
    "Gate is red",
    "gate 7",
    "Couriers c**arr**y 1000 parcels.",
    "Couriers\u200bcarry [claim: c1] 1 000 parcels.",
    "金庫の鍵はマットの下",
)
CLAIMS = [f"c{number}" for number in range(7)]
EVIDENCE = [f"ev{number}" for number in range(8)]
KINDS = ["claim"] * 3 + ["evidence"] * 2 + ["page"] * 2 + "source content entity relation".split()
BROKEN = f"<<<<<<< a\ntext: {SENTENCES[0]}\n=======\ntext: No.\n>>>>>>> b\nevidence: [ev1, ev2]\n"
"""A file that says nothing."""


def any_file(rng: random.Random) -> tuple[str, bytes]:
    """The path of a file, and what it holds."""
    pick, text, source = rng.choice, rng.choice(TEXTS), rng.randrange(2)
    match pick(KINDS):
        case "claim":
            name = slug_of(text) if rng.random() < 0.5 else pick(CLAIMS)
            cited = [*EVIDENCE, *EVIDENCE, *SOURCES[:2], "gone"]
            fields: dict[str, Any] = {
                "text": text,
                "status": pick(STATUSES),
                "scope": pick(SCOPES),
                "evidence": rng.sample(cited, pick((1, 1, 2))),
                "entities": pick(([], [], ["e0"], ["e1", "e9"])),
                "tags": pick(([], ["mat"], ["vault key lies under the mat"])),
                "auto_approved": pick((False, False, True)),
                "contradicts": pick(([], [], [], [pick(CLAIMS)])),
                "superseded_by": pick((None, None, None, pick(CLAIMS))),
            }
            return f"claims/{name}.yaml", claim(name, **fields)
        case "evidence":
            name, quote = pick(EVIDENCE), pick(SENTENCES)
            start = CONTENTS[source].encode().find(quote.encode())
            fields = {"id": name, "source_id": SOURCES[source], "locator": pick(("b12", text))}
            fields |= {"quote": pick((*[quote] * 9, "forged", None))}
            if start >= 0 and rng.random() < 0.8:
                fields |= {"byte_start": start, "byte_end": start + len(quote.encode())}
            return f"evidence/{name}.yaml", dump(fields)
        case "source":
            fields = {
                "id": pick(SOURCES),
                "locator": pick(("a.md", "a.md", "b.md", text)),
                "title": pick((None, "Doors", text)),
                "type": pick(("file", "message")),
                "scope": pick(SCOPES),
                "metadata": pick(({}, {"question": text})),
            }
            return f"sources/{fields['id']}/meta.yaml", dump(fields)
        case "content":
            source = rng.randrange(len(SOURCES))
            data = pick((*[CONTENTS[source].encode()] * 6, b"damaged"))
            return f"sources/{SOURCES[source]}/content", data
        case "page":
            parts = (*TEXTS, f"- One. [claim: {pick(CLAIMS)}]\n- Two.", "# Gate")
            name = pick(("p0", "p1", slug_of(SENTENCES[0])))
            fields = {
                "title": pick(("Where", text)),
                "status": pick(("active", "active", "archived")),
                "claims": rng.sample(CLAIMS, 2),
                "entities": pick(([], ["e0"], ["e0", "e1"])),
                "tags": pick(([], ["vault key lies under the mat"])),
                "scope": pick(SCOPES),
            }
            return f"pages/{name}.md", page("\n\n".join(rng.choices(parts, k=4)), id=name, **fields)
        case "entity":
            fields = {
                "name": pick(("Vault", "Gate", "Couriers", text)),
                "aliases": pick(([], ["key", text])),
                "description": pick((None, text)),
                "page": pick((None, "p0")),
            }
            return f"entities/{(name := pick(('e0', 'e1')))}.yaml", entity(name, **fields)
        case _:
            source_id, target = rng.choices((*CLAIMS, "e0", "e1", "p0", *SOURCES), k=2)
            ends = {"source": source_id, "relation": "supports", "target": target}
            return "relations/r0.yaml", dump({"id": "r0", **ends})


def change(root: Path, rng: random.Random) -> str:
    """Change one file; returns which."""
    (path, data), way = any_file(rng), rng.random()
    if way < 0.12:
        (root / ".vouch" / path).unlink(missing_ok=True)
        return f"- {path}"
    if way < 0.18 and not path.startswith("sources"):
        data = BROKEN.encode()
    if way > 0.95 and path.startswith("claims/"):
        path = f"claims/other{rng.randrange(2)}.yaml"
    write(root, path, data)
    return f"+ {path} {data.decode()!r}"


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


@soak
@pytest.mark.parametrize("seed", SEEDS)
def test_what_changes_live_is_told_as_what_is_read_fresh(seed: int, tmp_path: Path) -> None:
    """With restarts, and changes while a base is written for the next process."""
    rng, clock, root = random.Random(seed), Clock(), tmp_path / "kb"
    make_kb(root)
    done = [change(root, rng) for _ in range(25)]

    def settled(reader: DiskReader) -> dict[object, Any]:
        reader.read()
        clock.now += 2 * GRACE_SECONDS
        reader.read()
        return told(reader.latest)

    def served() -> DiskReader:
        return DiskReader(root, clock, Bases(tmp_path / "cache", root))

    live = served()
    settled(live)
    for _ in range(STEPS):
        how = rng.random()
        if how < 0.2:
            live.keep(whole=True)
        if 0.1 < how < 0.3:
            live = served()
        done += [f"{how:.2f}", *(change(root, rng) for _ in range(rng.choice((1, 1, 1, 2, 5))))]
        live.read()
        if 0.3 < how < 0.5:
            live.keep(whole=True)
            done.append(change(root, rng))
        assert settled(live) == settled(DiskReader(root, clock, None)), "\n".join(done)
