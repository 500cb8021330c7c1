"""What a viewer may not see leaves no trace on any surface, in no log and in no file of ours.

Every kind of artifact, with every status and scope, has a nonce in each of its own fields. No
answer holds the nonce of one that is withheld, and all answers are those of a knowledge base in
which the withheld ones never were. A surface that is asked nothing here fails.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from io import StringIO
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple, get_args

import anyio
import pytest
from click.testing import CliRunner
from tantivy import Index
from vouch_sidecar.engine import Caller, DiskFollower, Engine, Pushes
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.index.layers import Layer
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.kb.records import PageStatus, Status, Visibility
from vouch_sidecar.operations import OPERATIONS, InvalidParamsError, as_json, perform
from vouch_sidecar.surfaces.agent_requests import EVENTS, respond
from vouch_sidecar.surfaces.cli import main as shell
from vouch_sidecar.surfaces.lsp.features import register_all
from vouch_sidecar.surfaces.lsp.server import Sidecar

from tests.engine.bases import ask, base, finished, pushed
from tests.engine.processes import place, until
from tests.kb.samples import claim, dump, entity, page
from tests.mcp.client import Host, host
from tests.protocol.client import Client, environment, indexed_client
from tests.workspace.places import settled

Answers = dict[str, str]
ADA, COURIER, OUTSIDER = Viewer(None, "ada"), Viewer("courier"), Viewer("other", "bob")
VIEWERS = (Viewer(), OUTSIDER, ADA, COURIER)
OUTSIDE = Caller("editor", viewer=OUTSIDER)
LIVE = {"claims": {"working", "actionable", "stable", "contested"}, "sources": {""}}
LIVE["pages"] = {"draft", "active", "stale"}
STATUSES_OF: Mapping[str, Sequence[str]] = {
    "claims": (*sorted(get_args(Status)), "proposed"),
    "pages": sorted(get_args(PageStatus)),
    "sources": ("",),
}
"""By folder; `proposed` is no status of vouch's."""
SCOPES: tuple[Any, ...] = (
    *({"visibility": visibility} for visibility in ("public", "team", "project")),
    {"visibility": "project", "project": "courier"},
    {"visibility": "private", "agent": "ada"},
    *({"visibility": visibility} for visibility in ("private", "secret")),
    *("private", ["team"]),
)
TEXTS = ("Does the Key Vault rotate its signing keys?", "signing keys rotate bait", "Key Vault")
FILE = re.compile(r"[\w/-]+\.(?:yaml|md)\b")
LISTS = re.compile(r"stat|diagnostic|shell check|shell doctor|log")
PASSING = {"generation", "probe_time_ms", "from_cache", "indexed_at", "tokenId", "sessions"}
PASSING |= {"unmatched", "_meta"}
"""Fields that differ from run to run, or hold the asker's own words or what `salience` says."""


def nonce(number: int) -> str:
    """A made-up word that is its own stem."""
    consonants, vowels = "bdfgklmnprtv", "aeiou"
    rest, letter = divmod(number, len(consonants))
    second, first = divmod(rest, len(vowels))
    return f"zq{vowels[first]}{consonants[letter]}{vowels[second]}k"


