"""`vouch-sidecar doctor`: checks a setup, from the knowledge base to an agent's prompt."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Literal, NamedTuple
from uuid import uuid4

import click

from vouch_sidecar.api import engine_on
from vouch_sidecar.engine import Caller
from vouch_sidecar.kb.beginning import how_to_begin
from vouch_sidecar.kb.discovery import RESIDENT, Finder, why_refused
from vouch_sidecar.kb.pauses import Pause
from vouch_sidecar.kb.sanitize import count, one_line, printable
from vouch_sidecar.operations import perform, status
from vouch_sidecar.operations.table import Words
from vouch_sidecar.surfaces.console.options import print_json, root_option, start_at
from vouch_sidecar.surfaces.console.printing import show
from vouch_sidecar.surfaces.hook.resident_start import is_unwanted
from vouch_sidecar.surfaces.install.command import project_of
from vouch_sidecar.surfaces.install.files import PROGRAM, InstallError, find
from vouch_sidecar.surfaces.install.hosts import HOSTS, asked_for, finds, vouch_hooks
from vouch_sidecar.surfaces.local import stopping
from vouch_sidecar.surfaces.local.address import has_sockets, socket_path
from vouch_sidecar.surfaces.local.client import PROCESS, SOON_SECONDS, UnansweredError, ask
from vouch_sidecar.surfaces.local.engines import IDLE_SECONDS
from vouch_sidecar.version import __version__

WRONG = 1
State = Literal["ok", "note", "wrong"]
STATE_COLOURS = {"ok": "", "note": "yellow", "wrong": "red"}
TRIAL_SECONDS = 15.0
TRIALS = 3
Env = Mapping[str, str]


class Checkup(NamedTuple):
    """What a check found. Only those in state `wrong` prevent something from working."""

    about: str
    state: State
    message: str


@click.command("doctor")
@root_option
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def doctor(root: Path | None, as_json: bool) -> None:
    """Look whether all is in place. Exit code 1 when something is wrong."""
    findings = []
    for finding in examined(start_at(root).absolute(), os.environ):
        findings.append(finding)
        if not as_json:
            words = " ".join((f"{finding.state:5}", finding.about, finding.message))
            show([Words(words, STATE_COLOURS[finding.state], finding, whole=True)])
    healthy = all(finding.state != "wrong" for finding in findings)
    if as_json:
        print_json({"healthy": healthy, "findings": [finding._asdict() for finding in findings]})
    sys.exit(0 if healthy else WRONG)


def examined(start: Path, env: Env) -> Iterator[Checkup]:
    """The findings of all checks."""
    finder = Finder(env)
    roots = [Path(root) for root in finder.from_start(start)]
    for folder in finder.refused:
        yield Checkup("knowledge base", "wrong", why_refused(folder))
    if not roots:
        message = f"none found from {printable(str(start))}; {how_to_begin(start)}"
        yield Checkup("knowledge base", "wrong", message)
    for root in roots:
        named = ", named by VOUCH_KB_PATH" if env.get("VOUCH_KB_PATH") else ""
        yield Checkup("knowledge base", "ok", f"{printable(str(root))}{named}")
        if Pause.of(root, env).until() is not None:
            message = f"paused: nothing is said unasked; `{PROGRAM} resume` ends it"
            yield Checkup("knowledge base", "note", message)
    names: list[str] = []
    yield from _contents(roots, names)
    if roots:
        yield _process(roots, env)
    yield from _program(env)
    yield from _integrations(start, env)
    if roots and has_sockets():
        yield _trial(roots, start, env, names)


def _contents(roots: Sequence[Path], names: list[str]) -> Iterator[Checkup]:
    """What the knowledge bases hold. Adds the names of the entities with most claims."""
    engine = engine_on(roots)
    engine.load(whole=True)
    for root in perform(engine, status.OPERATION, {}, Caller()).roots:
        about, counts = f"contents of {one_line(root.collection)}", root.counts
        entities = count(counts.entities, "entity", "entities")
        listed = f"{count(counts.claims, 'claim')}, {entities}, {count(counts.pages, 'page')}"
        problems = sum(problem.severity != "hint" for problem in root.problems)
        if problems:
            files = f", {count(root.unusable, 'file')} can't be used" if root.unusable else ""
            listed += f"; {count(problems, 'problem')}{files}: `{PROGRAM} check` lists them"
        yield Checkup(about, "wrong" if problems else "ok", listed)
        if not counts.entities:
            message = "no entities: nothing is in play, and nobody is an expert"
            yield Checkup(about, "note", message)
    ranked = [
        (kb.view.counts.claims_of(entity.id), entity.name)
        for kb in engine.serving(Caller())
        for entity in kb.view.knowledge.names.entities()
    ]
    names += [name for claims, name in sorted(ranked, reverse=True)[:TRIALS] if claims]


def _about(roots: Sequence[Path], env: Env) -> Mapping[str, object]:
    """What the process is that holds the socket; empty without one."""
    try:
        about = ask(roots, PROCESS, {}, timeout=SOON_SECONDS, env=env)
    except UnansweredError:
        return {}
    return about if isinstance(about, dict) else {}


def _process(roots: Sequence[Path], env: Env) -> Checkup:
    """The process that answers hooks."""
    about = "running sidecar"
    if not has_sockets():
        return Checkup(about, "note", "hooks say nothing on this system")
    ends = f"ends after {IDLE_SECONDS / 3600:.0f} idle hours ({RESIDENT}=false: none)"
    if answered := _about(roots, env):
        kept = f"; a hook left it, it {ends}" if answered.get("resident") is True else ""
        process = f"version {__version__}, process {answered.get('process')}{kept}"
        return Checkup(about, "ok", process)
    if Path(socket_path(env)).exists():
        return Checkup(about, "wrong", f"none answers at {socket_path(env)}")
    if is_unwanted(env):
        return Checkup(about, "note", f"none, and hooks start none, as {RESIDENT} says")
    return Checkup(about, "note", f"none: the next hook starts one, which {ends}")


def _program(env: Env) -> Iterator[Checkup]:
    program = shutil.which(PROGRAM, path=env.get("PATH"))
    here = Path(sys.executable).with_name(PROGRAM)
    missing = f"{PROGRAM} is not on it; this one is {here}"
    yield Checkup("PATH", "note" if program is None else "ok", program or missing)
    if find_spec("mcp") is None:
        message = "missing: pip install 'vouch-sidecar[mcp]', for the MCP server"
        yield Checkup("extra mcp", "note", message)


def _integrations(start: Path, env: Env) -> Iterator[Checkup]:
    """What `install` wrote, and vouch's own hooks beside it."""
    for (name, host), user in product(HOSTS.items(), (False, True)):
        if host.files is None:
            continue
        asked = asked_for(host, env, None if user else project_of(start, env))
        base, files = host.files(asked)
        about = f"{name}{' --user' if user else ''}"
        try:
            found = find(files, base, user=user)
        except InstallError as error:
            yield Checkup(about, "note", one_line(str(error)))
            continue
        if not any(file.naming_us for file in found):
            continue
        old = [
            file.file.path
            for file in found
            if not file.is_current and not (file.is_foreign and file.naming_us)  # pasted
        ]
        if old:
            again = f"`{PROGRAM} install {about}` writes or prints it"
            yield Checkup(about, "note", f"not as this version has it: {', '.join(old)}; {again}")
        elif not finds(host, env) and asked.command == PROGRAM:
            message = f"{PROGRAM} is not on the PATH that {host.title} starts with"
            yield Checkup(about, "wrong", message)
        else:
            yield Checkup(about, "ok", f"installed in {printable(str(base))}")
        for hook in vouch_hooks(host, base):
            message = f"vouch's own prompt hook gives each prompt a second block: {hook}"
            yield Checkup(about, "wrong", message)


