"""Small knowledge bases written by hand."""

import hashlib
from pathlib import Path

from tests.kb import samples
from tests.kb.samples import make_kb, put

SOURCE = hashlib.sha256(b"Auth notes").hexdigest()
EVIDENCE = "ev-0000000000000001"


def make(root: Path, name: str | None = None) -> Path:
    """A knowledge base with JWT, Redis and a few claims; the folder that holds `.vouch/`."""
    make_kb(root)
    config(root, f"kb:\n  name: {name or root.name}\n")
    entity(root, "jwt", "JWT", "JSON Web Token")
    entity(root, "redis", "Redis")
    notes = samples.source(b"Auth notes", type="file", locator="docs/auth.md", title="Auth notes")
    for path, data in notes.items():
        write(root, path, data.decode())
    claim(root, "jwt-expires", "JWT access tokens expire after 15 minutes.", "jwt")
    claim(root, "jwt-rotates", "Refresh tokens for JWT rotate on every use.", "jwt", "redis")
    claim(root, "redis-holds", "Redis holds the sessions.", "redis")
    return root


def library(root: Path) -> Path:
    """As `make`, with everything that an id can stand in, and the cited document."""
    make(root)
    (root / "docs").mkdir()
    (root / "docs" / "auth.md").write_text("# Auth\n\nTokens expire.\n", "utf-8")
    retired = {"status": "superseded", "superseded_by": "jwt-expires"}
    claim(root, "jwt-old", "JWT access tokens never expire.", "jwt", **retired)
    cites = {"supersedes": ["jwt-old"], "evidence": [EVIDENCE, SOURCE]}
    claim(root, "jwt-cites", "JWT is cited by evidence.", "jwt", **cites)
    evidence = f"id: {EVIDENCE}\nsource_id: {SOURCE}\nlocator: L3\nquote: Tokens expire.\n"
    write(root, f"evidence/{EVIDENCE}.yaml", evidence)
    relation = "id: jwt-uses-redis\nsource: jwt\nrelation: uses\ntarget: redis\n"
    write(root, "relations/jwt-uses-redis.yaml", relation)
    write(
        root,
        "pages/auth.md",
        "---\nid: auth\ntitle: Auth guide\nstatus: active\nclaims: [jwt-expires, jwt-old]\n"
        f"entities:\n- jwt\nsources:\n- {SOURCE}\n---\n# Auth\n\nAs [claim: jwt-rotates] says,"
        " [[redis]] holds it.\n\n## Tokens\n\nShort.\n",
    )
    starter = "---\nid: edit-in-obsidian\ntitle: Edit in Obsidian\n---\nOpen the vault.\n"
    write(root, "pages/edit-in-obsidian.md", starter)
    return root


def write(root: Path, relative: str, text: str) -> Path:
    return put(root / ".vouch", relative, text.encode(), age=0)


def config(root: Path, text: str) -> None:
    write(root, "config.yaml", text)


def entity(root: Path, entity_id: str, name: str, *aliases: str, kind: str = "concept") -> Path:
    said = samples.entity(entity_id, name=name, type=kind, aliases=[*aliases])
    return write(root, f"entities/{entity_id}.yaml", said.decode())


def claim(root: Path, claim_id: str, text: str, *entities: str, **fields: object) -> Path:
    return write(root, f"claims/{claim_id}.yaml", claim_text(claim_id, text, *entities, **fields))


def claim_text(claim_id: str, text: str, *entities: str, **fields: object) -> str:
    given = {"type": "fact", "evidence": [SOURCE], "updated_at": "2026-05-04T10:00:00Z"} | fields
    return samples.claim(claim_id, text=text, entities=[*entities], **given).decode()


def digest(root: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in (root / ".vouch").rglob("*") if path.is_file()}
