"""What an editor asks in open files below `.vouch/`, file by file, each id once."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

from vouch_sidecar.kb.references import references
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
        document = {"textDocument": {"uri": uri}}
        taken["diagnostics"].append(_asked(client, "textDocument/diagnostic", document))
        for place in _places(path, text):
            at = {**document, "position": place}
            context = {"context": {"includeDeclaration": True}}
            for name, more in (("hover", {}), ("definition", {}), ("references", context)):
                taken[name].append(_asked(client, f"textDocument/{name}", {**at, **more}))
            taken["completion"].append(_asked(client, "textDocument/completion", at))
        client.notify("textDocument/didClose", document)
    return {name: Figure.of(samples) for name, samples in taken.items()}


def _places(path: Path, text: str) -> list[dict[str, int]]:
    """Positions within the first ids of a file, three characters after their beginning."""
    document = EditorDocument(path.as_uri(), text, "utf-16")
    found = [one for one in references(f"claims/{path.name}", text) if one.field != "id"]
    starts = (document.range_of(one.start + 3, one.end).start for one in found[:IDS])
    return [{"line": one.line, "character": one.character} for one in starts]


def _asked(client: Client, method: str, params: Any) -> float:
    return timed(lambda: client.request(method, params))
