"""The checks of `vouch-sidecar doctor`, from the knowledge base to an agent's prompt."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Literal, NamedTuple
from uuid import uuid4

from vouch_sidecar import __version__
from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.engine.check_runs import check_all
from vouch_sidecar.engine.checks import CheckContext
from vouch_sidecar.index.base_cache import Bases, user_folder
from vouch_sidecar.index.document_schema import CONTENT
from vouch_sidecar.kb.discovery import HOW_TO_BEGIN, RESIDENT, Finder, why_refused
from vouch_sidecar.kb.pauses import Pause
from vouch_sidecar.kb.records import Kind
from vouch_sidecar.kb.runtime_folder import is_supported
from vouch_sidecar.kb.sanitize import count, one_line, printable
from vouch_sidecar.kb.settings import config_mapping
from vouch_sidecar.operations import perform, status
from vouch_sidecar.surfaces.hook.resident_start import is_unwanted
from vouch_sidecar.surfaces.install import vouch_hooks
from vouch_sidecar.surfaces.install.command import command_for, found_by, place_of
from vouch_sidecar.surfaces.install.host_files import FileState, InstallError, examine
from vouch_sidecar.surfaces.install.hosts import HOSTS, host_called
from vouch_sidecar.surfaces.install.hosts.host import COMMAND, Host, Location
from vouch_sidecar.surfaces.local import stopping
from vouch_sidecar.surfaces.local.address import socket_path
from vouch_sidecar.surfaces.local.client import PROCESS, SOON_SECONDS, ask
from vouch_sidecar.surfaces.resident.process import RESIDENT_IDLE_SECONDS
from vouch_sidecar.text.text_forms import Form

RemarkState = Literal["ok", "note", "wrong"]
TRIAL_SECONDS = 15.0
WHEN_RESIDENTS_END = (
    f"ends after {RESIDENT_IDLE_SECONDS / 3600:.0f} idle hours ({RESIDENT}=false: none)"
)
MADE_BY = {"capture.enabled": True, "review.auto_approve_on_receipt": False}
"""Settings with which vouch itself cuts answers and documents at full stops and line ends and makes
claims of the pieces, with their defaults.
"""
TRIALS = 3
"""Entities to name in trial prompts, one after another, until a hook answers."""


class Remark(NamedTuple):
    """A finding. Only those in state `wrong` prevent something from working."""

    about: str
    state: RemarkState
    message: str


class Examined:
    """What the checks examine. The knowledge bases are read when a check first uses `engine`."""

    def __init__(self, start: Path, env: Mapping[str, str], for_person: bool) -> None:
        self.start = start
        self.for_person = for_person
        """Whether a person at a terminal reads the findings."""
        self.env = env
        finder = Finder(env)
        self.roots = [Path(root) for root in finder.from_start(start)]
        self.refused = finder.refused

    @cached_property
    def engine(self) -> Engine:
        engine = Engine(env=self.env)
        for root in self.roots:
            engine.registry.add_root(root)
        engine.load(whole=True)
        return engine


def examined(start: Path, env: Mapping[str, str], for_person: bool = False) -> Iterator[Remark]:
    """The findings of all checks, in the order of `EXAMINATIONS`. Only a person is told that
    something is withheld.
    """
    at = Examined(start, env, for_person)
    for check in EXAMINATIONS:
        yield from check(at)


def _knowledge_bases(at: Examined) -> Iterator[Remark]:
    about, start = "knowledge base", printable(str(at.start))
    for folder in at.refused:
        yield Remark(about, "wrong", why_refused(folder))
    if not at.roots:
        yield Remark(about, "wrong", f"none found from {start}; {HOW_TO_BEGIN}")
    for root in at.roots:
        above = at.start.resolve().is_relative_to(root)
        how = f"{'at or above' if above else 'below'} {start}"
        if at.env.get("VOUCH_KB_PATH"):
            how = "named by VOUCH_KB_PATH"
        yield Remark(about, "ok", f"{printable(str(root))}, {how}")
        if Pause.of(root, at.env).until() is not None:
            message = f"paused: nothing is said unasked; `{COMMAND} resume` ends it"
            yield Remark(about, "note", message)


def _contents(at: Examined) -> Iterator[Remark]:
    roots = perform(at.engine, status.OPERATION, {}, Caller()).roots
    for root, served in zip(roots, at.engine.serving(Caller()), strict=True):
        about, counts = f"contents of {one_line(root.collection)}", root.counts
        entities = count(counts.entities, "entity", "entities")
        listed = f"{count(counts.claims, 'claim')}, {entities}, {count(counts.pages, 'page')}"
        collection = served.collection
        around = CheckContext(collection, collection.knowledge, now=served.view.now)
        across = check_all(around, served.view.visible.sees)
        of_files = [problem.severity for problem in root.problems]
        others = [problem.severity for several in across.values() for problem in several]
        problems = [severity for severity in (*of_files, *others) if severity != "hint"]
        state: RemarkState = "ok"
        if problems:
            files = f", {count(root.unusable, 'file')} can't be used" if root.unusable else ""
            listed += f"; {count(len(problems), 'problem')}{files}: `{COMMAND} check` lists them"
            state = "wrong" if of_files else "note"
        yield Remark(about, state, listed)
        if (parts := _fragments(at.engine, root.root, counts.claims)) is not None:
            yield Remark(about, "note", parts)
        if at.for_person and (closed := _closed_sources(at.engine, root.root)):
            number = count(closed, "source is", "sources are")
            yield Remark(
                about,
                "note",
                f"{number} closed to you, and give no whole sentences: claims that you may not "
                "see cite them without exact bytes; evidence with bytes and quote opens the rest",
            )
        if not counts.entities:
            yield Remark(about, "note", "no entities: nothing is in play, and nobody is an expert")


def _closed_sources(engine: Engine, root: str) -> int:
    """How many sources are closed to whoever asks, because of claims that are withheld."""
    (view,) = (kb.view for kb in engine.serving(Caller()) if str(kb.view.root) == root)
    return sum(
        (span.start, span.end) == CONTENT and (span.gates is None or not span.gates <= view.gates)
        for source in view.knowledge.all_of(Kind.SOURCE)
        if view.visible.sees(source)
        for span in view.knowledge.closed(source.id)
    )


def _fragments(engine: Engine, root: str, claims: int) -> str | None:
    """A remark on those of `claims` that are fragments of what they quote, and on the settings of
    vouch that make them; None without such claims.
    """
    (collection,) = (
        collection for path, collection in engine.collections.items() if str(path) == root
    )
    quoted = [quote for quote in collection.knowledge.all_quoted() if quote is not None]
    sentences = (quote.sentence for quote in quoted)
    parts = sum(
        sentence is not None and sentence.holds_text and not sentence.is_whole
        for sentence in sentences
    )
    others = sum(quote.form is not Form.STATEMENT for quote in quoted)
    if not parts and not others:
        return None
    config = config_mapping(collection.config, [])
    made_by = [name for name, by_default in MADE_BY.items() if _is_on(config, name, by_default)]
    settings = ", ".join(f"{name}: true" for name in made_by) or "none is on any more"
    return (
        f"of {count(claims, 'claim')} {parts} are parts of sentences, and {others} headings, "
        "lead-ins, links, code or talk: they are said in whole sentences, or not by themselves; "
        f"vouch's own settings that make them: {settings}; so does `vouch-kb ingest`"
    )


def _is_on(config: Mapping[str, object], name: str, by_default: bool) -> bool:
    group, _, key = name.partition(".")
    settings = config.get(group)
    value = settings.get(key, by_default) if isinstance(settings, dict) else by_default
    return value is True


def _processes_and_caches(at: Examined) -> Iterator[Remark]:
    for root in at.roots:
        yield _resident(root, at.env)
        yield _cache(root, at.env)


def _resident(root: Path, env: Mapping[str, str]) -> Remark:
    """Checks the process that answers hooks and MCP calls of others."""
    if not is_supported():
        return Remark("running sidecar", "note", "hooks say nothing on this system")
    path = socket_path(root, env)
    about = (ask([root], PROCESS, {}, timeout=SOON_SECONDS, env=env) or {}).get("result")
    if isinstance(about, dict):
        theirs, resident = about.get("version"), about.get("resident") is True
        if theirs == __version__:
            what = f"version {theirs}, process {about.get('process')}, at {path}"
            kept = f"; a hook left it, it {WHEN_RESIDENTS_END}" if resident else ""
            return Remark("running sidecar", "ok", f"{what}{kept}")
        end = f"`{COMMAND} stop` ends it" if resident else "restart the editor that runs it"
        message = f"version {theirs}, this is {__version__}: {end}"
        return Remark("running sidecar", "note", message)
    if Path(path).exists():
        return Remark("running sidecar", "wrong", f"none answers at {path}")
    if is_unwanted(env):
        message = f"none, and hooks start none, as {RESIDENT} says: they are silent"
    else:
        message = (
            f"none: the next hook starts one, which {WHEN_RESIDENTS_END}; its socket is {path}"
        )
    return Remark("running sidecar", "note", message)


def _cache(root: Path, env: Mapping[str, str]) -> Remark:
    caches = user_folder(env)
    if caches is None:
        return Remark("cache", "wrong", "the environment names no home folder")
    folder = Bases(caches, root).folder
    files = [path.stat() for path in folder.rglob("*") if path.is_file()]
    if not files:
        return Remark("cache", "wrong", f"nothing could be written to {folder}")
    size = sum(file.st_size for file in files) / 1_000_000
    age = (time.time() - max(file.st_mtime for file in files)) / 3600
    return Remark("cache", "ok", f"{folder}, {size:.1f} MB, {age:.1f} hours old")


def _program(at: Examined) -> Iterator[Remark]:
    program = shutil.which(COMMAND, path=at.env.get("PATH"))
    if program is None:
        here = Path(sys.executable).with_name(COMMAND)
        yield Remark("PATH", "note", f"{COMMAND} is not on it; this one is {here}")
    else:
        yield Remark("PATH", "ok", program)
    if find_spec("mcp") is None:
        message = "missing: pip install 'vouch-sidecar[mcp]', for the MCP server"
        yield Remark("extra mcp", "note", message)
    else:
        yield Remark("extra mcp", "ok", f"version {version('mcp')} of the SDK")
    try:
        yield Remark("vouch", "ok", f"vouch-kb {version('vouch-kb')} in the same environment")
    except PackageNotFoundError:
        yield Remark("vouch", "ok", "not in this environment; nothing here needs it")


def _integrations(at: Examined) -> Iterator[Remark]:
    """Checks installed integrations, and vouch's own hooks beside them."""
    for name, user in product(HOSTS, (False, True)):
        host = host_called(name)
        if host.snippet is not None:
            continue
        above = (root for root in at.roots if at.start.resolve().is_relative_to(root))
        project = next(above, at.start)  # as `install` chooses it
        place = place_of(host, None if user else project, at.env, user=user)
        about = f"{name}{' --user' if user else ''}"
        state = _integration(host, place, about, at.env, user=user)
        if state is None:
            continue
        yield Remark(about, *state)
        for hook in vouch_hooks.hooks(place.base, place.vouch):
            message = "vouch's own prompt hook gives each prompt a second block; take it out: "
            yield Remark(about, "wrong", message + hook)


