"""Completes the ids of artifacts in pages, by their ids, names and words."""

from __future__ import annotations

import re
from functools import partial

from lsprotocol import types as lsp

from vouch_sidecar.kb.artifact_files import classify
from vouch_sidecar.kb.records import Artifact, Entity, Kind, key_of
from vouch_sidecar.kb.references import Reference, references
from vouch_sidecar.kb.sanitize import clip, one_line
from vouch_sidecar.retrieval.prefix_search import prefix_search
from vouch_sidecar.retrieval.search import text_of
from vouch_sidecar.surfaces.lsp.ids import ArtifactFile, file_at
from vouch_sidecar.surfaces.lsp.server import Sidecar

MAX_COMPLETIONS = 30
"""Ids of one kind in an answer; the client asks again at the next character."""
ITEM_CHARS = 80
CARET = "\ue000"
"""Inserted at the caret while a text is parsed; no id contains it."""
REST = re.compile(r"[\w.-]*")
ITEMS = {
    Kind.CLAIM: lsp.CompletionItemKind.Constant,
    Kind.ENTITY: lsp.CompletionItemKind.Class,
    Kind.PAGE: lsp.CompletionItemKind.File,
    Kind.SOURCE: lsp.CompletionItemKind.Module,
    Kind.EVIDENCE: lsp.CompletionItemKind.Text,
}


def register(server: Sidecar) -> None:
    """Answer `textDocument/completion`."""
    options = lsp.CompletionOptions(trigger_characters=["[", ":", "-", " ", ","])
    server.on(lsp.TEXT_DOCUMENT_COMPLETION, partial(_complete, server), options)


def _complete(server: Sidecar, params: lsp.CompletionParams) -> lsp.CompletionList | None:
    file = file_at(server, params.text_document.uri)
    offset = file.document.offset_at(params.position) if file is not None else None
    if file is None or offset is None or classify(file.relative) is not Kind.PAGE:
        return None
    text = file.document.source
    marked = f"{text[:offset]}{CARET}{text[offset:]}"
    there = next(
        (reference for reference in references(file.relative, marked) if CARET in reference.text),
        None,
    )
    return _ids(file, there, offset) if there is not None and there.field != "id" else None


def _ids(file: ArtifactFile, there: Reference, offset: int) -> lsp.CompletionList:
    typed = there.text.partition(CARET)[0].strip()
    replaced = _replaced(file, there.start, offset)
    matches = prefix_search(file.served.view, typed, there.kinds, MAX_COMPLETIONS)
    items = [
        lsp.CompletionItem(
            label=artifact.id,
            kind=ITEMS.get(key_of(artifact)[0]),
            detail=_detail(artifact),
            # Editors that compare the label would drop matches by name or words.
            filter_text=typed or None,
            sort_text=f"{at:04}",
            text_edit=lsp.TextEdit(range=replaced, new_text=artifact.id),
        )
        for at, artifact in enumerate(match.artifact for match in matches)
    ]
    return lsp.CompletionList(is_incomplete=True, items=items)


def _detail(artifact: Artifact) -> str:
    if isinstance(artifact, Entity):
        return clip(one_line(f"{artifact.name} · {artifact.type}"), ITEM_CHARS)
    said = getattr(artifact, "title", None) or getattr(artifact, "quote", None)
    return clip(one_line(said or text_of(artifact)), ITEM_CHARS)


def _replaced(file: ArtifactFile, start: int, offset: int) -> lsp.Range:
    """The range from the beginning of a value to the end of the word at the caret."""
    rest = REST.match(file.document.source, offset)
    return file.document.range_of(start, rest.end() if rest is not None else offset)
