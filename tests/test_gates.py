"""What a viewer may not see leaves no trace on any surface, in no log and in no file of ours.

Every kind of artifact, with every status and scope, has a nonce in each of its own fields. No
answer holds the nonce of one that is withheld, and all answers are those of a knowledge base in
which the withheld ones never were. A surface that is asked nothing here fails.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any, get_args

import pytest
from click.testing import CliRunner
from tantivy import Index
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.index.layers import Layer
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.kb.records import PageStatus, Status
from vouch_sidecar.operations.operation import operations
from vouch_sidecar.surfaces.agent_requests import EVENTS
from vouch_sidecar.surfaces.cli import main as shell
from vouch_sidecar.surfaces.local.user_socket import ask as ask_socket

from tests.engine.bases import base, finished
from tests.engine.processes import place, until
from tests.kb.samples import claim, dump, entity, page
from tests.mcp.client import host
from tests.protocol.client import Client, at, environment, indexed_client

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
PASSING = {"generation", "probe_time_ms", "from_cache", "indexed_at", "tokenId", "sessions"}
PASSING |= {"unmatched", "_meta"}
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

    def files(self, said: str) -> Iterator[tuple[str, bytes]]:
        """The artifact with a word in every field, and what hangs on it alone."""
        named = f"x{self.number}" if self.is_faulty or said != self.nonce else f"x-{said}"
        rest: dict[str, Any] = {"scope": self.scope}
        rest |= {"status": self.status} if self.status else {}
        text = f"The Key Vault must rotate its signing keys {said} daily."
        match self.folder:
            case "claims":
                rest |= {"entities": ["vault", f"x-e-{said}"], "evidence": [f"x-ev-{said}"]}
                yield (
                    f"claims/{named}.yaml",
                    claim(named, text=text, tags=[said], approved_by=said, **rest),
                )
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
    span = {"byte_start": start, "byte_end": end}
    return f"evidence/{name}.yaml", dump({"id": name, "quote": quote, **fields, **span})


KINDS = [(f, s) for f in ("claims", "pages", "sources") for s in STATUSES.get(f, ("",))]
CASES = [
    Case(number, folder, status, scope)
    for number, ((folder, status), scope) in enumerate(product(KINDS, SCOPES))
]
QUOTED, DRAFT = nonce(len(CASES)), nonce(len(CASES) + 1)
"""In a sentence of an open document, of which only a retired claim has a receipt; in a proposal."""
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


PARAMS: Mapping[str, list[dict[str, Any]]] = {
    "experts": [
        {"topic": topic, "weight": weight, "explain": True, "limit": 100}
        for topic in (*TEXTS, "bait", nonce(0))
        for weight in ("count", "recency", "citation", "evidence")
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
    "entity": [{"id": "vault"}, {"id": "jwt"}, {"id": "vaul"}],
    "claim": [{"id": "rotation"}, {"id": "x"}, {"id": "retired"}],
    "status": [{}],
    "stats": [{}],
    "capabilities": [{}],
}
"""By operation the params that should bring up what there is. `session_end` says nothing."""
OF_ADA = next(f"x-{one.nonce}" for one in CASES if one.is_told(ADA) and not one.is_told(OUTSIDER))
"""The id of a claim."""
COMMANDS = {"lsp", "jsonl", "mcp", "hook", "watch", "demo", "install", "pause", "resume", "stop"}
"""Those that read no knowledge base to anybody, or serve what is asked by itself."""
HOOK: Mapping[str, Any] = {
    "prompt": TEXTS[0],
    "last_assistant_message": TEXTS[0],
    "tool_name": "Read",
    "tool_input": {"file_path": "docs/keys.md", "content": TEXTS[0]},
}
ABOUT_PLACES, SYMBOLS = ("hover", "definition", "completion"), "workspaceSymbol"
"""What an editor may ask by the standard methods."""


class Told:
    """A base that a language server serves to the outsider, and what it and others say of it."""

    def __init__(self, root: Path, env: Mapping[str, str], client: Client) -> None:
        self.root, self.env, self.client = root, env, client
        self.answers = dict[str, str]()

    def log(self) -> str:
        """What the server wrote, and what it sent unasked."""
        unasked = [one for one in self.client.received if "method" in one]
        return self.client.errors.decode() + json.dumps(unasked)

    def kept(self) -> str:
        """The bytes of all files of ours, with what an index holds compressed, as text."""
        files = [path for path in self.root.parent.rglob("*") if path.is_file()]
        ours = [path for path in files if not path.is_relative_to(self.root)]
        texts = [path.read_bytes().decode("utf-8", "replace") for path in ours]
        for path in ours:
            if path.name == "meta.json":
                for document in Knowledge(Layer(Index.open(str(path.parent)))).documents():
                    values = [value for several in document.to_dict().values() for value in several]
                    texts += [str(v, "utf-8") if isinstance(v, bytes) else str(v) for v in values]
        return "\n".join(texts).lower()

    def by_operations(self, viewer: Viewer = OUTSIDER) -> dict[str, str]:
        who = {"viewer": {"project": viewer.project, "agent": viewer.agent}}
        asked = [(name, params) for name in PARAMS for params in PARAMS[name]]
        found = {}
        for name, params in [*asked, ("claim", {"id": OF_ADA})]:
            answer = self.client.answer(self.client.start(f"vouch/{name}", params | who))
            kept = {key: answer.get(key) for key in ("result", "error")}
            found[f"{name} {params}"] = self._plain(kept)
        return found

    def by_hooks(self) -> dict[str, str]:
        ask, found = partial(ask_socket, [self.root], env=self.env, timeout=30), {}
        for event in EVENTS:
            payload = {**HOOK, "session_id": event, "cwd": str(self.root)}
            found[f"hook {event}"] = self._plain(ask(f"hook.{event}", payload))
        return found

    def in_editor(self) -> dict[str, str]:
        """What an editor shows of a text and two files."""
        found, client = dict[str, Any](), self.client
        own, new = (self.root / ".vouch" / one for one in ("claims/rotation.yaml", "pages/new.md"))
        texts = {
            "untitled:prose": f"About docs/keys.md here.\n{TEXTS[0]}\n",
            own.as_uri(): own.read_text("utf-8"),
            new.as_uri(): "---\nid: new\ntitle: New\nclaims:\n- \n---\nSee [[\n[claim: x\n",
        }
        for uri, content in texts.items():
            client.open(uri, content, "markdown")
            for number, line in enumerate(content.splitlines()):
                names = (m.start() + 1 for m in re.finditer("Vault|vault|ev-", line))
                for column, method in product((len(line), *names), ABOUT_PLACES):
                    key = f"{method} {uri.rpartition('/')[2]}:{number}:{column}"
                    asked = f"textDocument/{method}", at(uri, number, column)
                    found[key] = client.request(*asked)
            client.close(uri)
        client.open("vouch-prompt:///p/1", TEXTS[0], "vouch-prompt")
        rest = [("workspace/symbol", {"query": query}) for query in ("vault", "key", "zq")]
        rest += [("vouch/context", {"session_id": "p"})]
        rest += [("vouch/files", {"uri": (self.root / "docs/keys.md").as_uri()})]
        for method, params in rest:
            found[self._plain([method, params])] = client.request(method, params)
        return {key: self._plain(answer) for key, answer in found.items()}

    def by_commands(self) -> dict[str, str]:
        """What every command of the shell prints."""
        found = {}
        context = shell.make_context("vouch-sidecar", [], resilient_parsing=True)
        for command in {*shell.list_commands(context)} - COMMANDS:
            for number, params in enumerate(PARAMS.get(command, [{}])):
                words = [v for v in params.values() if isinstance(v, str)] + params.get("paths", [])
                asked = [command, "--root", str(self.root), *words[:1]]
                ran = CliRunner().invoke(shell, asked, env=self.env)
                assert ran.exit_code in (0, 1), (command, ran.output)
                found[f"shell {command} {number}"] = ran.output
        return found

    def by_tools(self) -> dict[str, str]:
        """What every tool of an MCP server says, and its log."""
        with (self.root.parent / "mcp.log").open("w+") as errors:
            with host(self.root, environment(self.env), "--tools", "all", errors=errors) as mcp:
                names = [tool.name.removeprefix("kb_") for tool in mcp.tools()]
                found = {
                    f"tool {name} {params}": mcp.call(name, **params).model_dump_json()
                    for name in names
                    for params in PARAMS.get(name, ())
                }
            errors.seek(0)
            return found | {"log of mcp": errors.read()}

    def _plain(self, answer: Any) -> str:
        """An answer as text, without what differs from run to run."""
        text = json.dumps(lasting(answer), sort_keys=True, ensure_ascii=False)
        return text.replace(str(self.root), "")


def lasting(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: lasting(v) for k, v in value.items() if k not in PASSING}
    return [lasting(item) for item in value] if isinstance(value, list) else value


@contextmanager
def served(is_whole: bool) -> Iterator[Told]:
    with place() as (folder, own):
        root = knowledge(folder, is_whole)
        who = {"VOUCH_PROJECT": f"{OUTSIDER.project}", "VOUCH_AGENT": f"{OUTSIDER.agent}"}
        env = {**own, **who, "VOUCH_SIDECAR_LOG": "debug"}
        with indexed_client(root, env=env) as client:
            ready = {"paths": ["docs/keys.md"]}
            client.until("vouch/files", ready, lambda a: "workspace_pending" not in a["degraded"])
            yield Told(root, env, client)


@pytest.fixture(scope="module")
def told() -> Iterator[tuple[Told, Told]]:
    """The base in which much is withheld, and that in which nothing of it ever was."""
    with served(True) as whole, served(False) as shown:
        for viewer in VIEWERS:  # what they are told may not be kept for others
            whole.by_operations(viewer)
        for one in (whole, shown):
            one.answers = one.by_operations() | one.by_hooks() | one.in_editor()
        yield whole, shown


@pytest.fixture(scope="module")
def whole(told: tuple[Told, Told]) -> Told:
    return told[0]


def holding(texts: Mapping[str, str], word: str) -> list[str]:
    """Where a word stands. A list of problems names files, whoever may see what these hold."""
    return [
        name
        for name, text in texts.items()
        if word in (FILE.sub("", text) if LISTS.search(name) else text).lower()
    ]


def test_every_surface_is_asked(whole: Told) -> None:
    assert PARAMS.keys() == operations().keys() - {"session_end"}
    provided = whole.client.answer(1)["result"]["capabilities"]  # of `initialize`
    assert {one.removesuffix("Provider") for one in provided if one.endswith("Provider")} == {
        *ABOUT_PLACES,
        SYMBOLS,
    }


def test_no_answer_and_no_log_holds_what_is_withheld(whole: Told) -> None:
    texts = whole.answers | whole.by_commands() | whole.by_tools() | {"log": whole.log()}
    withheld = [one.nonce for one in CASES if not one.is_told(OUTSIDER)]
    assert not {w: where for w in (*withheld, QUOTED, DRAFT) if (where := holding(texts, w))}
    assert holding(texts, "shown")


def test_answers_are_those_of_a_base_without_it(told: tuple[Told, Told]) -> None:
    """But for the lists of problems, which name files, and for what a clock says."""
    whole, shown = (
        {k: v for k, v in one.answers.items() if not LISTS.search(k) and "recency" not in k}
        for one in told
    )
    assert whole == shown
    counts = [one.client.request("vouch/status")["roots"][0]["counts"] for one in told]
    assert counts[0] == counts[1]


@pytest.mark.parametrize("viewer", VIEWERS, ids=str)
def test_everybody_is_told_what_may_be_told(whole: Told, viewer: Viewer) -> None:
    answers = whole.by_operations(viewer)
    hidden = (one for one in CASES if not one.is_told(OUTSIDER))
    assert not [
        one for one in hidden if bool(holding(answers, one.nonce)) is not one.is_told(viewer)
    ]


def test_no_file_of_ours_holds_the_text_of_what_is_retired(whole: Told) -> None:
    """What is private stays behind its gate there; a file is named whatever it holds."""
    until(lambda: finished(whole.root.parent), "no base was finished")
    kept = re.sub(r"\bx-[a-z-]*zq\w+", "", whole.kept())
    assert "must rotate its signing keys" in kept
    gone = [one.nonce for one in CASES if not any(map(one.is_told, VIEWERS))]
    assert not [word for word in (*gone, QUOTED, DRAFT) if word in kept]
