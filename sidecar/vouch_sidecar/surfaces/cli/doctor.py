"""`vouch-sidecar doctor`: checks a setup, from the knowledge base to an agent's prompt."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any, Literal, NamedTuple
from uuid import uuid4

import click

from vouch_sidecar.api import engine_on
from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.kb.beginning import how_to_begin
from vouch_sidecar.kb.discovery import RESIDENT, Finder, why_refused
from vouch_sidecar.kb.pauses import Pause
from vouch_sidecar.kb.sanitize import count, one_line, printable
from vouch_sidecar.operations import context, perform, status
from vouch_sidecar.operations.table import Words
from vouch_sidecar.surfaces.console.options import print_json, root_option, start_at
from vouch_sidecar.surfaces.console.printing import show
from vouch_sidecar.surfaces.hook.client import LIMIT_VARIABLE, starts_none
from vouch_sidecar.surfaces.hook.events import PROMPT
from vouch_sidecar.surfaces.install.command import project_of
from vouch_sidecar.surfaces.install.files import PROGRAM, InstallError
from vouch_sidecar.surfaces.install.hosts import (
    HOSTS,
    command_for,
    finds,
    integration,
    vouch_hooks,
)
from vouch_sidecar.surfaces.local.client import (
    PROCESS,
    SOON_SECONDS,
    UnansweredError,
    ask,
    connect,
    has_sockets,
    socket_path,
)
from vouch_sidecar.surfaces.local.engines import IDLE_SECONDS
from vouch_sidecar.surfaces.local.ownership import stop

WRONG = 1
State = Literal["ok", "note", "wrong"]
STATE_COLOURS = {"ok": "", "note": "yellow", "wrong": "red"}
TRIAL_SECONDS = 15.0
TRIED = 20
"""Names that are looked at for one that a prompt is answered about."""
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
    paused = [root for root in roots if Pause.of(root, env).until() is not None]
    for root in roots:
        named = ", named by VOUCH_KB_PATH" if env.get("VOUCH_KB_PATH") else ""
        yield Checkup("knowledge base", "ok", f"{printable(str(root))}{named}")
        if root in paused:
            message = f"paused: nothing is said unasked; `{PROGRAM} resume` ends it"
            yield Checkup("knowledge base", "note", message)
    engine = engine_on(roots)
    engine.load(whole=True)
    yield from _contents(engine)
    try:
        served: Any = ask(roots, PROCESS, {}, timeout=SOON_SECONDS, env=env) if roots else {}
    except UnansweredError:
        served = {}
    if roots:
        yield Checkup("running sidecar", *_process(served, env))
    program = shutil.which(PROGRAM, path=env.get("PATH"))
    missing = f"{PROGRAM} is not on it; this one is {Path(sys.executable).with_name(PROGRAM)}"
    yield Checkup("PATH", "ok" if program else "note", program or missing)
    yield from _integrations(start, env)
    if roots and has_sockets():
        if paused:
            said: tuple[State, str] = ("note", "none sent: hooks are silent while paused")
        elif starts_none(env) and not served:
            said = ("note", f"hooks are silent: nothing serves, {RESIDENT} is off")
        else:
            said = _trial(engine, start, env, is_served=bool(served))
        yield Checkup("trial prompt", *said)


def _contents(engine: Engine) -> Iterator[Checkup]:
    """What the knowledge bases hold."""
    for root in perform(engine, status.OPERATION, {}, Caller()).roots:
        counts = root.counts
        entities = count(counts.entities, "entity", "entities")
        listed = f"{count(counts.claims, 'claim')}, {entities}, {count(counts.pages, 'page')}"
        problems = sum(problem.severity != "hint" for problem in root.problems)
        if problems:
            files = f", {count(root.unusable, 'file')} can't be used" if root.unusable else ""
            listed += f"; {count(problems, 'problem')}{files}: `{PROGRAM} check` lists them"
        about = f"contents of {one_line(root.collection)}"
        yield Checkup(about, "wrong" if problems else "ok", listed)


def _process(served: Mapping[str, object], env: Env) -> tuple[State, str]:
    """What the process that answers hooks says of itself, or why there is none."""
    ends = f"ends after {IDLE_SECONDS / 3600:.0f} idle hours ({RESIDENT}=false: none)"
    if not has_sockets():
        return "note", "hooks say nothing on this system"
    if served:
        kept = f"; a hook left it, it {ends}" if served.get("resident") is True else ""
        return "ok", f"version {served.get('version')}, process {served.get('process')}{kept}"
    if (connected := connect(env)) is not None:
        connected.close()
        return "wrong", f"none answers at {socket_path(env)}"
    if starts_none(env):
        return "note", f"none, and hooks start none, as {RESIDENT} says"
    return "note", f"none: the next hook starts one, which {ends}"


def _integrations(start: Path, env: Env) -> Iterator[Checkup]:
    """What `install` wrote, and vouch's own hooks beside it."""
    writing = ((name, host) for name, host in HOSTS.items() if host.files is not None)
    for (name, host), user in product(writing, (False, True)):
        about = f"{name}{' --user' if user else ''}"
        try:
            base, found = integration(host, None if user else project_of(start, env), env)
        except InstallError as error:
            yield Checkup(about, "note", one_line(str(error)))
            continue
        if not any(file.names_us for file in found):
            continue
        is_absolute = user and command_for(host, env) != PROGRAM
        theirs = [file for file in found if file.state == "foreign" and file.names_us]
        old = [f.file.path for f in found if f.state != "current" and f not in theirs]
        if old:
            again = f"`{PROGRAM} install {about}` writes or prints it"
            yield Checkup(about, "note", f"not as this version has it: {', '.join(old)}; {again}")
        elif not (is_absolute or finds(host, env)):
            message = f"{PROGRAM} is not on the PATH that {host.title} starts with"
            yield Checkup(about, "wrong", message)
        else:
            yield Checkup(about, "ok", f"installed in {printable(str(base))}")
        for hook in vouch_hooks(host, base):
            message = f"vouch's own prompt hook gives each prompt a second block: {hook}"
            yield Checkup(about, "wrong", message)


