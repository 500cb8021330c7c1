"""Collects what the ties of claims are computed from: their texts, citations and rationales."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from vouch_sidecar.engine.workspace_state import WorkspaceState
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.index.receipts import Sentence
from vouch_sidecar.kb.access import OPEN, gate_of
from vouch_sidecar.kb.artifact_files import CONTENT_NAME, KB_DIRNAME
from vouch_sidecar.kb.decisions import decided_at, rationales
from vouch_sidecar.kb.reader import Kept, kept
from vouch_sidecar.kb.records import Claim, Kind, Source
from vouch_sidecar.retrieval.files.file_ties import mark_of
from vouch_sidecar.workspace.cancellation import Checkpoint
from vouch_sidecar.workspace.file_list import read_file
from vouch_sidecar.workspace.files_of_claim import CitedFile, ClaimFacts
from vouch_sidecar.workspace.locator import Locator, line_in
from vouch_sidecar.workspace.quotes_in_files import Quote

SHARED_LINES = 0.5
"""A file counts as the edited form of a source if it has at least this share of the source's
lines.
"""


class ClaimFactsCollector:
    """Collects what is needed to find the ties of a claim, from one generation."""

    def __init__(
        self, knowledge: Knowledge, kb_dir: Path, sources: Mapping[str, str], state: WorkspaceState
    ) -> None:
        self._knowledge = knowledge
        self._sources = sources
        self._kb_dir = kb_dir
        written = decided_at(kb_dir)
        if state.rationales is None or state.rationales[0] != written:
            state.rationales = written, rationales(kb_dir)
        self._rationales = state.rationales[1]
        self._kept: tuple[str, Kept | None] = ("", None)

    def of(self, claim: Claim) -> ClaimFacts:
        quoted = self._knowledge.quoted(claim.id)
        sentence = quoted.sentence if quoted is not None else None
        if sentence is not None and not self._may_tell(claim, sentence):
            sentence = None
        cited = (self._cited(ref, sentence) for ref in dict.fromkeys(claim.evidence))
        files = tuple(file for file in cited if file is not None)
        why = self._rationales.get(claim.id, "")
        sentence_text = "" if sentence is None else sentence.text
        entity_names = tuple(
            (entity_id, self._names(entity_id)) for entity_id in dict.fromkeys(claim.entities)
        )
        return ClaimFacts(
            claim.id, mark_of(claim, quoted), claim.text, files, why, sentence_text, entity_names
        )

    def _names(self, entity_id: str) -> tuple[str, ...]:
        """The names of an entity; empty where there is none."""
        entity = self._knowledge.entity(entity_id)
        return () if entity is None else (entity.name, *entity.aliases)

    def _may_tell(self, claim: Claim, sentence: Sentence) -> bool:
        """Whether everybody who may see a claim and its source may see the whole sentence."""
        source = self._knowledge.source(sentence.source_id)
        gates = {OPEN, gate_of(claim), None if source is None else gate_of(source)}
        return gates.issuperset(sentence.gates)

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
                around = sentence if sentence and sentence.source_id == source.id else None
                quote = Quote((source.id, *span), cut, content.line_at(span[0]))
                quoted = cut if around is None else around.text
                return CitedFile(source.id, path, quote.line, quote, quoted)
        place = evidence.locator if evidence else source.locator.partition("#")[2]
        return CitedFile(source.id, path, line_in(place))

    def _content(self, source: Source) -> Kept | None:
        if self._kept[0] != source.id:
            self._kept = source.id, kept(self._kb_dir, source)
        return self._kept[1]


def sources_in(knowledge: Knowledge, locator: Locator, checkpoint: Checkpoint) -> dict[str, str]:
    """The workspace file of each source, by source id: the file that its locator names, else the
    first file with the same content. A locator that may name several files means the one with the
    same content.
    """
    paths_by_id: dict[str, str] = {}
    lost: dict[int, set[str]] = {}
    unsure: dict[Source, tuple[str, ...]] = {}
    for source in knowledge.all_of(Kind.SOURCE):
        assert isinstance(source, Source)
        checkpoint()
        if source.question is not None:
            continue  # captured talk, which may hold a path
        paths = locator.all_of_source(source.locator)
        if len(paths) == 1:
            paths_by_id[source.id] = paths[0]
        elif paths:
            unsure[source] = paths
        elif "://" not in source.locator:
            content = locator.root / KB_DIRNAME / Path(source.path).with_name(CONTENT_NAME)
            with suppress(OSError):
                lost.setdefault(content.lstat().st_size, set()).add(source.id)
    paths_by_id |= _by_content(unsure, locator.root, checkpoint)
    for path in locator.files.paths if lost else ():
        checkpoint()
        with suppress(OSError, ValueError):
            ids = lost.get((locator.root / path).lstat().st_size)
            name = _content_id(locator.root, path) if ids else ""
            if ids and name in ids:
                paths_by_id.setdefault(name, path)
    return paths_by_id


def _by_content(
    unsure: Mapping[Source, tuple[str, ...]], root: Path, checkpoint: Checkpoint
) -> dict[str, str]:
    """For each source, by id: of its candidate files the one with the same content, else the one
    that shares most lines with it, and at least half of them.
    """
    ids: dict[str, str] = {}
    lines: dict[str, frozenset[bytes]] = {}
    for path in dict.fromkeys(path for paths in unsure.values() for path in paths):
        checkpoint()
        there = read_file(root, path)
        data = there[0] if there is not None else b""
        ids[path], lines[path] = sha256(data).hexdigest(), frozenset(data.splitlines())
    paths_by_id: dict[str, str] = {}
    for source, paths in unsure.items():
        if same := [path for path in paths if ids[path] == source.id]:
            paths_by_id[source.id] = same[0]
        elif (content := kept(root / KB_DIRNAME, source)) is not None:
            wanted = frozenset(content.data.splitlines())
            best = max(paths, key=lambda path: len(wanted & lines[path]))
            if len(wanted & lines[best]) >= SHARED_LINES * max(1, len(wanted)):
                paths_by_id[source.id] = best
    return paths_by_id


def _content_id(root: Path, path: str) -> str:
    """The id of a source with the content of a file; "" where it can't be read."""
    there = read_file(root, path)
    return sha256(there[0]).hexdigest() if there is not None else ""
