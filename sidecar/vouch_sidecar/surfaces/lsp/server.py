"""The language server of one connection: its state, and what its features share."""

from __future__ import annotations

import asyncio
import logging
import traceback
import uuid
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from pydantic import ValidationError
from pygls.capabilities import get_capability
from pygls.exceptions import JsonRpcException, JsonRpcInternalError
from pygls.lsp.server import LanguageServer

from vouch_sidecar import __version__
from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.kb.artifact_files import resolved
from vouch_sidecar.kb.settings import CLIENT, Settings, names
from vouch_sidecar.operations import (
    SearchFailedError,
    SessionId,
    ViewerParams,
    Wire,
    refusing_if_damaged,
    server_capabilities,
)
from vouch_sidecar.operations.notifications import DidChangeSalience
from vouch_sidecar.retrieval.session_update import PUSH_PARTS, PushPart
from vouch_sidecar.surfaces.lsp.documents import Documents
from vouch_sidecar.surfaces.lsp.paths import path_of, spelling
from vouch_sidecar.surfaces.lsp.protocol import Protocol, converter
from vouch_sidecar.surfaces.lsp.typing import Typing
from vouch_sidecar.surfaces.stdio import is_alive

SERVER_NAME = "vouch-sidecar"

SECTIONS = (CLIENT, "vouch-sidecar")
"""Sections under which a client may send our settings."""
ROOMS = ("sidecar", "retrieval")
"""What groups of settings may be nested in."""
EDITORS = frozenset({"path", "trace"})
"""Settings that only the editor's extension reads."""

log = logging.getLogger(__name__)


class Options(Wire):
    """The `initializationOptions` that a client may send."""

    session_id: SessionId | None = None
    viewer: ViewerParams | None = None
    settings: dict[str, Any] | None = None
    push: list[str] | None = None


