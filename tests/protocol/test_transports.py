"""Other ways to connect: pygls' own client, a file, and a stream that is cut anyhow."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import Iterator
from io import BufferedRWPair, BytesIO
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient
from vouch_sidecar.surfaces.lsp.framing import frame

from tests.protocol.client import COMMAND, Client, Message, environment


@pytest.mark.anyio
async def test_the_client_of_pygls(root: Path) -> None:
    client = LanguageClient("test", "1")
    pushed: asyncio.Future[object] = asyncio.get_running_loop().create_future()

    @client.feature("vouch/didChangeSalience")  # type: ignore[untyped-decorator]
    def salience(params: Any) -> None:
        if not pushed.done():
            pushed.set_result(params)

    await client.start_io(str(COMMAND), "lsp")
    result = await client.initialize_async(
        lsp.InitializeParams(capabilities=lsp.ClientCapabilities(), root_uri=root.as_uri())
    )
    assert result.server_info is not None
    assert result.server_info.name == "vouch-sidecar"
    client.initialized(lsp.InitializedParams())
    prompt = lsp.TextDocumentItem(
        uri="vouch-prompt:/A/1", language_id="vouch-prompt", version=1, text="How is JWT?"
    )
    client.text_document_did_open(lsp.DidOpenTextDocumentParams(prompt))
    await asyncio.wait_for(pushed, 10)
    hover = await client.text_document_hover_async(
        lsp.HoverParams(lsp.TextDocumentIdentifier(prompt.uri), lsp.Position(0, 8))
    )
    assert hover is not None
    experts = await client.protocol.send_request_async("vouch/experts", {"topic": "jwt"})
    assert experts.experts[0].entity_id == "jwt"
    await client.shutdown_async(None)
    client.exit(None)
    await asyncio.sleep(0.5)
    await client.stop()  # type: ignore[no-untyped-call]


def test_a_message_without_a_length_costs_no_other(client: Client) -> None:
    since = len(client.received)
    client.send_bytes(b'Content-Type: x\r\n\r\n{"jsonrpc": "2.0"}')
    assert client.request("vouch/status")["roots"]
    (error,) = [m for m in client.received[since:] if "error" in m]
    assert error["error"]["code"] == -32700


def test_messages_from_a_file(tmp_path: Path) -> None:
    calls: list[tuple[str, object]] = [
        ("initialize", {"capabilities": {}}),
        ("vouch/status", {}),
        ("shutdown", None),
    ]
    asked = [
        json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()
        for number, (method, params) in enumerate(calls)
    ]
    file = tmp_path / "messages"
    file.write_bytes(b"".join(map(frame, asked)))
    with file.open("rb") as source:
        ran = subprocess.run(
            [COMMAND, "lsp"],
            stdin=source,
            capture_output=True,
            env=environment({}),
            cwd=tmp_path,
            timeout=20,
            check=False,
        )
    answers = [message["id"] for message in messages(BytesIO(ran.stdout)) if "id" in message]
    assert sorted(answers) == [0, 1, 2]
    assert ran.returncode == 1


def messages(stream: BufferedRWPair | BytesIO) -> Iterator[Message]:
    """The messages that come, until the stream ends."""
    while header := stream.readline():
        stream.readline()
        yield json.loads(stream.read(int(header.split()[1])))
