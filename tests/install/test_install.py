"""`vouch-sidecar install`: what it writes is what hosts read, and all of it can be taken back."""

import os
import re
import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path
from subprocess import run

import pytest
from click.testing import CliRunner
from vouch_sidecar.surfaces.install.hosts import HOSTS, MARK

from tests.install.conftest import ENV, FILES, SAFE, SHARING, Install, tree
from tests.oracle import vouch
from tests.protocol import knowledge
from tests.protocol.client import COMMAND


@pytest.mark.parametrize("options", [[], ["--user"]])
@pytest.mark.parametrize("host", HOSTS)
def test_a_round_trip_is_whole(install: Install, root: Path, host: str, options: list[str]) -> None:
    base = root.parent if options else root
    before = tree(base)
    shown = install(host, *options, "--dry-run").stdout
    assert tree(base) == before
    assert "vouch-sidecar" in shown
    said = install(host, *options).stdout
    after = tree(base)
    files = sorted(after.keys() - before.keys())
    assert FILES[host][1 if options else 0] in files
    named = {f"~/{file}" if options else file: after[file].decode() for file in files}
    assert sorted(said.splitlines()) == [f"wrote {name}" for name in named]
    assert all(f"would write {name}:\n{text}" in shown for name, text in named.items())
    assert not options or "workspaceFolder" not in shown
    assert {name: after[name] for name in before} == before
    assert sorted(install(host, *options).stdout.splitlines()) == [f"{n} is there" for n in named]
    said = install(host, *options, "--uninstall", "--dry-run").stdout
    assert sorted(said.splitlines()) == [f"would remove {name}" for name in named]
    assert tree(base) == after
    said = install(host, *options, "--uninstall").stdout
    assert sorted(said.splitlines()) == [f"removed {name}" for name in named]
    assert tree(base) == before
    again = install(host, *options, "--uninstall")
    said = again.stdout + again.stderr
    assert sorted(said.splitlines()) == [f"{name} is not there" for name in named]


LINKED = [("zed", ".zed"), ("zed", ".zed/settings.json"), ("cursor", ".cursor/skills")]
ODD = [(*linked, odd) for linked in LINKED for odd in ("../outside", "docs", ".", "itself")]
MADE: dict[str, Callable[[Path], None]] = {"fifo": os.mkfifo, "folder": Path.mkdir}


@pytest.mark.parametrize(
    ("host", "file", "odd"), [*ODD, *(("zed", ".zed/settings.json", odd) for odd in MADE)]
)
def test_what_is_no_file_or_lies_behind_a_link_is_left_alone(
    install: Install, root: Path, tmp_path: Path, host: str, file: str, odd: str
) -> None:
    path = root / file
    for folder in (root / "docs", tmp_path / "outside", path.parent):
        folder.mkdir(exist_ok=True)
    if odd in MADE:
        MADE[odd](path)
    else:
        path.symlink_to(path if odd == "itself" else root / odd)
    before = {*tmp_path.rglob("*")}
    for more in ([], ["--uninstall"], ["--dry-run"]):
        said = install(host, *more, code=1).stderr
        assert "lies behind a link" in said or "can't be read" in said
    assert {*tmp_path.rglob("*")} == before


def test_at_home_links_within_it_are_followed(install: Install, root: Path) -> None:
    home = root.parent
    (home / "dotfiles").mkdir()
    (home / ".cursor").symlink_to(home / "dotfiles")
    install("cursor", "--user")
    assert (home / "dotfiles" / "mcp.json").is_file()
    install("cursor", "--user", "--uninstall")
    assert not (home / "dotfiles" / "mcp.json").exists()


def test_nothing_is_written_into_a_knowledge_base(install: Install, root: Path) -> None:
    before = knowledge.digest(root)
    assert "knowledge base" in install("cursor", "--root", str(root / ".vouch"), code=1).stderr
    assert knowledge.digest(root) == before


def test_where_it_installs(install: Install, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "src" / "deep").mkdir(parents=True)
    monkeypatch.chdir(root / "src" / "deep")
    for arguments, folder in (([], root), (["--root", str(root / "src")], root / "src")):
        install("opencode", *arguments)
        assert (folder / "opencode.json").is_file()


@pytest.mark.parametrize("host", ["neovim", "helix", "emacs"])
def test_snippets_are_printed(install: Install, root: Path, host: str) -> None:
    before = tree(root)
    said = install(host)
    assert tree(root) == before
    assert said.stderr.startswith("Paste this into ")
    assert '"lsp"' in said.stdout
    if host == "helix":
        server = tomllib.loads(said.stdout)["language-server"]["vouch-sidecar"]
        assert server == {"command": "vouch-sidecar", "args": ["lsp"], "environment": ENV}


