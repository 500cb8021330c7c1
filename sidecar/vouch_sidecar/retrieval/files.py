"""What files of the workspace say of claims, for one viewer: the claims tied to them, and what went
stale since a claim was written.

A tie counts only while the claim is unchanged, and where the viewer may see both the claim and the
source that the tie depends on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import prod
from typing import Literal, NamedTuple

from vouch_sidecar.index.claim_weights import confirmed_at, worth
from vouch_sidecar.kb.records import Claim, Kind, moment
from vouch_sidecar.retrieval.constants import GENERAL_FILE, MAX_CLAIMS_WITH_FILES
from vouch_sidecar.retrieval.each_once import each_once
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.workspace.file_kinds import is_for_names
from vouch_sidecar.workspace.quotes_in_files import Fresh, QuoteState
from vouch_sidecar.workspace.ties import CITING, STRENGTH, Tie

QUOTE_GONE = 0.5
"""The factor for a quote that its file no longer has."""
WEAK = 0.45
"""A weaker tie is folded, and never volunteered."""
YEAR = 365 * 86_400
"""Seconds."""


@dataclass(frozen=True, slots=True)
class Tied:
    """A claim that is tied to a file or folder. `tie` has the line and the strength that all its
    ties have together; `why` gives the reason of the strongest in a few words.
    """

    view: View
    claim: Claim
    path: str
    tie: Tie
    why: str
    fresh: QuoteState | None = None
    """Whether the file still has the quote, where that is known."""
    names: tuple[str, ...] = ()
    """The names in the claim's text that the file defines."""

    @property
    def is_weak(self) -> bool:
        return self.tie.strength < WEAK


def tied_to(view: View, path: str, text: str | None = None) -> list[Tied]:
    """The claims tied to a file, strongest first, one for each statement. Reads the file, unless
    `text` is given.
    """
    return each_statement_once(visible_ties(view, view.world.ties_of(path, text)))


def tied_at(view: View, text: str, offset: int) -> tuple[int, int, list[Tied]] | None:
    """Start and end of the name at an offset of a text, and the claims tied to what the name means;
    None if there is no such name or claim.
    """
    world = view.world
    start, end, ties = world.ties.named_at(world.relative(text), offset, world.files) or (0, 0, ())
    shown = each_statement_once(visible_ties(view, ties))
    return (start, end, shown) if shown else None


def visible_ties(view: View, ties: Iterable[tuple[str, Tie]]) -> list[Tied]:
    """The ties that the viewer may see, one for each claim, which has the strength of all its ties
    together and the reason of the strongest. Claims that say nothing by themselves are left out.
    """
    by_claim = defaultdict[str, list[tuple[str, Tie]]](list)
    for path, tie in ties:
        by_claim[tie.claim_id].append((path, tie))
    of_each = (
        [_tied(view, claim, *each) for each in _holding(view, claim, by_claim[claim.id])]
        for claim in filter(None, map(view.claim, by_claim))
        if view.is_sayable(claim)
    )
    return sorted(
        (_together(several) for several in of_each if several),
        key=lambda each: (-each.tie.strength, each.tie.line or 0, each.claim.id),
    )


def each_statement_once(ties: Iterable[Tied]) -> list[Tied]:
    """The ties without those whose claim says what an earlier one says: vouch makes several claims
    of one sentence, and of one document in two versions. A contested claim stands for the others,
    and a tie with a quote for those to the whole file, which can't show whether the claim still
    holds. That counts more beside a file than who reviewed a claim, by which `each_line_once`
    chooses for a prompt.
    """
    return each_once(
        ties,
        lambda tied: tied.view.shown(tied.claim).says,
        lambda tied: (tied.claim.status != "contested", tied.fresh is None),
    )


def files_of(view: View, claims: Iterable[Claim]) -> dict[str, float]:
    """The files that some claims, of many the best, are tied to, and folders with a slash at their
    end, each with the strength of the strongest tie that the viewer may see, divided by the number
    of files that its claim is tied to: who names many says less of each. Files that everybody
    changes have little.
    """
    strengths = defaultdict[str, float](float)
    for claim in sorted(claims, key=worth, reverse=True)[:MAX_CLAIMS_WITH_FILES]:
        ties = [*_holding(view, claim, view.world.ties.of_claim(claim.id))]
        number = len({path for path, _ in ties})
        for path, tie in ties:
            share = tie.strength * (1.0 if is_for_names(path) else GENERAL_FILE) / number
            strengths[path] = max(strengths[path], share)
    return strengths


