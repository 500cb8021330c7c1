"""What the files of a knowledge base say, for those who ask about it: names, ids, texts, words."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

Fields = dict[str, Any]
_WORD = re.compile(r"[^\W\d_]{3,}")


@dataclass(frozen=True, slots=True)
class Material:
    """Everything in the order of the files' names. Files stand by their path below `.vouch/`;
    `words` begin with the most frequent one; `project` is that of a viewer who says nothing else.
    """

    entities: dict[str, Fields]
    claims: dict[str, Fields]
    pages: dict[str, Fields]
    names: list[str]
    aliases: list[str]
    types: list[str]
    texts: list[str]
    titles: list[str]
    tags: list[str]
    words: list[str]
    project: str | None


def read(root: Path) -> Material:
    """Read the knowledge base in a folder; files that are broken are left out."""
    patterns = ("entities/*.yaml", "claims/*.yaml", "pages/*.md")
    entities, claims, pages = (_files(root / ".vouch", pattern) for pattern in patterns)
    texts, titles = _said(claims, "text"), _said(pages, "title")
    everything = (*texts, *titles, *_said(pages, "body"))
    counted = Counter(word for text in everything for word in _WORD.findall(text.lower()))
    config = _fields(root / ".vouch" / "config.yaml") or {}
    return Material(
        entities,
        claims,
        pages,
        names=_said(entities, "name"),
        aliases=_said(entities, "aliases"),
        types=sorted(set(_said(entities, "type"))),
        texts=texts,
        titles=titles,
        tags=sorted(set(_said(claims, "tags"))),
        words=[word for word, _ in sorted(counted.items(), key=lambda c: (-c[1], c[0]))],
        project=(config.get("kb") or {}).get("id"),
    )


def write_fields(path: Path, fields: Fields) -> None:
    """Write a file as vouch does; `body` is the text of a page."""
    said = {name: value for name, value in fields.items() if name != "body"}
    text = yaml.safe_dump(said, sort_keys=False, allow_unicode=True)
    if path.suffix == ".md":
        text = f"---\n{text}---\n{fields.get('body', '')}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def _files(kb_dir: Path, pattern: str) -> dict[str, Fields]:
    read = ((path, _fields(path)) for path in sorted(kb_dir.glob(pattern)))
    return {path.relative_to(kb_dir).as_posix(): fields for path, fields in read if fields}


def _fields(path: Path) -> Fields | None:
    """What a file says; None where it is broken."""
    front, body = path.read_text("utf-8", errors="replace"), {}
    if path.suffix == ".md":
        front, _, text = front.removeprefix("---\n").partition("\n---\n")
        body = {"body": text}
    try:
        fields = yaml.load(front, yaml.CSafeLoader)
    except yaml.YAMLError:
        return None
    return {**fields, **body} if isinstance(fields, dict) else None


def _said(files: dict[str, Fields], field: str) -> list[str]:
    """The texts that files have in a field, each or as a list."""
    found = (fields.get(field) for fields in files.values())
    each = (item for value in found for item in (value if isinstance(value, list) else [value]))
    return [text for text in each if isinstance(text, str) and text.strip()]
