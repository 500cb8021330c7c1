"""One module a host, by the name that `vouch-sidecar install` takes."""

from vouch_sidecar.surfaces.install.hosts import (
    claude_code,
    codex,
    cursor,
    emacs,
    helix,
    neovim,
    opencode,
    zed,
)
from vouch_sidecar.surfaces.install.hosts.host import Host, Place

__all__ = ["HOSTS", "Host", "Place"]

HOSTS: dict[str, Host] = {
    "claude-code": claude_code.HOST,
    "codex": codex.HOST,
    "cursor": cursor.HOST,
    "opencode": opencode.HOST,
    "zed": zed.HOST,
    "neovim": neovim.HOST,
    "helix": helix.HOST,
    "emacs": emacs.HOST,
}
