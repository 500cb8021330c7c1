"""Runs the process of the language server: its streams, tasks and exit."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import BinaryIO

import anyio
from pygls.io_ import StdinAsyncReader, StdoutWriter, run_async

from vouch_sidecar.engine import Engine, Subscriber, running
from vouch_sidecar.operations.notifications import SALIENCE, salience_notification
from vouch_sidecar.surfaces.local.user_socket import Ownership, carried
from vouch_sidecar.surfaces.lsp.features import register_all
from vouch_sidecar.surfaces.lsp.server import Sidecar
from vouch_sidecar.surfaces.pushing import subscribe
from vouch_sidecar.surfaces.socket_server import LocalServer
from vouch_sidecar.surfaces.stdio import claim_streams, leave


def run_stdio(env: Mapping[str, str], owned: Ownership | None = None) -> None:
    """Serve one client over the standard streams, then end the process. `owned`: the socket, if
    this process took it.
    """
    anyio.run(_serve, env, owned, *claim_streams())


async def _serve(
    env: Mapping[str, str], owned: Ownership | None, source: BinaryIO, sink: BinaryIO
) -> None:
    engine = Engine(env=env)
    async with anyio.create_task_group() as tasks, running(engine):
        local = LocalServer(engine.env, tasks, engine)
        server = Sidecar(engine)
        register_all(server)
        server.on_start.append(partial(_tell_of_own, server, local))
        tasks.start_soon(local.run, owned, partial(_tell_of_holder, server))
        leave(await _converse(server, source, sink))


async def _tell_of_own(server: Sidecar, local: LocalServer) -> None:
    """Tell the client of the sessions of the window, and of those in which agents asked this
    process about its knowledge bases. Never returns.
    """
    # Engines of other knowledge bases have no settings of this environment.
    client = replace(server.caller, env=carried(server.engine.env))
    named = partial(server.engine.registry.with_names, client)
    await Subscriber(
        named,
        lambda push: server.protocol.notify(SALIENCE, salience_notification(push)),
        server.parts,
    ).keep_told(local.engines, local.sessions)


async def _tell_of_holder(server: Sidecar) -> None:
    """Tell the client what the holder says of the window's knowledge bases, until it ends or these
    change.
    """
    env, named = server.engine.env, partial(server.engine.registry.with_names, server.caller)
    if (caller := named()).places:
        tell = partial(server.protocol.notify, SALIENCE)
        await subscribe(caller, env, tell, server.parts, lasts=lambda: caller == named())


async def _converse(server: Sidecar, source: BinaryIO, sink: BinaryIO) -> int:
    """Answer messages until the client says `exit` or its stream ends. Returns the exit code."""
    protocol, report = server.protocol, server.report_server_error
    protocol.set_writer(StdoutWriter(sink))
    # A thread of its own: the loop's may all be busy with long answers.
    reader = StdinAsyncReader(source, ThreadPoolExecutor(1))
    try:
        await run_async(threading.Event(), reader, protocol, error_handler=report)
    except SystemExit as ended:  # pygls raises it on `exit`
        return 1 if ended.code else 0
    except (ValueError, OverflowError, MemoryError):
        pass  # what should be a header is none
    await protocol.settled(1.0)
    return 1
