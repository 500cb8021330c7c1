"""Claims tied to files of the workspace, for one viewer. A tie counts only while the claim is
unchanged, and where the viewer may see both the claim and the source that the tie depends on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import blake2b
from math import prod

from vouch_sidecar.kb.records import Claim, Key, Kind
from vouch_sidecar.retrieval.constants import GENERAL_FILE
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.retrieval.view.claim_texts import each_once
from vouch_sidecar.workspace.file_kinds import file_name, is_for_names
from vouch_sidecar.workspace.quotes_in_files import Fresh, QuoteState
from vouch_sidecar.workspace.ties import TIE_ARMS, Tie, TieArm

GONE = 0.5
"""The factor for a quote that its file no longer has."""
WEAK = 0.45
"""A weaker tie is folded, and never volunteered."""


Counts = Callable[[View, Claim], bool]
"""Whether a claim counts."""


@dataclass(frozen=True, slots=True)
class Tied:
    """A claim that is tied to a file or folder. `strength` is from 0 to 1, `line` counts from 1,
    `why` gives the reason in a few words, and `source_id` is the source that the claim cites there.
    """

    view: View
    claim: Claim
    path: str
    arm: TieArm
    strength: float
    line: int | None
    why: str
    last_line: int | None = None
    """The last line of the definition that begins at `line`, if one does."""
    source_id: str | None = None
    fresh: QuoteState | None = None
    """Whether the file still has the quote, where that is known."""
    names: tuple[str, ...] = ()
    """The names in the claim's text, or in the sentence that is shown for it, that the file
    defines.
    """
    start: int = 0
    """For a quote, the offset of its first byte in the source."""

    @property
    def place(self) -> tuple[int, int]:
        """Orders claims of one file as it has them."""
        return self.line or 0, self.start

    @property
    def is_weak(self) -> bool:
        return self.strength < WEAK


def mark_of(claim: Claim) -> str:
    """A value that changes when a claim's ties may change: with its text or its citations."""
    said = "\0".join((claim.text, *claim.evidence))
    return blake2b(said.encode("utf-8", "replace"), digest_size=8).hexdigest()


def tied_to(view: View, path: str, text: str | None = None) -> list[Tied]:
    """The claims tied to a file, strongest first, one for each statement. Reads the file, unless
    `text` is given.
    """
    return _tied_to(view, path, view.workspace.ties_of(path, text))


def tied_as_stored(view: View, path: str, counts: Counts | None = None) -> list[Tied]:
    """The claims that count and are tied to a listed file as it was when it was read, strongest
    first, one for each statement. Reads no file.
    """
    return _tied_to(view, path, view.workspace.stored_ties_of(path), counts)


def _tied_to(
    view: View, path: str, ties: Iterable[Tie], counts: Counts | None = None
) -> list[Tied]:
    """The claims with ties to a file, one for each statement."""
    tied = visible_ties(view, ((path, tie) for tie in ties))
    return _each_statement_once(t for t in tied if counts is None or counts(view, t.claim))


def tied_to_paths(view: View, paths: Iterable[str]) -> list[Tied]:
    """The claims tied to files and folders as they were when they were read, strongest first, each
    once. Weak ties are left out where there are others. Reads no file.
    """
    workspace = view.workspace
    ties = [
        (path, tie)
        for path in paths
        for tie in (
            workspace.ties.of_path(path) if path.endswith("/") else workspace.stored_ties_of(path)
        )
    ]
    tied = visible_ties(view, ties)
    return [each for each in tied if not each.is_weak] or tied


def tied_at(view: View, text: str, offset: int) -> tuple[int, int, list[Tied]] | None:
    """Start and end of the name at an offset of a text, and the claims tied to what the name means;
    None if there is no such name or claim.
    """
    place = view.workspace.named_at(text, offset)
    if place is None:
        return None
    start, end, ties = place
    shown = _each_statement_once(visible_ties(view, ((found.path, found.tie) for found in ties)))
    return (start, end, shown) if shown else None


def tied_to_what(view: View, text: str) -> list[Tied]:
    """The claims tied to the files, folders, modules and identifiers that a text names, strongest
    first, each once. Reads no file, so that every prompt can be asked about.
    """

    tied_files = view.workspace.named_by(text)
    return visible_ties(view, ((found.path, found.tie) for found in tied_files))


def visible_ties(view: View, ties: Iterable[tuple[str, Tie]]) -> list[Tied]:
    """The ties that the viewer may see, one for each claim, which has the strength of all its ties
    together and the reason of the strongest. Claims that nobody approved and that say nothing by
    themselves, such as a line of code in a document, are left out, and all that say something only
    in a context which the viewer may not see.
    """
    by_claim: dict[str, list[tuple[str, Tie]]] = {}
    for path, tie in ties:
        by_claim.setdefault(tie.claim_id, []).append((path, tie))
    tied = []
    for claim_id, several in by_claim.items():
        claim = view.visible.claim(claim_id)
        if claim is None or view.texts.lacks_context(claim):
            continue
        if claim.auto_approved and not view.texts.is_sayable(claim):
            continue
        if shown := [(path, _as_of_now(view, tie)) for path, tie in _shown(view, claim, several)]:
            tied.append(_together(view, claim, shown))
    tied.sort(key=lambda each: (-each.strength, *each.place, each.claim.id))
    return tied


