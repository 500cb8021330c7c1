"""Reads the settings: defaults, `config.yaml`, client settings, environment; the last wins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from itertools import chain
from typing import Any, NamedTuple

from pydantic import ValidationError
from pydantic.alias_generators import to_camel

from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.kb.artifact_files import CONFIG
from vouch_sidecar.kb.discovery import ASKS_AS, SETTINGS_PREFIX, is_setting, values_in
from vouch_sidecar.kb.records import Problem, Severity
from vouch_sidecar.kb.sanitize import shown_name
from vouch_sidecar.kb.settings_model import Group, SettingSource
from vouch_sidecar.kb.settings_model import Settings as Settings
from vouch_sidecar.kb.yaml_document import DocumentError, YamlDocument, decode

CLIENT = "vouchSidecar"
MAX_PROBLEMS = 20
"""Problems that are reported for one source at most."""
GROUPS: dict[str, type[Group]] = {
    name: info.annotation  # type: ignore[misc]
    for name, info in Settings.model_fields.items()
}
"""The model of each field of `Settings`."""
OWN_SECTIONS = ("retrieval.reflex.", "volunteer.", "sidecar.")
VOUCHS_OWN = "volunteer.poll_interval_seconds"
"""The parts of `config.yaml` in which every key but this must be known; elsewhere a key may be
vouch's.
"""


class Config:
    """`config.yaml`, read once. It equals one with the same `data`. Of one that can't be read,
    `error` says why, and nothing of it counts.
    """

    def __init__(self, data: bytes) -> None:
        self.data, self.error = data, None
        try:
            self.document = YamlDocument(decode(data))
            if not isinstance(self.document.value, dict | None):
                raise DocumentError("the file must be a mapping of names to values")
        except DocumentError as error:
            self.document = YamlDocument("")
            self.error = Problem(CONFIG, str(error), line=error.line, column=error.column)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Config) and self.data == other.data


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
    config: Config | None, client: Mapping[str, object], env: Mapping[str, str]
) -> tuple[Settings, tuple[Problem, ...]]:
    """Settings of one knowledge base. `client` is nested: `{"recall": {"max_results": 5}}`.

    A `config.yaml` that can't be read leaves the defaults: no project and no agent, so that
    whatever is bound to one stays unseen. Problems of client and environment have no path.
    """
    config = config or Config(b"")
    in_file = config.document.value
    problems = [config.error] if config.error else config.document.repeated(CONFIG)
    own = {name: text.strip() for name, text in env.items() if is_setting(name)}
    of_file = _Given("file", in_file if isinstance(in_file, dict) else {})
    others = (
        _Given("client", {CLIENT: client}),
        _Given("environment", {name: text for name, text in own.items() if text}),
    )
    values = dict(of_file.values)
    for name, value in chain.from_iterable(other.values.items() for other in others):
        if name.field in name.group.added:
            values[name] = tuple(dict.fromkeys(chain(values.get(name, ()), value)))
        elif name.field not in name.group.final or name not in of_file.values:
            values[name] = value
    groups: dict[str, Any] = {}
    for key, group in GROUPS.items():
        fields = {name.field: value for name, value in values.items() if name.group is group}
        groups[key] = group.model_validate(fields)
    for given in (of_file, *others):
        problems += given.problems(config.document)
    return Settings(**groups), tuple(problems)


class _Given:
    """The settings of one source, as far as their models accept them, and the problems in them: the
    name in this source, the message and the severity.
    """

    def __init__(self, source: SettingSource, tree: Mapping[str, object]) -> None:
        self.values: dict[SettingName, Any] = {}
        self._source = source
        self._faults: list[tuple[str, str, Severity]] = []
        self._settings = {getattr(n, source): n for n in names() if source in n.group.sources}
        self._groups = {n[:at] for n in self._settings for at, c in enumerate(n) if c == "."}
        self._take(tree, "")

    def _take(self, tree: Mapping[str, object], above: str) -> None:
        for key, value in tree.items():
            name = above + (to_camel(str(key)) if self._source == "client" else str(key))
            if "." in str(key) or name not in self._settings.keys() | self._groups:
                self._note_unknown(name)
            elif name in self._settings:
                self._read(name, value)
            elif isinstance(value, Mapping):
                self._take(value, f"{name}.")
            elif isinstance(value, bool) and f"{name}.enabled" in self._settings:
                self._read(f"{name}.enabled", value)
            elif value is not None:
                self._refuse(name, "must be a mapping")

    def _note_unknown(self, name: str) -> None:
        may_be_vouchs = name == VOUCHS_OWN or not name.startswith(OWN_SECTIONS)
        if (self._source == "file" and may_be_vouchs) or len(self._faults) >= MAX_PROBLEMS:
            return
        elsewhere = [n.file for n in names() if self._source not in n.group.sources]
        if any(f"{other}.".startswith(f"{name}.") for other in elsewhere):
            words = "counts in client settings and the environment alone; it is ignored"
        else:
            known = sorted(self._settings.keys() | self._groups)
            (nearest,) = get_close_matches(name[:80], known, 1, cutoff=0)
            words = f"is no setting; did you mean `{nearest}`?"
        self._faults.append((name, words, Severity.WARNING))

    def _refuse(self, name: str, words: str) -> None:
        self._faults.append((name, f"{words}; it is ignored", Severity.ERROR))

    def _read(self, name: str, given: object) -> None:
        """Take a value as its model reads it. The environment has only texts, and lists with
        commas; in other sources a text is no number and no list.
        """
        setting, is_text = self._settings[name], self._source == "environment"
        group, field = setting.group, setting.field
        if given is None:
            return
        if is_text and isinstance(group.model_fields[field].default, tuple):
            given = values_in(str(given))
        try:
            value = getattr(group.model_validate({field: given}, strict=not is_text), field)
        except ValidationError:
            self._refuse(name, f"must be {_expected(group, field)}")
            return
        final = group.final.get(field)
        if self._source == "file" and final not in (None, value):
            self._refuse(name, f"may only be `{str(final).lower()}` here")
        else:
            self.values[setting] = value

    def problems(self, config: YamlDocument) -> list[Problem]:
        """The problems, errors first; those of the file have a place."""
        faults = sorted(self._faults, key=lambda fault: fault[2] is not Severity.ERROR)
        path, problems = CONFIG if self._source == "file" else "", []
        for name, words, severity in faults[:MAX_PROBLEMS]:
            place = config.place(name.split(".")) if path else (1, 1)
            shown = shown_name(name)
            message = f"`{shown}` {words}"
            problems.append(Problem(path, message, severity, *place, shown, code="setting"))
        return problems


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
    given = (
        params_viewer or Viewer(),
        init_viewer or Viewer(),
        Viewer(*map(env.get, ASKS_AS)),
        Viewer(settings.scope.project, settings.scope.agent),
        Viewer(settings.kb.id),
    )
    return Viewer(
        _first_name(viewer.project for viewer in given),
        _first_name(viewer.agent for viewer in given),
    )


def _first_name(names: Iterable[str | None]) -> str | None:
    return next((name.strip() for name in names if name and name.strip()), None)
