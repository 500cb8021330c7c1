"""How long a hook may take, as the knowledge base's config and the environment have it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sidecar.kb.document import MAX_YAML
from sidecar.kb.files import UnreadableError, read_bounded
from sidecar.kb.layout import CONFIG, KB_DIRNAME
from sidecar.kb.settings import load_settings

__all__ = ["limit_for"]


def limit_for(root: str, env: Mapping[str, str]) -> float:
    """Seconds."""
    folder = Path(root)
    try:
        config, _ = read_bounded(folder / KB_DIRNAME / CONFIG, MAX_YAML, inside=folder)
    except (OSError, UnreadableError):
        config = b""
    settings, _ = load_settings(config, None, env)
    return settings.recall.timeout_ms / 1000
