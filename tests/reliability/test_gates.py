"""What a viewer may not see leaves no trace on any surface, in no log and in no file of ours: every
answer is that of a knowledge base in whose place other words are withheld.
"""

from __future__ import annotations

import json
import logging
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from io import StringIO
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

import anyio
import pytest
from tantivy import Index
from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.index.layers import Layer
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.operations import OPERATIONS
from vouch_sidecar.surfaces.cli.operation_commands import (
    OperationCommand,
    command_called,
    command_names,
)
from vouch_sidecar.surfaces.hook.event_answers import respond

from tests.engine.bases import finished
from tests.engine.processes import place, until
from tests.protocol.client import environment, indexed_client
from tests.reliability.surfaces import (
    PARAMS,
    UNMATCHED,
    Answers,
    Asked,
    by_hooks,
    by_operations,
    in_editor,
    said,
)
from tests.reliability.withheld import (
    BESIDE,
    INSIDERS,
    OUTSIDER,
    RETIRED,
    Base,
    Case,
    Variant,
    every_variant,
    pairwise,
    wholes,
)
from tests.soak import LONG, soak
from tests.surfaces.conversation import sidecar_on
from tests.workspace.places import cite, repository, settled

pytestmark = soak
MANY = 60
"""Variants in one knowledge base."""
EACH = 1 if LONG else 2
"""An editor, and the twin, are asked about each variant, or each second one."""
SHOWN = ("sentence", "heading", "title", "question", "page", "page-title")
"""Places whose words are shown; those of the others are neither shown nor searched so far."""
FILE = re.compile(r"[\w/-]+\.(?:yaml|md)\b")
VAULT = Asked(
    "vault",
    "signing",
    ("Does the Key Vault rotate the signing keys?", "Which door of the Key Vault is relevant?"),
    "deploy/vault.py",
    ("rotation", "door", "c0", "c70"),
)


class Told(NamedTuple):
    """A base, what its surfaces say to an outsider, and what they log at most and keep on disk."""

    base: Base
    engine: Engine
    answers: Answers
    log: str
    kept: str = ""


Get = Callable[[str], Told]


def told(folder: Path, variants: Sequence[Variant], name: str) -> Told:
    """Everything that an engine says."""
    made = Base(folder / name, variants, name)
    everything = [*map(asked, made.cases), VAULT]
    with verbose() as log:
        engine = settled(made.root, folder / name)
        if name == "bare":
            shown = visible_answers(engine, made, map(asked, shown_alone(made)))
            return Told(made, engine, shown, log.getvalue())
        if name == "all":  # what an insider is told may not be kept for an outsider
            for viewer in INSIDERS.values():
                answers_to(engine, made, viewer, everything[::7])
        answers = answers_to(engine, made, OUTSIDER, everything[:: EACH if made.is_twin else 1])
    return Told(made, engine, answers, log.getvalue())


@contextmanager
def verbose() -> Iterator[StringIO]:
    """All that is logged meanwhile."""
    log, ours = StringIO(), logging.getLogger("vouch_sidecar")
    handler = logging.StreamHandler(log)
    ours.addHandler(handler)
    ours.setLevel(logging.DEBUG)
    ours.propagate = False
    try:
        yield log
    finally:
        ours.removeHandler(handler)
        ours.setLevel(logging.NOTSET)
        ours.propagate = True


def told_by_processes(told: Told) -> Told:
    """What a language server says, and the shell and hooks that ask it."""
    base, engine, *_ = told
    everything = [VAULT, *map(asked, base.cases)]
    viewer = {"project": OUTSIDER.project, "agent": OUTSIDER.agent}
    with place() as (folder, own):
        env = {**own, "VOUCH_SIDECAR_LOG": "debug", "VOUCH_SIDECAR_RECALL_TIMEOUT_MS": "10000"}
        env |= {"VOUCH_PROJECT": f"{OUTSIDER.project}", "VOUCH_AGENT": f"{OUTSIDER.agent}"}
        with indexed_client(base.root, env=env, initializationOptions={"viewer": viewer}) as client:
            ready = {"paths": [base.cases[0].path]}
            client.until("vouch/files", ready, lambda a: "workspace_pending" not in a["degraded"])
            answers = in_editor(
                client, base.root, everything[:: 3 * EACH if base.is_twin else EACH]
            )
            log = ""
            if not base.is_twin:
                shown, log = by_commands(base, everything[1], env)
                answers |= shown
            pushed = json.dumps([m for m in client.received if "method" in m])
            until(lambda: finished(folder), "no base was finished")
            client.shut_down()
            log += client.errors.decode() + pushed
            return Told(base, engine, answers, log, texts_kept(folder))


