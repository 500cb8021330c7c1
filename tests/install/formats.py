"""The hosts' files, as their documentation describes them: JSON Schemas of the parts that count."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]
STRINGS: Schema = {"type": "array", "items": {"type": "string"}}
TEXTS: Schema = {"type": "object", "additionalProperties": {"type": "string"}}


def _object(required: list[str], **properties: Schema) -> Schema:
    return {
        "type": "object",
        "required": required,
        "properties": properties,
        "additionalProperties": False,
    }


def _map(of: Schema) -> Schema:
    return {"type": "object", "additionalProperties": of, "minProperties": 1}


_HANDLER = _object(
    ["type", "command"],
    type={"const": "command"},
    command={"type": "string"},
    timeout={"type": "number", "exclusiveMinimum": 0},
)


def _groups(handler: Schema) -> Schema:
    hooks = {"type": "array", "items": handler}
    return {"type": "array", "items": _object(["hooks"], matcher={"type": "string"}, hooks=hooks)}


_EVENTS = ("SessionStart", "UserPromptSubmit", "PostToolUse", "SessionEnd")

# code.claude.com/docs: plugins reference, hooks reference, MCP. A `description` beside servers is
# ignored.
CLAUDE_MANIFEST = _object(
    ["name"],
    name={"type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$"},
    version={"type": "string", "pattern": r"^\d+\.\d+\.\d+$"},
    description={"type": "string"},
    author=_object(["name"], name={"type": "string"}),
    license={"type": "string"},
)
CLAUDE_HOOKS = _object(
    ["hooks"],
    description={"type": "string"},
    hooks=_object([], **dict.fromkeys(_EVENTS, _groups(_HANDLER))),
)
MCP_SERVERS = _object(
    ["mcpServers"],
    description={"type": "string"},
    mcpServers=_map(
        _object(
            ["command"],
            type={"const": "stdio"},
            command={"type": "string"},
            args=STRINGS,
            env=TEXTS,
        )
    ),
)

# developers.openai.com/codex: MCP, hooks. On Windows, `command_windows` stands for `command`.
_CODEX_HANDLER = {
    **_HANDLER,
    "properties": {**_HANDLER["properties"], "command_windows": {"type": "string"}},
}
CODEX = _object(
    ["mcp_servers", "hooks"],
    mcp_servers=_map(_object(["command"], command={"type": "string"}, args=STRINGS, env=TEXTS)),
    hooks=_object([], **dict.fromkeys(_EVENTS, _groups(_CODEX_HANDLER))),
)

# cursor.com/docs: MCP. There, a server says of which type it is.
CURSOR = _object(
    ["mcpServers"],
    description={"type": "string"},
    mcpServers=_map(
        _object(
            ["type", "command"],
            type={"const": "stdio"},
            command={"type": "string"},
            args=STRINGS,
            env=TEXTS,
        )
    ),
)

# opencode.ai/docs: MCP servers. In version 2 they stand below "servers", without "enabled".
_LOCAL = _object(
    ["type", "command"],
    type={"const": "local"},
    command={**STRINGS, "minItems": 1},
    environment=TEXTS,
    enabled={"type": "boolean"},
)
OPENCODE: Schema = {
    "type": "object",
    "properties": {
        "$schema": {"const": "https://opencode.ai/config.json"},
        "mcp": {"oneOf": [_map(_LOCAL), _object(["servers"], servers=_map(_LOCAL))]},
    },
}

# zed.dev/docs: MCP
ZED: Schema = {
    "type": "object",
    "properties": {
        "context_servers": _map(
            _object(
                ["source", "command"],
                source={"const": "custom"},
                command={"type": "string"},
                args=STRINGS,
                env=TEXTS,
            )
        )
    },
}
