"""Helix: a snippet for `languages.toml`."""

from __future__ import annotations

from vouch_sidecar.surfaces.install.hosts.host import ENV_TABLE, Host

HELIX_SNIPPET = f"""\
# In .helix/languages.toml or ~/.config/helix/languages.toml. Helix has no "every language": a
# language's list replaces the one that comes with Helix, so name its other servers as well: before
# this is there, hx --health markdown lists them.
[language-server.vouch-sidecar]
command = "vouch-sidecar"
args = ["lsp"]
environment = {ENV_TABLE}

[[language]]
name = "markdown"
language-servers = ["marksman", "markdown-oxide", "vouch-sidecar"]
"""

HOST = Host(
    title="Helix",
    after="hx --health markdown shows the server.",
    snippet=(HELIX_SNIPPET, "languages.toml"),
)
