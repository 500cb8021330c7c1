"""Knowledge bases of any size that look like real ones: seeded, fast to write, kept for next time.

English words come from the tiers of `text/english.txt` with Zipf weights, entities are referred to
with Zipf weights as well: a few are in every second claim, most in a handful.
"""

from __future__ import annotations

import hashlib
import random
import shutil
import tempfile
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from json import dumps, loads
from pathlib import Path
from typing import NamedTuple

COMPLETE = "complete"
"""The file that a knowledge base has which is whole."""
VERSION = 5
"""Of what is written here: another one makes every knowledge base anew."""
NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
"""The newest time stamp that is written."""
ENGLISH = Path(__file__).parents[1] / "sidecar" / "vouch_sidecar" / "text" / "english.txt"
FOLDERS = ("claims", "entities", "pages", "relations", "sources", "evidence", "sessions")
CONFIG = "version: 1\nkb:\n  id: 5f0c1e6d9a7b4c3e8d2f1a0b9c8d7e6f\n  name: generated\n"
STATUSES = ["stable"] * 12 + ["working"] * 4 + ["actionable"] * 2 + ["contested", "superseded"]
TYPES = ("fact", "fact", "fact", "decision", "observation", "workflow", "warning")
SCOPES: Sequence[object] = [{"visibility": "project"}] * 30 + [
    {"visibility": "private", "agent": "reviewer"},
    {"visibility": "project", "project": "elsewhere"},
]
THINGS = ("Service", "Store", "Queue", "Gateway", "Ledger", "Index", "Cache", "Worker")
FIRST_NAMES = "Ada Bruno Chiara Dmitri Elif Farid Greta Hana Ilse Jonas Keiko Lars Mei".split()
TEMPLATES = (
    "{name} {w} the {w} {w} before each {w}, and {w} it when the {w} is {w}.",
    "When {w} {w}, {name} {w} {n} {w} within {n} seconds.",
    "The {w} of {name} was {w} in favour of {w} {w} since the {w} {w}.",
    "{name} must not {w} a {w} {w} without {w} from {other}.",
    "Every {w} {w} passes through the {w} {w} {w}, which {w} about {n} {w} a day.",
    "{w} {w} costs {n} ms at the {w}; most of it is {w} {w}.",
)
ASKED = "Please find out why {name} {w} the {w} while {other} {w}. It {w} the {w} {w} of {w}. " * 2


class Size(NamedTuple):
    """How much there is of what matters most; the rest follows from it."""

    entities: int
    claims: int


MEDIUM = Size(2_000, 10_000)
LARGE = Size(10_000, 100_000)


class Questions(NamedTuple):
    """What is asked: topics of names and words, windows of eight texts, long prompts."""

    topics: list[str]
    windows: list[list[str]]
    prompts: list[str]


def generated(size: Size) -> Path:
    """The folder that holds the `.vouch/` of a size; written once."""
    name = f"vouch-bench-v{VERSION}-{size.entities}-{size.claims}"
    root = Path(tempfile.gettempdir()) / name
    if not (root / COMPLETE).exists():
        shutil.rmtree(root, ignore_errors=True)
        Writer(root, size).write()
        (root / COMPLETE).touch()
    return root


def questions_of(root: Path) -> Questions:
    """The questions that go with a generated knowledge base."""
    return Questions(**loads((root / "questions.json").read_text("utf-8")))


