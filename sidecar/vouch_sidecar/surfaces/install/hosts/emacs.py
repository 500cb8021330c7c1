"""Emacs 29 and up, or 28 with Eglot: a snippet for the init file."""

from __future__ import annotations

from vouch_sidecar.surfaces.install.hosts.host import COMMAND, ENV_PREFIX, Host

COMMAND_LINE = " ".join(f'"{word}"' for word in ("env", *ENV_PREFIX.split(), COMMAND, "lsp"))
EMACS_SNIPPET = f"""\
;; In the init file. Eglot runs one server a buffer: name the modes that have no other. The modes
;; for HTML, TeX and YAML are text modes too and have servers, so text-mode goes to the end.
;; On Windows there is no env: begin with "{COMMAND}".
(with-eval-after-load 'eglot
  (let ((vouch '({COMMAND_LINE})))
    (add-to-list 'eglot-server-programs (cons 'markdown-mode vouch))
    (add-to-list 'eglot-server-programs (cons 'text-mode vouch) t)))
"""

HOST = Host(
    title="Emacs", after="M-x eglot starts the server.", snippet=(EMACS_SNIPPET, "the init file")
)
