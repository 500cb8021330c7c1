"""One connection's language server: what it holds, and what its features share."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from pydantic import ValidationError

from vouch_sidecar import __version__
from vouch_sidecar.engine import Caller, Engine, Keeper
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.kb.options import Definition, Prompts
from vouch_sidecar.operations import SessionId, ViewerParams, Wire, capabilities
from vouch_sidecar.surfaces.lsp.alive import is_alive
from vouch_sidecar.surfaces.lsp.cured import Documents, Protocol, Server, converter
from vouch_sidecar.surfaces.lsp.paths import path_of, spelling
from vouch_sidecar.surfaces.lsp.prompts import PromptDocuments
from vouch_sidecar.surfaces.lsp.settings import own_settings
from vouch_sidecar.surfaces.lsp.unsaved import Unsaved

__all__ = ["SERVER_NAME", "Sidecar"]

SERVER_NAME = "vouch-sidecar"
CELLS = lsp.NotebookDocumentSyncOptions(
    notebook_selector=[
        lsp.NotebookDocumentFilterWithNotebook(
            notebook="*", cells=[lsp.NotebookCellLanguage(language="*")]
        )
    ]
)

ANNOUNCED_TO = {
    "references_provider": ("text_document", "references"),
    "document_highlight_provider": ("text_document", "document_highlight"),
    "document_link_provider": ("text_document", "document_link"),
    "document_symbol_provider": ("text_document", "document_symbol"),
    "completion_provider": ("text_document", "completion"),
    "code_action_provider": ("text_document", "code_action"),
    "diagnostic_provider": ("text_document", "diagnostic"),
    "workspace_symbol_provider": ("workspace", "symbol"),
    "execute_command_provider": ("workspace", "execute_command"),
}
"""What is announced only to clients that say that they can use it, and where they say so."""

log = logging.getLogger(__name__)


class Options(Wire):
    """`initializationOptions`."""

    session_id: SessionId | None = None
    viewer: ViewerParams | None = None
    settings: dict[str, Any] | None = None


class Sidecar(Server):
    """The server of the one client of this process.

    Features add functions to `on_start`; they are called once the client is connected.
    """

    def __init__(self, engine: Engine, keeper: Keeper) -> None:
        super().__init__(
            SERVER_NAME,
            __version__,
            text_document_sync_kind=lsp.TextDocumentSyncKind.Full,
            notebook_document_sync=CELLS,
            protocol_cls=Protocol,
            converter_factory=converter,
        )
        self.engine = engine
        self.keeper = keeper
        self.connection = uuid.uuid4().hex
        self.session_id = f"lsp-{self.connection[:12]}"
        self.caller = Caller(self.connection, self.session_id)
        self.prompts = PromptDocuments(engine.observe, self._idle_seconds, f"{self.connection}/")
        self.unsaved = Unsaved(engine, self.connection, self.spawn, self.protocol.go_on)
        self.protocol.must_wait = lambda: self.unsaved.is_reading
        self.client: int | None = None
        """The process id of the client, where such a process runs on this machine."""
        self.on_start: list[Callable[[], None]] = []
        self.commands: dict[str, Callable[[Sequence[Any]], object]] = {}
        """What `workspace/executeCommand` runs, by name, with the command's arguments."""
        self.limited: dict[str, str] = {}
        """By provider, the methods that are only about files below `.vouch/`."""
        self._tasks: set[asyncio.Task[None]] = set()
        self.protocol.announce = self._announce
        self.on(lsp.INITIALIZE, self._initialize)

    @property
    def documents(self) -> Documents:
        """The documents that the client has open."""
        workspace = self.workspace
        assert isinstance(workspace, Documents)
        return workspace

    @property
    def folders(self) -> list[Path]:
        """The workspace folders on this machine."""
        uris = (folder.uri for folder in self.documents.folders.values())
        return [path for uri in uris if (path := path_of(uri)) is not None]

    @property
    def client_pulls(self) -> bool:
        """Whether the client asks for diagnostics itself."""
        capabilities = self.client_capabilities.text_document
        return capabilities is not None and capabilities.diagnostic is not None

    @property
    def answers_in_code(self) -> bool:
        """Whether the client asked for answers on identifiers of code."""
        found = (one.settings.definition for one in self.engine.collections.values())
        return next(found, Definition()).enabled == "all"

    def uris(self) -> Callable[[Path], str]:
        """Returns a function that gives a file the URI by which the client knows it."""
        opened = (document.uri for document in self.documents.text_documents.values())
        return spelling(opened, self.folders)

    def configure(self, raw: object) -> None:
        """Apply the settings that a client sent, as far as they are ours."""
        if (settings := own_settings(raw)) is not None:
            self.engine.reconfigure(settings)
        elif raw:
            log.info("no settings of vouch-sidecar among those that came")

    def serve_folders(self) -> None:
        """Serve the knowledge bases of the workspace folders, as they are now."""
        self.engine.set_folders(self.folders)
        self.keeper.poke()

    def serve_above(self, path: Path) -> None:
        """Serve the knowledge base of a document, also outside the workspace folders."""
        before = len(self.engine.collections)
        self.engine.add_start(path)
        if len(self.engine.collections) > before:
            self.keeper.poke()

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run something beside the messages; an error in it ends nothing else."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    def start(self) -> None:
        """Call every function of `on_start`, even where one of them fails."""
        for begin in self.on_start:
            try:
                begin()
            except Exception as error:
                self.report_server_error(error, type(error))

    def _initialize(self, params: lsp.InitializeParams) -> None:
        """Note who connects. Knowledge bases are looked for once that is answered."""
        if params.process_id is not None and is_alive(params.process_id):
            self.client = params.process_id
        options = _options(params.initialization_options)
        self.session_id = options.session_id or self.session_id
        self.caller = Caller(self.connection, self.session_id, _viewer(options.viewer))
        self.configure(
            params.initialization_options if options.settings is None else options.settings
        )
        asyncio.get_running_loop().call_soon(self.start)

    def _announce(self, announced: lsp.ServerCapabilities) -> None:
        if self.commands:
            names = sorted(self.commands)
            announced.execute_command_provider = lsp.ExecuteCommandOptions(commands=names)
        for provider, (room, name) in ANNOUNCED_TO.items():
            able = getattr(getattr(self.client_capabilities, room), name, None)
            limited = provider in self.limited and getattr(able, "dynamic_registration", False)
            if able is None or limited:
                setattr(announced, provider, None)
        vouch = capabilities().model_dump(include={"protocol", "methods", "notifications"})
        announced.experimental = {"vouch": {**vouch, "session_id": self.session_id}}

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and isinstance(error := task.exception(), Exception):
            self.report_server_error(error, type(error))

    def _idle_seconds(self) -> float:
        settings = (one.settings.prompts for one in self.engine.collections.values())
        return min((prompts.idle_ms for prompts in settings), default=Prompts().idle_ms) / 1000


def _viewer(given: ViewerParams | None) -> Viewer:
    return Viewer() if given is None else Viewer(given.project, given.agent)


def _options(raw: object) -> Options:
    """The options that can be read; a client may send others, meant for other servers."""
    given = raw if isinstance(raw, dict) else {}
    kept: dict[str, Any] = {}
    for name in Options.model_fields:
        try:
            kept[name] = getattr(Options.model_validate({name: given.get(name)}), name)
        except ValidationError:
            log.warning("ignored initializationOptions.%s: not of the expected form", name)
    return Options(**kept)
