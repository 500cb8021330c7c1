"""Every problem of a file under `.vouch/`, pushed, or given to clients that ask for them."""

from __future__ import annotations

from contextlib import suppress
from functools import partial

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from vouch_sidecar.kb.layout import KB_DIRNAME
from vouch_sidecar.kb.records import Problem, Severity
from vouch_sidecar.surfaces.lsp.server import Sidecar
from vouch_sidecar.surfaces.plain import with_field

__all__ = ["register"]

SOURCE = "vouch"
SEVERITIES = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
}
Problems = dict[str, list[lsp.Diagnostic]]


def register(server: Sidecar) -> None:
    """Push after every change, unless the client pulls."""
    diagnostics = Diagnostics(server)
    server.on_start.append(diagnostics.start)
    server.on(lsp.TEXT_DOCUMENT_DIAGNOSTIC, partial(_pull, server))
    server.on(lsp.WORKSPACE_DIAGNOSTIC, partial(_pull_all, server))


class Diagnostics:
    """Keeps the client's diagnostics equal to the problems there are."""

    def __init__(self, server: Sidecar) -> None:
        self._server = server
        self._sent: Problems = {}

    def start(self) -> None:
        self._server.engine.listeners.add(self.update)
        self.update()

    def update(self) -> None:
        """Say what differs from what was said; a file that is well again gets an empty list."""
        before, problems = self._sent, _problems(self._server)
        changed = [uri for uri in before | problems if before.get(uri) != problems.get(uri)]
        if changed and self._server.client_pulls:
            self._refresh()
            changed = []
        for uri in changed:
            self._server.text_document_publish_diagnostics(
                lsp.PublishDiagnosticsParams(uri=uri, diagnostics=problems.get(uri, []))
            )
        self._sent = problems

    def _refresh(self) -> None:
        workspace = self._server.client_capabilities.workspace
        diagnostics = workspace.diagnostics if workspace is not None else None
        if diagnostics is not None and diagnostics.refresh_support:
            self._server.spawn(_ask_to_refresh(self._server))


async def _ask_to_refresh(server: Sidecar) -> None:
    with suppress(JsonRpcException):
        await server.workspace_diagnostic_refresh_async(None)


def _pull(
    server: Sidecar, params: lsp.DocumentDiagnosticParams
) -> lsp.RelatedFullDocumentDiagnosticReport:
    items = _problems(server).get(params.text_document.uri, [])
    return lsp.RelatedFullDocumentDiagnosticReport(items=items)


def _pull_all(
    server: Sidecar, params: lsp.WorkspaceDiagnosticParams
) -> lsp.WorkspaceDiagnosticReport:
    problems = _problems(server)
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


def _problems(server: Sidecar) -> Problems:
    """All problems by file, with the URIs that the client uses for what it has open."""
    found: Problems = {}
    uri_for = server.uris()
    for collection in server.engine.collections.values():
        for relative, problems in server.engine.problems(server.caller, collection).items():
            uri = uri_for(collection.root / KB_DIRNAME / relative)
            found[uri] = [_diagnostic(server, uri, problem) for problem in problems]
    return found


def _diagnostic(server: Sidecar, uri: str, problem: Problem) -> lsp.Diagnostic:
    return lsp.Diagnostic(
        range=_range(server, uri, problem),
        message=with_field(problem.field, problem.message),
        severity=SEVERITIES[problem.severity],
        source=SOURCE,
    )


def _range(server: Sidecar, uri: str, problem: Problem) -> lsp.Range:
    """From the problem to the end of its line, where the line is known."""
    document = server.documents.find(uri)
    if document is None:
        utf8, utf16 = problem.wider
        wider = {"utf-8": utf8, "utf-32": 0}.get(server.documents.units, utf16)
        start = lsp.Position(problem.line - 1, problem.column - 1 + wider)
        return lsp.Range(start, start)
    return document.rest_of_line(problem.line - 1, problem.column - 1)
