"""The operations as MCP tools and resources, over stdio.

Importing this needs the `mcp` SDK, which the extra `vouch-sidecar[mcp]` brings.
"""

from vouch_sidecar.surfaces.mcp.run import run_mcp

__all__ = ["run_mcp"]
