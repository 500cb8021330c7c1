"""The shell's commands for operations: one for each, with options made from its params."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import click
from pydantic.fields import FieldInfo

from vouch_sidecar.operations.operation import Operation, operation_called, operations
from vouch_sidecar.operations.wire import (
    MAX_TEXT,
    Choices,
    EditorOnly,
    InvalidParamsError,
    NotFoundError,
    Params,
    Paths,
    Result,
    SearchFailedError,
    as_json,
    marked,
)
from vouch_sidecar.surfaces.console.asking import Back, answered
from vouch_sidecar.surfaces.console.options import common_options, print_json, roots_from
from vouch_sidecar.surfaces.console.printing import show
from vouch_sidecar.surfaces.stdio import say

NOTHING_FOUND = 1
TEXTS = "texts"
MUST_FIND = frozenset({"experts", "probe", "search"})
"""Operations whose command exits with 1 if it finds nothing."""


class OrStandardInput(click.ParamType[str]):
    """A text; `-` stands for what standard input holds."""

    name = "text"

    def convert(self, value: str, *_: object) -> str:
        if value != "-":
            return value
        return sys.stdin.buffer.read(4 * MAX_TEXT + 1).decode("utf-8", "replace")


class OperationCommand(click.Command):
    """The command of an operation."""

    def __init__(self, operation: Operation[Any, Any]) -> None:
        self.operation = operation
        self.paths = marked(operation.params, Paths)
        own = [self._parameter(name, field) for name, field in _fields(operation).items()]
        if operation.requires_session:
            own.insert(0, _argument(TEXTS, "TEXT..."))
        takes_text = any(isinstance(param.type, OrStandardInput) for param in own if param)
        super().__init__(
            operation.name.replace("_", "-"),
            callback=self._answer,
            params=[*filter(None, own), *common_options()],
            help=sys.modules[operation.run.__module__].__doc__,
            epilog="The text - stands for standard input." if takes_text else None,
        )

    def _parameter(self, name: str, field: FieldInfo) -> click.Parameter | None:
        """An argument for a required param and for the text, else an option; none for a switch that
        is on, which sessions alone switch off.
        """
        if name in self.paths:
            return _argument(name, "PATH...")
        if name == self.operation.text_field or field.is_required():
            return _argument(name, name.upper())
        return None if field.default is True else _option(name, field)

    def _answer(self, **given: Any) -> None:
        """Ask and print. Exits with 1 if nothing was found, for operations in `MUST_FIND`."""
        roots, asker = roots_from(given["root"]), (given["project"], given["agent"])
        try:
            result = answered(roots, asker, partial(self._result, given))
        except (NotFoundError, SearchFailedError) as error:
            raise click.ClickException(str(error)) from None
        except InvalidParamsError as error:
            names = {p.name: p.opts[0] for p in self.params if isinstance(p, click.Option)}
            said = (f"{names.get(field, field)} {text}" for field, text in error.messages.items())
            raise click.UsageError("; ".join(said)) from None
        self.print(result, given)
        if self.operation.is_empty(result) and self.operation.name in MUST_FIND:
            sys.exit(NOTHING_FOUND)

    def print(self, result: Result, given: Mapping[str, Any]) -> None:
        """Print a result, as JSON or for people."""
        if result.is_unread and (given["as_json"] or not self.operation.is_empty(result)):
            say(f"Not everything is read yet: {', '.join(result.degraded)}.", err=True)
        if given["as_json"]:
            print_json(as_json(result))
        else:
            show(self.operation.shown(result), header=given["header"])

    def _result(self, given: Mapping[str, Any], ask: Back) -> Result:
        """The answer to a command line that was parsed to `given`. Raises `OperationError`, and
        `UnansweredError` if `ask` does.
        """
        params = {name: _given(given[name]) for name in _fields(self.operation).keys() & given}
        if self.operation.requires_session:
            return _of_texts(self.operation, params, given[TEXTS], ask)
        for name in self.paths:
            lines = [line for path in given[name] for line in path.splitlines()]
            params[name] = [_from_here(path) for path in dict.fromkeys(lines)]
        result: Result = ask(self.operation, params)
        return result


def _of_texts(
    operation: Operation[Any, Any], params: Mapping[str, Any], texts: Iterable[str], ask: Back
) -> Result:
    """The answer about a session of these texts, which ends afterwards."""
    from vouch_sidecar.operations import mentions, session_end

    session = {"session_id": f"shell {os.urandom(8).hex()}"}
    try:
        for text in filter(str.strip, texts):
            ask(mentions.OPERATION, {**session, "text": text})
        result: Result = ask(operation, {**params, **session})
        return result.model_copy(update={"session_id": "shell"})
    finally:
        ask(session_end.OPERATION, session)


def _given(value: object) -> object:
    """An option's value as a param. An empty tuple, click's value of an unused option, is None."""
    return list(value) or None if isinstance(value, tuple) else value


def _from_here(path: str) -> str:
    """A relative path joined to the working folder, if that exists; else the path unchanged."""
    there = Path.cwd() / path
    return str(there) if os.path.lexists(there) else path


def _fields(operation: Operation[Any, Any]) -> dict[str, FieldInfo]:
    """The params that only this operation has, without those for editors."""
    others = {*Params.model_fields, *marked(operation.params, EditorOnly)}
    fields = operation.params.model_fields.items()
    return {name: field for name, field in fields if name not in others}


def _argument(name: str, metavar: str) -> click.Argument:
    several = -1 if metavar.endswith("...") else 1
    return click.Argument(
        [name], nargs=several, required=True, metavar=metavar, type=OrStandardInput()
    )


def _option(name: str, field: FieldInfo) -> click.Option:
    kind, word, text = _kind(field.annotation), name.replace("_", "-"), field.description or ""
    if kind is bool:
        return click.Option([f"--{word}", name], is_flag=True, help=text)
    if get_origin(kind) is list:
        names = [f"--{word.removesuffix('s')}", name]
        (one_of,) = get_args(kind)
        several = click.Choice(get_args(one_of)) if get_origin(one_of) is Literal else None
        return click.Option(names, type=several, multiple=True, help=f"{text} Repeatable.")
    choices = next((entry for entry in field.metadata if isinstance(entry, Choices)), None)
    if choices is not None:
        kind, text = str, f"{choices.help}  [{'|'.join(choices.values)}]"
    elif get_origin(kind) is Literal:
        kind = click.Choice(get_args(kind))
    words = () if choices is None else choices.values
    return click.Option(
        [f"--{word}", name],
        type=kind,
        default=field.default,
        show_default=field.default is not None,
        help=text,
        shell_complete=lambda _, __, begun: [each for each in words if each.startswith(begun)],
    )


def _kind(annotation: object) -> Any:
    """The type in an annotation: X for `X | None` and for an annotated X."""
    if get_origin(annotation) in (Union, UnionType):
        annotation = next(part for part in get_args(annotation) if part is not NoneType)
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation


def command_called(name: str) -> click.Command | None:
    """The command of an operation, without those of others."""
    operation = operation_called(name.replace("-", "_"))
    return None if operation is None or operation.table is None else OperationCommand(operation)


def command_names() -> list[str]:
    """The names of all commands of operations."""
    shown = (name for name, operation in operations().items() if operation.table is not None)
    return [name.replace("_", "-") for name in shown]
