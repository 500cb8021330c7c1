"""The language server of one connection: its state, and what its features share."""

from __future__ import annotations

import asyncio
import logging
import traceback
import uuid
from collections.abc import Awaitable, Callable, Iterator, Mapping, Set
from contextlib import contextmanager, suppress
from dataclasses import replace
from inspect import isawaitable
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException, JsonRpcInternalError, JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

from vouch_sidecar import __version__
from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.kb.access import viewer_in
from vouch_sidecar.kb.artifact_files import anchored, resolved
from vouch_sidecar.operations.call import refusing_if_damaged
from vouch_sidecar.operations.capabilities import server_capabilities
from vouch_sidecar.operations.wire import FailedError, OperationError, session_called
from vouch_sidecar.retrieval.push import PUSH_PARTS, PushPart
from vouch_sidecar.surfaces.lsp.documents import Document, document_key, local_path
from vouch_sidecar.surfaces.lsp.protocol import Protocol, converter

log = logging.getLogger(__name__)


class Sidecar(LanguageServer):
    """The server of this process's one client."""

    protocol: Protocol

    def __init__(self, engine: Engine) -> None:
        super().__init__(
            "vouch-sidecar", __version__, protocol_cls=Protocol, converter_factory=converter
        )
        self.engine = engine
        self.caller = Caller(session_id=f"lsp-{uuid.uuid4().hex[:12]}")
        self.parts: Set[PushPart] = PUSH_PARTS
        """The parts of pushes that the client wants."""
        self.documents: dict[str, Document] = {}
        """What the client has open, by `document_key` its URI."""
        self.timer: asyncio.TimerHandle | None = None
        """Runs out when what was typed counts."""
        self.on_start: list[Callable[[], Awaitable[object]]] = []
        """What is done from the start of the client on."""
        self._tasks: list[asyncio.Task[None]] = []
        self.protocol.connect = self._connect
        # Fault of pygls: lines of its documents end at eight characters that end none in LSP.
        for event in ("didOpen", "didChange", "didClose"):
            del self.protocol.fm.builtin_features[f"textDocument/{event}"]

    @property
    def folders(self) -> list[Path]:
        """The workspace folders on this machine. Fault of pygls: the root is not among them."""
        uris = [folder.uri for folder in self.workspace.folders.values()]
        if not uris and self.workspace.root_uri is not None:
            uris = [self.workspace.root_uri]
        return [path for uri in uris if (path := local_path(uri)) is not None]

    def document(self, uri: str) -> Document | None:
        """The document, if the client has it open."""
        return self.documents.get(document_key(uri))

    def caller_for(self, uri: str) -> Caller:
        """The client, asking about a document."""
        path = local_path(uri)
        at = None if path is None else anchored(path)
        return replace(
            self.caller, places=self.engine.registry.around(path), at=at, uri_for=self.uris()
        )

    def on(self, method: str, handle: Callable[[Any], object], options: object = None) -> None:
        """Let a function, which may be async, answer a method; `options` are announced. It runs to
        its first `await` before the next message is taken, so that all keep their order.
        """

        async def answer(params: Any) -> object:
            with self._contained(method):
                with self.engine.breath:
                    result = handle(params)
                return await result if isawaitable(result) else result

        self.feature(method, options)(answer)

    @contextmanager
    def _contained(self, what: str) -> Iterator[None]:
        """Refuse a request whose answer fails. Fault of pygls: the texts of errors, which may hold
        a prompt, are logged and sent.
        """
        try:
            with refusing_if_damaged(self.engine):
                yield
        except FailedError as error:
            raise JsonRpcException(str(error), lsp.LSPErrorCodes.RequestFailed.value) from None
        except OperationError as error:
            raise JsonRpcInvalidParams(str(error)) from None
        except JsonRpcException:
            raise
        except Exception as error:
            where = "".join(traceback.format_tb(error.__traceback__))
            log.error("%s in %s\n%s", type(error).__name__, what, where)
            raise JsonRpcInternalError("internal error") from None

    def report_server_error(self, error: Exception, source: object) -> None:
        """Fault: pygls shows errors to the user. Those of handlers are logged in `_contained`."""
        log.info("refused: %s of %s", type(error).__name__, getattr(source, "__name__", source))

    def uris(self) -> Callable[[Path], str]:
        """Returns a function from a path to the URI that the client uses for the file: one through
        the workspace folder that is a link to it, where the file's own is none.
        """
        folders = self.folders
        links = [(real, link) for link in folders if (real := resolved(link)) not in folders]

        def uri_for(path: Path) -> str:
            for real, link in links:
                if path.is_relative_to(real):
                    return (link / path.relative_to(real)).as_uri()
            return path.as_uri()

        return uri_for

    def _connect(self, params: lsp.InitializeParams, announced: lsp.ServerCapabilities) -> None:
        """Take down who connects, say what is served, and begin once that was answered. An option
        of another form counts as left out.
        """
        raw = params.initialization_options
        options = raw if isinstance(raw, Mapping) else {}
        own = session_called(options.get("session_id")) or self.caller.session_id
        self.caller = replace(self.caller, viewer=viewer_in(options), session_id=own)
        if isinstance(wanted := options.get("push"), list):
            self.parts = {part for part in PUSH_PARTS if part in wanted}
        if isinstance(settings := options.get("settings"), Mapping):
            self.engine.registry.configure(settings)
        vouch = server_capabilities().model_dump(include={"protocol", "methods", "notifications"})
        announced.experimental = {"vouch": {**vouch, "session_id": self.caller.session_id}}
        asyncio.get_running_loop().call_soon(self._begin)

    def _begin(self) -> None:
        self.engine.registry.set_folders(self.folders)
        self._tasks = [asyncio.ensure_future(self._run(work)) for work in self.on_start]

    async def _run(self, work: Callable[[], Awaitable[object]]) -> None:
        """Do what a feature does from the start. Some clients refuse what they announced."""
        with suppress(JsonRpcException), self._contained("a task"):
            await work()
