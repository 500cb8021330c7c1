"""Writes the base from which the next process starts, and takes it away when text is retired."""

from __future__ import annotations

from typing import NamedTuple

from vouch_sidecar.index.base_cache import Bases, Inventory, KeptFile, Unfinished
from vouch_sidecar.index.encoding import NOBODY
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.index.layers import Layer, Writing, in_memory
from vouch_sidecar.index.links import WITHOUT_QUOTE, LinkState
from vouch_sidecar.kb.access import is_shown_to_any
from vouch_sidecar.kb.records import Artifact, key_of
from vouch_sidecar.kb.store import Store

REBASE_FROM = 300
"""A new base is written once this many artifacts changed: every change rebuilds the layers."""


class Written(NamedTuple):
    """A new base with the generation that it was written from. `unfinished` is None for a base in
    memory; `purges` counts the purges before it was written.
    """

    generation: Knowledge
    layer: Layer
    unfinished: Unfinished | None
    purges: int


class BaseWriter:
    """Writes the bases of one knowledge base into the cache `bases`; None keeps them in memory. All
    methods block.
    """

    def __init__(self, bases: Bases | None) -> None:
        self.bases = bases
        self._config: bytes | None = None
        """The last readable config, as the base hands it to the next process."""
        self._unfinished: Unfinished | None = None
        self._purged = False
        self.purges = 0
        """How often the bases were purged."""

    def begin(self, bases: Bases) -> Writing:
        """Begin a base on disk. Raises OSError or ValueError."""
        self._purged = False
        self._unfinished = bases.begin()
        return self._unfinished.writing

    def resume(self, kept: Inventory) -> None:
        """Go on from the base of an earlier process."""
        self._config = kept.config

    def give_up(self) -> None:
        """Drop the base that was begun."""
        self._discard()
        self._unfinished, self._purged = None, True

    def purge(self) -> None:
        """Remove the bases, because they hold text that is retired."""
        self._unfinished = None
        if self.bases is not None:
            self._purged = True
            self.purges += 1
            self.bases.purge()

    def is_wanted(self, latest: Knowledge, config: bytes | None) -> bool:
        """Whether a new base should be written: enough changed, or the config did. After a purge,
        the first process that notices writes one for all.
        """
        if self.bases is not None and self._purged and not self.bases.is_there():
            return True
        settled = self.bases is not None and self._unfinished is None
        return len(latest.changed) >= REBASE_FROM or (settled and config != self._config)

    def write(self, knowledge: Knowledge, purges: int) -> Written | None:
        """Write a base of a generation, for which `purges` were counted; None if it was removed
        while being written. Raises OSError or ValueError.
        """
        if self.bases is None:
            return Written(knowledge, in_memory(knowledge.documents()), None, purges)
        written = self.bases.write(knowledge.documents())
        if written is None:
            return None
        unfinished, layer = written
        return Written(knowledge, layer, unfinished, purges)

    def replace_by(self, written: Written) -> None:
        """Take a written base in place of the one before; it goes if text was retired since."""
        self._discard()
        self._unfinished, self._purged = written.unfinished, False
        if self.purges != written.purges:
            self.purge()

    def finish(self, knowledge: Knowledge, store: Store) -> bool:
        """Finish the base of `knowledge` for the next process; False if files are too new. What
        changed since it was written is read again by the next process.
        """
        if self._unfinished is None or self.bases is None:
            return True
        if not store.is_settled():
            return False
        files = [
            KeptFile(path, stat, record, state)
            for path, stat, record in store.files()
            if (key := key_of(record)) not in knowledge.changed
            and _is_kept(record, state := knowledge.state(key))
        ]
        listed = {key_of(file.record) for file in files}
        others = {*knowledge.records, *knowledge.changed} - listed
        kept = Inventory(files, sorted(others), config := store.config, store.config_stat)
        finished = self.bases.finish(self._unfinished, kept)
        self._purged, self._unfinished = not finished, None
        self._config = config
        return finished

    def _discard(self) -> None:
        if self._unfinished is not None and self.bases is not None:
            self.bases.discard(self._unfinished)


def _is_kept(record: Artifact, state: LinkState) -> bool:
    """Whether a record may stand in a file of ours: evidence without its quote, and what nobody may
    see because of other artifacts, is read again.
    """
    is_hidden = state.label == NOBODY and is_shown_to_any(record)
    return not is_hidden and state.how != WITHOUT_QUOTE