def _holding(
    view: View, claim: Claim, ties: Iterable[tuple[str, Tie]]
) -> Iterator[tuple[str, Tie]]:
    """A claim's ties that still hold and that the viewer may see."""
    for path, tie in ties if view.world.has_read(claim) else ():
        kind = Kind.ENTITY if tie.arm == "path" else Kind.SOURCE
        if tie.via is None or view.artifact((kind, tie.via)) is not None:
            yield path, tie


def _tied(view: View, claim: Claim, path: str, tie: Tie) -> Tied:
    """A tie with the line that has its quote now; a tie whose quote is gone is weaker."""
    place, state = (tie.via or "", tie.start, tie.end), None
    if tie.arm == "quotes" and (fresh := view.world.quotes.of(place, view.looked)) is not None:
        is_gone, state = fresh.state == "gone", fresh.state
        strength = tie.strength * (QUOTE_GONE if is_gone else 1.0)
        tie = tie._replace(line=None if is_gone else fresh.line, strength=strength)
    name = claim.text[tie.start : tie.end]  # as the claim has it
    names = (name,) if tie.arm == "identifier" else ()
    return Tied(view, claim, path, tie, _why(view, name, tie), state, names)


def _together(several: Iterable[Tied]) -> Tied:
    """One tie out of all of a claim: the strongest gives the reason, and the strongest with a line
    gives the line.
    """
    best, *_ = several = sorted(
        several,
        key=lambda t: (-t.tie.strength, -STRENGTH[t.tie.arm], t.tie.line or 0, t.path),
    )
    ties = [tied.tie for tied in several]
    lined = next((tie for tie in ties if tie.line is not None), best.tie)
    strongest = {tie.arm: tie.strength for tie in reversed(ties)}
    strength = round(1.0 - prod(1.0 - each for each in strongest.values()), 6)
    return replace(
        best,
        tie=best.tie._replace(strength=strength, line=lined.line, last_line=lined.last_line),
        fresh=min(
            (tied.fresh for tied in several if tied.fresh is not None),
            key=("there", "moved", "gone").index,
            default=None,
        ),
        names=tuple(name for tied in several for name in tied.names),
    )


def _why(view: View, name: str, tie: Tie) -> str:
    """The reason of a tie in words. `name` is the claim's for the file, or for what it defines."""
    if tie.arm == "path" and tie.via is not None:
        entity = view.knowledge.entity(tie.via)
        called = entity.name if entity is not None else "what"
        said = f"is about {called}, which the file is named after"
    elif tie.arm in CITING:
        said = f"{tie.arm} {'it' if tie.line is None else f'L{tie.line}'}"
    elif tie.arm == "path" or tie.line is None:
        said = f"names {name}"
    else:
        # others may take the same option, or read the same variable of the environment
        is_found = name.startswith("--") or ("_" in name and name.isupper())
        said = f"names {name}, {'found' if is_found else 'defined'} at L{tie.line}"
    return f"{said} ({tie.tested}, which this tests)" if tie.tested else said


# What went stale


class Stale(NamedTuple):
    """Why a claim may no longer be true. `field` is the claim's field that shows this; `reason`
    says it in a few words.
    """

    code: Literal["quote-gone", "file-gone", "unconfirmed"]
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
        reason = f"quote gone since, {quote.path} changed on {moment(quote.changed).date()}"
        return Stale("quote-gone", f"evidence.{number}", reason)
    is_here = any(source.id in world.sources for _, source, _ in cited)
    if is_here or at is None or view.now - at <= YEAR or not world.is_built:
        return None
    field = "last_confirmed_at" if at == claim.last_confirmed_at else "updated_at"
    return Stale("unconfirmed", field, "last confirmed over a year ago")


def quotes_of(view: View, claim: Claim) -> list[tuple[int, Fresh | None]]:
    """Whether files have the quotes of a claim that were made from files, each with the number of
    its citation; None if that is not known.
    """
    quotes = view.world.quotes
    return [
        (number, quotes.of(each.quoted, view.looked))
        for number, _, each in view.cited(claim)
        if each is not None and each.quoted in quotes.places
    ]
