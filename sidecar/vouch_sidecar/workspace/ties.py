"""Computes the ties between claims and the files of a workspace, without a model.

Arms: `cites` and `quotes`: the claim cites the file, or a line of it by a byte range. `path`: the
claim names the file, its folder or its module, or is about an entity that the file is named after.
`identifier`: the claim names something that few files define. A tie holds ids, a path, offsets and
digests, never text of a file. Whether a viewer may see a tie is decided when he asks, from the
claim and the source that the tie depends on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Literal, NamedTuple

from vouch_sidecar.workspace.definitions import Span
from vouch_sidecar.workspace.file_kinds import is_for_names
from vouch_sidecar.workspace.locator import Locator
from vouch_sidecar.workspace.name_meanings import document_keys, identifiers_in
from vouch_sidecar.workspace.names_in_text import NameInText, digest, documents_in, names_in

TieArm = Literal["cites", "quotes", "path", "identifier"]
TIE_ARMS: tuple[TieArm, ...] = ("cites", "quotes", "path", "identifier")
CITING = frozenset({"cites", "quotes"})
Where = Literal["text", "sentence", "entity"]
"""Where the name is: in the claim's text, or in the sentence that is shown for it; or it is the
file's own and that of an entity of the claim.
"""

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


class Tie(NamedTuple):
    """A tie of a claim to a file. `via` is a source that the viewer must be able to see too; if the
    tie is by the name of an entity, that entity. `start` and `end` are the offsets of the name in
    the claim's text, or in the sentence that is shown for it, or, for a quote, of its bytes in the
    source.
    """

    claim_id: str
    mark: str
    arm: TieArm
    strength: float
    line: int | None = None
    via: str | None = None
    where: Where = "text"
    start: int = 0
    end: int = 0
    files: int = 1
    """How many files define the identifier."""
    last_line: int | None = None
    """The last line of the definition that begins at `line`."""
    other_file: str = ""
    """The file that this one tests."""


class Use(NamedTuple):
    """An identifier in a claim, which files may define. `dotted` is the digest of the dotted name
    that it is a part of; in files that define the dotted name, the part alone counts for nothing.
    """

    claim_id: str
    mark: str
    worth: float
    via: str | None
    where: Where
    start: int
    end: int
    dotted: int = 0


class FoundTie(NamedTuple):
    """A tie with the file that it leads to, or the folder, with a slash at its end."""

    path: str
    tie: Tie


@dataclass(frozen=True)
class Ties:
    """All ties of one workspace. Immutable."""

    by_path: Mapping[str, Sequence[Tie]] = field(default_factory=dict)
    """The ties of the arms `cites`, `quotes` and `path`, by file or folder."""
    uses: Mapping[int, Sequence[Use]] = field(default_factory=dict)
    """By the digest of an identifier."""
    defined: Mapping[str, Mapping[int, Span]] = field(default_factory=dict)
    """The identifiers that each file defines, by digest, with their lines."""

    def __bool__(self) -> bool:
        return bool(self.by_path or self.uses)

    def make_ready(self) -> None:
        """Build all look-ups."""
        _ = self._defining, self._documents, self._by_claim

    def of_path(self, path: str) -> list[Tie]:
        """The ties of a file by its path, and those to the folders around it that claims name,
        unless the file (a manifest, say) is about more than its folder.
        """
        ties = list(self.by_path.get(path, ()))
        at = path.rfind("/") if is_for_names(path) else -1
        while at > 0:
            ties += self.by_path.get(path[: at + 1], ())
            at = path.rfind("/", 0, at)
        return ties

    def of_file(self, path: str, now: Mapping[int, Span] | None = None) -> list[Tie]:
        """The ties of a file. `now` is what the file defines now, if that is known."""
        return [*self.of_path(path), *self._by_content(path, now)]

    def _by_content(self, path: str, now: Mapping[int, Span] | None = None) -> Iterator[Tie]:
        """The ties of a file by what it defines."""
        before = self.defined.get(path, {})
        for name, span in (before if now is None else now).items():
            number = len(self._defining.get(name, ())) + (name not in before)
            yield from _tied_by(self._uses(name), number, span)

    def _uses(self, name: int, file: str | None = None) -> list[Use]:
        """The uses of an identifier, by its digest, without those that are a part of a dotted name
        which a file other than `file` defines: in the file that defines `Relay.send`, `send` means
        that.
        """
        return [
            use
            for use in self.uses.get(name, ())
            if use.dotted not in self._defining or file in self._defining[use.dotted]
        ]

    def of_tested(self, path: str) -> Iterator[Tie]:
        """The ties of the file that a test tests, but for those of its folder, as they count for
        the test.
        """
        for tie in chain(self.by_path.get(path, ()), self._by_content(path)):
            arm: TieArm = "cites" if tie.arm == "quotes" else tie.arm
            of_test = tie._replace(arm=arm, strength=tie.strength * TESTED, other_file=path)
            yield of_test._replace(line=None, last_line=None)

    def in_folder_of(self, path: str) -> Iterator[Tie]:
        """The ties, by their paths alone, of the other files in a file's folder."""
        folder = path[: path.rfind("/") + 1]
        for other, ties in self.by_path.items():
            if other != path and other.startswith(folder) and "/" not in other[len(folder) :]:
                yield from ties

    def of_claim(self, claim_id: str) -> Iterator[FoundTie]:
        """The ties of a claim to files, as of the last analysis."""
        ties, used = self._by_claim.get(claim_id, ((), ()))
        yield from ties
        for key, use in used:
            for path in self.defining(key):
                for tie in _tied_by([use], *self._span(path, key)):
                    yield FoundTie(path, tie)

    def _span(self, path: str, key: int) -> tuple[int, Span]:
        """How many files define an identifier, and the lines where this one does."""
        return len(self._defining[key]), self.defined[path][key]

    @cached_property
    def _by_claim(self) -> dict[str, tuple[list[FoundTie], list[tuple[int, Use]]]]:
        by_claim: dict[str, tuple[list[FoundTie], list[tuple[int, Use]]]] = {}
        for path, ties in self.by_path.items():
            for tie in ties:
                by_claim.setdefault(tie.claim_id, ([], []))[0].append(FoundTie(path, tie))
        for key in self.uses:
            for use in self._uses(key) if self.defining(key) else ():
                by_claim.setdefault(use.claim_id, ([], []))[1].append((key, use))
        return by_claim

    def named_by(self, text: str, locator: Locator) -> list[FoundTie]:
        """The ties to the files, modules, identifiers and documents that a text names; each kind in
        the order of the text.
        """
        ties: dict[tuple[str, str, TieArm], FoundTie] = {}
        for name in chain(names_in(text, locator.listed), documents_in(text)):
            for found_tie in self._named_by(name, locator):
                key = (found_tie.path, found_tie.tie.claim_id, found_tie.tie.arm)
                if key not in ties or ties[key].tie.strength < found_tie.tie.strength:
                    ties[key] = found_tie
        return list(ties.values())

    def named_at(
        self, text: str, offset: int, locator: Locator
    ) -> tuple[int, int, list[FoundTie]] | None:
        """The name at an offset of a text, and the ties to what it names; None where there is no
        name. A bare word counts as an identifier too, as the text may be code.
        """
        word = next((w for w in _WORD.finditer(text) if w.start() <= offset <= w.end()), None)
        bare = [NameInText("identifier", word[0], word.start(), word.end())] if word else []
        names = chain(names_in(text, locator.listed), documents_in(text))
        here = [name for name in names if name.start <= offset <= name.end]
        for name in sorted([*here, *bare], key=lambda name: name.start - name.end):
            if ties := list(self._named_by(name, locator)):
                return name.start, name.end, ties
        return None

    def is_document(self, name: str) -> bool:
        """Whether claims cite a document that a text may call by this name."""
        return digest(name) in self._documents

    def _named_by(self, name: NameInText, locator: Locator) -> Iterator[FoundTie]:
        if name.kind == "document":
            path = self._documents.get(digest(name.text), "")
            ties = self.by_path.get(path, ())
            yield from (FoundTie(path, tie) for tie in ties if tie.arm in CITING)
            return
        for path in locator.named_by(name):
            ties = self.by_path.get(path, ()) if path.endswith("/") else self.of_file(path)
            yield from (FoundTie(path, tie) for tie in ties)
        if name.kind == "path":
            return
        for identifier in identifiers_in(name):
            key = digest(identifier)
            for file in self.defining(key):
                for tie in _tied_by(self._uses(key, file), *self._span(file, key)):
                    yield FoundTie(file, tie)

    def defining(self, key: int) -> Sequence[str]:
        """The files that define an identifier, by its digest, if they are few."""
        files = self._defining.get(key, [])
        return files if len(files) <= MAX_DEFINING else []

    @cached_property
    def _documents(self) -> dict[int, str]:
        """The paths of documents that claims cite, by the digest of each name that texts may call
        them.
        """
        cited = (p for p, ties in self.by_path.items() if any(t.arm in CITING for t in ties))
        keys = document_keys(cited)
        return {digest(key): path for key, path in keys.items()}

    @cached_property
    def _defining(self) -> dict[int, list[str]]:
        """The files that define each identifier."""
        by_name: dict[int, list[str]] = {}
        for path, names in self.defined.items():
            for name in names:
                by_name.setdefault(name, []).append(path)
        return by_name


def _tied_by(uses: Iterable[Use], number: int, span: Span) -> Iterator[Tie]:
    if number <= MAX_DEFINING:
        for use in uses:
            strength = STRENGTH["identifier"] * use.worth / number
            where = use.via, use.where, use.start, use.end
            yield Tie(
                use.claim_id, use.mark, "identifier", strength, span.line, *where, number, span.end
            )
