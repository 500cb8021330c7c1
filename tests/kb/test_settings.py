from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.kb.records import Severity
from vouch_sidecar.kb.settings import GROUPS, load_settings, viewer_for
from vouch_sidecar.kb.settings_model import Recall, Settings

from scripts import settings_docs
from tests.kb.samples import dump


def test_the_last_layer_wins_setting_by_setting() -> None:
    config = dump(
        {
            "retrieval": {"reflex": {"window": 4, "top_k": 5}},
            "sidecar": {"recall": {"max_results": 4, "timeout_ms": 200}, "persona": "  clerk "},
        }
    )
    client = {
        "reflex": {"window": 6},
        "recall": {"maxResults": 6},
        "hover": {"enabled": "prose"},
    }
    env = {"VOUCH_SIDECAR_RECALL_MAX_RESULTS": "8", "VOUCH_SIDECAR_PROMPTS_IDLE_MS": "0"}
    settings, problems = load_settings(config, client, env)
    assert problems == ()
    assert (settings.reflex.window, settings.reflex.top_k) == (6, 5)
    assert (settings.recall.max_results, settings.recall.timeout_ms) == (8, 200)
    assert settings.hover.enabled == "prose"
    assert settings.prompts.idle_ms == 0
    assert settings.general.persona == "clerk"


def test_words_that_always_and_never_name_are_lists() -> None:
    config = dump({"sidecar": {"names": {"always": ["Beacon", " Gull "], "never": ["mark"]}}})
    settings, problems = load_settings(config, {"names": {"never": []}}, {})
    assert problems == ()
    assert (settings.naming.always, settings.naming.never) == (("Beacon", "Gull"), ())
    env = {"VOUCH_SIDECAR_NAMES_NEVER": "mark, go"}
    assert load_settings(config, {}, env)[0].naming.never == ("mark", "go")
    said = "`sidecar.names.always` must be a list of short words, at most 200; it is ignored"
    for wrong in ("Beacon", ["Beacon", 3], [" "], ["x" * 101], ["x"] * 201, {"a": 1}, True):
        config = dump({"sidecar": {"names": {"always": wrong}}})
        settings, problems = load_settings(config, {}, {})
        assert (settings, [one.message for one in problems]) == (Settings(), [said])


@pytest.mark.parametrize("given", [False, True])
def test_a_group_may_be_switched_as_a_whole(given: bool) -> None:
    """YAML reads `reflex: off` as false."""
    word = b"on" if given else b"off"
    config = b"retrieval: {reflex: %b}\nvolunteer: %b\nsidecar: {recall: %b}" % ((word,) * 3)
    settings, problems = load_settings(config, {}, {})
    assert problems == ()
    groups = (settings.reflex, settings.volunteer, settings.recall)
    assert [group.enabled for group in groups] == [given] * 3
    settings, problems = load_settings(None, {"reflex": given}, {})
    assert (settings.reflex.enabled, problems) == (given, ())
    _, (problem,) = load_settings(b"sidecar: {probe: off}", {}, {})
    assert problem.message == "`sidecar.probe` must be a mapping; it is ignored"


@pytest.mark.parametrize(
    ("text", "field", "line", "column"),
    [
        ("retrieval:\n  reflex:\n    window: true\n", "retrieval.reflex.window", 3, 5),
        ("retrieval:\n  reflex:\n    window: 65\n", "retrieval.reflex.window", 3, 5),
        ("retrieval:\n  reflex:\n    window: 2.5\n", "retrieval.reflex.window", 3, 5),
        ("retrieval:\n  reflex:\n    enabled: 1\n", "retrieval.reflex.enabled", 3, 5),
        ("retrieval:\n  reflex: []\n", "retrieval.reflex", 2, 3),
        ("sidecar:\n  recall: {timeout_ms: .nan}\n", "sidecar.recall.timeout_ms", 2, 12),
        ("volunteer:\n  threshold: '0.5'\n", "volunteer.threshold", 2, 3),
        ("sidecar:\n  persona: [x]\n", "sidecar.persona", 2, 3),
        ("version: 1\nkb: 5\n", "kb", 2, 1),
        ("retrieval: [reflex]\n", "retrieval", 1, 1),
    ],
)
def test_what_is_wrong_counts_as_not_given(text: str, field: str, line: int, column: int) -> None:
    settings, [problem] = load_settings(text.encode(), {}, {})
    assert settings == Settings()
    assert (problem.path, problem.field) == ("config.yaml", field)
    assert (problem.line, problem.column) == (line, column)
    assert f"`{field}`" in problem.message