@dataclass(frozen=True)
class Case:
    """An artifact with a status and a scope, in a folder."""

    number: int
    folder: str
    status: str
    scope: Any

    @property
    def nonce(self) -> str:
        return nonce(self.number)

    @property
    def is_faulty(self) -> bool:
        """Whether the file can't be used, which everybody is told."""
        scope = self.scope if isinstance(self.scope, dict) else {"visibility": self.scope}
        is_known = isinstance(self.scope, dict | str) and scope["visibility"] in get_args(
            Visibility
        )
        return self.status not in {*get_args(Status), *get_args(PageStatus), ""} or not is_known

    def is_told(self, viewer: Viewer) -> bool:
        """The rule, once more."""
        if self.status not in LIVE[self.folder] or not isinstance(self.scope, dict):
            return False
        visibility, project, agent = map(self.scope.get, ("visibility", "project", "agent"))
        if visibility == "private":
            return agent is not None and agent == viewer.agent
        is_open = visibility in ("public", "team") or (visibility == "project" and not project)
        return is_open or (visibility == "project" and project == viewer.project)

    @property
    def is_gone(self) -> bool:
        return not any(map(self.is_told, VIEWERS))

    def files(self, said: str) -> Iterator[tuple[str, bytes]]:
        """The artifact with a word in every field, and what hangs on it alone."""
        named = f"x{self.number}" if self.is_faulty or said != self.nonce else f"x-{said}"
        rest: dict[str, Any] = {"scope": self.scope}
        rest |= {"status": self.status} if self.status else {}
        text = f"The Key Vault must rotate its signing keys {said} daily."
        match self.folder:
            case "claims":
                rest |= {"entities": ["vault", f"x-e-{said}"], "evidence": [f"x-ev-{said}"]}
                rest["approved_by"] = said
                yield f"claims/{named}.yaml", claim(named, text=text, tags=[said], **rest)
                joined = {"source": "vault", "relation": "uses", "target": named}
                yield f"relations/r-{named}.yaml", dump({"id": f"r-{named}", **joined})
            case "pages":
                body, rest["tags"] = f"# Signing keys {said}\n\n{text}\n", [said]
                rest |= {"title": f"Signing keys {said}", "entities": ["vault", f"x-e-{said}"]}
                yield f"pages/{named}.md", page(body, id=named, claims=["rotation"], **rest)
            case _:
                meta = {"title": text, "locator": f"docs/{said}.md", "type": "message"} | rest
                meta["metadata"] = {"question": f"Which keys are {said}?", "kind": "qa"}
                yield from source(text, **meta)
                yield receipt(f"ev-{named}", text, said)


def source(content: str, **meta: Any) -> Iterator[tuple[str, bytes]]:
    name = sha256(content.encode()).hexdigest()
    yield f"sources/{name}/meta.yaml", dump({"id": name, **meta})
    yield f"sources/{name}/content", content.encode()


def receipt(name: str, content: str, quote: str) -> tuple[str, bytes]:
    """Evidence of a quote in a source."""
    start = content.encode().index(quote.encode())
    end = start + len(quote)
    fields = {"source_id": sha256(content.encode()).hexdigest(), "locator": f"b{start}-{end}"}
    fields |= {"quote": quote, "byte_start": start, "byte_end": end}  # type: ignore[dict-item]
    return f"evidence/{name}.yaml", dump({"id": name, **fields})


def every_case() -> list[Case]:
    every = ((f, s, o) for f, several in STATUSES_OF.items() for s in several for o in SCOPES)
    return [Case(number, *one) for number, one in enumerate(every)]


CASES = every_case()
QUOTED = nonce(len(CASES))
"""In a sentence of an open document, of which only a retired claim has a receipt."""
DRAFT = nonce(len(CASES) + 1)
DOCUMENT = f"""# Keys

The signing keys rotate daily.

Nobody keeps the {QUOTED} signing keys in the cellar.
"""


def knowledge(folder: Path, is_whole: bool) -> Path:
    """A knowledge base with everything that is withheld, or in which the outsider sees all."""
    files = dict(source(DOCUMENT, locator="docs/keys.md", title="Keys"))
    files |= [receipt("ev-open", DOCUMENT, "The signing keys rotate")]
    files["entities/jwt.yaml"] = entity("jwt", name="JWT", aliases=["web token"])
    fields = {"text": "The signing keys rotate", "entities": ["vault"], "evidence": ["ev-open"]}
    files["claims/rotation.yaml"] = claim("rotation", **fields)
    files["pages/keys.md"] = page("# Keys\n\nJWT.\n", id="keys", title="Keys", entities=["jwt"])
    files["config.yaml"] = dump({"kb": {"name": "kb"}})
    for one in CASES:
        if one.is_told(OUTSIDER):
            files |= one.files(f"shown{one.number}")
        elif is_whole or one.is_faulty:
            files |= one.files(one.nonce if is_whole else "other")
    if is_whole:
        quote = f"the {QUOTED} signing keys"
        files |= [receipt("ev-retired", DOCUMENT, quote)]
        retired = {"text": quote, "evidence": ["ev-retired"], "status": "superseded"}
        files["claims/retired.yaml"] = claim("retired", **retired)
        draft = {"id": "draft", "text": f"The Key Vault is {DRAFT}.", "evidence": ["x"]}
        files["proposed/draft.yaml"] = dump({"id": "draft", "kind": "claim", "payload": draft})
    root = base(folder / "kb", files)
    (root / "docs").mkdir()
    (root / "docs/keys.md").write_text(DOCUMENT, "utf-8")
    return root


