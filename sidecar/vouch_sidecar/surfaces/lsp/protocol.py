"""JSON-RPC as the language server speaks it: pygls dispatches, this sees to what it leaves out.

Params are checked after parsing, so that every request gets exactly one answer, whatever it holds.
Nothing of a message's content is logged or sent back in an error.
"""

from __future__ import annotations

import contextvars
import json
import logging
from collections.abc import Callable, Generator
from concurrent.futures import Future
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from cattrs import Converter, transform_error
from lsprotocol import types as lsp
from pygls.exceptions import (
    FeatureNotificationError,
    FeatureRequestError,
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcMethodNotFound,
    JsonRpcParseError,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import (
    JsonRPCNotification,
    JsonRPCProtocol,
    LanguageServerProtocol,
    default_converter,
    lsp_method,
)

from vouch_sidecar.surfaces.lsp.documents import Documents
from vouch_sidecar.surfaces.lsp.framing import Frame, Malformed, frame

if TYPE_CHECKING:
    from vouch_sidecar.surfaces.lsp.server import Sidecar

__all__ = ["Protocol", "converter"]

log = logging.getLogger(__name__)

MessageId = str | int


def converter() -> Converter:
    """lsprotocol's converter, with the params of unknown notifications left as they came."""
    own: Converter = default_converter()  # type: ignore[no-untyped-call]
    own.register_structure_hook(JsonRPCNotification, _as_notification)
    return own


def _as_notification(raw: dict[str, Any], _: type[Any]) -> JsonRPCNotification:
    return JsonRPCNotification(raw["method"], "2.0", raw.get("params"))


class Protocol(LanguageServerProtocol):
    """One connection's protocol."""

    _server: Sidecar

    @lsp_method(lsp.INITIALIZE)
    def lsp_initialize(
        self, params: lsp.InitializeParams
    ) -> Generator[Any, Any, lsp.InitializeResult]:
        result = yield from super().lsp_initialize(params)
        root = self.workspace.root_uri
        folders = list(self.workspace.folders.values())
        if root is not None and not folders:
            folders = [lsp.WorkspaceFolder(uri=root, name=root)]
        self._workspace = Documents(
            root, lsp.TextDocumentSyncKind.Full, folders, self.workspace.position_encoding
        )
        return self._server.initialize(params, result)

    @lsp_method(lsp.EXIT)
    def lsp_exit(self, *_: object) -> None:  # type: ignore[override]
        self._server.exit_code = 0 if self._shutdown else 1

    def receive(self, message: Frame) -> None:
        """Take one message, of any content. Never raises."""
        try:
            data = _parse(message)
            if "method" in data:
                self._receive_call(data)
            else:
                self._receive_answer(data)
        except JsonRpcException as refusal:
            self._refuse(None, refusal)
        except Exception as error:
            self._server.report_server_error(error, type(error))

    def _receive_call(self, data: dict[str, Any]) -> None:
        if "id" not in data:
            self._receive_notification(data)
            return
        if isinstance(data["id"], bool) or not isinstance(data["id"], MessageId):
            raise JsonRpcInvalidRequest("id: must be a string or an integer")
        try:
            self._check_envelope(data)
            self._check_state(data["method"])
            if (handle := self._server.own.get(data["method"])) is not None:
                self._send_result(data["id"], self._handle(handle, data))
                return
            self._check_method(data["method"])
            params = self._params(data)
        except JsonRpcException as refusal:
            self._refuse(data["id"], refusal)
            return
        self._server.before_request()
        contextvars.copy_context().run(self._handle_request, data["id"], data["method"], params)

    def _receive_notification(self, data: dict[str, Any]) -> None:
        try:
            self._check_envelope(data)
            method = data["method"]
            if method != lsp.EXIT and (self._shutdown or self._workspace is None):
                return
            if (handle := self._server.own.get(method)) is not None:
                self._handle(handle, data)
                return
            params = self._params(data)
        except JsonRpcException as refusal:
            log.warning("ignored a notification: %s", refusal.message)
            return
        contextvars.copy_context().run(self._handle_notification, method, params)

    def _handle(self, handle: Callable[[object], object], data: dict[str, Any]) -> object:
        """What a method of our own answers, at once. Raises JsonRpcException, and nothing else."""
        self._server.before_request()
        try:
            return handle(data.get("params"))
        except JsonRpcException:
            raise
        except Exception as error:
            self._server.report_server_error(error, FeatureRequestError)
            raise JsonRpcInternalError("internal error") from None

    def _receive_answer(self, data: dict[str, Any]) -> None:
        try:
            self.handle_message(self.structure_message(data))
            self._result_types.pop(data["id"], None)  # pygls keeps it where the answer is an error
        except JsonRpcException:
            log.warning("ignored an answer: not of the expected form")

    def _check_envelope(self, data: dict[str, Any]) -> None:
        if data.get("jsonrpc") != self.VERSION:
            raise JsonRpcInvalidRequest('jsonrpc: must be "2.0"')
        if not isinstance(data["method"], str):
            raise JsonRpcInvalidRequest("method: must be a string")
        if not isinstance(data.get("params"), dict | list | None):
            raise JsonRpcInvalidParams("params: must be an object")

    def _check_state(self, method: str) -> None:
        if self._shutdown:
            raise JsonRpcInvalidRequest("the server is shutting down")
        if self._workspace is None and method != lsp.INITIALIZE:
            raise JsonRpcServerNotInitialized("the server is not initialized yet")
        if self._workspace is not None and method == lsp.INITIALIZE:
            raise JsonRpcInvalidRequest("the server is already initialized")

    def _check_method(self, method: str) -> None:
        try:
            self._get_handler(method)
        except JsonRpcMethodNotFound:  # pygls repeats the name
            raise JsonRpcMethodNotFound("there is no such method") from None

    def _params(self, data: dict[str, Any]) -> Any:
        """The params as the method's type; bad ones end in one message a field."""
        kind = self.get_message_type(data["method"]) or JsonRPCNotification
        try:
            return self._converter.structure(data, kind).params
        except Exception as error:
            messages = transform_error(error, path="", format_exception=_readable)
            messages = [_as_field(message) for message in messages]
            raise JsonRpcInvalidParams("; ".join(messages), data=messages) from None

    def _execute_handler(
        self,
        msg_id: MessageId,
        handler: Callable[..., Any],
        callback: Callable[[Future[Any]], None],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        super()._execute_handler(msg_id, handler, callback, args, kwargs)
        running = self._request_futures.get(msg_id)
        if running is not None:
            running.add_done_callback(partial(self._forget, msg_id))

    def _forget(self, msg_id: MessageId, ended: Future[Any]) -> None:
        """pygls 2.1 drops the futures of requests only, and keeps those of notifications."""
        if self._request_futures.get(msg_id) is ended:
            del self._request_futures[msg_id]

    def _check_handler_result(self, future: Future[Any]) -> None:
        error = None if future.cancelled() else future.exception()
        if isinstance(error, Exception):
            self._server.report_server_error(error, FeatureNotificationError)

    def _refuse(self, msg_id: MessageId | None, refusal: JsonRpcException) -> None:
        error: dict[str, Any] = {"code": refusal.code, "message": refusal.message}
        if refusal.data is not None:
            error["data"] = refusal.data
        self._send_data({"jsonrpc": self.VERSION, "id": msg_id, "error": error})

    def _send_response(
        self, msg_id: Any, result: Any = None, error: lsp.ResponseError | None = None
    ) -> None:
        if error is not None and error.code == JsonRpcInternalError.CODE:
            self._refuse(msg_id, JsonRpcInternalError("internal error"))  # no traceback, no text
        elif error is not None:
            self._refuse(msg_id, JsonRpcException(error.message, error.code, error.data))
        else:
            super()._send_response(msg_id, result)

    def _send_result(self, msg_id: MessageId, result: object) -> None:
        self._send_data({"jsonrpc": self.VERSION, "id": msg_id, "result": result})

    def _send_data(self, data: Any) -> None:
        self._server.outbox.send(frame(self._encoder.encode(data).encode("ascii")))

    @cached_property
    def _encoder(self) -> json.JSONEncoder:
        return json.JSONEncoder(default=self._serialize_message, separators=(",", ":"))


def _parse(message: Frame) -> dict[str, Any]:
    if isinstance(message, Malformed):
        raise JsonRpcParseError(message.reason)
    try:
        data = json.loads(message.decode("utf-8"))
    except (ValueError, RecursionError):
        raise JsonRpcParseError("the message is not valid JSON") from None
    if not isinstance(data, dict):
        raise JsonRpcInvalidRequest("a message must be one JSON object")
    if "method" not in data and "id" not in data:
        raise JsonRpcInvalidRequest("method: missing")
    if "method" not in data and data.get("jsonrpc") != JsonRPCProtocol.VERSION:
        raise JsonRpcInvalidRequest('jsonrpc: must be "2.0"')
    return data


def _as_field(message: str) -> str:
    """`is missing @ .params.text_document` as `textDocument is missing`: as clients spell it."""
    text, _, path = message.partition(" @ ")
    head, *tail = path.removeprefix(".params").removeprefix(".").split("_")
    field = head + "".join(part[:1].upper() + part[1:] for part in tail)
    return f"{field or 'params'} {text}"


def _readable(error: BaseException, _: type[Any] | None) -> str:
    return "is missing" if isinstance(error, KeyError) else "is not of the expected type"
