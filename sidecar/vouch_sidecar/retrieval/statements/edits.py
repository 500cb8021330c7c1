"""How likely an edit of a file breaks a claim: a logistic function of the features below, whose
weights `make fit` finds. An edit asks nothing, so it is judged by measures of its own.
"""

from __future__ import annotations

from collections.abc import Container
from math import exp, fsum, log
from typing import NamedTuple

from vouch_sidecar.names.name_forms import FormKind
from vouch_sidecar.retrieval.constants import BIAS_EDITS, LIKELIHOOD_WEIGHTS_EDITS, MAX_PHRASED
from vouch_sidecar.retrieval.evidence.name_strength import is_listed, weigh
from vouch_sidecar.retrieval.evidence.word_weights import asked_by, worths_of
from vouch_sidecar.retrieval.files.file_ties import visible_ties
from vouch_sidecar.retrieval.statements.candidates import Candidate, claims_holding
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.text.content_words import content_stems
from vouch_sidecar.workspace.file_kinds import DOCUMENTS, ending_of, is_test


class EditFeatures(NamedTuple):
    """The features of a claim for an edit; its words weigh as in a prompt."""

    here: float
    """How strongly the claim is tied to the file, or named in its path, times ln(1 + weight of its
    words in the lines that were put in or taken out).
    """
    lead: float
    """The share of its words that these lines or the path hold, less that of the next claim."""
    prose: float
    """1 for a test or a document, which tell what holds more often than they change it; else 0."""
    named: float
    """How strongly these lines or the path name what the claim is about."""

    @property
    def likelihood(self) -> float:
        """From 0 to 1, rounded to 3 places."""
        terms = (value * LIKELIHOOD_WEIGHTS_EDITS[name] for name, value in self._asdict().items())
        return round(1 / (1 + exp(-BIAS_EDITS - fsum(terms))), 3)


def met_by(
    view: View, path: str, inserted: str, removed: str = "", lost: Container[str] = ()
) -> list[tuple[Candidate, EditFeatures]]:
    """The claims that an edit may break, likeliest first, each with its features: those that hold
    words of what it put into a file or took out, two, or one where the claim is tied to the file or
    named. Those with the ids in `lost` are known to be broken, and compared with none.
    """
    text = f"{inserted[:MAX_PHRASED]}\n{removed[:MAX_PHRASED]}"
    changed = frozenset(content_stems(text))
    around = changed.union(content_stems(path))
    stored = ((path, tie) for tie in view.workspace.stored_ties_of(path))
    ties = {tied.claim.id: tied.strength for tied in visible_ties(view, stored)}
    named = [
        mention
        for mention in weigh(view, f"{path}\n{text}")
        if is_listed(mention) and mention.form is not FormKind.DERIVED
    ]
    found = []
    for candidate in claims_holding(view, asked_by(view, text)):
        worths = worths_of(view, candidate.text[:MAX_PHRASED])
        held = [worth for word, worth in worths.items() if word.held_by(changed)]
        beside = [worth for word, worth in worths.items() if word.held_by(around)]
        if held and candidate.artifact.id not in lost:
            found.append((candidate, held, fsum(beside) / fsum(worths.values())))
    met = list[tuple[Candidate, EditFeatures]]()
    for candidate, held, share in found:
        about = [each for each in named if each.entity_id in candidate.entity_ids]
        in_path = [each.strength for each in about if each.start < len(path)]
        here = max([ties.get(candidate.artifact.id, 0.0), *in_path])
        if len(held) < 2 and not (here or about):
            continue
        others = [
            other_share
            for other, _, other_share in found
            if other.sentence_key != candidate.sentence_key and other.kind == "worded"
        ]
        features = EditFeatures(
            here=here * log(1 + fsum(held)),
            lead=share - max(others, default=0.0),
            prose=float(is_test(path) or ending_of(path) in DOCUMENTS),
            named=max((each.strength for each in about), default=0.0),
        )
        met.append((candidate._replace(likelihood=features.likelihood), features))
    return sorted(met, key=lambda each: each[0].order)
