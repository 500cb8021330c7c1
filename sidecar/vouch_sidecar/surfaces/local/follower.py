"""Tells a process of the rankings of sessions that live in the one that holds the socket."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from vouch_sidecar.engine import Caller, Subscriber
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.operations.notifications import DidChangeSalience, salience_notification
from vouch_sidecar.operations.wire import as_json
from vouch_sidecar.retrieval.push import PUSH_PARTS, Push, PushPart
from vouch_sidecar.surfaces.jsonl import as_line
from vouch_sidecar.surfaces.local.user_socket import (
    CHECK_SECONDS,
    MAX_LOCAL_MESSAGE,
    question,
    socket_path,
)

FOLLOW = "follow"
"""The method by which a process asks the holder for pushes."""


def follower_for(caller: Caller, params: Mapping[str, Any]) -> Subscriber:
    """Who is told, at the other end of a connection, of the sessions in which agents asked about
    his knowledge bases. `params` are those of `follow`.
    """
    names = {Path(tree): name for tree, name in params["names"].items()}
    caller = replace(caller, names=names, viewer=Viewer(*params["viewer"]))
    parts = [part for part in PUSH_PARTS if part in params["push"]]
    return Subscriber(caller, parts, hears_all=params["all"])


def told(writer: asyncio.StreamWriter, push: Push) -> None:
    """Tell who follows over a connection."""
    writer.write(as_line(as_json(salience_notification(push))))
    if writer.transport.get_write_buffer_size() > MAX_LOCAL_MESSAGE:
        writer.transport.abort()  # he does not read


async def follow(
    caller: Caller,
    env: Mapping[str, str],
    tell: Callable[[DidChangeSalience], None],
    parts: Collection[PushPart] = PUSH_PARTS,
    everything: bool = False,
    lasts: Callable[[], bool] = lambda: True,
) -> None:
    """Call `tell` with the holder's pushes about the caller's knowledge bases, which he `names`:
    those of sessions that use the socket, or with `everything` of all its sessions, limited to
    `parts` and to what the viewer may see. When the holder ends, or this no longer `lasts`, tell
    empty rankings for these sessions. Raises OSError if there is no holder.
    """
    reader, writer = await asyncio.open_unix_connection(socket_path(env), limit=MAX_LOCAL_MESSAGE)
    in_play: dict[str, DidChangeSalience] = {}
    viewer, named = caller.viewer or Viewer(), caller.names or {}
    asked = {
        "all": everything,
        "push": sorted(parts),
        "names": {str(tree): name for tree, name in named.items()},
        "viewer": [viewer.project, viewer.agent],
    }
    try:
        writer.write(as_line(question(named, FOLLOW, asked, env, "person")))
        while lasts():
            try:
                line = await asyncio.wait_for(reader.readline(), CHECK_SECONDS)
            except TimeoutError:
                continue
            if not line:
                return
            push = DidChangeSalience.model_validate_json(line)
            in_play.pop(push.session_id, None)
            if push.salience:
                in_play[push.session_id] = push
            tell(push)
    except ValueError:  # the holder ended within a line
        return
    finally:
        writer.close()
        for last in in_play.values():
            tell(last.model_copy(update={"salience": [], "fresh": [], "text": ""}))