class Writer:
    """Writes one knowledge base into an empty folder."""

    def __init__(self, root: Path, size: Size) -> None:
        self.root, self.size, self.rng = root, size, random.Random(20_260_101)
        _, *tiers = (words.split() for words in ENGLISH.read_text("utf-8").split("\n\n"))
        common = [word for tier in tiers[:2] for word in tier if word.isalpha() and len(word) > 2]
        self.rng.shuffle(common)
        self.rare = [word for word in tiers[2] if word.isalpha()]
        self.common, self.words = common, self._zipf(common)
        self.names: dict[str, str] = {}
        """By id, of entities."""
        self.cited: list[str] = []

    def write(self) -> None:
        for folder in FOLDERS:
            (self.root / ".vouch" / folder).mkdir(parents=True)
        self._file("config.yaml", CONFIG)
        self._sources()
        self._entities()
        self.references = self._zipf([*self.names])
        for number in range(self.size.claims):
            self._claim(number)
        for number in range(self.size.entities // 10):
            self._page(number)
        for number in range(self.size.entities // 2):
            source, target = self.references(2)
            fields = {"source": source, "relation": "depends_on", "target": target}
            self._yaml("relations", f"relation-{number:05d}", fields | {"confidence": 0.8})
        questions = self._questions()._asdict()
        (self.root / "questions.json").write_text(dumps(questions), "utf-8")

    def _zipf(self, items: Sequence[str]) -> Callable[[int], list[str]]:
        """Draws so many items, the first ones most often."""
        up_to = list(accumulate(1 / (rank + 3) for rank in range(len(items))))
        return lambda count: self.rng.choices(items, cum_weights=up_to, k=count)

    def _sentence(self, template: str) -> str:
        name, other = (self.names[one] for one in self.references(2)) if self.names else ("", "")
        parts = template.split("{w}")
        words = [*self.words(len(parts) - 1), ""]
        text = "".join(part + word for part, word in zip(parts, words, strict=True))
        text = text.replace("{name}", name).replace("{other}", other)
        text = text.replace("{n}", str(self.rng.randrange(2, 900)))
        return text[:1].upper() + text[1:]

    def _questions(self) -> Questions:
        """Drawn as claims are."""
        words = self._zipf(self.common[100:])
        topics = [self.names[one] for one in self.references(100)]
        topics += [" ".join(words(self.rng.choice((1, 2, 2, 3)))) for _ in range(100)]
        windows = [
            [self._sentence("Why does {name} {w} the {w} {w} twice?") for _ in range(8)]
            for _ in range(60)
        ]
        return Questions(topics, windows, [self._sentence(ASKED)[:200] for _ in range(120)])

    def _file(self, relative: str, text: str) -> None:
        (self.root / ".vouch" / relative).write_text(text, "utf-8")

    def _yaml(self, folder: str, artifact_id: str, fields: dict[str, object]) -> None:
        """JSON values are YAML; lists are written as vouch does."""
        text = f"id: {artifact_id}\n"
        for name, value in fields.items():
            if isinstance(value, list) and value:
                text += f"{name}:\n" + "".join(f"- {dumps(one)}\n" for one in value)
            else:
                text += f"{name}: {dumps(value, ensure_ascii=False)}\n"
        self._file(f"{folder}/{artifact_id}.yaml", text)

    def _time(self) -> str:
        """Older ones are rarer: most claims are from the last half year."""
        days = min(self.rng.expovariate(1 / 120), 900.0)
        return (NOW - timedelta(days=days)).isoformat(timespec="seconds").replace("+00:00", "Z")

    def _sources(self) -> None:
        for number in range(max(20, self.size.claims // 20)):
            text = f"{number} {self._sentence('{w} {w} {w} {w} {w} {w} {w} {w} {w}.')}" * 8
            digest = hashlib.sha256(text.encode()).hexdigest()
            (self.root / ".vouch" / "sources" / digest).mkdir()
            self._file(f"sources/{digest}/content", text)
            meta = {"id": digest, "type": "file", "locator": f"notes/{number:05d}.md"}
            meta |= {"title": self._sentence("{w} {w} of {w}"), "created_at": self._time()}
            self._file(f"sources/{digest}/meta.yaml", dumps(meta | {"hash": digest}))
            self.cited.append(digest)
            if number % 3 == 0:
                fields: dict[str, object] = {"source_id": digest, "locator": f"L{number % 90 + 1}"}
                self._yaml("evidence", f"ev-{digest[:16]}", fields | {"quote": text[:60].strip()})
                self.cited.append(f"ev-{digest[:16]}")

    def _entities(self) -> None:
        known = set[str]()
        while len(self.names) < self.size.entities:
            kind = self.rng.choice(("concept", "system", "tool", "person", "team"))
            name = self._name(kind)
            if name not in known:
                known.add(name)
                entity_id = f"{'-'.join(name.lower().split())}-{len(known)}"
                initials = "".join(word[0] for word in name.split()) + str(self.rng.randrange(100))
                aliases = [initials] if " " in name and self.rng.random() < 0.3 else []
                fields: dict[str, object] = {"name": name, "type": kind, "aliases": aliases}
                fields |= {"description": self._sentence("{w} {w} {w} for {w} {w} and {w}.")}
                self._yaml("entities", entity_id, fields | {"updated_at": self._time()})
                self.names[entity_id] = name
                if len(self.names) == 1:
                    self.references = self._zipf([entity_id])

    def _name(self, kind: str) -> str:
        word = self.rng.choice(self.rare if self.rng.random() < 0.6 else self.common)
        if kind == "person":
            first = self.rng.choice(FIRST_NAMES)
            return f"{first} {word.title()}{self.rng.choice(('son', 'elli'))}"
        thing = self.rng.choice(THINGS)
        other = self.rng.choice(self.common)
        shapes = [f"{word.title()}{thing}", f"{word}-{thing.lower()}", word.title()]
        shapes += [f"{word} {other}", f"{word.title()} {other.title()} {thing}"]
        return self.rng.choice(shapes)

    def _claim(self, number: int) -> None:
        linked = list(dict.fromkeys(self.references(self.rng.choice((0, 1, 1, 2, 2, 3)))))
        text = self.rng.choice(TEMPLATES)
        if linked:
            text = text.replace("{name}", self.names[linked[0]])
        at = self._time()
        fields: dict[str, object] = {
            "text": self._sentence(text),
            "type": self.rng.choice(TYPES),
            "status": self.rng.choice(STATUSES),
            "confidence": self.rng.choice((0.5, 0.7, 0.8, 0.9, 0.95)),
            "evidence": sorted({*self.rng.choices(self.cited, k=self.rng.choice((1, 1, 2, 3)))}),
            "entities": linked,
            "scope": self.rng.choice(SCOPES),
            "tags": self.rng.choices(self.common[40:400], k=self.rng.choice((0, 1, 2))),
            "created_at": at,
            "updated_at": at,
            "approved_by": "reviewer",
        }
        self._yaml("claims", f"claim-{number:06d}", fields)

    def _page(self, number: int) -> None:
        about = sorted({*self.references(4)})
        title = f"{self._sentence('{w} {w}')} of {self.names[about[0]]}"
        front = {
            "id": f"page-{number:05d}",
            "title": title,
            "type": "concept",
            "status": "active",
            "claims": [f"claim-{self.rng.randrange(self.size.claims):06d}" for _ in range(6)],
            "entities": about,
            "updated_at": self._time(),
        }
        body = [f"# {title}"]
        for _ in range(4):
            lines = [self._sentence("The {w} {w} {w} a {w} of {w} {w}.") for _ in range(5)]
            body += ["", f"## {self._sentence('{w} {w}')}", "", *lines]
        text = "\n".join(body)
        self._file(f"pages/page-{number:05d}.md", f"---\n{dumps(front)}\n---\n{text}\n")
