"""Every problem of a file under `.vouch/`, and what the checks across files find in those that are
open: pushed, or given to clients that ask for them.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from pathlib import Path

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

import vouch_sidecar
from vouch_sidecar.engine.checks import Surroundings, check_one
from vouch_sidecar.kb.layout import KB_DIRNAME
from vouch_sidecar.kb.reader import parse
from vouch_sidecar.kb.records import Problem, Severity
from vouch_sidecar.surfaces.lsp.ids import File, file_at
from vouch_sidecar.surfaces.lsp.server import Sidecar
from vouch_sidecar.surfaces.plain import with_field

__all__ = ["register"]

SOURCE = "vouch"
SEVERITIES = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
    Severity.HINT: lsp.DiagnosticSeverity.Hint,
}
Problems = dict[str, list[lsp.Diagnostic]]


def register(server: Sidecar) -> None:
    """Push after every change, unless the client pulls."""
    diagnostics = Diagnostics(server)
    server.on_start.append(diagnostics.start)
    options = lsp.DiagnosticOptions(
        inter_file_dependencies=True, workspace_diagnostics=True, identifier=SOURCE
    )
    server.on(lsp.TEXT_DOCUMENT_DIAGNOSTIC, diagnostics.pull, options)
    server.on(lsp.WORKSPACE_DIAGNOSTIC, diagnostics.pull_all)


def _checked(
    file: File, before: tuple[object, tuple[Problem, ...]] | None
) -> tuple[object, tuple[Problem, ...]]:
    """What the checks find in an open file, made once for each state of it and of the others."""
    served, text = file.served, file.document.source
    state = (text, served.view.knowledge.serial, served.settings)
    if before is not None and before[0] == state:
        return before
    artifact = parse(file.relative, text.encode()).artifact
    around = Surroundings(served.collection, served.view.knowledge)
    return state, () if artifact is None else check_one(artifact, text.encode(), around)


class Diagnostics:
    """Keeps the client's diagnostics equal to the problems there are."""

    def __init__(self, server: Sidecar) -> None:
        self._server = server
        self._sent: Problems = {}
        self._checked: dict[str, tuple[object, tuple[Problem, ...]]] = {}
        """By URI, what the checks found in an open file, and what that follows from."""

    def start(self) -> None:
        self._server.engine.listeners.add(self.update)
        self.update()

    def update(self) -> None:
        """Publish the files whose problems changed; one without problems gets an empty list."""
        before, problems = self._sent, self._problems()
        changed = [uri for uri in before | problems if before.get(uri) != problems.get(uri)]
        if changed and self._server.client_pulls:
            self._refresh()
            changed = []
        for uri in changed:
            self._server.text_document_publish_diagnostics(
                lsp.PublishDiagnosticsParams(uri=uri, diagnostics=problems.get(uri, []))
            )
        self._sent = problems

    def pull(self, params: lsp.DocumentDiagnosticParams) -> lsp.RelatedFullDocumentDiagnosticReport:
        items = self._problems().get(params.text_document.uri, [])
        return lsp.RelatedFullDocumentDiagnosticReport(items=items)

    def pull_all(self, params: lsp.WorkspaceDiagnosticParams) -> lsp.WorkspaceDiagnosticReport:
        problems = self._problems()
        # Files that were reported before and are well now have to be told as well.
        known = {known.uri for known in params.previous_result_ids}
        return lsp.WorkspaceDiagnosticReport(
            items=[
                lsp.WorkspaceFullDocumentDiagnosticReport(
                    uri=uri, items=problems.get(uri, []), result_id="problems"
                )
                for uri in sorted(known | problems.keys())
            ]
        )

    def _problems(self) -> Problems:
        """All problems by file, with the URIs that the client uses for what it has open."""
        server = self._server
        uri_for = server.uris()
        found: dict[str, list[Problem]] = {}
        for collection in server.engine.collections.values():
            for relative, problems in server.engine.problems(server.caller, collection).items():
                uri = uri_for(collection.root / KB_DIRNAME / relative)
                found[uri] = [*found.get(uri, ()), *problems]
        before, self._checked = self._checked, {}
        for document in list(server.documents.opened()):
            if (file := file_at(server, document.uri)) is not None:
                self._checked[document.uri] = _checked(file, before.get(document.uri))
                more = self._checked[document.uri][1]
                found[document.uri] = [*found.get(document.uri, ()), *more]
        return {
            uri: [_diagnostic(server, uri, one) for one in problems]
            for uri, problems in found.items()
            if problems
        }

    def _refresh(self) -> None:
        workspace = self._server.client_capabilities.workspace
        diagnostics = workspace.diagnostics if workspace is not None else None
        if diagnostics is not None and diagnostics.refresh_support:
            self._server.spawn(_ask_to_refresh(self._server))


async def _ask_to_refresh(server: Sidecar) -> None:
    with suppress(JsonRpcException):
        await server.workspace_diagnostic_refresh_async(None)


def _diagnostic(server: Sidecar, uri: str, problem: Problem) -> lsp.Diagnostic:
    page = documentation() if _follows_links(server) else None
    return lsp.Diagnostic(
        range=_range(server, uri, problem),
        message=with_field(problem.field, problem.message),
        severity=SEVERITIES[problem.severity],
        source=SOURCE,
        code=problem.code,
        code_description=None if page is None else lsp.CodeDescription(f"{page}#{problem.code}"),
    )


def _follows_links(server: Sidecar) -> bool:
    """Whether the client shows a code as a link to its explanation."""
    document = server.client_capabilities.text_document
    ways = (document.publish_diagnostics, document.diagnostic) if document is not None else ()
    return any(way is not None and way.code_description_support for way in ways)


@cache
def documentation() -> str | None:
    """The URI of the page that explains the codes: in the package, else in the checkout."""
    package = Path(vouch_sidecar.__file__).parent
    pages = package / "diagnostics.md", package.parents[1] / "docs" / "diagnostics.md"
    return next((page.as_uri() for page in pages if page.is_file()), None)


def _range(server: Sidecar, uri: str, problem: Problem) -> lsp.Range:
    """From the problem to the end of its line, where the line is known."""
    document = server.documents.find(uri)
    if document is None:
        utf8, utf16 = problem.wider
        wider = {"utf-8": utf8, "utf-32": 0}.get(server.documents.units, utf16)
        start = lsp.Position(problem.line - 1, problem.column - 1 + wider)
        return lsp.Range(start, start)
    return document.rest_of_line(problem.line - 1, problem.column - 1)
