"""Runs a command of the shell for another process of the same user."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import click

from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.operations import OperationError, ViewerParams, Wire, as_json, read_params
from vouch_sidecar.operations.page import Page
from vouch_sidecar.surfaces.cli.questions import QUESTIONS, Question

__all__ = ["printed"]


class ShellParams(Wire):
    """A command line without `--root`, who asks, and what the output is printed to."""

    arguments: list[str]
    viewer: ViewerParams
    terminal: bool
    width: int


def printed(engine: Engine, caller: Caller, raw: object) -> str | None:
    """What a command prints. None when the other process has to run it itself: because it has a
    session of its own, or fails and has to say why.
    """
    out = io.StringIO()
    try:
        asked = read_params(ShellParams, raw)
        name, *arguments = asked.arguments
        command = next((one for one in QUESTIONS if one.name == name), None)
        if not isinstance(command, Question) or command.operation.of_session or not engine.complete:
            return None
        given = command.make_context(name, arguments).params
        viewer = Viewer(
            asked.viewer.project if given["project"] is None else given["project"],
            asked.viewer.agent if given["agent"] is None else given["agent"],
        )
        result = command.answer(engine, replace(caller, viewer=viewer), given)
        if given["as_json"]:
            out.write(json.dumps(as_json(result), indent=2, ensure_ascii=False) + "\n")
        else:
            command.show(Page(out, asked.width, on_terminal=asked.terminal), result)
    except (click.ClickException, OperationError, ValueError):  # ValueError: no arguments
        return None
    return out.getvalue()
