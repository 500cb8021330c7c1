"""Problems of the files under `.vouch/` as diagnostics, pushed. Checks across files only run on
open files.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from lsprotocol import types as lsp

import vouch_sidecar
from vouch_sidecar.engine import Served, health
from vouch_sidecar.engine.checks import CheckContext, check_one
from vouch_sidecar.engine.faults import Step
from vouch_sidecar.kb.artifact_files import CONFIG
from vouch_sidecar.kb.reader import MAX_SOURCE_CONTENT, parse
from vouch_sidecar.kb.records import Problem, Severity
from vouch_sidecar.kb.sanitize import with_field
from vouch_sidecar.kb.settings import Config, load_settings
from vouch_sidecar.kb.store import with_what_counts
from vouch_sidecar.surfaces.lsp.at_position import file_at
from vouch_sidecar.surfaces.lsp.documents import Document
from vouch_sidecar.surfaces.lsp.server import Sidecar

SEVERITIES = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
    Severity.HINT: lsp.DiagnosticSeverity.Hint,
}
LOOK_SECONDS = 60.0
"""Pause between looks where nothing happens: a file that an open claim quotes may have changed."""
END_OF_LINE = 2**31 - 1
"""A position beyond the end of a line stands for its end."""
Problems = dict[str, list[lsp.Diagnostic]]


async def keep_published(server: Sidecar) -> None:
    """Keep the client's diagnostics equal to the current problems. A file without problems gets an
    empty list.
    """
    engine, sent = server.engine, Problems()
    async for _ in engine.sessions.tellable.rounds(LOOK_SECONDS):
        with engine.faults.contained(Step("Problems of files could not be told")):
            problems = _problems(server)
            for uri in sent | problems:
                if sent.get(uri) != problems.get(uri):
                    server.text_document_publish_diagnostics(
                        lsp.PublishDiagnosticsParams(uri=uri, diagnostics=problems.get(uri, []))
                    )
            sent = problems


def _problems(server: Sidecar) -> Problems:
    """All diagnostics by URI. Of an open file as its text stands, beside what is wrong with the
    file on disk.
    """
    uri_for, engine = server.uris(), server.engine
    by_path: dict[Path, list[Problem]] = {}
    for served in engine.registry.serving(server.caller):
        for problem in health.problems_of(engine, served.collection):
            path = served.collection.kb_dir / problem.path
            by_path.setdefault(path, []).append(problem)
    for document in server.documents.values():
        if (file := file_at(server, document)) is not None:
            path = file[0].collection.kb_dir / file[1]
            of_disk = [one for one in by_path.get(path, ()) if one.is_of_disk]
            by_path[path] = [*of_disk, *_problems_in(server, *file, document.source.encode())]
    by_uri = {uri_for(path): problems for path, problems in by_path.items() if problems}
    return {
        uri: [_diagnostic(problem, server.document(uri)) for problem in problems]
        for uri, problems in by_uri.items()
    }


def _problems_in(server: Sidecar, served: Served, relative: str, data: bytes) -> list[Problem]:
    """The problems of an open file as its text stands, those across files included."""
    if relative == CONFIG:
        config, last = Config(data), served.collection.on_disk.config
        if config.error is not None:
            return [with_what_counts(config.error, last)]
        _, found = load_settings(config, server.engine.registry.client, server.engine.env)
        return [problem for problem in found if problem.path == CONFIG]
    reading, view = parse(relative, data), served.view
    if reading.artifact is None:
        return [*reading.problems]
    # The event loop waits for it, after each change of a text.
    around = CheckContext(served.collection, view.knowledge, view.now, MAX_SOURCE_CONTENT)
    return [*reading.problems, *check_one(reading.artifact, around, data)]


def _diagnostic(problem: Problem, document: Document | None) -> lsp.Diagnostic:
    """A problem, from where it begins to the end of the line; of a file that is not open, and whose
    columns are unknown in the client's units, the whole line.
    """
    page, at = documentation(), (problem.line - 1, problem.column - 1)
    start = lsp.Position(at[0], 0) if document is None else document.position_of(*at)
    return lsp.Diagnostic(
        range=lsp.Range(start, lsp.Position(start.line, END_OF_LINE)),
        message=with_field(problem.field, problem.message),
        severity=SEVERITIES[problem.severity],
        source="vouch",
        code=problem.code,
        code_description=None if page is None else lsp.CodeDescription(f"{page}#{problem.code}"),
    )


@cache
def documentation() -> str | None:
    """The URI of the page that explains the codes: in the package, else in the checkout."""
    package = Path(vouch_sidecar.__file__).parent
    pages = package / "diagnostics.md", package.parents[1] / "docs" / "diagnostics.md"
    return next((page.as_uri() for page in pages if page.is_file()), None)
