"""What a viewer is shown of a claim: its sentence, its kind, and whether it says something."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import NamedTuple, TypeVar

from vouch_sidecar.kb.access import is_live
from vouch_sidecar.kb.records import Artifact, Claim, Kind, Page, Source
from vouch_sidecar.retrieval.constants import UNASKED_PAGES, CandidateKind
from vouch_sidecar.retrieval.view.shown import TALKING, Sentence, is_receipt
from vouch_sidecar.retrieval.view.viewpoint import Viewpoint
from vouch_sidecar.retrieval.view.visible import VisibleArtifacts
from vouch_sidecar.text.text_forms import is_statement

CLAIMS_OF_A_SENTENCE = 3
"""Claims that are read for each one that is shown, as several may be parts of one sentence."""
T = TypeVar("T")


class ShownText(NamedTuple):
    """The text that is shown for a claim. Claims with the same `sentence_key` are parts of one
    sentence: they make one line, which cites all `claims`, sorted by id.
    """

    text: str
    claims: tuple[str, ...]
    sentence_key: str
    says: tuple[str, ...]
    """Claims that have one of these in common say the same."""
    heading: str = ""
    """The heading that the text begins with; empty without one."""

    @property
    def fact(self) -> str:
        """The text without its heading."""
        return self.text.removeprefix(self.heading).lstrip()


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
        """The text for a claim: its whole sentence, if the claim is a part of one that the viewer
        may see, else its own text.
        """
        sentence, own = self.sentence(claim), " ".join(claim.text.split())
        if sentence is None or not sentence.holds_text:
            return ShownText(claim.text, (claim.id,), claim.id, (own,))
        key = f"{sentence.source_id} {sentence.start} {sentence.text}"
        said = " ".join(sentence.text.split())
        # Who words a claim says all of it; what a passage says may depend on the heading above.
        is_own = sentence.is_whole and not claim.auto_approved
        says = (said, own) if is_own else (said,)
        return ShownText(sentence.text, sentence.claims, key, says, sentence.heading)

    def sentence(self, claim: Claim) -> Sentence | None:
        """The whole sentence around a claim's receipt; None if the viewer may not see it."""
        quoted = self._visible.quoted(claim.id)
        return None if quoted is None else quoted.sentence

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
        if isinstance(artifact, Page) and artifact.type in UNASKED_PAGES:
            return "exchange"
        if not isinstance(artifact, Claim) or not artifact.auto_approved:
            return "worded"
        if artifact.last_confirmed_at is not None:
            return "worded"
        sentence = self.sentence(artifact)
        cited = [self._at.knowledge.evidence(ref) for ref in artifact.evidence]
        receipts = [each for each in cited if each is not None and is_receipt(each)]
        for receipt in receipts:
            source = self._visible.artifact((Kind.SOURCE, receipt.source_id))
            if isinstance(source, Source) and source.type in TALKING:
                return "exchange"
        quotes = [(receipt.quote or "").split() for receipt in receipts]
        stands = bool(receipts) if sentence is None else sentence.holds_text
        return "passage" if stands or artifact.text.split() in quotes else "worded"

    def is_sayable(self, artifact: Artifact) -> bool:
        """Whether an artifact says something by itself. A claim that quotes a heading, a lead-in, a
        bare link, code, or small talk in a conversation does not.
        """
        if not isinstance(artifact, Claim):
            return True
        quoted = self._visible.quoted(artifact.id)
        if quoted is None:
            return is_statement(artifact.text)
        return quoted.says_something and not self.lacks_context(artifact)

    def lacks_context(self, claim: Claim) -> bool:
        """Whether a claim means something only in its sentence or behind the sentence that leads in
        its list, and the viewer may not see these.
        """
        quoted = self._visible.quoted(claim.id)
        return quoted is not None and quoted.only_whole and self.sentence(claim) is None

    def statements_of(self, source: Source) -> list[Claim]:
        """The statements of a source that the viewer may see, in its order, each as the first claim
        of its sentence.
        """
        first: dict[str, tuple[int, Claim]] = {}
        knowledge = self._at.knowledge
        citing = {
            claim
            for evidence in knowledge.evidence_in(source.id)
            for claim in knowledge.claims_citing(evidence.id)
            if is_live(claim) and self._visible.sees(claim)
        }
        for claim in sorted(citing, key=lambda claim: claim.id):
            sentence = self.sentence(claim)
            if sentence is not None and sentence.source_id == source.id and self.is_sayable(claim):
                first.setdefault(self.shown(claim).sentence_key, (sentence.start, claim))
        return [claim for _, claim in sorted(first.values(), key=lambda item: item[0])]

    def exchange_of(self, claim: Claim) -> Source | None:
        """The exchange (a question and the message that answers it) that a claim's sentence stands
        in.
        """
        sentence = self.sentence(claim)
        if sentence is None:
            return None
        source = self._visible.artifact((Kind.SOURCE, sentence.source_id))
        return source if isinstance(source, Source) and source.question else None

    def best_claims(self, entity_id: str, limit: int) -> list[Claim]:
        """An entity's best claims that say something by themselves, each sentence once."""
        first: dict[str, Claim] = {}
        for claim in self._visible.best_claims(entity_id, limit * CLAIMS_OF_A_SENTENCE):
            if self.is_sayable(claim):
                first.setdefault(self.shown(claim).sentence_key, claim)
        return list(first.values())[:limit]
