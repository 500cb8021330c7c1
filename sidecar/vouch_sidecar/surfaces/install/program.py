"""How every integration starts this program."""

from __future__ import annotations

COMMAND = "vouch-sidecar"
ENV = {"PYTHONPATH": "", "PYTHONSAFEPATH": "1"}
"""The environment in which every integration starts this program. With a relative or empty part in
`PYTHONPATH`, Python would run a `sitecustomize.py` of the working folder; an empty value is safe.
"""
ENV_PREFIX = "".join(f"{name}={value} " for name, value in ENV.items())
"""`ENV` before a command, for a POSIX shell."""
ENV_TABLE = "{ " + ", ".join(f'{name} = "{value}"' for name, value in ENV.items()) + " }"
"""`ENV` as a table in TOML or Lua."""
