"""Finds ids in files below `.vouch/`, and the artifacts that they name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

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

_LINK_TO_PAGE = re.compile(
    r"\]\((?:\./|\.\./pages/)?(?P<page>[^()\s#/]{1,200})\.md(?:#[^()\s]{0,200})?\)"
)


@dataclass(frozen=True, slots=True)
class ArtifactFile:
    """An open document at path `relative` below the `.vouch/` of a served knowledge base."""

    document: Document
    relative: str
    served: Served

    @property
    def views(self) -> ArtifactViews:
        return ArtifactViews(self.served.view, self.served.collection.root)

    def references(self) -> Iterator[Reference]:
        """The ids in the document, then the pages that Markdown links of a page lead to."""
        source = self.document.source
        yield from references(self.relative, source)
        for link in _LINK_TO_PAGE.finditer(source) if self.relative.endswith(".md") else ():
            yield Reference("](", *link.span("page"), unquote(link["page"]), (Kind.PAGE,))

    def resolve(self, reference: Reference) -> Artifact | None:
        """The artifact that an id names, or the only page with the title that a link says; None if
        there is none that the caller may see.
        """
        view, named = self.served.view, reference.text
        for kind in reference.kinds:
            if artifact := view.visible.artifact((kind, named)):
                return artifact
        words = terms(named) if reference.kinds == LINKED else ()
        query = view.search.holding(words, TITLE)
        pages = [
            page
            for page in (view.visible.artifacts_in(query, MAX_TITLES) if words else ())
            if isinstance(page, Page) and fold(page.title) == fold(named)
        ]
        return pages[0] if len(pages) == 1 else None


@dataclass(frozen=True, slots=True)
class NamedId:
    """An id at a place in a file; `artifact` is None if it names nothing that may be shown."""

    file: ArtifactFile
    reference: Reference
    artifact: Artifact | None

    @property
    def range(self) -> lsp.Range:
        return self.file.document.range_of(self.reference.start, self.reference.end)


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


def id_at(server: Sidecar, uri: str, position: lsp.Position) -> NamedId | None:
    """The id at a position of a document below `.vouch/`; None elsewhere."""
    file = file_at(server, uri)
    offset = file.document.offset_at(position) if file is not None else None
    if file is None or offset is None:
        return None
    for reference in file.references():
        if reference.start <= offset <= reference.end:
            return NamedId(file, reference, file.resolve(reference))
    return None


def target_uri(file: ArtifactFile, artifact: Artifact) -> str:
    """The URI to open for an id: the document of a source or of evidence, else the artifact's file.

    A line is a fragment, as in `#L12`.
    """
    if key_of(artifact)[0] in (Kind.SOURCE, Kind.EVIDENCE):
        cited = file.views.citation(artifact.id)
        return cited.document or cited.uri or file.views.uri(artifact.path)
    return file.views.uri(artifact.path)


def location(server: Sidecar, uri: str) -> lsp.Location | None:
    """The location of a URI with its line, in the client's spelling; None if it is no file URI."""
    address, _, line = uri.partition("#L")
    path = path_of(address)
    if path is None:
        return None
    start = lsp.Position(int(line) - 1 if line.isdecimal() else 0, 0)
    return lsp.Location(server.uris()(path), lsp.Range(start, start))
