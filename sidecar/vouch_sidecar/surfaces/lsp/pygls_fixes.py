"""pygls, with its faults mended.

Every override names the fault in pygls 2.1 that it mends; `tests/surfaces/test_pygls_faults.py`
shows each of them, and fails when a new version has mended it. No other module uses names of pygls
that begin with an underscore.
"""

from __future__ import annotations

import asyncio
import functools
import logging
import sys
import traceback
from collections.abc import Callable, Generator, Iterator
from typing import Any
from urllib.parse import unquote

from cattrs import Converter, transform_error
from lsprotocol import types as lsp
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcMethodNotFound,
    JsonRpcParseError,
    JsonRpcServerNotInitialized,
)
from pygls.lsp.server import LanguageServer
from pygls.protocol import (
    JsonRPCNotification,
    JsonRPCRequestMessage,
    LanguageServerProtocol,
    default_converter,
    lsp_method,
)
from pygls.workspace import Workspace

from vouch_sidecar.operations import Wire, as_json
from vouch_sidecar.surfaces.lsp.documents import EditorDocument
from vouch_sidecar.surfaces.lsp.paths import is_readable

log = logging.getLogger(__name__)

# Fault: at INFO it logs what is sent, and in the tracebacks of errors what came.
logging.getLogger("pygls").addHandler(logging.NullHandler())
logging.getLogger("pygls").propagate = False


def converter() -> Converter:
    """pygls' converter, which also writes our models."""
    own: Converter = default_converter()  # type: ignore[no-untyped-call]
    own.register_unstructure_hook_func(_is_ours, as_json)
    # Fault: methods that pygls does not know need params, which become named tuples.
    for kind in (JsonRPCRequestMessage, JsonRPCNotification):
        own.register_structure_hook(kind, _with_plain_params)
    # Fault: an error that answers no request lacks `"id": null`.
    write_error = own.get_unstructure_hook(lsp.ResponseErrorMessage)
    own.register_unstructure_hook(
        lsp.ResponseErrorMessage, lambda answer: {"id": answer.id, **write_error(answer)}
    )
    return own


def _is_ours(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, Wire)


def _with_plain_params(raw: dict[str, Any], kind: type[Any]) -> Any:
    given = {"params": None, **raw}
    return kind(**{field: given[field] for field in kind.__slots__ if field in given})


class EditorDocuments(Workspace):
    """The documents that a client has open; nothing is read from disk in their stead."""

    @property
    def units(self) -> str:
        """What the client counts columns in: `utf-8`, `utf-16` or `utf-32`."""
        return str(getattr(self.position_encoding, "value", self.position_encoding) or "utf-16")

    def find(self, uri: str) -> EditorDocument | None:
        """The document, if the client has it open."""
        found: Any = self.text_documents.get(unquote(uri))
        return found if isinstance(found, EditorDocument) else None

    def opened(self) -> Iterator[EditorDocument]:
        """Every document that the client has open."""
        documents: Any = self.text_documents.values()
        return (one for one in documents if isinstance(one, EditorDocument))

    def put_text_document(
        self,
        text_document: lsp.TextDocumentItem,
        notebook_uri: str | None = None,  # noqa: ARG002 - pygls names it
    ) -> None:
        """Fault: documents split lines at eight characters that end no line in LSP, can't be read
        where a URI can't, and take a change of a range for the whole text.
        """
        given = text_document
        document: Any = EditorDocument(
            given.uri, given.text, self.units, given.version, given.language_id
        )
        self.text_documents[unquote(given.uri)] = document

    def update_text_document(
        self,
        text_doc: lsp.VersionedTextDocumentIdentifier,
        change: lsp.TextDocumentContentChangeEvent,
    ) -> None:
        """Fault: a change of a document that was never opened is an error."""
        if self.find(text_doc.uri) is not None:
            super().update_text_document(text_doc, change)

    def update_notebook_document(self, params: lsp.DidChangeNotebookDocumentParams) -> None:
        """Fault: a change of a notebook that was never opened is an error."""
        if unquote(params.notebook_document.uri) in self.notebook_documents:
            super().update_notebook_document(params)


