"""The commands of `editors/` in the real editors, without a screen; skipped without them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.protocol import knowledge
from tests.protocol.client import COMMAND, environment

EDITORS = Path(__file__).parents[2] / "editors"
TYPED = "We ask Redis whether the JWT is known."
SECONDS = 60_000
"""Milliseconds that an editor may wait for the server."""

LUA = """
local root, command = "{root}", "{command}"
vim.opt.runtimepath:append("{editors}")
package.path = "{editors}/?.lua;" .. package.path
local vouch = require("vouch")
vouch.setup()
vim.cmd("edit " .. root .. "/notes.txt")
local id = vim.lsp.start_client({{ name = "vouch", cmd = {{ command, "lsp" }}, root_dir = root }})
vim.lsp.buf_attach_client(0, id)
local function lines(name)
  local buffer = vim.fn.bufnr(vim.fn.escape(name, "[]"))
  return buffer < 0 and "" or table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\\n")
end
local function wait(name, text, again)
  vim.wait({wait}, function()
    if again then again() end
    vim.wait(200)
    return lines(name):find(text, 1, true) ~= nil
  end)
  print("\\n" .. lines(name))
end
vim.wait({wait}, function() return vim.lsp.get_client_by_id(id).server_capabilities ~= nil end)
wait("[Vouch] experts", "JWT", function() vim.cmd("VouchExperts jwt") end)
vim.cmd("VouchInPlay")
vim.api.nvim_buf_set_lines(0, 0, -1, false, {{ "{typed}" }})
wait("[Vouch] in play", "Redis")
vim.cmd("qa!")
"""

ELISP = """
(progn
  (require 'eglot)
  (load "{editors}/vouch.el")
  (setq eglot-sync-connect t eglot-connect-timeout 60 eglot-extend-to-xref nil
        eglot-send-changes-idle-time 0)
  (defun vouch-test-wait (buffer text &optional again)
    (let ((until (+ (float-time) 60)))
      (while (and (< (float-time) until)
                  (not (and (get-buffer buffer)
                            (with-current-buffer buffer
                              (string-match-p text (buffer-string))))))
        (when again (funcall again))
        (accept-process-output nil 0.2)))
    (princ (with-current-buffer buffer (buffer-string)))
    (princ "\\n"))
  (find-file "{root}/notes.txt")
  (add-to-list 'eglot-server-programs '(text-mode . ("{command}" "lsp")))
  (apply #'eglot (eglot--guess-contact))
  (eglot--maybe-activate-editing-mode)
  (vouch-test-wait "*vouch experts*" "JWT" (lambda () (vouch-experts "jwt")))
  (vouch-in-play)
  (insert "{typed}")
  (eglot--signal-textDocument/didChange)
  (vouch-test-wait "*vouch in play*" "Redis")
  (kill-emacs 0))
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = knowledge.make(tmp_path / "project")
    (made / "notes.txt").write_text("", "utf-8")
    return made


def said(command: list[str], root: Path) -> str:
    done = subprocess.run(
        command, capture_output=True, cwd=root, env=environment({}), timeout=110, text=True
    )
    return done.stdout + done.stderr


def check(out: str) -> None:
    assert "JWT  (concept)  2 claims, first jwt-expires, jwt-rotates" in out, out
    assert "Redis  (concept)  2 claims, named by Redis" in out


@pytest.mark.skipif(shutil.which("nvim") is None, reason="Neovim is not installed")
def test_neovim(root: Path, tmp_path: Path) -> None:
    script = tmp_path / "run.lua"
    given = {"root": root, "command": COMMAND, "editors": EDITORS, "typed": TYPED}
    script.write_text(LUA.format(**given, wait=SECONDS), "utf-8")
    check(said(["nvim", "--headless", "-u", "NONE", "-n", "-c", f"luafile {script}"], root))


def _has_eglot() -> bool:
    if shutil.which("emacs") is None:
        return False
    return subprocess.run(["emacs", "--batch", "-q", "--eval", "(require 'eglot)"]).returncode == 0


def test_emacs(root: Path, tmp_path: Path) -> None:
    if not _has_eglot():
        pytest.skip("Emacs with Eglot is not installed")
    script = tmp_path / "run.el"
    given = {"root": root, "command": COMMAND, "editors": EDITORS, "typed": TYPED}
    script.write_text(ELISP.format(**given), "utf-8")
    check(said(["emacs", "--batch", "-q", "-l", str(script)], root))
