"""Emacs 29 and up, or 28 with Eglot: a snippet for the init file."""

from __future__ import annotations

from vouch_sidecar.surfaces.install.hosts.host import Host

__all__ = ["HOST"]

SNIPPET = """\
;; In the init file. Eglot runs one server a buffer: name the modes that have no other. The modes
;; for HTML, TeX and YAML are text modes too and have servers, so text-mode goes to the end.
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '(markdown-mode . ("vouch-sidecar" "lsp")))
  (add-to-list 'eglot-server-programs '(text-mode . ("vouch-sidecar" "lsp")) t))
"""

HOST = Host("Emacs", "M-x eglot starts the server.", snippet=SNIPPET)
