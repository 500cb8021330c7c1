"""Integrations of earlier versions, and those that were changed by hand."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from vouch_sidecar.surfaces.install.edits import JsonMember, OwnFile
from vouch_sidecar.surfaces.install.hosts import HOSTS, host_called
from vouch_sidecar.surfaces.install.known_versions import calling, digest, is_known

from tests.install.conftest import MERGING, PLUGIN, SAFE, WRITING, Install, tree
from tests.install.known_versions import CODEX, FILES, INTEGRATIONS, MERGED
from tests.install.test_install import TRUST
from tests.protocol.client import COMMAND

OPENCODES = ("{}", '{"mcp": {"servers": {}}}')


def put_back(folder: Path, host: str, command: str = "vouch-sidecar") -> None:
    """Put what had no environment in place of what was just installed."""
    for name, text in INTEGRATIONS[host].items():
        (folder / name).write_text(calling(text, command), "utf-8")


@pytest.mark.parametrize("host", WRITING)
def test_what_had_no_environment_is_renewed(install: Install, root: Path, host: str) -> None:
    before = tree(root)
    install(host)
    now = tree(root)
    put_back(root, host)
    shown = install(host, "--dry-run").stdout
    assert re.search(r"^\+.*PYTHONSAFEPATH", shown, re.MULTILINE)
    assert re.search(r"^-[^-]", shown, re.MULTILINE) or host == "opencode"
    assert install(host).stdout == shown
    assert tree(root) == now
    install(host, "--uninstall")
    assert tree(root) == before
    install(host)
    put_back(root, host)
    install(host, "--uninstall")
    assert tree(root) == before


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("host", MERGING)
def test_what_was_merged_into_a_file_that_was_there(
    install: Install, root: Path, host: str, newline: str
) -> None:
    """It is renewed where it stands, and taken out: every other byte is as it was."""
    name, text = FILES[host]
    path = root / name
    path.parent.mkdir(exist_ok=True)
    merged = MERGED[host].replace("\n", newline).encode()
    path.write_bytes(merged)
    install(host)
    renewed = path.read_bytes()
    assert b"PYTHONSAFEPATH" in renewed
    assert b"the good one" in renewed or b"other" in renewed or b"tab_size" in renewed
    assert install(host).stdout == ""
    for there in (renewed, merged):
        path.write_bytes(there)
        install(host, "--uninstall")
        assert path.read_bytes() == text.replace("\n", newline).encode()


def test_codex_what_had_no_environment_and_was_written_anew(install: Install, root: Path) -> None:
    """`codex mcp add` drops our comment."""
    install("codex")
    own = root / ".codex" / "config.toml"
    fresh = own.read_text("utf-8")
    own.write_text(CODEX.removeprefix("# vouch-sidecar\n") + TRUST, "utf-8")
    install("codex")
    assert own.read_text("utf-8") == f"{TRUST}\n{fresh}"


@pytest.mark.parametrize("host", ["claude-code", "codex"])
def test_hooks_of_a_user_whose_host_would_not_find_the_command(
    install: Install, root: Path, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = root.parent
    before = tree(home)
    monkeypatch.setenv("PATH", "/nowhere")
    written = install(host, "--user").stdout
    assert f"{SAFE} {COMMAND} hook user-prompt-submit" in written
    assert '"vouch-sidecar hook' not in written
    now = tree(home)
    put_back(home, host, str(COMMAND))
    install(host, "--user")
    assert tree(home) == now
    put_back(home, host, str(COMMAND))
    install(host, "--user", "--uninstall")
    assert tree(home) == before


@pytest.mark.parametrize("host", ["claude-code", "cursor"])
def test_what_was_changed_by_hand_needs_force(install: Install, root: Path, host: str) -> None:
    before = tree(root)
    install(host)
    now = tree(root)
    changed = root / (".cursor/mcp.json" if host == "cursor" else f"{PLUGIN}/.mcp.json")
    text = changed.read_text("utf-8").replace('"mcp"', '"mcp", "--tools", "all"')
    text = text if "all" in text else text.replace('"mcp",', '"mcp", "--tools", "all",')
    changed.write_text(text, "utf-8")
    edited = tree(root)
    for options in ([], ["--uninstall"]):
        assert "nothing was changed" in install(host, *options, code=1).stderr
        assert tree(root) == edited
    install(host, "--force")
    assert {name: json_or_bytes(name, text) for name, text in tree(root).items()} == {
        name: json_or_bytes(name, text) for name, text in now.items()
    }
    changed.write_text(text, "utf-8")
    install(host, "--uninstall", "--force")
    assert tree(root) == before


def json_or_bytes(name: str, text: bytes) -> object:
    return json.loads(text) if name.endswith(".json") else text


def test_json_that_a_formatter_laid_out_anew_is_ours(install: Install, root: Path) -> None:
    before = tree(root)
    install("claude-code")
    for path in (root / PLUGIN).rglob("*.json"):
        path.write_text(json.dumps(json.loads(path.read_text("utf-8")), indent=4), "utf-8")
    laid_out = tree(root)
    assert install("claude-code").stdout == ""
    assert tree(root) == laid_out
    install("claude-code", "--uninstall")
    assert tree(root) == before


@pytest.mark.parametrize("opencode", OPENCODES)
def test_all_that_is_written_today_will_be_known_tomorrow(root: Path, opencode: str) -> None:
    """Where this fails, add the digest that it names to `known_versions.WRITTEN`; remove none."""
    (root / "opencode.json").write_text(opencode, "utf-8")
    for host in map(host_called, HOSTS):
        places = [host.project and host.project(root), host.user and host.user({"HOME": "/x"})]
        for edit in (edit for place in places if place for edit in place.edits):
            if isinstance(edit, OwnFile):
                written: list[object] = [edit.text]
                if edit.path.suffix == ".json":
                    written = [json.loads(edit.text)]
            elif isinstance(edit, JsonMember):
                written = [edit.value]
            else:
                continue  # tables are known by what they call
            assert [digest(one) for one in written if not is_known(one)] == []


@pytest.mark.parametrize("host", ["claude-code", *MERGING])
def test_the_absolute_command_for_a_user_whose_host_would_not_find_it(
    install: Install, root: Path, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = tree(root.parent)
    monkeypatch.setenv("PATH", "/nowhere")
    for options in (["--dry-run"], []):
        said = install(host, *options).stderr
        assert "is not on the PATH" in said
        assert "/bin/vouch-sidecar" in said
    install(host, "--uninstall")
    written = install(host, "--user").stdout
    assert "/bin/vouch-sidecar" in written
    assert install(host, "--user").stdout == ""
    monkeypatch.undo()
    monkeypatch.setenv("HOME", str(root.parent))
    monkeypatch.chdir(root)
    install(host, "--user", "--uninstall")
    assert tree(root.parent) == before
