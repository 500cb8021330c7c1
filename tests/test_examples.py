"""Every command of README and docs is run, and its output compared with what stands below it.

In an expected output `…` stands for anything on its line, alone on a line for any lines.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import click
import pytest
from vouch_sidecar.kb.discovery import RESIDENT

from tests.engine.processes import until
from tests.hook.conftest import processes_of
from tests.protocol.client import COMMAND, environment

ROOT = Path(__file__).parents[1]
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    ROOT / "examples" / "courier" / "README.md",
]
BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)
INLINE = re.compile(r"`(vouch-sidecar [a-z][^`]*)`")
AGE = re.compile(r" \(last confirmed \d+ \w+ ago\)|^last confirmed \d+ \w+ ago\n", re.MULTILINE)
"""What a claim says once it is over a year old: the examples grow older."""
LINK = re.compile(r"\]\((?!\w+:|#)([^)#]+)")
NOT_RUN = ("make ", "uv ", "uvx ", "pipx ", "pip ", "git clone ", "code ", "hf ", "ollama ")
"""What sets up the machine."""


class Example(NamedTuple):
    """A command, and the lines that stand below it."""

    command: str
    expected: list[str]


def examples(text: str) -> Iterator[list[Example]]:
    """The commands of each block."""
    for block in BLOCK.findall(text):
        found: list[Example] = []
        for line in block.replace("\\\n", " ").splitlines():
            if line.startswith("$ "):
                found.append(Example(line[2:], []))
            else:
                found[-1].expected.append(line)
        yield found


@pytest.fixture
def place(tmp_path: Path, vouch_kb: Path) -> Path:
    """A checkout with the example, in which one file of it was changed."""
    courier = tmp_path / "examples" / "courier"
    shutil.copytree(ROOT / "examples" / "courier", courier)
    (courier / "todo.txt").touch()
    commands = tmp_path / "bin"
    commands.mkdir()
    (commands / "vouch-sidecar").symlink_to(COMMAND)
    (commands / "vouch").symlink_to(vouch_kb.with_name("vouch"))
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for arguments in (["init", "-q"], ["add", "examples"], ["commit", "-qm", "all"]):
        subprocess.run([*git, *arguments], cwd=tmp_path, check=True)
    (courier / "todo.txt").write_text("Does Relay know?\n", "utf-8")
    return tmp_path


def run(
    example: Example, place: Path, cwd: Path, more: Mapping[str, str] | None = None
) -> tuple[str, Path]:
    """What a command prints, and the folder in which it leaves the shell."""
    own = {"HOME": str(place), "PATH": f"{place / 'bin'}:{os.environ['PATH']}"}
    cache = {"XDG_CACHE_HOME": str(place / ".cache")}
    (place / ".cache" / "vouch-sidecar").mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        ["bash", "-c", f"{example.command}\ncode=$?; pwd > {place}/pwd; exit $code"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        cwd=cwd,
        env=environment({**own, **cache, **(more or {})}),
        timeout=120,
        text=True,
    )
    assert done.returncode in (0, 1), done.stdout
    finds_faults = example.command.startswith("vouch-sidecar doctor")
    assert done.returncode == 0 or example.expected or finds_faults, done.stdout
    return AGE.sub("", done.stdout), Path((place / "pwd").read_text().strip())


def pattern(expected: list[str]) -> re.Pattern[str]:
    """What an output must look like."""
    lines = (
        "(?:.*\n)*?" if line == "…" else re.escape(line).replace("…", ".*") + "\n"
        for line in expected
    )
    return re.compile("".join(lines))


BLOCKS = [
    pytest.param(block, id=f"{page.parent.name}/{page.name} {number}")
    for page in PAGES
    for number, block in enumerate(examples(page.read_text("utf-8")), 1)
]


@pytest.mark.timeout(600)
@pytest.mark.parametrize("block", BLOCKS)
def test_every_command_does_what_the_page_shows(
    block: list[Example], place: Path, runtime: Path
) -> None:
    cwd, own = place, {"XDG_RUNTIME_DIR": str(runtime)}
    if any("vouch-sidecar hook " in example.command for example in block):
        own[RESIDENT] = "true"
    for example in block:
        if example.command.startswith(NOT_RUN):
            continue
        shown, cwd = run(example, place, cwd, own)
        if example.expected:
            assert pattern(example.expected).fullmatch(shown), (example.command, shown)


def test_the_examples_cover_every_operation() -> None:
    from vouch_sidecar.surfaces.cli.operation_commands import OPERATION_COMMANDS

    page = (ROOT / "docs" / "shell.md").read_text("utf-8")
    shown = " ".join(command for block in examples(page) for command, _ in block)
    assert {name for name in OPERATION_COMMANDS if f"vouch-sidecar {name}" not in shown} <= {
        "stats"
    }


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_commands_within_sentences_exist(page: Path) -> None:
    from vouch_sidecar.surfaces.cli import main

    for line in INLINE.findall(page.read_text("utf-8")):
        _, name, *words = line.split()
        command = main.get_command(click.Context(main), name)
        assert command is not None, line
        known = {opt for param in command.get_params(click.Context(command)) for opt in param.opts}
        options = {word.partition("=")[0] for word in words if word.startswith("--")}
        assert options <= {*known, "--help"}, line


def test_links_of_pages_lead_somewhere() -> None:
    pages = [*PAGES, *ROOT.glob("*.md")]
    links = [(page, link) for page in pages for link in LINK.findall(page.read_text("utf-8"))]
    assert [(p, link) for p, link in links if not (p.parent / link).exists()] == []


def test_a_first_knowledge_base_knows_whom_to_ask(place: Path) -> None:
    """By the commands that the README gives between two blocks."""
    readme = (ROOT / "README.md").read_text("utf-8")
    told = readme[readme.index("`vouch propose-entity") : readme.index("## Remove it")]
    found = re.findall(r"`((?:VOUCH_AGENT=me )?vouch [^`]+)`", told)
    entity, relation, pending, approve = (" ".join(one.split()) for one in found)
    (place / "mine").mkdir()

    def shown(command: str) -> str:
        return run(Example(command, ["…"]), place, place / "mine")[0]

    shown("vouch init")
    for command in (entity, entity.replace("Relay", "Ada").replace("system", "person"), relation):
        proposed = shown(command).split()[-1]
        assert proposed in shown(pending)
        shown(approve.replace("ID", proposed))
    assert "person\tada\tAda\t" in shown("vouch-sidecar experts 'who owns Relay'")


def test_a_newcomer_reads_one_page() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 120


@pytest.fixture
def runtime() -> Iterator[Path]:
    """A runtime folder with a path that is short enough for sockets."""
    with TemporaryDirectory(prefix="v") as folder:
        yield Path(folder)


def test_nothing_is_left_of_what_was_removed_as_the_readme_says(place: Path, runtime: Path) -> None:
    courier = place / "examples" / "courier"
    own = {"XDG_RUNTIME_DIR": str(runtime), RESIDENT: "true"}
    event = json.dumps({"session_id": "s", "prompt": "What about Relay?", "cwd": str(courier)})
    readme = (ROOT / "README.md").read_text("utf-8")
    (removing,) = examples(readme[readme.index("## Remove it") :])
    before = set(courier.rglob("*"))
    run(Example("vouch-sidecar install claude-code", ["…"]), place, courier, own)
    prompt = f"vouch-sidecar hook user-prompt-submit <<< {shlex.quote(event)}"
    run(Example(prompt, ["…"]), place, courier, own)
    until(lambda: any(runtime.glob("*/*.sock")))
    assert processes_of(runtime)
    for example in removing:
        if not example.command.startswith(NOT_RUN):
            run(example, place, courier, own)
    assert not processes_of(runtime)
    assert [*runtime.iterdir()] == []
    assert not (place / ".cache" / "vouch-sidecar").exists()
    assert set(courier.rglob("*")) == before