def _integration(
    host: Host, place: Location, about: str, env: Mapping[str, str], *, user: bool
) -> tuple[RemarkState, str] | None:
    """The state of an integration, with a message; None if it is not installed."""
    try:
        files = examine(place.files, place.base, user=user)
    except InstallError as error:
        return "note", one_line(str(error))
    if not any(file.naming_us for file in files):
        return None
    if lacking := [
        file for file in files if file.state not in {FileState.CURRENT, FileState.PASTED}
    ]:
        names = ", ".join(file.shown for file in lacking)
        again = f"`{COMMAND} install {about}` writes or prints it"
        return "note", f"not all of today's integration is in {names}: {again}"
    if not found_by(host, env) and command_for(host, env, user=user) == COMMAND:
        return "wrong", f"{COMMAND} is not on the PATH that {host.title} starts with"
    return "ok", f"installed in {printable(str(place.base))}"


def _trial(at: Examined) -> Iterator[Remark]:
    """Sends prompts through the hook as an agent does, until one is answered."""
    if not at.roots or not is_supported():
        return
    entities = [
        (kb.view.counts.claims_of(entity.id), entity.name)
        for kb in at.engine.serving(Caller())
        for entity in kb.view.knowledge.names.entities()
    ]
    best = [name for claims, name in sorted(entities, reverse=True)[:TRIALS] if claims]
    if not best:
        yield Remark("trial prompt", "note", "there is no entity to name in one")
        return
    if any(Pause.of(root, at.env).until() is not None for root in at.roots):
        yield Remark("trial prompt", "note", "none sent: hooks are silent while paused")
        return
    is_served = ask(at.roots, PROCESS, {}, timeout=SOON_SECONDS, env=at.env) is not None
    if is_unwanted(at.env) and not is_served:
        yield Remark("trial prompt", "note", f"hooks are silent: nothing serves, {RESIDENT} is off")
        return
    yield _answered(at, best)
    for root in [] if is_served else at.roots:  # the trial itself had it started
        stopping.stop(socket_path(root, at.env), at.env)


