"""What a viewer may not see leaves no trace on any surface, in no log and in no file of ours.

Every kind of artifact, with every status and scope, has a nonce in each of its own fields. No
answer holds that of one that is withheld, and all are those of a base in which it never was.
"""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, get_args

import pytest
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.kb.records import PageStatus, Status
from vouch_sidecar.operations.operation import operations
from vouch_sidecar.retrieval.people.weights import WEIGHTS
from vouch_sidecar.surfaces.agent_requests import EVENTS
from vouch_sidecar.surfaces.cli import main as shell
from vouch_sidecar.surfaces.local.user_socket import ask as ask_socket

from tests.engine.bases import base, finished, places
from tests.engine.processes import kept, place, until
from tests.engine.world import PASSING, lasting
from tests.kb.samples import claim, dump, entity, page, receipt, source
from tests.mcp.conftest import host
from tests.protocol.client import PATIENT, Client, at, environment, indexed_client, run_command

ADA, COURIER, OUTSIDER = Viewer(None, "ada"), Viewer("courier"), Viewer("other", "bob")
VIEWERS = (Viewer(), OUTSIDER, ADA, COURIER)
LIVE = {"working", "actionable", "stable", "contested", "draft", "active", "stale", ""}
STATUSES = {"claims": (*get_args(Status), "proposed"), "pages": get_args(PageStatus)}
"""By folder; `proposed` is no status of vouch's."""
FAULTY = ({"visibility": "secret"}, ["team"])
SCOPES: tuple[Any, ...] = (
    *({"visibility": visibility} for visibility in ("public", "team", "project", "private")),
    {"visibility": "project", "project": "courier"},
    {"visibility": "private", "agent": "ada"},
    "private",
    *FAULTY,
)
TEXTS = ("Does the Key Vault rotate its signing keys?", "signing keys rotate bait", "Key Vault")
FILE = re.compile(r"[\w/-]+\.(?:yaml|md)\b")
LISTS = re.compile(r"stat|diagnostic|shell check|shell doctor|log")
OWN = PASSING | {"tokenId", "sessions", "unmatched", "_meta"}
"""Fields that differ from run to run, or hold the asker's own words or what `salience` says."""


def nonce(number: int) -> str:
    """A made-up word that is its own stem."""
    return f"zq{number:03}k".translate(str.maketrans("0123456789", "bdfglmnprt"))


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
        return self.status == "proposed" or self.scope in FAULTY

    def is_told(self, viewer: Viewer) -> bool:
        """The rule, once more."""
        if self.status not in LIVE or self.is_faulty or not isinstance(self.scope, dict):
            return False
        visibility, project, agent = map(self.scope.get, ("visibility", "project", "agent"))
        if visibility == "private":
            return agent is not None and agent == viewer.agent
        return project in (None, viewer.project)

    def files(self, said: str) -> dict[str, bytes]:
        """The artifact with a word in every field, and what hangs on it alone."""
        name = f"x{self.number}" if self.is_faulty or said != self.nonce else f"x-{said}"
        text = f"The Key Vault must rotate its signing keys {said} daily."
        own: dict[str, Any] = {"scope": self.scope, "tags": [said]}
        own |= {"status": self.status} if self.status else {}
        about: dict[str, Any] = {"entities": ["vault", f"x-e-{said}"]}
        if self.folder == "claims":
            fields: dict[str, Any] = {"text": text, "approved_by": said, **about}
            fields |= {"evidence": [f"x-ev-{said}"]}
            joined = {"id": f"r-{name}", "source": "vault", "relation": "uses", "target": name}
            return {
                f"claims/{name}.yaml": claim(name, **fields, **own),
                f"relations/r-{name}.yaml": dump(joined),
            }
        if self.folder == "pages":
            fields = {"id": name, "title": f"Signing keys {said}", "claims": ["rotation"], **about}
            return {f"pages/{name}.md": page(f"# Signing keys {said}\n\n{text}\n", **fields, **own)}
        metadata = {"question": f"Which keys are {said}?", "kind": "qa"}
        fields = {"title": text, "locator": f"docs/{said}.md", "metadata": metadata}
        made = source(text.encode(), type="message", **fields, **own)
        return made | receipt(f"ev{self.number}", text.encode(), said.encode())


