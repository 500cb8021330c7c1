"""The resources: `vouch://status`, `vouch://entities`, `vouch://entity/{id}`."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import unquote

from mcp_types import Resource, ResourceTemplate

from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.operations import as_json, call

__all__ = ["RESOURCES", "TEMPLATES", "read"]

JSON = "application/json"
STATUS = "vouch://status"
ENTITIES = "vouch://entities"
ENTITY = "vouch://entity/"

RESOURCES = [
    Resource(
        uri=STATUS,
        name="status",
        title="Knowledge bases",
        description="The knowledge bases that are served, their counts and problems.",
        mime_type=JSON,
    ),
    Resource(
        uri=ENTITIES,
        name="entities",
        title="Entities",
        description="Every entity by name, with how many live claims count for it.",
        mime_type=JSON,
    ),
]

TEMPLATES = [
    ResourceTemplate(
        uri_template=ENTITY + "{id}",
        name="entity",
        title="Entity",
        description="An entity with its claims, pages and relations.",
        mime_type=JSON,
    )
]


def read(engine: Engine, caller: Caller, uri: str) -> str | None:
    """A resource as JSON; None for an unknown URI.

    Raises `InvalidParamsError` for an entity that is not there.
    """
    if uri == STATUS:
        return _json(as_json(call(engine, "status", {}, caller)))
    if uri == ENTITIES:
        return _json({"entities": _entities(engine, caller)})
    if uri.startswith(ENTITY):
        found = call(engine, "entity", {"id": unquote(uri.removeprefix(ENTITY))}, caller)
        return _json(as_json(found))
    return None


def _entities(engine: Engine, caller: Caller) -> list[dict[str, Any]]:
    with engine.serving(caller) as served:
        found = [
            {
                "id": entity.id,
                "name": entity.name,
                "type": entity.type,
                "claim_count": one.view.claim_count(entity.id),
                "collection": one.view.collection,
            }
            for one in served
            for entity in one.view.knowledge.names.entities()
        ]
    return sorted(found, key=lambda e: (e["name"].casefold(), e["id"], e["collection"]))


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
