"""Offers command lines of vouch for the id at the caret in a file below `.vouch/`.

They are copied or shown, never run: approved knowledge only changes through vouch's review.

LSP has no clipboard. A client with the command `vouchSidecar.copyText` lists it in its capability
`experimental.vouch.commands`; for others the server shows the command line as a message.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from lsprotocol import types as lsp

from vouch_sidecar.kb.access import is_live
from vouch_sidecar.kb.records import Artifact, Claim, Entity, Evidence, Kind, Source
from vouch_sidecar.kb.references import Reference
from vouch_sidecar.kb.sanitize import clip, one_line
from vouch_sidecar.surfaces.lsp.ids import id_at
from vouch_sidecar.surfaces.lsp.server import Sidecar

COPY = "vouchSidecar.copyText"
SHOW = "vouch.showCommand"
LABEL = 60


def register(server: Sidecar) -> None:
    """Answer `textDocument/codeAction`."""
    server.commands[SHOW] = partial(_show, server)
    server.on(lsp.TEXT_DOCUMENT_CODE_ACTION, partial(_actions, server))


def _actions(
    server: Sidecar, params: lsp.CodeActionParams
) -> list[lsp.CodeAction] | list[lsp.Command] | None:
    named = id_at(server, params.text_document.uri, params.range.start)
    if named is None:
        return None
    kinds = lsp.CodeActionKind
    kind = kinds.QuickFix if named.artifact is None else kinds.Empty
    only = params.context.only
    if only is not None and not {kind, kinds.Empty}.intersection(only):
        return None
    verb, command = ("Copy", COPY) if _copies(server) else ("Show", SHOW)
    commands = [
        lsp.Command(title=f"{verb}: {clip(line, LABEL)}", command=command, arguments=[line])
        for line in (" ".join(parts) for parts in _lines(named.reference, named.artifact))
    ]
    if server.capability("text_document.code_action.code_action_literal_support") is None:
        return commands
    return [lsp.CodeAction(title=one.title, command=one, kind=kind) for one in commands]


def _lines(reference: Reference, artifact: Artifact | None) -> Iterator[Sequence[str]]:
    """The words of each command line, quoted for a shell. Users replace words in capitals."""
    quoted = shlex.quote(one_line(reference.text))
    match artifact:
        case Claim() if is_live(artifact):
            yield "vouch", "confirm", quoted
            yield "vouch", "supersede", quoted, "NEW_CLAIM_ID"
            yield "vouch", "contradict", quoted, "OTHER_CLAIM_ID"
        case Source() | Evidence():
            yield "vouch", "propose-claim", "--source", quoted, "--text", "TEXT"
        case Entity():
            relation = "--rel", "RELATION", "--to", "ID"
            yield "vouch", "propose-relation", "--from", quoted, *relation
        case None if reference.kinds == (Kind.ENTITY,):
            yield "vouch", "propose-entity", "--name", quoted, "--type", "TYPE"
        case _:
            return


def _copies(server: Sidecar) -> bool:
    """Whether the client has the command `COPY`."""
    experimental: Any = server.client_capabilities.experimental
    vouch = experimental.get("vouch") if isinstance(experimental, dict) else None
    commands = vouch.get("commands") if isinstance(vouch, dict) else None
    return isinstance(commands, list) and COPY in commands


async def _show(server: Sidecar, arguments: Sequence[Any]) -> None:
    line = next((one for one in arguments if isinstance(one, str)), "")
    if line:
        server.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Info, one_line(line)))
