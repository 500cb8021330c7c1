"""Neovim 0.11 and up: a snippet for `init.lua`."""

from __future__ import annotations

from vouch_sidecar.surfaces.install.hosts.host import ENV_TABLE, Host

NEOVIM_SNIPPET = f"""\
-- In init.lua. For every file below a folder with .vouch/, whatever its type; one without any
-- has no server in Neovim until :set filetype gives it one.
vim.lsp.config("vouch-sidecar", {{
  cmd = {{ "vouch-sidecar", "lsp" }},
  cmd_env = {ENV_TABLE},
  root_markers = {{ ".vouch" }},
  workspace_required = true,
}})
vim.lsp.enable("vouch-sidecar")
"""

HOST = Host(
    title="Neovim",
    after=":checkhealth vim.lsp shows the server.",
    snippet=(NEOVIM_SNIPPET, "init.lua"),
)
