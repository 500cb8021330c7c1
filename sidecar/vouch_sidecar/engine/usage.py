"""Which knowledge bases this process counts the use of, and counting it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from vouch_sidecar.engine.callers import Served
from vouch_sidecar.engine.ledger import UsageLedger
from vouch_sidecar.engine.session import Session
from vouch_sidecar.retrieval.blocks.block import ContextHit
from vouch_sidecar.retrieval.blocks.context import ContextBlock


class UsageCounts:
    """`ledgers` are those of the knowledge bases whose socket this process owns, by root."""

    def __init__(self) -> None:
        self.ledgers: dict[Path, UsageLedger] = {}

    def ledger(self, served: Served) -> UsageLedger | None:
        """Where this process counts for a knowledge base; None where another one does, or nobody,
        because that is switched off, or it is paused.
        """
        return self.ledgers.get(served.collection.root) if self.is_on(served) else None

    def is_on(self, served: Served) -> bool:
        """Whether anything is counted for a knowledge base, by whichever process."""
        return served.settings.ledger.enabled and served.collection.pause.until() is None

    def count_given(
        self, served: Sequence[Served], session: Session, prompt: str, speech: ContextBlock
    ) -> None:
        """Count the lines of a block that a session was given, which a prompt brought in."""
        lines = (line for line in speech.text.splitlines() if line.startswith("- "))
        given = list(zip(speech.hits, lines, strict=False))
        for kb in served if given else ():
            if (ledger := self.ledger(kb)) is not None:
                ledger.gave(session, prompt, [pair for pair in given if _is_of(pair[0], kb)])


def _is_of(hit: ContextHit, served: Served) -> bool:
    return hit.view.identity == served.view.identity
