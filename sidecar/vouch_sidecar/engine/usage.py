"""Counts the use of those knowledge bases whose counts this process keeps."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from vouch_sidecar.engine.callers import Served
from vouch_sidecar.engine.ledger import UsageLedger
from vouch_sidecar.engine.session import Session
from vouch_sidecar.retrieval.blocks.context import ContextBlock

TRIAL = "trial-"
"""How the ids of sessions begin in which no agent asks, but a trial."""


class UsageCounts:
    """Counts in the ledgers of the knowledge bases whose socket this process owns."""

    def __init__(self) -> None:
        self._ledgers: dict[Path, UsageLedger] = {}

    def keep(self, root: Path, ledger: UsageLedger) -> None:
        """Keep a ledger: this process owns the socket of a knowledge base from now on."""
        self._ledgers[root] = ledger

    def let_go(self, root: Path) -> None:
        """Let another process keep the ledger."""
        del self._ledgers[root]

    def kept(self, root: Path) -> UsageLedger | None:
        """The ledger of a knowledge base, also while nothing is counted. None if another process
        owns its socket, and so keeps its ledger and the sessions of agents.
        """
        return self._ledgers.get(root)

    def ledger(self, served: Served) -> UsageLedger | None:
        """The ledger that this process keeps for a knowledge base. None if another process keeps
        it, or if counting is off or paused.
        """
        return self._ledgers.get(served.collection.root) if self.is_on(served) else None

    def is_on(self, served: Served) -> bool:
        """Whether the use of a knowledge base is counted, by whichever process."""
        return served.settings.ledger.enabled and served.collection.pause.until() is None

    def count_prompt(self, served: Served, session_id: str | None, is_told: bool) -> None:
        """Count a prompt that a hook reported, and whether it was told something."""
        ledger = self.ledger(served)
        if ledger is not None and not (session_id or "").startswith(TRIAL):
            ledger.count_prompt(is_told=is_told)

    def count_given(
        self, served: Sequence[Served], session: Session, prompt: str, block: ContextBlock
    ) -> None:
        """Count the lines of the block that a session was given for a prompt."""
        if session.id.startswith(TRIAL):
            return
        given = list(zip(block.hits, block.lines, strict=True))
        for kb in served if given else ():
            if (ledger := self.ledger(kb)) is not None:
                own = [pair for pair in given if pair[0].view.identity == kb.view.identity]
                ledger.count_given(session, prompt, own)