class Protocol(LanguageServerProtocol):
    """One connection's protocol. `announce` completes what the server says that it can do;
    `must_wait` says whether requests wait, and what comes after them, until `go_on`.
    """

    announce: Callable[[lsp.ServerCapabilities], None]
    must_wait: Callable[[], bool] = staticmethod(lambda: False)

    def __init__(self, server: LanguageServer, converter: Converter) -> None:
        super().__init__(server, converter)
        self._held: list[Any] = []
        self._is_going_on = False
        # Fault: commands are announced where there are none, and a refusal repeats their name.
        del self.fm.builtin_features[lsp.WORKSPACE_EXECUTE_COMMAND]

    @lsp_method(lsp.INITIALIZE)
    def lsp_initialize(
        self, params: lsp.InitializeParams
    ) -> Generator[Any, Any, lsp.InitializeResult]:
        """Fault: the class of the workspace can't be chosen; the root is not among its folders; a
        root that is no URI is an internal error.
        """
        if not is_readable(params.root_uri or ""):
            params.root_uri = None
        result = yield from super().lsp_initialize(params)
        root, folders = self.workspace.root_uri, list(self.workspace.folders.values())
        if root is not None and not folders:
            folders = [lsp.WorkspaceFolder(uri=root, name=root)]
        self._workspace = EditorDocuments(
            root, lsp.TextDocumentSyncKind.Incremental, folders, self.workspace.position_encoding
        )
        result.capabilities.execute_command_provider = None
        self.announce(result.capabilities)
        return result

    def structure_message(self, data: Any) -> Any:
        """Fault: called for every object in a message while its JSON is parsed, where nothing can
        be answered, it takes one with a key `jsonrpc` for a message.
        """
        return data

    def handle_message(self, message: Any) -> None:
        """Fault: some bad requests get no answer, others a result: those with bad params, of
        another version, before `initialize`, after `shutdown`, or for a notification. Raises
        JsonRpcException where there is no id to answer with.
        """
        _check_envelope(message)
        if "method" not in message:
            self._handle_answer(message)
            return
        waits = self._held or ("id" in message and self.must_wait())
        if waits and not self._is_going_on:
            self._held.append(message)
            return
        try:
            self._check(message)
            params = self._params(message)
        except JsonRpcException as refusal:
            log.debug("refused: %d", refusal.code)
            if "id" in message:
                self._send_response(message["id"], error=refusal.to_response_error())
            else:
                log.warning("ignored a notification: %s", refusal.message)
            return
        method = message["method"]
        log.debug("%s", method)
        if "id" in message:
            super().handle_message(
                JsonRPCRequestMessage(message["id"], method, self.VERSION, params)
            )
        elif method == lsp.EXIT or self._workspace is not None:
            super().handle_message(JsonRPCNotification(method, self.VERSION, params))
        self._forget_finished()

    def go_on(self) -> None:
        """Handle the messages that were held up, in their order, one a turn of the loop: what a
        message started runs before the next one.
        """
        if not self._held or self.must_wait():
            return
        message, self._is_going_on = self._held.pop(0), True
        try:
            self.handle_message(message)
        except Exception as error:
            self.refuse(error)
        finally:
            self._is_going_on = False
        asyncio.get_running_loop().call_soon(self.go_on)

    def refuse(self, error: Exception, _source: object = None) -> None:
        """Answer, without an id, something that can't be read as a message."""
        if isinstance(error, ValueError | RecursionError):
            error = JsonRpcParseError("the message is not valid JSON")
        if isinstance(error, JsonRpcException):
            self._send_response(None, error=error.to_response_error())
        else:
            log.error("%s while a message was read", type(error).__name__)

    def _check(self, message: dict[str, Any]) -> None:
        """Raises JsonRpcException where a request or a notification can't be served."""
        method = message["method"]
        if message.get("jsonrpc") != self.VERSION:
            raise JsonRpcInvalidRequest('jsonrpc: must be "2.0"')
        if not isinstance(method, str):
            raise JsonRpcInvalidRequest("method: must be a string")
        if not isinstance(message.get("params"), dict | list | None):
            raise JsonRpcInvalidParams("params: must be an object")
        if "id" not in message:
            return
        if self._shutdown:
            raise JsonRpcInvalidRequest("the server is shutting down")
        if self._workspace is None and method != lsp.INITIALIZE:
            raise JsonRpcServerNotInitialized("the server is not initialized yet")
        if self._workspace is not None and method == lsp.INITIALIZE:
            raise JsonRpcInvalidRequest("the server is already initialized")
        if method not in self.fm.builtin_features and method not in self.fm.features:
            raise JsonRpcMethodNotFound("there is no such method")

    def _params(self, message: dict[str, Any]) -> Any:
        """The params as the method's type; bad ones end in one message a field."""
        try:
            return super().structure_message(message).params
        except JsonRpcException as refusal:
            if message["method"] == lsp.INITIALIZE and self._forgive(message.get("params")):
                return self._params(message)
            messages = transform_error(
                refusal.__cause__ or refusal, path="", format_exception=_readable
            )
            messages = [_as_field(one) for one in messages]
            raise JsonRpcInvalidParams("; ".join(messages), data=messages) from None

    def _forgive(self, params: Any) -> bool:
        """Leave out the client's capabilities that lack a part or are of another type; whether
        there were any. Fault: one of them, and nothing is served.
        """
        given = params.get("capabilities") if isinstance(params, dict) else None
        if not isinstance(given, dict):
            return False
        wrong = 0
        for group, names in list(given.items()):
            for name in list(names) if isinstance(names, dict) else ():
                if not self._is_capability(group, {name: names[name]}):
                    wrong += 1
                    del names[name]
            if not self._is_capability(group, names):
                wrong += 1
                del given[group]
        log.warning("ignored %d capabilities that are not of the expected form", wrong)
        return wrong > 0

    def _is_capability(self, group: str, value: object) -> bool:
        try:
            self._converter.structure({group: value}, lsp.ClientCapabilities)
        except Exception:  # cattrs raises groups of whatever its hooks came upon
            return False
        return True

    def _handle_answer(self, message: dict[str, Any]) -> None:
        """Fault: the type of a result is kept for good where the answer is an error."""
        try:
            super().handle_message(super().structure_message(message))
            self._result_types.pop(message["id"], None)
        except JsonRpcException:
            log.warning("ignored an answer: not of the expected form")

    async def settled(self, seconds: float) -> None:
        """Wait until all requests are answered, for `seconds` at most. Fault: requests under way at
        the end of the input are dropped.
        """
        futures: list[Any] = list(self._request_futures.values())
        under_way = [one for one in futures if asyncio.isfuture(one)]
        if under_way:
            await asyncio.wait(under_way, timeout=seconds)

    def _forget_finished(self) -> None:
        """Fault: what became of a notification is kept for good."""
        for name in [name for name, ended in self._request_futures.items() if ended.done()]:
            del self._request_futures[name]

    def _send_response(
        self, msg_id: Any, result: Any = None, error: lsp.ResponseError | None = None
    ) -> None:
        """Fault: the text and the traceback of an exception go to the client."""
        if error is not None and error.code == JsonRpcInternalError.CODE:
            error = lsp.ResponseError(error.code, "internal error")
        super()._send_response(msg_id, result, error)