SHELL = """
import json, os, sys, traceback
from vouch_sidecar.surfaces import entry
from vouch_sidecar.surfaces.cli import check, doctor
from vouch_sidecar.surfaces.cli import operation_commands
for number, (arguments, said) in enumerate(json.loads(sys.argv[1])):
    if child := os.fork():
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        continue
    try:
        with open(f"{number}.in", "w") as standard_input:
            standard_input.write(said)
        for stream, name in enumerate(("in", "out", "err")):
            os.dup2(os.open(f"{number}.{name}", os.O_RDWR | os.O_CREAT), stream)
        os.chdir(sys.argv[2])
        sys.argv[1:] = arguments
        entry.main()
    except SystemExit as end:
        sys.stdout.flush()
        os._exit(end.code or 0)
    except BaseException:
        traceback.print_exc()
        os._exit(99)
"""
"""Runs commands, each in a process of its own that has imported before what they import."""


def by_commands(base: Base, asked: Asked, env: Mapping[str, str]) -> tuple[Answers, str]:
    """What the commands say, by label, and their standard errors."""
    every, folder = [*commands(base, asked)], base.root.parent
    arguments = json.dumps([one[1:] for one in every]), f"{base.root}"
    done = subprocess.run(
        [sys.executable, "-c", SHELL, *arguments],
        stdout=subprocess.PIPE,
        cwd=folder,
        env=environment(env),
        text=True,
        check=True,
    )
    shown, log = {}, ""
    for number, ((label, *_), code) in enumerate(zip(every, done.stdout.split(), strict=True)):
        said, errors = ((folder / f"{number}.{n}").read_text("utf-8") for n in ("out", "err"))
        assert code in ("0", "1"), (label, errors)
        # `check` names a file that can't be used, whoever may see what it holds.
        shown[label] = FILE.sub("", said) if "check" in label else said
        log += errors
    return shown, log


def commands(base: Base, asked: Asked) -> Iterator[tuple[str, list[str], str]]:
    """Every command that asks, and every hook: a label, the arguments and the standard input."""
    for command in map(command_called, command_names()):
        assert isinstance(command, OperationCommand)
        assert isinstance(command, OperationCommand)
        (params, *_) = PARAMS[command.operation.name](asked)
        words = [*(v for v in params.values() if isinstance(v, str)), *params.get("paths", ())]
        yield f"shell {command.name}", [f"{command.name}", *words], ""
    yield "shell check", ["check"], ""
    yield "shell doctor", ["doctor"], ""
    for event in ("session-start", "user-prompt-submit", "post-tool-use", "stop", "session-end"):
        payload = {
            "session_id": "agent",
            "cwd": str(base.root),
            "prompt": asked.questions[1],
            "last_assistant_message": asked.questions[1],
            "tool_name": "Read",
            "tool_input": {"file_path": asked.path},
        }
        yield f"hook {event}", ["hook", event], json.dumps(payload)


def asked(case: Case) -> Asked:
    return Asked(case.subject, case.bait, case.questions, case.path, case.open_ids)


def answers_to(engine: Engine, base: Base, viewer: Viewer, everything: list[Asked]) -> Answers:
    return {
        f"{one.entity}: {question}": answer
        for one in everything
        for question, answer in said(engine, base.root, viewer, one).items()
    }


WAYS = ("search", "context", "probe", "claim", "files", "entity")
"""Operations that show the sentence of a claim."""


def shown_alone(base: Base) -> list[Case]:
    """Cases that differ without their withheld claims."""
    differ = {(case.variant.place, case.variant.wording): case for case in base.cases}
    return [*differ.values()]


