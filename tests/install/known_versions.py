"""What versions wrote before integrations named an environment: in a project without such files,
and into files that were there.
"""

from __future__ import annotations

import json
from typing import Any

PLUGIN = ".claude/skills/vouch-sidecar"


def _hook(event: str) -> dict[str, Any]:
    return {"type": "command", "command": f"vouch-sidecar hook {event}", "timeout": 5}


MANIFEST = {
    "name": "vouch-sidecar",
    "version": "1.1.0",
    "description": "Reviewed knowledge of this repository, with each prompt that names it.",
    "author": {"name": "vouch-sidecar"},
    "license": "MIT",
}
HOOKS = {
    "SessionStart": [{"hooks": [_hook("session-start")]}],
    "UserPromptSubmit": [{"hooks": [_hook("user-prompt-submit")]}],
    "PostToolUse": [
        {"matcher": "Read|Edit|Write|MultiEdit|NotebookEdit", "hooks": [_hook("post-tool-use")]}
    ],
    "SessionEnd": [{"hooks": [_hook("session-end")]}],
}
SERVER = {"command": "vouch-sidecar", "args": ["mcp"]}
# By host: the keys and the value of its member of a file of JSON.
MEMBERS: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "cursor": (
        ("mcpServers", "vouch-sidecar"),
        {
            "type": "stdio",
            "command": "vouch-sidecar",
            "args": ["mcp", "--root", "${workspaceFolder}"],
        },
    ),
    "opencode": (
        ("mcp", "vouch-sidecar"),
        {"type": "local", "command": ["vouch-sidecar", "mcp"], "enabled": True},
    ),
    "zed": (
        ("context_servers", "vouch-sidecar"),
        {"source": "custom", "command": "vouch-sidecar", "args": ["mcp"], "env": {}},
    ),
}
RULE = """\
---
description: Reviewed knowledge of this repository, through the MCP server vouch-sidecar
alwaysApply: true
---

This repository has a reviewed knowledge base. `kb_context` of the MCP server `vouch-sidecar` takes
a task in the words it was given and answers with what is known on it, cited, or with nothing.
`kb_experts` ranks entities by the evidence they carry on a topic; `kb_search`, `kb_entity` and
`kb_claim` look things up. Their answers are reference data.
"""
CODEX = """\
# vouch-sidecar
[mcp_servers.vouch-sidecar]
command = "vouch-sidecar"
args = ["mcp"]

[[hooks.SessionStart]]

[[hooks.SessionStart.hooks]]
type = "command"
command = "vouch-sidecar hook session-start"
timeout = 3

[[hooks.UserPromptSubmit]]

[[hooks.UserPromptSubmit.hooks]]
type = "command"
command = "vouch-sidecar hook user-prompt-submit"
timeout = 3

[[hooks.SessionEnd]]

[[hooks.SessionEnd.hooks]]
type = "command"
command = "vouch-sidecar hook session-end"
timeout = 3
"""


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, indent=2) + "\n"


def _alone(host: str, **beside: str) -> str:
    (outer, inner), value = MEMBERS[host]
    return _json({outer: {inner: value}, **beside})


# By host: its files, and what was in them.
INTEGRATIONS = {
    "claude-code": {
        f"{PLUGIN}/.claude-plugin/plugin.json": _json(MANIFEST),
        f"{PLUGIN}/hooks/hooks.json": _json({"hooks": HOOKS}),
        f"{PLUGIN}/.mcp.json": _json({"mcpServers": {"vouch-sidecar": SERVER}}),
    },
    "codex": {".codex/config.toml": CODEX},
    "cursor": {
        ".cursor/mcp.json": _alone("cursor"),
        ".cursor/rules/vouch-sidecar.mdc": RULE,
    },
    "opencode": {
        "opencode.json": _alone("opencode", **{"$schema": "https://opencode.ai/config.json"})
    },
    "zed": {".zed/settings.json": _alone("zed")},
}

CODEX_TOML = """\
# mine
model = "o9"   # the good one

[mcp_servers.other]
command = "x"

[[hooks.UserPromptSubmit]]
hooks = [{ type = "command", command = "y" }]
"""

# By host: its file in a project, and one that a user has written by hand.
FILES = {
    "codex": (".codex/config.toml", CODEX_TOML),
    "cursor": (
        ".cursor/mcp.json",
        '{\n    "mcpServers": {\n        "other": {"command": "x"}\n    }\n}\n',
    ),
    "opencode": (
        "opencode.json",
        '{\n\t// mine\n\t"model": "a/b", // the good one\n\t"mcp": {"x": {"enabled": true}},\n}\n',
    ),
    "zed": (
        ".zed/settings.json",
        '// Folder settings\n{\n  "tab_size": 2,\n  /* long lines */ "soft_wrap": "none"\n}',
    ),
}
# By host: the same file once an earlier version had added its part.
MERGED = {
    "codex": f"{CODEX_TOML}\n{CODEX}",
    "cursor": """\
{
    "mcpServers": {
        "other": {"command": "x"},
        "vouch-sidecar": {
            "type": "stdio",
            "command": "vouch-sidecar",
            "args": [
                "mcp",
                "--root",
                "${workspaceFolder}"
            ]
        }
    }
}
""",
    "opencode": """\
{
\t// mine
\t"model": "a/b", // the good one
\t"mcp": {"x": {"enabled": true}, "vouch-sidecar": {"type": "local", "command": \
["vouch-sidecar", "mcp"], "enabled": true}},
}
""",
    "zed": """\
// Folder settings
{
  "tab_size": 2,
  /* long lines */ "soft_wrap": "none",
  "context_servers": {
    "vouch-sidecar": {
      "source": "custom",
      "command": "vouch-sidecar",
      "args": [
        "mcp"
      ],
      "env": {}
    }
  }
}""",
}
