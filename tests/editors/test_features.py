"""Language features of files below `.vouch/` in the real editors, without a screen; skipped without
them. Each editor asks its own way, and prints the answers as JSON.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.protocol import knowledge
from tests.protocol.client import COMMAND, environment

MARK = "ANSWERS "
TEXT = "id: new\ntext: About Redis.\nevidence: []\nentities:\n- jwt\n- gone\n- re\n"
"""The ids stand in the lines 4, 5 and 6, from 0."""

LUA = """
local root, command = "{root}", "{command}"
vim.cmd("edit " .. root .. "/.vouch/claims/new.yaml")
local id = vim.lsp.start_client({{ name = "vouch", cmd = {{ command, "lsp" }}, root_dir = root }})
vim.lsp.buf_attach_client(0, id)
vim.wait(60000, function() return vim.lsp.get_client_by_id(id).server_capabilities ~= nil end)
local document = vim.lsp.util.make_text_document_params()
local function ask(method, params)
  local found = (vim.lsp.buf_request_sync(0, method, params, 60000) or {{}})[id]
  return found and found.result or vim.NIL
end
local function at(line, more)
  local params = {{ textDocument = document, position = {{ line = line, character = 4 }} }}
  return vim.tbl_extend("error", params, more or {{}})
end
vim.wait(60000, function()
  vim.wait(200)
  return ask("textDocument/hover", at(4)) ~= vim.NIL and #vim.diagnostic.get(0) > 0
end)
local alone = {{ context = {{ includeDeclaration = false }} }}
print("\\n{mark}" .. vim.json.encode({{
  hover = ask("textDocument/hover", at(4)),
  definition = ask("textDocument/definition", at(4)),
  references = ask("textDocument/references", at(4, alone)),
  completion = ask("textDocument/completion", at(6)),
  symbols = ask("workspace/symbol", {{ query = "redis" }}),
  codes = vim.tbl_map(function(one) return one.code or one.user_data.lsp.code end,
    vim.diagnostic.get(0)),
}}))
vim.cmd("qa!")
"""

ELISP = """
(progn
  (require 'eglot)
  (setq eglot-sync-connect t eglot-connect-timeout 60 create-lockfiles nil)
  (find-file "{root}/.vouch/claims/new.yaml")
  (fundamental-mode)
  (add-to-list 'eglot-server-programs '(fundamental-mode . ("{command}" "lsp")))
  (apply #'eglot (eglot--guess-contact))
  (eglot--maybe-activate-editing-mode)
  (let* ((server (eglot-current-server)) (codes nil) (until (+ (float-time) 60))
         (document (eglot--TextDocumentIdentifier))
         (at (lambda (line)
               (list :textDocument document :position (list :line line :character 4))))
         (ask (lambda (method params) (jsonrpc-request server method params :timeout 60)))
         (alone '(:context (:includeDeclaration :json-false))))
    (while (and (< (float-time) until)
                (not (funcall ask :textDocument/hover (funcall at 4))))
      (accept-process-output nil 0.2))
    (while (and (< (float-time) until) (not eglot--diagnostics))
      (accept-process-output nil 0.2))
    (princ "\\n{mark}")
    (princ (json-serialize (list
      :hover (funcall ask :textDocument/hover (funcall at 4))
      :definition (funcall ask :textDocument/definition (funcall at 4))
      :references (funcall ask :textDocument/references (append (funcall at 4) alone))
      :completion (funcall ask :textDocument/completion (funcall at 6))
      :symbols (funcall ask :workspace/symbol '(:query "redis"))
      :codes (vconcat (mapcar (lambda (one)
                (plist-get (cdr (assoc 'eglot-lsp-diag (eglot--diag-data one))) :code))
                eglot--diagnostics)))
      :null-object nil :false-object :json-false))
    (princ "\\n"))
  (kill-emacs 0))
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = knowledge.library(tmp_path / "project")
    knowledge.write(made, "claims/new.yaml", TEXT)
    return made


def answers(command: list[str], root: Path) -> Any:
    """What an editor printed behind the mark."""
    done = subprocess.run(
        command, capture_output=True, cwd=root, env=environment({}), timeout=170, text=True
    )
    said = done.stdout + done.stderr
    line = next((line for line in said.splitlines() if line.startswith(MARK)), None)
    assert line is not None, said[-3000:]
    return json.loads(line.removeprefix(MARK))


def check(found: Any, root: Path) -> None:
    assert "JWT" in found["hover"]["contents"]["value"]
    assert [row["uri"] for row in found["definition"]] == [
        (root / ".vouch/entities/jwt.yaml").as_uri()
    ]
    assert len(found["references"]) > 4
    assert [row["label"] for row in found["completion"]["items"]] == ["redis"]
    assert found["symbols"][0]["name"] == "Redis"
    assert "no-evidence" in json.dumps(found["codes"])


@pytest.mark.skipif(shutil.which("nvim") is None, reason="Neovim is not installed")
def test_neovim(root: Path, tmp_path: Path) -> None:
    script = tmp_path / "run.lua"
    script.write_text(LUA.format(root=root, command=COMMAND, mark=MARK), "utf-8")
    check(
        answers(["nvim", "--headless", "-u", "NONE", "-n", "-c", f"luafile {script}"], root), root
    )


def test_emacs(root: Path, tmp_path: Path) -> None:
    load = ["emacs", "--batch", "-q", "--eval", "(require 'eglot)"]
    if shutil.which("emacs") is None or subprocess.run(load, capture_output=True).returncode:
        pytest.skip("Emacs with Eglot is not installed")
    script = tmp_path / "run.el"
    script.write_text(ELISP.format(root=root, command=COMMAND, mark=MARK), "utf-8")
    check(answers(["emacs", "--batch", "-q", "-l", str(script)], root), root)
