"""Runs a command of the shell for another process of the same user."""

from __future__ import annotations

import io
from dataclasses import replace

import click

from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.operations import (
    OperationError,
    ViewerParams,
    Wire,
    perform_async,
    read_params,
)
from vouch_sidecar.operations.call import CHECKOUT_SECONDS
from vouch_sidecar.operations.printer import Look, Printer
from vouch_sidecar.operations.readiness import caught_up, ready
from vouch_sidecar.surfaces.shell.console import unusable_files
from vouch_sidecar.surfaces.shell.questions import QUESTIONS, QuestionCommand
from vouch_sidecar.surfaces.shell.remote import OWN, Printed


class ShellParams(Wire):
    """The request of `shell.remote`: a command line without `--root`, the viewer, the working
    folder, whether the output is a terminal, and its width in columns.
    """

    arguments: list[str]
    viewer: ViewerParams
    terminal: bool
    width: int
    folder: str


async def printed(engine: Engine, caller: Caller, raw: object) -> Printed | None:
    """The output of a command; None if it fails: the other process runs it and reports why."""
    out, err = io.StringIO(), io.StringIO()
    try:
        asked = read_params(ShellParams, raw)
        name, *arguments = asked.arguments
        if OWN.intersection(arguments):
            return None
        command = next((one for one in QUESTIONS if one.name == name), None)
        if not isinstance(command, QuestionCommand):
            return None
        await ready(engine, command.operation, caller)
        if not engine.complete:
            return None
        given = command.make_context(name, arguments).params
        viewer = Viewer(
            asked.viewer.project if given["project"] is None else given["project"],
            asked.viewer.agent if given["agent"] is None else given["agent"],
        )
        caller = replace(caller, viewer=viewer)
        if command.operation.of_session:
            await caught_up(engine, command.operation, caller, CHECKOUT_SECONDS)
            result = command.answer(engine, caller, given)
        else:
            params = command.params_of(engine, given, asked.folder)
            result = await perform_async(engine, command.operation, params, caller)
        explain = given.get("explain", False)
        err.writelines(f"{one}\n" for one in unusable_files(engine, caller, asked.folder))
        look = Look(asked.terminal, asked.width, given["header"], explain, asked.folder)
        code = command.print(result, given, lambda: Printer(look, out, err), out)
    except (click.ClickException, click.exceptions.Exit, OperationError):
        return None
    except ValueError:  # there are no arguments
        return None
    return Printed(out.getvalue(), err.getvalue(), code)
