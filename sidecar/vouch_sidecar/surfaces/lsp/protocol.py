"""pygls with what a user of it would meet mended.

Each comment names the fault in pygls 2.1 that it mends. `tests/surfaces/test_lsp_server.py` shows
each fault, and fails once a new version has mended it. No other module uses private names of pygls.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Generator
from typing import Any

from cattrs import Converter
from lsprotocol import types as lsp
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
)
from pygls.protocol import (
    JsonRPCNotification,
    JsonRPCRequestMessage,
    LanguageServerProtocol,
    default_converter,
    lsp_method,
)

from vouch_sidecar.operations.wire import Wire, as_json

log = logging.getLogger(__name__)

# Fault: messages, and so prompts, are logged.
logging.getLogger("pygls").addHandler(logging.NullHandler())
logging.getLogger("pygls").propagate = False


def converter() -> Converter:
    """pygls' converter, which also writes our models."""
    own: Converter = default_converter()  # type: ignore[no-untyped-call]
    own.register_unstructure_hook_func(
        lambda kind: isinstance(kind, type) and issubclass(kind, Wire), as_json
    )
    # Fault: a request of ours without params gets no answer. Neovim writes `{}` as `[]`.
    for kind in (JsonRPCRequestMessage, JsonRPCNotification):
        own.register_structure_hook(kind, _with_plain_params)
    return own


def _with_plain_params(raw: dict[str, Any], kind: type[Any]) -> Any:
    given = {**raw, "params": None if raw.get("params") == [] else raw.get("params")}
    return kind(**{field: given[field] for field in kind.__slots__ if field in given})


class Protocol(LanguageServerProtocol):
    """The protocol of one connection. `connect` is told who begins it, and completes what is
    announced.
    """

    connect: Callable[[lsp.InitializeParams, lsp.ServerCapabilities], None]

    @lsp_method(lsp.INITIALIZE)
    def lsp_initialize(
        self, params: lsp.InitializeParams
    ) -> Generator[Any, Any, lsp.InitializeResult]:
        result = yield from super().lsp_initialize(params)
        self.connect(params, result.capabilities)
        return result

    def structure_message(self, data: Any) -> Any:
        """Fault: this is called for every object while JSON is parsed, when no error can be
        answered. Returns `data` unchanged; `handle_message` does what it is for.
        """
        return data

    def handle_message(self, message: Any) -> None:
        """Fault: a request gets no answer if its params are bad, or after `shutdown`."""
        method = message.get("method")
        log.debug("%s", method or "an answer")
        try:
            if method and "id" in message and self._shutdown:
                raise JsonRpcInvalidRequest("the server is shutting down")
            structured = self._structured(message, method)
        except JsonRpcException as refusal:
            log.info("refused: %d", refusal.code)
            if method and "id" in message:
                self._send_response(message["id"], error=refusal.to_response_error())
            return
        super().handle_message(structured)
        # Fault: a future is kept for every notification.
        for name in [name for name, ended in self._request_futures.items() if ended.done()]:
            del self._request_futures[name]

    async def settled(self, seconds: float) -> None:
        """Wait until all requests are answered, for at most `seconds`. Fault: those that are under
        way at the end of the input are dropped.
        """
        futures: list[Any] = list(self._request_futures.values())
        if under_way := [future for future in futures if asyncio.isfuture(future)]:
            await asyncio.wait(under_way, timeout=seconds)

    def _structured(self, message: Any, method: str | None) -> Any:
        """A message as its type. Raises JsonRpcInvalidParams. Fault: a single capability that is
        not of the expected form makes `initialize` fail; its group is left out.
        """
        params = message.get("params")
        able = params.get("capabilities") if isinstance(params, dict) else None
        if method == lsp.INITIALIZE and isinstance(able, dict):
            params["capabilities"] = {
                group: able[group] for group in able if self._is_known({group: able[group]})
            }
        try:
            return super().structure_message(message)
        except JsonRpcException:
            raise JsonRpcInvalidParams("the params are not of the expected form") from None

    def _is_known(self, capabilities: object) -> bool:
        try:
            self._converter.structure(capabilities, lsp.ClientCapabilities)
        except Exception:  # cattrs raises groups of any exceptions
            return False
        return True
