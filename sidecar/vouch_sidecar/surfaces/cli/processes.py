"""Commands that don't ask: servers, hooks, filling the cache, plugs for hosts."""

from __future__ import annotations

import ipaddress
import os
import time
from pathlib import Path

import click

from vouch_sidecar.surfaces.cli.asking import Asked, root_option, roots_of, start_at
from vouch_sidecar.surfaces.install.hosts import HOSTS

__all__ = ["PROCESSES"]

WARMING_SECONDS = 20.0
HOOKS = ("user-prompt-submit", "session-start", "session-end", "post-tool-use")


@click.command()
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
@root_option
def jsonl(root: Path | None) -> None:
    """Answer requests, one JSON object a line, from standard input."""
    from vouch_sidecar.surfaces.jsonl import run_jsonl

    run_jsonl(os.environ, start_at(root))


@click.command()
@root_option
def mcp(root: Path | None) -> None:
    """Serve the operations to an MCP client, over stdio."""
    try:
        from vouch_sidecar.surfaces.mcp import run_mcp
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types"):
            raise
        raise click.UsageError("needs the extra: pip install 'vouch-sidecar[mcp]'") from None
    run_mcp(os.environ, start_at(root))


@click.command()
@click.argument("host", type=click.Choice(HOSTS))
@click.option("--user", is_flag=True, help="For all projects of this user.")
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@click.option("--uninstall", is_flag=True, help="Take it out again.")
@click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of the project.  [default: that of the knowledge base, else .]",
)
def install(host: str, user: bool, dry_run: bool, uninstall: bool, root: Path | None) -> None:
    """Plug this into a host: an agent or an editor.

    Where its settings can't be merged, print what to write into them.
    """
    from vouch_sidecar.surfaces.install.command import run_install

    run_install(host, root, os.environ, user=user, dry_run=dry_run, uninstall=uninstall)


@click.command()
@root_option
def warm(root: Path | None) -> None:
    """Fill the cache of a knowledge base, unless somebody is at it."""
    found = roots_of(Asked(root, None, None))
    from vouch_sidecar.engine import Engine
    from vouch_sidecar.surfaces.local.ownership import hold

    engine = Engine(env=os.environ)
    for one in found:
        if hold(one, os.environ, "warm") is not None:
            engine.add_root(one)
    until = time.monotonic() + WARMING_SECONDS
    while not engine.load(whole=True) and time.monotonic() < until:
        time.sleep(0.1)  # what was written just now may change again under the same time stamp


@click.command()
@click.argument("event", type=click.Choice(HOOKS))
def hook(event: str) -> None:
    """Answer an event of an agent's hooks, JSON on standard input."""
    from vouch_sidecar.surfaces.hook.client import run

    run(event)


def _loopback(address: str) -> tuple[str, int]:
    """Host and port of `HOST:PORT`. Raises `click.BadParameter` for another machine's."""
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


PROCESSES = (lsp, jsonl, mcp, hook, warm, install)
