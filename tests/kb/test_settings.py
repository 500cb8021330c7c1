"""What each source of settings may say, and what is told of it where it says something wrong."""

from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
from pydantic import Field
from vouch_sidecar.kb import recall_limit
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.kb.records import Severity
from vouch_sidecar.kb.settings import GROUPS, Config, load_settings, names, viewer_for
from vouch_sidecar.kb.settings_model import Recall, Settings

from scripts import settings_docs
from tests.kb.samples import dump

PREFIX = "VOUCH_SIDECAR_"
RECALL = "sidecar:\n  recall:\n    "
LIST = "must be a list of short words, at most 200; it is ignored"
PERSONAL = "counts in client settings and the environment alone; it is ignored"
GIT = {"sidecar": {"people": {"git": "off"}}}
NEVER = {"sidecar": {"people": {"never": ["Ada", "Bob"]}}}
NAMES = {"sidecar": {"names": {"always": ["Beacon", " Gull "], "never": ["mark"]}}}
OLLAMA, CY = ("semantic.ollama", "http://localhost:11434"), {"PEOPLE_NEVER": "Cy,Ada"}
UNKNOWN_TO_US: dict[str, object] = {"kb": {"more": 1}, "sidecar": None, "sidecars": 5}
UNKNOWN_TO_US |= {"retrieval": {"backend": "fts5", "scope": {"more": 1}}}
UNKNOWN_TO_US |= {"volunteer": {"poll_interval_seconds": 2}}


