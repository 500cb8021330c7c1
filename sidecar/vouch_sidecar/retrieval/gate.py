"""What may enter a prompt at all. Everything that chooses what is told (context, hooks, pushes)
asks here before it chooses one of several, so that what is refused hides nothing else. A session's
brief quotes no claim.
"""

from __future__ import annotations

from vouch_sidecar.kb.records import Artifact, Claim
from vouch_sidecar.retrieval.files.stale_claims import is_lost
from vouch_sidecar.retrieval.view import View


def may_enter(view: View, artifact: Artifact | None) -> bool:
    """Whether an artifact that the viewer may see may enter a prompt: not a claim that says nothing
    by itself or whose cited files are all gone, nor the page about vouch itself.
    """
    if artifact is None or not view.is_sayable(artifact):
        return False
    return not (isinstance(artifact, Claim) and is_lost(view, artifact))
