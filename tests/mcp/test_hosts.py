"""Arguments and folders as hosts send them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import ErrorData, ListRootsResult, Root
from pydantic import FileUrl
from vouch_sidecar.operations import OPERATIONS
from vouch_sidecar.surfaces.mcp.arguments import OF_HOSTS, read
from vouch_sidecar.surfaces.mcp.tools import input_schema
from vouch_sidecar.surfaces.projects import HOST_VARIABLES

from tests.mcp.client import called, connected, content_of, text_of
from tests.mcp.conftest import Served
from tests.protocol import knowledge
from tests.protocol.client import COMMAND

NONE = "No knowledge base was found"
ASKED: dict[str, dict[str, Any]] = {
    "kb_experts": {"topic": "JWT"},
    "kb_context": {"task": "How long do JWT tokens live?"},
    "kb_search": {"query": "JWT"},
    "kb_entity": {"id": "jwt"},
    "kb_claim": {"id": "jwt-expires"},
    "kb_mentions": {"text": "JWT"},
    "kb_probe": {"text": "JWT"},
    "kb_files": {"paths": ["a.py"]},
}
"""For each tool a question that has an answer."""


def meant(name: str, arguments: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    return read(OPERATIONS[name], input_schema(name), arguments)


@pytest.mark.parametrize(
    ("name", "sent", "params"),
    [
        ("experts", {"limit": "5"}, {"limit": 5}),
        ("experts", {"limit": 5.0}, {"limit": 5}),
        ("experts", {"limit": " 5.0 "}, {"limit": 5}),
        ("experts", {"limit": 5.5}, {"limit": 5.5}),
        ("experts", {"limit": "many"}, {"limit": "many"}),
        ("experts", {"limit": "9" * 9999}, {"limit": "9" * 9999}),
        ("experts", {"limit": True}, {"limit": True}),
        ("experts", {"explain": "True"}, {"explain": True}),
        ("experts", {"explain": "1"}, {"explain": True}),
        ("experts", {"explain": 1}, {"explain": True}),
        ("experts", {"explain": 0.0}, {"explain": False}),
        ("experts", {"explain": 2}, {"explain": 2}),
        ("experts", {"explain": "yes"}, {"explain": "yes"}),
        ("experts", {"types": '["a", "b"]'}, {"types": ["a", "b"]}),
        ("experts", {"types": "a"}, {"types": ["a"]}),
        ("experts", {"types": "a,b-c , d"}, {"types": ["a", "b-c", "d"]}),
        ("experts", {"types": "[a"}, {"types": "[a"}),
        ("experts", {"types": "[" * 9999}, {"types": "[" * 9999}),
        ("experts", {"topic": 8443}, {"topic": "8443"}),
        ("experts", {"topic": 8443.0}, {"topic": "8443"}),
        ("experts", {"topic": ["relay"]}, {"topic": "relay"}),
        ("experts", {"topic": ["a", "b"]}, {"topic": ["a", "b"]}),
        ("experts", {"topic": True}, {"topic": True}),
        ("experts", {"topic": ""}, {"topic": ""}),
        ("files", {"paths": "a.py"}, {"paths": ["a.py"]}),
        ("files", {"paths": "a,v.py"}, {"paths": ["a,v.py"]}),
        ("files", {"paths": [1]}, {"paths": ["1"]}),
        ("search", {"query": '["x"]'}, {"query": '["x"]'}),
    ],
)
def test_what_can_mean_one_thing(name: str, sent: dict[str, Any], params: dict[str, Any]) -> None:
    assert meant(name, sent) == (params, [])


@pytest.mark.parametrize("absent", ["", None, [], "null", "None"])
def test_an_empty_value_is_none(absent: object) -> None:
    for name in ("since", "session_id", "types", "limit", "root"):
        assert meant("experts", {"topic": "x", name: absent}) == ({"topic": "x"}, [])
    assert meant("experts", {"topic": "x", "types": "[]"}) == ({"topic": "x"}, [])


def test_unknown_fields_are_ignored_and_near_ones_named() -> None:
    sent = {"topic": "x", "limt": 3, "xyzzy": 1, **dict.fromkeys(OF_HOSTS, "1")}
    said = "limt is no parameter and was ignored; did you mean limit?"
    assert meant("experts", sent) == ({"topic": "x"}, [said])
    assert "<" not in "".join(meant("experts", {"limit<x>": 1})[1])
    for operation, wrong, right in (
        ("salience", "topK", "top_k"),
        ("experts", "minClaims", "min_claims"),
        ("context", "max-chars", "max_chars"),
        ("search", "Kinds", "kinds"),
    ):
        said = f"{wrong} is no parameter and was ignored; did you mean {right}?"
        assert meant(operation, {wrong: 1})[1] == [said]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(st.sampled_from(sorted(OPERATIONS)), st.data())
def test_whatever_is_sent_is_read(name: str, data: st.DataObject) -> None:
    names = st.sampled_from(sorted(input_schema(name)["properties"])) | st.text()
    params, notes = meant(name, data.draw(st.dictionaries(names, JSON)))
    assert params.keys() <= OPERATIONS[name].params.model_fields.keys() | {"_meta"}
    assert len(notes) <= 3


def test_over_the_wire_it_is_answered_as_if_it_were_meant(served: Served) -> None:
    async def talk(session: ClientSession) -> None:
        right = await called(session, "kb_experts", topic="JWT", limit=1, types=["system"])
        sent = {"topic": "JWT", "limit": "1", "types": "system", "since": "", "toolCallId": "1"}
        said = await called(session, "kb_experts", **sent)
        assert content_of(said)["experts"] == content_of(right)["experts"]
        assert text_of(said) == text_of(right)
        named = await called(session, "kb_experts", topic="JWT", limt=1)
        assert [part.text for part in named.content if part.type == "text"][1:] == [
            "limt is no parameter and was ignored; did you mean limit?"
        ]
        refused = await called(session, "kb_experts", topic="JWT", limit="many")
        assert refused.isError
        assert "limit" in text_of(refused)

    served.talk(talk)


# Folders


def asked_with_roots(
    cwd: Path, env: dict[str, str], *roots: Path, args: tuple[str, ...] = ()
) -> str:
    """What is said of a known claim to a client that offers its roots."""

    async def offered(context: Any) -> ListRootsResult | ErrorData:  # noqa: ARG001
        return ListRootsResult(roots=[Root(uri=FileUrl(root.as_uri())) for root in roots])

    async def main() -> str:
        server = StdioServerParameters(
            command=str(COMMAND), args=["mcp", *args], cwd=cwd, env=dict(env)
        )
        async with (
            stdio_client(server) as (source, sink),
            ClientSession(source, sink, list_roots_callback=offered) as session,
        ):
            await session.initialize()
            return text_of(await called(session, "kb_claim", id="jwt-expires"))

    return anyio.run(main)


@pytest.fixture
def home(tmp_path: Path, env: dict[str, str]) -> Path:
    """A home folder without a knowledge base."""
    folder = tmp_path / "home"
    folder.mkdir()
    env["HOME"] = str(folder)
    return folder


@pytest.mark.parametrize("cwd", ["home", "/"])
def test_the_clients_roots_are_asked(root: Path, home: Path, env: dict[str, str], cwd: str) -> None:
    where = home if cwd == "home" else Path(cwd)
    assert "expire after 15 minutes" in asked_with_roots(where, env, root)


def test_who_chose_a_folder_is_not_led_elsewhere(
    root: Path, home: Path, env: dict[str, str]
) -> None:
    assert NONE in asked_with_roots(home, env, root, args=("--root", str(home)))


@pytest.mark.parametrize("variable", HOST_VARIABLES)
def test_the_hosts_variable_is_read(
    root: Path, home: Path, env: dict[str, str], variable: str
) -> None:
    async def talk(session: ClientSession) -> str:
        return text_of(await called(session, "kb_claim", id="jwt-expires"))

    assert "expire after 15 minutes" in connected(home, {**env, variable: str(root)}, talk)


def test_a_call_may_name_its_root(root: Path, home: Path, env: dict[str, str]) -> None:
    other = knowledge.make(home / "deep" / "other")
    knowledge.claim(other, "elsewhere", "JWT tokens are green.", "jwt")

    async def talk(session: ClientSession) -> None:
        for named in (str(root), root.as_uri(), str(root / ".vouch")):
            found = await called(session, "kb_search", query="tokens green", root=named)
            assert "green" not in text_of(found)
            assert content_of(found)["hits"]
        found = await called(session, "kb_search", query="tokens green", root=str(other))
        assert "green" in text_of(found)
        again = await called(session, "kb_search", query="tokens green", root=str(root))
        assert "green" not in text_of(again)
        assert NONE in text_of(await called(session, "kb_search", query="tokens green"))

    connected(home, env, talk)


@pytest.mark.parametrize("between", [",", ", ", ":"])
def test_a_hosts_variable_may_name_several_folders(
    root: Path, home: Path, env: dict[str, str], between: str
) -> None:
    async def talk(session: ClientSession) -> str:
        return text_of(await called(session, "kb_claim", id="jwt-expires"))

    for folders in ([str(home), str(root)], [home.as_uri(), root.as_uri()]):
        named = {**env, "WORKSPACE_FOLDER_PATHS": between.join(folders)}
        assert "expire after 15 minutes" in connected(home, named, talk)


def test_a_call_names_its_root_as_people_write_it(home: Path, env: dict[str, str]) -> None:
    root = knowledge.make(home / "a project")
    file = root / "src" / "a.py"
    file.parent.mkdir()
    file.touch()
    at_home = "~/a project"
    uri = root.as_uri()

    async def talk(session: ClientSession) -> None:
        for named in (
            f"{root}/",
            str(file),
            f"{root}/src/",
            at_home,
            f"{at_home}/",
            uri,
            f"{uri}/",
        ):
            found = await called(session, "kb_claim", id="jwt-expires", root=named)
            assert "expire after 15 minutes" in text_of(found), named

    connected(home, env, talk)


def test_a_variable_that_the_host_did_not_fill_in_is_said(
    root: Path, home: Path, env: dict[str, str]
) -> None:
    async def talk(session: ClientSession) -> None:
        assert (await called(session, "kb_search", query="tokens")).isError

    unfilled = ("--root", "${workspaceFolder}")
    said = asked_with_roots(home, env, args=unfilled)
    assert said.startswith(NONE)
    assert "${workspaceFolder}, a variable that the host did not fill in" in said
    assert "expire after 15 minutes" in asked_with_roots(home, env, root, args=unfilled)
    assert "expire after 15 minutes" in asked_with_roots(root, env, args=unfilled)
    connected(home, env, talk, *unfilled)


@pytest.mark.parametrize("said", [".", "./", "${workspaceFolder}"])
def test_a_root_that_says_no_folder_is_none(root: Path, env: dict[str, str], said: str) -> None:
    async def talk(session: ClientSession) -> str:
        return text_of(await called(session, "kb_claim", id="jwt-expires", root=said))

    assert "expire after 15 minutes" in connected(root, env, talk)


def test_a_chosen_folder_that_does_not_exist_is_said(root: Path, env: dict[str, str]) -> None:
    said = asked_with_roots(root, env, args=("--root", str(root / "gone")))
    assert said.startswith(NONE)
    assert "gone, which does not exist" in said


def test_where_there_is_none_every_tool_says_so(home: Path, env: dict[str, str]) -> None:
    async def talk(session: ClientSession) -> None:
        for name, arguments in ASKED.items():
            said = text_of(await called(session, name, **arguments))
            assert said.startswith(NONE)
            assert "`root`" in said
            assert "--root" in said
        empty = content_of(await called(session, "kb_status"))
        assert empty["roots"] == []
        assert content_of(await called(session, "kb_search", query="JWT"))["hits"] == []

    connected(home, env, talk)
