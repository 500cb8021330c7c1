"""Pushes over the user's socket: its holder sends what is new in its sessions to whoever asks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Set
from dataclasses import replace
from functools import partial
from typing import Any

from vouch_sidecar.engine import Caller, Subscriber
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.kb.discovery import BaseInTree
from vouch_sidecar.operations.notifications import DidChangeSalience, salience_notification
from vouch_sidecar.operations.wire import as_json
from vouch_sidecar.retrieval.push import Push, PushPart
from vouch_sidecar.surfaces.jsonl import as_line
from vouch_sidecar.surfaces.local.user_socket import (
    CHECK_SECONDS,
    MAX_LOCAL_MESSAGE,
    question,
    socket_path,
)

SUBSCRIBE = "subscribe"
"""The method by which a process asks the holder for pushes."""


def subscriber_for(
    caller: Caller, params: Mapping[str, Any], writer: asyncio.StreamWriter
) -> Subscriber:
    """Who is told, at the other end of a connection, of the sessions in which agents asked about
    his knowledge bases. `params` are those of `subscribe`.
    """
    names = {BaseInTree(place): name for place, name in params["names"]}
    named = replace(caller, names=names, viewer=Viewer(*params["viewer"]))
    tell, parts = partial(_send, writer), frozenset(params["push"])
    return Subscriber(lambda: named, tell, parts, hears_all=params["all"])


def _send(writer: asyncio.StreamWriter, push: Push) -> None:
    """Send a push to a subscriber over his connection."""
    writer.write(as_line(as_json(salience_notification(push))))
    if writer.transport.get_write_buffer_size() > MAX_LOCAL_MESSAGE:
        writer.transport.abort()  # he does not read


async def subscribe(
    caller: Caller,
    env: Mapping[str, str],
    tell: Callable[[DidChangeSalience], None],
    parts: Set[PushPart],
    everything: bool = False,
    lasts: Callable[[], bool] = lambda: True,
) -> None:
    """Call `tell` with the holder's pushes about the caller's knowledge bases, which he `names`:
    those of sessions that use the socket, or with `everything` of all its sessions, limited to
    `parts` and to what the viewer may see. When the holder ends, or this no longer `lasts`, tell
    empty rankings for these sessions. Raises OSError if there is no holder.
    """
    reader, writer = await asyncio.open_unix_connection(socket_path(env), limit=MAX_LOCAL_MESSAGE)
    last: dict[str, int] = {}
    """The generations of the rankings that are told now, by session id."""
    viewer, named = caller.viewer or Viewer(), caller.names or {}
    asked = {
        "all": everything,
        "push": sorted(parts),
        "names": [*named.items()],
        "viewer": [viewer.project, viewer.agent],
    }
    try:
        writer.write(as_line(question(named, SUBSCRIBE, asked, env)))
        while lasts():
            try:
                line = await asyncio.wait_for(reader.readline(), CHECK_SECONDS)
            except TimeoutError:
                continue
            if not line:
                break
            push = DidChangeSalience.model_validate_json(line)
            last.pop(push.session_id, None)
            if push.salience:
                last[push.session_id] = push.generation
            tell(push)
    except (OSError, ValueError):  # the holder ended, within a line
        pass
    finally:
        writer.close()
    for session_id, generation in last.items():
        tell(salience_notification(Push(session_id, generation)))
