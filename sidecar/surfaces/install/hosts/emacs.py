"""Emacs 29 and up: a snippet for the init file."""

from __future__ import annotations

from sidecar.surfaces.install.hosts.host import Host

__all__ = ["HOST"]

SNIPPET = """\
;; In the init file. Eglot runs one server a buffer: name the modes that have no other.
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               '((text-mode markdown-mode org-mode) . ("vouch-sidecar" "lsp"))))
"""

HOST = Host("Emacs", "M-x eglot starts the server.", snippet=SNIPPET)
