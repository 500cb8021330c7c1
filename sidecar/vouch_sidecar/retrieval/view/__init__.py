"""A knowledge base as one viewer sees it: artifacts, names, texts of claims."""

from vouch_sidecar.retrieval.view.people_told import PeopleTold
from vouch_sidecar.retrieval.view.shown import ShownText
from vouch_sidecar.retrieval.view.view import View
from vouch_sidecar.retrieval.view.viewpoint import Deadline, NameWords, moment, own_names

__all__ = [
    "Deadline",
    "NameWords",
    "PeopleTold",
    "ShownText",
    "View",
    "moment",
    "own_names",
]
