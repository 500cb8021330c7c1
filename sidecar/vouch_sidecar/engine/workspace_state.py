"""The state of a workspace between two analyses, and the part of it in the user's cache."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from vouch_sidecar.engine.collection import WORKSPACE, Collection
from vouch_sidecar.index.base_cache import code_version
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.kb.safe_files import Stat
from vouch_sidecar.workspace import syntax_trees
from vouch_sidecar.workspace.code_owners import CodeOwners, OwnersRule
from vouch_sidecar.workspace.commit_history import History
from vouch_sidecar.workspace.common_names import Spread
from vouch_sidecar.workspace.definitions import Span
from vouch_sidecar.workspace.file_list import Files
from vouch_sidecar.workspace.files_of_claim import ClaimReading
from vouch_sidecar.workspace.git import origin_of
from vouch_sidecar.workspace.quotes_in_files import Fresh, Freshness, GoneNames, QuoteRange
from vouch_sidecar.workspace.snapshot import Workspace
from vouch_sidecar.workspace.ties import SaidNames, Tie, Ties, Use


@dataclass(slots=True)
class NamesInFiles:
    """What files say of the names that claims hold."""

    wanted: str = ""
    """Digest of the names that the files were last searched for."""
    by_path: dict[str, SaidNames] = field(default_factory=dict)
    stats: dict[str, Stat] = field(default_factory=dict)
    """Stat of each file that was searched, by path."""
    saved: set[str] = field(default_factory=set)
    """Paths of files that were saved, and say the same names, since these were published."""


@dataclass(slots=True)
class Owners:
    """The code owners of the repository."""

    code_owners: CodeOwners = field(default_factory=CodeOwners)
    stamp: object = None
    """The version of the file that they were read from."""
    rules: dict[str, OwnersRule | None] = field(default_factory=dict)
    """The rule that names the owners of each tied file, as far as it was looked for."""


class QuotesInFile(NamedTuple):
    """Whether the quotes of claims are still in a file, when that was last looked for."""

    stat: Stat | None
    quotes: int
    """A hash of the quotes that were looked for."""
    found: dict[QuoteRange, Fresh]


@dataclass(slots=True)
class Once:
    """What was ever found in this workspace."""

    files: dict[str, str] = field(default_factory=dict)
    """The file last found for each source, by source id."""
    names: set[str] = field(default_factory=set)
    """Digests of paths and identifiers in claims."""


@dataclass(slots=True)
class WorkspaceState:
    """The state of one workspace between two analyses. Not thread-safe."""

    knowledge: Knowledge | None = None
    files: Files | None = None
    watched: dict[str, bool] = field(default_factory=dict)
    """The files that claims are tied to or cite, and whether each was there at the last analysis.
    """
    reads: dict[str, ClaimReading] = field(default_factory=dict)
    """What each claim cites, quotes and names, by claim id."""
    names: NamesInFiles = field(default_factory=NamesInFiles)
    rationales: tuple[int, dict[str, str]] | None = None
    """When the folder of decided proposals was written, and the rationale of each claim in it."""
    history: History = field(default_factory=History)
    """Who committed what. It is not written to the cache."""
    needs_history: bool = True
    """Whether an answer depends on the history."""
    owners: Owners = field(default_factory=Owners)
    once: Once = field(default_factory=Once)
    quotes: dict[str, QuotesInFile] = field(default_factory=dict)
    """By path of each quoted file."""
    widespread: tuple[tuple[str, ...], dict[str, Spread]] = ((), {})
    """The list of files, and by name how widespread it is in them."""
    common: set[str] = field(default_factory=set)
    """Names in claims that are too widespread to tie anything."""
    recalled: bool = False
    kept: int = 0
    """The serial number of the workspace that is in the cache."""


def load_kept(collection: Collection, state: WorkspaceState | None = None) -> Workspace | None:
    """The workspace that an earlier process kept, which also fills `state`. None if there is none,
    or if it is malformed.
    """
    data = None if collection.bases is None else collection.bases.read_extra(_name())
    if data is None:
        return None
    parts: dict[str, dict[str, Any]] = {name: {} for name in _PARTS}
    try:
        # Line by line: parsing everything at once would block all other threads.
        for line in data.splitlines():
            part, key, value = json.loads(line)
            parts[part][key] = _PARTS[part](value)
        (wanted,) = parts["wanted"]
    except (ValueError, LookupError, TypeError, AttributeError):
        return None
    if state is not None:
        state.names = NamesInFiles(wanted, dict(parts["said"]), parts["stats"])
        state.once = Once(dict(parts["once"]), set(parts["names"]))
    ties = Ties(parts["by_path"], parts["uses"], parts["said"])
    origin = origin_of(collection.root)
    quotes = {quote: fresh for some in parts["quotes"].values() for quote, fresh in some}
    lost = {
        source: path for source, path in parts["once"].items() if source not in parts["sources"]
    }
    fresh = Freshness(quotes, lost, parts["gone"])
    sources, stats = parts["sources"], parts["stats"]
    return Workspace(
        collection.root, Files(), ties, None, sources, origin, fresh=fresh, stats=dict(stats)
    )


_PARTS: Mapping[str, Callable[[Any], Any]] = {
    "by_path": lambda ties: [Tie(*tie) for tie in ties],
    "uses": lambda uses: [Use(*use) for use in uses],
    "said": lambda row: _names(*row),
    "stats": bytes.fromhex,
    "sources": str,
    "wanted": str,
    "quotes": lambda some: [((quote[0], quote[1], quote[2]), Fresh(*how)) for quote, how in some],
    "once": str,
    "names": str,
    "gone": lambda row: GoneNames(row[0], tuple((start, end) for start, end in row[1])),
}
"""The parts of the cache file, which has a line for each entry, and how to decode a value."""


def _names(
    defined: dict[str, Any], mentioned: dict[str, int], documents: dict[str, int], gone: list[str]
) -> SaidNames:
    spans = {name: Span(*span) for name, span in defined.items()}
    return SaidNames(spans, mentioned, documents, frozenset(gone))


def is_kept(collection: Collection, state: WorkspaceState) -> bool:
    """Whether the published workspace is in the cache."""
    bases, serial = collection.bases, collection.surroundings.workspace.serial
    return bases is not None and state.kept == serial and bases.has_extra(_name())


def keep(collection: Collection, state: WorkspaceState) -> None:
    """Write the published workspace to the cache for the next process, which continues an analysis
    that was cut short.
    """
    if collection.bases is None or not state.names.wanted:
        return
    workspace, names = collection.surroundings.workspace, state.names
    parts: dict[str, Mapping[str, Any]] = {
        "by_path": workspace.ties.by_path,
        "uses": workspace.ties.uses,
        "said": {path: (*said[:3], sorted(said.gone)) for path, said in names.by_path.items()},
        "stats": {path: stat.hex() for path, stat in names.stats.items()},
        "sources": workspace.sources,
        "wanted": {names.wanted: ""},
        "quotes": {path: list(quotes.found.items()) for path, quotes in state.quotes.items()},
        "once": state.once.files,
        "names": dict.fromkeys(sorted(state.once.names), ""),
        "gone": workspace.fresh.names,
    }
    lines = (
        json.dumps([part, key, value], separators=(",", ":"))
        for part, entries in parts.items()
        for key, value in entries.items()
    )
    if collection.bases.write_extra(_name(), "\n".join(lines).encode()):
        state.kept = workspace.serial


@cache
def _name() -> str:
    how = "parsed" if syntax_trees.is_available() else "lines"
    return f"{WORKSPACE}-{code_version(('kb', 'text', 'names', 'index', 'workspace'))}-{how}"
