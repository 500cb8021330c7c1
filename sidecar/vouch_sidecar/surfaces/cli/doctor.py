"""`vouch-sidecar doctor`: checks a setup, from the knowledge base to an agent's prompt."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Literal, NamedTuple
from uuid import uuid4

import click

from vouch_sidecar.api import engine_on
from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.kb.discovery import RESIDENT, Finder, why_refused
from vouch_sidecar.kb.pauses import paused_until
from vouch_sidecar.kb.sanitize import clip, count, one_line, printable
from vouch_sidecar.operations import context, status
from vouch_sidecar.operations.call import perform
from vouch_sidecar.operations.table import Words
from vouch_sidecar.retrieval.search import newest
from vouch_sidecar.surfaces.console.options import (
    how_to_begin,
    print_json,
    program,
    root_option,
    start_at,
)
from vouch_sidecar.surfaces.console.printing import show
from vouch_sidecar.surfaces.hook.client import LIMIT_VARIABLE, PROMPT, starts_none
from vouch_sidecar.surfaces.install.command import (
    command_for,
    finds,
    integration,
    project_of,
    vouch_hooks,
)
from vouch_sidecar.surfaces.install.hosts import HOSTS, PROGRAM
from vouch_sidecar.surfaces.local.user_socket import (
    connect,
    exchange,
    has_sockets,
    question,
    socket_path,
    stop,
)

State = Literal["ok", "note", "wrong"]
STATE_COLOURS = {"ok": "", "note": "yellow", "wrong": "red"}
ANSWER_SECONDS = 12.0
"""Time limit for a process that serves: its first answers may take ten seconds."""
TRIAL_SECONDS = 15.0
TRIED = 20
"""Claims that are looked at for one whose words bring something in."""
PROMPT_CHARS = 80
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
    sys.exit(0 if healthy else 1)


def examined(start: Path, env: Env) -> Iterator[Checkup]:
    """The findings of all checks."""
    finder, about, ours = Finder(env), "knowledge base", program(env)
    roots = [Path(root) for root in finder.from_start(start)]
    paused = [root for root in roots if paused_until(root, env) is not None]
    for folder in finder.refused:
        yield Checkup(about, "wrong", why_refused(folder))
    for root in roots:
        yield Checkup(about, "ok", printable(str(root)))
    for root in paused:
        resume = f"`{ours} resume --root {shlex.quote(str(root))}`"
        yield Checkup(about, "note", printable(f"nothing is said unasked; {resume} ends the pause"))
    if not roots:
        where = printable(str(start))
        yield Checkup(about, "wrong", f"none found from {where}; {how_to_begin(start)}")
    else:
        engine = engine_on(roots)
        engine.load(whole=True)
        yield from _contents(engine, ours)
        yield from _hooks(engine, start, env, is_paused=bool(paused))
    found = shutil.which(PROGRAM, path=env.get("PATH"))
    yield Checkup("PATH", "ok" if found else "note", found or f"{PROGRAM} is not on it: {ours}")
    yield from _integrations(start)


def _contents(engine: Engine, ours: str) -> Iterator[Checkup]:
    """What the knowledge bases hold."""
    for root in perform(engine, status.OPERATION, {}, Caller()).roots:
        counts = root.counts
        entities = count(counts.entities, "entity", "entities")
        listed = f"{count(counts.claims, 'claim')}, {entities}, {count(counts.pages, 'page')}"
        problems = sum(problem.severity != "hint" for problem in root.problems)
        if problems:
            files = f", {count(root.unusable, 'file')} can't be used" if root.unusable else ""
            listed += f"; {count(problems, 'problem')}{files}: `{ours} check` lists them"
        about = f"contents of {one_line(root.collection)}"
        yield Checkup(about, "wrong" if problems else "ok", listed)


def _hooks(engine: Engine, start: Path, env: Env, *, is_paused: bool) -> Iterator[Checkup]:
    """Whether a process answers hooks, and what it says to a prompt."""
    about, trial, connected = "running sidecar", "trial prompt", connect(env)
    is_off = connected is None and starts_none(env)
    if not has_sockets():
        yield Checkup(about, "note", "hooks say nothing on this system")
        return
    if connected is not None:
        asked = question(engine.collections, status.OPERATION.kb_method, {}, env)
        if exchange(connected, asked, ANSWER_SECONDS) is None:
            where = f"{socket_path(env)}: end it, or the editor that has it"
            yield Checkup(about, "wrong", f"it does not answer at {where}")
            return
        yield Checkup(about, "ok", f"it serves at {socket_path(env)}")
    elif is_off:
        yield Checkup(about, "note", f"none, and hooks start none, as {RESIDENT} says")
    else:
        yield Checkup(about, "note", f"none: the next hook starts one ({RESIDENT}=false: none)")
    if is_paused or is_off:
        yield Checkup(trial, "note", "none sent: hooks are silent")
    elif (prompt := _answered_prompt(engine)) is None:
        yield Checkup(trial, "note", "none sent: there is no claim that one brings in")
    else:
        # Of no session, which editors would show as an agent's; unlike any other trial.
        payload = {"source": f"doctor {uuid4()}", "cwd": str(start), "prompt": prompt}
        answer = _hooked(payload, env)
        if connected is None:  # the trial itself had it started
            stop(socket_path(env), env)
        said = f"{len(answer)} characters" if answer else "the hook said nothing"
        yield Checkup(
            trial,
            "ok" if answer else "wrong",
            f"{said} to “{clip(one_line(prompt), PROMPT_CHARS)}”",
        )


def _answered_prompt(engine: Engine) -> str | None:
    """A prompt that this engine says something to unasked: the words of a claim."""
    unasked = Caller(is_unasked=True, is_model=True)
    for claim in newest([kb.view for kb in engine.registry.serving(Caller())], TRIED):
        if perform(engine, context.OPERATION, {"task": claim.text}, unasked).text:
            return claim.text
    return None


def _hooked(payload: Mapping[str, str], env: Env) -> str:
    """What the hook says to a prompt that has time enough, started as an agent does it."""
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
    except (OSError, ValueError, subprocess.SubprocessError):
        return ""


def _integrations(start: Path) -> Iterator[Checkup]:
    """What `install` wrote, and vouch's own hooks beside it."""
    writing = ((name, host) for name, host in HOSTS.items() if host.files is not None)
    for (name, host), user in product(writing, (False, True)):
        about = f"{name}{' --user' if user else ''}"
        try:
            base, found = integration(host, None if user else project_of(start))
        except click.ClickException as error:
            yield Checkup(about, "note", one_line(error.message))
            continue
        if not any(file.names_us for file in found):
            continue
        is_found = finds(host) or (user and command_for(host) != PROGRAM)
        old = [f.file.path for f in found if f.state == "older" or not f.names_us]
        if old:
            again = f"`{program(os.environ)} install {about}` writes or prints it"
            yield Checkup(about, "note", f"not as this version has it: {', '.join(old)}; {again}")
        elif is_found:
            yield Checkup(about, "ok", f"installed in {printable(str(base))}")
        else:
            where = f"the PATH that {host.title} starts with"
            yield Checkup(about, "wrong", f"{PROGRAM} is not on {where}")
        twice = "vouch's own prompt hook gives each prompt a second block"
        yield from (Checkup(about, "wrong", f"{twice}: {hook}") for hook in vouch_hooks(host, base))
