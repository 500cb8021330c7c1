"""The operations as MCP tools and resources, over stdio.

This package needs the `mcp` SDK, which the extra `vouch-sidecar[mcp]` installs.
"""

from vouch_sidecar.surfaces.mcp.run import run_mcp

__all__ = ["run_mcp"]
