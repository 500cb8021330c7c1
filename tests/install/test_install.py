"""`vouch-sidecar install`: what it writes is what hosts read, and all of it can be taken back."""

from __future__ import annotations

import json
import os
import re
import shutil
import tomllib
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from jsonschema import Draft202012Validator
from vouch_sidecar.operations import OPERATIONS
from vouch_sidecar.surfaces.cli import main
from vouch_sidecar.surfaces.install import host_files
from vouch_sidecar.surfaces.install.host_files import (
    HostFile,
    InstallError,
    examine,
    jsonc_value,
    write,
)
from vouch_sidecar.surfaces.install.hosts import HOSTS

from tests.install import formats
from tests.install.conftest import ENV, PLUGIN, SAFE, SHARING, WRITING, Install, tree
from tests.protocol import knowledge
from tests.protocol.client import COMMAND

SCHEMAS: dict[str, dict[str, Any]] = {
    ".cursor/mcp.json": formats.CURSOR,
    "opencode.json": formats.OPENCODE,
    ".zed/settings.json": formats.ZED,
    f"{PLUGIN}/.claude-plugin/plugin.json": formats.CLAUDE_MANIFEST,
    f"{PLUGIN}/hooks/hooks.json": formats.CLAUDE_HOOKS,
    f"{PLUGIN}/.mcp.json": formats.MCP_SERVERS,
}

# By host: its file in a project, and one that a user has written by hand.
FILES = {
    "codex": (
        ".codex/config.toml",
        '# mine\nmodel = "o9"\n\n[[hooks.SessionEnd]]\nhooks = [{ command = "y" }]\n',
    ),
    "cursor": (".cursor/mcp.json", '{\n    "mcpServers": {"other": {"command": "x"}}\n}\n'),
    "opencode": (
        "opencode.json",
        '{\n\t// mine\n\t"model": "a/b", // good\n\t"mcp": {"x": {"enabled": true}},\n}\n',
    ),
    "zed": (
        ".zed/settings.json",
        '// Folder settings\n{\n  "tab_size": 2,\n  /* long lines */ "soft_wrap": "none"\n}',
    ),
}


@pytest.mark.parametrize("host", WRITING)
def test_a_round_trip_leaves_nothing_behind(install: Install, root: Path, host: str) -> None:
    before = tree(root)
    shown = install(host, "--dry-run").stdout
    assert tree(root) == before
    assert "+++ b/" in shown
    assert install(host).stdout == shown
    after = tree(root)
    assert after.keys() > before.keys()
    assert {name: after[name] for name in before} == before
    assert install(host).stdout == ""
    assert tree(root) == after
    files = sorted(line.removeprefix("+++ b/") for line in shown.splitlines() if line[:4] == "+++ ")
    said = install(host, "--uninstall", "--dry-run").stdout
    assert sorted(said.splitlines()) == [f"would remove {file}" for file in files]
    assert tree(root) == after
    said = install(host, "--uninstall").stdout
    assert sorted(said.splitlines()) == [f"removed {file}" for file in files]
    assert tree(root) == before
    assert install(host, "--uninstall").stdout == ""


