"""Who is asking, and a knowledge base as they see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from vouch_sidecar.engine.collection import Collection
from vouch_sidecar.engine.sessions import Session
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.retrieval.context import Speaker
from vouch_sidecar.retrieval.turn import Window


@dataclass(frozen=True, slots=True)
class Caller:
    """A connection. `session_id` is its own session, if it has one. `env` is its environment; None
    stands for that of this process. `roots` are the knowledge bases that it asks about; None
    stands for all that this process serves. `is_model`: what it is told goes to a model.
    """

    connection: str = "local"
    session_id: str | None = None
    viewer: Viewer | None = None
    env: Mapping[str, str] | None = None
    roots: frozenset[Path] | None = None
    is_model: bool = False


@dataclass(frozen=True, slots=True)
class Served(Speaker):
    """A collection as one caller sees it."""

    collection: Collection

    @property
    def tells_authors(self) -> bool:
        """Whether there are commits, and the caller is told of their authors."""
        return self.collection.has_commits and self.view.authors.are_told

    def window(self, session: Session) -> Window:
        """The window of a session, as far as it counts for this knowledge base."""
        reflex = self.settings.reflex
        texts = session.newest_first(self.view.identity) if reflex.enabled else []
        return Window(self, texts[: reflex.window], session.ranked)
