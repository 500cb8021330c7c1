"""The shell: readable for people, exact for machines, harmless whatever a claim holds."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from vouch_sidecar.surfaces.agent_requests import EVENTS
from vouch_sidecar.surfaces.cli import main

from tests.protocol import knowledge
from tests.protocol.client import COMMAND, environment, run_command, run_process
from tests.surfaces.terminal import on_terminal, run
from tests.workspace.places import cite, repository, write


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return knowledge.make(tmp_path / "project")


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["salience", "Where is Redis?", "How long does JWT live?"], ["jwt", "redis", "JWT"]),
        (["entity", "jwt"], ["JWT", "JSON Web Token", ".vouch/entities/jwt.yaml", "jwt-expires"]),
        (["claim", "jwt-expires"], ["15 minutes", "Auth notes", ".vouch/claims/jwt-expires.yaml"]),
        (["status", "--header"], ["claims\tentities", "project", "\t3\t2\t"]),
        (
            ["stats", "--header"],
            [
                "process\tprompts\ttold\tsilent\tlines\tphrases\tfrom_cache\n",
                "\nprocess\t0\t0\t0\t0\t0\t0\n",
            ],
        ),
        (["mentions", "Where is Redis?"], ["redis\tRedis\tconcept\t9\tyes"]),
        (["explain", "Where is Redis?"], ["redis\tvolunteered"]),
        (["--version"], ["vouch-sidecar"]),
    ],
)
def test_what_people_read(root: Path, args: list[str], expected: list[str]) -> None:
    out = run(root, *args).stdout
    assert all(text in out for text in expected)
    assert not set("\x1b─") & set(out)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["experts", "  "], "topic must not be blank"),
        (["experts", "jwt", "--limit", "0"], "--limit must be"),
        (["search", "jwt", "--kind", "topic"], "--kind"),
        (["experts", "jwt", "--linking", "all"], "is not one of 'auto', 'declared'"),
        (["experts", "jwt", "--limt", "3"], "--limit"),
        (["experts"], "TOPIC"),
        (["salience"], "TEXT"),
        (["search", ""], "query"),
        (["experts", "jwt", "--root", "/never/seen"], "--root"),
        (["unknown"], "No such command"),
    ],
)
def test_usage(root: Path, args: list[str], message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    done = CliRunner().invoke(main, args)
    assert message in done.stderr
    assert (done.exit_code, done.stdout) == (2, "")


def test_what_is_nearly_called_so(root: Path) -> None:
    knowledge.entity(root, "redis-cluster", "Redis cluster")
    said = run(root, "entity", "reddis", code=1).stderr
    assert "the nearest: redis, redis-cluster" in said
    assert "the nearest: jwt-expires" in run(root, "claim", "jwt-expire", code=1).stderr


@pytest.mark.parametrize("command", ["experts", "search", "probe"])
@pytest.mark.parametrize("extra", [[], ["--json"]])
def test_where_nothing_is_found(root: Path, command: str, extra: list[str]) -> None:
    done = run(root, command, "zzzqqq", *extra, code=1)
    assert bool(done.stdout) == bool(extra)
    assert bool(done.stderr) != bool(extra)


@pytest.mark.parametrize("command", ["context", "salience", "mentions", "explain"])
def test_standard_input(root: Path, command: str) -> None:
    given = "+ # JWT access tokens\n- # Redis\n"
    wanted = run(root, command, given).stdout
    assert "jwt" in wanted
    assert run(root, command, "-", given=given).stdout == wanted


def test_paths_on_standard_input(root: Path) -> None:
    (root / "last.py").write_text("x = 1\n", "utf-8")
    knowledge.claim(root, "tied", "JWT is in last.py.", "jwt")
    done = run(root, "files", "-", "--json", given="gone/1.py\nlast.py\n")
    files = json.loads(done.stdout)["files"]
    assert [file["path"] for file in files] == ["gone/1.py", "last.py"]
    assert done.stderr == "gone/1.py is not there.\n"
    assert [claim["id"] for claim in files[-1]["claims"]] == ["tied"]


def test_completion(root: Path) -> None:
    done = run(
        root,
        _VOUCH_SIDECAR_COMPLETE="bash_complete",
        COMP_WORDS="vouch-sidecar cl",
        COMP_CWORD="1",
    )
    assert done.stdout == "plain,claim\n"


def test_check_lists_problems(root: Path) -> None:
    (root / ".vouch" / "claims" / "broken.yaml").write_text("id: broken\ntext: [\n", "utf-8")
    knowledge.config(root, "retrieval: {reflex: {window: true}}\n")
    out = run(root, "check", code=1).stdout
    assert ".vouch/claims/broken.yaml:2:8\terror\tinvalid\t" in out
    assert ".vouch/config.yaml:1:" in out
    assert "\nproject/.vouch/config.yaml:1:" in run(root.parent, "check", code=1).stdout
    found = json.loads(run(root, "check", "--json", code=1).stdout)["problems"]
    assert [row["path"] for row in found] == ["claims/broken.yaml", "config.yaml"]
    assert {row["root"] for row in found} == {str(root)}


def test_a_hint_is_no_problem(root: Path) -> None:
    body = "A [[nowhere]] to go, and no `[[test]]`."
    knowledge.write(root, "pages/p.md", f"---\nid: p\ntitle: P\n---\n{body}\n")
    done = run(root, "check")
    assert (done.stdout, done.stderr) == ("", "No problems. 1 hint: `--hints` lists them\n")
    listed = [run(root, "check", "--json", *more).stdout for more in ([], ["--hints"])]
    assert ["dangling-link" in text for text in listed] == [False, True]
    said = run(root, "check", "--hints").stdout
    assert "hint\tdangling-link\t`body` names no page or entity: nowhere" in said
    assert said.count("dangling-link") == 1


def test_help_says_what_each_command_does_what_people_ask_first(tmp_path: Path) -> None:
    said = run(tmp_path, "--help").stdout.partition("\nCommands:\n")[2]
    assert "..." not in said
    commands = [row.split()[0] for row in said.splitlines()]
    assert commands[0] == "experts"
    assert commands.index("stop") < commands.index("hook")
    assert commands == main.list_commands(click.Context(main))


def test_hook_knows_every_event(tmp_path: Path) -> None:
    said = "".join(run(tmp_path, "hook", "--help").stdout.split())
    assert all(event in said for event in EVENTS)


def test_without_a_knowledge_base_the_next_step_is_named_and_works(
    tmp_path: Path, vouch_kb: Path
) -> None:
    for command in (["experts", "jwt"], ["experts", "jwt", "--json"], ["status"], ["check"]):
        done = run(tmp_path, *command, code=2)
        assert done.stdout == ""
        assert done.stderr.startswith(f"Error: no knowledge base found from {tmp_path}; to make")
        assert "`pipx install vouch-kb`, then `vouch init`" in done.stderr
    subprocess.run([vouch_kb.with_name("vouch"), "init"], cwd=tmp_path, check=True)
    assert run(tmp_path, "check").stderr == "No problems.\n"


def test_a_pipe_is_told_of_a_pause(root: Path) -> None:
    assert run(root, "status").stdout.endswith("\t\n")
    run(root, "pause", "--for", "1h")
    header, row = (line.split("\t") for line in run(root, "status", "--header").stdout.splitlines())
    assert dict(zip(header, row, strict=True))["paused_until"].startswith("20")
    run(root, "resume")


def test_a_claim_in_a_shell_says_what_speaks_for_and_against_it(tmp_path: Path) -> None:
    """That it went stale also where its entity lists it."""
    text = b"Relay drops what it holds.\nIt restarts every night at two.\n"
    root = repository(tmp_path / "repo", {"a.md": text})
    quote = b"Relay drops what it holds."
    drops: Any = {"entities": ["relay"], "approved_by": "ada", "contradicts": ["keeps"]}
    cite(root, "drops", "Relay drops what it holds.", "a.md", text, quote=quote, **drops)
    kept = b"Relay keeps it.\n"
    cite(root, "keeps", "Relay keeps it.", "b.md", kept, quote=kept.strip(), auto_approved=True)
    write(root, {".vouch/entities/relay.yaml": "id: relay\nname: Relay\ntype: system\n"})
    assert "\nstale\t" not in run(root, "claim", "drops").stdout
    write(root, {"a.md": "Relay keeps what it holds.\nIt restarts every night at two.\n"})
    said = run(root, "claim", "drops").stdout
    assert "\nstale\tquote gone since, a.md changed on " in said
    assert "\ncontested_by\tkeeps\tRelay keeps it.\n" in said
    assert "\napproved_by\tada\n" in said
    assert "\napproved_by\tits receipt\n" in run(root, "claim", "keeps").stdout
    shown = on_terminal(80, "claim", "drops", cwd=root)
    assert [line for line in shown if line.startswith(("quote gone", "contradicted", "approved"))]
    (row,) = (
        line for line in run(root, "entity", "relay").stdout.splitlines() if "\tdrops\t" in line
    )
    gone = r"\(quote gone since, a\.md changed on \S+\) Relay drops what it holds\."
    assert re.search(gone, row)
    found = run(root, "search", "relay", "--kind", "claim").stdout.splitlines()
    assert re.search(gone, "\n".join(found))
    assert [line.count("gone since") for line in sorted(found)] == [1, 0]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a full device")
@pytest.mark.parametrize("extra", [[], ["--json"]])
def test_output_that_cannot_be_written(root: Path, extra: list[str]) -> None:
    command, env = [str(COMMAND), "experts", "jwt", *extra], environment({})
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, cwd=root, env=env, check=False
        )
    assert (done.returncode, done.stderr) == (1, b"vouch-sidecar: No space left on device\n")


def test_nothing_that_a_claim_holds_acts_on_the_terminal(root: Path) -> None:
    path = knowledge.claim(root, "hostile", "x", "jwt")
    hostile = r'"JWT \e[31mred\e[0m [bold]b[/bold] \u202eevil \u200b \a \n second line"'
    path.write_text(path.read_text().replace("'x'", hostile), "utf-8")
    for args in (
        ["claim", "hostile"],
        ["entity", "jwt"],
        ["search", "second line"],
        ["probe", "JWT"],
    ):
        out = run(root, *args).stdout
        assert "[bold]b[/bold]" in out
        assert not set(out) & set("\x1b\u202e\u200b\x07")


def test_output_that_cannot_take_every_character(root: Path) -> None:
    knowledge.entity(root, "tokio", "認証基盤")
    knowledge.claim(root, "ninsho", "認証基盤 is the login service.", "tokio")
    for extra in ([], ["--json"]):
        run_process("experts", "認証基盤", *extra, cwd=root, env={"PYTHONIOENCODING": "ascii"})


@pytest.mark.parametrize(
    ("args", "foreign"),
    [
        (["pause"], ["pydantic", "vouch_sidecar.operations"]),
        (["stop", "--all"], ["pydantic", "vouch_sidecar.operations"]),
        (["lsp", "--help"], ["pydantic", "vouch_sidecar.operations"]),
        (["--help"], ["pygls", "lsprotocol", "mcp"]),
        (["experts", "jwt", "--json"], ["pygls", "mcp", "vouch_sidecar.surfaces.cli.doctor"]),
        (
            ["experts", "--help"],
            ["vouch_sidecar.engine", "tantivy", "rich", "vouch_sidecar.retrieval.view"],
        ),
    ],
    ids=lambda given: given[0],
)
def test_a_command_imports_what_it_needs(root: Path, args: list[str], foreign: list[str]) -> None:
    script = (
        "import sys; from vouch_sidecar.surfaces.cli import main;"
        f"main({args}, standalone_mode=False);"
        f"sys.exit(' '.join(sys.modules.keys() & {set(foreign)}) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=root, env=environment({}), capture_output=True
    )
    assert done.returncode == 0, done.stderr


HIDDEN = "\x1b[2J\u3164\u2800\ufe0f\U000e0041"


@pytest.mark.parametrize(
    "args",
    [
        ["check", "--json"],
        ["check"],
        ["search", "JWT", "--json"],
        ["search", "JWT"],
        ["entity", "jwt", "--json"],
        ["status", "--json"],
        ["experts", "jwt", "--root", ".."],
    ],
    ids=" ".join,
)
def test_nothing_that_is_printed_acts_or_hides(tmp_path: Path, args: list[str]) -> None:
    root = knowledge.make(tmp_path / f"up{HIDDEN}per" / f"pro{HIDDEN}ject")
    knowledge.entity(root, "jwt", f"JWT{HIDDEN}")
    (root / ".vouch" / "claims" / f"bro{HIDDEN}ken.yaml").write_text("id: [", "utf-8")
    knowledge.claim(root, "hiding", f"JWT is{HIDDEN} well.", "jwt", "nobody")
    if "--root" in args:
        (root / ".vouch").rename(tmp_path / "away")
    done = run_command(*args, cwd=root, code=None)
    said = done.stdout + done.stderr
    assert said
    assert not set(HIDDEN.replace("[2J", "")) & set(said)


def test_the_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vouch_sidecar.surfaces.cli.processes.find_spec", lambda _: None)
    result = CliRunner().invoke(main, ["mcp"])
    assert (result.exit_code, result.stdout) == (2, "")
    assert "vouch-sidecar[mcp]" in result.stderr
