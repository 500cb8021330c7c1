"""Tells a viewer what went stale since a claim was written: the words that it quotes, or the file
that it cites; where no file can show that, nobody confirmed the claim for over a year.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from vouch_sidecar.index.claim_weights import confirmed_at
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.kb.records import Claim, Evidence, Kind, Source
from vouch_sidecar.retrieval.view import View, moment
from vouch_sidecar.workspace.quotes_in_files import Fresh, Freshness
from vouch_sidecar.workspace.world import World

Code = Literal["quote-gone", "file-gone", "unconfirmed"]
YEAR = 365 * 86_400
MONTH = YEAR / 12
"""Seconds."""


class Stale(NamedTuple):
    """Why a claim may no longer be true. `field` is the claim's field that shows this; `reason`
    says it in a few words, `short_reason` in fewer and without a path.
    """

    code: Code
    field: str
    reason: str
    short_reason: str

    @property
    def is_gone(self) -> bool:
        """Whether something is gone, not only unconfirmed for long."""
        return self.code != "unconfirmed"


def is_lost(view: View, claim: Claim) -> bool:
    """Whether all files that a claim cites are gone. Reads none of them."""
    fresh = view.workspace.fresh
    sources = [source for _, source, _ in _cited(view.knowledge, claim, view.visible.sees)]
    return bool(fresh and sources) and all(fresh.gone_file(each.id) for each in sources)


def stale(view: View, claim: Claim) -> Stale | None:
    """What went stale in a claim, for a viewer; None where nothing did."""
    return stale_for(view.workspace, view.knowledge, claim, view.visible.sees, view.now)


def is_followed(view: View, claim: Claim) -> bool:
    """Whether a file shows if it still has what a claim quotes."""
    cited = _cited(view.knowledge, claim, view.visible.sees)
    quotes = (evidence for _, _, evidence in cited if evidence is not None)
    return any(fresh_of(view.workspace.fresh, quote) is not None for quote in quotes)


def stale_for(
    workspace: World,
    knowledge: Knowledge,
    claim: Claim,
    sees: Callable[[Source], bool],
    now: float,
) -> Stale | None:
    """As `stale`. `sees` tells which sources count, `now` is in seconds since 1970. The age of a
    claim counts only once the files of the workspace are known.
    """
    cited = list(_cited(knowledge, claim, sees))
    gone, at = _gone(workspace.fresh, cited), confirmed_at(claim)
    if gone is not None or at is None or now - at <= YEAR or workspace.root == Path():
        return gone
    if any(workspace.source_path(source.locator, source.id) is not None for _, source, _ in cited):
        return None
    months = int((now - at) / MONTH)
    reason = f"last confirmed {f'{months} months' if months < 24 else f'{months // 12} years'} ago"
    field = "updated_at" if claim.last_confirmed_at is None else "last_confirmed_at"
    return Stale("unconfirmed", field, reason, reason)


def _cited(
    knowledge: Knowledge, claim: Claim, sees: Callable[[Source], bool]
) -> Iterator[tuple[int, Source, Evidence | None]]:
    """The sources that a claim cites, each with the number of the citation and its evidence."""
    for number, reference in enumerate(claim.evidence):
        evidence = knowledge.evidence(reference)
        source = knowledge.artifact((Kind.SOURCE, evidence.source_id if evidence else reference))
        if isinstance(source, Source) and sees(source):
            yield number, source, evidence


def _gone(
    fresh: Freshness,
    cited: Iterable[tuple[int, Source, Evidence | None]],
) -> Stale | None:
    """What is gone of what a claim quotes or cites. A claim is stale only if all of its
    quotes are; its file counts as gone only if the files of all its citations are.
    """
    gone: list[Stale] = []
    cites_more = False
    for number, source, evidence in cited:
        field, path = f"evidence.{number}", fresh.gone_file(source.id)
        if path is not None:
            reason = f"{path}, which it cites, is gone"
            gone.append(Stale("file-gone", field, reason, "the file that it cites is gone"))
            continue
        quote = None if evidence is None else fresh_of(fresh, evidence)
        if quote is None:
            cites_more = True
            continue
        if quote.state != "gone":
            return None
        when = f"changed on {moment(quote.changed).date().isoformat()}"
        reason = f"quote gone since, {quote.path} {when}"
        gone.append(Stale("quote-gone", field, reason, f"quote gone since, file {when}"))
    counted = (reason for reason in gone if reason.code == "quote-gone" or not cites_more)
    return min(counted, key=lambda reason: reason.code != "quote-gone", default=None)


def fresh_of(fresh: Freshness, evidence: Evidence) -> Fresh | None:
    """Whether the file that evidence cites still has its quote; None if that is not known."""
    if evidence.byte_start is None or evidence.byte_end is None:
        return None
    return fresh.of((evidence.source_id, evidence.byte_start, evidence.byte_end))
