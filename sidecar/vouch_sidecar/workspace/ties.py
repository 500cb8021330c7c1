"""Computes the ties between claims and the files of a workspace, without a model.

Arms: `cites` and `quotes`: the claim cites the file, or a line of it by a byte range. `path`: the
claim names the file, its folder or its module, or is about an entity that the file is named after.
`identifier`: the claim names something that few files define. A tie holds ids, a path, offsets and
digests, never text of a file. Whether a viewer may see a tie is decided when he asks, from the
claim and the source that the tie depends on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Literal, NamedTuple

from vouch_sidecar.kb.records import Claim
from vouch_sidecar.workspace.definitions import DefinedNames, Definitions, Span
from vouch_sidecar.workspace.file_kinds import DOCUMENTS, ending_of, is_for_names
from vouch_sidecar.workspace.files import Files, folders_of
from vouch_sidecar.workspace.names_in_text import (
    NameInText,
    digest,
    identifiers_in,
    names_in,
)
from vouch_sidecar.workspace.quotes_in_files import Quote

TieArm = Literal["cites", "quotes", "path", "identifier"]
CITING = frozenset({"cites", "quotes"})

STRENGTH: Mapping[TieArm, float] = {
    "quotes": 0.9,
    "cites": 0.8,
    "path": 0.7,
    "identifier": 0.6,
}
"""How likely a tie of each arm means that the claim concerns the file, from 0 to 1."""
TESTED = 0.7
"""The factor for a test, of the ties of the file that it tests."""
MAX_DEFINING = 3
"""The most files that may define an identifier; more make no tie."""
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_NUMBERED = re.compile(r"(?:([a-z]{2,12})-)?0{0,5}([1-9][0-9]{0,4})(?=[-_.](?![0-9]))")


class Tie(NamedTuple):
    """A tie of a claim to a file. `via` is what the viewer must be able to see too: the source that
    is cited, or, of the arm `path`, the entity whose name the file has. `start` and `end` are the
    offsets of the name in the claim's text, or, for a quote, of its bytes in the source.
    """

    claim_id: str
    arm: TieArm
    strength: float
    line: int | None = None
    via: str | None = None
    start: int = 0
    end: int = 0
    last_line: int | None = None
    """The last line of the definition that begins at `line`."""
    tested: str = ""
    """The name of the file that this one tests."""


class Use(NamedTuple):
    """The digest of an identifier in a claim, with the tie to a file that alone defines it.
    `dotted` is the digest of the dotted name that it is a part of, else 0: a part counts only in
    files that define the dotted name, if there are some.
    """

    key: int
    tie: Tie
    dotted: int


ReadOf = tuple[str, tuple[str, ...], tuple[str, ...]]
FoundTie = tuple[str, Tie]
"""A tie with the file that it leads to, or the folder, with a slash at its end."""


class ClaimReading(NamedTuple):
    """What one claim says of files: its ties by paths, the identifiers that it names, and its
    quotes of files; and what of the claim says so.
    """

    ties: tuple[FoundTie, ...] = ()
    uses: tuple[Use, ...] = ()
    quotes: tuple[Quote, ...] = ()
    of: ReadOf | None = None


def read_of(claim: Claim) -> ReadOf:
    """What of a claim its reading depends on, its text, citations and entities: its ties hold as
    long as that is the same.
    """
    return claim.text, claim.evidence, claim.entities


class Ties:
    """All ties of one workspace. Immutable.

    `readings` are what claims say, by id, and `definitions` what files define.
    """

    def __init__(self, readings: Mapping[str, ClaimReading], definitions: Definitions) -> None:
        self._readings = readings
        self.by_path: dict[str, list[Tie]] = {}
        """Those of the arms `cites`, `quotes` and `path`, by file or folder."""
        self._uses: dict[int, list[Use]] = {}
        for _, reading in sorted(readings.items()):
            for path, tie in reading.ties:
                self.by_path.setdefault(path, []).append(tie)
            for use in reading.uses:
                self._uses.setdefault(use.key, []).append(use)
        self._defining: dict[int, dict[str, Span]] = {}
        """The files that define each identifier of claims, by its digest, with the lines there."""
        for path, (_, names) in definitions.items():
            for key, span in self.defined_in(names).items():
                self._defining.setdefault(key, {})[path] = span
        self.documents = _names_of_documents(
            path for path, ties in self.by_path.items() if any(t.arm in CITING for t in ties)
        )
        """The documents that claims cite, by what a text may call them, as `adr-7`."""

    def defined_in(self, in_file: DefinedNames) -> Mapping[int, Span]:
        """The identifiers of claims that a file defines, by digest, with their first lines."""
        held = {name for name in in_file.names if name in self._uses}
        spans: dict[int, Span] = {}
        for name, *lines in zip(*in_file, strict=True) if held else ():
            if name in held:
                spans.setdefault(name, Span(*lines))
        return spans

    def of_file(self, path: str, now: Mapping[int, Span] | None = None) -> list[Tie]:
        """The ties of a file, and those to the folders around it that claims name, unless the file
        (a manifest, say) is about more than its folder. `now` is what the file defines now, if that
        is known.
        """
        folders = (f"{folder}/" for folder in folders_of(path)) if is_for_names(path) else ()
        by_path = (tie for place in (path, *folders) for tie in self.by_path.get(place, ()))
        return [*by_path, *self._by_content(path, now)]

    def _by_content(self, path: str, now: Mapping[int, Span] | None = None) -> Iterator[Tie]:
        """The ties of a file by what it defines."""
        if now is None:
            now = {key: files[path] for key, files in self._defining.items() if path in files}
        for key, span in now.items():
            yield from self._tied_by(self._uses[key], path, span)

    def _tied_by(self, uses: Iterable[Use], path: str, span: Span) -> Iterator[Tie]:
        """The ties by uses of an identifier that a file defines in the lines of `span`. In the file
        that defines `Relay.send`, `send` means that; where another one does, it means nothing here.
        """
        for use in uses:
            files = {path, *self._defining.get(use.key, ())}
            if len(files) <= MAX_DEFINING and path in self._defining.get(use.dotted, files):
                strength = use.tie.strength / len(files)
                yield use.tie._replace(strength=strength, line=span.line, last_line=span.end)

    def of_tested(self, path: str) -> Iterator[Tie]:
        """The ties of the file that a test tests, but for those of its folder, as they count for
        the test.
        """
        for tie in chain(self.by_path.get(path, ()), self._by_content(path)):
            arm: TieArm = "cites" if tie.arm == "quotes" else tie.arm
            of_test = tie._replace(arm=arm, strength=tie.strength * TESTED)
            name = path.rpartition("/")[2]
            yield of_test._replace(tested=name, line=None, last_line=None)

    def of_claim(self, claim_id: str) -> list[FoundTie]:
        """The ties of a claim to files, as of the last analysis."""
        reading = self._readings.get(claim_id, ClaimReading())
        return [*reading.ties, *self._to_definitions(reading.uses)]

    def _to_definitions(self, uses: Iterable[Use]) -> Iterator[FoundTie]:
        """The ties by uses of identifiers to the files that define these."""
        for use in uses:
            for path, span in self._defining.get(use.key, {}).items():
                for tie in self._tied_by([use], path, span):
                    yield path, tie

    def named_by(self, text: str, files: Files) -> list[FoundTie]:
        """The ties to the files, modules, identifiers and documents that a text names; each kind in
        the order of the text.
        """
        return [tie for name in names_in(text, files.listed) for tie in self._named_by(name, files)]

    def named_at(
        self, text: str, offset: int, files: Files
    ) -> tuple[int, int, list[FoundTie]] | None:
        """The name at an offset of a text, and the ties to what it names; None where there is no
        name. A bare word counts as an identifier too, as the text may be code.
        """
        words = (NameInText("identifier", w[0], *w.span()) for w in _WORD.finditer(text))
        names = chain(names_in(text, files.listed), words)
        here = [name for name in names if name.start <= offset <= name.end]
        for name in sorted(here, key=lambda name: name.start - name.end):
            if ties := list(self._named_by(name, files)):
                return name.start, name.end, ties
        return None

    def _named_by(self, name: NameInText, files: Files) -> Iterator[FoundTie]:
        is_document = name.kind == "document" and name.text in self.documents
        for path in [self.documents[name.text]] if is_document else files.named_by(name):
            ties = self.by_path.get(path, ()) if path.endswith("/") else self.of_file(path)
            yield from ((path, tie) for tie in ties)
        for identifier in identifiers_in(name):
            yield from self._to_definitions(self._uses.get(digest(identifier.name), ()))


def _names_of_documents(paths: Iterable[str]) -> Mapping[str, str]:
    """The names that a text may call documents by, with the path of each: a series and a number, as
    `adr-7` for `adr/0007-use-queues.md`. A name that several documents have is left out.
    """
    paths_by_name: dict[str, set[str]] = {}
    for path in paths:
        folder, _, name = path.lower().rpartition("/")
        numbered = _NUMBERED.match(name)
        if numbered and ending_of(name) in DOCUMENTS and is_for_names(path):
            series = numbered[1] or folder.rpartition("/")[2].removesuffix("s")
            paths_by_name.setdefault(f"{series}-{numbered[2]}", set()).add(path)
    return {name: next(iter(some)) for name, some in paths_by_name.items() if len(some) == 1}
