"""The answer to an event out of a frozen knowledge base: as the engine's, and in a tenth of the
time. Nothing is imported that the answer does not need.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from vouch_sidecar.engine.brief import brief
from vouch_sidecar.engine.probing import probe
from vouch_sidecar.engine.served import Speaker
from vouch_sidecar.engine.speech import speak_of
from vouch_sidecar.index.cache import Cache, user_folder
from vouch_sidecar.index.frozen import thaw
from vouch_sidecar.kb.glance import glance
from vouch_sidecar.kb.layout import KB_DIRNAME
from vouch_sidecar.kb.settings import settings_of, viewer_for
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.surfaces.hook.naming import naming

__all__ = ["about", "speaker"]


def speaker(root: Path, env: Mapping[str, str]) -> Speaker | None:
    """The knowledge base in a folder; None unless it was frozen just as its files are now."""
    folder, state = user_folder(env), glance(root / KB_DIRNAME)
    frozen = Cache(folder, root).load(state) if folder and state else None
    if frozen is None:
        return None
    settings = settings_of(frozen["config"], env)
    gates = viewer_for(settings, None, None, env).gates
    return Speaker(View(settings.kb_name or root.name or "kb", thaw(frozen), gates), settings)


def about(one: Speaker, event: str, payload: Mapping[str, Any], late: Callable[[], bool]) -> str:
    """The text that answers an event, "" for none."""
    if event == "session-start":
        return brief([one])
    if event == "user-prompt-submit":
        prompt = payload["prompt"]
        return speak_of([one], [prompt], probed=probe([one], prompt, None, late).probe).text
    lines = naming([one], payload["tool_input"]["new_string"] or "")
    return speak_of([one], [lines]).text if lines else ""
