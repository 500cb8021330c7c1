"""Arguments and folders as hosts send them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vouch_sidecar.operations import OPERATIONS
from vouch_sidecar.surfaces.mcp.tools import input_schema, read
from vouch_sidecar.surfaces.projects import HOST_VARIABLES, Projects, path_of

from tests.mcp.client import Host, content_of, host, text_of
from tests.protocol import knowledge

NONE = "No knowledge base was found"
KNOWN = "expire after 15 minutes"


def meant(name: str, arguments: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    return read(OPERATIONS[name], arguments)


@pytest.mark.parametrize(
    ("name", "sent", "params"),
    [
        ("experts", {"limit": " 5.0 "}, {"limit": 5}),
        ("experts", {"limit": 5.0}, {"limit": 5}),
        ("experts", {"limit": "many"}, {"limit": "many"}),
        ("experts", {"limit": "9" * 9999}, {"limit": "9" * 9999}),
        ("experts", {"limit": True}, {"limit": True}),
        ("experts", {"explain": "True"}, {"explain": True}),
        ("experts", {"types": '["a", "b"]'}, {"types": ["a", "b"]}),
        ("experts", {"types": "a"}, {"types": ["a"]}),
        ("experts", {"types": "a,b-c , d"}, {"types": ["a", "b-c", "d"]}),
        ("experts", {"types": "[" * 9999}, {"types": "[" * 9999}),
        ("experts", {"topic": 8443.0}, {"topic": "8443"}),
        ("experts", {"topic": True}, {"topic": True}),
        ("experts", {"topic": ""}, {"topic": ""}),
        ("files", {"paths": "a,v.py"}, {"paths": ["a,v.py"]}),
        ("files", {"paths": [1]}, {"paths": ["1"]}),
        ("search", {"query": '["x"]'}, {"query": '["x"]'}),
    ],
)
def test_what_can_mean_one_thing(name: str, sent: dict[str, Any], params: dict[str, Any]) -> None:
    assert meant(name, sent) == (params, [])


@pytest.mark.parametrize("absent", ["", None, [], "[]", "None"])
def test_an_empty_value_is_none(absent: object) -> None:
    for name in ("since", "session_id", "types", "limit", "root"):
        assert meant("experts", {"topic": "x", name: absent}) == ({"topic": "x"}, [])


def test_unknown_fields_are_ignored_and_near_ones_named() -> None:
    said = "minClaims is no parameter and was ignored; did you mean min_claims?"
    assert meant("experts", {"topic": "x", "xyzzy": 1, "minClaims": 1}) == ({"topic": "x"}, [said])
    assert "<" not in "".join(meant("experts", {"limit<x>": 1})[1])
    of_host = {"sessionId": "n8n-1", "toolCallId": "call_1", "chatInput": "x"}
    assert meant("experts", {"topic": "x", **of_host}) == ({"topic": "x"}, [])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@settings(max_examples=40)
@given(st.sampled_from(sorted(OPERATIONS)), st.data())
def test_whatever_is_sent_is_read(name: str, data: st.DataObject) -> None:
    names = st.sampled_from(sorted(input_schema(name)["properties"])) | st.text()
    params, notes = meant(name, data.draw(st.dictionaries(names, JSON)))
    assert params.keys() <= OPERATIONS[name].params.model_fields.keys() | {"_meta"}
    assert len(notes) <= 3


# Folders


def test_the_project_is_where_somebody_says(root: Path, tmp_path: Path) -> None:
    home, other = tmp_path / "home", str(tmp_path / "home" / "other")
    home.mkdir()

    def found(*folders: str, is_chosen: bool = False) -> frozenset[Path]:
        return Projects({}, home, is_chosen=is_chosen).asked({}, folders)

    assert found() == frozenset()
    assert found(other, root.as_uri()) == {root}
    assert found(str(root), is_chosen=True) == frozenset()
    for variable in HOST_VARIABLES:
        for folders in (str(root), f"{home},{root}", f"{home.as_uri()}, {root.as_uri()}"):
            assert Projects({variable: folders}, home, is_chosen=False).asked({}) == {root}
    projects = Projects({}, home, is_chosen=False)
    for named in (root, root / ".vouch", root.as_uri(), f"{root}/", root / "src" / "a.py"):
        assert projects.asked({"root": str(named)}) == {root}
    assert path_of("~/a b").endswith("/a b")


def test_the_clients_roots_are_asked(root: Path, env: dict[str, str]) -> None:
    with host(Path("/"), env, offers=root) as mcp:
        assert KNOWN in text_of(mcp.call("claim", id="jwt-expires"))
    with host(Path("/"), env, "--root", str(root / "gone"), offers=root) as mcp:
        said = text_of(mcp.call("claim", id="jwt-expires"))
    assert said.startswith(NONE)
    assert "gone, which does not exist" in said


def test_a_call_names_its_root(mcp: Host, root: Path, tmp_path: Path) -> None:
    other = knowledge.make(tmp_path / "other")
    knowledge.claim(other, "elsewhere", "JWT tokens are green.", "jwt")
    for named, is_there in ((other, True), (root, False), (".", False), ("${folder}", False)):
        found = mcp.call("search", query="tokens green", root=str(named))
        assert ("green" in text_of(found)) == is_there
        assert content_of(found)["hits"]
    gone, relative = "does not exist", "is no absolute path"
    wrong = ((str(tmp_path / "none"), gone), ("src", relative), ([str(other)], relative))
    for place, why in wrong:
        found = mcp.call("search", query="tokens green", root=place)
        assert text_of(found).startswith(f"{NONE} from the `root` of this call, which {why}")
        assert content_of(found)["hits"] == []


def test_where_there_is_none_every_tool_says_so(env: dict[str, str]) -> None:
    with host(Path("/"), env, "--root", "${workspaceFolder}") as mcp:
        for result in (mcp.call("claim", id="jwt"), mcp.call("search", query="JWT")):
            assert text_of(result).startswith(NONE)
            assert "`root`" in text_of(result)
            assert "a variable that the host did not fill in" in text_of(result)
            assert result.isError
