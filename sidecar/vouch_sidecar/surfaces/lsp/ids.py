"""Finds ids in files below `.vouch/`, and the artifacts that they name."""

from __future__ import annotations

from dataclasses import dataclass

from lsprotocol import types as lsp

from vouch_sidecar.engine import Served
from vouch_sidecar.index.document_schema import TITLE
from vouch_sidecar.kb.artifact_files import KB_DIRNAME, anchored
from vouch_sidecar.kb.records import Artifact, Kind, Page, key_of
from vouch_sidecar.kb.references import LINKED, Reference, references
from vouch_sidecar.operations.artifacts import ArtifactViews
from vouch_sidecar.retrieval.constants import MAX_TITLES
from vouch_sidecar.surfaces.lsp.documents import Document
from vouch_sidecar.surfaces.lsp.paths import path_of
from vouch_sidecar.surfaces.lsp.server import Sidecar
from vouch_sidecar.text.analysis import fold
from vouch_sidecar.text.content_words import terms


@dataclass(frozen=True, slots=True)
class ArtifactFile:
    """An open document at path `relative` below the `.vouch/` of a served knowledge base."""

    document: Document
    relative: str
    served: Served

    def resolve(self, reference: Reference) -> Artifact | None:
        """The artifact that an id names, or the only page with the title that a link says; None if
        there is none that the caller may see.
        """
        view, named = self.served.view, reference.text
        for kind in reference.kinds:
            if artifact := view.visible.artifact((kind, named)):
                return artifact
        if reference.kinds != LINKED or not (words := terms(named)):
            return None
        found = view.visible.artifacts_in(view.search.holding(words, TITLE), MAX_TITLES)
        titled = [page for page in found if isinstance(page, Page)]
        pages = [page for page in titled if fold(page.title) == fold(named)]
        return pages[0] if len(pages) == 1 else None


@dataclass(frozen=True, slots=True)
class NamedArtifact:
    """An artifact whose id stands at a place of a file."""

    range: lsp.Range
    artifact: Artifact
    served: Served

    @property
    def views(self) -> ArtifactViews:
        return ArtifactViews(self.served.view)

    @property
    def target(self) -> str:
        """The URI to go to: the document of a source or of evidence, with the line as a fragment
        such as `#L12`, else the artifact's file.
        """
        file = self.views.uri(self.artifact.path)
        if key_of(self.artifact)[0] not in (Kind.SOURCE, Kind.EVIDENCE):
            return file
        cited = self.views.citation(self.artifact.id)
        return cited.document or cited.uri or file


def file_at(server: Sidecar, uri: str) -> ArtifactFile | None:
    """The open document with this URI, if it lies in a served knowledge base, else None."""
    document, path = server.documents.find(uri), path_of(uri)
    if document is None or path is None or KB_DIRNAME not in path.parts:
        return None
    path = anchored(path)
    for served in server.engine.serving(server.caller_for(uri)):
        below = served.collection.root / KB_DIRNAME
        if path.is_relative_to(below):
            return ArtifactFile(document, path.relative_to(below).as_posix(), served)
    return None


def artifact_at(server: Sidecar, uri: str, position: lsp.Position) -> NamedArtifact | None:
    """The artifact whose id stands at a position of a document below `.vouch/`."""
    file = file_at(server, uri)
    offset = file.document.offset_at(position) if file is not None else None
    if file is None or offset is None:
        return None
    for reference in references(file.relative, file.document.source):
        if reference.start <= offset <= reference.end:
            place = file.document.range_of(reference.start, reference.end)
            artifact = file.resolve(reference)
            return None if artifact is None else NamedArtifact(place, artifact, file.served)
    return None
