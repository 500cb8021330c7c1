"""A view: what it keeps of a text is kept by all that this depends on."""

from collections.abc import Callable, Hashable
from dataclasses import fields
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import pytest
from vouch_sidecar.engine import Caller, registry
from vouch_sidecar.kb.records import Kind
from vouch_sidecar.kb.settings_model import Settings
from vouch_sidecar.retrieval.lookup import prefix_search
from vouch_sidecar.retrieval.view import View

from tests.engine.bases import Listener, ask, pushed
from tests.workspace.places import settled

FIELDS = {each.name for each in fields(View)} - {"_found"}
READ = set[str]()
"""The fields of a view, and the groups of its settings, that were read."""


class WatchedSettings(Settings):
    def __getattribute__(self, name: str) -> Any:
        if name in Settings.model_fields:
            READ.add(f"settings.{name}")
        return super().__getattribute__(name)


class Watched(View):
    """Says what each result depends on beside what it would be kept by: `unkeyed`. Keeps none."""

    kept: ClassVar = set[str]()
    unkeyed: ClassVar = set[tuple[str, str]]()

    def __getattribute__(self, name: str) -> Any:
        if name in FIELDS:
            READ.add(name)
        return super().__getattribute__(name)

    def read_by(self, make: Callable[[], Any]) -> tuple[Any, set[str]]:
        """A result, and what is read for it where nothing is known yet."""
        before = set(READ)
        for name in (name for name, of in vars(View).items() if isinstance(of, cached_property)):
            vars(self).pop(name, None)
        self._found.clear()
        READ.clear()
        made, read = make(), set(READ)
        READ.update(before)
        return made, read

    def cached(
        self,
        what: Hashable,
        text: str,  # noqa: ARG002
        make: Callable[[], Any],
        *,
        for_all: bool = False,
    ) -> Any:
        _, keyed = self.read_by(lambda: self._read_stamp)
        made, read = self.read_by(make)
        name = (what if isinstance(what, str) else "called").split()[0]
        self.kept.add(name)
        self.unkeyed.update((name, each) for each in read - ({"knowledge"} if for_all else keyed))
        return made


def watched(*arguments: Any, **named: Any) -> View:
    return Watched(*arguments, **named | {"settings": WatchedSettings(**dict(named["settings"]))})


def test_what_is_kept_depends_on_its_key(courier: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = settled(courier)
    monkeypatch.setattr(registry, "View", watched)
    listener = Listener(engine)
    for text in ("Relay", "What does INC-118 say of the relay's src/upload.py, Ada?"):
        ask(engine, "context", task=text)
        engine.observe("s", None, text)
        assert pushed(listener)
    (kb,) = engine.registry.serving(Caller())
    assert prefix_search(kb.view, "rel", [Kind.ENTITY], 1)
    assert Watched.kept == {"asked", "best", "called", "evidence", "names", "passages", "worths"}
    # Whether a quote is there decides how strong a tie is; what is kept asks whether there is one.
    assert Watched.unkeyed == {("best", "looked")}
