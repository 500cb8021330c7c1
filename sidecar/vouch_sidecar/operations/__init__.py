"""What can be asked. One file an operation: params, result, handler, and its table for readers.

Every surface, the schemas, the documentation and the types are made from `operation.operations`.
Imports nothing: a shell that asks another process needs only the names.
"""

NAMES = (
    *("experts", "salience", "probe", "context", "search", "entity", "claim", "status", "stats"),
    *("capabilities", "explain", "files", "mentions", "session_end"),
)
"""The operations, in the order in which surfaces list them; each is a module of this package."""
