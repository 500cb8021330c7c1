"""The operations as MCP tools and resources, over stdio.

This package needs the `mcp` SDK, which the extra `vouch-sidecar[mcp]` installs.
"""
