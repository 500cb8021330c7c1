"""Reads the settings: defaults, `config.yaml`, client settings, environment; the last wins."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

from pydantic import ValidationError
from pydantic.alias_generators import to_camel

from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.kb.artifact_files import CONFIG
from vouch_sidecar.kb.discovery import NO_SETTINGS, SETTINGS_PREFIX
from vouch_sidecar.kb.records import Problem, Severity
from vouch_sidecar.kb.settings_model import Group, SettingSource
from vouch_sidecar.kb.settings_model import Settings as Settings
from vouch_sidecar.kb.yaml_document import DocumentError, YamlDocument, decode, placed

CLIENT = "vouchSidecar"
_NOT_SHOWN = re.compile(r"[^\w.\- ]")
MAX_PROBLEMS = 20
"""Problems that are reported for one source at most."""
GROUPS: dict[str, type[Group]] = {
    name: info.annotation  # type: ignore[misc]
    for name, info in Settings.model_fields.items()
}
"""The model of each field of `Settings`."""
OWN_SECTIONS = ("retrieval.reflex.", "volunteer.", "sidecar.")
"""The parts of `config.yaml` in which every key must be known; elsewhere a key may be vouch's."""


class SettingName(NamedTuple):
    """A setting: its group, its field, and its name in each source."""

    group: type[Group]
    field: str
    file: str
    client: str
    environment: str


def names() -> list[SettingName]:
    """Every setting."""
    settings = []
    for group in GROUPS.values():
        for field in group.model_fields:
            file = f"{group.path}.{field}"
            short = file.removeprefix("sidecar.").removeprefix("retrieval.")
            client = ".".join([CLIENT, *map(to_camel, short.split("."))])
            environment = SETTINGS_PREFIX + short.replace(".", "_").upper()
            settings.append(SettingName(group, field, file, client, environment))
    return settings


def load_settings(
    config: bytes | None, client: Mapping[str, object], env: Mapping[str, str]
) -> tuple[Settings, tuple[Problem, ...]]:
    """Settings of one knowledge base. `client` is nested: `{"recall": {"max_results": 5}}`.

    A `config.yaml` that can't be read leaves the defaults: no project and no agent, so that
    whatever is bound to one stays unseen. Problems of client and environment have no path.
    """
    problems: list[Problem] = []
    mapping = config_mapping(config, problems)
    own = {name: text.strip() for name, text in env.items() if name.startswith(SETTINGS_PREFIX)}
    layers = [
        _Given("file", mapping),
        _Given("client", {CLIENT: client}),
        _Given("environment", {name: text for name, text in own.items() if text}),
    ]
    groups: dict[str, Any] = {}
    for name, group in GROUPS.items():
        groups[name] = group.model_validate(
            _merged(group, [layer.values(group) for layer in layers])
        )
    more = [problem for layer in layers for problem in layer.problems(config or b"")]
    return Settings(**groups), (*placed(problems, config or b""), *more)


def _merged(group: type[Group], given: Sequence[Mapping[str, Any]]) -> dict[str, object]:
    """The values of a group from all sources. The last source wins, except over values that are
    final.
    """
    values: dict[str, object] = {}
    for layer in given:
        values |= layer
    for field in group.added & values.keys():
        lists = (layer.get(field, ()) for layer in given)
        values[field] = tuple(dict.fromkeys(word for words in lists for word in words))
    return values | {field: given[0][field] for field in group.final.keys() & given[0].keys()}


