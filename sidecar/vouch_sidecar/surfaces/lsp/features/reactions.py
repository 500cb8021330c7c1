"""Counts what a reader does with a line: waves it away, or opens the claim's file."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import anyio

from vouch_sidecar.engine.callers import Served
from vouch_sidecar.engine.ledger import Reaction
from vouch_sidecar.kb.artifact_files import KB_DIRNAME
from vouch_sidecar.kb.records import Kind
from vouch_sidecar.operations import DismissParams, InvalidParamsError, read_params
from vouch_sidecar.surfaces.local.client import REACTION, SOON_SECONDS, ask
from vouch_sidecar.surfaces.lsp.features.operations import refusal
from vouch_sidecar.surfaces.lsp.server import Sidecar

DISMISSED = (Kind.CLAIM, Kind.PAGE, Kind.ENTITY, Kind.RELATION, Kind.SOURCE)


def register(server: Sidecar) -> None:
    """Listen to `vouch/didDismiss`."""
    server.on("vouch/didDismiss", partial(_dismissed, server))


def opened(server: Sidecar, path: Path) -> None:
    """Count that a document was opened, if it is the file of a claim."""
    folder = path.parent
    if folder.name != "claims" or folder.parent.name != KB_DIRNAME:
        return
    for kb in server.engine.serving(server.caller):
        is_here = kb.collection.root == folder.parent.parent
        if is_here and kb.view.visible.claim(path.stem) is not None:
            _count(server, kb, "opened")


def _dismissed(server: Sidecar, params: object) -> None:
    """Count a line about an artifact once for the first knowledge base that has it. Raises
    JsonRpcException.
    """
    try:
        given = read_params(DismissParams, params)
    except InvalidParamsError as error:
        raise refusal(error) from None
    for kb in server.engine.serving(server.caller):
        is_meant = given.collection in (None, kb.view.collection)
        if is_meant and any(kb.view.visible.artifact((kind, given.id)) for kind in DISMISSED):
            _count(server, kb, "dismissed")
            return


def _count(server: Sidecar, served: Served, reaction: Reaction) -> None:
    """Count it here, or have the process count it that owns the knowledge base's socket."""
    engine, root = server.engine, served.collection.root
    if (ledger := engine.usage.ledger(served)) is not None:
        ledger.count_reaction(reaction)
    elif engine.usage.is_on(served) and engine.usage.kept(root) is None:
        tell = partial(
            ask, [root], REACTION, {"reaction": reaction}, env=engine.env, timeout=SOON_SECONDS
        )
        server.spawn(anyio.to_thread.run_sync(tell))