def visible_answers(engine: Engine, base: Base, everything: Iterable[Asked]) -> Answers:
    """What the operations that show sentences say, and the hook of a prompt."""
    found: Answers = {}
    for one in everything:
        said = by_operations(engine, base.root, OUTSIDER, one, WAYS)
        said |= anyio.run(by_hooks, engine, base.root, OUTSIDER, one, ("user-prompt-submit",))
        found |= {f"{one.entity}: {question}": answer for question, answer in said.items()}
    return found


VARIANTS = every_variant() if LONG else pairwise()


@pytest.fixture(scope="module", params=range(0, len(VARIANTS), MANY))
def chunk(request: pytest.FixtureRequest) -> list[Variant]:
    """Variants that share a base."""
    return VARIANTS[request.param : request.param + MANY]


@pytest.fixture(scope="module")
def bases(chunk: list[Variant], tmp_path_factory: pytest.TempPathFactory) -> Get:
    """What an engine says of the base `all`, `twin` or `bare`, asked once."""
    folder = tmp_path_factory.mktemp("gates")
    return cache(lambda name: told(folder, chunk, name))


@pytest.fixture(scope="module")
def processes(bases: Get) -> Get:
    """What processes say of the base `all` or `twin`, asked once."""
    return cache(lambda name: told_by_processes(bases(name)))


def holding(answers: Answers, word: str) -> list[str]:
    """The questions whose answers hold a word or its stem."""
    return [question for question, answer in answers.items() if word in answer.lower()]


def listed(found: Mapping[str, object] | Iterable[str]) -> str:
    """At most forty of what was found, each on its line."""
    rows = [f"{k}: {v}" for k, v in found.items()] if isinstance(found, Mapping) else [*found]
    return "\n".join(["", *rows[:40], f"{len(rows)} in all"])


def test_every_operation_is_asked() -> None:
    assert PARAMS.keys() == OPERATIONS.keys()


def leaks(told: Told) -> dict[str, list[str]]:
    """By what an outsider may not be told the first questions whose answers hold it."""
    withheld = {n: str(case.variant) for case in told.base.cases for n in sorted(case.nonces)}
    withheld |= {whole.nonce: str(whole) for whole in wholes() if not whole.is_told(OUTSIDER)}
    withheld |= {nonce: name for name, nonce in BESIDE.items()}
    said = {**told.answers, "log": told.log}
    every = "\n".join(said.values()).lower()
    found = {nonce: what for nonce, what in withheld.items() if nonce in every}
    return {f"{what} {nonce}": holding(said, nonce)[:3] for nonce, what in found.items()}


def test_no_answer_and_no_log_holds_what_is_withheld(bases: Get) -> None:
    found = leaks(bases("all"))
    assert not found, listed(found)


def test_no_process_says_it(processes: Get) -> None:
    found = leaks(processes("all"))
    assert not found, listed(found)


def test_every_request_of_an_editor_is_asked(processes: Get) -> None:
    told = processes("all")
    features = sidecar_on(told.engine).protocol.fm.features
    standard = re.compile(r"(?:textDocument|workspace|completionItem)/(?!did)")
    asked = {question.split()[2] for question in told.answers if ": lsp " in question}
    assert {feature for feature in features if standard.match(feature)} <= asked


def test_what_may_be_told_is_told(bases: Get) -> None:
    base, _, answers, *_ = bases("all")
    answers = {key: text for key, text in answers.items() if f": {UNMATCHED}" not in key}
    silent = []
    for case in base.cases:
        variant = case.variant
        for beyond, closed in zip(case.beyond, variant.closes_beyond, strict=True):
            if closed is False and not holding(answers, beyond):
                silent.append(f"{variant}: beyond the receipt")
            if closed and (found := holding(answers, beyond)):
                silent.append(f"{variant}: beyond the receipt, yet {found[:3]}")
        if variant.closes_words is False and variant.place in SHOWN:
            silent += [] if holding(answers, case.nonce) else [f"{variant}: the words"]
    assert not silent, listed(silent)


def test_without_the_withheld_claim_every_sentence_is_told(bases: Get) -> None:
    base, _, answers, *_ = bases("bare")
    for case in shown_alone(base):
        for way in (*WAYS, "hook user-prompt-submit"):
            if way == "files" and case.variant.place == "question":
                continue  # a captured question that holds a path cites no file
            own = {key: text for key, text in answers.items() if f": {way}" in key}
            assert all(holding(own, text) for text in case.beyond), (case.variant, way)
        if case.variant.place in SHOWN:
            assert holding(answers, case.nonce), case.variant


