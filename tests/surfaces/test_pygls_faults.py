"""The faults of pygls that `surfaces/lsp/pygls_fixes` mends, shown in pygls itself.

A test that fails here has good news: the fix that names this fault can go.
"""

from __future__ import annotations

import ast
import inspect
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.protocol import default_converter
from pygls.workspace import TextDocument, Workspace
from vouch_sidecar.surfaces import lsp as surface

from tests.surfaces.conversation import INITIALIZE, call, framed, talk

HOVER = "textDocument/hover"
SECRET = "hunter2"
UNOPENED = {
    "textDocument": {"uri": "file:///a", "version": 1},
    "contentChanges": [{"text": SECRET}],
}


@pytest.fixture
def server() -> LanguageServer:
    """pygls as it is, with one request that answers and one that fails."""
    plain = LanguageServer("plain", "1")

    @plain.feature("own/echo")
    def echo(params: Any) -> Any:
        return [type(params).__name__, type(params).__mro__[1].__name__]

    @plain.feature("own/fails")
    def fails(_: Any) -> None:
        raise ValueError(SECRET)

    return plain


def answered(server: LanguageServer, *messages: object) -> list[Any]:
    return [m["id"] for m in talk(server, framed(*messages)) if "method" not in m]


@pytest.mark.parametrize(
    "request_",
    [
        call(HOVER, {"textDocument": 5}, 1),
        call("own/echo", None, 1),
        call("own/echo", {"text": {"jsonrpc": "2.0"}}, 1),
        {**call("own/echo", {}, 1), "jsonrpc": "1.0"},
        call("textDocument/didOpen", {"textDocument": {}}, 1),
        call("workspace/didChangeConfiguration", {"settings": {}}, 1),
    ],
    ids=[
        "bad params",
        "no params",
        "jsonrpc within",
        "version",
        "bad notification",
        "notification",
    ],
)
def test_a_request_that_gets_no_answer(server: LanguageServer, request_: object) -> None:
    assert answered(server, INITIALIZE, request_) == [0]


def test_malformed_json_gets_no_answer(server: LanguageServer) -> None:
    said = talk(server, b"Content-Length: 1\r\n\r\n{")
    assert not [m for m in said if "method" not in m]


@pytest.mark.parametrize("spelling", [b"content-length: %d\r\n\r\n", b"Content-Length:%d\r\n\r\n"])
def test_a_header_spelled_otherwise_is_not_understood(
    server: LanguageServer, spelling: bytes
) -> None:
    _, _, body = framed(INITIALIZE).partition(b"\r\n\r\n")
    assert talk(server, spelling % len(body) + body) == []


def test_a_message_without_a_length_costs_the_next(server: LanguageServer) -> None:
    assert talk(server, b"Content-Type: x\r\n\r\n{}" + framed(INITIALIZE)) == []


def test_the_state_of_the_connection_is_not_checked(server: LanguageServer) -> None:
    messages = [call("own/echo", {}, 1), INITIALIZE, {**INITIALIZE, "id": 2}]
    ended = [call("shutdown", None, 3), call("own/echo", {}, 4)]
    assert answered(server, *messages, *ended) == [1, 0, 2, 3]


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


def test_names_of_methods_and_commands_are_repeated(server: LanguageServer) -> None:
    command = call("workspace/executeCommand", {"command": SECRET}, 2)
    said = talk(server, framed(INITIALIZE, call(f"own/{SECRET}", {}, 1), command))
    answers = [m for m in said if "method" not in m]
    assert "executeCommandProvider" in answers[0]["result"]["capabilities"]
    assert [SECRET in answer["error"]["message"] for answer in answers[1:]] == [True, True]


def test_an_error_without_an_id_has_no_such_key() -> None:
    error = lsp.ResponseErrorMessage(None, lsp.ResponseError(-32700, "x"))
    assert "id" not in default_converter().unstructure(error)  # type: ignore[no-untyped-call]


def test_what_becomes_of_a_notification_is_kept(server: LanguageServer) -> None:
    document = {"uri": "file:///a", "languageId": "x", "version": 1, "text": ""}
    opened = call("textDocument/didOpen", {"textDocument": document})
    talk(server, framed(INITIALIZE, opened, opened))
    assert len(server.protocol._request_futures) == 2


def test_the_type_of_a_result_is_kept_where_the_answer_is_an_error(server: LanguageServer) -> None:
    server.protocol.send_request(lsp.WORKSPACE_DIAGNOSTIC_REFRESH, msg_id="asked")
    error = {"code": -32601, "message": ""}
    talk(server, framed(INITIALIZE, {"jsonrpc": "2.0", "id": "asked", "error": error}))
    assert list(server.protocol._result_types) == ["asked"]


def test_the_class_of_the_workspace_cannot_be_chosen() -> None:
    assert not [name for name in inspect.signature(LanguageServer).parameters if "work" in name]
    assert not hasattr(LanguageServer, "create_workspace")


def test_a_root_is_no_folder_of_the_workspace(server: LanguageServer) -> None:
    params: object = {"processId": None, "rootUri": "file:///a", "capabilities": {}}
    talk(server, framed(call("initialize", params, 0)))
    assert server.workspace.folders == {}


def test_a_change_of_what_was_never_opened_is_an_error(server: LanguageServer) -> None:
    (_, shown) = talk(server, framed(INITIALIZE, call("textDocument/didChange", UNOPENED)))
    assert "KeyError" in shown["params"]["message"]


def test_lines_end_at_characters_that_end_none_in_lsp() -> None:
    assert len(TextDocument("file:///a", "a\u2028b\x0cc\x85d").lines) == 4


def test_a_change_of_a_range_counts_as_the_whole_text() -> None:
    document = TextDocument("file:///a", "one two", sync_kind=lsp.TextDocumentSyncKind.Full)
    place = lsp.Range(lsp.Position(0, 0), lsp.Position(0, 3))
    document.apply_change(lsp.TextDocumentContentChangePartial(text="1", range=place))
    assert document.source == "1"


def test_a_document_whose_uri_cannot_be_read_is_an_error() -> None:
    with pytest.raises(ValueError, match="IPv6"):
        TextDocument("file://[bad", "")


def test_a_bound_method_handles_nothing(server: LanguageServer) -> None:
    with pytest.raises(AttributeError):
        server.feature("own/bound")(server.shutdown)


def private_names(tree: ast.AST) -> Iterator[tuple[str, bool]]:
    """The attributes that code names with an underscore, and whether they are those of `self`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            yield node.name, True
        elif isinstance(node, ast.Attribute):
            of_self = isinstance(node.value, ast.Name) and node.value.id == "self"
            yield node.attr, of_self or isinstance(node.value, ast.Call)


def test_private_names_of_pygls_are_few_and_in_one_module() -> None:
    plain = LanguageServer("plain", "1")
    objects = (plain, plain.protocol, Workspace(None), plain.protocol.fm)
    theirs = {name for module in objects for name in dir(module) if name[0] == "_" != name[1]}
    for path in sorted(Path(surface.__file__).parent.rglob("*.py")):
        named = set(private_names(ast.parse(path.read_text("utf-8"))))
        used = {name for name, _ in named} & theirs
        if path.name == "pygls_fixes.py":
            assert 0 < len(used) <= 6, used
        elif path.name == "server.py":
            assert not used
        else:
            assert not {name for name, of_self in named if name in theirs and not of_self}