@pytest.mark.parametrize(
    ("text", "unknown", "line", "meant"),
    [
        ("retrieval:\n  reflex:\n    windw: 4\n", "retrieval.reflex.windw", 3, "window"),
        ("version: 1\nsidecar:\n  recal: {x: 1}\n", "sidecar.recal", 3, "sidecar.recall"),
        ("sidecar:\n  max_results: 4\n", "sidecar.max_results", 2, "recall.max_results"),
        ("sidecar: {recall.max_results: 4}\n", "sidecar.recall.max_results", 1, "max_results"),
        ("sidecar: {1: 4}\n", "sidecar.1", 1, ""),
    ],
)
def test_an_unknown_key_is_named_with_the_nearest(
    text: str, unknown: str, line: int, meant: str
) -> None:
    settings, [problem] = load_settings(text.encode(), {}, {})
    assert settings == Settings()
    assert (problem.path, problem.field, problem.line) == ("config.yaml", unknown, line)
    assert problem.severity is Severity.WARNING
    assert problem.message.startswith(f"`{unknown}` is no setting; did you mean `")
    assert problem.message.endswith(f"{meant}`?") or not meant


def test_what_vouch_reads_itself_is_not_unknown() -> None:
    assert load_settings(b"# nothing\n", {}, {}) == (Settings(), ())
    config = {
        "volunteer": {"poll_interval_seconds": 2},
        "retrieval": {"backend": "fts5", "scope": {"more": 1}},
        "kb": {"more": 1},
        "sidecars": 5,
    }
    assert load_settings(dump(config), {}, {})[1] == ()


def test_a_name_that_nobody_can_read_is_shown_harmless_and_bounded() -> None:
    _, [problem] = load_settings(dump({"sidecar": {"a\x1b`" + "b" * 500: 1}}), {}, {})
    assert "\x1b" not in problem.message
    assert len(problem.message) < 200


def test_a_setting_is_one_line_of_one_model(monkeypatch: pytest.MonkeyPatch) -> None:
    class More(Recall, path="sidecar.recall", listed={"second_looks"}):
        second_looks: int = Field(7, ge=1, le=9, description="how often it looks again")

    monkeypatch.setitem(GROUPS, "recall", More)
    config, env = dump({"sidecar": {"recall": {"second_looks": 2}}}), "VOUCH_SIDECAR_RECALL_"
    client = {"recall": {"secondLooks": 3}}

    def looks(*given: Any) -> object:
        settings, problems = load_settings(*given)
        assert problems == ()
        return settings.recall.model_dump()["second_looks"]

    assert looks(None, {}, {}) == 7
    assert looks(config, {}, {}) == 2
    assert looks(config, client, {}) == 3
    assert looks(config, client, {f"{env}SECOND_LOOKS": "4"}) == 4
    [problem] = load_settings(None, {}, {f"{env}SECOND_LOOKS": "10"})[1]
    assert problem.message.startswith(
        f"`{env}SECOND_LOOKS` must be a whole number from 1 to 9; it is ignored"
    )
    row = "| `sidecar.recall.second_looks` | 7 | 1–9 | how often it looks again |"
    assert row in settings_docs.table()
    pages = {page["title"]: page["properties"] for page in settings_docs.configuration()}
    assert pages["Recall"]["vouchSidecar.recall.secondLooks"] == {
        "type": "integer",
        "default": 7,
        "minimum": 1,
        "maximum": 9,
        "scope": "window",
        "order": 1,
        "markdownDescription": "How often it looks again, 1 to 9.",
    }
    assert "  'recall.secondLooks',\n" in settings_docs.client_names()


@pytest.mark.parametrize(
    ("text", "value"), [("0", False), ("Off", False), ("TRUE", True), (" yes ", True)]
)
def test_switches_in_the_environment(text: str, value: bool) -> None:
    env = {"VOUCH_SIDECAR_RECALL_FALLBACK_TO_FTS": text}
    assert load_settings(None, {}, env)[0].recall.fallback_to_fts is value


@pytest.mark.parametrize("config", [b"kb: [", b"- a", b"\xff", b"kb: {id: x}\nkb: &a [*a]"])
def test_a_config_that_cant_be_read_leaves_defaults_and_nobody_asking(config: bytes) -> None:
    settings, problems = load_settings(config, {}, {})
    assert settings == Settings()
    assert [p.path for p in problems] == ["config.yaml"]
    assert viewer_for(settings, None, None, {}) == Viewer()


