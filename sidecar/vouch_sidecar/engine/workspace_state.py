"""The state of a workspace between two analyses, and the part of it in the user's cache."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from vouch_sidecar.engine.collection import WORKSPACE, Collection
from vouch_sidecar.engine.surroundings import Stage
from vouch_sidecar.index.base_cache import code_version
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.kb.safe_files import Stat
from vouch_sidecar.workspace.code_owners import CodeOwners, OwnersRule
from vouch_sidecar.workspace.commit_history import History
from vouch_sidecar.workspace.definitions import Span
from vouch_sidecar.workspace.file_list import Files, stat_of
from vouch_sidecar.workspace.files_of_claim import ClaimReading
from vouch_sidecar.workspace.git import origin_of
from vouch_sidecar.workspace.quotes_in_files import Freshness, QuotedFiles
from vouch_sidecar.workspace.snapshot import Workspace
from vouch_sidecar.workspace.ties import SaidNames, Tie, Ties, Use
from vouch_sidecar.workspace.topics import NO_TOPICS, Topics


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

    def begin_search(self, wanted: str, files: Files) -> None:
        """A search of these files begins. If other names are wanted than before, by their digest,
        all files are to be searched.
        """
        if wanted != self.wanted:
            self.stats.clear()
            self.wanted = wanted
        self.saved.clear()
        self.stats = {path: stat for path, stat in self.stats.items() if path in files}
        self.by_path = {path: said for path, said in self.by_path.items() if path in files}

    def took_in(self, path: str, stat: Stat | None, said: SaidNames) -> None:
        """A file was searched; without a stat it could not be."""
        self.by_path.pop(path, None)
        self.stats.pop(path, None)
        if any(said):
            self.by_path[path] = said
        if stat is not None:
            self.stats[path] = stat

    def was_saved(self, path: str, stat: Stat, said: SaidNames, *, is_tied: bool) -> None:
        """A file was saved, and says the same names as before, maybe in other lines."""
        self.stats[path] = stat
        if any(said):
            self.by_path[path] = said
        if any(said) or is_tied:
            self.saved.add(path)

    def take_saved(self) -> set[str]:
        """The files that were saved, to be published; from now on others count."""
        saved, self.saved = self.saved, set()
        return saved


@dataclass(slots=True)
class Owners:
    """The code owners of the repository."""

    code_owners: CodeOwners = field(default_factory=CodeOwners)
    stamp: object = None
    """The version of the file that they were read from."""
    rules: dict[str, OwnersRule | None] = field(default_factory=dict)
    """The rule that names the owners of each tied file, as far as it was looked for."""

    def took_rules(self, rules: Mapping[str, OwnersRule | None]) -> None:
        """The rules of more files were looked for."""
        self.rules |= rules


@dataclass(slots=True)
class Once:
    """What was ever found in this workspace."""

    files: dict[str, str] = field(default_factory=dict)
    """The file last found for each source, by source id."""

    def took_files(self, sources: Mapping[str, str], cited: Container[str]) -> None:
        """These files were found for sources. Only sources that claims cite are remembered."""
        files = {**self.files, **sources}
        self.files = {source: path for source, path in files.items() if source in cited}


@dataclass(slots=True)
class WorkspaceState:
    """The state of one workspace between two analyses. Not thread-safe. It alone changes itself:
    whoever analyses says what happened.
    """

    knowledge: Knowledge | None = None
    workspace: Workspace = field(default_factory=lambda: Workspace(Path()))
    """What was last worked out, or kept by an earlier process."""
    topics: Topics = NO_TOPICS
    files: Files | None = None
    watched: dict[str, bool] = field(default_factory=dict)
    """The files that claims are tied to or cite, and whether each was there at the last analysis.
    """
    reads: dict[str, ClaimReading] = field(default_factory=dict)
    """What each claim cites, quotes and names, by claim id."""
    names: NamesInFiles = field(default_factory=NamesInFiles)
    history: History = field(default_factory=History)
    """Who committed what. It is not written to the cache."""
    needs_history: bool = True
    """Whether an answer depends on the history."""
    owners: Owners = field(default_factory=Owners)
    once: Once = field(default_factory=Once)
    quoted: dict[str, Stat | None] = field(default_factory=dict)
    """The stat of each file that claims quote, when it was last seen."""
    quoted_files: QuotedFiles = field(default_factory=QuotedFiles)
    recalled: bool = False
    kept: int = 0
    """The serial number of the workspace that is in the cache."""

    def need_history(self, is_needed: bool) -> None:
        """Say whether an answer depends on the history from now on."""
        self.needs_history = is_needed

    def took(self, stage: Stage) -> None:
        """A stage was worked out."""
        self.workspace, self.topics = stage.workspace, stage.topics or self.topics

    def was_kept(self) -> None:
        """The workspace is in the cache."""
        self.kept = self.workspace.serial

    # Files

    def forget_files(self) -> None:
        """The list of files is not that on the disk: it is to be made anew."""
        self.files = None

    def took_list(self, files: Files) -> Files:
        """The files were listed. Returns the list, which stays the same object where nothing
        differs. With other files all claims are read again.
        """
        if self.files is None or files.paths != self.files.paths:
            self.knowledge = None
        if self.files is None or not files.is_same_as(self.files):
            self.files = files
        return self.files

    def watch(self, root: Path, ties: Ties, sources: Mapping[str, str]) -> None:
        """Watch the files that claims are tied to or cite from now on."""
        paths = {*ties.by_path, *sources.values(), *self.once.files.values()}
        self.watched = {path: is_there(root, path) for path in paths}

    def took_owners(self, code_owners: CodeOwners, stamp: object) -> None:
        """The code owners were read anew."""
        self.owners = Owners(code_owners, stamp)

    def took_history(self, history: History) -> None:
        """The history was read anew."""
        self.history = history

    # Claims

    def begin_reading(self, *, anew: bool) -> None:
        """Claims are being read, with `anew` all of them; what is known is that of no generation
        until `was_done_for`.
        """
        if anew:
            self.reads = {}
        self.knowledge = None

    def read(self, claim_id: str, reading: ClaimReading | None) -> None:
        """A claim was read; None if it is gone."""
        if reading is None:
            self.reads.pop(claim_id, None)
        else:
            self.reads[claim_id] = reading

    def was_done_for(self, knowledge: Knowledge) -> None:
        """Everything is known of a generation."""
        self.knowledge = knowledge

    def saw_quoted(self, root: Path, paths: Iterable[str]) -> None:
        """These are the files that claims quote."""
        self.quoted = {path: stat_of(root, path) for path in paths}


def is_there(root: Path, path: str) -> bool:
    """Whether there is a file, or a link that leads nowhere."""
    return os.path.lexists(root / path)


def load_kept(collection: Collection, state: WorkspaceState) -> Workspace | None:
    """The workspace that an earlier process kept, which also fills `state`. None if there is none,
    or if it is malformed.
    """
    state.recalled = True
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
    state.names = NamesInFiles(wanted, dict(parts["said"]), parts["stats"])
    state.once = Once(dict(parts["once"]))
    ties = Ties(parts["by_path"], parts["uses"], parts["said"])
    origin = origin_of(collection.tree)
    lost = {
        source: path for source, path in parts["once"].items() if source not in parts["sources"]
    }
    fresh = Freshness(collection.tree, gone=lost)
    sources, stats = parts["sources"], parts["stats"]
    return Workspace(
        collection.tree, Files(), ties, None, sources, origin, fresh=fresh, stats=dict(stats)
    )


_PARTS: Mapping[str, Callable[[Any], Any]] = {
    "by_path": lambda ties: [Tie(*tie) for tie in ties],
    "uses": lambda uses: [Use(*use) for use in uses],
    "said": lambda row: _names(*row),
    "stats": bytes.fromhex,
    "sources": str,
    "wanted": str,
    "once": str,
}
"""The parts of the cache file, which has a line for each entry, and how to decode a value."""


def _names(defined: dict[str, Any], documents: dict[str, int]) -> SaidNames:
    return SaidNames({name: Span(*span) for name, span in defined.items()}, documents)


def is_kept(collection: Collection, state: WorkspaceState) -> bool:
    """Whether the workspace is in the cache."""
    bases, serial = collection.bases, state.workspace.serial
    return bases is not None and state.kept == serial and bases.has_extra(_name())


def keep(collection: Collection, state: WorkspaceState) -> None:
    """Write the workspace to the cache for the next process, which continues an analysis
    that was cut short.
    """
    if collection.bases is None or not state.names.wanted:
        return
    workspace, names = state.workspace, state.names
    parts: dict[str, Mapping[str, Any]] = {
        "by_path": workspace.ties.by_path,
        "uses": workspace.ties.uses,
        "said": names.by_path,
        "stats": {path: stat.hex() for path, stat in names.stats.items()},
        "sources": workspace.sources,
        "wanted": {names.wanted: ""},
        "once": state.once.files,
    }
    lines = (
        json.dumps([part, key, value], separators=(",", ":"))
        for part, entries in parts.items()
        for key, value in entries.items()
    )
    if collection.bases.write_extra(_name(), "\n".join(lines).encode()):
        state.was_kept()


@cache
def _name() -> str:
    return f"{WORKSPACE}-{code_version(('kb', 'text', 'names', 'index', 'workspace'))}"