KINDS = [(f, s) for f in ("claims", "pages", "sources") for s in STATUSES.get(f, ("",))]
SCOPED = [(folder, status, scope) for folder, status in KINDS for scope in SCOPES]
CASES = [Case(number, *each) for number, each in enumerate(SCOPED)]
HIDDEN = [one for one in CASES if not one.is_told(OUTSIDER)]
OF_ADA = next(f"x-{one.nonce}" for one in HIDDEN if one.is_told(ADA))
"""The id of a claim."""
QUOTED, DRAFT = nonce(len(CASES)), nonce(len(CASES) + 1)
"""In a sentence of an open document, of which only a retired claim has a receipt; in a proposal."""
DOCUMENT = f"""# Keys

The signing keys rotate daily.

Nobody keeps the {QUOTED} signing keys in the cellar.
"""


def knowledge(folder: Path, is_whole: bool) -> Path:
    """A knowledge base with everything that is withheld, or in which the outsider sees all."""
    document = DOCUMENT.encode()
    files = source(document, locator="docs/keys.md", title="Keys")
    files |= receipt("ev-open", document, b"The signing keys rotate")
    files["entities/jwt.yaml"] = entity("jwt", name="JWT", aliases=["web token"])
    fields = {"text": "The signing keys rotate", "entities": ["vault"], "evidence": ["ev-open"]}
    files["claims/rotation.yaml"] = claim("rotation", **fields)
    cited = [f"ev{one.number}" for one in CASES if one.folder == "sources"]
    fields |= {"text": "Both keys sign.", "evidence": cited}
    files["claims/citing.yaml"] = claim("citing", **fields)
    files["pages/keys.md"] = page("# Keys\n\nJWT.\n", id="keys", title="Keys", entities=["jwt"])
    files["config.yaml"] = dump({"kb": {"name": "kb"}})
    for one in CASES:
        if one not in HIDDEN:
            files |= one.files(f"shown{one.number}")
        elif is_whole or one.is_faulty:
            files |= one.files(one.nonce if is_whole else "other")
    if is_whole:
        quote = f"the {QUOTED} signing keys"
        files |= receipt("ev-retired", document, quote.encode())
        retired = {"text": quote, "evidence": ["ev-retired"], "status": "superseded"}
        files["claims/retired.yaml"] = claim("retired", **retired)
        draft = {"id": "draft", "text": f"The Key Vault is {DRAFT}.", "evidence": ["x"]}
        files["proposed/draft.yaml"] = dump({"id": "draft", "kind": "claim", "payload": draft})
    root = base(folder / "kb", files)
    (root / "docs").mkdir()
    (root / "docs/keys.md").write_text(DOCUMENT, "utf-8")
    return root


PARAMS: Mapping[str, list[dict[str, Any]]] = {
    "experts": [
        {"topic": topic, "weight": weight, "explain": True, "limit": 100}
        for topic in (*TEXTS, "bait", nonce(0))
        for weight in WEIGHTS
    ],
    "search": [
        *({"query": text, "limit": 100} for text in TEXTS),
        {"query": TEXTS[1], "limit": 100, "kinds": ["page", "source", "relation"]},
    ],
    "probe": [{"text": text, "session_id": "s"} for text in TEXTS],
    "context": [{"task": text, "max_chars": 5000} for text in TEXTS],
    "explain": [{"text": text} for text in TEXTS],
    "mentions": [{"text": " ".join(TEXTS)}],
    "files": [{"paths": ["docs/keys.md"]}],
    "salience": [{"session_id": "s", "top_k": 20}],
    "entity": [{"id": one} for one in ("vault", "jwt", "vaul")],
    "claim": [{"id": one} for one in ("rotation", "citing", "x", "retired", OF_ADA)],
    **{name: [{}] for name in ("status", "stats", "capabilities")},
}
"""By operation the params that should bring up what there is. `session_end` says nothing."""
COMMANDS = {"lsp", "jsonl", "mcp", "hook", "watch", "demo", "install", "pause", "resume", "stop"}
"""Those that read no knowledge base to anybody, or serve what is asked by itself."""
HOOK = {"prompt": TEXTS[0], "last_assistant_message": TEXTS[0], "tool_name": "Read"}
READ = {"file_path": "docs/keys.md", "content": TEXTS[0]}
ABOUT_PLACES = "hover", "definition", "completion"
"""What an editor may ask by the standard methods."""