@pytest.mark.parametrize("host", SHARING)
def test_a_file_that_is_there_is_its_users(install: Install, root: Path, host: str) -> None:
    """What to add to it is printed; users take it out."""
    name, instead = FILES[host][0], "What names vouch-sidecar there is to be"
    path = root / name
    path.parent.mkdir(exist_ok=True)
    for text, more in (("{ }\n", "Add to it"), (f"# {MARK}\n", instead)):
        path.write_text(text, "utf-8")
        said = install(host)
        assert f"{name} has other content, which stays. {more}:" in said.stderr
        assert "vouch-sidecar" in said.stdout
        left = install(host, "--uninstall").stderr
        assert (f"take out by hand what names vouch-sidecar in {name}" in left) is (more == instead)
        assert path.read_text("utf-8") == text, "others write there, too, whoever wrote it first"


def test_what_bears_our_mark_is_renewed(install: Install, root: Path) -> None:
    before = tree(root)
    install("claude-code")
    now = tree(root)
    for name in now.keys() - before.keys():
        text = now[name].decode().replace("PYTHONSAFEPATH", "OLDER").replace("eviewed", "older")
        (root / name).write_bytes(text.replace("\n", "\r\n").encode())
    install("claude-code")
    assert tree(root) == now


@pytest.mark.parametrize("host", FILES)
def test_the_command_it_names(install: Install, host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    in_project, of_user = install(host, "--dry-run"), install(host, "--user", "--dry-run")
    assert f"starts with; it is {COMMAND}" in in_project.stderr
    assert str(COMMAND) not in in_project.stdout + of_user.stderr
    assert str(COMMAND) in of_user.stdout
    if host in {"claude-code", "codex"}:
        assert f"{SAFE} {COMMAND} hook user-prompt-submit" in of_user.stdout


@pytest.mark.parametrize("host", ["claude-code", "codex"])
def test_a_shared_hook_fails_for_nobody_without_the_program(install: Install, host: str) -> None:
    written = install(host, "--dry-run").stdout
    hooks = {*re.findall(rf"({SAFE} vouch-sidecar hook [^\"]*)\"", written)}
    assert len(hooks) == (4 if host == "claude-code" else 3)
    for command in hooks:
        assert run(["/bin/sh", "-c", command], env={"PATH": "/nowhere"}).returncode == 0
    assert "|| true" not in install(host, "--user", "--dry-run").stdout


def test_without_a_base_the_commands_that_make_one_are_named(install: Install, root: Path) -> None:
    shutil.rmtree(root / ".vouch")
    (root / "docs" / "adr").mkdir(parents=True)
    for name in ("rules", "adr/1", "adr/2", "adr/3"):  # adr holds most
        (root / f"docs/{name}.md").write_text("# Decision", "utf-8")
    last = install("zed").stderr.splitlines()[-1]
    assert "to make one of docs/adr, 3 files: `pipx install vouch-kb`, `vouch init`" in last
    assert '`for file in docs/adr/*.md; do vouch ingest "$file"; done`' in last
    for name in ("hours", "stock", "trains"):
        (root / f"docs/{name}.md").write_text("# Decision", "utf-8")
    assert "to make one of docs, 4 files:" in install("zed").stderr


def test_no_odd_path_is_used(install: Install, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = root / "$(x);"
    odd.mkdir()
    (odd / "vouch-sidecar").symlink_to(COMMAND)
    monkeypatch.setenv("PATH", str(odd))
    assert '"command": "vouch-sidecar"' in install("zed", "--user", "--dry-run").stdout


def test_the_missing_extra_is_said(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vouch_sidecar.surfaces.install.command.find_spec", lambda _: None)
    assert "pip install 'mcp<2'" in install("zed", "--dry-run").stderr


@pytest.mark.parametrize(
    ("host", "file"), [("claude-code", ".claude/settings.json"), ("codex", ".codex/hooks.json")]
)
def test_its_hook_is_named_and_stays(install: Install, root: Path, host: str, file: str) -> None:
    assert "second block" not in install(host, "--dry-run").stderr
    env = {"HOME": str(root.parent)}
    assert CliRunner().invoke(vouch("cli").cli, ["install-mcp", host], env=env).exit_code == 0
    before = tree(root)
    (line,) = (line for line in install(host).stderr.splitlines() if "second block" in line)
    assert line.endswith(f"; it is in {file}")
    assert tree(root)[file] == before[file]
    install(host, "--uninstall")
    assert tree(root) == before
