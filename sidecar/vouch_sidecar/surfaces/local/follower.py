"""Shows an editor the rankings of sessions that live in another process.

The owner of the socket ranks and sends pushes; the editor's process forwards them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Protocol

from pydantic import ValidationError

from vouch_sidecar.engine import Engine, Pushes
from vouch_sidecar.engine.changes import Changes
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.operations import as_json, salience_notification
from vouch_sidecar.operations.notifications import DidChangeSalience
from vouch_sidecar.retrieval.session_update import PUSH_PARTS, PushPart
from vouch_sidecar.surfaces.jsonl import as_line
from vouch_sidecar.surfaces.local.address import is_own_user, socket_path
from vouch_sidecar.surfaces.local.client import MAX_LOCAL_MESSAGE, VIEWER_VARIABLES, carried

FOLLOW = "follow"
"""The method by which a process asks the owner for pushes."""
LEFT_CHECK_SECONDS = 1.0
"""Pause between checks whether the follower has left."""


class Audience(Protocol):
    """Who is shown the rankings of other processes' sessions, limited to `parts` of them."""

    @property
    def parts(self) -> Collection[PushPart]: ...

    @property
    def viewer(self) -> Viewer | None: ...

    def show(self, push: DidChangeSalience) -> None: ...


async def feed(
    engine: Engine,
    root: Path,
    pushes: Pushes,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
) -> None:
    """Send a follower each push, until it leaves or the knowledge base is no longer served. Raises
    OSError.
    """
    with Changes(engine) as changes:
        while root in engine.collections and not (reader.at_eof() or writer.is_closing()):
            async for push in pushes.salience_in_turn():
                writer.write(as_line(as_json(salience_notification(push))))
                await writer.drain()  # waits if the follower does not read
            await changes.wait(LEFT_CHECK_SECONDS)


def parts_in(params: object) -> Collection[PushPart]:
    """The parts of pushes that a follower wants; all unless it names some."""
    wanted = params.get("push") if isinstance(params, Mapping) else None
    if not isinstance(wanted, list):
        return PUSH_PARTS
    return [part for part in PUSH_PARTS if part in wanted]


async def follow(
    root: Path,
    env: Mapping[str, str],
    tell: Callable[[DidChangeSalience], None],
    parts: Collection[PushPart] = PUSH_PARTS,
    viewer: Viewer | None = None,
    everything: bool = False,
) -> None:
    """Call `tell` with the owner's pushes: those of sessions that use the socket, or with
    `everything` of all its sessions, limited to `parts` and to what the viewer may see, whose names
    count before those in `env`. When the owner ends, tell empty rankings for these sessions. Raises
    OSError if there is no owner.
    """
    reader, writer = await asyncio.open_unix_connection(
        socket_path(root, env), limit=MAX_LOCAL_MESSAGE
    )
    in_play: dict[str, DidChangeSalience] = {}
    try:
        if not is_own_user(writer.get_extra_info("socket")):
            raise PermissionError
        params = {"all": everything, "push": sorted(parts)}
        who = {**carried(env), **_variables(viewer)}
        writer.write(as_line({"method": FOLLOW, "params": params, "env": who}))
        while line := await reader.readline():
            try:
                push = DidChangeSalience.model_validate_json(line)
            except ValidationError:  # an owner of another version
                continue
            in_play.pop(push.session_id, None)
            if push.salience:
                in_play[push.session_id] = push
            tell(push)
    except ValueError:  # a line too long to be one of ours
        return
    finally:
        writer.close()
        for last in in_play.values():
            tell(last.model_copy(update={"salience": [], "fresh": [], "text": ""}))


def _variables(viewer: Viewer | None) -> dict[str, str]:
    """The names of a viewer as the variables in which an environment has them."""
    names = () if viewer is None else (viewer.project, viewer.agent)
    return {variable: name for variable, name in zip(VIEWER_VARIABLES, names, strict=False) if name}
