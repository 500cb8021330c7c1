"""The operations as MCP tools and resources, over stdio.

`run` and what it imports need the `mcp` SDK, which the extra `vouch-sidecar[mcp]` installs.
`agent_requests` does not: every process that serves answers for those that have no engine.
"""
