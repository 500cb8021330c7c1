"""`vouch-sidecar install`: what it writes is what hosts read, and all of it can be taken back."""

from __future__ import annotations

import json
import os
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator
from vouch_sidecar.surfaces.cli import main
from vouch_sidecar.surfaces.install.hosts import HOSTS
from vouch_sidecar.surfaces.install.jsonc import parse

from tests.install import formats
from tests.install.conftest import ENV, MERGING, PLUGIN, WRITING, Install, tree
from tests.install.known_versions import FILES, MERGED
from tests.protocol import knowledge

SCHEMAS: dict[str, dict[str, Any]] = {
    ".cursor/mcp.json": formats.CURSOR,
    "opencode.json": formats.OPENCODE,
    ".zed/settings.json": formats.ZED,
    f"{PLUGIN}/.claude-plugin/plugin.json": formats.CLAUDE_MANIFEST,
    f"{PLUGIN}/hooks/hooks.json": formats.CLAUDE_HOOKS,
    f"{PLUGIN}/.mcp.json": formats.MCP_SERVERS,
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
    install(host, "--uninstall", "--dry-run")
    assert tree(root) == after
    install(host, "--uninstall")
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
@pytest.mark.parametrize("host", MERGING)
def test_a_file_that_is_there_is_its_users(
    install: Install, root: Path, host: str, newline: str
) -> None:
    """What to add to it is printed. Once that is there it counts, and is taken out again."""
    name, text = FILES[host]
    path = there(root, name, text.replace("\n", newline))
    before = path.read_bytes()
    said = install(host)
    assert path.read_bytes() == before
    assert f"{name} is there already. Add this to it" in said.stderr
    shown = said.stdout[last_object(said.stdout) :]
    path.write_bytes(pasted(host, text, shown).replace("\n", newline).encode())
    assert install(host).stdout == ""
    install(host, "--uninstall")
    assert path.read_bytes() == before
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
            read, schema = parse(content.decode()).value, SCHEMAS[name]
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
    shown = json.loads(said.stdout)
    server = {"type": "local", "command": ["vouch-sidecar", "mcp"], "environment": ENV}
    assert shown == {"mcp": {"servers": {"vouch-sidecar": server}}}
    Draft202012Validator(formats.OPENCODE).validate(shown)
    own.write_text(said.stdout, "utf-8")
    assert install("opencode").stdout == ""


def test_opencode_may_add_to_the_file_in_between(install: Install, root: Path) -> None:
    install("opencode")
    own = root / "opencode.json"
    own.write_text(own.read_text("utf-8").replace("{\n", '{\n  "model": "a/b",\n', 1), "utf-8")
    install("opencode", "--uninstall")
    schema = "https://opencode.ai/config.json"
    assert parse(own.read_text("utf-8")).value == {"model": "a/b", "$schema": schema}


# As Codex writes: between our tables, behind them, and the server's anew, without its comment.
TRUST = """
[hooks.state]

[hooks.state."/home/me/.codex/config.toml:session_end:0:0"]
trusted_hash = "sha256:61a7"

[projects."/home/me/project"]
trust_level = "trusted"
"""
OTHER = """
[mcp_servers.other]
command = "echo"
args = ["hi"]
"""
TOOLS = """
[mcp_servers.vouch-sidecar.tools.kb_context]
approval_mode = "approve"
"""


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("there", ["", 'model = "x"\n', 'model = "x"\n\n[mcp_servers]\n'])
def test_codex_what_it_wrote_between_stays(
    install: Install, root: Path, there: str, newline: str
) -> None:
    install("codex")
    own = root / ".codex" / "config.toml"
    text = there + ("\n" if there else "") + own.read_text("utf-8")
    text = text.replace("\n# vouch-sidecar\n", "\n").replace("# vouch-sidecar\n", "")
    text = text.replace("\n\n[[", f"\n{TOOLS}{OTHER}\n[[", 1) + TRUST
    own.write_bytes(text.replace("\n", newline).encode())
    before = tree(root)
    assert install("codex").stdout == ""
    assert tree(root) == before
    install("codex", "--uninstall")
    assert own.read_bytes().decode() == (there + OTHER + TRUST).replace("\n", newline)


def test_codex_hooks_of_others_for_the_same_event_stay(install: Install, root: Path) -> None:
    install("codex")
    own = root / ".codex" / "config.toml"
    theirs = "[[hooks.SessionStart]]\n\n[[hooks.SessionStart.hooks]]\ncommand = 'x' # y\n"
    later = "\n# mine\n\n[[ hooks . SessionStart ]]\nhooks = [ { command = 'z' } ]\n# end"
    own.write_text(f"{theirs}\n{own.read_text('utf-8')}{later}", "utf-8")
    install("codex", "--uninstall")
    assert own.read_text("utf-8") == theirs + later


def test_codex_what_would_be_written_otherwise_is_left_alone(install: Install, root: Path) -> None:
    own = root / ".codex" / "config.toml"
    install("codex")
    text = own.read_text("utf-8").replace("# vouch-sidecar\n", "# ours\n")
    text += "\n[[ hooks . PreCompact ]]\nhooks = []\n"
    own.write_text(text, "utf-8")
    install("codex", "--uninstall", code=1)
    assert own.read_text("utf-8") == text


def test_codex_a_newer_block_leaves_what_was_written_between(install: Install, root: Path) -> None:
    install("codex")
    own = root / ".codex" / "config.toml"
    fresh = own.read_text("utf-8")
    older = fresh.replace('["mcp"]', '["old"]').replace('"1" }\n', f'"1" }}\n{OTHER}')
    own.write_text(older + TRUST, "utf-8")
    install("codex")
    assert own.read_text("utf-8") == OTHER + TRUST + "\n" + fresh


@pytest.mark.parametrize(
    "theirs",
    [
        '[mcp_servers.vouch-sidecar]\ncommand = "x"\n[mcp_servers.vouch-sidecar.env]\nA = "1"\n',
        '[mcp_servers]\nvouch-sidecar = { command = "vouch-sidecar" }\nother = { command = "x" }\n',
        '[[hooks.SessionEnd]]\nhooks = [{ command = "vouch-sidecar hook x" }, { command = "y" }]\n',
        'a = """\n[mcp_servers.vouch-sidecar]\ncommand = "vouch-sidecar"\n"""\n',
        (
            "[[hooks.SessionEnd]]\n[[hooks.SessionEnd.hooks]]\ncommand = 'vouch-sidecar hook x'\n"
            "[[hooks.SessionEnd.hooks]]\ncommand = 'y'\n"
        ),
        "mcp_servers.vouch-sidecar.command = 'vouch-sidecar'\na = 1\n",
        "hooks = 3\n",
    ],
)
def test_codex_what_is_not_ours_is_not_taken_out(install: Install, root: Path, theirs: str) -> None:
    own = root / ".codex" / "config.toml"
    own.parent.mkdir()
    own.write_text(theirs, "utf-8")
    assert install("codex", "--uninstall").stdout == ""
    assert own.read_text("utf-8") == theirs


@pytest.mark.parametrize(
    ("host", "name", "text"),
    [
        ("cursor", ".cursor/mcp.json", '{"mcpServers": {"vouch-sidecar": {"command": "x"}}}'),
        ("cursor", ".cursor/mcp.json", '{"mcpServers": []}'),
        ("cursor", ".cursor/mcp.json", ""),
        ("cursor", ".cursor/mcp.json", "{nonsense"),
        ("cursor", ".cursor/mcp.json", b"\xff\xfe{}"),
        ("cursor", ".cursor/rules/vouch-sidecar.mdc", "mine"),
        ("codex", ".codex/config.toml", '[mcp_servers.vouch-sidecar]\ncommand = "x"'),
        ("codex", ".codex/config.toml", "a = "),
        (
            "codex",
            ".codex/config.toml",
            '[[hooks.SessionEnd]]\nhooks = [{ command = "vouch-sidecar hook session-end" }]',
        ),
        ("zed", ".zed/settings.json", "[]"),
        ("claude-code", f"{PLUGIN}/.mcp.json", "{}"),
    ],
)
def test_what_stands_in_the_way_stops_all_of_it(
    install: Install, root: Path, host: str, name: str, text: str | bytes
) -> None:
    (root / name).parent.mkdir(parents=True)
    (root / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    before = tree(root)
    result = install(host, code=1)
    assert name in result.stderr
    assert "nothing was changed" in result.stderr
    assert tree(root) == before


@pytest.mark.parametrize("linked", [".zed", ".zed/settings.json"])
def test_links_out_of_the_project_are_not_followed(
    install: Install, root: Path, tmp_path: Path, linked: str
) -> None:
    outside = tmp_path / "outside"
    (outside / "folder").mkdir(parents=True)
    (outside / "file").write_text("{}", "utf-8")
    (root / linked).parent.mkdir(exist_ok=True)
    (root / linked).symlink_to(outside / ("folder" if linked == ".zed" else "file"))
    assert "leads out of" in install("zed", code=1).stderr
    assert (outside / "file").read_text("utf-8") == "{}"
    assert not any((outside / "folder").iterdir())


def test_links_within_the_project_stay_links(install: Install, root: Path) -> None:
    real = there(root, "settings/zed.json", MERGED["zed"])
    real.chmod(0o640)
    (root / ".zed").mkdir()
    (root / ".zed" / "settings.json").symlink_to(real)
    install("zed")
    assert (root / ".zed" / "settings.json").is_symlink()
    assert "PYTHONSAFEPATH" in real.read_text("utf-8")
    assert real.stat().st_mode & 0o777 == 0o640
    install("zed", "--uninstall")
    assert real.read_text("utf-8") == FILES["zed"][1]


def test_nothing_is_written_into_a_knowledge_base(install: Install, root: Path) -> None:
    before = knowledge.digest(root)
    (root / ".zed").symlink_to(root / ".vouch", target_is_directory=True)
    assert "knowledge base" in install("zed", code=1).stderr
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
    shown = install(host).stdout
    assert tree(root) == before
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


@pytest.mark.parametrize("host", ["cursor", "opencode", "zed"])
def test_the_difference_shows_what_a_terminal_would_obey(
    install: Install, root: Path, host: str
) -> None:
    """It is what the user reviews: a comment of the workspace must not repaint it."""
    hidden = "// \x1b[1A\x1b[2K\u202e\u3164 hidden\n"
    text = MERGED[host].replace('"vouch-sidecar": {', hidden + '"vouch-sidecar": {', 1)
    path = there(root, FILES[host][0], text)
    said = install(host, "--uninstall", "--dry-run").stdout
    assert "\\u001b[1A\\u001b[2K\\u202e\\u3164 hidden" in said
    assert not {"\x1b", "\u202e", "\u3164"} & set(said)
    install(host, "--uninstall")
    assert "\x1b[1A" in path.read_text("utf-8"), "a comment of the user's was taken out"


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
