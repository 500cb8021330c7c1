"""Finds the artifact that a call means by an id, a name or the beginning of an id."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from vouch_sidecar.kb.records import Artifact, Kind
from vouch_sidecar.kb.sanitize import one_line
from vouch_sidecar.operations.errors import Message, NotFoundError
from vouch_sidecar.retrieval.lookup import (
    by_beginning,
    by_name,
    nearest,
    successors,
)
from vouch_sidecar.retrieval.view import View

MAX_CANDIDATES = 5
"""Ids that an error lists if a name is ambiguous."""


def find(
    views: Sequence[View], kind: Kind, called: str, *, all_read: bool
) -> tuple[View, Artifact]:
    """The artifact with this id, else with this name, else whose id begins like this, and the first
    view that holds it. Raises `NotFoundError`, which names the most similar artifacts, or the claim
    that supersedes this one; unless `all_read`, it does not say that there is none.

    The id of a claim without a successor that may be shown, such as a redacted one, is looked up
    as a beginning: that it is one is not told.
    """
    for view in views:
        if (artifact := view.visible.artifact((kind, called))) is not None:
            return view, artifact
    matches = [(view, artifact) for view in views for artifact in by_name(view, kind, called)]
    is_gone = kind is Kind.CLAIM and not matches
    newer = (claim_id for view in views if is_gone for claim_id in successors(view, called))
    if (superseding := next(newer, None)) is not None:
        said = f"names a claim that is superseded by {one_line(superseding)}"
        raise NotFoundError([Message("id", said)])
    if not matches:
        matches = [
            (view, artifact) for view in views for artifact in by_beginning(view, kind, called)
        ]
    if len({artifact.id for _, artifact in matches}) == 1:
        return matches[0]
    candidates = [artifact.id for _, artifact in matches[:MAX_CANDIDATES]]
    if not (candidates or all_read):
        raise NotFoundError([Message("id", f"names no {kind.value} that is read yet; ask again")])
    raise NotFoundError([Message("id", _why_not(views, kind, called, candidates))])


def _why_not(views: Sequence[View], kind: Kind, called: str, candidates: Sequence[str]) -> str:
    if candidates:
        return f"names several: {_list(candidates)}"
    near = nearest(views, kind, called)
    message = f"names no {kind.value} that may be shown"
    return f"{message}; the nearest: {_list(near)}" if near else message


def _list(ids: Iterable[str]) -> str:
    return ", ".join(map(one_line, ids))
