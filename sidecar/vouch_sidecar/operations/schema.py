"""JSON Schemas of everything on the wire."""

from __future__ import annotations

from typing import Any

from pydantic.json_schema import models_json_schema

from vouch_sidecar.operations.capabilities import PROTOCOL
from vouch_sidecar.operations.notifications import NOTIFICATIONS, REQUESTS, PromptParams
from vouch_sidecar.operations.operation import operations
from vouch_sidecar.operations.wire import ViewerParams, Wire


def protocol() -> dict[str, Any]:
    """All operations and notifications with their params and results, and shared `$defs`.

    Params are described as they are read. Results are described as they are written: every field
    is present, except those marked with `x-absent`.
    """
    taken = _taken()
    given: list[type[Wire]] = [op.result for op in operations().values()]
    models = [*taken.values(), *given, *NOTIFICATIONS.values()]
    models += [result for _, result in REQUESTS.values()]
    refs, shared = models_json_schema(
        [(model, "validation") for model in models], ref_template="#/$defs/{model}"
    )
    defs = shared["$defs"]
    for name, definition in defs.items():
        _tidy(definition, whole=name not in taken)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "vouch-sidecar protocol",
        "protocol": PROTOCOL,
        "operations": {
            op.name: {
                "method": op.method,
                "kb_method": op.kb_method,
                "summary": op.summary,
                "params": refs[op.params, "validation"],
                "result": refs[op.result, "validation"],
            }
            for op in operations().values()
        },
        "requests": {
            method: {
                "params": refs[params, "validation"],
                "result": refs[result, "validation"],
            }
            for method, (params, result) in sorted(REQUESTS.items())
        },
        "notifications": {
            method: {"params": refs[model, "validation"]}
            for method, model in sorted(NOTIFICATIONS.items())
        },
        "$defs": dict(sorted(defs.items())),
    }


def standalone(model: type[Wire]) -> dict[str, Any]:
    """The schema of one model, with an object at the root, as MCP requires, and its `$defs`."""
    schema, taken = model.model_json_schema(), _taken()
    for name, definition in ((model.__name__, schema), *schema.get("$defs", {}).items()):
        _tidy(definition, whole=name not in taken)
    return schema


def _taken() -> dict[str, type[Wire]]:
    """The models of params by name, in which fields may be left out."""
    models: list[type[Wire]] = [op.params for op in operations().values()]
    models += [PromptParams, ViewerParams, *(params for params, _ in REQUESTS.values())]
    return {model.__name__: model for model in models}


def _tidy(definition: dict[str, Any], whole: bool) -> None:
    """Remove titles, which repeat names. `whole`: require all fields except absent ones."""
    fields: dict[str, dict[str, Any]] = definition.get("properties", {})
    for field in fields.values():
        field.pop("title", None)
        if whole:
            field.pop("default", None)
    if whole:
        definition["required"] = [n for n, field in fields.items() if "x-absent" not in field]
