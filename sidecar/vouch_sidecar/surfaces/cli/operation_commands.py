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

from vouch_sidecar.operations.errors import (
    InvalidParamsError,
    NotFoundError,
    SearchFailedError,
)
from vouch_sidecar.operations.operation import Operation, operation_called, operations
from vouch_sidecar.operations.wire import (
    MAX_TEXT,
    Choices,
    EditorOnly,
    Params,
    Paths,
    Result,
    as_json,
    marked,
)
from vouch_sidecar.surfaces.console.asking import Back, answered
from vouch_sidecar.surfaces.console.options import (
    common_options,
    print_json,
    roots_from,
)
from vouch_sidecar.surfaces.console.printing import show
from vouch_sidecar.surfaces.stdio import say

NOTHING_FOUND = 1
MAX_MENTIONED = 65_536
"""Characters of a text of which `mentions` says what is named."""
TEXTS = "texts"
STANDARD_INPUT = "-"
MUST_FIND = frozenset({"experts", "probe", "search"})
"""Operations whose command exits with 1 if it finds nothing."""


class OperationCommand(click.Command):
    """The command of an operation."""

    def __init__(self, operation: Operation[Any, Any]) -> None:
        super().__init__(
            operation.name.replace("_", "-"),
            callback=self._answer,
            params=[*_own_params(operation), *common_options()],
            help=sys.modules[operation.run.__module__].__doc__,
        )
        self.operation = operation
        about = [
            f"{name.removesuffix('s').upper()}: {field.description}"
            for name, field in _fields(operation).items()
            if name in marked(operation.params, Paths)
            or (field.is_required() and name != operation.text_field)
        ]
        if operation.requires_session or _text_of(operation) in _fields(operation):
            about.append("The text - stands for standard input.")
        self.epilog = " ".join(about)

    def _answer(self, **given: Any) -> None:
        """Ask and print. Exits with 1 if nothing was found, for operations in `MUST_FIND`."""
        operation = self.operation
        given = _with_standard_input(operation, given)
        roots = roots_from(given["root"])
        asker = given["project"], given["agent"]
        try:
            result = answered(roots, asker, partial(_result, operation, given))
        except (NotFoundError, SearchFailedError) as error:
            raise click.ClickException(str(error)) from None
        except InvalidParamsError as error:
            names = {p.name: p.opts[0] for p in self.params if isinstance(p, click.Option)}
            said = (f"{names.get(m.field, m.field)} {m.text}" for m in error.messages)
            raise click.UsageError("; ".join(said)) from None
        self.print(result, given)
        if result.is_empty and operation.name in MUST_FIND:
            sys.exit(NOTHING_FOUND)

    def print(self, result: Result, given: Mapping[str, Any]) -> None:
        """Print a result, as JSON or for people."""
        if result.is_unread and (given["as_json"] or not result.is_empty):
            say(f"Not everything is read yet: {', '.join(result.degraded)}.", err=True)
        if given["as_json"]:
            print_json(as_json(result))
        else:
            show(self.operation.shown(result), header=given["header"])


def _result(operation: Operation[Any, Any], given: Mapping[str, Any], ask: Back) -> Result:
    """The answer to a command line that was parsed to `given`. Raises `OperationError`, and
    `UnansweredError` if `ask` does.
    """
    params = {name: _given(given[name]) for name in _fields(operation).keys() & given}
    if operation.requires_session:
        return _of_texts(operation, params, given[TEXTS], ask)
    for name in marked(operation.params, Paths):
        params[name] = [_from_here(path) for path in dict.fromkeys(given[name])]
    result: Result = ask(operation, params)
    return result


def _of_texts(
    operation: Operation[Any, Any], params: Mapping[str, Any], texts: Iterable[str], ask: Back
) -> Result:
    """The answer about a session of these texts, which ends afterwards."""
    session = {"session_id": f"shell {os.urandom(8).hex()}"}
    try:
        for text in filter(str.strip, texts):
            ask(_called("mentions"), {**session, "text": text})
        result: Result = ask(operation, {**params, **session})
        return result.model_copy(update={"session_id": "shell"})
    finally:
        ask(_called("session_end"), session)


def _given(value: object) -> object:
    """An option's value as a param. An empty tuple, click's value of an unused option, is None."""
    return list(value) or None if isinstance(value, tuple) else value


def _text_of(operation: Operation[Any, Any]) -> str:
    """The name of the param that takes a text."""
    return operation.text_field or "text"


