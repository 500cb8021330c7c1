"""A knowledge base as one caller sees it."""

from __future__ import annotations

from dataclasses import dataclass

from vouch_sidecar.engine.collection import Collection
from vouch_sidecar.engine.sessions import Session
from vouch_sidecar.retrieval.context import Speaker
from vouch_sidecar.retrieval.turn import Window


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
