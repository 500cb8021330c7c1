"""The shell's commands for operations: one for each, with options made from its params."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import click
from pydantic import ValidationError
from pydantic.fields import FieldInfo

from vouch_sidecar.operations.operation import KB, Operation, operation_called
from vouch_sidecar.operations.wire import (
    MAX_TEXT,
    OF_EDITORS,
    FailedError,
    InvalidParamsError,
    NotFoundError,
    Params,
    Result,
    as_json,
)
from vouch_sidecar.surfaces.console.options import common_options, found_from, print_json
from vouch_sidecar.surfaces.console.printing import show
from vouch_sidecar.surfaces.local.user_socket import SOON_SECONDS, UnansweredError, ask

TEXTS, PATHS = "texts", "paths"
MUST_FIND = frozenset({"experts", "probe", "search"})
"""Operations whose command exits with 1 if it finds nothing."""


def _or_standard_input(value: str) -> str:
    """A text; `-` stands for what standard input holds."""
    if value != "-":
        return value
    return sys.stdin.buffer.read(4 * MAX_TEXT + 1).decode("utf-8", "replace")


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
        """Ask and print. Exits with 1 if nothing was found, for operations in `MUST_FIND`."""
        try:
            result = self._result(given)
        except (NotFoundError, FailedError) as error:
            raise click.ClickException(str(error)) from None
        except InvalidParamsError as error:
            raise click.UsageError(str(error)) from None
        if given["as_json"]:
            print_json(as_json(result))
        else:
            show(self.operation.shown(result), header=given["header"])
        if self.operation.is_empty(result) and self.operation.name in MUST_FIND:
            sys.exit(1)

    def _result(self, given: Mapping[str, Any]) -> Result:
        """The answer to a command line that was parsed to `given`: of the process that serves, or
        of an engine in this one if there is none, or if it can't answer something. Raises
        `OperationError`.
        """
        found = found_from(given["root"])
        viewer = {name: given[name] for name in ("project", "agent")}

        def served(operation: Operation[Any, Any], params: dict[str, Any]) -> Result:
            asked = KB + operation.name, {**params, "viewer": viewer}
            answered = ask(
                found.trees, *asked, env=os.environ, timeout=SOON_SECONDS, reader="person"
            )
            result: Result = operation.result.model_validate(answered, strict=False)
            return result

        with suppress(UnansweredError, ValidationError):
            result = self._asked(given, served)
            if result.complete:
                return result
        from vouch_sidecar.api import KnowledgeBase, engine_on
        from vouch_sidecar.kb.access import Viewer

        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a thread that reads can't be interrupted
        with KnowledgeBase(engine_on(found), Viewer(**viewer)) as kb:
            return self._asked(given, kb.ask)

    def _asked(self, given: Mapping[str, Any], answer: Callable[..., Result]) -> Result:
        chosen = {name: given[name] for name in self.fields.keys() & given}
        # An option that may be repeated is a tuple, which is empty where it is not used.
        params = {n: list(v) if isinstance(v, tuple) else v for n, v in chosen.items() if v != ()}
        if PATHS in params:
            here = Path.cwd()
            lines = [line for path in given[PATHS] for line in path.splitlines()]
            params[PATHS] = [str(here / p) if os.path.lexists(here / p) else p for p in lines]
        if not self.operation.requires_session:
            return answer(self.operation, params)
        from vouch_sidecar.operations import mentions, session_end

        session = {"session_id": f"shell {os.urandom(8).hex()}"}
        try:
            for text in filter(str.strip, given[TEXTS]):
                answer(mentions.OPERATION, {**session, "text": text})
            result = answer(self.operation, {**params, **session})
            return result.model_copy(update={"session_id": "shell"})
        finally:
            answer(session_end.OPERATION, session)


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


def command_called(name: str) -> click.Command | None:
    """The command of an operation, without those of others."""
    operation = operation_called(name)
    return None if operation is None or operation.table is None else OperationCommand(operation)
