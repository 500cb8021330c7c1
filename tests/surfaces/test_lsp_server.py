"""The language server in this process, through pygls' own reading loop: a fault of its own, and the
faults of pygls that `surfaces/lsp` mends, shown in pygls itself. Where a test of these fails, what
mends the fault can go.
"""

import asyncio
import json
import logging
import threading
from io import BytesIO
from typing import Any

import pytest
from pygls.io_ import StdinAsyncReader, run_async
from pygls.lsp.server import LanguageServer
from pygls.workspace import TextDocument
from vouch_sidecar.engine import Engine
from vouch_sidecar.surfaces.lsp.server import Sidecar

from tests.protocol.client import framed

METHOD = "vouch/broken"
HUSH = "hush"
Message = dict[str, Any]


class Answers(list[Message]):
    """What a server writes."""

    def write(self, body: bytes) -> None:
        self.append(json.loads(body))

    def close(self) -> None:
        """Nothing is open."""


def call(method: str, params: object = None, request: int | None = None) -> Message:
    """A request, or a notification where it has no number; without params where they are None."""
    message: Message = {"jsonrpc": "2.0", "method": method, "id": request, "params": params}
    return {name: value for name, value in message.items() if value is not None}


def initialize(**able: object) -> Message:
    params: object = {"processId": None, "rootUri": "file:///a", "capabilities": able}
    return call("initialize", params, 0)


def talk(server: LanguageServer, *messages: Message, at_once: bool = False) -> Answers:
    """What a server says to these messages, and to the end of its input; with `at_once` all of it
    is there already, so that nothing has time to end.
    """
    answers, said = Answers(), b"".join(framed(json.dumps(one).encode()) for one in messages)
    server.protocol.set_writer(answers, include_headers=False)

    async def main() -> None:
        waiting = asyncio.StreamReader()
        waiting.feed_data(said)
        waiting.feed_eof()
        reader = waiting if at_once else StdinAsyncReader(BytesIO(said))
        on_error = server.report_server_error
        await run_async(threading.Event(), reader, server.protocol, error_handler=on_error)

    asyncio.run(main())
    return answers


def fails(params: object) -> object:
    raise ValueError(params)


def test_an_error_is_answered_and_logged_without_its_text(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="vouch_sidecar")
    engine = Engine(env={})
    server, params = Sidecar(engine), {"text": HUSH}
    server.on(METHOD, fails)
    answers = talk(
        server, initialize(), call(METHOD, params, 2), call(METHOD, params), call(METHOD, None, 3)
    )
    assert [answer["id"] for answer in answers] == [0, 2, 3]
    refused = {"code": -32603, "message": "internal error"}
    assert [answer.get("error") for answer in answers] == [None, refused, refused]
    logged = "".join(r.getMessage() for r in caplog.records if r.name.startswith("vouch_sidecar"))
    assert logged.count(f"ValueError in {METHOD}") == 3
    assert HUSH not in logged
    assert not logging.getLogger("pygls").propagate


@pytest.fixture
def plain() -> LanguageServer:
    """pygls as it is: a request that answers, one that fails and one that waits."""
    server = LanguageServer("plain", "1")

    @server.feature("own/echo")
    def echo(params: Any) -> Any:
        return [type(params).__name__, type(params).__mro__[1].__name__]

    @server.feature("own/waits")
    async def waits(_: Any) -> None:
        await asyncio.Event().wait()

    @server.feature(METHOD)
    def broken(_: Any) -> None:
        raise ValueError(HUSH)

    return server


@pytest.mark.parametrize(
    ("sent", "answered"),
    [
        pytest.param([initialize(window=5)], [], id="an unknown capability ends all"),
        pytest.param(
            [initialize(), call("textDocument/hover", {"textDocument": 5}, 1)], [0], id="bad params"
        ),
        pytest.param([initialize(), call("own/echo", None, 1)], [0], id="no params"),
        pytest.param(
            [initialize(), call("shutdown", None, 3), call("own/echo", {}, 4)],
            [0, 3],
            id="after shutdown",
        ),
    ],
)
def test_pygls_is_silent(plain: LanguageServer, sent: list[Message], answered: list[int]) -> None:
    assert [m["id"] for m in talk(plain, *sent) if "result" in m or "error" in m] == answered


def test_pygls_drops_what_is_under_way_at_the_end_of_the_input(plain: LanguageServer) -> None:
    said = talk(plain, initialize(), call("own/waits", {}, 1), at_once=True)
    assert [message["id"] for message in said if "result" in message] == [0]


def test_pygls_makes_named_tuples_of_params(plain: LanguageServer) -> None:
    (_, answer) = talk(plain, initialize(), call("own/echo", {"a": {"b": 1}}, 1))
    assert answer["result"] == ["Object", "tuple"]


def test_pygls_tells_error_texts(plain: LanguageServer, caplog: pytest.LogCaptureFixture) -> None:
    logger = logging.getLogger("pygls")
    logger.addHandler(caplog.handler)
    caplog.set_level(logging.INFO, logger="pygls")
    _, answer, shown = talk(
        plain, initialize(), call(METHOD, {"text": HUSH}, 1), call(METHOD, {"text": HUSH})
    )
    logger.removeHandler(caplog.handler)
    assert HUSH in answer["error"]["message"]
    assert answer["error"]["data"]["traceback"]
    assert shown["method"] == "window/showMessage"
    assert HUSH in shown["params"]["message"]
    assert HUSH in caplog.text


def test_pygls_keeps_what_becomes_of_a_notification(plain: LanguageServer) -> None:
    document = {"uri": "file:///a", "languageId": "x", "version": 1, "text": ""}
    opened = call("textDocument/didOpen", {"textDocument": document})
    talk(plain, initialize(), opened, opened)
    assert len(plain.protocol._request_futures) == 2


def test_pygls_takes_no_root_for_a_folder_of_the_workspace(plain: LanguageServer) -> None:
    talk(plain, initialize())
    assert plain.workspace.folders == {}


def test_pygls_ends_lines_at_characters_that_end_none_in_lsp() -> None:
    assert len(TextDocument("file:///a", "a\u2028b\x0cc\x85d").lines) == 4
