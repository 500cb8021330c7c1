"""Registers features that only serve files below `.vouch/` for these files alone, if the client
supports that, so that it sends no requests for other documents.
"""

from __future__ import annotations

from lsprotocol import types as lsp

from vouch_sidecar.surfaces.lsp.pygls_fixes import converter
from vouch_sidecar.surfaces.lsp.server import Sidecar

VOUCH_FILES = [{"pattern": "**/.vouch/**"}]


def register(server: Sidecar) -> None:
    """Ask the client to register these features, once it is connected."""
    server.limited |= {
        "completion_provider": lsp.TEXT_DOCUMENT_COMPLETION,
        "document_link_provider": lsp.TEXT_DOCUMENT_DOCUMENT_LINK,
    }
    server.on_start.append(lambda: server.spawn(_register_all(server)))


async def _register_all(server: Sidecar) -> None:
    write, registrations = converter(), []
    for provider, method in server.limited.items():
        if server.registers(provider):
            options = write.unstructure(server.protocol.fm.feature_options.get(method)) or {}
            options["documentSelector"] = VOUCH_FILES
            registrations.append(lsp.Registration(f"vouch {method}", method, options))
    if registrations:
        await server.client_register_capability_async(lsp.RegistrationParams(registrations))