def _answered(at: Examined, best: Sequence[str]) -> Remark:
    """What came of prompts that ask for some entities, one after another."""
    took = 0.0
    for trial in range(2 * len(best)):
        if trial == len(best):  # on a cold base, the first hooks only start a process
            ask(at.roots, "kb.status", {}, timeout=TRIAL_SECONDS, env=at.env)
        name = best[trial % len(best)]
        session = {"session_id": f"trial-{uuid4()}", "cwd": str(at.start)}
        prompt = {**session, "prompt": f"What is known about {name}?"}
        began = time.monotonic()
        answer = _hooked("user-prompt-submit", prompt, at.env)
        took = (time.monotonic() - began) * 1000
        _hooked("session-end", session, at.env)
        if answer:
            return Remark("trial prompt", "ok", f"{len(answer)} characters in {took:.0f} ms")
    limit = min(
        collection.settings.recall.timeout_ms for collection in at.engine.collections.values()
    )
    may = f"it may take {limit} (sidecar.recall.timeout_ms)"
    return Remark("trial prompt", "wrong", f"the hook said nothing in {took:.0f} ms; {may}")


def _hooked(event: str, payload: Mapping[str, str], env: Mapping[str, str]) -> str:
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


EXAMINATIONS: Sequence[Callable[[Examined], Iterator[Remark]]] = (
    _knowledge_bases,
    _contents,
    _processes_and_caches,
    _program,
    _integrations,
    _trial,
)
"""All checks, each after those that it depends on. To add a check, add a function here."""