def _with_standard_input(operation: Operation[Any, Any], given: dict[str, Any]) -> dict[str, Any]:
    """The values given, with standard input in place of `-`."""
    name = _text_of(operation)
    most = MAX_MENTIONED if operation.name == "mentions" else MAX_TEXT
    if given.get(name) == STANDARD_INPUT:
        return {**given, name: _standard_input(most)}
    for several in marked(operation.params, Paths):
        if STANDARD_INPUT in given[several]:
            others = (path for path in given[several] if path != STANDARD_INPUT)
            return {**given, several: (*others, *_standard_input(MAX_TEXT).splitlines())}
    if STANDARD_INPUT in given.get(TEXTS, ()):
        read = _standard_input(most)
        texts = tuple(read if text == STANDARD_INPUT else text for text in given[TEXTS])
        return {**given, TEXTS: texts}
    return given


def _standard_input(most: int) -> str:
    """At most `most` characters of standard input. Warns the user if there are more."""
    text = sys.stdin.buffer.read(4 * most + 1).decode("utf-8", "replace")
    if len(text) > most:
        say(f"only the first {most:,} characters of standard input count", err=True)
    return text[:most]


def _from_here(path: str) -> str:
    """A relative path joined to the working folder, if that exists; else the path unchanged."""
    there = f"{Path.cwd()}/{path}"
    absolute = path.startswith(("/", "\\")) or path[1:2] == ":"
    return there if not absolute and os.path.lexists(there) else path


def _own_params(operation: Operation[Any, Any]) -> list[click.Parameter]:
    """An argument for each required param and for the text, an option for each other param."""
    parameters: list[click.Parameter] = []
    if operation.requires_session:
        parameters.append(click.Argument([TEXTS], nargs=-1, required=True, metavar="TEXT..."))
    for name, field in _fields(operation).items():
        if name in marked(operation.params, Paths):
            parameters.append(click.Argument([name], nargs=-1, required=True, metavar="PATH..."))
        elif name == operation.text_field or field.is_required():
            parameters.append(click.Argument([name], metavar=name.upper()))
        elif field.default is not True:  # only sessions need to switch such a param off
            parameters.append(_option(name, field))
    return parameters


def _fields(operation: Operation[Any, Any]) -> dict[str, FieldInfo]:
    """The params that only this operation has, without those for editors."""
    others = {*Params.model_fields, *marked(operation.params, EditorOnly)}
    fields = operation.params.model_fields.items()
    return {name: field for name, field in fields if name not in others}


def _option(name: str, field: FieldInfo) -> click.Option:
    kind, word, text = _kind(field.annotation), name.replace("_", "-"), field.description or ""
    if kind is bool:
        return click.Option([f"--{word}", name], is_flag=True, help=text)
    if get_origin(kind) is list:
        names = [f"--{word.removesuffix('s')}", name]
        (one_of,) = get_args(kind)
        several = click.Choice(get_args(one_of)) if get_origin(one_of) is Literal else None
        return click.Option(names, type=several, multiple=True, help=f"{text} Repeatable.")
    limits = [
        getattr(entry, side)
        for side in ("ge", "le")
        for entry in field.metadata
        if hasattr(entry, side)
    ]
    if len(limits) == 2:
        text = f"{text.removesuffix('.')}, {limits[0]} to {limits[1]}."
    choices = next((entry for entry in field.metadata if isinstance(entry, Choices)), None)
    if choices is not None:
        kind, text = str, f"{choices.help}  [{'|'.join(choices.values)}]"
    elif get_origin(kind) is Literal:
        kind = click.Choice(get_args(kind))
    shown = field.default is not None
    words = () if choices is None else choices.values
    return click.Option(
        [f"--{word}", name],
        type=kind,
        default=field.default,
        show_default=shown,
        help=text,
        shell_complete=lambda _, __, begun: [each for each in words if each.startswith(begun)],
    )


def _kind(annotation: object) -> Any:
    """The type in an annotation: X for `X | None` and for an annotated X."""
    if get_origin(annotation) in (Union, UnionType):
        annotation = next(part for part in get_args(annotation) if part is not NoneType)
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation


def _called(name: str) -> Operation[Any, Any]:
    operation = operation_called(name)
    assert operation is not None, name
    return operation


def command_called(name: str) -> click.Command | None:
    """The command of an operation, without those of others."""
    operation = operation_called(name.replace("-", "_"))
    return None if operation is None or operation.table is None else OperationCommand(operation)


def command_names() -> list[str]:
    """The names of all commands of operations."""
    shown = (name for name, operation in operations().items() if operation.table is not None)
    return [name.replace("_", "-") for name in shown]