class Sidecar(LanguageServer):
    """The server of this process's one client.

    Features add functions to `on_start`, which are called once the client is connected.
    """

    protocol: Protocol

    def __init__(self, engine: Engine) -> None:
        super().__init__(
            SERVER_NAME,
            __version__,
            text_document_sync_kind=lsp.TextDocumentSyncKind.Incremental,
            protocol_cls=Protocol,
            converter_factory=converter,
        )
        self.engine = engine
        self.connection = uuid.uuid4().hex
        self.session_id = f"lsp-{self.connection[:12]}"
        self.caller = Caller(self.connection, self.session_id)
        self.parts: Collection[PushPart] = PUSH_PARTS
        """The parts of pushes that the client wants."""
        self.documents = Documents()
        self.typing = Typing(engine, self.idle_seconds, f"{self.connection}/")
        self.client: int | None = None
        """The client's process id, if that process runs on this machine."""
        self.on_start: list[Callable[[], None]] = []
        self._tasks: set[asyncio.Task[object]] = set()
        self.protocol.announce = self._announce
        self.on(lsp.INITIALIZE, self._initialize)

    def caller_for(self, uri: str) -> Caller:
        """The client, asking about a document."""
        path = path_of(uri)
        at = None if path is None else resolved(path)
        return replace(self.caller, roots=self.engine.registry.around(path), at=at)

    @property
    def viewer(self) -> Viewer | None:
        """The viewer that the client's options name."""
        return self.caller.viewer

    @property
    def folders(self) -> list[Path]:
        """The workspace folders on this machine."""
        uris = (folder.uri for folder in self.workspace.folders.values())
        return [path for uri in uris if (path := path_of(uri)) is not None]

    @property
    def settings(self) -> Settings:
        """Settings that no repository decides on, such as `hover`."""
        return self.engine.registry.settings

    def on(self, method: str, handle: Callable[[Any], object], options: object = None) -> None:
        """Let `handle` answer a method; `options` are announced. Fault of pygls: the texts of
        errors, which may hold a prompt, are logged and sent.
        """
        waits: Callable[[Any], Awaitable[object]] = handle  # type: ignore[assignment]

        def answer(params: Any) -> object:
            with self._contained(method), self.engine.breath:
                return handle(params)

        async def answer_async(params: Any) -> object:
            with self._contained(method):
                return await waits(params)

        chosen = answer_async if asyncio.iscoroutinefunction(handle) else answer
        self.feature(method, options)(chosen)

    @contextmanager
    def _contained(self, what: str) -> Iterator[None]:
        """Refuse a request whose answer fails. A damaged index is rebuilt then."""
        try:
            with refusing_if_damaged(self.engine):
                yield
        except SearchFailedError as error:
            code = lsp.LSPErrorCodes.RequestFailed.value
            raise JsonRpcException(str(error), code) from None
        except JsonRpcException:
            raise
        except Exception as error:
            where = "".join(traceback.format_tb(error.__traceback__))
            log.error("%s in %s\n%s", type(error).__name__, what, where)
            raise JsonRpcInternalError("internal error") from None

    def report_server_error(self, error: Exception, source: object) -> None:
        """Fault: pygls shows errors to the user. Those of handlers are logged in `_contained`."""
        log.info("refused: %s of %s", type(error).__name__, getattr(source, "__name__", source))

    def capability(self, name: str) -> Any:
        """A capability of the client, such as `window.show_document`; None without it."""
        return get_capability(self.client_capabilities, name)

    def uris(self) -> Callable[[Path], str]:
        """Returns a function from a path to the URI that the client uses for the file."""
        opened = (document.uri for document in self.documents)
        return spelling(opened, self.folders)

    def configure(self, raw: object) -> None:
        """Apply our part of the settings that a client sent."""
        if (settings := _own_settings(raw)) is not None:
            self.engine.reconfigure(settings)
        elif raw:
            log.info("no settings of vouch-sidecar among those that came")

    def serve_folders(self) -> None:
        """Serve the knowledge bases of the current workspace folders."""
        self.engine.set_folders(self.folders)

    def show(self, push: DidChangeSalience) -> None:
        """Send the client a ranking."""
        self.protocol.notify("vouch/didChangeSalience", push)

    def spawn(self, work: Coroutine[Any, Any, object]) -> None:
        """Run a coroutine as a task. Some clients refuse what they announced."""

        def ended(task: asyncio.Task[object]) -> None:
            self._tasks.discard(task)
            with suppress(JsonRpcException, asyncio.CancelledError), self._contained("a task"):
                task.result()

        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(ended)

    def _initialize(self, params: lsp.InitializeParams) -> None:
        """Record who connects, and have all of `on_start` called after the answer."""
        if params.process_id is not None and is_alive(params.process_id):
            self.client = params.process_id
        encoding = self.workspace.position_encoding
        self.documents.encoding = str(getattr(encoding, "value", encoding) or "utf-16")
        options = _options(params.initialization_options)
        self.session_id = options.session_id or self.session_id
        if options.push is not None:
            self.parts = [part for part in PUSH_PARTS if part in options.push]
        who = options.viewer or ViewerParams()
        self.caller = Caller(self.connection, self.session_id, Viewer(who.project, who.agent))
        self.configure(
            params.initialization_options if options.settings is None else options.settings
        )
        for begin in self.on_start:
            asyncio.get_running_loop().call_soon(begin)

    def _announce(self, announced: lsp.ServerCapabilities) -> None:
        vouch = server_capabilities().model_dump(include={"protocol", "methods", "notifications"})
        announced.experimental = {"vouch": {**vouch, "session_id": self.session_id}}

    def idle_seconds(self) -> float:
        """Seconds without typing after which typed text counts."""
        served = [collection.settings for collection in self.engine.collections.values()]
        return min(settings.prompts.idle_ms for settings in served or [Settings()]) / 1000


def _options(raw: object) -> Options:
    """The options. One that is not of the expected form is left out, with a warning."""
    given = raw if isinstance(raw, dict) else {}
    kept = {}
    for name in Options.model_fields.keys() & given.keys():
        try:
            kept[name] = getattr(Options.model_validate({name: given[name]}), name)
        except ValidationError:
            log.warning("ignored initializationOptions.%s: not of the expected form", name)
    return Options(**kept)


def _own_settings(raw: object) -> dict[str, Any] | None:
    """Our settings in what a client sent, by group; None without any.

    Reads the section with one of our names; without one, groups at the top level. Groups may be
    nested in `sidecar` and `retrieval` as in `config.yaml`.
    """
    given = dict(raw) if isinstance(raw, Mapping) else {}
    own = next((given[name] for name in SECTIONS if isinstance(given.get(name), Mapping)), None)
    groups = {name.client.split(".")[1] for name in names() if "client" in name.group.sources}
    known = {*groups, *ROOMS}
    found = {
        name: value
        for name, value in (given if own is None else own).items()
        if name in known or (own is not None and name not in EDITORS)
    }
    for room in ROOMS:
        inner = found.pop(room, None)
        found |= inner if isinstance(inner, Mapping) else {}
    return None if own is None and not found else found
