"""What speaks: a knowledge base as one caller sees it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sidecar.kb.settings import Settings
from sidecar.retrieval.sessions import Session
from sidecar.retrieval.view import View

if TYPE_CHECKING:
    from sidecar.engine.collection import Collection

__all__ = ["Served", "Speaker"]


@dataclass(frozen=True, slots=True)
class Speaker:
    """A view of a knowledge base, with the settings that rule there."""

    view: View
    settings: Settings

    def window(self, session: Session) -> list[str]:
        """The texts of a session that count here, newest first."""
        reflex = self.settings.reflex
        texts = session.newest_first(self.view.identity) if reflex.enabled else []
        return texts[: reflex.window]


@dataclass(frozen=True, slots=True)
class Served(Speaker):
    """A collection as one caller sees it."""

    collection: Collection
