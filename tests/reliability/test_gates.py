"""What a viewer may not see leaves no trace on any surface: every answer is that of a knowledge
base without it.
"""

from __future__ import annotations

import asyncio
import json
import logging
from io import StringIO
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from vouch_sidecar.engine import Caller, Engine, Pushes
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.operations import OPERATIONS, InvalidParamsError, perform
from vouch_sidecar.surfaces.hook.events import respond_async
from vouch_sidecar.surfaces.mcp import resources

from tests.engine.bases import ask, base, cached, engine_on
from tests.engine.processes import holds
from tests.kb.samples import claim, dump, page
from tests.soak import examples
from tests.surfaces.conversation import call, framed, sidecar_on, talk

MARK = "hunter2"
"""Stands in all that is hidden, and in no question."""
MISSPELLED = "proposed"
"""No status of vouch's: it withholds a claim, and is said to those who could see that."""
STATUSES = ["working", "stable", "contested", "superseded", "archived", "redacted", MISSPELLED]
PAGES = ["draft", "active", "stale", "superseded", "archived"]
SCOPES: list[object] = [
    {"visibility": "public"},
    {"visibility": "team"},
    {"visibility": "project"},
    {"visibility": "project", "project": "courier"},
    {"visibility": "private", "agent": "ada"},
    {"visibility": "private"},
    {"visibility": "secret"},
    "private",
    ["team"],
]
VIEWERS = [Viewer(), Viewer("courier"), Viewer(None, "ada"), Viewer("other", "bob")]
TEXT = "Does the Key Vault rotate the signing keys of the deploy?"
PARAMS: dict[str, list[dict[str, Any]]] = {
    "experts": [{"topic": "key vault"}, {"topic": "rotate signing keys", "weight": "evidence"}],
    "search": [{"query": "vault signing keys", "limit": 50}],
    "probe": [{"text": TEXT}],
    "context": [{"task": TEXT, "adjacent": True, "max_chars": 5000}],
    "explain": [{"text": TEXT}],
    "mentions": [{"text": TEXT}],
    "files": [{"paths": ["deploy/vault.py", "p0.md"]}],
    "salience": [{"session_id": "s", "top_k": 20}],
    "entity": [{"id": "vault"}, {"id": "key"}],
    "claim": [{"id": "rotation"}, {"id": "c0"}, {"id": "c1"}],
    "status": [{}],
    "capabilities": [{}],
}
SKIPPED = "\n(without all of it: files_skipped)"
"""That some file can't be read is said to everybody."""
ASIDE = {"stats", "session_end"}
"""Figures of the process itself, and what says nothing."""

Hidden = tuple[str, str, object]
"""Kind, status and scope."""


def kinds() -> st.SearchStrategy[Hidden]:
    claims = st.tuples(st.just("claims"), st.sampled_from(STATUSES), st.sampled_from(SCOPES))
    pages = st.tuples(st.just("pages"), st.sampled_from(PAGES), st.sampled_from(SCOPES))
    return st.one_of(claims, pages)


def sees(viewer: Viewer, one: Hidden) -> bool:
    """The rule, once more."""
    kind, status, scope = one
    live = status in (STATUSES[:3] if kind == "claims" else PAGES[:3])
    return live and passes(viewer, scope)


def passes(viewer: Viewer, scope: object) -> bool:
    """The rule for scopes."""
    if not isinstance(scope, dict):
        return False
    visibility, project, agent = (scope.get(n) for n in ("visibility", "project", "agent"))
    if visibility == "private":
        return agent is not None and agent == viewer.agent
    open_to_all = visibility in ("public", "team") or (visibility == "project" and not project)
    return open_to_all or (visibility == "project" and project == viewer.project)


def file_of(number: int, one: Hidden, viewer: Viewer) -> tuple[str, bytes]:
    kind, status, scope = one
    word = "shown" if sees(viewer, one) else MARK
    fields: dict[str, Any] = {"status": status, "scope": scope, "entities": ["vault"]}
    text = f"The Key Vault must rotate its signing keys, {word}."
    if kind == "claims":
        return f"claims/c{number}.yaml", claim(f"c{number}", text=text, tags=[word], **fields)
    body = f"# Signing keys {word}\n\n{text}\n"
    title = f"Signing keys {number} {word}"
    data = page(body, id=f"p{number}", title=title, claims=["rotation"], **fields)
    return f"pages/p{number}.md", data


def lasting(value: Any) -> Any:
    """Without what differs from run to run."""
    passing = {"generation", "probe_time_ms", "from_cache", "indexed_at", "root", "uri", "degraded"}
    if isinstance(value, dict):
        return {k: lasting(v) for k, v in value.items() if k not in passing}
    return [lasting(one) for one in value] if isinstance(value, list) else value


