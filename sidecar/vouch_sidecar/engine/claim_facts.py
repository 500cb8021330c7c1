"""Collects what the ties of claims are computed from: their texts and citations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.kb.access import OPEN, gate_of
from vouch_sidecar.kb.artifact_files import KB_DIRNAME
from vouch_sidecar.kb.reader import Kept, kept, read_content
from vouch_sidecar.kb.records import Claim, Kind, Source
from vouch_sidecar.retrieval.files.file_ties import mark_of
from vouch_sidecar.retrieval.view.shown import is_receipt, shown
from vouch_sidecar.workspace.cancellation import Checkpoint
from vouch_sidecar.workspace.file_kinds import language_of
from vouch_sidecar.workspace.file_list import read_file
from vouch_sidecar.workspace.files_of_claim import CitedFile, ClaimFacts
from vouch_sidecar.workspace.locator import MAX_COMPARED_FILES, Locator, line_in, mere_name
from vouch_sidecar.workspace.quotes_in_files import Quote

SHARED_LINES = 0.5
"""A file counts as the edited form of a source if it has at least this share of the source's
telling lines.
"""
TELLING_WORDS = 3
"""Words that a line has at least by which one document is told from another."""


class ClaimFactsCollector:
    """Collects what is needed to find the ties of a claim, from one generation."""

    def __init__(self, knowledge: Knowledge, root: Path, sources: Mapping[str, str]) -> None:
        self._knowledge = knowledge
        self._sources = sources
        self._root = root
        self._kept: tuple[str, Kept | None] = ("", None)

    def of(self, claim: Claim) -> ClaimFacts:
        receipts = (self._knowledge.evidence(ref) for ref in claim.evidence)
        sentence = "", ""
        if any(one is not None and is_receipt(one) for one in receipts):
            text = shown(self._knowledge, self._root, claim, self._gates_of(claim))
            if text.is_whole and self._is_prose(text.source_id):
                sentence = text.text, text.source_id
        cited = (self._cited(ref) for ref in dict.fromkeys(claim.evidence))
        files = tuple(file for file in cited if file is not None)
        entities = map(self._knowledge.entity, dict.fromkeys(claim.entities))
        names = tuple((e.id, (e.name, *e.aliases)) for e in entities if e is not None)
        return ClaimFacts(claim.id, mark_of(claim), claim.text, files, *sentence, names)

    def _is_prose(self, source_id: str) -> bool:
        """Whether a source is no code, of which all around a line would count as its sentence."""
        source = self._knowledge.source(source_id)
        return source is not None and language_of(source.locator) is None

    def _gates_of(self, claim: Claim) -> frozenset[str]:
        """The gates of whoever may see a claim and its sources."""
        cited = map(self._knowledge.evidence, claim.evidence)
        sources = (self._knowledge.source(one.source_id) for one in cited if one is not None)
        gates = {gate_of(one) for one in (claim, *sources) if one is not None}
        return frozenset({OPEN, *(gate for gate in gates if gate is not None)})

    def _cited(self, ref: str) -> CitedFile | None:
        evidence = self._knowledge.evidence(ref)
        source = self._knowledge.source(evidence.source_id if evidence else ref)
        if source is None:
            return None
        path = self._sources.get(source.id)
        if evidence is not None and evidence.byte_start is not None:
            content = self._content(source)
            span = content.span(evidence) if content is not None else None
            if content is not None and span is not None:
                cut = content.data[slice(*span)].decode("utf-8", "replace")
                quote = Quote((source.id, *span), cut, content.line_at(span[0]))
                return CitedFile(source.id, path, quote.line, quote)
        place = evidence.locator if evidence else source.locator.partition("#")[2]
        return CitedFile(source.id, path, line_in(place))

    def _content(self, source: Source) -> Kept | None:
        if self._kept[0] != source.id:
            self._kept = source.id, kept(self._root / KB_DIRNAME, source)
        return self._kept[1]


def sources_in(
    knowledge: Knowledge, kb_dir: Path, locator: Locator, checkpoint: Checkpoint
) -> dict[str, str]:
    """The workspace file of each source, by source id: the file that its locator names. A locator
    that is a mere name means, of the files with that name, the one that holds most of what the
    source holds.
    """

    @cache
    def lines_of(path: str) -> frozenset[int]:
        checkpoint()
        there = read_file(locator.root, path)
        return _telling_lines(None if there is None else there[0])

    paths_by_id: dict[str, str] = {}
    for source in knowledge.all_of(Kind.SOURCE):
        assert isinstance(source, Source)
        checkpoint()
        if source.question is not None:
            continue  # captured talk, which may hold a path
        path = locator.of_source(source.locator)
        if name := mere_name(source.locator):
            paths = dict.fromkeys([*filter(None, [path]), *locator.files.with_name(name)])
            found = [*paths][:MAX_COMPARED_FILES]
            path = _likest(_telling_lines(read_content(kb_dir, source)), found, lines_of)
        if path is not None:
            paths_by_id[source.id] = path
    return paths_by_id


def _likest(
    wanted: frozenset[int], paths: Sequence[str], lines_of: Callable[[str], frozenset[int]]
) -> str | None:
    """The file that shares most lines with a source, and at least half of them. A source without
    telling lines means the only file.
    """
    if not wanted:
        return paths[0] if len(paths) == 1 else None
    shared = {path: len(wanted & lines_of(path)) for path in paths}
    best = max(paths, key=shared.__getitem__, default=None)
    return best if best is not None and shared[best] >= SHARED_LINES * len(wanted) else None


def _telling_lines(data: bytes | None) -> frozenset[int]:
    """Hashes of the lines that hardly any other document has: of some words, and no headings."""
    lines = (line.strip() for line in (data or b"").splitlines())
    return frozenset(
        hash(line)
        for line in lines
        if len(line.split()) >= TELLING_WORDS and not line.startswith(b"#")
    )
