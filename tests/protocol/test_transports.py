"""Other ways to connect: pygls' own client, a file, and a stream that is cut anyhow."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from io import BufferedRWPair, BytesIO
from pathlib import Path

from tests.protocol.client import COMMAND, Message, environment, framed


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
    file.write_bytes(b"".join(map(framed, asked)))
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
        while stream.readline().strip():
            pass
        yield json.loads(stream.read(int(header.split()[1])))
