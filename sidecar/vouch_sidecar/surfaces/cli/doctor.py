"""`vouch-sidecar doctor`: checks a setup, from the knowledge base to an agent's prompt."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from vouch_sidecar.api import KnowledgeBase, engine_on
from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.kb import recall_limit
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.kb.discovery import RESIDENT, find, why_refused
from vouch_sidecar.kb.records import Kind
from vouch_sidecar.kb.runtime_folder import is_supported
from vouch_sidecar.kb.sanitize import clip, count, printable
from vouch_sidecar.operations import context, status
from vouch_sidecar.operations.table import Words
from vouch_sidecar.surfaces.console.options import (
    PROGRAM,
    how_to_begin,
    program,
    root_option,
    start_at,
)
from vouch_sidecar.surfaces.console.printing import show
from vouch_sidecar.surfaces.hook.client import PROMPT, starts_none
from vouch_sidecar.surfaces.install.command import faults, integration, project_of
from vouch_sidecar.surfaces.install.hosts import HOSTS, Host

STATE_COLOURS = {"ok": "", "note": "yellow", "wrong": "red"}
"""By how something is. Only what is wrong keeps something from working."""
Finding = tuple[str, str, str]
"""What a check is about, how that is, and a sentence."""
TRIAL_MS = "10000"
TRIED = 20
"""Claims that are looked at for one whose words bring something in."""


@click.command("doctor")
@root_option
def doctor(root: str | None) -> None:
    """Look whether all is in place. Exit code 1 when something is wrong."""
    is_wrong = False
    for about, state, message in examined(start_at(root).absolute()):
        is_wrong |= state == "wrong"
        words = f"{state} {about}: {message}"
        show([Words(words, STATE_COLOURS[state], (about, state, message), whole=True)])
    sys.exit(is_wrong)


def examined(start: Path) -> Iterator[Finding]:
    """The findings of all checks."""
    found = find(start, os.environ)
    if found.places:
        for folder in found.refused:
            yield ("knowledge base", "wrong", why_refused(folder))
        engine = engine_on(found)
        with KnowledgeBase(engine, Viewer()) as kb:
            bases, prompt = kb.status().roots, _answered_prompt(engine, kb)
        for base in bases:
            yield ("knowledge base", *_base(base))
        yield ("prompt hook", *_hook(start, prompt))
    else:
        yield ("knowledge base", "wrong", how_to_begin(found, start))
    path = shutil.which(PROGRAM)
    yield ("PATH", "ok" if path else "note", path or f"{PROGRAM} is not on it: {program()}")
    agents: list[Finding] = []
    for name, host in HOSTS.items():
        agents += _integration(host, name, project_of(start))
        agents += _integration(host, f"{name} --user", None)
    none = f"none is set up; `{program()} install HOST` does it, for {', '.join(HOSTS)}"
    yield from agents or [("agents", "note", none)]


def _base(base: status.RootStatus) -> tuple[str, str]:
    """Where a knowledge base is, how much it holds, and whether it is paused."""
    problems = status.problems_in(base)
    said = [f"{printable(base.root)}: {count(base.counts.claims, 'claim')}"]
    said += [f"{count(problems, 'problem')}: `{program()} check` lists them"] if problems else []
    resume = f"{program()} resume --root {shlex.quote(printable(base.root))}"
    said += [f"paused: `{resume}` ends it"] if base.paused_until else []
    state = "wrong" if problems else "note" if base.paused_until else "ok"
    return (state, "; ".join(said))


def _hook(start: Path, prompt: str | None) -> tuple[str, str]:
    """What a hook that has time enough, started as an agent does it, says to a prompt of no
    session; it starts a process where none answers hooks.
    """
    if not is_supported():
        return ("note", "hooks say nothing on this system")
    if prompt is None:
        return ("note", "not tried: hooks have nothing to give")
    to = f"to “{clip(prompt, 80)}”"
    payload = json.dumps({"cwd": str(start), "prompt": prompt})
    command = [sys.executable, "-m", "vouch_sidecar.surfaces.entry", "hook", PROMPT]
    env = {**os.environ, recall_limit.VARIABLE: TRIAL_MS}
    try:
        said = subprocess.check_output(command, input=payload, text=True, env=env, cwd=os.sep)
        answer = json.loads(said)["hookSpecificOutput"]["additionalContext"]
        return ("ok", f"{len(answer)} characters {to}")
    except (OSError, ValueError, subprocess.SubprocessError):  # it prints nothing
        if starts_none(os.environ):
            return ("note", f"nothing {to}: hooks start no process, as {RESIDENT} says")
        return ("wrong", f"nothing {to}; `{program()} stop` ends one that began before an upgrade")


def _answered_prompt(engine: Engine, kb: KnowledgeBase) -> str | None:
    """A prompt that something is said to unasked: the words of a claim; none in a pause."""
    unasked = Caller(is_unasked=True, is_model=True)
    for view in (served.view for served in engine.registry.unpaused(Caller())):
        for claim in view.best_statements(view.search.every(Kind.CLAIM), TRIED):
            if kb.ask(context.OPERATION, {"task": claim.text}, unasked).text:
                return claim.text
    return None


def _integration(host: Host, about: str, project: Path | None) -> Iterator[Finding]:
    """What `install` wrote for a host, in a project or for the user, and what is wrong with it."""
    try:
        base, found = integration(host, project)
    except click.ClickException as error:
        yield (about, "note", error.message)
        return
    if not any(file.names_us for file in found):
        return
    if old := [f.name for f in found if not f.is_current and (f.is_ours or not f.names_us)]:
        again = f"`{program()} install {about}` writes or prints it"
        yield (about, "note", f"missing there, or of another version: {', '.join(old)}; {again}")
    else:
        yield (about, "ok", f"installed in {printable(str(base))}")
    for fault in faults(host, base, project):
        yield (about, "wrong", fault)
