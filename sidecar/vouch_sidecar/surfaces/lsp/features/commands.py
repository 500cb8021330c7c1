"""Commands for editors: list what changed, complete the name of a topic."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams

from vouch_sidecar.engine.question_queue import in_turn
from vouch_sidecar.index.claim_weights import worth
from vouch_sidecar.kb.sanitize import one_line
from vouch_sidecar.operations import as_json
from vouch_sidecar.operations.artifacts import ArtifactViews
from vouch_sidecar.operations.readiness import caught_up
from vouch_sidecar.operations.wire import since_when
from vouch_sidecar.retrieval.prefix_search import names_like
from vouch_sidecar.retrieval.recent_changes import newest
from vouch_sidecar.surfaces.lsp.server import Sidecar

MOST_CHANGED = 50
MAX_NAMES_OFFERED = 40


def register(server: Sidecar) -> None:
    """Answer `workspace/executeCommand`."""
    server.commands |= {
        "vouch.changed": partial(_changed, server),
        "vouch.names": partial(_names, server),
    }
    server.on(lsp.WORKSPACE_EXECUTE_COMMAND, partial(_run, server))


async def _run(server: Sidecar, params: lsp.ExecuteCommandParams) -> Any:
    if (run := server.commands.get(params.command)) is None:
        raise JsonRpcInvalidParams("command: there is no such command")
    await caught_up(server.engine, None, server.caller)
    return await run(params.arguments or ())


async def _changed(server: Sidecar, arguments: Sequence[Any]) -> list[dict[str, Any]]:
    """The claims that were confirmed or updated since the time in the argument, an ISO date or a
    span such as `7d` (the default). Best first, by worth.
    """
    try:
        since = since_when(str(arguments[0]) if arguments else "7d", server.engine.now())
    except (ValueError, OverflowError):
        raise JsonRpcInvalidParams("since: must be an ISO date, or a span such as 7d") from None
    served = server.engine.serving(server.caller)

    def find() -> list[dict[str, Any]]:
        claims = [
            (kb, claim) for kb in served for claim in newest(kb.view, since / 1e6, MOST_CHANGED)
        ]
        claims.sort(key=lambda row: (-worth(row[1]), row[1].id))
        views = {id(kb): ArtifactViews(kb.view, kb.collection.root) for kb in served}
        shown = (views[id(kb)].claim(claim) for kb, claim in claims[:MOST_CHANGED])
        return [as_json(claim) for claim in shown]

    return await in_turn(server.caller.asker, find)


async def _names(server: Sidecar, arguments: Sequence[Any]) -> list[str]:
    """Names of entities and topics that fit what somebody types."""
    typed = str(arguments[0]).strip() if arguments else ""
    views = [kb.view for kb in server.engine.serving(server.caller)]
    return [one_line(name) for name in names_like(views, typed, MAX_NAMES_OFFERED)]