class Server(LanguageServer):
    """A server of this protocol."""

    protocol: Protocol

    def on(self, method: str, handle: Callable[[Any], object], options: object = None) -> None:
        """Have `handle` answer a method; `options` are announced. Fault: `handle` can't be the
        method of an object.
        """
        self.feature(method, options)(functools.partial(handle))

    def report_server_error(self, error: Exception, source: type[Exception]) -> None:
        """Fault: an error is shown to the user, with a text that may hold a prompt. Here its place
        is logged; where the client made it, only its code.
        """
        for one in (error, sys.exception()):  # of a notification, only that is the handler's own
            if isinstance(one, JsonRpcException) and one.code != JsonRpcInternalError.CODE:
                log.info("refused: %s", one.code)
                return
        data = getattr(error, "data", None)
        frames = data.get("traceback") if isinstance(data, dict) else None
        if frames is None:
            kind, frames = type(error).__name__, traceback.format_tb(error.__traceback__)
        else:
            kind = str(error).partition(":")[0]  # pygls puts the exception's own name there
        log.error("%s in a %s handler\n%s", kind, source.__name__, "".join(frames))


def _check_envelope(message: Any) -> None:
    """Raises JsonRpcInvalidRequest where something is neither a call nor an answer."""
    if not isinstance(message, dict):
        raise JsonRpcInvalidRequest("a message must be one JSON object")
    if "method" not in message and "id" not in message:
        raise JsonRpcInvalidRequest("method: missing")
    if "method" not in message and message.get("jsonrpc") != Protocol.VERSION:
        raise JsonRpcInvalidRequest('jsonrpc: must be "2.0"')
    if "method" in message and type(message.get("id", "")) not in (str, int):
        raise JsonRpcInvalidRequest("id: must be a string or an integer")


def _as_field(message: str) -> str:
    """`is missing @ .params.text_document` as `textDocument is missing`: as clients spell it."""
    text, _, path = message.partition(" @ ")
    head, *tail = path.removeprefix(".params").removeprefix(".").split("_")
    field = head + "".join(part[:1].upper() + part[1:] for part in tail)
    return f"{field or 'params'} {text}"


def _readable(error: BaseException, _: type[Any] | None) -> str:
    return "is missing" if isinstance(error, KeyError) else "is not of the expected type"
