"""A caller, and a knowledge base as that caller sees it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from vouch_sidecar.engine.collection import Collection
from vouch_sidecar.engine.session import Session
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.retrieval.blocks.context import ConfiguredView
from vouch_sidecar.retrieval.session_update import Window


@dataclass(frozen=True, slots=True)
class Caller:
    """A connection. `session_id`: its own session, if any. `env`: its environment; None: that of
    this process. `roots`: the knowledge bases that it may ask; None: all that are served.
    `is_model`: whether a model reads the answers.
    """

    connection: str = "local"
    session_id: str | None = None
    viewer: Viewer | None = None
    env: Mapping[str, str] | None = None
    roots: frozenset[Path] | None = None
    is_model: bool = False

    @property
    def asker(self) -> str:
        """Whose turn a question is that names no session."""
        return self.session_id or self.connection


@dataclass(frozen=True, slots=True)
class Served(ConfiguredView):
    """A collection as one caller sees it."""

    collection: Collection

    def window(self, session: Session, *, asked: bool = False) -> Window:
        """A session's texts that count for this knowledge base; none if `reflex` is off. `asked`:
        for somebody who asks, with words that are being typed.
        """
        reflex = self.settings.reflex
        slots = session.window(self.view.identity, asked=asked) if reflex.enabled else []
        texts = [slot.text for slot in slots[: reflex.window]]
        also = slots[0].also if slots else ()
        return Window(self, texts, also, session.ranked)
