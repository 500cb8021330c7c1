"""Changes on disk: each writes or removes one file, and can be seen in an answer."""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.record.material import Fields, Material, write_fields
from benchmarks.record.program import PATIENCE, Asking

CHANGES = 300
SEED = 11
PAUSE = 0.05
OPEN: tuple[object, ...] = (None, "public", "team")
HERS = {"visibility": "private", "agent": "reviewer"}
LIVE = frozenset({"working", "actionable", "stable", "contested", "draft", "active", "stale"})
SHOWN = frozenset("text tags confidence entities name aliases description".split())
WAYS = 8
"""In which a claim is changed."""


@dataclass(frozen=True, slots=True)
class Change:
    """A file below `.vouch/` as it is to be; None: gone. `hidden`: from those who say nothing."""

    path: str
    fields: Fields | None
    hidden: bool = False

    @property
    def asked(self) -> tuple[str, str]:
        """What to look up to see what became of it: operation and id."""
        return ("entity" if self.path.startswith("entities/") else "claim", _stem(self.path))

    def shows(self, ask: Asking) -> bool:
        """Whether the answers are those after the change."""
        fields = self.fields or {}
        if title := fields.get("title"):
            query = {
                "query": title,
                "kinds": ["page"],
                "limit": 100,
                "viewer": {"agent": "reviewer"},
            }
            return any(hit["title"] == title for hit in ask("search", query)["hits"])
        op, artifact_id = self.asked
        answer = ask(op, {"id": artifact_id})
        if self.hidden:
            return "error" in answer
        said = answer.get(op)
        return said is not None and all(
            said[name] == fields[name] for name in SHOWN & fields.keys()
        )


def changes(material: Material, count: int = CHANGES) -> list[Change]:
    """So many changes of what everybody may see, each of another file; fewer where there is less
    than three times as much.
    """
    return list(_Changing(material, random.Random(SEED)).some(count))


def apply(root: Path, made: Iterable[Change], ask: Asking) -> None:
    """Change the files, and wait until every change shows."""
    waiting = list(made)
    for change in waiting:
        path = root / ".vouch" / change.path
        if change.fields is None:
            path.unlink()
        else:
            write_fields(path, change.fields)
    until = time.monotonic() + PATIENCE
    while waiting := [change for change in waiting if not change.shows(ask)]:
        if time.monotonic() > until:
            raise RuntimeError(f"{len(waiting)} changes do not show, as {waiting[0].path}")
        time.sleep(PAUSE)


class _Changing:
    def __init__(self, material: Material, rng: random.Random) -> None:
        self.known = material
        self.rng = rng
        own = material.project
        self.claims = [p for p, f in sorted(material.claims.items()) if _is_open(p, f, own)]
        self.entities = [p for p, f in sorted(material.entities.items()) if f["id"] == _stem(p)]
        self.pages = [p for p, f in sorted(material.pages.items()) if _is_open(p, f, own)]
        for paths in (self.claims, self.entities, self.pages):
            rng.shuffle(paths)

    def some(self, count: int) -> Iterator[Change]:
        """A fixed mix: mostly claims that are edited."""
        room = min(count, (len(self.claims) + len(self.entities) + len(self.pages)) // 3)
        for number in range(room):
            if number % 10 == 9:
                yield self._added(number)
            elif number % 10 in (3, 7) and self.entities:
                yield self._entity(self.entities.pop(), number // 10 % 4)
            elif number % 10 == 5 and self.pages:
                yield self._page(self.pages.pop(), number)
            elif self.claims:
                yield self._claim(self.claims.pop(), number * 7 % WAYS)

    def _words(self, count: int) -> str:
        return " ".join(self.rng.choices(self.known.words[:800], k=count))

    def _name(self) -> str:
        return self.rng.choice(self.known.names or self.known.words)

    def _claim(self, path: str, way: int) -> Change:
        fields: Fields = {}
        match way:
            case 0 | 1:
                said = f"{self._name()} {self._words(6)} instead of {self._words(3)}"
                fields = {"text": f"{said} ({_stem(path)})."}
            case 2:
                fields = {"status": self.rng.choice(("superseded", "archived", "redacted"))}
            case 3:
                scopes = (HERS, "private", {"project": "elsewhere"}, "mine")
                fields = {"scope": self.rng.choice(scopes)}
            case 4:
                return Change(path, None, hidden=True)
            case 5:
                fields = {"entities": [*map(_stem, self.entities[:2]), "gone"]}
            case 6:
                cited = ["quote-0", "quote-4", f"{'0' * 63}1"]
                fields = {"evidence": cited, "confidence": 0.35}
            case 7:
                fields = {"status": "contested", "tags": ["contested-now"]}
                fields["last_confirmed_at"] = "2026-10-30T00:00:00Z"
        return Change(path, self.known.claims[path] | fields, hidden=way in (2, 3))

    def _added(self, number: int) -> Change:
        text = f"{self._name()} and {self._name()} {self._words(8)}."
        linked = [_stem(p) for p in self.entities[:1]] if number % 20 == 9 else []
        fields: Fields = {"id": f"added-{number}", "text": text, "evidence": ["0" * 64]}
        fields |= {"status": "stable", "entities": linked, "updated_at": "2026-10-31T00:00:00Z"}
        return Change(f"claims/added-{number}.yaml", fields)

    def _entity(self, path: str, way: int) -> Change:
        fields: Fields = {}
        match way:
            case 0:
                words = f"{self._words(1).title()} {self._words(1).title()}"
                fields = {"name": f"{words} {self.rng.randrange(100)}"}
            case 1:
                fields = {"aliases": [self._name(), self._words(2), "harrow"]}
            case 2:
                fields = {"description": self._words(12), "type": "system"}
            case _:
                return Change(path, None, hidden=True)
        return Change(path, self.known.entities[path] | fields)

    def _page(self, path: str, number: int) -> Change:
        title = f"Rewritten {self._words(2)} {number}"
        body = f"# {title}\n\n{self._words(40)}\n\n## {self._name()}\n\n{self._words(25)}\n"
        scope = {"scope": HERS} if number % 20 == 15 else {}
        return Change(path, {**self.known.pages[path], "title": title, "body": body, **scope})


def _is_open(path: str, fields: Fields, own: str | None) -> bool:
    """Whether a file is served, to a viewer who says nothing as well: `own` is such a one's
    project.
    """
    scope = fields.get("scope")
    if isinstance(scope, dict):
        bound = scope.get("agent") or scope.get("project") not in (None, own)
        scope = "bound" if bound else None
    if scope not in OPEN or fields.get("status", "working") not in LIVE:
        return False
    is_whole = fields.get("evidence") != [] and fields.get("updated_at") != "soon"
    return (
        is_whole and fields.get("id") == _stem(path) and str(fields.get("text", "x")).strip() != ""
    )


def _stem(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0]
