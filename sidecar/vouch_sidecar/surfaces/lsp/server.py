"""One connection's language server: what it holds, and what its features share."""

from __future__ import annotations

import asyncio
import functools
import logging
import os
import traceback
import uuid
from collections.abc import Callable, Coroutine, Iterable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from pydantic import BaseModel, ValidationError
from pygls.exceptions import JsonRpcException, JsonRpcInternalError
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from vouch_sidecar import __version__
from vouch_sidecar.engine import Caller, Engine, Keeper
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.kb.layout import KB_DIRNAME
from vouch_sidecar.kb.settings import Prompts
from vouch_sidecar.operations import SessionId, ViewerParams, Wire, capabilities
from vouch_sidecar.surfaces.lsp.documents import Documents, is_uri
from vouch_sidecar.surfaces.lsp.framing import Frame
from vouch_sidecar.surfaces.lsp.prompts import PromptDocuments
from vouch_sidecar.surfaces.lsp.protocol import Protocol, converter
from vouch_sidecar.surfaces.lsp.settings import own_settings
from vouch_sidecar.surfaces.streams import Outbox

__all__ = ["SERVER_NAME", "Sidecar", "anchored", "path_of", "resolved"]

SERVER_NAME = "vouch-sidecar"
CELLS = lsp.NotebookDocumentSyncOptions(
    notebook_selector=[
        lsp.NotebookDocumentFilterWithNotebook(
            notebook="*", cells=[lsp.NotebookCellLanguage(language="*")]
        )
    ]
)

log = logging.getLogger(__name__)


class Options(Wire):
    """`initializationOptions`."""

    session_id: SessionId | None = None
    viewer: ViewerParams | None = None
    settings: dict[str, Any] | None = None


