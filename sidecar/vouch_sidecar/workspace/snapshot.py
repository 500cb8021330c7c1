"""The workspace around one knowledge base as of the last analysis. It never changes."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any

from vouch_sidecar.kb.safe_files import Stat, size_of
from vouch_sidecar.workspace.code_owners import CodeOwners, OwnersRule
from vouch_sidecar.workspace.commit_history import History, prefix_in
from vouch_sidecar.workspace.definitions import Wanted, names_in_file
from vouch_sidecar.workspace.file_kinds import is_searched, language_of
from vouch_sidecar.workspace.file_list import Files, path_below, read_file, stat_of
from vouch_sidecar.workspace.locator import Locator, is_mere_name
from vouch_sidecar.workspace.names_in_text import documents_in, names_in
from vouch_sidecar.workspace.quotes_in_files import Freshness
from vouch_sidecar.workspace.ties import (
    FoundTie,
    SaidNames,
    Tie,
    Ties,
    digested,
)

_serials = count(1)


@dataclass(frozen=True, eq=False)
class Workspace:
    """The workspace around the knowledge base in folder `root`.

    `wanted` are the identifiers that claims name, None if only their digests are known from an
    earlier process. `sources` are the files that sources were made from, by source id.
    """

    root: Path
    files: Files = field(default_factory=Files)
    ties: Ties = field(default_factory=Ties)
    wanted: Wanted | None = None
    sources: Mapping[str, str] = field(default_factory=dict)
    origin: str = ""
    """The name of the repository that the workspace was cloned from."""
    fresh: Freshness = field(default_factory=Freshness)
    """What went stale, as far as it is known."""
    history: History = field(default_factory=History)
    code_owners: CodeOwners = field(default_factory=CodeOwners)
    owned: Mapping[str, OwnersRule] = field(default_factory=dict)
    """The rule that names the owners of each tied file or folder, by path."""
    stats: Mapping[str, Stat] = field(default_factory=dict)
    """The stat of each file in which names were looked for, or of which claims cite a line."""
    serial: int = field(default_factory=lambda: next(_serials), init=False)
    """A number that no other workspace has. Sessions compare it: the workspace itself, with all
    ties, would stay in memory until each of them is asked again.
    """

    @cached_property
    def locator(self) -> Locator:
        return Locator(self.root, self.files)

    def with_fresh(self) -> Workspace:
        """This workspace, after files that claims quote were saved."""
        return self._with(fresh=replace(self.fresh))

    def asked(self) -> Workspace:
        """This workspace, for one question."""
        if not self.fresh:
            return self
        other = copy(self)  # with its serial number and look-ups
        object.__setattr__(other, "fresh", self.fresh.asked())
        return other

    def with_names(self, names: Mapping[str, SaidNames], stats: Mapping[str, Stat]) -> Workspace:
        """This workspace after files were saved that say the same names as before, on other lines
        perhaps; `stats` are those of the files.
        """
        same = all(self.ties.names.get(path) == said for path, said in names.items())
        ties = self.ties if same else self.ties.with_lines(names)
        return self._with(ties=ties, stats={**self.stats, **stats})

    def _with(self, **fields: Any) -> Workspace:
        other = replace(self, **fields)
        other.__dict__["locator"] = self.locator  # it takes long to build, of the same files
        return other

    def made_ready(self) -> Workspace:
        """This workspace, after building all look-ups, so that no question has to wait for them."""
        self.locator.make_ready()
        self.ties.make_ready()
        self.history.make_ready()
        return self

    def path_of(self, path: str) -> str | None:
        """A path as it is listed, or at least relative to the root; None if it leaves the root. A
        relative path may begin at the root or, as in git's output, at the top of the repository.
        """
        inside = path_below(self.root, path)
        if inside is None:
            return None
        file = self.files.find(inside)
        prefix = self.files.prefix
        if file is None and prefix and inside.startswith(prefix):
            file = self.files.find(inside[len(prefix) :])
        return file or inside

    def tied_below(self, folder: str) -> list[str]:
        """A folder and all below it that claims may be tied to as of the last analysis, by path;
        folders have a slash at their end. Empty if it is no folder here. Reads no file.
        """
        inside = "" if path_below(self.root, f"{folder}/x") == "x" else self.path_of(folder)
        if inside is None or (inside and inside not in self.files.folders):
            return []
        prefix = inside and f"{inside}/"
        tied = filter(None, {*self.ties.by_path, *self.ties.names, prefix})
        return sorted(
            path
            for path in tied
            if path.startswith(prefix) and (path.endswith("/") or path in self.files)
        )

    def relative(self, text: str) -> str:
        """A text of the same length, with blanks in place of the root in front of paths below it:
        an absolute path counts as the relative one.
        """
        if self._tops is None:
            return text
        return self._tops.sub(lambda top: " " * len(top[0]), text)

    @cached_property
    def _tops(self) -> re.Pattern[str] | None:
        """The root as a text may write it in front of a path; None where it is the top folder."""
        root, home = self.root.as_posix(), os.path.expanduser("~")  # noqa: PTH111
        if root == "/":
            return None
        below_home = root.startswith(f"{home.rstrip('/')}/")
        other = f"~{root[len(home.rstrip('/')) :]}" if below_home else root
        return re.compile(
            rf"(?<![\w.~/-])(?:file://|)(?:{re.escape(root)}|{re.escape(other)})/(?=[\w.])"
        )

    def files_in(self, text: str) -> list[tuple[int, int, str]]:
        """The start and end of each path in a text that means a file or a folder here, and the path
        of that as it is listed; a folder's has a slash at its end. Reads no file.
        """
        named = names_in(text, self.locator.listed)
        paths = (name for name in named if name.kind == "path")
        meant = ((name.start, name.end, self._meant(name.text)) for name in paths)
        return [(start, end, path) for start, end, path in meant if path is not None]

    def _meant(self, name: str) -> str | None:
        inside = self.path_of(name)
        listed = None if inside is None else self.files.find(inside)
        return listed or self.locator.of_path(name)

    def owners_rule(self, path: str) -> OwnersRule | None:
        """The rule that names the owners of a file or folder, tied or not."""
        rule, prefix = self.owned.get(path), prefix_in(self.code_owners.top, self.root)
        if rule is not None or prefix is None:
            return rule
        return self.code_owners.rules_for([prefix + path]).get(prefix + path)

    def source_path(self, locator: str, source_id: str) -> str | None:
        """The file that a source was made from. Once the workspace was analysed, a mere name alone
        does not tell it.
        """
        path = self.sources.get(source_id)
        if path is None and not (self.files.paths and is_mere_name(locator)):
            return self.locator.of_source(locator)
        return path

    def ties_of(self, path: str, text: str | None = None) -> list[Tie]:
        """The ties of a file. Reads the file, unless `text` is given."""
        data = None if text is None else text.encode("utf-8", "replace")
        if self.wanted is not None and is_searched(path):
            if data is None:
                content = read_file(self.root, path)
                data = b"" if content is None else content[0]
            names = names_in_file(data, language_of(path), self.wanted)
            return self.ties.of_file(path, digested(names))
        return self.stored_ties_of(path)

    def stored_ties_of(self, path: str) -> list[Tie]:
        """The ties of a file, as of the last analysis."""
        return self.ties.of_file(path)

    def ties_around(self, path: str) -> list[Tie]:
        """The ties of a file, and those to other files in its folder, as of the last analysis."""
        return [*self.stored_ties_of(path), *self.ties.in_folder_of(path)]

    def is_as_read(self, path: str) -> bool:
        """Whether a file has the size and times that it had at the last analysis."""
        stat = self.stats.get(path)
        return stat is not None and stat_of(self.root, path) == stat

    def has_grown_by(self, path: str, growth: int) -> bool:
        """Whether a file is so many bytes larger than it was at the last analysis."""
        before, now = self.stats.get(path), stat_of(self.root, path)
        if before is None or now is None:
            return False
        return size_of(now) - size_of(before) == growth

    def named_by(self, text: str) -> list[FoundTie]:
        """The ties to the files, modules and identifiers that a text names. Reads no file."""
        return self.ties.named_by(self.relative(text), self.locator)

    def documents_in(self, text: str) -> list[tuple[int, int]]:
        """The places where a text names documents that claims cite by a number, as `ADR-7`."""
        documents = filter(lambda name: self.ties.is_document(name.text), documents_in(text))
        return [(name.start, name.end) for name in documents]

    def named_at(self, text: str, offset: int) -> tuple[int, int, list[FoundTie]] | None:
        """The start and end of the name at an offset of a text, and the ties to what it names; None
        where there is no name.
        """
        return self.ties.named_at(self.relative(text), offset, self.locator)
