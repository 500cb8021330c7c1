"""A knowledge base as one viewer sees it: artifacts, names, texts of claims, counts."""

from vouch_sidecar.retrieval.view.claim_texts import ShownText
from vouch_sidecar.retrieval.view.people_told import PeopleTold
from vouch_sidecar.retrieval.view.view import View, claim_in, moment
from vouch_sidecar.retrieval.view.viewpoint import Deadline, NameWords, own_names

__all__ = [
    "Deadline",
    "NameWords",
    "PeopleTold",
    "ShownText",
    "View",
    "claim_in",
    "moment",
    "own_names",
]