def test_who_asks_is_decided_for_project_and_agent_apart() -> None:
    config = dump({"kb": {"id": "k", "name": "n"}, "retrieval": {"scope": {"agent": "a0"}}})
    settings, _ = load_settings(config, {}, {})
    assert (settings.kb.id, settings.kb.name) == ("k", "n")
    assert viewer_for(settings, None, None, {}) == Viewer("k", "a0")
    env = {"VOUCH_PROJECT": "p1", "VOUCH_AGENT": "  "}
    assert viewer_for(settings, None, None, env) == Viewer("p1", "a0")
    init = Viewer("p2", "a2")
    assert viewer_for(settings, None, init, env) == Viewer("p2", "a2")
    assert viewer_for(settings, Viewer(" p3 ", ""), init, env) == Viewer("p3", "a2")
    scoped, _ = load_settings(
        dump({"kb": {"id": "k"}, "retrieval": {"scope": {"project": "p0"}}}), {}, {}
    )
    assert viewer_for(scoped, None, None, {}) == Viewer("p0", None)


KEYS = st.sampled_from("retrieval reflex window sidecar recall kb id volunteer".split())
CONTENTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text("ab\n", max_size=5),
    lambda of: st.lists(of, max_size=3) | st.dictionaries(KEYS, of, max_size=4),
)


@given(CONTENTS)
def test_no_config_makes_it_raise(content: object) -> None:
    config = dump(content)
    client = content if isinstance(content, dict) else {}
    settings, _ = load_settings(config, client, {})
    assert 1 <= settings.reflex.window <= 64


PREFIX = "VOUCH_SIDECAR_SEMANTIC_"


@pytest.mark.parametrize(
    ("address", "taken"),
    [
        ("http://127.0.0.1:11434", "http://127.0.0.1:11434"),
        (" http://localhost/ ", "http://localhost:11434"),
        ("http://[::1]:8080", "http://[::1]:8080"),
        ("https://127.0.0.1", None),
        ("http://example.org", None),
        ("http://localhost.example.org", None),
        ("http://127.0.0.1@example.org", None),
        ("http://user@127.0.0.1", None),
        ("http://127.0.0.1:99999", None),
        ("http://127.0.0.1/api?x", None),
        ("http://[", None),
    ],
)
def test_a_model_is_asked_on_this_machine_alone(address: str, taken: str | None) -> None:
    for client, env in (
        ({"semantic": {"ollama": address}}, {}),
        ({}, {f"{PREFIX}OLLAMA": address}),
    ):
        settings, problems = load_settings(None, client, env)
        assert settings.semantic.ollama == taken
        said = ["must be an http address of this machine" in one.message for one in problems]
        assert said == ([True] if taken is None else [])


def test_a_repository_decides_neither_on_hover_nor_on_models() -> None:
    model = {"model": "/m", "ollama": "http://[::1]"}
    config = dump({"sidecar": {"semantic": model, "hover": {"enabled": False}}})
    settings, problems = load_settings(config, {}, {})
    assert settings == Settings()
    words = "counts in client settings and the environment alone; it is ignored"
    assert [one.message for one in problems] == [
        f"`sidecar.{name}` {words}" for name in ("semantic", "hover")
    ]
    own = {f"{PREFIX}MODEL": "~/model"}
    settings, problems = load_settings(None, {"semantic": {"model": "m"}}, own)
    assert (settings.semantic.model, problems) == ("~/model", ())


@pytest.mark.parametrize("said", ["off", False])
def test_what_a_repository_switches_off_nobody_switches_on(said: object) -> None:
    config = dump({"sidecar": {"people": {"git": said}}})
    env = {"VOUCH_SIDECAR_PEOPLE_GIT": "agents"}
    settings, problems = load_settings(config, {"people": {"git": "people"}}, env)
    assert (settings.people.git, problems) == ("off", ())
    assert load_settings(None, {"people": {"git": "people"}}, env)[0].people.git == "agents"
    assert load_settings(None, {"people": {"git": "agents"}}, {})[0].people.git == "agents"
    assert load_settings(None, {}, {"VOUCH_SIDECAR_PEOPLE_GIT": "false"})[0].people.git == "off"


@pytest.mark.parametrize("said", ["agents", "people"])
def test_a_repository_may_not_switch_people_on(said: str) -> None:
    config = dump({"sidecar": {"people": {"git": said}}})
    settings, (problem,) = load_settings(config, {"people": {"git": "off"}}, {})
    assert settings.people.git == "off"
    assert problem.message == "`sidecar.people.git` may only be `off` here; it is ignored"
    assert (problem.severity, problem.line) == (Severity.ERROR, 3)
    assert load_settings(config, {}, {})[0].people.git == "people"


def test_every_source_adds_to_those_who_are_never_named() -> None:
    config = dump({"sidecar": {"people": {"never": ["Ada", "Bob"]}}})
    env = {"VOUCH_SIDECAR_PEOPLE_NEVER": "Cy,Ada"}
    settings, problems = load_settings(config, {"people": {"never": ["Dee"]}}, env)
    assert (settings.people.never, problems) == (("Ada", "Bob", "Dee", "Cy"), ())
    assert load_settings(config, {"people": {"never": []}}, {})[0].people.never == ("Ada", "Bob")