def there(root: Path, name: str, text: str) -> Path:
    """A file of the user's."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def pasted(host: str, text: str, shown: str) -> str:
    """What a user makes of a file, and of what is to be added to it."""
    if host == "codex":
        return f"{text}\n{shown}"
    ((key, below),) = json.loads(shown).items()
    ours = f'"vouch-sidecar": {json.dumps(below["vouch-sidecar"])}'
    last = {"cursor": '{"command": "x"}', "opencode": '{"enabled": true}', "zed": '"none"'}[host]
    return text.replace(
        last, f"{last}, " + (ours if f'"{key}"' in text else f'"{key}": {{{ours}}}')
    )


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("host", SHARING)
def test_a_file_that_is_there_is_its_users(
    install: Install, root: Path, host: str, newline: str
) -> None:
    """What to add to it is printed. Once that is there it counts; users take it out."""
    name, text = FILES[host]
    path = there(root, name, text.replace("\n", newline))
    before = path.read_bytes()
    said = install(host)
    assert path.read_bytes() == before
    assert f"{name} is there already. Add this to it:" in said.stderr
    last = said.stderr.splitlines()[-1]
    assert f": left to paste: what stands above, into {name}; 3 claims" in last
    assert "installed" not in said.stderr
    shown = said.stdout[last_object(said.stdout) :]
    path.write_bytes(pasted(host, text, shown).replace("\n", newline).encode())
    added = path.read_bytes()
    done = install(host)
    assert done.stdout == ""
    assert ": is there; 3 claims" in done.stderr.splitlines()[-1]
    left = install(host, "--uninstall").stderr.splitlines()[-1]
    line = added[: added.index(b"vouch-sidecar")].count(b"\n") + 1
    assert f"left to take out by hand: what names vouch-sidecar in {name}, line {line}" in left
    assert path.read_bytes() == added
    assert not (root / ".cursor" / "rules").exists()


def last_object(text: str) -> int:
    """Where that begins which is to be added: behind the difference of other files."""
    found = re.search(r"^(?:\{|\[mcp_servers\.vouch-sidecar\])$", text, re.MULTILINE)
    assert found is not None
    return found.start()


@pytest.mark.parametrize("host", WRITING)
def test_files_are_what_the_host_documents(install: Install, root: Path, host: str) -> None:
    install(host)
    checked = 0
    for name, content in tree(root).items():
        if name.endswith(".toml"):
            read: Any = tomllib.loads(content.decode())
            schema = formats.CODEX
        elif name in SCHEMAS:
            read, schema = jsonc_value(content.decode()), SCHEMAS[name]
        else:
            continue
        Draft202012Validator.check_schema(schema)
        Draft202012Validator(schema).validate(read)
        checked += 1
    assert checked == (3 if host == "claude-code" else 1)


def test_for_the_user(install: Install, root: Path) -> None:
    home = root.parent
    project = tree(root)
    for host in WRITING:
        install(host, "--user")
    assert tree(root) == project
    for name in (
        f"{PLUGIN}/.mcp.json",
        ".codex/config.toml",
        ".cursor/mcp.json",
        ".config/opencode/opencode.json",
        ".config/zed/settings.json",
    ):
        assert "vouch-sidecar" in (home / name).read_text("utf-8")
    assert "workspaceFolder" not in (home / ".cursor/mcp.json").read_text("utf-8")
    for host in WRITING:
        install(host, "--user", "--uninstall")
    assert set(tree(home)) == {f"project/{name}" for name in project}


def test_opencode_in_the_form_and_the_file_that_are_there(install: Install, root: Path) -> None:
    own = there(root, ".opencode/opencode.jsonc", '{"mcp": {"servers": {}}}')
    said = install("opencode")
    assert not (root / "opencode.json").exists()
    assert ".opencode/opencode.jsonc is there already" in said.stderr
    shown, _ = json.JSONDecoder().raw_decode(said.stdout[said.stdout.index("{") :])
    server = {"type": "local", "command": ["vouch-sidecar", "mcp"], "environment": ENV}
    assert shown == {"mcp": {"servers": {"vouch-sidecar": server}}}
    Draft202012Validator(formats.OPENCODE).validate(shown)
    own.write_text(json.dumps(shown), "utf-8")
    assert install("opencode").stdout == ""


@pytest.mark.parametrize("host", SHARING)
def test_a_file_of_ours_that_others_added_to_is_theirs(
    install: Install, root: Path, host: str
) -> None:
    install(host)
    path = root / FILES[host][0]
    text = path.read_text("utf-8")
    more = "[more]\n" if host == "codex" else ""
    changed = text + more if more else text.replace("{\n", '{\n  "more": {},\n', 1)
    path.write_text(changed, "utf-8")
    assert install(host).stdout == ""
    left = install(host, "--uninstall").stderr
    assert f"left to delete by hand, as they were changed since: {FILES[host][0]}" in left
    assert path.read_text("utf-8") == changed


@pytest.mark.parametrize("host", ["claude-code", "codex", "cursor", "opencode"])
def test_the_skill_is_one_text_in_the_open_format(install: Install, root: Path, host: str) -> None:
    install(host)
    (file,) = root.rglob("SKILL.md")
    front, body = file.read_text("utf-8").split("---\n")[1:]
    described = yaml.safe_load(front)
    assert described.keys() == {"name", "description"}
    assert described["name"] == file.parent.name
    assert len(described["description"]) <= 1024
    named = set(re.findall(r"`kb_(\w+)`", body))
    assert named == set(re.findall(r"`vouch-sidecar (\w+)", body)) <= {*OPERATIONS}
    assert str(root) not in body


def test_codex_may_lay_out_anew_what_was_pasted(install: Install, root: Path) -> None:
    """As `codex mcp add` does."""
    shown = install("codex", "--dry-run").stdout.partition("+++ b/.agents")[0]
    lines = [line[1:] for line in shown.splitlines() if line.startswith("+") and line[1:2] != "+"]
    server = "[mcp_servers.vouch-sidecar.env]\nPYTHONPATH = ''\nPYTHONSAFEPATH = '1'"
    text = "\n".join(server if line.startswith("env =") else line for line in lines[1:])
    there(root, ".codex/config.toml", f"model = 'x'\n{text}\n\n[projects.a]\nb = 1\n")
    assert "config.toml" not in install("codex").stdout
    assert ": is there;" in install("codex").stderr


@pytest.mark.parametrize("host", WRITING)
def test_what_another_version_wrote_is_renewed(install: Install, root: Path, host: str) -> None:
    """Its hash tells that nobody changed it, whatever it says and however it is laid out."""
    before = tree(root)
    install(host)
    now = tree(root)
    for name in now.keys() - before.keys():
        text = now[name].decode().replace("PYTHONSAFEPATH", "OLDER").replace("eviewed", "older")
        file = HostFile(PurePosixPath(name), text)
        (root / name).write_bytes(file.text.replace("\n", "\r\n").encode())
    assert tree(root) != now
    shown = install(host).stdout
    assert re.search(r"^-[^-].*OLDER", shown, re.MULTILINE)
    assert re.search(r"^\+.*PYTHONSAFEPATH", shown, re.MULTILINE)
    assert tree(root) == now
    for name in now.keys() - before.keys():
        file = HostFile(PurePosixPath(name), now[name].decode().replace("1", "0"))
        (root / name).write_text(file.text, "utf-8")
    install(host, "--uninstall")
    assert tree(root) == before


def test_json_that_a_formatter_laid_out_anew_is_ours(install: Install, root: Path) -> None:
    before = tree(root)
    install("claude-code")
    for path in (root / PLUGIN).rglob("*.json"):
        path.write_text(json.dumps(json.loads(path.read_text("utf-8")), indent=4), "utf-8")
    assert install("claude-code").stdout == ""
    install("claude-code", "--uninstall")
    assert tree(root) == before


@pytest.mark.parametrize("host", WRITING)
def test_the_absolute_command_for_a_user_whose_host_would_not_find_it(
    install: Install, root: Path, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = tree(root.parent)
    monkeypatch.setenv("PATH", "/nowhere")
    for options in (["--dry-run"], []):
        said = install(host, *options).stderr
        assert "is not on the PATH" in said
        assert str(COMMAND) in said
    install(host, "--uninstall")
    written = install(host, "--user").stdout
    assert str(COMMAND) in written
    if host in {"claude-code", "codex"}:
        assert f"{SAFE} {COMMAND} hook user-prompt-submit" in written
    assert install(host, "--user").stdout == ""
    monkeypatch.undo()
    monkeypatch.setenv("HOME", str(root.parent))
    monkeypatch.chdir(root)
    install(host, "--user", "--uninstall")
    assert tree(root.parent) == before


@pytest.mark.parametrize(
    ("host", "name", "text"),
    [
        ("cursor", ".cursor/mcp.json", '{"mcpServers": {"vouch-sidecar": {"command": "x"}}}'),
        ("cursor", ".cursor/mcp.json", '{"mcpServers": []}'),
        ("cursor", ".cursor/mcp.json", ""),
        ("cursor", ".cursor/mcp.json", '{"mcpServers": NaN /* '),
        ("cursor", ".cursor/mcp.json", "[" * 9_000),
        ("cursor", ".cursor/skills/vouch-sidecar/SKILL.md", "mine"),
        ("codex", ".codex/config.toml", '[mcp_servers.vouch-sidecar]\ncommand = "x"'),
        ("codex", ".codex/config.toml", "a = "),
        ("codex", ".codex/config.toml", "hooks = 3\n"),
        ("zed", ".zed/settings.json", "[]"),
        ("claude-code", f"{PLUGIN}/.mcp.json", "{}"),
    ],
)
def test_what_stands_in_the_way_stays_and_is_named(
    install: Install, root: Path, host: str, name: str, text: str
) -> None:
    path = there(root, name, text)
    said = install(host)
    assert f"left to paste: what stands above, into {name}" in said.stderr.splitlines()[-1]
    instead = "in place of what names vouch-sidecar in line 1:"
    assert (instead in said.stderr) is ("vouch-sidecar" in text)
    assert (f"{host.split('-')[0]} mcp add vouch-sidecar --env PYTHONPATH= " in said.stderr) is (
        host in {"claude-code", "codex"}
    )
    install(host, "--uninstall")
    assert path.read_text("utf-8") == text


@pytest.mark.parametrize("target", ["../outside", "docs", "docs/missing.md", "."])
@pytest.mark.parametrize(
    ("host", "linked"),
    [
        ("zed", ".zed"),
        ("zed", ".zed/settings.json"),
        ("cursor", ".cursor/skills"),
        ("cursor", ".cursor/skills/vouch-sidecar/SKILL.md"),
        ("claude-code", ".claude"),
    ],
)
def test_links_are_not_followed(
    install: Install, root: Path, tmp_path: Path, host: str, linked: str, target: str
) -> None:
    (root / "docs").mkdir(exist_ok=True)
    (tmp_path / "outside").mkdir()
    (root / linked).parent.mkdir(exist_ok=True, parents=True)
    (root / linked).symlink_to(root / target)
    before = {*tmp_path.rglob("*")}
    assert f"{linked} is a link: nothing is written through it" in install(host, code=1).stderr
    assert f"{linked} is a link" in install(host, "--uninstall", code=1).stderr
    assert {*tmp_path.rglob("*")} == before


def test_a_link_that_is_not_symbolic_is_named_by_its_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As a junction of Windows is."""
    monkeypatch.setattr(host_files, "_real", lambda path: tmp_path / "elsewhere" / path.name)
    file = HostFile(PurePosixPath(".zed/settings.json"), host_files.WRITTEN_BY)
    with pytest.raises(InstallError, match=r"^\.zed/settings\.json is a link"):
        examine([file], tmp_path, user=False)


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