def test_who_may_see_the_claim_sees_the_sentence(bases: Get) -> None:
    base, engine, *_ = bases("all")
    viewers = INSIDERS.values()
    for number, case in enumerate(base.cases):
        own = INSIDERS.get(case.variant.status)
        for viewer in viewers if own is not None or number % 6 == 0 else ():
            names = ("search", "context", "entity", "claim", "files")
            answers = by_operations(engine, base.root, viewer, asked(case), names)
            assert bool(holding(answers, case.own)) is (viewer == own), case.variant
            if viewer == own:
                assert all(holding(answers, text) for text in case.beyond), case.variant
            if case.variant.place in SHOWN and case.variant.closes_words:
                assert bool(holding(answers, case.nonce)) is (viewer == own), case.variant


def test_other_texts_withheld_are_answered_alike(bases: Get, processes: Get) -> None:
    answers = bases("all").answers | processes("all").answers
    others = bases("twin").answers | processes("twin").answers
    differ = {
        question: first_difference(answer, others[question])
        for question, answer in answers.items()
        if question in others and answer != others[question] and ": stats" not in question
    }
    assert not differ, listed(differ)


def first_difference(answer: str, other: str) -> tuple[str, str]:
    """What stands around it in both."""
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(answer, other, strict=False))
    start = max(0, len([*alike]) - 60)
    return answer[start : start + 120], other[start : start + 120]


def test_no_file_of_ours_holds_what_is_retired(processes: Get) -> None:
    """What is private stays behind its gate there."""
    base, *_, kept = processes("all")
    assert "drains the cellar" in kept
    private = [case.own for case in base.cases if case.variant.status in INSIDERS]
    assert not private or any(own in kept for own in private)
    retired = [case for case in base.cases if case.variant.status in RETIRED]
    found = [f"{case.variant} {n}" for case in retired for n in case.nonces if n in kept]
    found += [str(whole) for whole in wholes() if whole.is_gone and whole.nonce in kept]
    found += [BESIDE["draft"]] if BESIDE["draft"] in kept else []
    assert not found, listed(found)


def texts_kept(folder: Path) -> str:
    """The bytes of all files, with what an index holds compressed, as text in lower case."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    texts = [path.read_bytes().decode("utf-8", "replace") for path in files]
    for path in files:
        if path.name == "meta.json":
            layer = Layer(Index.open(str(path.parent)))
            for document in layer.documents():
                values = (value for several in document.to_dict().values() for value in several)
                texts += (str(v, "utf-8") if isinstance(v, bytes) else str(v) for v in values)
    return "\n".join(texts).lower()


@pytest.mark.parametrize("viewer", [Viewer(), OUTSIDER, *INSIDERS.values()], ids=str)
def test_every_status_and_scope_is_told_to_whom_it_may_be(bases: Get, viewer: Viewer) -> None:
    base, engine, *_ = bases("all")
    answers = answers_to(engine, base, viewer, [VAULT])
    for one in wholes():
        if not one.is_told(OUTSIDER):
            assert bool(holding(answers, one.nonce)) is one.is_told(viewer), one
    for name, nonce in BESIDE.items():
        assert bool(holding(answers, nonce)) is (viewer.agent == "ada" and name != "draft"), name


def test_a_session_is_told_of_what_is_visible_alone(tmp_path: Path) -> None:
    """However many claims are withheld."""
    told = []
    for name in ("all", "bare"):
        documents = {f"docs/{letter}.md": f"Part {letter}.\n" for letter in "abcdefghijklmno"}
        root = repository(tmp_path / name / "kb", documents)
        for number, path in enumerate(documents):
            if number < 2 or name == "all":
                scope = {"visibility": "private", "agent": "ada"} if number > 1 else None
                for claim in range(1 if number < 2 else 4):
                    cite(root, f"c{number}-{claim}", f"It is {claim}.", path, scope=scope)
        engine = settled(root, tmp_path / name)
        payload = {"session_id": "s", "cwd": str(root)}
        answer = anyio.run(respond, engine, "session-start", payload, Caller(env={}))
        told.append(json.dumps(answer))
    assert "holds 2 claims" in told[0]
    assert told[0] == told[1]
