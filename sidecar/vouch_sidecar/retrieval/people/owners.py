"""Finds who owns, by CODEOWNERS, the files that claims are tied to. Claims that the viewer may not
see do not count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from vouch_sidecar.kb.records import Claim, Entity
from vouch_sidecar.retrieval.constants import MAX_CLAIMS_WITH_FILES, MAX_OWNERS
from vouch_sidecar.retrieval.files.file_ties import file_strengths
from vouch_sidecar.retrieval.people.topic_matches import Match
from vouch_sidecar.retrieval.view import View

EVERY_FILE = frozenset({"*", "**", "/**"})
"""Patterns that own every file without another owner, which says little about any one of them."""


class FileOwner(NamedTuple):
    """A user or a team that owns files, and the pattern of the rule that says so."""

    handle: str
    is_team: bool
    pattern: str


def _are_told(view: View) -> bool:
    return view.people_told.teams and bool(view.workspace.code_owners.rules)


def owners_of(view: View, claims: Sequence[Claim], in_block: bool = False) -> list[FileOwner]:
    """The owners of the files of some claims, those of most and strongest ties first. `in_block`:
    for a block, which a model reads.
    """
    return _owners_by(view, file_strengths(view, claims), in_block) if _are_told(view) else []


def owners_about(view: View, entity: Entity, in_block: bool = False) -> list[FileOwner]:
    """The owners of the files of an entity's claims."""

    def find() -> list[FileOwner]:
        return owners_of(view, view.visible.best_claims(entity.id, MAX_CLAIMS_WITH_FILES), in_block)

    return view.cached(f"owners about {entity.id}", str(in_block), find) if _are_told(view) else []


def owners_on(matches: Sequence[Match]) -> list[tuple[View, FileOwner]]:
    """The owners of the files that a topic names, else of those of the claims that match it. Whom
    one of the knowledge bases never tells is left out of all.
    """
    rows: list[tuple[View, FileOwner]] = []
    for match in matches:
        view = match.view
        if _are_told(view) and match.files:
            rows += [(view, owner) for owner in _owners_by(view, dict.fromkeys(match.files, 1.0))]
        elif _are_told(view):
            rows += [(view, owner) for owner in owners_of(view, match.best_claims)]
    told = [match.view.people_told for match in matches]
    return [row for row in rows if not any(people.is_never([row[1].handle]) for people in told)]


def _owners_by(view: View, ties: Mapping[str, float], in_block: bool = False) -> list[FileOwner]:
    """The owners of files and folders with these ties, those of most and strongest ties first. Each
    has the pattern of the rule for his strongest tie.
    """
    sums: dict[tuple[str, bool], float] = {}
    patterns: dict[tuple[str, bool], str] = {}
    for path in sorted(ties, key=lambda path: (-ties[path], path)):
        rule = view.workspace.owners_rule(path)
        for owner in rule.owners if rule is not None else ():
            sums[owner] = sums.get(owner, 0.0) + ties[path]
            patterns.setdefault(owner, rule.pattern if rule is not None else "")
    order = sorted(sums, key=lambda who: (patterns[who] in EVERY_FILE, -round(sums[who], 6), who))
    owners = [FileOwner(*owner, patterns[owner]) for owner in order]
    told = view.people_told
    return [
        owner
        for owner in owners
        if told.tells_owner(owner.handle, is_team=owner.is_team, in_block=in_block)
    ][:MAX_OWNERS]
