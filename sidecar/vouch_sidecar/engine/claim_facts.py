"""Collects what the ties of claims are computed from: their texts and citations."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.kb.access import OPEN, gate_of
from vouch_sidecar.kb.artifact_files import CONTENT_NAME
from vouch_sidecar.kb.reader import Kept, kept, read_content
from vouch_sidecar.kb.records import Claim, Kind, Source
from vouch_sidecar.retrieval.files.file_ties import mark_of
from vouch_sidecar.retrieval.view.shown import Sentence, quoted
from vouch_sidecar.workspace.cancellation import Checkpoint
from vouch_sidecar.workspace.file_kinds import language_of
from vouch_sidecar.workspace.file_list import read_file
from vouch_sidecar.workspace.files_of_claim import CitedFile, ClaimFacts
from vouch_sidecar.workspace.locator import Locator, is_mere_name, line_in
from vouch_sidecar.workspace.quotes_in_files import Quote

SHARED_LINES = 0.5
"""A file counts as the edited form of a source if it has at least this share of the source's
telling lines.
"""
TELLING_WORDS = 3
"""Words that a line has at least by which one document is told from another."""


class ClaimFactsCollector:
    """Collects what is needed to find the ties of a claim, from one generation."""

    def __init__(self, knowledge: Knowledge, kb_dir: Path, sources: Mapping[str, str]) -> None:
        self._knowledge = knowledge
        self._sources = sources
        self._kb_dir = kb_dir
        self._kept: tuple[str, Kept | None] = ("", None)

    def of(self, claim: Claim) -> ClaimFacts:
        place = quoted(self._knowledge, self._kb_dir.parent, claim, self._gates_of(claim))
        sentence = place.sentence if place is not None else None
        cited = (self._cited(ref, sentence) for ref in dict.fromkeys(claim.evidence))
        files = tuple(file for file in cited if file is not None)
        entity_names = tuple(
            (entity_id, self._names(entity_id)) for entity_id in dict.fromkeys(claim.entities)
        )
        return ClaimFacts(
            claim.id,
            mark_of(claim),
            claim.text,
            files,
            sentence.text if sentence is not None else "",
            sentence is not None and sentence.holds_text,
            entity_names,
        )

    def _gates_of(self, claim: Claim) -> frozenset[str]:
        """The gates of whoever may see a claim and its sources."""
        cited = map(self._knowledge.evidence, claim.evidence)
        sources = (self._knowledge.source(one.source_id) for one in cited if one is not None)
        gates = {gate_of(one) for one in (claim, *sources) if one is not None}
        return frozenset({OPEN, *(gate for gate in gates if gate is not None)})

    def _names(self, entity_id: str) -> tuple[str, ...]:
        """The names of an entity; empty where there is none."""
        entity = self._knowledge.entity(entity_id)
        return () if entity is None else (entity.name, *entity.aliases)

    def _cited(self, ref: str, sentence: Sentence | None) -> CitedFile | None:
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
                around = sentence if sentence and sentence.source_id == source.id else None
                if around is None or language_of(source.locator) is not None:
                    said = cut  # what counts as a sentence of code is all around the line
                else:
                    said = around.text
                return CitedFile(source.id, path, quote.line, quote, said)
        place = evidence.locator if evidence else source.locator.partition("#")[2]
        return CitedFile(source.id, path, line_in(place))

    def _content(self, source: Source) -> Kept | None:
        if self._kept[0] != source.id:
            self._kept = source.id, kept(self._kb_dir, source)
        return self._kept[1]


def sources_in(
    knowledge: Knowledge, kb_dir: Path, locator: Locator, checkpoint: Checkpoint
) -> dict[str, str]:
    """The workspace file of each source, by source id: the file that its locator names, else the
    first file with the same content. A locator that is a mere name means, of the files with that
    name, the one that holds what the source holds.
    """
    paths_by_id: dict[str, str] = {}
    named: dict[Source, tuple[str, ...]] = {}
    lost: list[Source] = []
    for source in knowledge.all_of(Kind.SOURCE):
        assert isinstance(source, Source)
        checkpoint()
        if source.question is not None:
            continue  # captured talk, which may hold a path
        paths = locator.all_of_source(source.locator)
        if paths and is_mere_name(source.locator):
            named[source] = paths
        elif paths:
            paths_by_id[source.id] = paths[0]
        elif "://" not in source.locator:
            lost.append(source)
    paths_by_id |= _by_content(named, kb_dir, locator.root, checkpoint)
    lost += [source for source in named if source.id not in paths_by_id]
    return paths_by_id | _elsewhere(lost, kb_dir, locator, checkpoint)


def _by_content(
    named: Mapping[Source, tuple[str, ...]],
    kb_dir: Path,
    root: Path,
    checkpoint: Checkpoint,
) -> dict[str, str]:
    """For each source, by id: of the files with its name the one with the same content; else the
    one that shares most telling lines with it, and at least half of them. A source without such
    lines means the only file with its name.
    """
    ids: dict[str, frozenset[str]] = {}
    for path in dict.fromkeys(path for paths in named.values() for path in paths):
        checkpoint()
        ids[path] = _content_ids(root, path)
    paths_by_id: dict[str, str] = {}
    wanted_by_id: dict[str, array[int]] = {}
    edited: dict[str, list[str]] = {}
    for source, paths in named.items():
        checkpoint()
        if same := [path for path in paths if source.id in ids[path]]:
            paths_by_id[source.id] = same[0]
        elif not (wanted := _telling_lines(read_content(kb_dir, source))):
            paths_by_id |= {source.id: paths[0]} if len(paths) == 1 else {}
        else:
            wanted_by_id[source.id] = array("q", wanted)
            for path in paths:
                edited.setdefault(path, []).append(source.id)
    most: dict[str, int] = {}
    for path, source_ids in edited.items():  # the lines of one file at a time, which may be long
        checkpoint()
        there = read_file(root, path)
        lines = _telling_lines(None if there is None else there[0])
        for source_id in source_ids:
            wanted_lines = wanted_by_id[source_id]
            shared = sum(line in lines for line in wanted_lines)
            if shared > most.get(source_id, 0) and shared >= SHARED_LINES * len(wanted_lines):
                most[source_id], paths_by_id[source_id] = shared, path
    return paths_by_id


def _telling_lines(data: bytes | None) -> frozenset[int]:
    """Hashes of the lines that hardly any other document has: of some words, and no headings."""
    lines = (line.strip() for line in (data or b"").splitlines())
    return frozenset(
        hash(line)
        for line in lines
        if len(line.split()) >= TELLING_WORDS and not line.startswith(b"#")
    )


def _elsewhere(
    lost: Iterable[Source], kb_dir: Path, locator: Locator, checkpoint: Checkpoint
) -> dict[str, str]:
    """For each source, by id: the first file of any name with the same content."""
    ids_by_size: dict[int, set[str]] = {}
    for source in lost:
        content = kb_dir / Path(source.path).with_name(CONTENT_NAME)
        with suppress(OSError):
            ids_by_size.setdefault(content.lstat().st_size, set()).add(source.id)
    paths_by_id: dict[str, str] = {}
    for path in locator.files.paths if ids_by_size else ():
        checkpoint()
        with suppress(OSError, ValueError):
            ids = ids_by_size.get((locator.root / path).lstat().st_size)
            for name in _content_ids(locator.root, path).intersection(ids) if ids else ():
                paths_by_id.setdefault(name, path)
    return paths_by_id


def _content_ids(root: Path, path: str) -> frozenset[str]:
    """The ids of sources with the content of a file, its lines ended as they are and by LF; empty
    where it can't be read.
    """
    there = read_file(root, path)
    forms = () if there is None else (there[0], there[0].replace(b"\r\n", b"\n"))
    return frozenset(sha256(form).hexdigest() for form in forms)
