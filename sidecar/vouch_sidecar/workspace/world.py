"""What lies around one knowledge base, worked out for one generation. It never changes."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import NamedTuple

from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.index.topic_table import VisibleTopics
from vouch_sidecar.kb.records import Claim, Key, Kind
from vouch_sidecar.kb.safe_files import Stat
from vouch_sidecar.text.analysis import fold
from vouch_sidecar.workspace.code_owners import OwnersRules
from vouch_sidecar.workspace.commit_history import History
from vouch_sidecar.workspace.definitions import Definitions, names_in_file
from vouch_sidecar.workspace.file_kinds import is_searched, language_of
from vouch_sidecar.workspace.file_list import read_file
from vouch_sidecar.workspace.files import Files, path_below
from vouch_sidecar.workspace.git import Checkout
from vouch_sidecar.workspace.names_in_text import names_in
from vouch_sidecar.workspace.quotes_in_files import Freshness
from vouch_sidecar.workspace.ties import ClaimReading, FoundTie, Ties, read_of

REFERRED = frozenset({Kind.ENTITY, Kind.SOURCE, Kind.EVIDENCE})
"""What claims refer to: if one of these changes, any claim may say something else of files."""
SERIALS = count(1)
"""Numbers of worlds, each of one world alone, or of all that say the same."""


class Inputs(NamedTuple):
    """What a world is built from, beside the files around.

    `knowledge_serial` is the number of the generation, 0 before the first world; `checkout` is that
    of when it was read; `own` are the names of the project, folded; `trusted` are folders of
    other users that are allowed. The first world is not whole: what takes longest, the definitions
    in files, the history and the topics, is in the second one.
    """

    knowledge_serial: int = 0
    checkout: Checkout = Checkout()
    own: frozenset[str] = frozenset()
    trusted: tuple[str, ...] = ()
    names_people: bool = False
    is_whole: bool = False


@dataclass(frozen=True)
class World:
    """What lies around the knowledge base of folder `root` in its working `tree`. It never changes.
    It equals one that says the same, of whichever generation.

    `inputs` is what it was built from. `prefix` is the path of the tree below the top of the
    repository, with a slash at its end; `readings` is what each claim says of files, by id;
    `sources` the files that sources were made from, by source id, and `compared` the stats of those
    that were read to find them; `definitions` what files define; `topics` those of some viewers, by
    their gates.
    """

    tree: Path
    root: Path = Path()
    inputs: Inputs = field(default_factory=Inputs, compare=False)
    files: Files = field(default_factory=Files)
    prefix: str = ""
    readings: Mapping[str, ClaimReading] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)
    compared: Mapping[str, Stat | None] = field(default_factory=dict, compare=False)
    definitions: Definitions = field(default_factory=dict)
    ties: Ties = field(default_factory=lambda: Ties({}, {}), compare=False)
    quotes: Freshness = field(default_factory=Freshness)
    history: History = field(default_factory=History)
    owners_rules: OwnersRules = field(default_factory=OwnersRules)
    topics: Mapping[frozenset[str], VisibleTopics] = field(default_factory=dict)
    serial: int = field(default_factory=lambda: next(SERIALS), compare=False)
    """Compared in place of the world, which would stay in memory with all ties where it was kept to
    be compared.
    """

    @property
    def is_built(self) -> bool:
        """Whether the files around are known: before the first world is built, none is."""
        return self.inputs != Inputs()

    def path_here(self, path: str) -> str | None:
        """A path as it is listed, or at least relative to the tree; None if it leaves the tree. A
        relative path may begin at its top or, as in git's output, at the top of the repository.
        """
        inside = path_below(self.tree, path)
        if inside is None:
            return None
        return (
            self.files.find(inside) or self.files.find(inside.removeprefix(self.prefix)) or inside
        )

    def relative(self, text: str) -> str:
        """A text of the same length, with blanks in place of the tree in front of paths below it:
        an absolute path counts as the relative one.
        """
        return self._tops.sub(lambda top: " " * len(top[0]), text)

    @cached_property
    def _tops(self) -> re.Pattern[str]:
        """The tree as a text may write it in front of a path."""
        tree, home = self.tree.as_posix(), os.path.expanduser("~")  # noqa: PTH111
        other = f"~{tree.removeprefix(home)}" if tree.startswith(f"{home}/") else tree
        return re.compile(
            rf"(?<![\w.~/-])(?:file://|)(?:{re.escape(tree)}|{re.escape(other)})/(?=[\w.])"
        )

    def has_read(self, claim: Claim) -> bool:
        """Whether the ties of a claim are those of what it says and cites now."""
        read = self.readings.get(claim.id)
        return read is not None and read.of == read_of(claim)

    def topics_of(
        self, knowledge: Knowledge, gates: frozenset[str], never: Set[str]
    ) -> VisibleTopics:
        """The topics that a viewer with these gates may see, as far as they are derived, without
        those with a name, folded, in `never`. Topics that depend on artifacts which changed since
        are left out until topics are derived again.
        """
        changed = changed_alone(knowledge, self.inputs.knowledge_serial)
        if changed is None or gates not in self.topics:
            return VisibleTopics()
        return self.topics[gates].without(frozenset(changed), never)

    def files_in(self, text: str) -> list[tuple[int, int, str]]:
        """The start and end of each path in a text that means a file or a folder here, or number of
        a document, and the path of that as it is listed; a folder's has a slash at its end. Reads
        no file.
        """
        meant: list[tuple[int, int, str]] = []
        for name in names_in(text, self.files.listed):
            path = self.ties.documents.get(name.text) if name.kind == "document" else None
            if name.kind == "path":
                inside = self.path_here(name.text) or ""
                path = inside if inside in self.files else self.files.of_path(name.text)
            if path is not None:
                meant.append((name.start, name.end, path))
        return meant

    def ties_of(self, path: str, text: str | None = None) -> list[FoundTie]:
        """The ties of a file, each with its path. Reads the file, unless `text` is given."""
        if not is_searched(path):
            return self.stored_ties_of(path)
        data = read_file(self.tree, path) if text is None else text.encode("utf-8", "replace")
        defined = names_in_file(data or b"", language_of(path))
        return [(path, tie) for tie in self.ties.of_file(path, self.ties.defined_in(defined))]

    def stored_ties_of(self, path: str) -> list[FoundTie]:
        """The same, as of the last analysis. A test has those of what it tests."""
        tested = self.files.file_under_test(path)
        of_tested = self.ties.of_tested(tested) if tested else ()
        return [(path, tie) for tie in (*self.ties.of_file(path), *of_tested)]


def changed_alone(knowledge: Knowledge, serial: int) -> Set[Key] | None:
    """Keys of the artifacts that changed after a generation, by its number; None if claims may say
    something else of files that did not change themselves.
    """
    changed = knowledge.changed_since(serial)
    return None if any(kind in REFERRED for kind, _ in changed or ()) else changed


def own_names(collection: str, root: Path | None) -> frozenset[str]:
    """The names of a project, folded: of its collection and its folder."""
    return frozenset(filter(None, map(fold, (collection, root.name if root else ""))))
