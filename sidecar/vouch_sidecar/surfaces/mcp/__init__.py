"""The table of operations as MCP tools and resources, over stdio.

Needs the `mcp` SDK, which the extra `vouch-sidecar[mcp]` brings: import what is here only then.
"""

from vouch_sidecar.surfaces.mcp.run import run_mcp

__all__ = ["run_mcp"]
