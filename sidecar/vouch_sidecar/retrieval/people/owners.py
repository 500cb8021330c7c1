"""Finds who owns, by CODEOWNERS, the files that claims are tied to. Claims that the viewer may not
see do not count.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from vouch_sidecar.kb.records import Claim, Entity
from vouch_sidecar.retrieval.constants import GENERAL_FILE, MAX_CLAIMS_WITH_FILES, MAX_OWNERS
from vouch_sidecar.retrieval.files.file_ties import files_of
from vouch_sidecar.retrieval.people.topic_matches import Match
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.workspace.code_owners import CodeOwner
from vouch_sidecar.workspace.file_kinds import is_for_names

EVERY_FILE = frozenset({"*", "**", "/**"})
"""Patterns that own every file without another owner, which says little about any one of them."""


class FileOwner(NamedTuple):
    """A user or a team that owns files, and the pattern of the rule that says so."""

    handle: str
    is_team: bool
    pattern: str


def _are_told(view: View) -> bool:
    return view.people_told.teams and bool(view.workspace.code_owners.rules)


def owners_of(view: View, claims: Iterable[Claim], in_block: bool = False) -> list[FileOwner]:
    """The owners of the files of some claims, those of most and strongest ties first. `in_block`:
    for a block, which a model reads.
    """
    if not _are_told(view):
        return []
    ties: dict[str, float] = {}
    for claim in claims:
        for path, strength in files_of(view, claim).items():
            worth = strength if is_for_names(path) else strength * GENERAL_FILE
            ties[path] = max(ties.get(path, 0.0), worth)
    return _owners_by(view, ties, in_block)


def _owners_by(view: View, ties: Mapping[str, float], in_block: bool) -> list[FileOwner]:
    """The owners of files and folders with these ties, those of most and strongest ties first."""
    people = view.people_told
    sums: dict[CodeOwner, float] = {}
    patterns: dict[CodeOwner, str] = {}
    for path in sorted(ties, key=lambda path: (-ties[path], path)):
        rule = view.workspace.owners_rule(path)
        for owner in rule.owners if rule is not None else ():
            if people.tells_owner(owner.handle, is_team=owner.is_team, in_block=in_block):
                sums[owner] = sums.get(owner, 0.0) + ties[path]
                patterns.setdefault(owner, rule.pattern if rule is not None else "")

    def place(owner: CodeOwner) -> tuple[bool, float, str]:
        return (patterns[owner] in EVERY_FILE, -round(sums[owner], 6), owner.handle)

    order = sorted(sums, key=place)
    return [FileOwner(*owner, patterns[owner]) for owner in order[:MAX_OWNERS]]


def owners_about(view: View, entity: Entity, in_block: bool = False) -> list[FileOwner]:
    """The owners of the files of an entity's claims."""

    def find() -> list[FileOwner]:
        return owners_of(view, view.visible.best_claims(entity.id, MAX_CLAIMS_WITH_FILES), in_block)

    return view.cached(f"owners about {entity.id}", str(in_block), find) if _are_told(view) else []


def owners_on(matches: Sequence[Match]) -> list[tuple[View, FileOwner]]:
    """The owners of the files that a topic names, else of those of the claims that match it. Whom
    one of the knowledge bases never tells is left out of all.
    """
    told = [match.view.people_told for match in matches]
    return [
        (match.view, owner)
        for match in matches
        if _are_told(match.view)
        for owner in (
            _owners_by(match.view, dict.fromkeys(match.files, 1.0), in_block=False)
            if match.files
            else owners_of(match.view, match.best_claims)
        )
        if not any(people.is_never([owner.handle]) for people in told)
    ]


def told_owners(owners: Collection[FileOwner]) -> str:
    """The owners as a phrase: `code owners acme/relay, ada`; "" without any."""
    return (
        f"code owner{'s' * (len(owners) != 1)} {', '.join(owner.handle for owner in owners)}"
        if owners
        else ""
    )
