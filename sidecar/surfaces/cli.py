"""The shell: `vouch-sidecar`. What a command needs is imported when it runs, and no sooner."""

from __future__ import annotations

import functools
import ipaddress
import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from sidecar import __version__
from sidecar.surfaces.stdio import log_to_stderr

if TYPE_CHECKING:
    from sidecar.engine import Caller, Engine

__all__ = ["main"]

SESSION = "shell"
HOOKS = ("user-prompt-submit", "session-start", "session-end", "post-tool-use")
STATS_SECONDS = 2.0
FAILED = 1
USAGE = 2

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Asked:
    """What every command that asks takes."""

    root: Path | None
    as_json: bool
    project: str | None
    agent: str | None


def asking(command: Command) -> Command:
    """Add the options of `Asked`; the command gets them as its first argument."""

    @functools.wraps(command)
    def wrapped(
        root: Path | None, as_json: bool, project: str | None, agent: str | None, **given: Any
    ) -> Any:
        return command(Asked(root, as_json, project, agent), **given)

    options = (
        click.option("--agent", help="Agent whose private claims count as well."),
        click.option("--project", help="Project whose claims count as well."),
        click.option("--json", "as_json", is_flag=True, help="Print the result as JSON."),
        click.option(
            "--root",
            type=click.Path(exists=True, path_type=Path),
            help="Folder to look for the knowledge base from.  [default: .]",
        ),
    )
    for option in options:
        wrapped = option(wrapped)
    return wrapped  # type: ignore[return-value]


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="vouch-sidecar")
def main() -> None:
    """Say which entities of a vouch knowledge base are in play, and who carries the evidence."""
    log_to_stderr(os.environ)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


@main.command()
@click.option("--tcp", metavar="HOST:PORT", help="Serve on this loopback address instead of stdio.")
def lsp(tcp: str | None) -> None:
    """Run the language server."""
    address = None if tcp is None else _loopback(tcp)
    from sidecar.surfaces.lsp import run_stdio, run_tcp

    if address is None:
        run_stdio(os.environ)
    else:
        run_tcp(os.environ, *address)


@main.command()
@click.option("--root", type=click.Path(exists=True, path_type=Path), help="Where to look from.")
def jsonl(root: Path | None) -> None:
    """Answer requests, one JSON object a line, from standard input."""
    from sidecar.surfaces.jsonl import run_jsonl

    run_jsonl(os.environ, root or Path.cwd())


@main.command()
@click.option("--root", type=click.Path(exists=True, path_type=Path), help="Where to look from.")
def mcp(root: Path | None) -> None:
    """Answer an MCP client: the operations as tools, over standard input and output."""
    try:
        from sidecar.surfaces.mcp import run_mcp
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types"):
            raise
        raise click.UsageError("needs the extra: pip install 'vouch-sidecar[mcp]'") from None
    run_mcp(os.environ, root or Path.cwd())


@main.command()
@click.argument("host")
@click.option("--user", is_flag=True, help="For all projects of this user.")
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@click.option("--uninstall", is_flag=True, help="Take it out again.")
@click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of the project.  [default: that of the knowledge base, else .]",
)
def install(host: str, user: bool, dry_run: bool, uninstall: bool, root: Path | None) -> None:
    """Plug this into a host: claude-code, codex, cursor, opencode or zed.

    For neovim, helix and emacs, print what to write into their settings.
    """
    from sidecar.surfaces.install.command import run_install
    from sidecar.surfaces.install.hosts import HOSTS

    if host not in HOSTS:
        raise click.BadParameter(f"must be one of {', '.join(HOSTS)}", param_hint="HOST")
    run_install(host, root, os.environ, user=user, dry_run=dry_run, uninstall=uninstall)


@main.command()
@click.argument("topic")
@click.option("--limit", type=int, default=10, show_default=True, help="Rows at most, 1 to 100.")
@click.option("--min-claims", type=int, default=1, show_default=True, help="Claims a row needs.")
@click.option("--weight", default="count", show_default=True, help="count, recency or citation.")
@click.option("--type", "types", multiple=True, help="Only entities of this type. Repeatable.")
@click.option("--declared", is_flag=True, help="Only entities that claims declare themselves.")
@asking
def experts(
    asked: Asked,
    topic: str,
    limit: int,
    min_claims: int,
    weight: str,
    types: tuple[str, ...],
    declared: bool,
) -> None:
    """Rank entities by the evidence they carry on a topic."""
    params = {
        "topic": topic,
        "limit": limit,
        "min_claims": min_claims,
        "weight": weight,
        "types": list(types) or None,
        "linking": "declared" if declared else "auto",
    }
    _print(asked, "experts", _ask(asked, "experts", params))


@main.command()
@click.argument("texts", nargs=-1, required=True, metavar="TEXT...")
@click.option("--top-k", type=int, help="Entities at most, 1 to 20.")
@asking
def salience(asked: Asked, texts: tuple[str, ...], top_k: int | None) -> None:
    """Rank the entities in play in a session of texts, the newest last."""
    engine, caller = _engine(asked)
    for text in texts:
        engine.observe(SESSION, None, text)
    params = {"session_id": SESSION, "top_k": top_k}
    _print(asked, "salience", _call(engine, caller, "salience", params))