def test_the_project_is_where_the_knowledge_base_is(
    install: Install, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "src" / "deep").mkdir(parents=True)
    monkeypatch.chdir(root / "src" / "deep")
    install("opencode")
    assert (root / "opencode.json").is_file()
    install("opencode", "--root", str(root / "src"))
    assert (root / "src" / "opencode.json").is_file()


@pytest.mark.parametrize("host", ["neovim", "helix", "emacs"])
def test_snippets_are_printed(install: Install, root: Path, host: str) -> None:
    before = tree(root)
    said = install(host)
    shown = said.stdout
    assert tree(root) == before
    assert re.search(r": left to paste: this, into .*\.(toml|lua)$|init file$", said.stderr)
    assert '"vouch-sidecar"' in shown
    assert '"lsp"' in shown
    if host == "helix":
        server = tomllib.loads(shown)["language-server"]["vouch-sidecar"]
        assert server == {"command": "vouch-sidecar", "args": ["lsp"], "environment": ENV}
    else:
        assert all(
            shown.count(opening) == shown.count(closing) for opening, closing in ("{}", "()")
        )


def test_emacs_other_servers_of_text_modes_come_first(install: Install) -> None:
    """Eglot takes the first entry whose mode the buffer's is derived from: HTML, YAML from text."""
    entries = re.findall(
        r"'eglot-server-programs \(cons '(\S+) vouch\)( t)?\)", install("emacs").stdout
    )
    assert entries == [("markdown-mode", ""), ("text-mode", " t")]


