"""What an editor asks in open claims, file by file, each id once; completion in a new page."""

from __future__ import annotations

from collections import defaultdict
from itertools import islice
from pathlib import Path
from typing import Any

from vouch_sidecar.kb.records import Kind
from vouch_sidecar.kb.references import Reference, references
from vouch_sidecar.surfaces.lsp.documents import EditorDocument

from benchmarks.client import Client
from benchmarks.timing import Figure, Figures, timed

FILES = 60
IDS = 4
"""Ids of a file that are asked about."""


def edited(client: Client, root: Path) -> Figures:
    """The time from each request to its answer, in claims and pages all over the knowledge base."""
    taken: defaultdict[str, list[float]] = defaultdict(list)
    claims = sorted((root / ".vouch" / "claims").iterdir())
    for path in claims[:: max(1, len(claims) // FILES)]:
        text, uri = path.read_text("utf-8"), path.as_uri()
        opened = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
        client.notify("textDocument/didOpen", {"textDocument": opened})
        document, read = {"textDocument": {"uri": uri}}, EditorDocument(uri, text, "utf-16")
        taken["diagnostics"].append(_asked(client, "textDocument/diagnostic", document))
        for one in _ids(path, text):
            start = read.range_of(one.start + 3, one.end).start
            at = {**document, "position": {"line": start.line, "character": start.character}}
            context = {"context": {"includeDeclaration": True}}
            for name, more in (("hover", {}), ("definition", {}), ("references", context)):
                taken[name].append(_asked(client, f"textDocument/{name}", {**at, **more}))
            taken["completion"].append(_completed(client, root, one))
        client.notify("textDocument/didClose", document)
    return {name: Figure.of(samples) for name, samples in taken.items()}


def _ids(path: Path, text: str) -> list[Reference]:
    """The first ids of a claim."""
    found = (
        reference
        for reference in references(f"claims/{path.name}", text)
        if reference.field != "id"
    )
    return list(islice(found, IDS))


def _completed(client: Client, root: Path, wanted: Reference) -> float:
    """The time to complete the first three characters of an id in a page."""
    field = {Kind.CLAIM: "claims", Kind.ENTITY: "entities"}.get(wanted.kinds[0], "sources")
    item = f"- {wanted.text[:3]}"
    text = f"---\nid: new\ntitle: New\n{field}:\n{item}"
    page = {"uri": (root / ".vouch" / "pages" / "new.md").as_uri()}
    opened = {**page, "languageId": "markdown", "version": 1, "text": text}
    client.notify("textDocument/didOpen", {"textDocument": opened})
    at = {"textDocument": page, "position": {"line": 4, "character": len(item)}}
    taken = _asked(client, "textDocument/completion", at)
    client.notify("textDocument/didClose", {"textDocument": page})
    return taken


def _asked(client: Client, method: str, params: Any) -> float:
    return timed(lambda: client.request(method, params))