@main.command()
@click.argument("query")
@click.option("--limit", type=int, default=10, show_default=True, help="Hits at most, 1 to 100.")
@click.option("--kind", "kinds", multiple=True, help="Only this kind of artifact. Repeatable.")
@click.option("--exclude", multiple=True, metavar="ID", help="Leave this id out. Repeatable.")
@asking
def search(
    asked: Asked, query: str, limit: int, kinds: tuple[str, ...], exclude: tuple[str, ...]
) -> None:
    """Search claims, pages, entities, relations and sources."""
    params = {
        "query": query,
        "limit": limit,
        "kinds": list(kinds) or None,
        "exclude": list(exclude) or None,
    }
    _print(asked, "search", _ask(asked, "search", params))


@main.command()
@click.argument("artifact_id", metavar="ID")
@asking
def entity(asked: Asked, artifact_id: str) -> None:
    """Show an entity with its claims, pages and relations."""
    _print(asked, "entity", _ask(asked, "entity", {"id": artifact_id}, nothing_is_usage=False))


@main.command()
@click.argument("artifact_id", metavar="ID")
@asking
def claim(asked: Asked, artifact_id: str) -> None:
    """Show a claim with its citations, pages and relations."""
    _print(asked, "claim", _ask(asked, "claim", {"id": artifact_id}, nothing_is_usage=False))


@main.command()
@click.argument("text")
@asking
def probe(asked: Asked, text: str) -> None:
    """Show what the knowledge bases know of a text, and which of them it is about."""
    _print(asked, "probe", _ask(asked, "probe", {"text": text}))


@main.command()
@click.argument("task")
@click.option("--max-chars", type=int, help="Characters at most, 100 to 5000.")
@click.option("--adjacent", is_flag=True, help="Add pages and relations one step away.")
@asking
def context(asked: Asked, task: str, max_chars: int | None, adjacent: bool) -> None:
    """Print the block for a prompt that a task brings in; nothing when there is nothing to say."""
    params = {"task": task, "max_chars": max_chars, "adjacent": adjacent}
    _print(asked, "context", _ask(asked, "context", params))


@main.command()
@asking
def status(asked: Asked) -> None:
    """Show the knowledge bases found and how they are."""
    _print(asked, "status", _ask(asked, "status", {}))


@main.command()
@asking
def stats(asked: Asked) -> None:
    """Show what the sidecar that runs for a knowledge base has done; exit code 1 without one."""
    root = _root(asked)
    from sidecar.surfaces.local.client import ask

    answered = ask(root, "kb.stats", {}, timeout=STATS_SECONDS, env=os.environ)
    if answered is None or not answered.get("ok"):
        raise click.ClickException("no sidecar runs for this knowledge base")
    _print(asked, "stats", answered["result"])


@main.command()
@click.option("--root", type=click.Path(exists=True, path_type=Path), help="Where to look from.")
def warm(root: Path | None) -> None:
    """Fill the cache of a knowledge base, unless somebody is at it."""
    found = _root(Asked(root, False, None, None))
    from sidecar.engine import Engine
    from sidecar.surfaces.hook.alone import hold_warming

    if hold_warming(found, os.environ):
        engine = Engine(env=os.environ)
        engine.add_root(found)
        engine.load()


@main.command()
@click.argument("event", type=click.Choice(HOOKS))
def hook(event: str) -> None:
    """Answer one event of an agent's hooks, given as JSON on standard input."""
    from sidecar.surfaces.hook.client import run

    run(event)


@main.command()
@asking
def check(asked: Asked) -> None:
    """List the problems of a knowledge base; exit code 1 when there are any."""
    result = _ask(asked, "status", {})
    if not result["roots"]:
        raise click.UsageError(f"no knowledge base found from {_start(asked)}")
    problems = [
        {"root": root["root"], **problem}
        for root in result["roots"]
        for problem in root["problems"]
    ]
    _print(asked, "check", {"problems": problems})
    if problems:
        sys.exit(FAILED)


def _loopback(address: str) -> tuple[str, int]:
    """Host and port of `HOST:PORT`, which must be this machine's own."""
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


def _root(asked: Asked) -> Path:
    from sidecar.kb.layout import discover

    root = discover(_start(asked), env=os.environ)
    if root is None:
        raise click.UsageError(f"no knowledge base found from {_start(asked)}")
    return root


def _start(asked: Asked) -> Path:
    return asked.root or Path.cwd()


def _engine(asked: Asked) -> tuple[Engine, Caller]:
    from sidecar.engine import Caller, Engine
    from sidecar.kb.access import Viewer

    engine = Engine(env=os.environ)
    engine.add_start(_start(asked))
    engine.load()
    return engine, Caller(connection=SESSION, viewer=Viewer(asked.project, asked.agent))


def _ask(
    asked: Asked, name: str, params: Mapping[str, object], nothing_is_usage: bool = True
) -> dict[str, Any]:
    return _call(*_engine(asked), name, params, nothing_is_usage)


def _call(
    engine: Engine,
    caller: Caller,
    name: str,
    params: Mapping[str, object],
    nothing_is_usage: bool = True,
) -> dict[str, Any]:
    from sidecar.operations import InvalidParamsError, call

    try:
        return call(engine, name, dict(params), caller)
    except InvalidParamsError as error:
        if nothing_is_usage:
            raise click.UsageError(str(error)) from None
        raise click.ClickException(str(error)) from None


def _print(asked: Asked, name: str, result: dict[str, Any]) -> None:
    if asked.as_json:
        click.echo(json.dumps(result, indent=2, ensure_ascii=not _takes_unicode()))
        return
    from sidecar.surfaces.render import render

    render(name, result)


def _takes_unicode() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
