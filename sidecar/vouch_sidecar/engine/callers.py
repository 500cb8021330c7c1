"""A caller, and a knowledge base as that caller sees it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from vouch_sidecar.engine.collection import Collection
from vouch_sidecar.engine.sessions import Session
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.retrieval.blocks.context import ConfiguredView
from vouch_sidecar.retrieval.session_update import Window


@dataclass(frozen=True, slots=True)
class Caller:
    """A connection that asks.

    `session_id` is its own session, if it has one. `env` is its environment, None for that of this
    process. `roots` are the working trees whose knowledge bases it may ask, None for those of the
    process's own folders; `at` is the file or folder that it asks about. `is_model` tells whether a
    model reads the answers.
    """

    connection: str = "local"
    session_id: str | None = None
    viewer: Viewer | None = None
    env: Mapping[str, str] | None = None
    roots: frozenset[Path] | None = None
    is_model: bool = False
    at: Path | None = None
    unheard: list[Callable[[], None]] | None = field(default=None, compare=False)
    """Takes what is to be recorded of answers, where it turns out later whether they were heard.
    None: it is recorded when they are given.
    """
    is_unasked: bool = False
    """Whether this is a hook or a push, which speaks to somebody who did not ask."""

    def when_heard(self, record: Callable[[], None]) -> None:
        """Have something recorded once an answer to this caller was heard."""
        if self.unheard is None:
            record()
        else:
            self.unheard.append(record)


@dataclass(frozen=True, slots=True)
class Served(ConfiguredView):
    """A collection as one caller sees it: its view and the settings that apply."""

    collection: Collection

    def window(self, session: Session) -> Window:
        """The texts of a session that count for this knowledge base; none if `reflex` is off."""
        reflex = self.settings.reflex
        texts = session.window(self.view.identity) if reflex.enabled else []
        return Window(self, texts[: reflex.window])