def test_every_host_is_documented(install: Install) -> None:
    documented = (Path(__file__).parents[2] / "docs" / "agents.md").read_text("utf-8")
    assert len(HOSTS) == 8
    for host in HOSTS:
        assert f"`{host}`" in documented
        assert install(host, "--dry-run").stdout


def test_unknown_hosts_are_refused(install: Install) -> None:
    assert "claude-code" in install("vi", code=2).stderr


def test_the_difference_shows_what_a_terminal_would_obey(install: Install, root: Path) -> None:
    """It is what the user reviews: a file of the workspace must not repaint it."""
    install("codex")
    path = root / ".codex" / "config.toml"
    text = path.read_text("utf-8") + "# \x1b[1A\x1b[2K\u202e\u3164 hidden\n"
    path.write_text(HostFile(PurePosixPath("x"), text).text, "utf-8")
    said = install("codex", "--dry-run").stdout
    assert "\\u001b[1A\\u001b[2K\\u202e\\u3164 hidden" in said
    assert not {"\x1b", "\u202e", "\u3164"} & set(said)


@pytest.mark.parametrize(
    ("host", "file"),
    [
        ("claude-code", ".mcp.json"),
        ("cursor", ".cursor/mcp.json"),
        ("zed", ".zed/settings.json"),
        ("opencode", "opencode.json"),
        ("codex", ".codex/config.toml"),
    ],
)
@pytest.mark.parametrize("odd", ["fifo", "itself", "folder"])
@pytest.mark.usefixtures("install")
def test_what_is_no_file_is_left_alone(root: Path, host: str, file: str, odd: str) -> None:
    path = root / file
    path.parent.mkdir(exist_ok=True)
    if odd == "fifo":
        os.mkfifo(path)
    elif odd == "itself":
        path.symlink_to(path)
    else:
        path.mkdir()
    for args in ([], ["--uninstall"], ["--dry-run"]):
        result = CliRunner().invoke(main, ["install", host, *args])
        assert result.exception is None or isinstance(result.exception, SystemExit)
        assert result.exit_code == 0 or "can't be read" in result.output


