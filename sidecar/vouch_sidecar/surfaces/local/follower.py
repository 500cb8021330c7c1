"""Tells a process of the rankings of sessions that live in the one that holds the socket."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping, Set
from pathlib import Path
from typing import Any

import anyio

from vouch_sidecar.engine import Caller, Engine, Pushes
from vouch_sidecar.engine.changed import GATHER_SECONDS, Changed
from vouch_sidecar.engine.sessions import Session
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.operations.notifications import DidChangeSalience, salience_notification
from vouch_sidecar.operations.wire import as_json
from vouch_sidecar.retrieval.session_update import PUSH_PARTS, PushPart
from vouch_sidecar.surfaces.jsonl import as_line
from vouch_sidecar.surfaces.local.user_socket import (
    CHECK_SECONDS,
    MAX_LOCAL_MESSAGE,
    VIEWER_VARIABLES,
    question,
    socket_path,
)

FOLLOW = "follow"
"""The method by which a process asks the holder for pushes."""


async def feed(
    about: Callable[[frozenset[Path]], Iterable[Engine]],
    caller: Caller,
    params: Mapping[str, Any],
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
) -> None:
    """Send a follower each push about the caller's knowledge bases, until it leaves. `params` are
    those of `follow`; `about` gives the engines that have some of these. Raises OSError.
    """
    roots = caller.roots or frozenset()
    parts = [part for part in PUSH_PARTS if part in params["push"]]
    fed: dict[Engine, Pushes] = {}

    def is_told(session: Session) -> bool:
        return params["all"] or not roots.isdisjoint(session.shared_for)

    while not (reader.at_eof() or writer.is_closing()):
        served = [*about(roots)]
        counts = {engine.changed: engine.changed.count for engine in served}
        fed = {each: fed.get(each) or Pushes(each, caller, is_told, parts) for each in served}
        for engine, pushes in fed.items():
            async for push in pushes.salience_in_turn():
                notification = _named(engine, roots, salience_notification(push))
                writer.write(as_line(as_json(notification)))
                await writer.drain()  # waits if the follower does not read
        await anyio.sleep(GATHER_SECONDS)
        await Changed.any_since(counts, CHECK_SECONDS)


def _named(engine: Engine, roots: Set[Path], push: DidChangeSalience) -> DidChangeSalience:
    """A push of an engine that serves one of several knowledge bases, with its name in the rows."""
    served = {c.root: c.name for tree, c in engine.collections.items() if tree in roots}
    if len(roots) < 2 or len(served) != 1:
        return push
    (name,) = served.values()
    rows = {
        field: [row.model_copy(update={"collection": name}) for row in getattr(push, field)]
        for field in ("salience", "fresh")
    }
    return push.model_copy(update=rows)


async def follow(
    roots: Iterable[Path],
    env: Mapping[str, str],
    tell: Callable[[DidChangeSalience], None],
    parts: Collection[PushPart] = PUSH_PARTS,
    viewer: Viewer | None = None,
    everything: bool = False,
    lasts: Callable[[], bool] = lambda: True,
    is_own: bool = False,
) -> None:
    """Call `tell` with the holder's pushes about knowledge bases: those of sessions that use the
    socket, or with `everything` of all its sessions, limited to `parts` and to what the viewer may
    see, whose names count before those in `env`. `is_own`: the holder is this process, whose window
    is told of its engine's already. When the holder ends, or this no longer `lasts`,
    tell empty rankings for these sessions. Raises OSError if there is no holder.
    """
    reader, writer = await asyncio.open_unix_connection(socket_path(env), limit=MAX_LOCAL_MESSAGE)
    in_play: dict[str, DidChangeSalience] = {}
    names = (None, None) if viewer is None else (viewer.project, viewer.agent)
    variables = {name: value for name, value in zip(VIEWER_VARIABLES, names, strict=True) if value}
    try:
        asked = {"all": everything, "push": sorted(parts), "own": is_own}
        writer.write(as_line(question(roots, FOLLOW, asked, {**env, **variables})))
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