def _trial(engine: Engine, start: Path, env: Env, *, is_served: bool) -> tuple[State, str]:
    """Sends a prompt through the hook as an agent does, one that this engine has an answer to."""
    prompt = _answered_prompt(engine)
    if prompt is None:
        return "note", "none sent: no name alone brings in a claim unasked"
    answer = _hooked({"session_id": f"trial-{uuid4()}", "cwd": str(start), "prompt": prompt}, env)
    if not is_served:  # the trial itself had it started
        stop(socket_path(env), env)
    if not answer:
        return "wrong", f"the hook said nothing to “{one_line(prompt)}”"
    return "ok", f"{len(answer)} characters for “{one_line(prompt)}”"


def _answered_prompt(engine: Engine) -> str | None:
    """A prompt on an entity with many claims that this engine says something to unasked."""
    ranked = [
        (kb.view.search.claim_count(entity.id), entity.name)
        for kb in engine.serving(Caller())
        for entity in kb.view.knowledge.names.entities()
    ]
    unasked = Caller(is_unasked=True, is_model=True)
    for _, name in sorted(ranked, reverse=True)[:TRIED]:
        prompt = f"What is known about {name}?"
        if perform(engine, context.OPERATION, {"task": prompt}, unasked).text:
            return prompt
    return None


def _hooked(payload: Mapping[str, str], env: Env) -> str:
    """What the hook says to a prompt that has time enough."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", "vouch_sidecar.surfaces.entry", "hook", PROMPT],
            input=json.dumps(payload),
            capture_output=True,
            text=True,
            env={**env, LIMIT_VARIABLE: "10000"},
            cwd=os.sep,
            timeout=TRIAL_SECONDS,
            check=False,
        )
        return str(json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"])
    except (OSError, ValueError, KeyError, subprocess.SubprocessError):
        return ""
