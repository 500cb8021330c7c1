"""Progress of what takes long enough to be noticed: a first index, many vectors."""

from __future__ import annotations

import uuid

import anyio
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from vouch_sidecar.surfaces.keeping import indexed
from vouch_sidecar.surfaces.lsp.server import Sidecar

__all__ = ["register"]

NOTICED = 0.5
"""Seconds that an index may take unnoticed."""


def register(server: Sidecar) -> None:
    """Show progress in clients that can show it."""

    def start() -> None:
        window = server.client_capabilities.window
        if window is not None and window.work_done_progress:
            server.spawn(_show(server))
            server.spawn(_show_vectors(server))

    server.on_start.append(start)


async def _show(server: Sidecar) -> None:
    await indexed(server.engine, NOTICED)
    if server.engine.looked:
        return
    if (token := await _created(server)) is None:
        return
    progress = server.work_done_progress
    progress.begin(token, lsp.WorkDoneProgressBegin(title="Indexing the knowledge base"))
    await indexed(server.engine)
    progress.end(token, lsp.WorkDoneProgressEnd())


async def _created(server: Sidecar) -> str | None:
    """A token; None in a client that refuses what it announced."""
    token = uuid.uuid4().hex
    try:
        await server.work_done_progress.create_async(token)
    except JsonRpcException:
        return None
    return token


async def _show_vectors(server: Sidecar) -> None:
    """Show each time that many vectors are made."""
    meaning, progress = server.engine.meaning, server.work_done_progress
    if meaning is None:
        return
    changed, token = anyio.Event(), None
    meaning.on_progress.add(lambda: changed.set())
    while True:
        await changed.wait()
        changed, now = anyio.Event(), meaning.progress
        if now is None:
            if token is not None:
                progress.end(token, lsp.WorkDoneProgressEnd())
            token = None
            continue
        if token is None:
            if (token := await _created(server)) is None:
                return
            progress.begin(token, lsp.WorkDoneProgressBegin(title="Reading for meaning"))
        report = lsp.WorkDoneProgressReport(
            message=f"{now.done:,} of {now.total:,} texts", percentage=100 * now.done // now.total
        )
        progress.report(token, report)
