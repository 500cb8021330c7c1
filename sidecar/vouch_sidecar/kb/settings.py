"""What may be tuned: defaults, `config.yaml`, client settings, environment; the last wins.

A value of the wrong type or out of range is a problem and counts as not given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.kb.layers import Layer, Place, bounded, literal, section, switch
from vouch_sidecar.kb.layout import CONFIG
from vouch_sidecar.kb.placing import placed
from vouch_sidecar.kb.records import Problem, Severity

__all__ = [
    "Hover",
    "Probe",
    "Prompts",
    "Recall",
    "Reflex",
    "Settings",
    "Volunteer",
    "config_mapping",
    "load_settings",
    "settings_of",
    "viewer_for",
]

PREFIX = "VOUCH_SIDECAR_"


@dataclass(frozen=True, slots=True)
class Reflex:
    """`retrieval.reflex`: the window of a session and what is said of it."""

    enabled: bool = switch(True)
    window: int = bounded(int, 8, 1, 64)
    top_k: int = bounded(int, 3, 1, 20)


@dataclass(frozen=True, slots=True)
class Volunteer:
    """`volunteer`: what is said without being asked; None where nobody has set it."""

    enabled: bool = switch(True)
    threshold: float | None = bounded(float, None, 0, 1)
    throttle_seconds: float | None = bounded(float, None, 0, 86_400)
    max_per_session: int | None = bounded(int, None, 0, 10_000)


@dataclass(frozen=True, slots=True)
class Recall:
    """`sidecar.recall`: the block for a prompt."""

    enabled: bool = switch(True)
    max_results: int = bounded(int, 3, 1, 10)
    similarity_threshold: float = bounded(float, 0.40, 0, 1)
    max_context_chars: int = bounded(int, 1000, 100, 5000)
    timeout_ms: int = bounded(int, 500, 100, 10_000)
    fallback_to_fts: bool = switch(True)
    include_key_facts: bool = switch(True)
    min_prompt_len: int = bounded(int, 10, 1, 500)


@dataclass(frozen=True, slots=True)
class Prompts:
    """`sidecar.prompts`: when a prompt that is typed counts as still."""

    idle_ms: int = bounded(int, 300, 0, 10_000)


@dataclass(frozen=True, slots=True)
class Hover:
    """`sidecar.hover`, which no repository decides. Seven claims are a dozen lines."""

    enabled: bool = switch(True)
    max_claims: int = bounded(int, 3, 1, 7)


@dataclass(frozen=True, slots=True)
class Probe:
    """`sidecar.probe`: how many knowledge bases are probed; None for all."""

    max_collections: int | None = bounded(int, None, 1, 10_000)


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that may be tuned, and what a knowledge base says of itself.

    `project` and `agent` are those of `retrieval.scope`.
    """

    reflex: Reflex = Reflex()
    volunteer: Volunteer = Volunteer()
    recall: Recall = Recall()
    prompts: Prompts = Prompts()
    hover: Hover = Hover()
    probe: Probe = Probe()
    persona: str | None = None
    kb_id: str | None = None
    kb_name: str | None = None
    project: str | None = None
    agent: str | None = None


_SECTIONS: dict[str, tuple[str, type[Any]]] = {
    "reflex": ("retrieval.reflex", Reflex),
    "volunteer": ("volunteer", Volunteer),
    "recall": ("sidecar.recall", Recall),
    "prompts": ("sidecar.prompts", Prompts),
    "hover": ("sidecar.hover", Hover),
    "probe": ("sidecar.probe", Probe),
}
_PARENTS = ("kb", "retrieval", "retrieval.scope", "sidecar")
"""What holds settings and is none itself."""
_CLIENT_ONLY = frozenset({"hover"})
_LABELS = {
    "kb_id": "kb.id",
    "kb_name": "kb.name",
    "project": "retrieval.scope.project",
    "agent": "retrieval.scope.agent",
}


def load_settings(
    config: bytes | None, client: Mapping[str, object] | None, env: Mapping[str, str]
) -> tuple[Settings, tuple[Problem, ...]]:
    """Settings of one knowledge base. `client` is nested as `config.yaml` is.

    A `config.yaml` that can't be read leaves the defaults: no project and no agent, so that
    whatever is bound to one stays unseen. Problems of client and environment have no path.
    """
    problems: list[Problem] = []
    mapping = config_mapping(config, problems)
    settings, found = _settings(mapping, problems, _config_place(config), client, env)
    return settings, _placed(found, config)