def test_it_ends_with_what_is_there_now(install: Install, root: Path) -> None:
    there = "3 claims; try: What is known about Redis?"
    assert install("claude-code").stderr.splitlines()[-1] == f"Claude Code: installed; {there}"
    assert install("claude-code").stderr.splitlines()[-1] == f"Claude Code: is there; {there}"
    assert "3 claims" not in install("claude-code", "--uninstall").stderr
    (root / ".zed").mkdir()
    (root / ".zed" / "settings.json").write_text("{}", "utf-8")
    last = install("zed").stderr.splitlines()[-1]
    assert last == f"Zed: left to paste: what stands above, into .zed/settings.json; {there}"
    shutil.rmtree(root / ".vouch")
    last = install("zed").stderr.splitlines()[-1]
    assert "there is no knowledge base yet; to make one: `uv tool install vouch-kb`" in last


def test_a_file_that_somebody_writes_meanwhile_is_left_as_it_is(tmp_path: Path) -> None:
    ours = HostFile(PurePosixPath("hooks.json"), '{"ours": true}\n')
    (absent,) = examine([ours], tmp_path, user=False)
    (tmp_path / "hooks.json").write_text("{}", "utf-8")
    with pytest.raises(InstallError, match="changed meanwhile"):
        write(absent)
    assert (tmp_path / "hooks.json").read_text("utf-8") == "{}"