def said(engine: Engine, root: Path, viewer: Viewer) -> dict[str, Any]:
    """What every surface says to a viewer."""
    caller = Caller("editor", viewer=viewer)
    engine.observe("s", None, TEXT)
    found: dict[str, Any] = {}
    for name, all_params in PARAMS.items():
        for number, params in enumerate(all_params):
            try:
                found[f"{name} {number}"] = lasting(ask(engine, name, caller, **params))
                readable = OPERATIONS[name].readable(
                    perform(engine, OPERATIONS[name], params, caller)
                )
                readable = readable.replace(str(root), "").replace(SKIPPED, "")
                readable = readable.replace("files_skipped, ", "")
                found[f"{name} {number} as text"] = readable
            except InvalidParamsError as error:
                found[f"{name} {number}"] = str(error)
    for uri in ("vouch://status", "vouch://entities", "vouch://entity/vault"):
        found[uri] = lasting(json.loads(asyncio.run(resources.read(engine, caller, uri)) or "null"))
    who = {"project": viewer.project, "agent": viewer.agent}

    async def hooks() -> None:
        for event in ("session-start", "user-prompt-submit"):
            payload = {"prompt": TEXT, "cwd": str(root), "viewer": who}
            found[event] = await respond_async(engine, event, payload, Caller("socket", env={}))

    anyio.run(hooks)
    rows = [row for push in Pushes(engine, caller, {"s"}).salience() for row in push.rows]
    found["push"] = [(row.entity.id, row.claim_count, row.top_claim_id) for row in rows]
    found |= in_editor(engine, viewer)
    return found


def in_editor(engine: Engine, viewer: Viewer) -> dict[str, Any]:
    """Hover, definition, and whatever else a document shows."""
    server = sidecar_on(engine)
    uri = "untitled:text"
    at = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 12}}
    who = {"project": viewer.project, "agent": viewer.agent}
    begin = {
        "processId": None,
        "rootUri": None,
        "capabilities": {},
        "initializationOptions": {"viewer": who, "session_id": "lsp"},
    }
    document = {"uri": uri, "languageId": "plaintext", "version": 1, "text": TEXT}
    methods = ("hover", "definition", "references", "documentHighlight", "completion")
    asked = [
        call("initialize", begin, 0),
        call("initialized", {}),
        call("textDocument/didOpen", {"textDocument": document}),
        *(call(f"textDocument/{name}", at, n) for n, name in enumerate(methods, 1)),
        call("workspace/symbol", {"query": "key"}, 90),
    ]
    answers = talk(server, framed(*asked))
    return {f"lsp {m['id']}": lasting(m.get("result")) for m in answers if m.get("id")}


def test_every_operation_is_asked() -> None:
    assert PARAMS.keys() | ASIDE == OPERATIONS.keys()


def plain(answer: Any, folder: Path) -> str:
    """As text, without where it lies and whether a file could not be read."""
    text = json.dumps(answer, sort_keys=True, default=str).replace('\\"files_skipped\\"', "")
    return text.replace(f"{folder}/all", "").replace(f"{folder}/shown", "")


@examples(4)
@given(st.lists(kinds(), min_size=1, max_size=6), st.sampled_from(VIEWERS))
def test_nobody_is_told_what_he_may_not_see(
    tmp_path_factory: pytest.TempPathFactory,
    hidden: list[Hidden],
    viewer: Viewer,
) -> None:
    log = StringIO()
    handler = logging.StreamHandler(log)
    ours = logging.getLogger("vouch_sidecar")
    ours.addHandler(handler)
    ours.setLevel(logging.DEBUG)
    folder = tmp_path_factory.mktemp("gates")
    entries = dict(file_of(number, one, viewer) for number, one in enumerate(hidden))
    shown = {
        path: data
        for (path, data), one in zip(entries.items(), hidden, strict=True)
        if sees(viewer, one) or (one[1] == MISSPELLED and passes(viewer, one[2]))
    }
    told = []
    for name, files in (("all", entries), ("shown", shown)):
        root = base(folder / name / "kb", {**files, "config.yaml": dump({"kb": {"name": "kb"}})})
        told.append(said(engine_on(root), root, viewer))
    everything = json.dumps(told[0], default=str)
    assert MARK not in everything
    ours.removeHandler(handler)
    assert MARK not in log.getvalue()
    for surface, answer in told[1].items():
        assert plain(told[0][surface], folder) == plain(answer, folder), surface


@pytest.mark.parametrize("status", STATUSES[3:6])
def test_what_is_retired_is_in_no_file_of_ours(tmp_path: Path, status: str) -> None:
    files = dict([file_of(0, ("claims", status, SCOPES[0]), Viewer())])
    root = base(tmp_path / "kb", files)
    engine = engine_on(root, env=cached(tmp_path))
    assert engine.load(whole=True)
    assert any((tmp_path / "cache").rglob("manifest.json"))
    assert not holds(tmp_path / "cache", MARK)
