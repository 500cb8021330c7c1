"""The resources: `vouch://status`, `vouch://entities`, `vouch://entity/{id}`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from typing import Any
from urllib.parse import unquote

from vouch_sidecar.engine import Caller, Engine, Served
from vouch_sidecar.engine.question_queue import in_turn
from vouch_sidecar.operations import OPERATIONS, as_json, perform_async
from vouch_sidecar.operations.readiness import indexed, seconds_to_wait
from vouch_sidecar.retrieval.blocks.block import safe

JSON = "application/json"
STATUS = "vouch://status"
ENTITIES_URI = "vouch://entities"
ENTITY = "vouch://entity/"

RESOURCES = [
    {
        "uri": STATUS,
        "name": "status",
        "title": "Knowledge bases",
        "description": "The knowledge bases that are served, their counts and problems.",
        "mimeType": JSON,
    },
    {
        "uri": ENTITIES_URI,
        "name": "entities",
        "title": "Entities",
        "description": "Every entity by name, with how many live claims count for it.",
        "mimeType": JSON,
    },
]

TEMPLATES = [
    {
        "uriTemplate": ENTITY + "{id}",
        "name": "entity",
        "title": "Entity",
        "description": "An entity with its claims, pages and relations.",
        "mimeType": JSON,
    }
]


async def read(engine: Engine, caller: Caller, uri: str) -> str | None:
    """A resource as JSON; None for an unknown URI.

    Raises `InvalidParamsError` for an unknown entity.
    """
    if uri == STATUS:
        content = as_json(await perform_async(engine, OPERATIONS["status"], {}, caller, whole=True))
    elif uri == ENTITIES_URI:
        await indexed(engine, seconds_to_wait(engine))
        served = engine.serving(caller)
        content = {"entities": await in_turn(caller.asker, partial(_entities, served))}
    elif uri.startswith(ENTITY):
        params = {"id": unquote(uri.removeprefix(ENTITY))}
        asked = await perform_async(engine, OPERATIONS["entity"], params, caller, whole=True)
        content = as_json(asked)
    else:
        return None
    return json.dumps(harmless(content), ensure_ascii=False, separators=(",", ":"))


def harmless(value: Any) -> Any:
    """A JSON value with each text made one line that can't close the frame of a context block."""
    if isinstance(value, str):
        return safe(value)
    if isinstance(value, dict):
        return {key: harmless(below) for key, below in value.items()}
    return [harmless(below) for below in value] if isinstance(value, list) else value


def _entities(served: Sequence[Served]) -> list[dict[str, Any]]:
    entities = [
        {
            "id": entity.id,
            "name": entity.name,
            "type": entity.type,
            "claim_count": kb.view.counts.claims_of(entity.id),
            "collection": kb.view.collection,
        }
        for kb in served
        for entity in kb.view.knowledge.names.entities()
    ]
    return sorted(entities, key=lambda e: (e["name"].casefold(), e["id"], e["collection"]))
