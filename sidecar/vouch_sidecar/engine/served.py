"""A knowledge base as one caller sees it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vouch_sidecar.engine.collection import Collection
from vouch_sidecar.engine.sessions import Session
from vouch_sidecar.kb.settings import Settings
from vouch_sidecar.retrieval.salience import Salient, rank
from vouch_sidecar.retrieval.view import View


@dataclass(frozen=True, slots=True)
class Speaker:
    """A view of a knowledge base and its settings."""

    view: View
    settings: Settings

    def window(self, session: Session) -> list[str]:
        """The texts of a session that count for this knowledge base, newest first."""
        reflex = self.settings.reflex
        texts = session.newest_first(self.view.identity) if reflex.enabled else []
        return texts[: reflex.window]

    def in_play(self, session: Session, most: int) -> list[Salient]:
        """The ranking of a session's window. It is computed again only when something changed."""
        texts = self.window(session)
        newest = texts[0] if texts else ""
        state = (self.view.stamp, most, *texts)
        return session.ranked.once(newest, state, lambda: rank([self.view], texts, most))


@dataclass(frozen=True, slots=True)
class Served(Speaker):
    """A collection as one caller sees it."""

    collection: Collection

    @property
    def tells_authors(self) -> bool:
        """Whether there are commits, and the caller is told of their authors."""
        return self.collection.has_commits and self.view.authors.are_told


def persona_of(served: Sequence[Speaker], collection: str | None) -> str | None:
    """The persona that the config of a collection names."""
    found = (one for one in served if one.view.collection == collection)
    return next((one.settings.general.persona for one in found), None)
