"""All that the surfaces say to one viewer of a knowledge base, by question."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import anyio
from vouch_sidecar.engine import Caller, Engine, Pushes
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.operations import OPERATIONS, InvalidParamsError, as_json, perform
from vouch_sidecar.operations.experts import ExpertsResult
from vouch_sidecar.surfaces.hook.event_answers import EVENTS, respond
from vouch_sidecar.surfaces.hook.payload import FILE, PROMPT

from tests.engine.bases import pushed
from tests.protocol.client import Client

Answers = dict[str, str]


class Asked(NamedTuple):
    """What is asked about. `bait` stands beside what is withheld."""

    entity: str
    bait: str
    questions: tuple[str, ...]
    path: str
    ids: tuple[str, ...]


Params = list[dict[str, Any]]
PARAMS: Mapping[str, Callable[[Asked], Params]] = {
    "experts": lambda a: [
        {"topic": a.questions[0], "explain": True},
        {"topic": a.questions[1], "weight": "evidence"},
    ],
    "search": lambda a: [
        *({"query": one, "limit": 20} for one in (a.entity, *a.questions)),
        {"query": a.questions[1], "kinds": ["page", "source"]},
    ],
    "probe": lambda a: [{"text": question} for question in a.questions],
    "context": lambda a: [{"task": one, "max_chars": 5000} for one in (a.entity, *a.questions)],
    "explain": lambda a: [{"text": question} for question in a.questions],
    "mentions": lambda a: [{"text": " ".join(a.questions)}],
    "files": lambda a: [{"paths": [a.path]}],
    "salience": lambda a: [{"session_id": a.entity, "top_k": 20}],
    "entity": lambda a: [{"id": a.entity}],
    "claim": lambda a: [{"id": artifact_id} for artifact_id in a.ids],
    "status": lambda _: [{}],
    "stats": lambda _: [{}],
    "capabilities": lambda _: [{}],
    "session_end": lambda a: [{"session_id": a.entity}],
}
"""By operation the params that should bring up what there is."""
UNMATCHED = "unmatched"
"""Labels the words of a topic that experts does not know."""
PASSING = {"generation", "probe_time_ms", "from_cache", "indexed_at", "tokenId", "sessions"}
SHA = re.compile(r"\b([0-9a-f]{2})[0-9a-f]{62}\b")


def said(engine: Engine, root: Path, viewer: Viewer, asked: Asked) -> Answers:
    """What every surface but an editor says about something."""
    engine.observe(asked.entity, None, asked.questions[1])
    pushes = Pushes(engine, Caller("editor", viewer=viewer), {asked.entity})
    rows = [row for push in pushed(pushes) for row, _ in push.update.rows]
    found = {"push": plain([(r.entity.id, r.claim_count, r.top_claim_id) for r in rows], root)}
    found |= by_operations(engine, root, viewer, asked, OPERATIONS)
    return found | anyio.run(by_hooks, engine, root, viewer, asked, EVENTS)


def by_operations(
    engine: Engine, root: Path, viewer: Viewer, asked: Asked, names: Iterable[str]
) -> Answers:
    """What some operations answer, as an object and as the text that a model reads."""
    caller = Caller("editor", viewer=viewer)
    found: Answers = {}
    for name in names:
        operation = OPERATIONS[name]
        for params in PARAMS[name](asked):
            try:
                result = perform(engine, operation, params, caller)
            except InvalidParamsError as error:
                found[f"{name} {params}"] = str(error)
            else:
                if isinstance(result, ExpertsResult):  # these are the asker's own words
                    found[f"{UNMATCHED} {params}"] = plain(result.unmatched, root)
                    result = result.model_copy(update={"unmatched": None})
                text = operation.readable(result)
                found[f"{name} {params}"] = plain([as_json(result), text], root)
    return found


async def by_hooks(
    engine: Engine, root: Path, viewer: Viewer, asked: Asked, events: Iterable[str]
) -> Answers:
    """What the hooks of some events say: of a prompt by question, of any other event once."""
    found: Answers = {}
    who = {"project": viewer.project, "agent": viewer.agent}
    both = "\n".join(asked.questions)
    for event in events:
        for number, text in enumerate(asked.questions if event == PROMPT else [both]):
            session = event if event == FILE else number  # where a prompt was told what a file is
            payload = {
                "session_id": f"{session} {asked.entity} {viewer}",
                "prompt": text,
                "last_assistant_message": text,
                "cwd": str(root),
                "viewer": who,
                "tool_name": "Read",
                "tool_input": {"file_path": asked.path, "content": text},
            }
            answer = await respond(engine, event, payload, Caller("socket", env={}))
            found[f"hook {event} {number}"] = plain(answer, root)
    return found


def in_editor(client: Client, root: Path, everything: Iterable[Asked]) -> Answers:
    """What an editor is told about several things."""
    found: Answers = {}
    for asked in everything:
        sent: dict[str, int] = {}
        for label, method, params in _requests(root, asked):
            if label:
                sent[f"{asked.entity}: lsp {method} {label}"] = client.start(method, params)
            else:
                client.notify(method, params)
        for label, number in sent.items():
            answer = client.answer(number)
            assert "error" not in answer, (label, answer)
            if "/context " in label:  # has the typed name in play once its pause was over
                answer["result"].pop("_meta", None)
            found[label] = plain(answer["result"], root)
    return found


def _requests(root: Path, asked: Asked) -> Iterator[tuple[str, str, object]]:
    """Label (none for a notification), method and params."""
    name = asked.entity
    claim = f".vouch/claims/{asked.ids[0]}.yaml"
    texts = {
        f"untitled:{name}": f"About {asked.path} here.\n{asked.questions[1]}\n",
        (root / f".vouch/pages/new-{name}.md").as_uri(): "---\nid: new\ntitle: New\nclaims:\n"
        f"- {name}\n---\nSee [[{name}\n",
        (root / claim).as_uri(): (root / claim).read_text("utf-8"),
    }
    for uri, text in texts.items():
        of, short = {"textDocument": {"uri": uri}}, uri.rpartition("/")[2]
        document = {"uri": uri, "languageId": "markdown", "version": 1, "text": text}
        yield "", "textDocument/didOpen", {"textDocument": document}
        for number, line in enumerate(text.splitlines()):
            if name in line:
                spot = {"line": number, "character": line.index(name) + 1}
                at = {**of, "position": spot, "context": {"includeDeclaration": True}}
                for method in ("hover", "definition"):
                    yield f"{short}:{number}", f"textDocument/{method}", at
                at = {**of, "position": {"line": number, "character": len(line)}}
                yield f"{short}:{number}", "textDocument/completion", at
        yield "", "textDocument/didClose", of
    prompt = {"uri": f"vouch-prompt:///{name}/1", "languageId": "vouch-prompt", "version": 1}
    document = {**prompt, "text": asked.questions[1]}
    yield "", "textDocument/didOpen", {"textDocument": document}
    yield "prompt", "vouch/context", {"session_id": name, "max_chars": 5000}
    for query in (name, asked.bait):
        yield query, "workspace/symbol", {"query": query}
    yield "uri", "vouch/files", {"uri": (root / asked.path).as_uri()}
    yield "changed", "vouch/search", {"query": "", "since": "9999d"}


def plain(answer: Any, root: Path) -> str:
    """An answer as text, without what differs from run to run or with a source's content."""
    text = json.dumps(_lasting(answer), sort_keys=True, ensure_ascii=False, default=str)
    return SHA.sub(r"\1", text.replace(str(root), ""))


def _lasting(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _lasting(v) for k, v in value.items() if k not in PASSING}
    return [_lasting(item) for item in value] if isinstance(value, list | tuple) else value
