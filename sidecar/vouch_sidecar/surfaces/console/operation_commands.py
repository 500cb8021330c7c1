"""The shell's commands for operations: one for each, with options made from its params."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import click
from pydantic.fields import FieldInfo

from vouch_sidecar.kb.discovery import BaseInTree, find
from vouch_sidecar.operations.operation import Operation
from vouch_sidecar.operations.wire import (
    OF_EDITORS,
    FailedError,
    InvalidParamsError,
    NotFoundError,
    OperationError,
    Params,
    Result,
    as_json,
)
from vouch_sidecar.surfaces.console.options import common_options, found_from, start_at
from vouch_sidecar.surfaces.console.printing import packed, print_answer
from vouch_sidecar.surfaces.local.user_socket import TYPED

Answer = Callable[[Operation[Any, Any], dict[str, Any]], Result]
TEXTS, PATHS = "texts", "paths"
MUST_FIND = frozenset({"experts", "probe", "search"})
"""Operations whose command exits with 1 if it finds nothing."""


def _or_standard_input(value: str) -> str:
    """A text; `-` stands for what is on standard input, which `entry` reads."""
    return str(click.get_current_context().obj()) if value == "-" else value


class OperationCommand(click.Command):
    """The command of an operation: arguments for what it requires and for its text, options for the
    rest, none for a switch that is on, which sessions alone switch off.
    """

    def __init__(self, operation: Operation[Any, Any]) -> None:
        self.operation = operation
        others = Params.model_fields.keys() | OF_EDITORS
        fields = operation.params.model_fields.items()
        self.fields = {name: field for name, field in fields if name not in others}
        own: list[click.Parameter] = []
        if operation.requires_session:
            own.append(_argument(TEXTS, "TEXT..."))
        for name, field in self.fields.items():
            if name == PATHS:
                own.append(_argument(name, "PATH..."))
            elif name == operation.text_field or field.is_required():
                own.append(_argument(name, name.upper()))
            elif field.default is not True:
                own.append(_option(name, field))
        takes_text = any(isinstance(param, click.Argument) for param in own)
        super().__init__(
            operation.name,
            callback=self._run,
            params=[*own, *common_options()],
            help=sys.modules[operation.run.__module__].__doc__,
            epilog="The text - stands for standard input." if takes_text else None,
        )

    def _run(self, **given: Any) -> None:
        """Ask an engine in this process, and print. Exits with 1 if nothing was found, for
        operations in `MUST_FIND`.
        """
        from vouch_sidecar.api import KnowledgeBase, engine_on
        from vouch_sidecar.kb.access import Viewer

        try:
            with KnowledgeBase(engine_on(found_from(given["root"])), Viewer()) as kb:
                answered = self.told(given, kb.ask)
        except (NotFoundError, FailedError) as error:
            raise click.ClickException(str(error)) from None
        except InvalidParamsError as error:
            raise click.UsageError(str(error)) from None
        sys.exit(print_answer(answered))

    def told(self, given: Mapping[str, Any], answer: Answer, folder: str = "") -> dict[str, Any]:
        """What is printed of the answer to a command line that was parsed to `given`, and the exit
        code. `folder` is the one in which who asks stands; by default that of this process. Raises
        `OperationError`.
        """
        result = self._result(given, answer, folder)
        is_missed = self.operation.is_empty(result) and self.operation.name in MUST_FIND
        return {
            "code": int(is_missed),
            "complete": result.complete,
            "header": given["header"],
            "json": as_json(result) if given["as_json"] else None,
            "shown": None if given["as_json"] else packed(self.operation.shown(result)),
        }

    def _result(self, given: Mapping[str, Any], answer: Answer, folder: str) -> Result:
        who = {"viewer": {name: given[name] for name in ("project", "agent")}}
        chosen = {name: given[name] for name in self.fields.keys() & given}
        # An option that may be repeated is a tuple, which is empty where it is not used.
        params = {n: list(v) if isinstance(v, tuple) else v for n, v in chosen.items() if v != ()}
        if PATHS in params:
            here = Path(folder or Path.cwd())
            lines = [line for path in given[PATHS] for line in path.splitlines()]
            params[PATHS] = [str(here / p) if os.path.lexists(here / p) else p for p in lines]
        if not self.operation.requires_session:
            return answer(self.operation, params | who)
        from vouch_sidecar.operations import mentions, session_end

        session = {"session_id": f"shell {os.urandom(8).hex()}", **who}
        try:
            for text in filter(str.strip, given[TEXTS]):
                answer(mentions.OPERATION, {**session, "text": text})
            result = answer(self.operation, params | session)
            return result.model_copy(update={"session_id": "shell"})
        finally:
            answer(session_end.OPERATION, session)


def told(
    asked: Mapping[str, Any],
    env: Mapping[str, str],
    answer: Callable[[Iterable[BaseInTree], Operation[Any, Any], dict[str, Any]], Result],
) -> dict[str, Any] | str | None:
    """What is printed of a command line that another process with the environment `env` sent, as
    `entry` does; `TYPED` if its standard input is wanted, too; None where that process has to see
    for itself what is wrong or not found. `answer` asks some knowledge bases.
    """
    name, *arguments = asked["line"]

    def typed() -> str:
        if TYPED in asked:
            return str(asked[TYPED])
        raise click.Abort

    try:
        if (command := command_called(name)) is not None:
            command.add_help_option = False
            default = {"root": asked["start"]}
            context = command.make_context(name, arguments, obj=typed, default_map=default)
            found = find(start_at(context.params["root"], asked["folder"]), env)
            if found.places and not found.refused:
                return command.told(context.params, partial(answer, found.places), asked["folder"])
    except click.Abort:
        return TYPED
    except (OperationError, click.ClickException):
        return None
    return None


def _argument(name: str, metavar: str) -> click.Argument:
    several = -1 if metavar.endswith("...") else 1
    return click.Argument(
        [name], nargs=several, required=True, metavar=metavar, type=_or_standard_input
    )


def _option(name: str, field: FieldInfo) -> click.Option:
    """An option of the type in the field's annotation: that of X for `X | None`, for an annotated
    X and for a list of X.
    """
    kind: Any = field.annotation
    if get_origin(kind) in (Union, UnionType):
        kind = next(part for part in get_args(kind) if part is not NoneType)
    if get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    word, text = name.replace("_", "-"), field.description or ""
    is_list = get_origin(kind) is list
    if is_list:
        (kind,), word, text = get_args(kind), word.removesuffix("s"), f"{text} Repeatable."
    return click.Option(
        [f"--{word}", name],
        is_flag=kind is bool,
        multiple=is_list,
        type=click.Choice(get_args(kind)) if get_origin(kind) is Literal else kind,
        default=None if is_list else field.default,
        show_default=field.default is not None and kind is not bool,
        help=text,
    )


def command_called(name: str) -> OperationCommand | None:
    """The command of an operation; None where it is none of the shell's."""
    operation = import_module(f"vouch_sidecar.operations.{name}").OPERATION
    return None if operation.table is None else OperationCommand(operation)
