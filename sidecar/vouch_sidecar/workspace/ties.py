"""Works out ties between claims and the files of a workspace, without a model. `cites` and
`quotes`: the claim cites the file, or a line of it by a byte range. `path`: the claim names the
file, its folder or its module. `identifier`: the claim names something that few files define. A tie
holds ids, a path, offsets and digests, never the text of a file. Whether a viewer may see a tie is
decided at a question, from the claim and the source that the tie depends on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple

from vouch_sidecar.workspace.file_kinds import is_for_names, is_test, language_of
from vouch_sidecar.workspace.freshness import Quote
from vouch_sidecar.workspace.locator import Locator
from vouch_sidecar.workspace.names_in_text import Named, digest, named_in, parts_of

Arm = Literal["cites", "quotes", "path", "identifier"]
ARMS: tuple[Arm, ...] = ("cites", "quotes", "path", "identifier")
Where = Literal["text", "quote", "decision"]

STRENGTH: Mapping[Arm, float] = {"quotes": 0.9, "cites": 0.8, "path": 0.7, "identifier": 0.6}
"""How sure an arm is that the claim concerns the file, from 0 to 1."""
BESIDE = 0.7
"""The factor for a name that is in the quoted line or in the decision, but not in the claim."""
FOLDER = 0.6
"""The factor for a file whose folder is named."""
LATER = 0.8
"""The factor for a name in the second half of a claim, which is rarely its subject."""
PLAIN = 0.5
"""The factor for an identifier that is also a word."""
MAX_DEFINING = 3
"""The most files that may define an identifier; one that more files define makes no tie."""
MAX_TIES = 200
"""The number of ties of one claim; those of one file are not bounded here."""
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_PLAIN = re.compile(r"[a-z]+\Z|[A-Z]?[a-z]+\Z")


class CitedFile(NamedTuple):
    """A citation of a claim. `path` is the file that the source was made from. `line` is from a
    receipt in the kept source (`quote`), or as the locators name it.
    """

    source_id: str
    path: str | None
    line: int | None = None
    quote: Quote | None = None
    """The words that the claim's receipt quotes."""
    quoted: str = ""
    """These words in their whole sentence, where all who see the claim may see that."""


@dataclass(frozen=True, slots=True)
class ClaimFacts:
    """The input for the ties of one claim. `mark` changes with the text and the evidence."""

    id: str
    mark: str
    text: str
    cited: tuple[CitedFile, ...] = ()
    rationale: str = ""


class Tie(NamedTuple):
    """A tie of a claim to a file. `via` is a source that the viewer must be able to see too.
    `start` and `end` are the offsets of the name in the claim's text or, for a quote, of its bytes
    in the source.
    """

    claim_id: str
    mark: str
    arm: Arm
    strength: float
    line: int | None = None
    via: str | None = None
    where: Where = "text"
    start: int = 0
    end: int = 0
    files: int = 1
    """How many files define the identifier."""


class Use(NamedTuple):
    """A use of an identifier in a claim; files may define it."""

    claim_id: str
    mark: str
    worth: float
    via: str | None
    where: Where
    start: int
    end: int


class FoundTie(NamedTuple):
    """A tie, and the file, or the folder with a slash at its end, that it leads to."""

    path: str
    tie: Tie


Definitions = Mapping[str, int]
"""Digests of the identifiers that a file defines, each with its line."""


