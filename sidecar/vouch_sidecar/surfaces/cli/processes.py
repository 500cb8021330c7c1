"""Commands that run servers. Each imports its own only."""

from __future__ import annotations

import os
from pathlib import Path

import click

from vouch_sidecar.surfaces.console.options import ROOT_OPTION, root_option, start_at
from vouch_sidecar.surfaces.projects import UNFILLED, path_of


@click.command()
def lsp() -> None:
    """Run the language server over stdio."""
    from vouch_sidecar.surfaces.lsp import run_stdio

    run_stdio(os.environ)


@click.command()
@root_option
def jsonl(root: Path | None) -> None:
    """Answer requests, one JSON object a line, from standard input."""
    from vouch_sidecar.surfaces.jsonl import run_jsonl

    run_jsonl(os.environ, start_at(root).absolute(), is_chosen=root is not None)


@click.command()
@click.option("--root", **{**ROOT_OPTION, "type": str})  # one that is wrong is said in answers
@click.option(
    "--tools",
    type=click.Choice(["model", "all"]),
    default="model",
    show_default=True,
    help="Tools that are listed: those that a model needs, or all.",
)
def mcp(root: str | None, tools: str) -> None:
    """Serve the operations to an MCP client, over stdio."""
    try:
        from vouch_sidecar.surfaces.mcp.run import run_mcp
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "mcp":
            raise
        raise click.UsageError("needs the extra: pip install 'vouch-sidecar[mcp]'") from None
    start = start_at(None if root is None else Path(path_of(root))).absolute()
    is_chosen = root is not None and UNFILLED not in root
    run_mcp(os.environ, start, is_chosen=is_chosen, every_tool=tools == "all")