def _placed(problems: Sequence[Problem], config: bytes | None) -> tuple[Problem, ...]:
    here = placed((one for one in problems if one.path), config or b"")
    return (*here, *(one for one in problems if not one.path))


def settings_of(mapping: Mapping[str, object], env: Mapping[str, str]) -> Settings:
    """As `load_settings`, from what `config_mapping` gave."""
    return _settings(mapping, [], _nowhere(str), None, env)[0]


def _settings(
    mapping: Mapping[str, object],
    problems: list[Problem],
    place: Place,
    client: Mapping[str, object] | None,
    env: Mapping[str, str],
) -> tuple[Settings, tuple[Problem, ...]]:
    layers = [
        Layer(mapping, problems, place),
        Layer(client or {}, problems, _nowhere(_in_client)),
        Layer(_from_env(env), problems, _nowhere(_in_env)),
    ]
    for path in _PARENTS:
        layers[0].section(path)
    sections: dict[str, Any] = {
        name: made(**section(path, made, layers[1:] if name in _CLIENT_ONLY else layers))
        for name, (path, made) in _SECTIONS.items()
    }
    sections |= {name: layers[0].label(path) for name, path in _LABELS.items()}
    personas = [layer.label("sidecar.persona") for layer in layers]
    persona = next((label for label in reversed(personas) if label is not None), None)
    return Settings(**sections, persona=persona), tuple(problems)


def viewer_for(
    settings: Settings,
    params_viewer: Viewer | None,
    init_viewer: Viewer | None,
    env: Mapping[str, str],
) -> Viewer:
    """Who asks: the first that is not blank, project and agent each for itself."""
    given = [viewer for viewer in (params_viewer, init_viewer) if viewer is not None]
    projects = [viewer.project for viewer in given]
    agents = [viewer.agent for viewer in given]
    return Viewer(
        _first([*projects, env.get("VOUCH_PROJECT"), settings.project, settings.kb_id]),
        _first([*agents, env.get("VOUCH_AGENT"), settings.agent]),
    )


def _first(values: list[str | None]) -> str | None:
    return next((value.strip() for value in values if value and value.strip()), None)


def config_mapping(config: bytes | None, problems: list[Problem]) -> Mapping[str, object]:
    """What `config.yaml` holds, as far as it can be read."""
    from vouch_sidecar.kb.document import DocumentError, decode, load  # brings YAML along

    if config is None:
        return {}
    try:
        loaded = load(decode(config))
    except DocumentError as error:
        problems.append(Problem(CONFIG, error.message, Severity.ERROR, error.line, error.column))
        return {}
    for name, line, column in loaded.repeated:
        message = "a name is given twice; the last one counts"
        problems.append(Problem(CONFIG, message, Severity.WARNING, line, column, name))
    if loaded.value is None:
        return {}
    if not isinstance(loaded.value, dict):
        problems.append(Problem(CONFIG, "the file must be a mapping of names to values"))
        return {}
    return loaded.value


def _config_place(config: bytes | None) -> Place:
    def problem(name: str, words: str) -> Problem:
        from vouch_sidecar.kb.reader import locate  # brings pydantic along

        line, column = locate(CONFIG, config or b"", name)
        return Problem(CONFIG, f"`{name}` {words}", Severity.ERROR, line, column, name)

    return problem


def _nowhere(spelled: Callable[[str], str]) -> Place:
    """Problems without a file: a message gives the name as it is spelled where it was set."""

    def problem(name: str, words: str) -> Problem:
        return Problem("", f"`{spelled(name)}` {words}", Severity.ERROR, field=name)

    return problem


def _in_client(name: str) -> str:
    return f"vouchSidecar.{_short(name)}"


def _in_env(name: str) -> str:
    return (PREFIX + _short(name).replace(".", "_")).upper()


def _short(name: str) -> str:
    """Without the part of `config.yaml` that a setting stands in."""
    return name.removeprefix("sidecar.").removeprefix("retrieval.")


def _from_env(env: Mapping[str, str]) -> dict[str, object]:
    """The environment, nested as `config.yaml` is: `VOUCH_SIDECAR_RECALL_MAX_RESULTS=5`."""
    nested: dict[str, Any] = {"sidecar": {}, "retrieval": {}}
    for name, (path, made) in _SECTIONS.items():
        found = {
            item.name: literal(env[key], item.metadata["kind"])
            for item in fields(made)
            if env.get(key := f"{PREFIX}{name}_{item.name}".upper(), "").strip()
        }
        room, _, last = path.rpartition(".")
        (nested[room] if room else nested)[last] = found
    nested["sidecar"]["persona"] = env.get(f"{PREFIX}PERSONA")
    return nested
