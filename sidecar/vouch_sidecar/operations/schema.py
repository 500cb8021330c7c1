"""JSON Schemas of everything on the wire."""

from __future__ import annotations

from typing import Any

from pydantic.json_schema import models_json_schema

from vouch_sidecar.index.topic_table import topic_id
from vouch_sidecar.kb.pauses import UNTIL_RESUMED
from vouch_sidecar.operations.capabilities import PROTOCOL
from vouch_sidecar.operations.notifications import NOTIFICATIONS, REQUESTS
from vouch_sidecar.operations.open_document import PROMPT_DOCUMENT
from vouch_sidecar.operations.operation import KB, operations
from vouch_sidecar.operations.wire import Wire
from vouch_sidecar.retrieval.push import PUSHED_ROWS


def protocol() -> dict[str, Any]:
    """All operations and notifications with their params and results, shared `$defs`, and
    constants: the language and scheme of prompts, rows of a push at most, what ids of topics begin
    with, the end of a pause without one in seconds since 1970.

    Params are described as they are read. Results are described as they are written: every field
    is present, except those marked with `x-absent`.
    """
    called, sent = operations().values(), [*REQUESTS.values()]
    models: list[type[Wire]] = [each for op in called for each in (op.params, op.result)]
    models += [*NOTIFICATIONS.values(), *(each for pair in sent for each in pair)]
    refs, shared = models_json_schema(
        [(model, "validation") for model in models], ref_template="#/$defs/{model}"
    )
    defs = shared["$defs"]
    for name, definition in defs.items():
        _tidy(name, definition)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "vouch-sidecar protocol",
        "protocol": PROTOCOL,
        "constants": {
            "PROMPT_DOCUMENT": PROMPT_DOCUMENT,
            "PUSHED_ROWS": PUSHED_ROWS,
            "TOPIC_ID": topic_id(""),
            "UNTIL_RESUMED": int(UNTIL_RESUMED),
        },
        "operations": {
            op.name: {
                "method": op.method,
                "kb_method": KB + op.name,
                "summary": op.summary,
                "params": refs[op.params, "validation"],
                "result": refs[op.result, "validation"],
            }
            for op in called
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
    schema = model.model_json_schema()
    for name, definition in ((model.__name__, schema), *schema.get("$defs", {}).items()):
        _tidy(name, definition)
    return schema


def _tidy(name: str, definition: dict[str, Any]) -> None:
    """Remove titles, which repeat names. Of what is no params, require all fields but absent ones,
    and remove defaults.
    """
    is_result = not name.endswith("Params")
    fields: dict[str, dict[str, Any]] = definition.get("properties", {})
    for field in fields.values():
        for key in ("title", *(["default"] if is_result else [])):
            field.pop(key, None)
    if is_result:
        definition["required"] = [n for n, field in fields.items() if "x-absent" not in field]