class Sidecar(LanguageServer):
    """The server of one connection, on an engine that several may share.

    `exit_code` is None until the client has sent `exit`. Features add to `on_start` (once the
    client is connected), `on_touch` (something may be in play that was not), `on_overlay` (a
    document under `.vouch/` stands differently in the editor) and `on_close`.
    """

    protocol: Protocol

    def __init__(self, engine: Engine, keeper: Keeper, outbox: Outbox) -> None:
        self.engine = engine
        self.keeper = keeper
        self.outbox = outbox
        self.connection = uuid.uuid4().hex
        self.session_id = f"lsp-{self.connection[:12]}"
        self.caller = Caller(self.connection, self.session_id)
        self.exit_code: int | None = None
        self.prompts = PromptDocuments(self.observe, self._idle_seconds, f"{self.connection}/")
        self.on_start: list[Callable[[], None]] = []
        self.on_touch: list[Callable[[], None]] = []
        self.on_overlay: list[Callable[[], None]] = []
        self.on_close: list[Callable[[], None]] = []
        self.own: dict[str, Callable[[object], object]] = {}
        """Handlers of our own methods: from params to an answer, both plain values, at once."""
        self._tasks: set[asyncio.Task[None]] = set()
        super().__init__(
            SERVER_NAME,
            __version__,
            text_document_sync_kind=lsp.TextDocumentSyncKind.Full,
            notebook_document_sync=CELLS,
            protocol_cls=Protocol,
            converter_factory=converter,
        )

    @property
    def documents(self) -> Documents:
        """The documents that the client has open."""
        workspace = self.protocol.workspace
        assert isinstance(workspace, Documents)
        return workspace

    @property
    def folders(self) -> list[Path]:
        """The workspace folders on this machine."""
        uris = (folder.uri for folder in self.documents.folders.values())
        return [path for uri in uris if (path := path_of(uri)) is not None]

    def on(self, method: str, handle: Callable[[Any], object]) -> None:
        """Let a feature handle a method of the language server protocol."""
        self.feature(method)(functools.partial(handle))  # pygls marks what it is given

    def receive(self, message: Frame) -> None:
        """Take one message from the client."""
        self.protocol.receive(message)

    def initialize(
        self, params: lsp.InitializeParams, result: lsp.InitializeResult
    ) -> lsp.InitializeResult:
        """Note who connects and say what is served; knowledge bases are looked for afterwards."""
        options = _options(params.initialization_options)
        self.session_id = options.session_id or self.session_id
        self.caller = Caller(self.connection, self.session_id, _viewer(options.viewer))
        self.configure(
            params.initialization_options if options.settings is None else options.settings
        )
        if not self.client_pulls:
            result.capabilities.diagnostic_provider = None
        result.capabilities.execute_command_provider = None  # pygls announces one without commands
        said = capabilities()
        vouch = said.model_dump(include={"protocol", "methods", "notifications"})
        result.capabilities.experimental = {"vouch": {**vouch, "session_id": self.session_id}}
        asyncio.get_running_loop().call_soon(self._start)
        return result

    def configure(self, raw: object) -> None:
        """Take the client's settings, if any of this is ours."""
        if (settings := own_settings(raw)) is not None:
            self.engine.reconfigure(settings)
            self.touch()
        elif raw:
            log.info("no settings of vouch-sidecar among those that came")

    @property
    def client_pulls(self) -> bool:
        """Whether the client asks for diagnostics itself."""
        capabilities = self.client_capabilities.text_document
        return capabilities is not None and capabilities.diagnostic is not None

    def before_request(self) -> None:
        """A request reflects every message before it: what is still being typed as well."""
        self.prompts.flush()

    def observe(self, session_id: str, slot: str | None, text: str, *, final: bool = False) -> None:
        """Put a text into a slot of a session; without a name, into one of its own."""
        self.engine.observe(session_id, slot, text, final=final)
        self.touch()

    def touch(self) -> None:
        """Something happened that may change what is in play."""
        for listener in self.on_touch:
            listener()

    def serve_folders(self) -> None:
        """Serve the knowledge bases of the workspace folders, as they are now."""
        self.engine.set_folders(self.folders)
        self.keeper.poke()
        self.touch()

    def serve_above(self, path: Path) -> None:
        """Serve the knowledge base in charge of a document, wherever it lies."""
        before = len(self.engine.collections)
        self.engine.add_start(path)
        if len(self.engine.collections) > before:
            self.keeper.poke()

    def overlay(self, path: Path, text: str | None) -> None:
        """Let a document under `.vouch/` count as it stands in the editor; None: as on disk."""
        self.engine.overlay(self.connection, path, text)
        for listener in (*self.on_overlay, *self.on_touch):
            listener()

    def uris(self) -> Callable[[Path], str]:
        """Gives files the URIs that the client knows them by: its own spelling of those that it
        has open, and below a folder that is a link, the link's.
        """
        opened: dict[Path, str] = {}
        for document in self.documents.text_documents.values():
            if (path := path_of(document.uri)) is not None:
                opened[resolved(path)] = document.uri
        links = [(real, one) for one in self.folders if (real := resolved(one)) != one]

        def uri_for(path: Path) -> str:
            if path in opened:
                return opened[path]
            for real, folder in links:
                if path.is_relative_to(real):
                    return (folder / path.relative_to(real)).as_uri()
            return path.as_uri()

        return uri_for

    def tell(self, method: str, params: BaseModel) -> None:
        """Send one of our notifications."""
        self.protocol.notify(method, params.model_dump(mode="json", by_alias=True))

    async def ask(self, method: str, params: object) -> bool:
        """Send a request to the client; whether it was answered without an error."""
        answer = await self._request(method, params)
        return not answer.cancelled() and answer.exception() is None

    async def ask_for(self, method: str, params: object) -> Any:
        """The client's answer to a request; None where it is an error."""
        answer = await self._request(method, params)
        return None if answer.cancelled() or answer.exception() else answer.result()

    async def _request(self, method: str, params: object) -> Future[Any]:
        answered: asyncio.Future[Future[Any]] = asyncio.get_running_loop().create_future()
        self.protocol.send_request(method, params).add_done_callback(answered.set_result)
        return await answered

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run something beside the messages; an error in it ends nothing else."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    def close(self) -> None:
        """Leave the engine: what only this connection held goes with it."""
        self.prompts.stop()
        self._call_all(self.on_close)
        self.engine.overlays.drop(self.connection)
        for task in self._tasks:
            task.cancel()

    def report_server_error(self, error: Exception, source: type[Exception]) -> None:
        """Log where it happened; what it says may hold a prompt. A client's errors are its own."""
        if isinstance(error, JsonRpcException) and error.code != JsonRpcInternalError.CODE:
            log.info("refused: %s", error.code)
            return
        data = getattr(error, "data", None)
        frames = data.get("traceback") if isinstance(data, dict) else None
        trace = frames or traceback.format_tb(error.__traceback__)
        log.error("%s in a %s handler\n%s", type(error).__name__, source.__name__, "".join(trace))

    def _start(self) -> None:
        self._call_all(self.on_start)

    def _call_all(self, listeners: Iterable[Callable[[], None]]) -> None:
        """Call each of them, whatever becomes of the others."""
        for listener in listeners:
            try:
                listener()
            except Exception as error:
                self.report_server_error(error, type(error))

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and isinstance(error := task.exception(), Exception):
            self.report_server_error(error, type(error))

    def _idle_seconds(self) -> float:
        settings = (one.settings.prompts for one in self.engine.collections.values())
        return min((prompts.idle_ms for prompts in settings), default=Prompts().idle_ms) / 1000


def anchored(path: Path) -> Path:
    """A path below a `.vouch/`, spelled as knowledge bases are: only what leads there resolved."""
    if KB_DIRNAME not in path.parts:
        return resolved(path)
    at = path.parts.index(KB_DIRNAME)
    return resolved(Path(*path.parts[:at])).joinpath(*path.parts[at:])


def resolved(path: Path) -> Path:
    """Where a path leads; a link to itself, which `Path.resolve` raises for, leads nowhere else."""
    return Path(os.path.realpath(path))


def path_of(uri: str) -> Path | None:
    """The file that a URI stands for; None for any other scheme, and where no file is called so."""
    if not uri.startswith("file:") or not is_uri(uri):
        return None
    path = to_fs_path(uri)
    return Path(path) if path and _is_possible(path) else None


def _is_possible(path: str) -> bool:
    """Whether a file can have this path, whether or not there is one."""
    try:
        return b"\0" not in os.fsencode(path) and os.path.isabs(path)  # noqa: PTH117
    except ValueError:
        return False


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
