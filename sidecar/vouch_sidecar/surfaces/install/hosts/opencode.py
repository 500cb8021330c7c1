"""OpenCode: `opencode.json` or `opencode.jsonc`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any

from vouch_sidecar.kb.safe_files import UnreadableError
from vouch_sidecar.surfaces.install.host_files import (
    WRITTEN_BY,
    HostFile,
    json_text,
    jsonc_value,
    text_of,
)
from vouch_sidecar.surfaces.install.hosts.host import (
    COMMAND,
    ENV,
    MCP,
    PROGRAM_NAME,
    Host,
    Location,
    config_home,
)
from vouch_sidecar.surfaces.install.skill import skill

CONFIG_SCHEMA = {"$schema": "https://opencode.ai/config.json"}
CONFIG_NAMES = ("opencode.json", "opencode.jsonc")


def _part(settings: Any, command: str) -> dict[str, Any]:
    """What has to be in a file with these settings. Uses the form of OpenCode 1, which version 2
    reads, too, unless the file has servers in the form of version 2.
    """
    server = {"type": "local", "command": [command, *MCP], "environment": ENV}
    mcp = settings.get("mcp") if isinstance(settings, dict) else None
    servers = mcp.get("servers") if isinstance(mcp, dict) else None
    if isinstance(servers, dict) and "type" not in servers:
        return {"mcp": {"servers": {PROGRAM_NAME: server}}}
    return {"mcp": {PROGRAM_NAME: {**server, "enabled": True}}}


def _place(base: Path, command: str, own: PurePosixPath, *folders: PurePosixPath) -> Location:
    """The first existing file of settings in the `folders`, else a new one, and the skill below
    OpenCode's `own` folder.
    """
    paths = [folder / name for folder in folders for name in CONFIG_NAMES]
    path = next((p for p in paths if (base / p).is_file()), paths[0])
    settings: Any = None
    with suppress(UnreadableError, ValueError, RecursionError):  # printed in the form of version 1
        settings = jsonc_value(text_of(base / path) or "")
    part = _part(settings, command)
    text = f"// {WRITTEN_BY}\n{json_text({**part, **CONFIG_SCHEMA})}"
    settings_file = HostFile(path, text, json_text(part))
    return Location(base, [settings_file, skill(str(own / "skills"))])


def _project(root: Path) -> Location:
    own = PurePosixPath(".opencode")
    return _place(root, COMMAND, own, PurePosixPath(), own)


def _user(env: Mapping[str, str], command: str) -> Location:
    base, way = config_home(env)
    return _place(base, command, way / "opencode", way / "opencode")


HOST = Host(
    title="OpenCode",
    after="opencode mcp list shows the server.",
    project=_project,
    user=_user,
)