def _trial(roots: Sequence[Path], start: Path, env: Env, names: Sequence[str]) -> Checkup:
    """Sends a prompt through the hook as an agent does, twice where a base is read meanwhile."""
    about, is_served = "trial prompt", bool(_about(roots, env))
    if not names:
        return Checkup(about, "note", "there is no entity to name in one")
    if any(Pause.of(root, env).until() is not None for root in roots):
        return Checkup(about, "note", "none sent: hooks are silent while paused")
    if is_unwanted(env) and not is_served:
        return Checkup(about, "note", f"hooks are silent: nothing serves, {RESIDENT} is off")
    named = ", ".join(map(one_line, names))
    answer = ""
    for _ in range(2):
        session = {"session_id": f"trial-{uuid4()}", "cwd": str(start)}
        prompt = {**session, "prompt": f"What is known about {named}?"}
        answer = _hooked("user-prompt-submit", prompt, env)
        _hooked("session-end", session, env)
        if answer:
            break
        with suppress(UnansweredError):
            ask(roots, "kb.status", {}, timeout=TRIAL_SECONDS, env=env)
    if not is_served:  # the trial itself had it started
        with suppress(stopping.EditorError, UnansweredError):
            stopping.stop(socket_path(env), env)
    if not answer:
        return Checkup(about, "wrong", "the hook said nothing (sidecar.recall.timeout_ms)")
    return Checkup(about, "ok", f"{len(answer)} characters about {named}")


def _hooked(event: str, payload: Mapping[str, str], env: Env) -> str:
    """What a hook says."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", "vouch_sidecar.surfaces.entry", "hook", event],
            input=json.dumps(payload),
            capture_output=True,
            text=True,
            env=dict(env),
            cwd=os.sep,
            timeout=TRIAL_SECONDS,
            check=False,
        )
        output = json.loads(done.stdout)["hookSpecificOutput"] if done.stdout else {}
    except (OSError, ValueError, subprocess.SubprocessError):
        return ""
    return str(output.get("additionalContext", ""))