# What is asked

PARAMS: Mapping[str, list[dict[str, Any]]] = {
    "experts": [
        {"topic": topic, "weight": weight, "explain": True, "limit": 100}
        for topic in (*TEXTS, "bait", "zqabak")
        for weight in ("count", "recency", "citation", "evidence")
    ],
    "search": [
        *({"query": text, "limit": 100} for text in TEXTS),
        {"query": TEXTS[1], "limit": 100, "kinds": ["page", "source", "relation"]},
    ],
    "probe": [{"text": text} for text in TEXTS],
    "context": [{"task": text, "max_chars": 5000} for text in TEXTS],
    "explain": [{"text": text} for text in TEXTS],
    "mentions": [{"text": " ".join(TEXTS)}],
    "files": [{"paths": ["docs/keys.md"]}],
    "salience": [{"session_id": "s", "top_k": 20}],
    "entity": [{"id": "vault"}, {"id": "jwt"}, {"id": "vaul"}],
    "claim": [{"id": "rotation"}, {"id": "x"}, {"id": "retired"}],
    "status": [{}],
    "stats": [{}],
    "capabilities": [{}],
    "session_end": [{"session_id": "s"}],
}
"""By operation the params that should bring up what there is."""
WAITING = {"lsp", "jsonl", "mcp", "hook", "watch"}
"""Commands that serve: what they serve is asked by itself."""
ACTING = {"demo", "install", "pause", "resume", "stop"}
"""Commands that read no knowledge base to anybody."""
HOOK: Mapping[str, Any] = {
    "cwd": "",
    "prompt": TEXTS[0],
    "last_assistant_message": TEXTS[0],
    "tool_name": "Read",
    "tool_input": {"file_path": "docs/keys.md", "content": TEXTS[0]},
}


def by_operations(engine: Engine, root: Path, viewer: Viewer) -> Answers:
    """What every operation answers, as an object and as the text that a model reads; and pushes."""
    caller, found = Caller("editor", viewer=viewer), Answers()
    engine.observe("s", None, TEXTS[1])
    for push in pushed(Pushes(engine, caller, lambda one: one.id == "s")):
        found["push"] = plain(push.update.rows, root)
    for name, operation in OPERATIONS.items():
        for params in PARAMS[name]:
            key = f"{name} {params}"
            try:
                result = perform(engine, operation, params, caller)
            except InvalidParamsError as error:
                found[key] = str(error)
            else:
                text = operation.readable(result)
                found[key] = plain([as_json(result), *([] if name == "experts" else [text])], root)
    return found


async def by_hooks(engine: Engine, root: Path, viewer: Viewer) -> Answers:
    found: Answers = {}
    who = {"project": viewer.project, "agent": viewer.agent}
    for event in EVENTS:
        own = {"session_id": f"{event} {viewer}", "cwd": str(root), "viewer": who}
        answer = await respond(engine, event, {**HOOK, **own}, Caller("socket", env={}))
        found[f"hook {event}"] = plain(answer, root)
    return found


def by_commands(root: Path, env: Mapping[str, str]) -> Answers:
    """What every command of the shell prints."""
    found: Answers = {}
    context = shell.make_context("vouch-sidecar", [], resilient_parsing=True)
    for command in {*shell.list_commands(context)} - WAITING - ACTING:
        given = PARAMS.get(command.replace("-", "_"), [{}])
        for number, params in enumerate(given):
            words = [*(v for v in params.values() if isinstance(v, str)), *params.get("paths", ())]
            ran = CliRunner().invoke(shell, [command, "--root", str(root), *words[:1]], env=env)
            assert ran.exit_code in (0, 1), (command, ran.output)
            found[f"shell {command} {number}"] = ran.output
    return found


def by_tools(mcp: Host) -> Answers:
    """What every tool of the MCP server says."""
    found: Answers = {}
    for tool in mcp.tools():
        name = tool.name.removeprefix("kb_")
        for params in PARAMS[name]:
            found[f"{tool.name} {params}"] = mcp.call(name, **params).model_dump_json()
    return found


