"""A client's settings, in whichever of the usual forms they come."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vouch_sidecar.kb.settings import CLIENT, names

SECTIONS = (CLIENT, "vouch-sidecar")
EDITORS = frozenset({"path", "trace"})
"""What the editor's extension reads itself."""


def own_settings(raw: object) -> dict[str, Any] | None:
    """Our settings in what a client sent, by group; None where there are none.

    They stand below one of our names; else the groups stand at the top, or nested as in
    `config.yaml`.
    """
    if not isinstance(raw, Mapping):
        return None
    for section in SECTIONS:
        if isinstance(own := raw.get(section), Mapping):
            return _flat({name: own[name] for name in own if name not in EDITORS})
    groups = {one.client.split(".")[1] for one in names() if "client" in one.group.sources}
    return (
        _flat({name: raw[name] for name in ("sidecar", "retrieval", *groups) if name in raw})
        or None
    )


def _flat(given: dict[str, Any]) -> dict[str, Any]:
    """Settings with the groups of `sidecar` and `retrieval` moved to the top."""
    for room in ("sidecar", "retrieval"):
        inner = given.pop(room, None)
        given |= inner if isinstance(inner, Mapping) else {}
    return given
