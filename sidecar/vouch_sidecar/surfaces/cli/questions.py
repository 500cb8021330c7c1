"""Commands that ask: one for each operation, with options made from its params, and `check`."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin

import click

from vouch_sidecar.slices import Slice, slices
from vouch_sidecar.surfaces.cli.asking import (
    NOTHING,
    SESSION,
    Asked,
    common_options,
    found,
    loaded,
    nothing_found,
    print_json,
    roots_of,
)
from vouch_sidecar.surfaces.local.client import ask
from vouch_sidecar.surfaces.local.shell import SECONDS

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from vouch_sidecar.engine import Caller, Engine
    from vouch_sidecar.operations import Operation
    from vouch_sidecar.operations.base import Result
    from vouch_sidecar.operations.page import Page

__all__ = ["QUESTIONS", "Question"]

PROBLEMS = 1
FINDS_IDS = "; `vouch-sidecar search` finds ids by names and words"
TEXTS = "texts"


class Question(click.Command):
    """The command of an operation. The operation is imported when its options are needed."""

    def __init__(self, found: Slice) -> None:
        super().__init__(found.name.replace("_", "-"), callback=self._answer, help=found.purpose)
        self._operation_name = found.name

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        if not self.params:
            self.params = [*_own_params(self.operation), *common_options()]
        return super().get_params(ctx)

    @property
    def operation(self) -> Operation[Any, Any]:
        from vouch_sidecar.operations import OPERATIONS

        return OPERATIONS[self._operation_name]

    def answer(self, engine: Engine, caller: Caller, given: Mapping[str, Any]) -> Result:
        """The result that an engine gives. Raises `InvalidParamsError`."""
        from vouch_sidecar.operations import perform

        params = {name: _given(given[name]) for name in _fields(self.operation).keys() & given}
        if self.operation.of_session:
            params["session_id"] = SESSION
            for text in given[TEXTS]:
                engine.observe(SESSION, None, text)
        result: Result = perform(engine, self.operation, params, caller)
        return result

    def show(self, page: Page, result: Result) -> None:
        """Print a result for people."""
        assert self.operation.show is not None
        self.operation.show(page, result)

    def _answer(self, **given: Any) -> None:
        from vouch_sidecar import operations

        asked = Asked(given["root"], given["project"], given["agent"])
        operation = self.operation
        try:
            if operation.of_process:
                result = _of_process(roots_of(asked), operation)
            else:
                result = self.answer(*loaded(asked), given)
        except operations.NotFoundError as error:
            hint = f"{error}{FINDS_IDS}" if found(asked) else NOTHING
            raise click.ClickException(hint) from None
        except operations.InvalidParamsError as error:
            names = {p.name: p.opts[0] for p in self.params if isinstance(p, click.Option)}
            said = (f"{names.get(m.field, m.field)} {m.text}" for m in error.messages)
            raise click.UsageError("; ".join(said)) from None
        needs_knowledge = operation.text_field or operation.of_session
        if given["as_json"]:
            print_json(operations.as_json(result))
        elif needs_knowledge and not found(asked):
            click.echo(nothing_found(asked), err=True)
        else:
            from vouch_sidecar.operations.page import Page

            self.show(Page(), result)


def _given(value: object) -> object:
    """A value for params. For an unused option, click gives an empty tuple: that is None."""
    return list(value) or None if isinstance(value, tuple) else value


def _of_process(roots: Sequence[Path], operation: Operation[Any, Any]) -> Result:
    asked = (
        ask([root], operation.kb_method, {}, timeout=SECONDS, env=os.environ) for root in roots
    )
    answered = next((one for one in asked if one is not None and one.get("ok")), None)
    if answered is None:
        raise click.ClickException("no sidecar runs for this knowledge base")
    try:
        result: Result = operation.result.model_validate(answered["result"])
    except ValueError:
        raise click.ClickException("the sidecar that runs here is of another version") from None
    return result


def _own_params(operation: Operation[Any, Any]) -> list[click.Parameter]:
    """An argument for each required param and for the text, options for the others."""
    made: list[click.Parameter] = []
    if operation.of_session:
        made.append(click.Argument([TEXTS], nargs=-1, required=True, metavar="TEXT..."))
    for name, field in _fields(operation).items():
        if name == operation.text_field or field.is_required():
            made.append(click.Argument([name], metavar=name.upper()))
        elif field.default is not True:  # what is on unless a session wants it off
            made.append(_option(name, field))
    return made


def _fields(operation: Operation[Any, Any]) -> dict[str, FieldInfo]:
    """The params of this operation that not all operations have."""
    from vouch_sidecar.operations.base import Params

    fields = operation.params.model_fields
    return {name: field for name, field in fields.items() if name not in Params.model_fields}


def _option(name: str, field: FieldInfo) -> click.Option:
    from vouch_sidecar.operations.base import Flag

    kind, word, text = _kind(field.annotation), name.replace("_", "-"), field.description or ""
    if flag := next((one for one in field.metadata if isinstance(one, Flag)), None):
        names = [f"--{flag.value}", name]
        return click.Option(names, flag_value=flag.value, default=field.default, help=flag.help)
    if kind is bool:
        return click.Option([f"--{word}", name], is_flag=True, help=text)
    if get_origin(kind) is list:
        names = [f"--{word.removesuffix('s')}", name]
        return click.Option(names, multiple=True, help=f"{text} Repeatable.")
    limits = [
        getattr(one, side) for side in ("ge", "le") for one in field.metadata if hasattr(one, side)
    ]
    if len(limits) == 2:
        text = f"{text.removesuffix('.')}, {limits[0]} to {limits[1]}."
    shown = field.default is not None
    return click.Option(
        [f"--{word}", name], type=kind, default=field.default, show_default=shown, help=text
    )


def _kind(annotation: object) -> Any:
    """The type of an annotation; of `X | None`, X."""
    if get_origin(annotation) in (Union, UnionType):
        return next(one for one in get_args(annotation) if one is not NoneType)
    return annotation


def _check(root: Path | None, as_json: bool, project: str | None, agent: str | None) -> None:
    from vouch_sidecar.operations import perform, status

    asked = Asked(root, project, agent)
    engine, caller = loaded(asked)
    roots = perform(engine, status.OPERATION, {}, caller).roots
    if not roots:
        raise click.UsageError(nothing_found(asked))
    problems = [(one.root, problem) for one in roots for problem in one.problems]
    if as_json:
        found = [{"root": root, **problem.model_dump(mode="json")} for root, problem in problems]
        print_json({"problems": found})
    else:
        from vouch_sidecar.operations.page import Page

        status.show_problems(Page(), [problem for _, problem in problems])
    if problems:
        sys.exit(PROBLEMS)


CHECK = click.Command(
    "check",
    callback=_check,
    params=common_options(),
    help="List the problems of a knowledge base. Exit code 1 when there are any.",
)
QUESTIONS = (*(Question(one) for one in slices() if one.shown), CHECK)
