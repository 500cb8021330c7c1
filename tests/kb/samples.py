"""Files of a knowledge base, as vouch writes them."""

import os
from hashlib import sha256
from pathlib import Path

import yaml

SHA = "ab" * 32


def claim(id: str = "auth-uses-jwt", **fields: object) -> bytes:  # noqa: A002 - as the field
    content: dict[str, object] = {
        "id": id,
        "text": "The service authenticates requests with signed JWTs.",
        "type": "decision",
        "status": "stable",
        "confidence": 0.9,
        "evidence": [SHA],
        "entities": ["service-api"],
        "scope": {"visibility": "project", "project": None, "agent": None},
        "updated_at": "2026-04-12T09:14:00+00:00",
    }
    return dump(content | fields)


def entity(id: str = "service-api", **fields: object) -> bytes:  # noqa: A002 - as the field
    return dump({"id": id, "name": "service API", "type": "api"} | fields)


def page(body: str = "# Auth\n", **fields: object) -> bytes:
    content = {"id": "auth", "title": "Auth", "type": "decision", "status": "active"} | fields
    return b"---\n" + dump(content) + b"---\n" + body.encode()


def source_of(content: bytes) -> str:
    return sha256(content).hexdigest()


def source(content: bytes, **meta: object) -> dict[str, bytes]:
    name = source_of(content)
    meta = {"id": name, "locator": "notes.md"} | meta
    return {f"sources/{name}/content": content, f"sources/{name}/meta.yaml": dump(meta)}


def receipt(name: str, content: bytes, quote: bytes) -> dict[str, bytes]:
    """The file of evidence: a quote, and where it stands in the source with this content."""
    start = content.index(quote)
    end = start + len(quote)
    fields = {"id": name, "source_id": source_of(content), "locator": f"b{start}-{end}"}
    span = {"quote": quote.decode(), "byte_start": start, "byte_end": end}
    return {f"evidence/{name}.yaml": dump(fields | span)}


def dump(content: object) -> bytes:
    return yaml.dump(content, Dumper=yaml.CSafeDumper, sort_keys=False, allow_unicode=True).encode()


def make_kb(root: Path) -> Path:
    """An empty knowledge base; returns its `.vouch/`."""
    kb_dir = root / ".vouch"
    for name in ("claims", "entities", "pages", "relations", "sources", "evidence", "sessions"):
        (kb_dir / name).mkdir(parents=True)
    return kb_dir


def put(kb_dir: Path, path: str, data: bytes, *, age: float = 10.0) -> Path:
    """Writes a file that was last changed `age` seconds ago."""
    file = kb_dir / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    stamp = file.stat().st_mtime - age
    os.utime(file, (stamp, stamp))
    return file
