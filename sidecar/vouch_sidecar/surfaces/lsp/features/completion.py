"""Completes the ids of artifacts in pages, by their ids, names and words."""

from __future__ import annotations

import re

from lsprotocol import types as lsp

from vouch_sidecar.kb.artifact_files import classify
from vouch_sidecar.kb.records import Artifact, Entity, Kind, key_of
from vouch_sidecar.kb.references import reference_at
from vouch_sidecar.kb.sanitize import clip, one_line
from vouch_sidecar.retrieval.line import text_of
from vouch_sidecar.retrieval.lookup import prefix_search
from vouch_sidecar.surfaces.lsp.at_position import file_at, spot_of
from vouch_sidecar.surfaces.lsp.server import Sidecar

MAX_COMPLETIONS = 30
"""Ids of one kind in an answer; the client asks again at the next character."""
ITEM_CHARS = 80
OPTIONS = lsp.CompletionOptions(trigger_characters=["[", ":", "-", " ", ","])
CARET = "\ue000"
"""Inserted at the caret while a text is parsed; no id contains it."""
WORD = re.compile(r"[\w.-]+")
ITEMS = {
    Kind.CLAIM: lsp.CompletionItemKind.Constant,
    Kind.ENTITY: lsp.CompletionItemKind.Class,
    Kind.PAGE: lsp.CompletionItemKind.File,
    Kind.SOURCE: lsp.CompletionItemKind.Module,
    Kind.EVIDENCE: lsp.CompletionItemKind.Text,
}


def complete(server: Sidecar, params: lsp.CompletionParams) -> lsp.CompletionList | None:
    spot = spot_of(server, params.text_document.uri, params.position)
    file = None if spot is None else file_at(server, spot[0])
    if spot is None or file is None or classify(file[1]) is not Kind.PAGE:
        return None
    (document, offset), (served, relative) = spot, file
    text = document.source
    there = reference_at(relative, f"{text[:offset]}{CARET}{text[offset:]}", offset)
    if there is None or there.field == "id":
        return None
    typed, rest = there.text.partition(CARET)[0].strip(), WORD.match(text, offset)
    replaced = document.range_of(there.start, offset if rest is None else rest.end())
    matches = prefix_search(served.view, typed, there.kinds, MAX_COMPLETIONS)
    items = [
        lsp.CompletionItem(
            label=artifact.id,
            kind=ITEMS.get(key_of(artifact)[0]),
            detail=clip(one_line(_detail(artifact)), ITEM_CHARS),
            # Editors that compare the label would drop matches by name or words.
            filter_text=typed or None,
            sort_text=f"{at:04}",
            text_edit=lsp.TextEdit(range=replaced, new_text=artifact.id),
        )
        for at, (_, artifact) in enumerate(matches)
    ]
    return lsp.CompletionList(is_incomplete=True, items=items)


def _detail(artifact: Artifact) -> str:
    said = text_of(artifact)
    return f"{said} · {artifact.type}" if isinstance(artifact, Entity) else said
