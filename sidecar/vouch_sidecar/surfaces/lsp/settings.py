"""A client's settings, in whichever of the usual forms they come."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["SECTION", "own_settings"]

SECTION = "vouchSidecar"
NAMES = (SECTION, "vouch-sidecar")
SECTIONS = ("recall", "prompts", "hover", "probe", "persona", "reflex", "volunteer")


def own_settings(raw: object) -> dict[str, Any] | None:
    """What of an object is ours: the sections themselves, all of them below our name, or as
    `config.yaml` nests them. None where nothing of it is.
    """
    if not isinstance(raw, Mapping):
        return None
    for name in NAMES:
        if isinstance(raw.get(name), Mapping):
            return own_settings(raw[name]) or {}
    found = {name: raw[name] for name in SECTIONS if name in raw}
    if isinstance(sidecar := raw.get("sidecar"), Mapping):
        found |= sidecar
    if isinstance(retrieval := raw.get("retrieval"), Mapping) and "reflex" in retrieval:
        found["reflex"] = retrieval["reflex"]
    return found or None