@dataclass
class Served:
    """A base that a language server serves to the outsider, and what it and others say of it."""

    root: Path
    env: Mapping[str, str]
    client: Client
    answers: Mapping[str, str]

    def by_operations(self, viewer: Viewer = OUTSIDER) -> Iterator[tuple[str, Any]]:
        who = {"viewer": {"project": viewer.project, "agent": viewer.agent}}
        for name, several in PARAMS.items():
            for params in several:
                answer = self.client.answer(self.client.start(f"vouch/{name}", params | who))
                yield f"{name} {params}", answer.get("result", answer.get("error"))

    def by_hooks(self) -> Iterator[tuple[str, Any]]:
        for event in EVENTS:
            payload = {**HOOK, "tool_input": READ, "session_id": event, "cwd": str(self.root)}
            asked = places(self.root), f"hook.{event}", payload
            yield f"hook {event}", ask_socket(*asked, env=self.env, timeout=30)

    def in_editor(self) -> Iterator[tuple[str, Any]]:
        """What an editor shows of a text and two files."""
        own, new = (self.root / ".vouch" / one for one in ("claims/rotation.yaml", "pages/new.md"))
        texts = {
            "untitled:prose": f"About docs/keys.md here.\n{TEXTS[0]}\n",
            own.as_uri(): own.read_text("utf-8"),
            new.as_uri(): "---\nid: new\ntitle: New\nclaims:\n- \n---\nSee [[\n[claim: x\n",
        }
        for uri, content in texts.items():
            self.client.open(uri, content, "markdown")
            for number, line in enumerate(content.splitlines()):
                names = (m.start() + 1 for m in re.finditer("Vault|vault|ev-", line))
                for column, method in product((len(line), *names), ABOUT_PLACES):
                    asked = f"textDocument/{method}", at(uri, number, column)
                    place = f"{uri.rpartition('/')[2]}:{number}:{column}"
                    yield f"{method} {place}", self.client.request(*asked)
            self.client.close(uri)
        self.client.open("vouch-prompt:///p/1", TEXTS[0], "vouch-prompt")
        yield "prompt", self.client.request("vouch/context", {"session_id": "p"})
        ties = {"uri": (self.root / "docs/keys.md").as_uri()}
        yield "ties", self.client.request("vouch/files", ties)
        for query in ("vault", "key", "zq"):
            yield f"symbol {query}", self.client.request("workspace/symbol", {"query": query})

    def by_commands(self) -> Iterator[tuple[str, str]]:
        context = shell.make_context("vouch-sidecar", [], resilient_parsing=True)
        for command in {*shell.list_commands(context)} - COMMANDS:
            for number, params in enumerate(PARAMS.get(command, [{}])):
                words = [v for v in params.values() if isinstance(v, str)] + params.get("paths", [])
                asked = [command, "--root", str(self.root), *words[:1]]
                done = run_command(*asked, env=self.env, code=None)
                assert done.returncode in (0, 1), (command, done.stderr)
                yield f"shell {command} {number}", done.stdout + done.stderr

    def by_tools(self) -> Iterator[tuple[str, str]]:
        """What every tool of an MCP server says, and its log."""
        with (self.root.parent / "mcp.log").open("w+") as errors:
            with host(self.root, environment(self.env), "--tools", "all", errors=errors) as mcp:
                for name in (tool.name.removeprefix("kb_") for tool in mcp.tools()):
                    for params in PARAMS.get(name, ()):
                        yield f"tool {name} {params}", mcp.call(name, **params).model_dump_json()
            errors.seek(0)
            yield "log of mcp", errors.read()

    def plain(self, answers: Iterator[tuple[str, Any]]) -> dict[str, str]:
        """Answers as texts, without what differs from run to run."""

        def text(answer: Any) -> str:
            said = json.dumps(lasting(answer, OWN), sort_keys=True, ensure_ascii=False)
            return said.replace(str(self.root), "")

        return {asked: text(answer) for asked, answer in answers}