ABOUT_PLACES = ("hover", "definition", "completion")
EDITOR = {*(f"textDocument/{name}" for name in ABOUT_PLACES), "workspace/symbol"}
"""The standard methods that `in_editor` asks."""


def in_editor(client: Client, root: Path) -> Answers:
    """What an editor is told."""
    found: Answers = {}
    own, new = root / ".vouch/claims/rotation.yaml", root / ".vouch/pages/new.md"
    texts = {
        "untitled:prose": f"About docs/keys.md here.\n{TEXTS[0]}\n",
        own.as_uri(): own.read_text("utf-8"),
        new.as_uri(): "---\nid: new\ntitle: New\nclaims:\n- \n---\nSee [[\n[claim: x\n",
    }
    for uri, content in texts.items():
        client.open(uri, content, "markdown")
        for line, column in places_in(content):
            at = {"textDocument": {"uri": uri}, "position": {"line": line, "character": column}}
            for method in ABOUT_PLACES:
                key = f"{method} {uri.rpartition('/')[2]}:{line}:{column}"
                found[key] = plain(client.request(f"textDocument/{method}", at), root)
        client.close(uri)
    client.open("vouch-prompt:///p/1", TEXTS[0], "vouch-prompt")
    rest: list[tuple[str, dict[str, Any]]] = [
        *(("workspace/symbol", {"query": query}) for query in ("vault", "key", "zq")),
        ("vouch/context", {"session_id": "p", "max_chars": 5000}),
        ("vouch/files", {"uri": (root / "docs/keys.md").as_uri()}),
    ]
    for method, params in rest:
        found[plain([method, params], root)] = plain(client.request(method, params), root)
    return found


def places_in(text: str) -> Iterator[tuple[int, int]]:
    """The line and column of each place that tells something."""
    for number, line in enumerate(text.splitlines()):
        for column in (len(line), *(m.start() + 1 for m in re.finditer("Vault|vault|ev-", line))):
            yield number, column


def plain(answer: Any, root: Path) -> str:
    """An answer as text, without what differs from run to run."""
    text = json.dumps(lasting(answer), sort_keys=True, ensure_ascii=False, default=str)
    return text.replace(str(root), "")


def lasting(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: lasting(v) for k, v in value.items() if k not in PASSING}
    return [lasting(item) for item in value] if isinstance(value, list | tuple) else value


# The answers


class Told(NamedTuple):
    """A base, the engine on it, what everything says to the outsider, logs, and files kept."""

    root: Path
    engine: Engine
    answers: Answers
    log: str
    kept: str


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Told:
    """What is told of the base in which much is withheld."""
    return told(tmp_path_factory.mktemp("whole"), True)


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Told:
    """What is told of the base in which nothing of that ever was."""
    return told(tmp_path_factory.mktemp("shown"), False)


def told(folder: Path, is_whole: bool) -> Told:
    root, log = knowledge(folder, is_whole), StringIO()
    ours, handler = logging.getLogger("vouch_sidecar"), logging.StreamHandler(log)
    ours.addHandler(handler)
    ours.setLevel(logging.DEBUG)
    engine = settled(root, folder)
    for viewer in VIEWERS if is_whole else ():  # what they are told may not be kept for others
        by_operations(engine, root, viewer)
    answers = by_operations(engine, root, OUTSIDER)
    answers |= anyio.run(by_hooks, engine, root, OUTSIDER)
    who = {"project": OUTSIDER.project, "agent": OUTSIDER.agent}
    with place() as (apart, own):
        env = {**own, "VOUCH_SIDECAR_LOG": "debug", "VOUCH_SIDECAR_HOOK_RESIDENT": "false"}
        env |= {"VOUCH_PROJECT": f"{OUTSIDER.project}", "VOUCH_AGENT": f"{OUTSIDER.agent}"}
        with indexed_client(root, env=env, initializationOptions={"viewer": who}) as client:
            ready = {"paths": ["docs/keys.md"]}
            client.until("vouch/files", ready, lambda a: "workspace_pending" not in a["degraded"])
            answers |= in_editor(client, root)
            until(lambda: finished(apart), "no base was finished")
            client.shut_down()
            log.write(
                client.errors.decode() + json.dumps([m for m in client.received if "method" in m])
            )
        kept = texts_kept(apart)
        if is_whole:
            answers |= by_commands(root, env)
            with (folder / "mcp.log").open("w+") as errors:
                with host(root, environment(env), "--tools", "all", errors=errors) as mcp:
                    answers |= by_tools(mcp)
                errors.seek(0)
                log.write(errors.read())
    ours.removeHandler(handler)
    ours.setLevel(logging.NOTSET)
    return Told(root, engine, answers, log.getvalue(), kept)


