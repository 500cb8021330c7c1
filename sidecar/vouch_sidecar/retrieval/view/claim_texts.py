"""What a viewer is shown of a claim: its sentence, its kind, and whether it says something."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

from tantivy import Query

from vouch_sidecar.kb.access import is_live
from vouch_sidecar.kb.records import SESSION_PAGE, STARTER_PAGE, Artifact, Claim, Kind, Page, Source
from vouch_sidecar.retrieval.constants import CandidateKind
from vouch_sidecar.retrieval.view.viewpoint import Viewpoint
from vouch_sidecar.retrieval.view.visible import VisibleArtifacts
from vouch_sidecar.workspace.shown import TALKING, ShownText, is_receipt, shown

CLAIMS_OF_A_SENTENCE = 3
"""Claims that are read for each one that is shown, as several may be parts of one sentence."""
T = TypeVar("T")


def each_once(
    items: Iterable[T], keys: Callable[[T], Iterable[Hashable]], better: Callable[[T, T], T]
) -> list[T]:
    """One item of those that have a key in common, in the order of the first: the `better` one."""
    kept: list[T] = []
    places: dict[Hashable, int] = {}
    for item in items:
        own = tuple(keys(item))
        place = next((places[key] for key in own if key in places), None)
        if place is None:
            place = len(kept)
            kept.append(item)
        else:
            kept[place] = better(kept[place], item)
        places |= dict.fromkeys(own, place)
    return kept


class ClaimTexts:
    """The texts that a viewer is shown for claims. Every answer takes a claim's text from here."""

    def __init__(self, at: Viewpoint) -> None:
        self._at = at
        self._visible = VisibleArtifacts(at)

    def shown(self, claim: Claim) -> ShownText:
        """What is shown for a claim; worked out once per question."""
        at = self._at
        return at.once(("shown", claim.id), lambda: shown(at.knowledge, at.root, claim, at.gates))

    def is_reviewed(self, artifact: Artifact) -> bool:
        """Whether a person worded, approved or confirmed an artifact. vouch also marks as approved
        by itself what its own author approved: such claims have no receipt, or one of other words
        than theirs, which shows nothing of them.
        """
        return self.kind_of(artifact) == "worded"

    def kind_of(self, artifact: Artifact) -> CandidateKind:
        """How an artifact came about: worded, approved or confirmed by somebody, or, if only its
        receipt approved it, a statement of a captured exchange or a passage of a document. Notes of
        a session are like an exchange.
        """
        if isinstance(artifact, Page) and artifact.type == SESSION_PAGE:
            return "exchange"
        if not isinstance(artifact, Claim):
            return "worded"
        if not artifact.auto_approved or artifact.last_confirmed_at is not None:
            return "worded"
        knowledge, text = self._at.knowledge, self.shown(artifact)
        cited = map(knowledge.evidence, artifact.evidence)
        receipts = [each for each in cited if each is not None and is_receipt(each)]
        sources = (knowledge.source(receipt.source_id) for receipt in receipts)
        if any(source is not None and source.type in TALKING for source in sources):
            return "exchange"
        is_cut = text.sentence is None or text.is_whole
        quotes = [(receipt.quote or "").split() for receipt in receipts]
        return "passage" if receipts and (is_cut or artifact.text.split() in quotes) else "worded"

    def is_sayable(self, artifact: Artifact) -> bool:
        """Whether an artifact says something by itself. A claim that quotes a heading, a lead-in, a
        bare link, code, or small talk in a conversation does not, nor does the page about vouch.
        """
        if not isinstance(artifact, Claim):
            return artifact.id != STARTER_PAGE
        text = self.shown(artifact)
        return text.says_something and not text.lacks_context

    def statements_of(self, source: Source) -> list[Claim]:
        """The statements of a source that the viewer may see, in its order, each as the first claim
        of its sentence.
        """
        knowledge, first = self._at.knowledge, dict[str, Claim]()
        citing = {
            claim
            for evidence in knowledge.evidence_in.get(source.id, ())
            for claim in knowledge.claims_citing.get(evidence.id, ())
            if is_live(claim) and self._visible.sees(claim) and self.is_sayable(claim)
        }
        for claim in sorted(citing, key=lambda claim: (self.shown(claim).start, claim.id)):
            if self.shown(claim).source_id == source.id:
                first.setdefault(self.shown(claim).sentence_key, claim)
        return list(first.values())

    def exchange_of(self, claim: Claim) -> Source | None:
        """The exchange (a question and the message that answers it) that a claim's sentence stands
        in.
        """
        source = self._visible.artifact((Kind.SOURCE, self.shown(claim).source_id))
        return source if isinstance(source, Source) and source.question else None

    def best_claims(self, query: Query, limit: int) -> list[Claim]:
        """The best claims that say something by themselves, each sentence once."""
        first: dict[str, Claim] = {}
        for claim in self._visible.best(query, limit * CLAIMS_OF_A_SENTENCE):
            if self.is_sayable(claim):
                first.setdefault(self.shown(claim).sentence_key, claim)
        return list(first.values())[:limit]
