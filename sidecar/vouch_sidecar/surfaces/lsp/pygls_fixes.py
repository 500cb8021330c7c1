"""pygls with fixes for its faults.

Every override names the fault in pygls 2.1 that it fixes. `tests/surfaces/test_pygls_faults.py`
shows each fault, and fails once a new version has fixed it. No other module uses private names of
pygls.
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

# Fault: pygls logs sent messages at INFO, and received ones in tracebacks of errors.
logging.getLogger("pygls").addHandler(logging.NullHandler())
logging.getLogger("pygls").propagate = False


def converter() -> Converter:
    """pygls' converter, extended to serialise our models."""
    own: Converter = default_converter()  # type: ignore[no-untyped-call]
    own.register_unstructure_hook_func(_is_ours, as_json)
    # Fault: for unknown methods, params are required and become named tuples.
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
    """The documents that a client has open. Never reads a document from disk."""

    @property
    def units(self) -> str:
        """The client's position encoding: `utf-8`, `utf-16` or `utf-32`."""
        return str(getattr(self.position_encoding, "value", self.position_encoding) or "utf-16")

    def find(self, uri: str) -> EditorDocument | None:
        """The document, if the client has it open."""
        document: Any = self.text_documents.get(unquote(uri))
        return document if isinstance(document, EditorDocument) else None

    def opened(self) -> Iterator[EditorDocument]:
        """Every document that the client has open."""
        documents: Any = self.text_documents.values()
        return (document for document in documents if isinstance(document, EditorDocument))

    def put_text_document(
        self,
        text_document: lsp.TextDocumentItem,
        notebook_uri: str | None = None,  # noqa: ARG002 - pygls passes it
    ) -> None:
        """Fault: documents split lines at eight characters that end no line in LSP, raise for
        invalid URIs, and treat the change of a range as a change of the whole text.
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
        """Fault: a change of a document that was never opened raises."""
        if self.find(text_doc.uri) is not None:
            super().update_text_document(text_doc, change)


class CheckedProtocol(LanguageServerProtocol):
    """The protocol of one connection. `announce` completes the server's capabilities."""

    announce: Callable[[lsp.ServerCapabilities], None]

    def __init__(self, server: LanguageServer, converter: Converter) -> None:
        super().__init__(server, converter)
        # Fault: pygls announces commands even without any, and repeats unknown names in errors.
        del self.fm.builtin_features[lsp.WORKSPACE_EXECUTE_COMMAND]

    @lsp_method(lsp.INITIALIZE)
    def lsp_initialize(
        self, params: lsp.InitializeParams
    ) -> Generator[Any, Any, lsp.InitializeResult]:
        """Fault: the class of the workspace is fixed; the root is not among its folders; an invalid
        root URI is an internal error.
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
        """Fault: pygls calls this for every object while it parses a message, when it can't answer
        errors, and takes any object with a key `jsonrpc` for a message. Returns `data` unchanged.
        """
        return data

    def handle_message(self, message: Any) -> None:
        """Fault: some bad requests get no answer or a result: those with bad params, another
        version, before `initialize`, after `shutdown`, or for a notification. Raises
        JsonRpcException if there is no id to answer.
        """
        _check_envelope(message)
        if "method" not in message:
            self._handle_answer(message)
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

    def refuse(self, error: Exception, _source: object = None) -> None:
        """Send an error without an id, for input that is no valid message."""
        if isinstance(error, ValueError | RecursionError):
            error = JsonRpcParseError("the message is not valid JSON")
        if isinstance(error, JsonRpcException):
            self._send_response(None, error=error.to_response_error())
        else:
            log.error("%s while a message was read", type(error).__name__)

    def _check(self, message: dict[str, Any]) -> None:
        """Raises JsonRpcException if a request or notification can't be handled."""
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
        """The params as the method's type. Raises JsonRpcInvalidParams with one message a field."""
        try:
            return super().structure_message(message).params
        except JsonRpcException as refusal:
            if message["method"] == lsp.INITIALIZE and self._drop_invalid(message.get("params")):
                return self._params(message)
            messages = transform_error(
                refusal.__cause__ or refusal, path="", format_exception=_readable
            )
            messages = [_as_field(message) for message in messages]
            raise JsonRpcInvalidParams("; ".join(messages), data=messages) from None

    def _drop_invalid(self, params: Any) -> bool:
        """Remove invalid client capabilities from the params of `initialize`. Returns whether there
        were any. Fault: a single one makes `initialize` fail.
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
        if wrong:
            log.warning("ignored %d capabilities that are not of the expected form", wrong)
        return wrong > 0

    def _is_capability(self, group: str, value: object) -> bool:
        try:
            self._converter.structure({group: value}, lsp.ClientCapabilities)
        except Exception:  # cattrs raises groups of any exceptions
            return False
        return True

    def _handle_answer(self, message: dict[str, Any]) -> None:
        """Fault: the type of a result is never dropped if the answer is an error."""
        try:
            super().handle_message(super().structure_message(message))
            self._result_types.pop(message["id"], None)
        except JsonRpcException:
            log.warning("ignored an answer: not of the expected form")

    async def settled(self, seconds: float) -> None:
        """Wait until all requests are answered, for at most `seconds`. Fault: pending requests are
        dropped at the end of the input.
        """
        futures: list[Any] = list(self._request_futures.values())
        under_way = [future for future in futures if asyncio.isfuture(future)]
        if under_way:
            await asyncio.wait(under_way, timeout=seconds)

    def _forget_finished(self) -> None:
        """Fault: futures of finished notifications are never dropped."""
        for name in [name for name, ended in self._request_futures.items() if ended.done()]:
            del self._request_futures[name]

    def _send_response(
        self, msg_id: Any, result: Any = None, error: lsp.ResponseError | None = None
    ) -> None:
        """Fault: the text and traceback of an exception are sent to the client."""
        if error is not None and error.code == JsonRpcInternalError.CODE:
            error = lsp.ResponseError(error.code, "internal error")
        super()._send_response(msg_id, result, error)


class FixedLanguageServer(LanguageServer):
    """A pygls server with this `CheckedProtocol`."""

    protocol: CheckedProtocol

    def on(self, method: str, handle: Callable[[Any], object], options: object = None) -> None:
        """Let `handle` answer a method; `options` are announced. Fault: `handle` can't be a bound
        method.
        """
        self.feature(method, options)(functools.partial(handle))

    def report_server_error(self, error: Exception, source: type[Exception]) -> None:
        """Fault: pygls shows errors to the user, with a text that may hold a prompt. This logs
        where an error was raised; of an error that the client caused, only the code.
        """
        for raised in (error, sys.exception()):  # the latter in a notification's handler
            if isinstance(raised, JsonRpcException) and raised.code != JsonRpcInternalError.CODE:
                log.info("refused: %s", raised.code)
                return
        data = getattr(error, "data", None)
        frames = data.get("traceback") if isinstance(data, dict) else None
        if frames is None:
            kind, frames = type(error).__name__, traceback.format_tb(error.__traceback__)
        else:
            kind = str(error).partition(":")[0]  # pygls begins the text with the exception's name
        log.error("%s in a %s handler\n%s", kind, source.__name__, "".join(frames))


def _check_envelope(message: Any) -> None:
    """Raises JsonRpcInvalidRequest if a message is neither a request, notification nor response."""
    if not isinstance(message, dict):
        raise JsonRpcInvalidRequest("a message must be one JSON object")
    if "method" not in message and "id" not in message:
        raise JsonRpcInvalidRequest("method: missing")
    if "method" not in message and message.get("jsonrpc") != CheckedProtocol.VERSION:
        raise JsonRpcInvalidRequest('jsonrpc: must be "2.0"')
    if "method" in message and type(message.get("id", "")) not in (str, int):
        raise JsonRpcInvalidRequest("id: must be a string or an integer")


def _as_field(message: str) -> str:
    """Turns `is missing @ .params.text_document` into `textDocument is missing`."""
    text, _, path = message.partition(" @ ")
    head, *tail = path.removeprefix(".params").removeprefix(".").split("_")
    field = head + "".join(part[:1].upper() + part[1:] for part in tail)
    return f"{field or 'params'} {text}"


def _readable(error: BaseException, _: type[Any] | None) -> str:
    return "is missing" if isinstance(error, KeyError) else "is not of the expected type"