@dataclass(frozen=True, eq=False)
class Ties:
    """All ties of one workspace. Immutable."""

    by_path: Mapping[str, Sequence[Tie]] = field(default_factory=dict)
    """The ties of the arms `cites`, `quotes` and `path`, by file or folder."""
    uses: Mapping[str, Sequence[Use]] = field(default_factory=dict)
    """By the digest of an identifier."""
    defined: Mapping[str, Definitions] = field(default_factory=dict)
    """By file."""

    def __bool__(self) -> bool:
        return bool(self.by_path or self.uses)

    def make_ready(self) -> None:
        """Build all look-ups."""
        _ = self._defining, self._by_claim

    def of_path(self, path: str) -> list[Tie]:
        """The ties of a file by its path alone: those of all arms except `identifier`."""
        found = list(self.by_path.get(path, ()))
        at = path.rfind("/")
        while at > 0:
            found += self.by_path.get(path[: at + 1], ())
            at = path.rfind("/", 0, at)
        return found

    def of_file(self, path: str, defines: Definitions | None = None) -> list[Tie]:
        """The ties of a file. `defines` holds what the file defines now, if that is known."""
        found = self.of_path(path)
        before = self.defined.get(path, {})
        now = before if defines is None else defines
        for name, line in now.items():
            number = self._defining.get(name, 0) + (name not in before)
            found += _tied_by(self.uses.get(name, ()), number, line)
        return found

    def of_claim(self, claim_id: str) -> Iterator[FoundTie]:
        """The ties of a claim to the files as they were when they were read."""
        found, used = self._by_claim.get(claim_id, ((), ()))
        yield from found
        for key, use in used:
            for path in self.defining(key):
                for tie in _tied_by([use], self._defining[key], self.defined[path][key]):
                    yield FoundTie(path, tie)

    @cached_property
    def _by_claim(self) -> dict[str, tuple[list[FoundTie], list[tuple[str, Use]]]]:
        made: dict[str, tuple[list[FoundTie], list[tuple[str, Use]]]] = {}
        for path, ties in self.by_path.items():
            for tie in ties:
                made.setdefault(tie.claim_id, ([], []))[0].append(FoundTie(path, tie))
        for key, uses in self.uses.items():
            for use in uses if self.defining(key) else ():
                made.setdefault(use.claim_id, ([], []))[1].append((key, use))
        return made

    def named_by(self, text: str, locator: Locator) -> list[FoundTie]:
        """The ties to the files, modules and identifiers that a text names, in the order of the
        text.
        """
        found: dict[tuple[str, str, Arm], FoundTie] = {}
        for named in named_in(text):
            for one in self._named_by(named, locator):
                key = (one.path, one.tie.claim_id, one.tie.arm)
                if key not in found or found[key].tie.strength < one.tie.strength:
                    found[key] = one
        return list(found.values())

    def named_at(
        self, text: str, offset: int, locator: Locator
    ) -> tuple[int, int, list[FoundTie]] | None:
        """The name at an offset of a text, and the ties to what it names; None where there is no
        name. A bare word counts as an identifier too, as the text may be code.
        """
        word = next((w for w in _WORD.finditer(text) if w.start() <= offset <= w.end()), None)
        bare = [Named("identifier", word[0], word.start(), word.end())] if word else []
        here = [one for one in named_in(text) if one.start <= offset <= one.end]
        for named in sorted([*here, *bare], key=lambda one: one.start - one.end):
            if found := list(self._named_by(named, locator)):
                return named.start, named.end, found
        return None

    def _named_by(self, named: Named, locator: Locator) -> Iterator[FoundTie]:
        for path in _paths_of(named, locator):
            ties = self.by_path.get(path, ()) if path.endswith("/") else self.of_file(path)
            yield from (FoundTie(path, tie) for tie in ties)
        if named.kind == "path":
            return
        for name in names_of(named):
            key = digest(name)
            for file in self.defining(key):
                line, number = self.defined[file][key], self._defining[key]
                for tie in _tied_by(self.uses.get(key, ()), number, line):
                    yield FoundTie(file, tie)

    def defining(self, key: str) -> Sequence[str]:
        """The files that define an identifier, by its digest, if they are few."""
        files = self._files_defining.get(key, [])
        return files if len(files) <= MAX_DEFINING else []

    def is_defined(self, key: str) -> bool:
        """Whether any file defines an identifier, by its digest."""
        return key in self._files_defining

    @cached_property
    def _defining(self) -> dict[str, int]:
        return {key: len(files) for key, files in self._files_defining.items()}

    @cached_property
    def _files_defining(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path, names in self.defined.items():
            for key in names:
                found.setdefault(key, []).append(path)
        return found


def _tied_by(uses: Iterable[Use], number: int, line: int) -> Iterator[Tie]:
    if number <= MAX_DEFINING:
        for use in uses:
            strength = STRENGTH["identifier"] * use.worth / number
            yield Tie(
                use.claim_id, use.mark, "identifier", strength, line, use.via, use.where,
                use.start, use.end, number,
            )  # fmt: skip


def names_of(named: Named) -> dict[str, float]:
    """The identifiers in a name, each with a factor: for a dotted name the last two parts, and each
    part that is not just a word.
    """
    if named.kind == "option":
        return {named.name: 1.0}
    parts = [one for one in parts_of(named.name) if one]
    if len(parts) < 2:
        plain = _PLAIN.match(named.name) is not None
        return {named.name: PLAIN if plain and named.name.islower() else 1.0}
    found = {".".join(parts[-2:]): 1.0}
    found.update({part: PLAIN for part in parts[-2:] if not _PLAIN.match(part) and len(part) > 3})
    return found


def _paths_of(named: Named, locator: Locator) -> list[str]:
    if named.kind == "path":
        path = locator.of_path(named.name)
        return [] if path is None else [path]
    if named.kind == "identifier" and len(parts_of(named.name)) > 1:
        return locator.of_module(named.name)
    return []


class NameOf(NamedTuple):
    """A path or an identifier in a claim's text: digests of it and of the identifiers that it may
    mean, its place, and whether it leads to a path.
    """

    name: str
    start: int
    end: int
    is_path: bool
    means: tuple[str, ...]


class Read(NamedTuple):
    """The result of reading one claim: its ties to paths, and the identifiers that it names."""

    mark: str
    found: tuple[FoundTie, ...]
    uses: tuple[tuple[str, Use], ...]
    """By name."""
    names: tuple[NameOf, ...]
    """The names in the claim's own text."""
    quotes: tuple[tuple[str, Quote], ...]
    """The quotes, each with the path of the file."""
    sources: tuple[str, ...]
    """The ids of the sources that the claim cites."""


def ties_of(claim: ClaimFacts, locator: Locator) -> Read:
    """The ties of a claim."""
    found: list[FoundTie] = []
    for cited in claim.cited:
        if cited.path is not None:
            arm: Arm = "quotes" if cited.quote else "cites"
            tie = Tie(claim.id, claim.mark, arm, STRENGTH[arm], cited.line, cited.source_id)
            if cited.quote:
                _, start, end = cited.quote.range
                tie = tie._replace(start=start, end=end)
            found.append(FoundTie(cited.path, tie))
    uses: list[tuple[str, Use]] = []
    names: list[NameOf] = []
    for text, where, via in _texts(claim):
        for named in named_in(text):
            worth = LATER if named.start > len(text) / 2 else 1.0
            worth *= 1.0 if where == "text" else BESIDE
            start, end = (named.start, named.end) if where == "text" else (0, 0)
            paths = _paths_of(named, locator)
            if where == "text":
                means = () if named.kind == "path" else tuple(map(digest, names_of(named)))
                names.append(NameOf(digest(named.name), start, end, bool(paths), means))
            for path in paths:
                strength = STRENGTH["path"] * worth * (FOLDER if path.endswith("/") else 1.0)
                place = (None, via, where, start, end)
                found.append(FoundTie(path, Tie(claim.id, claim.mark, "path", strength, *place)))
            if named.kind == "path":
                continue
            for name, share in names_of(named).items():
                use = Use(claim.id, claim.mark, worth * share, via, where, start, end)
                uses.append((name, use))
    quotes = tuple((one.path, one.quote) for one in claim.cited if one.path and one.quote)
    sources = tuple(dict.fromkeys(one.source_id for one in claim.cited))
    some = tuple(found[:MAX_TIES]), tuple(uses[:MAX_TIES]), tuple(names[:MAX_TIES])
    return Read(claim.mark, *some, quotes, sources)


def _texts(claim: ClaimFacts) -> Iterator[tuple[str, Where, str | None]]:
    yield claim.text, "text", None
    for cited in claim.cited:
        if cited.quoted:
            yield cited.quoted, "quote", cited.source_id
    if claim.rationale:
        yield claim.rationale, "decision", None


def wanted_in(reads: Iterable[Read]) -> set[str]:
    """The identifiers that claims name."""
    return {name for read in reads for name, _ in read.uses}


def is_defining(path: str) -> bool:
    """Whether the definitions in a file are looked for."""
    return language_of(path) is not None and is_for_names(path) and not is_test(path)
