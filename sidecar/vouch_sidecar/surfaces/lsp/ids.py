"""Finds ids in files below `.vouch/`, and the artifacts that they name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from lsprotocol import types as lsp

from vouch_sidecar.engine import Served
from vouch_sidecar.kb.artifact_files import KB_DIRNAME, anchored
from vouch_sidecar.kb.reader import read_bytes_of
from vouch_sidecar.kb.records import Artifact, Kind, key_of
from vouch_sidecar.kb.references import Reference, references
from vouch_sidecar.kb.safe_files import UnreadableError
from vouch_sidecar.operations.artifacts import ArtifactViews
from vouch_sidecar.surfaces.lsp.documents import EditorDocument
from vouch_sidecar.surfaces.lsp.paths import path_of
from vouch_sidecar.surfaces.lsp.server import Sidecar

MAX_READ = 4 << 20
"""Bytes of files that may be read for one answer."""


@dataclass(frozen=True, slots=True)
class File:
    """An open document at path `relative` below the `.vouch/` of a served knowledge base."""

    document: EditorDocument
    relative: str
    served: Served

    @property
    def views(self) -> ArtifactViews:
        return ArtifactViews(self.served.view, self.served.collection.root)

    def references(self) -> Iterator[Reference]:
        """The ids in the document, in order."""
        return references(self.relative, self.document.source)

    def resolve(self, reference: Reference) -> Artifact | None:
        """The artifact that an id names; None if there is none that the caller may see."""
        visible, named = self.served.view.visible, reference.text
        artifacts = (
            artifact for kind in reference.kinds if (artifact := visible.artifact((kind, named)))
        )
        return next(artifacts, None)


@dataclass(frozen=True, slots=True)
class NamedId:
    """An id at a place in a file; `artifact` is None if it names nothing that may be shown."""

    file: File
    reference: Reference
    artifact: Artifact | None

    @property
    def range(self) -> lsp.Range:
        return self.file.document.range_of(self.reference.start, self.reference.end)


def file_at(server: Sidecar, uri: str) -> File | None:
    """The open document with this URI, if it lies in a served knowledge base, else None."""
    document, path = server.documents.find(uri), path_of(uri)
    if document is None or path is None or KB_DIRNAME not in path.parts:
        return None
    path = anchored(path)
    for served in server.engine.serving(server.caller):
        below = served.collection.root / KB_DIRNAME
        if path.is_relative_to(below):
            return File(document, path.relative_to(below).as_posix(), served)
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


def target_uri(file: File, artifact: Artifact) -> str:
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


def client_uri(uri_for: Callable[[Path], str], uri: str) -> str:
    """A URI of ours in the client's spelling (`Sidecar.uris`), with its fragment."""
    address, mark, line = uri.partition("#")
    path = path_of(address)
    return uri if path is None else uri_for(path) + mark + line


class ArtifactFiles:
    """The files of one knowledge base: copies of the editor's open documents, else the files on
    disk, of which at most `MAX_READ` bytes are read. Any thread may open them.
    """

    def __init__(self, server: Sidecar, served: Served) -> None:
        self._below = served.collection.root / KB_DIRNAME
        self._uri_for = server.uris()
        self._encoding = server.documents.units
        self._opened = {
            unquote(document.uri): copy(document) for document in server.documents.opened()
        }
        self._left = MAX_READ

    @property
    def are_too_large(self) -> bool:
        """Whether no more may be read."""
        return self._left <= 0

    def uri(self, relative: str) -> str:
        """The URI of the file at a path below `.vouch/`, in the client's spelling."""
        return self._uri_for(self._below / relative)

    def open(self, relative: str) -> EditorDocument | None:
        """The file at a path below `.vouch/`; None if it can't be read or is too large."""
        uri = self.uri(relative)
        if (document := self._opened.get(unquote(uri))) is not None:
            return document
        if self.are_too_large:
            return None
        try:
            data, _ = read_bytes_of(self._below, relative)
        except (FileNotFoundError, UnreadableError):
            return None
        self._left -= len(data)
        if self._left < 0:
            return None
        return EditorDocument(uri, data.decode("utf-8-sig", "replace"), self._encoding)