def test_a_setting_is_one_line_of_one_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last source that names it wins."""

    class More(Recall, path="sidecar.recall", listed={"second_looks"}):
        second_looks: int = Field(7, ge=1, le=9, description="how often it looks again")

    monkeypatch.setitem(GROUPS, "recall", More)
    config = Config(dump({"sidecar": {"recall": {"second_looks": 2}}}))
    env = f"{PREFIX}RECALL_SECOND_LOOKS"
    client = {"recall": {"secondLooks": 3}}

    def looks(*given: Any) -> object:
        settings, problems = load_settings(*given)
        assert problems == ()
        return settings.recall.model_dump()["second_looks"]

    assert looks(None, {}, {}) == 7
    assert looks(config, {}, {}) == 2
    assert looks(config, client, {}) == 3
    assert looks(config, {"recall": {"second_looks": 4}}, {}) == 4
    assert looks(config, client, {env: "5"}) == 5
    [problem] = load_settings(None, {}, {env: "10"})[1]
    assert problem.message == f"`{env}` must be a whole number from 1 to 9; it is ignored"
    assert "| `sidecar.recall.second_looks` | 7 | 1–9 | how often it" in settings_docs.table()
    assert "vouchSidecar.recall.secondLooks" in str(settings_docs.configuration())
    assert "  'recall.secondLooks',\n" in settings_docs.client_names()


@pytest.mark.parametrize(
    ("config", "client", "env", "name", "value"),
    [
        (UNKNOWN_TO_US, {}, {}, "general.persona", None),
        ({"kb": {"id": "k"}}, {}, {}, "kb.id", "k"),
        ({"sidecar": {"persona": "  clerk "}}, {}, {}, "general.persona", "clerk"),
        ({"retrieval": {"reflex": False}}, {}, {}, "reflex.enabled", False),
        ({"sidecar": {"recall": True}}, {}, {}, "recall.enabled", True),
        ({"sidecar": {"recall": {"enabled": None}}}, {}, {}, "recall.enabled", True),
        ({}, {"hover": {"enabled": "prose"}}, {}, "hover.enabled", "prose"),
        ({}, {}, {"PROMPTS_IDLE_MS": "0"}, "prompts.idle_ms", 0),
        ({}, {}, {"RECALL_FALLBACK_TO_FTS": " yes "}, "recall.fallback_to_fts", True),
        (NAMES, {"names": {"never": []}}, {}, "naming.never", ()),
        (NAMES, {}, {"NAMES_NEVER": "mark, go,"}, "naming.never", ("mark", "go")),
        (NEVER, {"people": {"never": []}}, {}, "people.never", ("Ada", "Bob")),
        (NEVER, {"people": {"never": ["Dee"]}}, CY, "people.never", ("Ada", "Bob", "Dee", "Cy")),
        (GIT, {"people": {"git": "people"}}, {"PEOPLE_GIT": "agents"}, "people.git", "off"),
        ({}, {"people": {"git": "people"}}, {"PEOPLE_GIT": "agents"}, "people.git", "agents"),
        ({}, {}, {"PEOPLE_GIT": "false"}, "people.git", "off"),
        ({}, {"semantic": {"model": "m"}}, {"SEMANTIC_MODEL": "~/m"}, "semantic.model", "~/m"),
        ({}, {"semantic": {"ollama": " http://localhost/ "}}, {}, *OLLAMA),
        ({}, {"semantic": {"ollama": "http://[::1]:8080"}}, {}, OLLAMA[0], "http://[::1]:8080"),
    ],
)
def test_what_is_set_counts(
    config: object, client: dict[str, object], env: dict[str, str], name: str, value: object
) -> None:
    variables = {f"{PREFIX}{key}": text for key, text in env.items()}
    settings, problems = load_settings(Config(dump(config)), client, variables)
    assert problems == ()
    assert attrgetter(name)(settings) == value


@pytest.mark.parametrize(
    ("text", "field", "place", "said"),
    [
        ("retrieval:\n  reflex:\n    window: true\n", "retrieval.reflex.window", (3, 5), "whole"),
        ("retrieval:\n  reflex:\n    window: 65\n", "retrieval.reflex.window", (3, 5), "1 to 64"),
        ("retrieval:\n  reflex:\n    enabled: 1\n", "retrieval.reflex.enabled", (3, 5), "true or"),
        ("sidecar: {probe: off}", "sidecar.probe", (1, 11), "a mapping"),
        ("sidecar:\n  recall: {timeout_ms: .nan}\n", "sidecar.recall.timeout_ms", (2, 12), "whole"),
        ("volunteer:\n  threshold: '0.5'\n", "volunteer.threshold", (2, 3), "a number from 0 to 1"),
        ("sidecar:\n  persona: [x]\n", "sidecar.persona", (2, 3), "a short text on one line"),
        ("version: 1\nkb: 5\n", "kb", (2, 1), "a mapping"),
        ("sidecar: {names: {always: Beacon}}", "sidecar.names.always", (1, 19), LIST),
        (f"sidecar: {{names: {{never: {['x'] * 201}}}}}", "sidecar.names.never", (1, 19), LIST),
        ("sidecar: {semantic: {model: /m}}", "sidecar.semantic", (1, 11), PERSONAL),
        ("sidecar: {hover: {enabled: off}}", "sidecar.hover", (1, 11), PERSONAL),
        ("sidecar: {people: {git: agents}}", "sidecar.people.git", (1, 20), "only be `off` here"),
        ("retrieval:\n  reflex: {windw: 4}\n", "retrieval.reflex.windw", (2, 12), ".window`?"),
        ("version: 1\nsidecar:\n  recal: {x: 1}\n", "sidecar.recal", (3, 3), "`sidecar.recall`?"),
        ("sidecar:\n  max_results: 4\n", "sidecar.max_results", (2, 3), "recall.max_results`?"),
        ("sidecar: {recall.max_results: 4}\n", "sidecar.recall.max_results", (1, 1), "max_results"),
        ("sidecar: {1: 4}\n", "sidecar.1", (1, 11), "is no setting"),
        (f'sidecar: {{"a\\e`{"b" * 500}": 1}}', f"sidecar.a??{'b' * 69}", (1, 11), "is no setting"),
    ],
)
def test_what_is_wrong_is_ignored(text: str, field: str, place: tuple[int, int], said: str) -> None:
    settings, [problem] = load_settings(Config(text.encode()), {}, {})
    assert settings == Settings()
    assert (problem.path, problem.field) == ("config.yaml", field)
    assert (problem.line, problem.column) == place
    assert problem.message.startswith(f"`{field}` ")
    assert said in problem.message
    is_unknown = said == PERSONAL or "is no setting" in problem.message
    assert problem.severity is (Severity.WARNING if is_unknown else Severity.ERROR)


def test_of_many_unknown_settings_some_are_named() -> None:
    text = "sidecar:\n" + "".join(f"  key{number}: 1\n" for number in range(9_000))
    assert len(load_settings(Config(text.encode()), {}, {})[1]) == 20


@pytest.mark.parametrize(
    "address",
    [
        *("https://127.0.0.1", "http://example.org", "http://localhost.example.org"),
        *("http://127.0.0.1@example.org", "http://user@127.0.0.1", "http://127.0.0.1:99999"),
        *("http://127.0.0.1/api?x", "http://["),
    ],
)
def test_a_model_is_asked_on_this_machine_alone(address: str) -> None:
    client, env = {"semantic": {"ollama": address}}, {f"{PREFIX}SEMANTIC_OLLAMA": address}
    for settings, (problem,) in (load_settings(None, client, {}), load_settings(None, {}, env)):
        assert settings.semantic.ollama is None
        assert "must be an http address of this machine" in problem.message


@pytest.mark.parametrize("config", [b"kb: [", b"- a", b"\xff", b"kb: {id: x}\nkb: &a [*a]"])
def test_a_config_that_cant_be_read_leaves_defaults_and_nobody_asking(config: bytes) -> None:
    settings, problems = load_settings(Config(config), {}, {})
    assert settings == Settings()
    assert [p.path for p in problems] == ["config.yaml"]
    assert viewer_for(settings, None, None, {}) == Viewer()


def test_who_asks_is_decided_for_project_and_agent_apart() -> None:
    config = dump({"kb": {"id": "k"}, "retrieval": {"scope": {"agent": "a0"}}})
    settings, _ = load_settings(Config(config), {}, {})
    assert viewer_for(settings, None, None, {}) == Viewer("k", "a0")
    env = {"VOUCH_PROJECT": "p1", "VOUCH_AGENT": "  "}
    assert viewer_for(settings, None, None, env) == Viewer("p1", "a0")
    init = Viewer("p2", "a2")
    assert viewer_for(settings, None, init, env) == Viewer("p2", "a2")
    assert viewer_for(settings, Viewer(" p3 ", ""), init, env) == Viewer("p3", "a2")
    config = dump({"kb": {"id": "k"}, "retrieval": {"scope": {"project": "p0"}}})
    settings, _ = load_settings(Config(config), {}, {})
    assert viewer_for(settings, None, None, {}) == Viewer("p0", None)


@pytest.mark.parametrize(
    "text",
    [
        "",
        f"{RECALL}timeout_ms: 300",
        "\ufeff'sidecar': # of ours\n\n \"recall\":\n# fast\n  timeout_ms : 1_000 # or less",
        *(
            f"{RECALL}timeout_ms: {value}"
            for value in "99 100 10000 10001 3e2 '300' 300#few".split()
        ),
        f"{RECALL}timeout_ms: 300\t# slow disk",
        f"{RECALL}# timeout_ms: 300",
        f"{RECALL}timeout_ms: {'9' * 5000}",
        f"recall:\n  timeout_ms: 300\n{RECALL}max_results: 2",
        f"{RECALL}timeout_ms: ٣٠٠",
        f"{RECALL}timeout_ms: 0000100099",
        f"{RECALL}timeout_ms: 300\n    timeout_ms: 99",
        f"{RECALL}timeout_ms: 300\n    timeout_ms:",
        f"{RECALL}timeout_ms: 300\n  recall:\n    max_results: 2",
        f"{RECALL}timeout_ms: 300\nsidecar:\n  probe: {{}}",
        f"{RECALL}max_results: 2\n  probe:\n    timeout_ms: 300",
        f"{RECALL}max_results: 2\nkb: {{}}\ntimeout_ms: 300",
    ],
)
def test_a_hook_reads_the_time_limit_that_counts(tmp_path: Path, text: str) -> None:
    config = tmp_path / ".vouch" / "config.yaml"
    config.parent.mkdir()
    config.write_text(text, "utf-8")
    settings, _ = load_settings(Config(config.read_bytes()), {}, {})
    read = recall_limit.limit_of(str(tmp_path)) or recall_limit.DEFAULT
    assert read == settings.recall.timeout_ms
    named = {(name.file, name.environment) for name in names()}
    assert (".".join(recall_limit.PATH), recall_limit.VARIABLE) in named
