"""What questions still ask of the words around a name."""

from __future__ import annotations

from vouch_sidecar.retrieval.places import ADDRESSING, DATES, Passage

__all__ = ["ADDRESSING", "DATES", "SPEAKING", "Passage"]

SPEAKING = frozenset(
    """
    asked asking asks know mentioned mentions reported said saying says suggested suggests
    thinks thought told wanted wants wondered wondering wonders writes wrote
    """.split()
)
"""Words after a name that report what whoever has it says."""
