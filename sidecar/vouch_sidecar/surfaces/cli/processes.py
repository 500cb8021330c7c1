"""Commands that run servers and hooks, or install integrations."""

from __future__ import annotations

import ipaddress
import os
import sys
from pathlib import Path

import click

from vouch_sidecar.kb import pauses
from vouch_sidecar.kb.discovery import KB_DIRNAME
from vouch_sidecar.kb.runtime_folder import is_supported
from vouch_sidecar.kb.sanitize import printable
from vouch_sidecar.surfaces.hook.client import run
from vouch_sidecar.surfaces.hook.payload import NAMES
from vouch_sidecar.surfaces.install.command import run_install
from vouch_sidecar.surfaces.install.hosts import HOSTS
from vouch_sidecar.surfaces.jsonl import run_jsonl
from vouch_sidecar.surfaces.local import stopping
from vouch_sidecar.surfaces.local.address import socket_path
from vouch_sidecar.surfaces.local.stopping import Outcome
from vouch_sidecar.surfaces.shell.console import Selection, root_option, roots_of, start_at
from vouch_sidecar.surfaces.stdio import log_to_file, say


def _log_file(_: click.Context, __: click.Parameter, path: Path | None) -> None:
    if path is None:
        return
    if KB_DIRNAME in path.resolve().parts:
        raise click.BadParameter("must not be in a knowledge base")
    try:
        log_to_file(str(path), os.environ)
    except OSError as error:
        raise click.BadParameter(error.strerror or "can't be written") from None


log_option = click.option(
    "--log-file",
    type=click.Path(dir_okay=False, path_type=Path),
    callback=_log_file,
    expose_value=False,
    help="Log everything to this file as well. No log holds a prompt.",
)


@click.command()
@log_option
@click.option("--tcp", metavar="HOST:PORT", help="Serve on this loopback address instead of stdio.")
def lsp(tcp: str | None) -> None:
    """Run the language server."""
    address = None if tcp is None else _loopback(tcp)
    from vouch_sidecar.surfaces.lsp import run_stdio, run_tcp

    if address is None:
        run_stdio(os.environ)
    else:
        run_tcp(os.environ, *address)


@click.command()
@log_option
@root_option
def jsonl(root: Path | None) -> None:
    """Answer requests, one JSON object a line, from standard input."""
    run_jsonl(os.environ, start_at(root))


@click.command()
@log_option
@root_option
@click.option(
    "--tools",
    type=click.Choice(["model", "all"]),
    default="model",
    show_default=True,
    help="Tools that are listed: those that a model needs, or all.",
)
def mcp(root: Path | None, tools: str) -> None:
    """Serve the operations to an MCP client, over stdio."""
    try:
        from vouch_sidecar.surfaces.mcp import run_mcp
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "mcp":
            raise
        raise click.UsageError("needs the extra: pip install 'vouch-sidecar[mcp]'") from None
    run_mcp(os.environ, start_at(root), every_tool=tools == "all")


@click.command()
@click.argument("host", type=click.Choice(HOSTS))
@click.option("--user", is_flag=True, help="For all projects of this user.")
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@click.option("--uninstall", is_flag=True, help="Take our files out again, unless changed since.")
@click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of the project.  [default: that of the knowledge base, else .]",
)
def install(host: str, root: Path | None, **options: bool) -> None:
    """Integrate this with a host: an agent or an editor.

    Write files where none are. Of a file that is there already, print what to add to it.
    """
    run_install(host, root, os.environ, **options)


@click.command()
@root_option
@click.option("--all", "every", is_flag=True, help="Every one of this user; ends pauses, too.")
def stop(root: Path | None, every: bool) -> None:
    """End the process that hooks left behind for a knowledge base.

    The next hook starts another one, unless it is taken out first (install HOST --uninstall).
    """
    if not is_supported():
        raise click.UsageError("nothing is left behind on this system")
    roots_by_socket = (
        {} if every else {socket_path(one, os.environ): one for one in roots_of(Selection(root))}
    )
    silent, ended = False, 0
    if every:
        pauses.resume_all(os.environ)
    for path in stopping.sockets(os.environ) if every else roots_by_socket:
        outcome, roots = stopping.stop(path, os.environ)
        for served in roots:
            say(f"{printable(served)}: stopped")
        silent = silent or outcome is Outcome.SILENT
        ended += outcome is Outcome.STOPPED
        if outcome in (Outcome.OTHER, Outcome.SILENT):
            say(f"{printable(str(roots_by_socket.get(path, path)))}: {outcome.value}", err=True)
    if every and not silent:
        stopping.clear(os.environ)
    if not (ended or silent):
        say("no process that a hook left behind runs", err=True)
    if silent:
        sys.exit(1)


@click.command()
@click.option("--log-file", help="Log to this file. No log holds a prompt.")
@click.argument("event", type=click.Choice(list(NAMES)))
def hook(event: str, log_file: str | None) -> None:
    """Answer an event of an agent's hooks, JSON on standard input."""
    run([event, *([] if log_file is None else ["--log-file", log_file])])


def _loopback(address: str) -> tuple[str, int]:
    """Host and port of `HOST:PORT`. Raises `click.BadParameter` unless it is a loopback address."""
    host, _, port = address.rpartition(":")
    host = host.strip("[]")
    try:
        local = host == "localhost" or ipaddress.ip_address(host).is_loopback
        number = int(port)
    except ValueError:
        raise click.BadParameter("must be HOST:PORT", param_hint="--tcp") from None
    if not local or not 0 <= number <= 65_535:
        raise click.BadParameter("must be a loopback address and a port", param_hint="--tcp")
    return host, number


PROCESSES = (lsp, jsonl, mcp, hook, stop, install)
