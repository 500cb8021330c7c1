"""Topics of knowledge bases on disk, as operations and surfaces tell of them."""

from pathlib import Path

import pytest
from vouch_sidecar import open_kb
from vouch_sidecar.engine.collection import OTHER_VIEWERS
from vouch_sidecar.index.topic_table import VisibleTopics
from vouch_sidecar.workspace.topics import TopicFinder

from tests.engine.bases import ask, reread, settle, write
from tests.kb.samples import claim, dump, make_kb
from tests.operations.conftest import TEXTS, WORDS
from tests.workspace.places import repository, settled


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository whose claims declare no entity."""
    root = repository(tmp_path / "house", {"src/auth.py": "def read_netrc():\n    pass\n"})
    make_kb(root)
    others = {f"other-{word}": f"The {word} is painted." for word in WORDS}
    for claim_id, text in (TEXTS | others).items():
        write(root, f"claims/{claim_id}.yaml", claim(claim_id, text=text, entities=[]))
    return root


def test_every_operation_tells_of_them(root: Path, tmp_path: Path) -> None:
    engine = settled(root, tmp_path)
    (row,) = ask(engine, "experts", topic="password")["experts"]
    assert row["entity_id"] == "topic:keyring"
    assert (row["name"], row["type"], row["claim_count"]) == ("keyring", "topic", 1)
    (named,) = ask(engine, "mentions", text="the keyring there")["mentions"]
    assert (named["entity_id"], named["arm"], named["listed"]) == ("topic:keyring", "derived", True)
    ask(engine, "context", task="is the keyring broken", session_id="s")
    (salient,) = ask(engine, "salience", session_id="s")["salience"]
    assert (salient["entity_id"], salient["claim_count"]) == ("topic:keyring", 3)
    found = ask(engine, "entity", id="keyring")
    assert found["entity"]["id"] == "topic:keyring"
    assert found["entity"]["uri"] is None
    assert found["why"] == "no English word"
    assert {row["id"] for row in found["claims"]} == set(TEXTS)
    assert ask(engine, "status")["roots"][0]["topics"] == 1
    explained = ask(engine, "experts", topic="password", explain=True)["experts"][0]["explain"]
    assert [row["link"] for row in explained] == ["derived"]
    for text in ("keyring", "What is a keyring?", "What do we know about the keyring?"):
        assert {row["id"] for row in ask(engine, "context", task=text)["items"]} == set(TEXTS), text
        explained = ask(engine, "explain", text=text)["entities"]
        assert [row["verdict"] for row in explained] == ["volunteered"], text
    first, *_ = ask(engine, "context", task="is the keyring asked before read_netrc?")["items"]
    assert first["id"] == "asked"
    for text in ("it's the keyring", "where is the keyring?", "what is your keyring?"):
        assert ask(engine, "context", task=text)["items"] == [], text
    write(root, "claims/new.yaml", claim("new", text="One keyring more.", entities=[]))
    reread(engine)
    assert ask(engine, "experts", topic="keyring")["degraded"] == ["workspace_pending"]


def test_none_is_looked_for_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, looked, real = repository(tmp_path / "shed", {"a.py": ""}), [0], TopicFinder.topics
    make_kb(root)
    write(root, "claims/one.yaml", claim("one", text="It is painted.", entities=[]))

    def topics(finder: TopicFinder) -> VisibleTopics:
        looked[0] += 1
        return real(finder)

    monkeypatch.setattr(TopicFinder, "topics", topics)
    engine = settled(root, tmp_path)
    engine.look_soon([root])
    settle(engine)
    assert looked == [1]


def test_another_viewer_has_his_own_once_they_are_derived(root: Path, tmp_path: Path) -> None:
    private = {"visibility": "private", "agent": "ada"}
    for number in range(3):
        path, text = f"claims/hers-{number}.yaml", f"The gizmotron {number} hums."
        write(root, path, claim(f"hers-{number}", text=text, entities=[], scope=private))
    engine, ada = settled(root, tmp_path), {"agent": "ada"}
    (collection,) = engine.registry.collections.values()
    for others in range(OTHER_VIEWERS - 1):
        assert ask(engine, "mentions", text="gizmotron", viewer={"agent": f"a{others}"})["degraded"]
    first = ask(engine, "mentions", text="a gizmotron and a keyring", viewer=ada)
    assert (first["mentions"], first["degraded"]) == ([], ["workspace_pending"])
    assert len(collection.viewers()) == OTHER_VIEWERS + 1
    settle(engine)
    assert ask(engine, "mentions", text="gizmotron", viewer={"agent": "a0"})["degraded"] == []
    again = ask(engine, "mentions", text="a gizmotron and a keyring", viewer=ada)
    names = [row["name"] for row in again["mentions"]]
    assert (names, again["degraded"]) == (["gizmotron", "keyring"], [])
    assert [row["name"] for row in ask(engine, "mentions", text="a gizmotron")["mentions"]] == []
    with open_kb(root) as kb:
        whole = kb.mentions("gizmotron", viewer=ada)
        assert (whole.mentions[0].name, whole.degraded) == ("gizmotron", [])


@pytest.mark.parametrize(
    "config",
    [
        {"sidecar": {"topics": {"enabled": False}}},
        {"sidecar": {"names": {"never": ["keyring"]}}},
        {"kb": {"name": "keyring"}},  # its own name is none
    ],
)
def test_the_config_hides_topics(root: Path, tmp_path: Path, config: dict[str, object]) -> None:
    write(root, "config.yaml", dump(config))
    engine = settled(root, tmp_path)
    assert ask(engine, "mentions", text="the keyring there")["mentions"] == []
    assert ask(engine, "experts", topic="keyring")["experts"] == []
    assert "topics" not in ask(engine, "status")["roots"][0]
