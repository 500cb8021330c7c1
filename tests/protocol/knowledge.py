"""Small knowledge bases written by hand."""

from __future__ import annotations

import hashlib
from pathlib import Path

__all__ = ["claim", "claim_text", "config", "digest", "entity", "make", "source"]

SOURCE = "a" * 64


def make(root: Path, name: str | None = None) -> Path:
    """A knowledge base with JWT, Redis and a few claims; the folder that holds `.vouch/`."""
    for folder in ("claims", "entities", "pages", "relations", "evidence", "sessions"):
        (root / ".vouch" / folder).mkdir(parents=True)
    config(root, f"kb:\n  name: {name or root.name}\n")
    entity(root, "jwt", "JWT", "JSON Web Token")
    entity(root, "redis", "Redis")
    source(root)
    claim(root, "jwt-expires", "JWT access tokens expire after 15 minutes.", "jwt")
    claim(root, "jwt-rotates", "Refresh tokens for JWT rotate on every use.", "jwt", "redis")
    claim(root, "redis-holds", "Redis holds the sessions.", "redis")
    return root


def config(root: Path, text: str) -> None:
    """Write `config.yaml`."""
    (root / ".vouch" / "config.yaml").write_text(text, encoding="utf-8")


def entity(root: Path, entity_id: str, name: str, *aliases: str) -> Path:
    """Write an entity; its file."""
    path = root / ".vouch" / "entities" / f"{entity_id}.yaml"
    path.write_text(
        f"id: {entity_id}\nname: {name!r}\ntype: concept\naliases: {list(aliases)!r}\n",
        encoding="utf-8",
    )
    return path


def claim(
    root: Path, claim_id: str, text: str, *entities: str, status: str = "stable", more: str = ""
) -> Path:
    """Write a claim; its file."""
    path = root / ".vouch" / "claims" / f"{claim_id}.yaml"
    path.write_text(claim_text(claim_id, text, *entities, status=status, more=more), "utf-8")
    return path


def claim_text(
    claim_id: str, text: str, *entities: str, status: str = "stable", more: str = ""
) -> str:
    """What the file of a claim holds."""
    quoted = text.replace("'", "''")
    return (
        f"id: {claim_id}\ntext: '{quoted}'\ntype: fact\nstatus: {status}\nconfidence: 0.9\n"
        f"evidence: [{SOURCE}]\nentities: {list(entities)!r}\n"
        f"updated_at: '2026-05-04T10:00:00Z'\n{more}"
    )


def source(root: Path) -> None:
    """Write the source that the claims cite."""
    folder = root / ".vouch" / "sources" / SOURCE
    folder.mkdir(parents=True)
    (folder / "meta.yaml").write_text(
        f"id: {SOURCE}\ntype: file\nlocator: docs/auth.md\ntitle: Auth notes\n", "utf-8"
    )
    (folder / "content").write_text("Auth notes", "utf-8")


def digest(root: Path) -> dict[str, str]:
    """What every file under `.vouch/` holds."""
    return {
        path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted((root / ".vouch").rglob("*"))
        if path.is_file()
    }
