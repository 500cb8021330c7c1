"""Which file speaks for which artifact, and what that changes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from sidecar.kb.records import Artifact, Change, Key, Problem, Severity, key_of

__all__ = ["Ledger"]


class Ledger:
    """What every file says, by path, and the one file that counts for every id."""

    def __init__(self) -> None:
        self._artifacts: dict[str, Artifact] = {}
        self._owners: dict[Key, str] = {}
        self._rivals: dict[Key, set[str]] = {}
        self._before: dict[Key, Artifact | None] = {}

    def get(self, path: str) -> Artifact | None:
        return self._artifacts.get(path)

    def items(self) -> Iterator[tuple[str, Artifact]]:
        return iter(self._artifacts.items())

    def put(self, path: str, artifact: Artifact | None) -> None:
        """From now on the file says this; None for nothing."""
        old = self._artifacts.get(path)
        if old == artifact:
            return
        old_key = None if old is None else key_of(old)
        new_key = None if artifact is None else key_of(artifact)
        for key in (old_key, new_key):
            if key is not None:
                self._before.setdefault(key, self._current(key))
        if old_key is not None and old_key != new_key:
            self._leave(old_key, path)
        if artifact is None:
            del self._artifacts[path]
            return
        self._artifacts[path] = artifact
        if new_key is not None and old_key != new_key:
            self._join(new_key, path)

    def take_change(self) -> Change:
        """What differs from when this was last called."""
        upserts, removals = [], set()
        for key, old in self._before.items():
            new = self._current(key)
            if new is None and old is not None:
                removals.add(key)
            elif new is not None and new != old:
                upserts.append(new)
        self._before.clear()
        return Change(tuple(upserts), frozenset(removals))

    def problems(self) -> Iterator[Problem]:
        """One for every file that lost its id to another."""
        for key, paths in self._rivals.items():
            for path in paths:
                message = f"another file has the same id and counts: {self._owners[key][:200]}"
                yield Problem(path, message, Severity.ERROR, field="id")

    def _current(self, key: Key) -> Artifact | None:
        owner = self._owners.get(key)
        return None if owner is None else self._artifacts[owner]

    def _join(self, key: Key, path: str) -> None:
        owner = self._owners.setdefault(key, path)
        if owner != path:
            self._settle(key, {owner, path} | self._rivals.get(key, set()))

    def _leave(self, key: Key, path: str) -> None:
        paths = {self._owners.pop(key)} | self._rivals.pop(key, set())
        paths.discard(path)
        if paths:
            self._settle(key, paths)

    def _settle(self, key: Key, paths: set[str]) -> None:
        """The file named like the id counts, else the one that sorts first."""
        ranked = sorted(paths, key=lambda path: (PurePosixPath(path).stem != key[1], path))
        self._owners[key] = ranked[0]
        if len(ranked) > 1:
            self._rivals[key] = set(ranked[1:])
