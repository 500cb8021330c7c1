"""Claims tied to files of the workspace, for one viewer. A tie counts only while the claim is
unchanged, and where the viewer may see both the claim and the source that the tie depends on.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b

from vouch_sidecar.index.receipts import Quoted
from vouch_sidecar.kb.records import Claim, Kind
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.workspace.file_kinds import is_for_names
from vouch_sidecar.workspace.freshness import Fresh, State
from vouch_sidecar.workspace.ties import ARMS, Arm, Tie

GONE = 0.5
"""The factor for a quote that its file no longer has."""


@dataclass(frozen=True, slots=True)
class Tied:
    """A claim that is tied to a file or folder. `strength` is from 0 to 1, `line` counts from 1,
    `why` gives the reason in a few words, and `source_id` is the source that the claim cites there.
    """

    view: View
    claim: Claim
    path: str
    arm: Arm
    strength: float
    line: int | None
    why: str
    source_id: str | None = None
    fresh: State | None = None
    """Whether the file still has the quote, where that is known."""


def mark_of(claim: Claim, quoted: Quoted | None) -> str:
    """A value that changes when a claim's ties may change: with its text, its citations, or the
    sentence around its receipt.
    """
    sentence = quoted.sentence if quoted is not None else None
    said = "\0".join((claim.text, sentence.text if sentence else "", *claim.evidence))
    return blake2b(said.encode("utf-8", "replace"), digest_size=8).hexdigest()


def tied_to(view: View, path: str, text: str | None = None) -> list[Tied]:
    """The claims tied to a file, strongest first, each once. Reads the file, unless `text` is
    given.
    """
    return visible_ties(view, ((path, tie) for tie in view.workspace.ties_of(path, text)))


def tied_by_path(view: View, path: str) -> list[Tied]:
    """The claims that cite, quote or name a file, strongest first, each once; none for a file such
    as a changelog. Reads no file.
    """
    there = view.workspace.path_of(path)
    if there is None or not is_for_names(there):
        return []
    return visible_ties(view, ((there, tie) for tie in view.workspace.ties.of_path(there)))


def tied_at(view: View, text: str, offset: int) -> tuple[int, int, list[Tied]] | None:
    """The start and end of the name at an offset of a text, and the claims tied to what it names;
    None where there are none.
    """
    found = view.workspace.named_at(text, offset)
    if found is None:
        return None
    start, end, ties = found
    shown = visible_ties(view, ((one.path, one.tie) for one in ties))
    return (start, end, shown) if shown else None


def tied_to_what(view: View, text: str) -> list[Tied]:
    """The claims tied to the files, folders, modules and identifiers that a text names, strongest
    first, each once. Reads no file, so that every prompt can be asked about.
    """

    found = view.workspace.named_by(text)
    return visible_ties(view, ((one.path, one.tie) for one in found))


def visible_ties(view: View, ties: Iterable[tuple[str, Tie]]) -> list[Tied]:
    """The ties that the viewer may see. The ties of one claim are joined to one, with the strength
    of all together and the reason of the strongest.
    """
    by_claim: dict[str, list[tuple[str, Tie]]] = {}
    for path, tie in ties:
        by_claim.setdefault(tie.claim_id, []).append((path, tie))
    found = []
    for claim_id, several in by_claim.items():
        claim = view.claim(claim_id)
        if claim is None:
            continue
        if shown := [
            (path, _as_it_stands(view, tie)) for path, tie in _shown(view, claim, several)
        ]:
            found.append(_together(view, claim, shown))
    found.sort(key=lambda one: (-one.strength, one.line or 0, one.claim.id))
    return found


def files_of(view: View, claim: Claim) -> dict[str, float]:
    """The files that a claim is tied to, and folders with a slash at their end, each with the
    strength of the strongest tie that the viewer may see.
    """
    found: dict[str, float] = {}
    for path, tie in _shown(view, claim, view.workspace.ties.of_claim(claim.id)):
        found[path] = max(found.get(path, 0.0), tie.strength)
    return found


def _shown(view: View, claim: Claim, ties: Iterable[tuple[str, Tie]]) -> list[tuple[str, Tie]]:
    """A claim's ties that still hold and that the viewer may see."""
    mark = mark_of(claim, view.quoted(claim.id))
    return [
        (path, tie)
        for path, tie in ties
        if tie.mark == mark
        and (tie.via is None or view.visible((Kind.SOURCE, tie.via)) is not None)
    ]


def _as_it_stands(view: View, tie: Tie) -> Tie:
    """A tie with the line that has its quote now; a tie whose quote is gone is weaker."""
    fresh = _fresh(view, tie)
    if fresh is None:
        return tie
    if fresh.state == "gone":
        return tie._replace(line=None, strength=tie.strength * GONE)
    return tie._replace(line=fresh.line)


def _fresh(view: View, tie: Tie) -> Fresh | None:
    if tie.arm != "quotes" or tie.via is None:
        return None
    return view.workspace.fresh.quotes.get((tie.via, tie.start, tie.end))


def _together(view: View, claim: Claim, ties: list[tuple[str, Tie]]) -> Tied:
    strongest: dict[Arm, Tie] = {}
    for _, tie in ties:
        if tie.arm not in strongest or strongest[tie.arm].strength < tie.strength:
            strongest[tie.arm] = tie
    doubt = 1.0
    for tie in strongest.values():
        doubt *= 1.0 - tie.strength
    path, best = max(ties, key=lambda one: (one[1].strength, -ARMS.index(one[1].arm)))
    lined = next((t for t in (best, *(t for _, t in ties)) if t.line is not None), best)
    line = lined.line
    source = next((t.via for _, t in ties if t.arm in ("cites", "quotes")), None)
    known = [fresh.state for _, tie in ties if (fresh := _fresh(view, tie))]
    state = min(known, key=("there", "moved", "gone").index, default=None)
    strength, why = round(1.0 - doubt, 6), _why(claim, best, lined)
    return Tied(view, claim, path, best.arm, strength, line, why, source, state)


def _why(claim: Claim, best: Tie, lined: Tie) -> str:
    """The reason of the strongest tie in words, with the tie that gives the line."""
    said = _said(claim, best)
    return said if lined is best else f"{said}, {_said(claim, lined)}"


def _said(claim: Claim, tie: Tie) -> str:
    if tie.arm in ("cites", "quotes"):
        return f"{tie.arm} L{tie.line}" if tie.line is not None else f"{tie.arm} it"
    named = {"text": "names", "quote": "the line it quotes names", "decision": "its decision names"}
    name = claim.text[tie.start : tie.end] if tie.where == "text" else "it"
    said = f"{named[tie.where]} {name}"
    if tie.arm == "path":
        return said
    others = ("", ", as does another file", ", as do two other files")[min(tie.files, 3) - 1]
    return f"{said}, defined at L{tie.line}{others}"