class _Given:
    """The settings of one source, and the problems in them. `_faults` holds the name in this
    source, the message and the severity.
    """

    def __init__(self, source: SettingSource, tree: Mapping[str, object]) -> None:
        self._source = source
        self._faults: list[tuple[str, str, Severity]] = []
        self._settings = {getattr(n, source): n for n in names() if source in n.group.sources}
        self._groups = {n[:at] for n in self._settings for at, c in enumerate(n) if c == "."}
        self._given: dict[SettingName, object] = {}
        self._take(tree, "")

    def _take(self, tree: Mapping[str, object], above: str) -> None:
        for key, value in tree.items():
            name = above + (to_camel(str(key)) if self._source == "client" else str(key))
            is_one_key = "." not in str(key)
            if is_one_key and name in self._groups:
                if isinstance(value, Mapping):
                    self._take(value, f"{name}.")
                elif isinstance(value, bool) and f"{name}.enabled" in self._settings:
                    self._take({"enabled": value}, f"{name}.")
                elif value is not None:
                    self._refuse(name, "must be a mapping")
            elif is_one_key and name in self._settings:
                self._given[self._settings[name]] = value
            elif self._must_be_known(name) and len(self._faults) < MAX_PROBLEMS:
                self._faults.append((name, self._unknown(name), Severity.WARNING))

    def _must_be_known(self, name: str) -> bool:
        vouchs = {f"{group.path}.{key}" for group in GROUPS.values() for key in group.others}
        if self._source == "file":
            return name.startswith(OWN_SECTIONS) and name not in vouchs
        return name not in NO_SETTINGS

    def _unknown(self, name: str) -> str:
        elsewhere = {n.file for n in names() if self._source not in n.group.sources}
        if any(f"{other}.".startswith(f"{name}.") for other in elsewhere):
            return "counts in client settings and the environment alone; it is ignored"
        nearest = get_close_matches(
            name[:80], sorted(self._settings.keys() | self._groups), 1, cutoff=0
        )
        return f"is no setting; did you mean `{nearest[0]}`?"

    def _refuse(self, name: str, words: str) -> None:
        self._faults.append((name, f"{words}; it is ignored", Severity.ERROR))

    def values(self, group: type[Group]) -> dict[str, object]:
        """The values of a group in this source, by field, as far as its model accepts them."""
        values: dict[str, object] = {}
        for name, given in self._given.items():
            if name.group is not group or given is None:
                continue
            own, final = str(getattr(name, self._source)), group.final.get(name.field)
            try:
                value = self._read(name, given)
            except ValidationError:
                self._refuse(own, f"must be {_expected(group, name.field)}")
                continue
            if self._source == "file" and final is not None and value != final:
                self._refuse(own, f"may only be `{str(final).lower()}` here")
            else:
                values[name.field] = value
        return values

    def _read(self, name: SettingName, given: object) -> object:
        """A value as its model reads it. The environment has only texts, and lists with commas; in
        other sources a text is no number and no list.
        """
        if self._source == "environment" and schema_of(name.group, name.field)["type"] == "array":
            given = str(given).split(",")
        is_strict = self._source != "environment"
        model = name.group.model_validate({name.field: given}, strict=is_strict)
        value: object = getattr(model, name.field)
        return value

    def problems(self, config: bytes) -> tuple[Problem, ...]:
        """The problems, errors first; those of the file have a place."""
        faults = sorted(self._faults, key=lambda fault: fault[2] is not Severity.ERROR)[
            :MAX_PROBLEMS
        ]
        path, document = "", None
        if self._source == "file" and faults:
            path, document = CONFIG, YamlDocument(decode(config))
        problems = []
        for name, words, severity in faults:
            place = (1, 1) if document is None else document.place(name.split("."))
            shown = _NOT_SHOWN.sub("?", name)[:80]
            field = self._settings[name].file if name in self._settings else shown
            message = f"`{shown}` {words}"
            problems.append(Problem(path, message, severity, *place, field, code="setting"))
        return placed(problems, config)


def schema_of(group: type[Group], field: str) -> dict[str, Any]:
    """Type, range, default and description of a setting, as JSON Schema has them."""
    schema: dict[str, Any] = group.model_json_schema()["properties"][field]
    return schema | next(
        (variant for variant in schema.get("anyOf", ()) if variant["type"] != "null"), {}
    )


def _expected(group: type[Group], field: str) -> str:
    """The type and the range of a setting in words."""
    shape = schema_of(group, field)
    if "enum" in shape:
        return f"one of {', '.join(shape['enum'])}"
    what = {
        "boolean": "true or false",
        "integer": "a whole number",
        "number": "a number",
        "array": "a list of short words, at most 200",
    }
    words = shape.get("x-expected") or what.get(shape["type"], "a short text on one line")
    if "minimum" in shape:
        words += f" from {shape['minimum']:g} to {shape['maximum']:g}"
    return words


def viewer_for(
    settings: Settings,
    params_viewer: Viewer | None,
    init_viewer: Viewer | None,
    env: Mapping[str, str],
) -> Viewer:
    """The viewer with the first project and the first agent that are not blank."""
    given = [viewer for viewer in (params_viewer, init_viewer) if viewer is not None]
    projects = [viewer.project for viewer in given]
    agents = [viewer.agent for viewer in given]
    projects += [env.get("VOUCH_PROJECT"), settings.scope.project, settings.kb.id]
    agents += [env.get("VOUCH_AGENT"), settings.scope.agent]
    return Viewer(
        next((name.strip() for name in projects if name and name.strip()), None),
        next((name.strip() for name in agents if name and name.strip()), None),
    )


def config_mapping(config: bytes | None, problems: list[Problem]) -> Mapping[str, object]:
    """The mapping in `config.yaml`, as far as it can be read."""
    if config is None:
        return {}
    try:
        loaded = YamlDocument(decode(config))
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
