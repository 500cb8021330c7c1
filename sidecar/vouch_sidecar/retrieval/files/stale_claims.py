"""Tells a viewer what went stale since a claim was written: the words that it quotes, or the file
that it cites; where no file can show that, nobody confirmed the claim for over a year.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple

from vouch_sidecar.index.claim_weights import confirmed_at
from vouch_sidecar.kb.records import Claim, Evidence, moment
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.workspace.quotes_in_files import Fresh

Code = Literal["quote-gone", "file-gone", "unconfirmed"]
YEAR = 365 * 86_400
"""Seconds."""


class Stale(NamedTuple):
    """Why a claim may no longer be true. `field` is the claim's field that shows this; `reason`
    says it in a few words.
    """

    code: Code
    field: str
    reason: str


def stale(view: View, claim: Claim) -> Stale | None:
    """What went stale in a claim, for a viewer; None where nothing did: all files that it cites are
    gone, or all quotes that can be looked for, or it cites no file here and is old. The age of a
    claim counts only once the files of the workspace are known.
    """
    workspace, at = view.workspace, confirmed_at(claim)
    cited = list(view.cited(claim))
    if (reason := view.lost(claim)) is not None:
        return Stale("file-gone", f"evidence.{cited[0][0]}", reason)
    quotes = known_quotes(view, claim)
    if quotes and all(quote.state == "gone" for _, quote in quotes):
        number, quote = quotes[0]
        when = moment(quote.changed).date().isoformat()
        reason = f"quote gone since, {quote.path} changed on {when}"
        return Stale("quote-gone", f"evidence.{number}", reason)
    is_here = any(source.id in workspace.sources for _, source, _ in cited)
    if is_here or at is None or view.now - at <= YEAR or workspace.tree == Path():
        return None
    field = "updated_at" if claim.last_confirmed_at is None else "last_confirmed_at"
    return Stale("unconfirmed", field, "last confirmed over a year ago")


def known_quotes(view: View, claim: Claim) -> list[tuple[int, Fresh]]:
    """Whether files have the quotes of a claim, as far as that is known, each with the number of
    its citation.
    """
    cited = ((number, each) for number, _, each in view.cited(claim) if each is not None)
    every = ((number, fresh_of(view, evidence)) for number, evidence in cited)
    return [(number, quote) for number, quote in every if quote is not None]


def fresh_of(view: View, evidence: Evidence) -> Fresh | None:
    """Whether the file that evidence cites still has its quote; None if that is not known."""
    return view.workspace.quotes.of(
        (evidence.source_id, evidence.byte_start or 0, evidence.byte_end or 0), view.looked
    )
