"""Tells a viewer what went stale since a claim was written: the words that it quotes, or the file
that it cites; where no file can show that, nobody confirmed the claim for over a year.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple

from vouch_sidecar.index.claim_weights import confirmed_at
from vouch_sidecar.kb.records import Claim, moment
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
    gone, or all quotes that files may have, or it cites no file here and is old. A quote whose file
    was not looked at may be there. The age of a claim counts only once the files of the workspace
    are known.
    """
    world, at = view.world, confirmed_at(claim)
    cited = list(view.cited(claim))
    if (reason := view.lost(claim)) is not None:
        return Stale("file-gone", f"evidence.{cited[0][0]}", reason)
    quotes = quotes_of(view, claim)
    gone = [(at, quote) for at, quote in quotes if quote is not None and quote.state == "gone"]
    if gone and len(gone) == len(quotes):
        number, quote = gone[0]
        when = moment(quote.changed).date().isoformat()
        reason = f"quote gone since, {quote.path} changed on {when}"
        return Stale("quote-gone", f"evidence.{number}", reason)
    is_here = any(source.id in world.sources for _, source, _ in cited)
    if is_here or at is None or view.now - at <= YEAR or world.tree == Path():
        return None
    field = "updated_at" if claim.last_confirmed_at is None else "last_confirmed_at"
    return Stale("unconfirmed", field, "last confirmed over a year ago")


def quotes_of(view: View, claim: Claim) -> list[tuple[int, Fresh | None]]:
    """Whether files have the quotes of a claim that were made from files, each with the number of
    its citation; None if that is not known.
    """
    quotes, cited = view.world.quotes, view.cited(claim)
    quoted = ((number, each.quoted) for number, _, each in cited if each is not None)
    return [(at, quotes.of(quote, view.looked)) for at, quote in quoted if quote in quotes.places]