@contextmanager
def served(is_whole: bool) -> Iterator[Served]:
    with place() as (folder, own):
        root = knowledge(folder, is_whole)
        who = {"VOUCH_PROJECT": f"{OUTSIDER.project}", "VOUCH_AGENT": f"{OUTSIDER.agent}"}
        env = {**own, **who, **PATIENT, "VOUCH_SIDECAR_LOG": "debug"}
        with indexed_client(root, env=env) as client:
            ready = {"paths": ["docs/keys.md"]}
            client.until("vouch/files", ready, lambda a: "workspace_pending" not in a["degraded"])
            one = Served(root, env, client, {})
            for viewer in VIEWERS if is_whole else ():  # what they are told is kept for none else
                one.plain(one.by_operations(viewer))
            for answers in (one.by_operations(), one.by_hooks(), one.in_editor()):
                one.answers = {**one.answers, **one.plain(answers)}
            yield one


@pytest.fixture(scope="module")
def whole() -> Iterator[Served]:
    with served(True) as one:
        yield one


def holding(texts: Mapping[str, str], word: str) -> list[str]:
    """Where a word stands. A list of problems names files, whoever may see what these hold."""
    said = {name: FILE.sub("", t) if LISTS.search(name) else t for name, t in texts.items()}
    return [name for name, text in said.items() if word in text.lower()]


def test_every_surface_is_asked(whole: Served) -> None:
    assert PARAMS.keys() == operations().keys() - {"session_end"}
    began = whole.client.answer(1)["result"]  # of `initialize`
    assert began["serverInfo"]["name"] == "vouch-sidecar"
    commands = "executeCommand"  # pygls offers it by itself, and no command
    wanted = {f"{one}Provider" for one in (*ABOUT_PLACES, "workspaceSymbol", commands)}
    assert {one for one in began["capabilities"] if one.endswith("Provider")} == wanted


def test_no_answer_and_no_log_holds_what_is_withheld(whole: Served) -> None:
    unasked = json.dumps([one for one in whole.client.received if "method" in one])
    texts = {**whole.answers, **dict(whole.by_commands()), **dict(whole.by_tools())}
    texts["log"] = whole.client.errors.decode() + unasked
    words = [*(one.nonce for one in HIDDEN), QUOTED, DRAFT]
    assert not {word: where for word in words if (where := holding(texts, word))}
    assert holding(texts, "shown")


def test_answers_are_those_of_a_base_in_which_it_never_was(whole: Served) -> None:
    """But for the lists of problems, which name files, and for what a clock says."""
    with served(False) as shown:
        wanted, found = (
            {k: v for k, v in one.answers.items() if not LISTS.search(k) and "recency" not in k}
            for one in (shown, whole)
        )
        assert found == wanted
        roots = [one.client.request("vouch/status")["roots"] for one in (whole, shown)]
        assert roots[0][0]["counts"] == roots[1][0]["counts"]


@pytest.mark.parametrize("viewer", VIEWERS, ids=str)
def test_everybody_is_told_what_may_be_told(whole: Served, viewer: Viewer) -> None:
    answers = whole.plain(whole.by_operations(viewer))
    wrong = (one for one in HIDDEN if bool(holding(answers, one.nonce)) is not one.is_told(viewer))
    assert not [*wrong]


def test_no_file_of_ours_holds_the_text_of_what_is_retired(whole: Served) -> None:
    """What is private stays behind its gate there; a file is named whatever it holds."""
    until(lambda: finished(whole.root.parent), "no base was finished")
    files = re.sub(r"\bx-[a-z-]*zq\w+", "", kept(whole.root.parent / "cache").lower())
    assert "must rotate its signing keys" in files
    gone = [one.nonce for one in CASES if not any(map(one.is_told, VIEWERS))]
    assert not [word for word in (*gone, QUOTED, DRAFT) if word in files]
