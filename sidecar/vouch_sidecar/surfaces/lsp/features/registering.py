"""Registers what is only about files below `.vouch/` for these alone, where the client can do that:
other documents send no requests for completions and links then.
"""

from __future__ import annotations

from contextlib import suppress

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from vouch_sidecar.surfaces.lsp.cured import converter
from vouch_sidecar.surfaces.lsp.server import ANNOUNCED_TO, Sidecar

__all__ = ["register"]

OURS = [{"pattern": "**/.vouch/**"}]


def register(server: Sidecar) -> None:
    """Ask the client once it is connected."""
    server.limited |= {
        "completion_provider": lsp.TEXT_DOCUMENT_COMPLETION,
        "document_link_provider": lsp.TEXT_DOCUMENT_DOCUMENT_LINK,
        "document_symbol_provider": lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL,
        "code_action_provider": lsp.TEXT_DOCUMENT_CODE_ACTION,
    }
    server.on_start.append(lambda: server.spawn(_ask(server)))


async def _ask(server: Sidecar) -> None:
    found = server.client_capabilities.text_document
    write = converter()
    registrations = []
    for provider, method in server.limited.items():
        able = getattr(found, ANNOUNCED_TO[provider][1], None)
        if getattr(able, "dynamic_registration", False):
            given = server.protocol.fm.feature_options.get(method)
            options = write.unstructure(given) if given is not None else {}
            options["documentSelector"] = OURS
            registrations.append(lsp.Registration(f"vouch {method}", method, options))
    if registrations:
        with suppress(JsonRpcException):
            await server.client_register_capability_async(lsp.RegistrationParams(registrations))
