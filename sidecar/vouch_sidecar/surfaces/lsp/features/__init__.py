"""The features of the language server: what it answers, follows and tells."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from lsprotocol import types as lsp

from vouch_sidecar.operations.notifications import PAUSE, PROMPT
from vouch_sidecar.operations.operation import operations
from vouch_sidecar.surfaces.lsp.features import (
    completion,
    definition,
    diagnostics,
    hover,
    requests,
    status,
    sync,
    workspace_symbols,
)
from vouch_sidecar.surfaces.lsp.server import Sidecar

HANDLERS: dict[str, Callable[[Sidecar, Any], object]] = {
    lsp.TEXT_DOCUMENT_DID_OPEN: sync.did_open,
    lsp.TEXT_DOCUMENT_DID_CHANGE: sync.did_change,
    lsp.TEXT_DOCUMENT_DID_SAVE: sync.did_save,
    lsp.TEXT_DOCUMENT_DID_CLOSE: sync.did_close,
    lsp.WORKSPACE_DID_CHANGE_CONFIGURATION: sync.did_configure,
    lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: sync.did_change_folders,
    lsp.TEXT_DOCUMENT_HOVER: hover.hover,
    lsp.TEXT_DOCUMENT_DEFINITION: definition.definition,
    lsp.TEXT_DOCUMENT_COMPLETION: completion.complete,
    lsp.WORKSPACE_SYMBOL: workspace_symbols.symbols,
    PROMPT: requests.prompt,
    PAUSE: requests.pause,
}
OPTIONS = {lsp.TEXT_DOCUMENT_COMPLETION: completion.OPTIONS}
TASKS = diagnostics.keep_published, status.tell_status, status.show_progress


def register_all(server: Sidecar) -> None:
    """Let a server have all features."""
    for method, handle in HANDLERS.items():
        server.on(method, partial(handle, server), OPTIONS.get(method))
    for operation in operations().values():
        server.on(operation.method, partial(requests.answer, server, operation))
    server.on_start += [partial(task, server) for task in TASKS]
