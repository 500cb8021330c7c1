"""The tools: one for each operation, and two for hooks."""

from __future__ import annotations

from typing import Any

from mcp_types import Tool, ToolAnnotations

from vouch_sidecar.operations import OPERATIONS, Operation
from vouch_sidecar.operations.schema import standalone
from vouch_sidecar.surfaces.mcp.guidance import HOOK_FILE, HOOK_PROMPT, describe, title

__all__ = ["HOOKS", "PREFIX", "all_tools"]

PREFIX = "kb_"

_SESSION = {
    "type": "string",
    "minLength": 1,
    "maxLength": 256,
    "description": "The agent's session.",
}


def all_tools() -> list[Tool]:
    """All tools."""
    return [*(_tool(operation) for operation in OPERATIONS.values()), *HOOKS.values()]


def _tool(operation: Operation[Any, Any]) -> Tool:
    return Tool(
        name=PREFIX + operation.name,
        title=title(operation),
        description=describe(operation),
        input_schema=_input(operation),
        output_schema=standalone(operation.result),
        annotations=ToolAnnotations(
            read_only_hint=not operation.forgets,
            destructive_hint=False,
            idempotent_hint=True,
            open_world_hint=False,
        ),
    )


def _input(operation: Operation[Any, Any]) -> dict[str, Any]:
    """The schema of its params. MCP clients have no session of their own, so they must name one."""
    schema = standalone(operation.params)
    if not operation.of_session:
        return schema
    properties = {**schema["properties"], "session_id": _SESSION}
    required = ["session_id", *schema.get("required", ())]
    return {**schema, "properties": properties, "required": required}


def _hook(name: str, description: str, fields: dict[str, Any], required: list[str]) -> Tool:
    return Tool(
        name=name,
        title=f"Hook: {name.removeprefix('hook_')}",
        description=description,
        input_schema={
            "type": "object",
            "properties": {"session_id": _SESSION, **fields},
            "required": ["session_id", *required],
        },
        annotations=ToolAnnotations(
            read_only_hint=True,
            destructive_hint=False,
            idempotent_hint=True,
            open_world_hint=False,
        ),
    )


HOOKS = {
    tool.name: tool
    for tool in (
        _hook(
            "hook_prompt",
            HOOK_PROMPT,
            {
                "prompt": {"type": "string", "description": "The prompt as it was submitted."},
                "cwd": {"type": "string", "description": "Folder that the agent works in."},
            },
            ["prompt"],
        ),
        _hook(
            "hook_file",
            HOOK_FILE,
            {
                "file_path": {"type": "string", "description": "The file read or edited."},
                "content": {"type": "string", "description": "What was read or written."},
            },
            ["file_path"],
        ),
    )
}
