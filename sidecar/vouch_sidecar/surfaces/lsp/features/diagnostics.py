"""Problems of the files under `.vouch/` as diagnostics, pushed. Checks across files only run on
open files.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from lsprotocol import types as lsp

import vouch_sidecar
from vouch_sidecar.engine.check_runs import check_one
from vouch_sidecar.engine.checks import CheckContext
from vouch_sidecar.kb.artifact_files import CONFIG, KB_DIRNAME
from vouch_sidecar.kb.reader import parse
from vouch_sidecar.kb.records import Problem, Severity
from vouch_sidecar.kb.sanitize import with_field
from vouch_sidecar.surfaces.lsp.ids import ArtifactFile, file_at
from vouch_sidecar.surfaces.lsp.server import Sidecar

SOURCE = "vouch"
SEVERITIES = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
    Severity.HINT: lsp.DiagnosticSeverity.Hint,
}
Problems = dict[str, list[lsp.Diagnostic]]


def register(server: Sidecar) -> None:
    """Push diagnostics after every change."""
    diagnostics = DiagnosticsPublisher(server)
    server.on_start.append(diagnostics.start)


def _problems_in(server: Sidecar, file: ArtifactFile) -> tuple[Problem, ...]:
    """The problems of an open file as its text stands, those across files included."""
    data = file.document.source.encode()
    if file.relative == CONFIG:
        return server.engine.problems.in_config(data)
    reading = parse(file.relative, data)
    if reading.artifact is None:
        return reading.problems
    view = file.served.view
    around = CheckContext(file.served.collection, view.knowledge, view.now)
    return (*reading.problems, *check_one(reading.artifact, data, around))


class DiagnosticsPublisher:
    """Keeps the client's diagnostics equal to the current problems."""

    def __init__(self, server: Sidecar) -> None:
        self._server = server
        self._sent: Problems = {}
        self._checked: dict[str, tuple[object, tuple[Problem, ...]]] = {}
        """By URI, the problems of an open file, after the state they depend on."""

    def start(self) -> None:
        self._server.spawn(self._keep_published())

    async def _keep_published(self) -> None:
        """Publish after every change."""
        engine = self._server.engine
        while True:
            count = engine.changed.count
            with engine.telling_faults.contained(self, "Problems of files could not be told"):
                self.update()
            await engine.changed.since(count)

    def update(self) -> None:
        """Publish the files whose problems changed; one without problems gets an empty list."""
        server, before, problems = self._server, self._sent, self._problems()
        changed = [uri for uri in before | problems if before.get(uri) != problems.get(uri)]
        for uri in changed:
            server.text_document_publish_diagnostics(
                lsp.PublishDiagnosticsParams(uri=uri, diagnostics=problems.get(uri, []))
            )
        self._sent = problems

    def _problems(self) -> Problems:
        """All diagnostics by URI, in the client's spelling."""
        server = self._server
        uri_for = server.uris()
        by_uri: dict[str, tuple[Problem, ...]] = {}
        for served in server.engine.serving(server.caller):
            collection = served.collection
            for relative, problems in server.engine.problems.for_caller(
                server.caller, collection
            ).items():
                uri = uri_for(collection.root / KB_DIRNAME / relative)
                by_uri[uri] = (*by_uri.get(uri, ()), *problems)
        before, self._checked = self._checked, {}
        for document in server.documents:
            if (file := file_at(server, document.uri)) is not None:
                view = file.served.view
                known_of = (view.knowledge.serial, view.workspace.serial)
                state = (document.source, *known_of, file.served.settings)
                last_state, problems = before.get(document.uri, (None, ()))
                if last_state != state:  # a check may read the whole content of a source
                    problems = _problems_in(server, file)
                self._checked[document.uri] = state, problems
                by_uri[document.uri] = problems
        return {
            uri: [_diagnostic(server, uri, problem) for problem in problems]
            for uri, problems in by_uri.items()
            if problems
        }


def _diagnostic(server: Sidecar, uri: str, problem: Problem) -> lsp.Diagnostic:
    links = server.capability("text_document.publish_diagnostics.code_description_support")
    page = documentation() if links else None
    return lsp.Diagnostic(
        range=_range(server, uri, problem),
        message=with_field(problem.field, problem.message),
        severity=SEVERITIES[problem.severity],
        source=SOURCE,
        code=problem.code,
        code_description=None if page is None else lsp.CodeDescription(f"{page}#{problem.code}"),
    )


@cache
def documentation() -> str | None:
    """The URI of the page that explains the codes: in the package, else in the checkout."""
    package = Path(vouch_sidecar.__file__).parent
    pages = package / "diagnostics.md", package.parents[1] / "docs" / "diagnostics.md"
    return next((page.as_uri() for page in pages if page.is_file()), None)


def _range(server: Sidecar, uri: str, problem: Problem) -> lsp.Range:
    """The range from a problem to the end of its line; empty if the document is not open."""
    document = server.documents.find(uri)
    if document is None:
        utf8, utf16 = problem.wider
        wider = {"utf-8": utf8, "utf-32": 0}.get(server.documents.encoding, utf16)
        start = lsp.Position(problem.line - 1, problem.column - 1 + wider)
        return lsp.Range(start, start)
    return document.rest_of_line(problem.line - 1, problem.column - 1)