def _each_statement_once(ties: Iterable[Tied]) -> list[Tied]:
    """The ties without those whose claim says what an earlier one says: vouch makes several claims
    of one sentence, and of one document in two versions. A contested claim stands for the others,
    and a tie with a quote for those to the whole file, which can't show whether the claim still
    holds.
    """

    def order(tied: Tied) -> tuple[bool, bool]:
        return tied.claim.status != "contested", tied.fresh is None

    return each_once(
        ties,
        lambda tied: tied.view.texts.shown(tied.claim).says,
        lambda *both: min(both, key=order),
    )


def files_of(view: View, claim: Claim) -> dict[str, float]:
    """The files that a claim is tied to, and folders with a slash at their end, each with the
    strength of the strongest tie that the viewer may see.
    """
    strengths: dict[str, float] = {}
    for path, tie in _shown(view, claim, view.workspace.ties.of_claim(claim.id)):
        strengths[path] = max(strengths.get(path, 0.0), tie.strength)
    return strengths


def file_strengths(view: View, claims: Iterable[Claim]) -> dict[str, float]:
    """The files and folders that some claims are tied to, each with the strength of the strongest
    tie. Files that everybody changes have little.
    """
    strengths: dict[str, float] = {}
    for claim in claims:
        for path, strength in files_of(view, claim).items():
            worth = strength if is_for_names(path) else strength * GENERAL_FILE
            strengths[path] = max(strengths.get(path, 0.0), worth)
    return strengths


def _shown(view: View, claim: Claim, ties: Iterable[tuple[str, Tie]]) -> list[tuple[str, Tie]]:
    """A claim's ties that still hold and that the viewer may see. One by a name in a sentence that
    he may no longer see is none.
    """
    mark, sentence = mark_of(claim), view.texts.sentence(claim)
    hides_sentence = sentence is None or not sentence.holds_text
    return [
        (path, tie)
        for path, tie in ties
        if tie.mark == mark
        and not (hides_sentence and tie.where == "sentence")
        and (tie.via is None or view.visible.artifact(_via(tie)) is not None)
    ]


def _via(tie: Tie) -> Key:
    """The artifact that a viewer must be able to see for a tie to count."""
    return (Kind.ENTITY if tie.where == "entity" else Kind.SOURCE), tie.via or ""


def _as_of_now(view: View, tie: Tie) -> Tie:
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
    return view.workspace.fresh.of((tie.via, tie.start, tie.end))


def _together(view: View, claim: Claim, ties: list[tuple[str, Tie]]) -> Tied:
    """One tie out of all of a claim: the strongest gives the reason, and the strongest with a line
    gives the line.
    """

    def order(path_and_tie: tuple[str, Tie]) -> tuple[object, ...]:
        path, tie = path_and_tie
        return (-tie.strength, TIE_ARMS.index(tie.arm), tie.line or 0, tie.start, path)

    ties = sorted(ties, key=order)
    path, best = ties[0]
    lined = next((tie for _, tie in ties if tie.line is not None), best)
    strongest = {tie.arm: tie.strength for _, tie in reversed(ties)}
    doubt = prod(1.0 - strength for strength in strongest.values())
    own = (_fresh(view, tie) for _, tie in ties)
    states = [fresh.state for fresh in own if fresh is not None]
    return Tied(
        view,
        claim,
        path,
        best.arm,
        round(1.0 - doubt, 6),
        lined.line,
        _why(view, claim, best),
        lined.last_line,
        next((tie.via for _, tie in ties if tie.arm in ("cites", "quotes")), None),
        min(states, key=("there", "moved", "gone").index, default=None),
        tuple(filter(None, (_name(view, claim, t) for _, t in ties if t.arm == "identifier"))),
        lined.start if lined.arm == "quotes" else 0,
    )


def _name(view: View, claim: Claim, tie: Tie) -> str:
    """The name of a tie as the claim, or the sentence that is shown for it, has it; "" if neither
    does.
    """
    if tie.where not in ("text", "sentence"):
        return ""
    text = claim.text if tie.where == "text" else view.texts.shown(claim).text
    return text[tie.start : tie.end]


def _why(view: View, claim: Claim, tie: Tie) -> str:
    """The reason of a tie in words."""
    other = file_name(tie.other_file) if tie.other_file else ""
    if tie.where == "entity":
        entity = view.knowledge.entity(tie.via or "")
        called = entity.name if entity is not None else "what"
        return f"is about {called}, which this file is named after"
    if tie.arm in ("cites", "quotes"):
        there = "it" if tie.line is None else f"L{tie.line}"
        return f"{tie.arm} {other}, which this tests" if other else f"{tie.arm} {there}"
    said = f"names {_name(view, claim, tie)}"
    if other:
        return f"{said}{f', of {other}' * (tie.arm == 'identifier')}, which this tests"
    return said if tie.arm == "path" else f"{said}, defined at L{tie.line}"