def methods(engine: Engine) -> set[str]:
    """The standard methods that an editor may ask."""
    standard = re.compile(r"(?:textDocument|workspace|completionItem)/(?!did)")
    DiskFollower(engine)
    server = Sidecar(engine)
    register_all(server)
    return {feature for feature in server.protocol.fm.features if standard.match(feature)}


def texts_kept(folder: Path) -> str:
    """The bytes of all files, with what an index holds compressed, as text."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    texts = [path.read_bytes().decode("utf-8", "replace") for path in files]
    for path in files:
        if path.name == "meta.json":
            for document in Knowledge(Layer(Index.open(str(path.parent)))).documents():
                values = (value for several in document.to_dict().values() for value in several)
                texts += (str(v, "utf-8") if isinstance(v, bytes) else str(v) for v in values)
    return "\n".join(texts).lower()


def holding(texts: Mapping[str, str], word: str) -> list[str]:
    """Where a word stands. A list of problems names files, whoever may see what these hold."""
    found = [name for name, text in texts.items() if word in text.lower()]
    lists = [name for name in found if LISTS.search(name)]
    named = {name for name in lists if word not in FILE.sub("", texts[name]).lower()}
    return [name for name in found if name not in named]


def listed(found: Mapping[str, object]) -> str:
    return f"{len(found)}: " + "\n".join(f"{name}: {found[name]}"[:600] for name in [*found][:20])


def difference(one: str, other: str) -> tuple[str, str]:
    """What stands around the first place at which two texts differ."""
    same = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    start = max(0, len([*same]) - 80)
    return one[start : start + 200], other[start : start + 200]


def test_every_surface_is_asked(whole: Told) -> None:
    assert PARAMS.keys() == OPERATIONS.keys()
    assert methods(whole.engine) == EDITOR


def test_no_answer_and_no_log_holds_what_is_withheld(whole: Told) -> None:
    answers = whole.answers | {"log": whole.log}
    withheld = [one.nonce for one in CASES if not one.is_told(OUTSIDER)]
    found = {w: where for w in (*withheld, QUOTED, DRAFT) if (where := holding(answers, w))}
    assert not found, listed(found)
    assert holding(answers, "shown")


def test_answers_are_those_of_a_base_without_it(whole: Told, shown: Told) -> None:
    """But for the lists of problems, which name files."""
    told = whole.answers
    others = {k: text for k, text in shown.answers.items() if not LISTS.search(k)}
    differ = {k: difference(told[k], text) for k, text in others.items() if told[k] != text}
    assert not differ, listed(differ)
    counts = [ask(one.engine, "status", OUTSIDE)["roots"][0]["counts"] for one in (whole, shown)]
    assert counts[0] == counts[1]


@pytest.mark.parametrize("viewer", VIEWERS, ids=str)
def test_everybody_is_told_what_may_be_told(whole: Told, viewer: Viewer) -> None:
    answers = by_operations(whole.engine, whole.root, viewer)
    hidden = (one for one in CASES if not one.is_told(OUTSIDER))
    wrong = [one for one in hidden if bool(holding(answers, one.nonce)) is not one.is_told(viewer)]
    assert not wrong


def test_no_file_of_ours_holds_the_text_of_what_is_retired(whole: Told) -> None:
    """What is private stays behind its gate there; a file is named whatever it holds."""
    kept = re.sub(r"\bx-[a-z-]*zq\w+", "", whole.kept)
    assert "must rotate its signing keys" in kept
    gone = [one.nonce for one in CASES if one.is_gone]
    found = {
        word: kept[kept.index(word) - 60 :][:120] for word in (*gone, QUOTED, DRAFT) if word in kept
    }
    assert not found, listed(found)
