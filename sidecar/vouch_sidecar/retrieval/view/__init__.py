"""A knowledge base as one viewer sees it: artifacts, names, texts of claims."""

from vouch_sidecar.retrieval.view.view import View
from vouch_sidecar.retrieval.view.viewpoint import Deadline, moment
from vouch_sidecar.workspace.shown import ShownText

__all__ = [
    "Deadline",
    "ShownText",
    "View",
    "moment",
]
