"""The faults of pygls that `surfaces/lsp` mends, shown in pygls itself.

A test that fails here has good news: what mends this fault can go.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from typing import Any

import pytest
from pygls.io_ import run_async
from pygls.lsp.server import LanguageServer
from pygls.workspace import TextDocument

from tests.surfaces.conversation import INITIALIZE, call, framed, heard, talk

HOVER = "textDocument/hover"
SECRET = "hunter2"


@pytest.fixture
def server() -> LanguageServer:
    """pygls as it is, with one request that answers, one that fails and one that takes a while."""
    plain = LanguageServer("plain", "1")

    @plain.feature("own/echo")
    def echo(params: Any) -> Any:
        return [type(params).__name__, type(params).__mro__[1].__name__]

    @plain.feature("own/fails")
    def fails(_: Any) -> None:
        raise ValueError(SECRET)

    @plain.feature("own/waits")
    async def waits(_: Any) -> None:
        await asyncio.sleep(0.01)

    return plain


def answered(server: LanguageServer, *messages: object) -> list[Any]:
    return [m["id"] for m in talk(server, framed(*messages)) if "method" not in m]


@pytest.mark.parametrize(
    "request_",
    [call(HOVER, {"textDocument": 5}, 1), call("own/echo", None, 1)],
    ids=["bad params", "no params"],
)
def test_a_request_that_gets_no_answer(server: LanguageServer, request_: object) -> None:
    assert answered(server, INITIALIZE, request_) == [0]


def test_after_shutdown_nothing_is_answered(server: LanguageServer) -> None:
    ended = [call("shutdown", None, 3), call("own/echo", {}, 4)]
    assert answered(server, INITIALIZE, *ended) == [0, 3]


def test_an_unknown_capability_costs_the_connection(server: LanguageServer) -> None:
    able = {"window": 5}
    params: object = {"processId": None, "rootUri": None, "capabilities": able}
    assert answered(server, call("initialize", params, 0)) == []


def test_params_become_named_tuples(server: LanguageServer) -> None:
    (_, answer) = talk(server, framed(INITIALIZE, call("own/echo", {"a": {"b": 1}}, 1)))
    assert answer["result"] == ["Object", "tuple"]


def test_texts_and_tracebacks_go_to_the_client(server: LanguageServer) -> None:
    (_, answer) = talk(server, framed(INITIALIZE, call("own/fails", {}, 1)))
    assert SECRET in answer["error"]["message"]
    assert answer["error"]["data"]["traceback"]


def test_errors_are_shown_to_the_user(server: LanguageServer) -> None:
    (_, shown) = talk(server, framed(INITIALIZE, call("own/fails", {})))
    assert shown["method"] == "window/showMessage"
    assert SECRET in shown["params"]["message"]


def test_what_is_sent_is_logged(server: LanguageServer, caplog: pytest.LogCaptureFixture) -> None:
    logger = logging.getLogger("pygls")
    logger.addHandler(caplog.handler)
    caplog.set_level(logging.INFO, logger="pygls")
    talk(server, framed(INITIALIZE, call("own/fails", {}, 1)))
    logger.removeHandler(caplog.handler)
    assert SECRET in caplog.text


def test_what_becomes_of_a_notification_is_kept(server: LanguageServer) -> None:
    document = {"uri": "file:///a", "languageId": "x", "version": 1, "text": ""}
    opened = call("textDocument/didOpen", {"textDocument": document})
    talk(server, framed(INITIALIZE, opened, opened))
    assert len(server.protocol._request_futures) == 2


def test_what_is_under_way_at_the_end_of_the_input_is_dropped(server: LanguageServer) -> None:
    said = heard(server)

    async def main() -> None:
        stream = asyncio.StreamReader()
        stream.feed_data(framed(INITIALIZE, call("own/waits", {}, 1)))
        stream.feed_eof()
        await run_async(threading.Event(), stream, server.protocol)

    asyncio.run(main())
    assert [message["id"] for message in said if "result" in message] == [0]


def test_a_root_is_no_folder_of_the_workspace(server: LanguageServer) -> None:
    params: object = {"processId": None, "rootUri": "file:///a", "capabilities": {}}
    talk(server, framed(call("initialize", params, 0)))
    assert server.workspace.folders == {}


def test_lines_end_at_characters_that_end_none_in_lsp() -> None:
    assert len(TextDocument("file:///a", "a\u2028b\x0cc\x85d").lines) == 4
