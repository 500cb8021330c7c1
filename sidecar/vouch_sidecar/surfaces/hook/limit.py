"""How long a hook may take, as the knowledge base's config and the environment have it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from vouch_sidecar.kb.document import MAX_YAML
from vouch_sidecar.kb.files import UnreadableError, read_bounded
from vouch_sidecar.kb.layout import CONFIG, KB_DIRNAME
from vouch_sidecar.kb.settings import load_settings

__all__ = ["limit_for"]


def limit_for(root: str, env: Mapping[str, str]) -> float:
    """Seconds."""
    kb_dir = Path(root) / KB_DIRNAME
    try:
        config, _ = read_bounded(kb_dir / CONFIG, MAX_YAML, kb_dir=kb_dir)
    except (OSError, UnreadableError):
        config = b""
    settings, _ = load_settings(config, None, env)
    return settings.recall.timeout_ms / 1000
