"""The operations as MCP tools, over stdio.

This package needs the `mcp` SDK, which the extra `vouch-sidecar[mcp]` installs.
"""
