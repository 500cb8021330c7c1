"""What may be tuned: defaults, `config.yaml`, client settings, environment; the last wins.

A value of the wrong type or out of range is a problem and counts as not given.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from sidecar.kb.access import Viewer
from sidecar.kb.document import DocumentError, decode, load
from sidecar.kb.layout import CONFIG
from sidecar.kb.reader import locate
from sidecar.kb.records import Problem, Severity

__all__ = [
    "Hover",
    "Probe",
    "Prompts",
    "Recall",
    "Reflex",
    "Settings",
    "Volunteer",
    "load_settings",
    "viewer_for",
]

PREFIX = "VOUCH_SIDECAR_"
_MISSING = object()


def _bounded(
    kind: type[int] | type[float], default: float | None, low: float, high: float = math.inf
) -> Any:
    return field(default=default, metadata={"kind": kind, "low": low, "high": high})


def _switch(default: bool) -> Any:
    return field(default=default, metadata={"kind": bool})


@dataclass(frozen=True, slots=True)
class Reflex:
    """`retrieval.reflex`: the window of a session and what is said of it."""

    enabled: bool = _switch(True)
    window: int = _bounded(int, 8, 1, 64)
    top_k: int = _bounded(int, 3, 1, 20)


@dataclass(frozen=True, slots=True)
class Volunteer:
    """`volunteer`: what is said without being asked; None where nobody has set it."""

    enabled: bool = _switch(True)
    threshold: float | None = _bounded(float, None, 0, 1)
    throttle_seconds: float | None = _bounded(float, None, 0, 86_400)
    max_per_session: int | None = _bounded(int, None, 0, 10_000)


@dataclass(frozen=True, slots=True)
class Recall:
    """`sidecar.recall`: the block for a prompt."""

    enabled: bool = _switch(True)
    max_results: int = _bounded(int, 3, 1, 10)
    similarity_threshold: float = _bounded(float, 0.40, 0, 1)
    max_context_chars: int = _bounded(int, 1000, 100, 5000)
    timeout_ms: int = _bounded(int, 500, 100, 10_000)
    fallback_to_fts: bool = _switch(True)
    include_key_facts: bool = _switch(True)
    min_prompt_len: int = _bounded(int, 10, 1, 500)


@dataclass(frozen=True, slots=True)
class Prompts:
    """`sidecar.prompts`: when a prompt that is typed counts as still."""

    idle_ms: int = _bounded(int, 300, 0, 10_000)


@dataclass(frozen=True, slots=True)
class Hover:
    """`sidecar.hover`, which no repository decides."""

    enabled: bool = _switch(True)
    max_claims: int = _bounded(int, 3, 1, 10)


@dataclass(frozen=True, slots=True)
class Probe:
    """`sidecar.probe`: how many knowledge bases are probed; None for all."""

    max_collections: int | None = _bounded(int, None, 1, 10_000)


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
    layers = [
        _Layer(_mapping(config, problems), problems, _config_place(config)),
        _Layer(client or {}, problems, _nowhere("client settings")),
        _Layer(_from_env(env), problems, _nowhere("environment")),
    ]
    sections: dict[str, Any] = {
        name: made(**_section(path, made, layers[1:] if name in _CLIENT_ONLY else layers))
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


def _mapping(config: bytes | None, problems: list[Problem]) -> Mapping[str, object]:
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


Place = Callable[[str, str], Problem]


def _config_place(config: bytes | None) -> Place:
    def problem(name: str, message: str) -> Problem:
        line, column = locate(CONFIG, config or b"", name)
        return Problem(CONFIG, message, Severity.ERROR, line, column, name)

    return problem


def _nowhere(whose: str) -> Place:
    def problem(name: str, message: str) -> Problem:
        return Problem("", f"{whose}: {message}", Severity.ERROR, field=name)

    return problem


@dataclass(frozen=True, slots=True)
class _Layer:
    """One place that settings come from."""

    values: Mapping[str, object]
    problems: list[Problem]
    place: Place

    def get(self, path: str) -> object:
        """The value at a dotted path, or `_MISSING`."""
        value: object = self.values
        for step in path.split("."):
            if not isinstance(value, Mapping) or value.get(step) is None:
                return _MISSING
            value = value[step]
        return value

    def section(self, path: str) -> Mapping[str, object]:
        value = self.get(path)
        if value is _MISSING or isinstance(value, Mapping):
            return value if isinstance(value, Mapping) else {}
        self.refuse(path, "must be a mapping")
        return {}

    def label(self, path: str) -> str | None:
        """A short text on one line; None where there is none."""
        value = self.get(path)
        if value is _MISSING:
            return None
        if not isinstance(value, str) or len(value) > 256 or not value.isprintable():
            self.refuse(path, "must be a short text on one line")
            return None
        return value.strip() or None

    def refuse(self, path: str, words: str) -> None:
        self.problems.append(self.place(path, f"`{path}` {words}; it is ignored"))


def _section(path: str, made: type[Any], layers: list[_Layer]) -> dict[str, object]:
    """What the layers give for one section, the last one winning."""
    values: dict[str, object] = {}
    for layer in layers:
        given = layer.section(path)
        for item in fields(made):
            value = given.get(item.name)
            if value is None:
                continue
            read = _read(value, item.metadata)
            if read is None:
                layer.refuse(f"{path}.{item.name}", _expected(item.metadata))
            else:
                values[item.name] = read
    return values


def _read(value: object, spec: Mapping[str, Any]) -> bool | int | float | None:
    """A value of the kind and in the range that its field asks for, or None."""
    kind = spec["kind"]
    if kind is bool:
        return value if isinstance(value, bool) else None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if not spec["low"] <= value <= spec["high"] or (kind is int and value != int(value)):
        return None
    return kind(value)  # type: ignore[no-any-return]


def _expected(spec: Mapping[str, Any]) -> str:
    if spec["kind"] is bool:
        return "must be true or false"
    what = "a whole number" if spec["kind"] is int else "a number"
    return f"must be {what} from {spec['low']} to {spec['high']}"


def _from_env(env: Mapping[str, str]) -> dict[str, object]:
    """The environment, nested as `config.yaml` is: `VOUCH_SIDECAR_RECALL_MAX_RESULTS=5`."""
    nested: dict[str, Any] = {"sidecar": {}, "retrieval": {}}
    for name, (path, made) in _SECTIONS.items():
        found = {
            item.name: _literal(env[key], item.metadata["kind"])
            for item in fields(made)
            if env.get(key := f"{PREFIX}{name}_{item.name}".upper(), "").strip()
        }
        room, _, last = path.rpartition(".")
        (nested[room] if room else nested)[last] = found
    nested["sidecar"]["persona"] = env.get(f"{PREFIX}PERSONA")
    return nested


def _literal(text: str, kind: type[Any]) -> object:
    """What a variable says, as far as it can be read; else its text, which fits nothing."""
    text = text.strip()
    if kind is bool:
        words = {"1": True, "true": True, "yes": True, "on": True}
        words |= {"0": False, "false": False, "no": False, "off": False}
        return words.get(text.casefold(), text)
    try:
        return int(text) if kind is int else float(text)
    except ValueError:
        return text
