"""Knows which file counts for which artifact, and which artifacts change when files do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from pathlib import PurePosixPath

from vouch_sidecar.kb.access import OPEN, gate_of, is_shown_to_any
from vouch_sidecar.kb.artifact_files import usual_key, usual_path
from vouch_sidecar.kb.records import Artifact, Change, Claim, Key, Problem, Severity, key_of


class IdOwners:
    """What every file says, by path, and which one of several files counts for an id.

    What a file says is either *held* in memory, or *recalled* by a function when needed. Only files
    named like the id of their artifact are recalled; they count for that id.
    """

    def __init__(self) -> None:
        self._files: dict[str, Artifact | None] = {}
        """By path; None where a file is recalled."""
        self._owners: dict[Key, str] = {}
        self._rivals: dict[Key, set[str]] = {}
        self._before: dict[Key, Artifact | None] = {}
        """What counted when a change was last taken, of what may have changed."""
        self._recall: Callable[[str], Artifact]

    def recall_by(self, recall: Callable[[str], Artifact]) -> None:
        """Set the function that gives the artifact of a recalled file, by path."""
        self._recall = recall

    def mark_recalled(self, paths: Iterable[str]) -> None:
        """Count these files as recalled from now on. This is no change."""
        self._files.update(dict.fromkeys(paths))

    def drop_all_but(self, keys: AbstractSet[Key]) -> None:
        """Count every file as recalled that can be, except those of these artifacts."""
        for key, path in list(self._owners.items()):
            if path == usual_path(*key) and key not in self._rivals and key not in keys:
                del self._owners[key]
                self._files[path] = None

    def drop_recalled(self, path: str) -> None:
        """Forget a file if it is recalled. This is no change."""
        if self._is_recalled(path):
            del self._files[path]

    def has(self, key: Key) -> bool:
        """Whether a file says that this artifact is there."""
        return self._owner(key) is not None

    def counts(self, path: str, key: Key) -> bool:
        """Whether a file is the one that counts for an artifact."""
        return self._owner(key) == path

    def get(self, path: str) -> Artifact | None:
        """What a file says, held or recalled; None if it says nothing."""
        return self._recall(path) if self._is_recalled(path) else self._files.get(path)

    def __contains__(self, path: str) -> bool:
        return path in self._files

    def put(self, path: str, artifact: Artifact | None) -> None:
        """Hold what a file says from now on; None where it says nothing."""
        old = self.get(path)
        if old == artifact:
            return
        self._take_over(path)
        old_key = None if old is None else key_of(old)
        new_key = None if artifact is None else key_of(artifact)
        for key in (old_key, new_key):
            if key is not None and key not in self._before:
                self._before[key] = self._current(key)
        if old_key is not None and old_key != new_key:
            self._leave(old_key, path)
        if artifact is None:
            del self._files[path]
            return
        self._files[path] = artifact
        if new_key is not None and old_key != new_key:
            self._join(new_key, path)
        elif new_key in self._rivals:
            self._settle(new_key, {self._owners[new_key], *self._rivals[new_key]})

    def paths(self) -> list[str]:
        """The paths of all files."""
        return list(self._files)

    def held_at(self, path: str) -> Artifact | None:
        """What a file says, if that is held."""
        return self._files.get(path)

    def recalled(self) -> Iterable[str]:
        """The paths of the recalled files."""
        return [path for path, artifact in self._files.items() if artifact is None]

    def held(self) -> Iterable[Key]:
        """The keys of the artifacts of the files that are held."""
        return self._owners

    def take_change(self) -> Change:
        """The artifacts that changed since the last call."""
        before, self._before = self._before, {}
        upserts, removals = [], set()
        for key, old in before.items():
            new = self._current(key)
            if new is None and old is not None:
                removals.add(key)
            elif new is not None and new != old:
                upserts.append(new)
        return Change(tuple(upserts), frozenset(removals))

    def problems(self) -> Iterator[Problem]:
        """A problem for every file whose id another file has, which counts instead."""
        for key, paths in self._rivals.items():
            for path in paths:
                owner = self._owners[key]
                message = f"another file has the same id and counts: {owner[:200]}"
                yield Problem(path, message, Severity.ERROR, field="id")

    def _current(self, key: Key) -> Artifact | None:
        owner = self._owner(key)
        return None if owner is None else self.get(owner)

    def _owner(self, key: Key) -> str | None:
        if (owner := self._owners.get(key)) is not None:
            return owner
        path = usual_path(*key)
        return path if self._is_recalled(path) else None

    def _is_recalled(self, path: str) -> bool:
        return path in self._files and self._files[path] is None

    def _take_over(self, path: str) -> None:
        """Hold the artifact of a file that was recalled so far."""
        if self._is_recalled(path):
            self._files[path] = self._recall(path)
            self._owners[usual_key(path)] = path

    def _join(self, key: Key, path: str) -> None:
        self._take_over(usual_path(*key))
        owner = self._owners.setdefault(key, path)
        if owner != path:
            self._owners[key], rival = sorted((owner, path), key=self._rank)
            self._rivals.setdefault(key, set()).add(rival)

    def _leave(self, key: Key, path: str) -> None:
        paths = self._rivals.pop(key, set())
        if path != self._owners[key]:
            paths.discard(path)
            self._rivals |= {key: paths} if paths else {}
        elif paths:
            self._settle(key, paths)
        else:
            del self._owners[key]

    def _settle(self, key: Key, paths: set[str]) -> None:
        """Decide which file counts for an id."""
        self._owners[key] = owner = min(paths, key=self._rank)
        if others := paths - {owner}:
            self._rivals[key] = others

    def _rank(self, path: str) -> tuple[bool, bool, bool, str]:
        """The order in which files count for their id: of claims one that fewest may see, as others
        would close nothing for it; then the one named like the id, then the first by name.
        """
        artifact = self.get(path)
        is_named = artifact is not None and PurePosixPath(path).stem == artifact.id
        return *_seen_by(artifact), not is_named, path


def _seen_by(artifact: Artifact | None) -> tuple[bool, bool]:
    """Whether anybody may see a claim, and whether everybody may."""
    if not isinstance(artifact, Claim):
        return True, True
    is_seen = is_shown_to_any(artifact)
    return is_seen, is_seen and gate_of(artifact) == OPEN
