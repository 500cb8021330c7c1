"""Commands that run servers, end them, or silence them. Each imports its own only."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path

import click

from vouch_sidecar.kb import pauses
from vouch_sidecar.kb.discovery import path_of
from vouch_sidecar.kb.runtime_folder import is_supported
from vouch_sidecar.kb.sanitize import printable
from vouch_sidecar.surfaces.console.options import (
    NEEDS_MCP,
    found_from,
    program,
    root_option,
    start_at,
)
from vouch_sidecar.surfaces.hook.client import NAMES
from vouch_sidecar.surfaces.projects import UNFILLED
from vouch_sidecar.surfaces.stdio import say


@click.command()
def lsp() -> None:
    """Run the language server over stdio."""
    from vouch_sidecar.surfaces.local.user_socket import Ownership

    owned = None
    with suppress(OSError):
        owned = Ownership.take(os.environ)
    from vouch_sidecar.surfaces.lsp.run import run_stdio

    run_stdio(os.environ, owned)


@click.command()
@root_option
def jsonl(root: str | None) -> None:
    """Answer requests, one JSON object a line, from standard input."""
    from vouch_sidecar.surfaces.jsonl import run_jsonl

    run_jsonl(os.environ, start_at(root).absolute(), is_chosen=root is not None)


@click.command()
@root_option
@click.option(
    "--tools",
    type=click.Choice(["model", "all"]),
    default="model",
    show_default=True,
    help="Tools that are listed: those that a model needs, or all.",
)
def mcp(root: str | None, tools: str) -> None:
    """Serve the operations to an MCP client, over stdio."""
    if find_spec("mcp") is None:
        raise click.UsageError(NEEDS_MCP)
    from vouch_sidecar.surfaces.mcp.run import run_mcp

    is_chosen = root is not None and UNFILLED not in root
    start = start_at(None) if root is None else Path(path_of(root))  # answers say what is wrong
    run_mcp(os.environ, start.absolute(), is_chosen=is_chosen, every_tool=tools == "all")


@click.command(epilog=f"An event is one of {', '.join(NAMES)}.")
@click.argument("event", type=click.Choice([*NAMES]), metavar="EVENT")
def hook(**_: str) -> None:
    """Answer an event of an agent's hooks, JSON on standard input."""  # `entry` runs it


@click.command()
@click.option("--all", "every", is_flag=True, help="Those of other versions, too.")
def stop(every: bool) -> None:
    """End the process that hooks left behind.

    The next hook starts another one, unless it is taken out first (install HOST --uninstall).
    """
    from vouch_sidecar.surfaces.local import user_socket

    if not is_supported():
        raise click.UsageError("nothing is left behind on this system")
    own = Path(user_socket.socket_path(os.environ))
    paths = sorted(own.parent.glob(f"*{user_socket.SUFFIX}")) if every else [own]
    found = {path.stem: user_socket.stop(str(path), os.environ) for path in paths}
    for version, how in found.items():
        if how is not None:
            whose = f"version {printable(version)}: " if every else ""
            say(whose + how, err=how != user_socket.STOPPED)
    if not any(found.values()):
        whose = "" if every else "of this version "
        say(f"no process {whose}that a hook left behind runs", err=True)
    sys.exit(user_socket.HANGS in found.values())


@click.command()
@root_option
@click.option(
    "--minutes",
    type=click.IntRange(1, pauses.LONGEST // 60),
    help="End it by itself after so many.",
)
def pause(root: str | None, minutes: int | None) -> None:
    """Silence hooks, panels and hover of a knowledge base.

    Until `resume` or the next start of the system, unless --minutes says how long. What is asked is
    still answered.
    """
    for folder in found_from(root).roots:
        ends = pauses.pause(folder, os.environ, minutes and minutes * 60)
        at = datetime.fromtimestamp(ends).astimezone().isoformat(" ", "minutes")
        until = at if ends < pauses.UNTIL_RESUMED else f"`{program()} resume`"
        say(f"{printable(folder)}: paused until {until}")


@click.command()
@root_option
def resume(root: str | None) -> None:
    """End a pause."""
    for folder in found_from(root).roots:
        was_paused = pauses.resume(folder, os.environ)
        say(f"{printable(folder)}: {'resumed' if was_paused else 'was not paused'}")
