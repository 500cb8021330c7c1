"""What the commands that ask share: their options, the engine, and how answers are shown."""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from vouch_sidecar.engine import Caller, Engine

__all__ = [
    "SESSION",
    "Asked",
    "answer",
    "answer_from",
    "asking",
    "loaded",
    "nothing_found",
    "root_of",
    "root_option",
    "show",
    "start_at",
    "start_of",
]

SESSION = "shell"
NOTHING = "no knowledge base found"
FINDS_IDS = "; `vouch-sidecar search` finds ids by names and words"
ASKS_KNOWLEDGE = frozenset({"experts", "salience", "probe", "context", "search"})
OPTIONS = {
    "kinds": "--kind",
    "limit": "--limit",
    "max_chars": "--max-chars",
    "min_claims": "--min-claims",
    "top_k": "--top-k",
}
"""What a param is called on the command line, where that is not the name of an argument."""

Command = TypeVar("Command", bound=Callable[..., Any])

root_option = click.option(
    "--root",
    type=click.Path(exists=True, path_type=Path),
    help="Folder to look for the knowledge base from.  [default: .]",
)


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
        root_option,
    )
    for option in options:
        wrapped = option(wrapped)
    return wrapped  # type: ignore[return-value]


def root_of(asked: Asked) -> Path:
    root = _found(asked)
    if root is None:
        raise click.UsageError(nothing_found(asked))
    return root


def nothing_found(asked: Asked) -> str:
    """That there is no knowledge base, and where one was looked for."""
    if forced := os.environ.get("VOUCH_KB_PATH"):
        return f"{NOTHING}: VOUCH_KB_PATH names {forced}, which is no .vouch folder"
    return f"{NOTHING} from {start_of(asked)}"


def _found(asked: Asked) -> Path | None:
    from vouch_sidecar.kb.layout import discover

    return discover(start_of(asked), env=os.environ)


def start_of(asked: Asked) -> Path:
    return start_at(asked.root)


def start_at(root: Path | None) -> Path:
    from vouch_sidecar.kb.layout import start_folder

    return root or start_folder(os.environ)


def loaded(asked: Asked) -> tuple[Engine, Caller]:
    from vouch_sidecar.engine import Caller, Engine
    from vouch_sidecar.kb.access import Viewer

    engine = Engine(env=os.environ)
    engine.add_start(start_of(asked))
    engine.load()
    return engine, Caller(connection=SESSION, viewer=Viewer(asked.project, asked.agent))


def answer(
    asked: Asked, name: str, params: Mapping[str, object], nothing_is_usage: bool = True
) -> dict[str, Any]:
    return answer_from(*loaded(asked), name, params, nothing_is_usage)


def answer_from(
    engine: Engine,
    caller: Caller,
    name: str,
    params: Mapping[str, object],
    nothing_is_usage: bool = True,
) -> dict[str, Any]:
    from vouch_sidecar.operations import InvalidParamsError, call

    try:
        return call(engine, name, dict(params), caller)
    except InvalidParamsError as error:
        said = "; ".join(f"{OPTIONS.get(m.field, m.field)} {m.text}" for m in error.messages)
        if nothing_is_usage:
            raise click.UsageError(said) from None
        if not engine.collections:
            raise click.ClickException(NOTHING) from None
        hint = FINDS_IDS if any(message.field == "id" for message in error.messages) else ""
        raise click.ClickException(said + hint) from None


def show(asked: Asked, name: str, result: dict[str, Any]) -> None:
    if asked.as_json:
        click.echo(json.dumps(result, indent=2, ensure_ascii=not _takes_unicode()))
        return
    if name in ASKS_KNOWLEDGE and _found(asked) is None:
        click.echo(nothing_found(asked), err=True)
        return
    from vouch_sidecar.surfaces.render import render

    render(name, result)


def _takes_unicode() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
