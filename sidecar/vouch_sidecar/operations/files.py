"""List the claims that are tied to files of the workspace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated
from urllib.parse import unquote, urlparse

from pydantic import Field, StringConstraints

from vouch_sidecar.engine import Served
from vouch_sidecar.kb.sanitize import one_line
from vouch_sidecar.operations.artifacts import ArtifactViews
from vouch_sidecar.operations.errors import InvalidParamsError, Message
from vouch_sidecar.operations.mentions import Range
from vouch_sidecar.operations.operation import Operation, OperationCall
from vouch_sidecar.operations.table import ColumnKind, Shown, Table, Words
from vouch_sidecar.operations.wire import (
    MAX_PATH,
    EditorOnly,
    LongText,
    Params,
    Paths,
    Result,
    Wire,
)
from vouch_sidecar.retrieval.files.file_ties import Tied, folder_of, tied_as_stored, tied_to
from vouch_sidecar.retrieval.files.stale_claims import stale
from vouch_sidecar.workspace.quotes_in_files import QuoteState
from vouch_sidecar.workspace.ties import TieArm

MAX_PATHS = 1_000
MOST_BELOW = 100
"""Files of one folder that are listed."""

TiedRow = tuple[Served, Tied]
"""A claim that is tied to a file, with the knowledge base that it is from."""
PathText = Annotated[str, StringConstraints(min_length=1, max_length=MAX_PATH)]


class FilesParams(Params):
    """Files by their paths, or one by its URI."""

    paths: Annotated[list[PathText] | None, Paths()] = Field(
        default=None,
        max_length=MAX_PATHS,
        description="Absolute, or relative to the knowledge base or its repository. A folder "
        f"stands for the first {MOST_BELOW} files below it that claims are surely tied to.",
    )
    uri: Annotated[LongText | None, EditorOnly()] = Field(
        default=None, description="Instead of paths, one file; as it stands in the editor."
    )
    range: Annotated[Range | None, EditorOnly()] = Field(
        default=None,
        description="Of that file; ties to a line in it come first.",
    )


class TiedClaim(Wire):
    """A claim that is tied to a file."""

    id: str
    collection: str
    arm: TieArm = Field(description="How it is tied.")
    strength: float = Field(description="How sure that is, from 0 to 1.")
    weak: bool = Field(description="Below 0.45: to be folded; prompts are never given it.")
    line: int | None = Field(description="From 1, where a receipt or the text gives one.")
    why: str = Field(description="For people, in a few words.")
    fresh: QuoteState | None = Field(
        description="Whether the file still has what it quotes or names."
    )
    stale: str | None = Field(
        description="Why it may hold no more, for people; null: nothing says so."
    )
    text: str = Field(
        description="What is shown: the whole sentence of which it is a part, where its source "
        "has one; else its text."
    )
    heading: str = Field(description="The heading that `text` begins with.")
    status: str
    source: str | None = Field(description="Title of the first source that may be shown.")
    document: str | None = Field(description="URI of what it cites, with its line where known.")
    uri: str = Field(description="The file of the claim.")


class TiedFile(Wire):
    """A file with its claims."""

    path: str = Field(
        description="Below the knowledge base, else as it was given; with `/` at its end a "
        "folder, for what is tied to it as a whole."
    )
    claims: list[TiedClaim] = Field(description="Strongest first.")


class FilesResult(Result):
    """The claims tied to each file that was asked about."""

    found_in = ("files",)
    nothing = "No claim is tied to these files."

    files: list[TiedFile] = Field(default_factory=list, description="In the order asked.")


def answer(ask: OperationCall, params: FilesParams) -> FilesResult:
    if (params.paths is None) == (params.uri is None):
        raise InvalidParamsError([Message("paths", "or a uri must be given, not both")])
    if params.range is not None and params.uri is None:
        raise InvalidParamsError([Message("range", "needs the uri of a file")])
    if params.uri is not None:
        path = _path_of(params.uri)
        document = ask.documents.find(params.uri) if ask.documents is not None else None
        text = document.source if document is not None else None
        files = [] if path is None else [_tied(ask, path, text, params.range)]
        return FilesResult(files=[_file(*row) for row in files])
    tied_files: dict[str, Sequence[TiedRow]] = {}
    for path in params.paths or ():
        if any(view.deadline.has_passed() for view in ask.views):
            break
        for file, rows in _tied_below(ask, path) or [_tied(ask, path, None, None)]:
            tied_files.setdefault(file, rows)
    return FilesResult(files=[_file(*row) for row in tied_files.items()])


def _path_of(uri: str) -> str | None:
    """The path of a file URI; None for other URIs."""
    try:
        parts = urlparse(uri)
    except ValueError:
        return None
    path = unquote(parts.path)
    if parts.scheme != "file" or "\0" in path:
        return None
    return path[1:] if len(path) > 2 and path[2] == ":" else path


def _tied(
    ask: OperationCall, path: str, text: str | None, wanted: Range | None
) -> tuple[str, list[TiedRow]]:
    """A file's path, and the claims tied to it in all knowledge bases, those in the `wanted` lines
    first.
    """
    inside: str | None = None
    rows: list[TiedRow] = []
    for served in ask.served:
        there = served.view.workspace.path_of(path)
        if there is not None:
            rows += [(served, tied) for tied in tied_to(served.view, there, text)]
            inside = inside or there
    rows.sort(key=lambda row: _order(row[1], wanted))
    return one_line(path) if inside is None else inside, rows


def _tied_below(ask: OperationCall, folder: str) -> list[tuple[str, list[TiedRow]]]:
    """A folder and all below it with the claims tied to them, each claim on a folder once, weak
    ties of files left out; empty if there are none, or if it is no folder.
    """
    by_path: dict[str, list[TiedRow]] = {}
    of_folders: set[tuple[str, str]] = set()
    for served in ask.served:
        for path in served.view.workspace.tied_below(folder):
            if len(by_path) >= MOST_BELOW or served.view.deadline.has_passed():
                break
            tied = [t for t in tied_as_stored(served.view, path) if not t.is_weak]
            if path.endswith("/"):
                tied = [t for t in tied if (t.view.collection, t.claim.id) not in of_folders]
                of_folders |= {(t.view.collection, t.claim.id) for t in tied}
            else:
                tied = [t for t in tied if folder_of(t) is None]
            if tied:
                by_path.setdefault(path, []).extend((served, each) for each in tied)
    for rows in by_path.values():
        rows.sort(key=lambda row: _order(row[1], None))
    return list(by_path.items())


def _order(tied: Tied, wanted: Range | None) -> tuple[object, ...]:
    line = tied.line
    there = (
        wanted is not None and line is not None and wanted.start.line < line <= wanted.end.line + 1
    )
    return (
        tied.is_weak,
        not there,
        -tied.strength,
        *tied.place,
        tied.claim.id,
        tied.view.collection,
    )


def _file(path: str, rows: Sequence[TiedRow]) -> TiedFile:
    return TiedFile(path=path, claims=[_row(kb, tied) for kb, tied in rows])


def _row(served: Served, tied: Tied) -> TiedClaim:
    views = ArtifactViews(served.view, served.collection.root)
    claim = tied.claim
    citations = [views.citation(ref) for ref in dict.fromkeys(claim.evidence)]
    citations.sort(key=lambda c: (c.source_id != tied.source_id, c.source_id is None))
    gone = stale(served.view, claim)
    is_lost = gone is None and tied.fresh == "gone"
    shown = served.view.texts.shown(claim)
    cited = citations[0] if citations and citations[0].source_id is not None else None
    return TiedClaim(
        id=claim.id,
        collection=served.view.collection,
        arm=tied.arm,
        strength=tied.strength,
        weak=tied.is_weak,
        line=tied.line,
        why=tied.why,
        fresh=tied.fresh,
        stale=tied.why if is_lost else None if gone is None else gone.reason,
        text=shown.text,
        heading=shown.heading,
        status=claim.status,
        source=(cited.title or cited.locator) if cited is not None else None,
        document=cited.document if cited is not None else None,
        uri=views.uri(claim.path),
    )


def table(result: FilesResult) -> list[Shown]:
    """Weak ties are shown of files that have no other, and counted of the others."""
    cells, folded = [], 0
    several = len({claim.collection for file in result.files for claim in file.claims}) > 1
    for file in result.files:
        strong = [claim for claim in file.claims if not claim.weak]
        folded += len(file.claims) - len(strong) if strong else 0
        for claim in strong or file.claims:
            why = "; ".join(filter(None, ["weak" if claim.weak else "", claim.why, claim.stale]))
            collection = [claim.collection] if several else []
            cells.append((file.path, claim.id, *collection, why, claim.text))
    columns: dict[str, ColumnKind] = {"file": "key", "claim": "key"}
    columns |= {"collection": "whole"} if several else {}
    folders = tuple(file.path for file in result.files if file.path.endswith("/"))
    bare = [f.path for f in result.files if not (f.claims or f.path.startswith(folders))]
    ties = f"{folded} weak {'tie is' if folded == 1 else 'ties are'} listed by --json"
    return [
        Table(columns | {"why": "short", "text": "text"}, cells),
        *([] if cells or result.is_empty else [Words(result.not_found, aside=True)]),
        *([Words(ties, aside=True, to="people")] if folded else []),
        *([Words(f"No claim is tied to {', '.join(bare)}", aside=True)] if bare and cells else []),
    ]


OPERATION = Operation(
    name="files",
    summary="The claims tied to files of the workspace, and why.",
    params=FilesParams,
    result=FilesResult,
    run=answer,
    when="Call it with the paths of files before changing them, to learn which reviewed claims "
    "concern them. Not for a topic: kb_context and kb_search find by words.",
    example={"paths": ["docs/incidents/INC-118.md"]},
    table=table,
    is_long=True,
    needs=frozenset({"ties"}),
)
