"""What the MCP server answers, in the form in which it goes over the wire.

`sdk1` and `sdk2` hand it to the version of the SDK that is installed.
"""

from __future__ import annotations

import json
import logging
from typing import Any

from vouch_sidecar.operations import OPERATIONS, InvalidParamsError
from vouch_sidecar.retrieval.block import safe
from vouch_sidecar.surfaces.mcp.desk import Desk
from vouch_sidecar.surfaces.mcp.resources import JSON
from vouch_sidecar.surfaces.mcp.tools import PREFIX, tools

__all__ = ["NAME", "Answers", "UnknownError"]

log = logging.getLogger(__name__)

NAME = "vouch-sidecar"
FILE = ("file_path", "content")

Object = dict[str, Any]


class UnknownError(Exception):
    """There is no such tool or resource. Its text is for the client."""


class Answers:
    """Answers the requests of one client."""

    def __init__(self, desk: Desk, *, every_tool: bool) -> None:
        self._desk = desk
        self.tools = tools(every=every_tool)

    async def call(self, name: str, arguments: Object) -> Object:
        """The result of a tool. Raises `UnknownError`."""
        try:
            return await self._called(name, arguments)
        except UnknownError:
            raise
        except InvalidParamsError as error:
            code = "missing_param" if error.missing else "invalid_request"
            return _refused(f"{code}: {safe(str(error))}")
        except Exception as error:  # its text may hold a prompt
            log.error("a tool failed: %s", type(error).__name__)
            return _refused("internal_error: internal error")

    async def read(self, uri: str) -> Object:
        """The contents of a resource. Raises `UnknownError`."""
        try:
            text = await self._desk.read(uri)
        except InvalidParamsError:
            text = None
        if text is None:
            raise UnknownError("there is no such resource")
        return {"contents": [{"uri": uri, "mimeType": JSON, "text": text}]}

    async def _called(self, name: str, arguments: Object) -> Object:
        if name == "hook_prompt":
            return _said(await self._desk.hook("user-prompt-submit", arguments))
        if name == "hook_file":
            return _said(await self._desk.hook("post-tool-use", _tool_use(arguments)))
        operation = OPERATIONS.get(name.removeprefix(PREFIX)) if name.startswith(PREFIX) else None
        if operation is None:
            raise UnknownError("there is no such tool")
        structured, text = await self._desk.call(operation, arguments)
        return {"content": [_text(text)], "structuredContent": structured}


def _tool_use(arguments: Object) -> Object:
    """The arguments of `hook_file` in the form of an agent's event."""
    rest = {key: value for key, value in arguments.items() if key not in FILE}
    return {**rest, "tool_input": {key: arguments.get(key) for key in FILE}}


def _said(answered: Object | None) -> Object:
    """A hook's answer as the text of a tool's result, in which hosts read it.

    Claude Code 2.1.197 takes no plain text from a tool, only this (November 2026).
    """
    said = json.dumps(answered, ensure_ascii=False) if answered else ""
    return {"content": [_text(said)]}


def _refused(message: str) -> Object:
    log.debug("refused: %s", message.partition(":")[0])
    return {"content": [_text(message)], "isError": True}


def _text(text: str) -> Object:
    return {"type": "text", "text": text}
