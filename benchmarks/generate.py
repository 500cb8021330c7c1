"""Knowledge bases of any size that look like real ones: seeded, fast to write, kept for next time.

English words come from the tiers of `text/english.txt` with Zipf weights, entities are referred to
with Zipf weights as well: a few are in every second claim, most in a handful.
"""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from json import dumps, loads
from pathlib import Path

COMPLETE = "complete"
"""The file that a knowledge base has which is whole."""
VERSION = 4
"""Of what is written here: another one makes every knowledge base anew."""
SEED = 20_260_101
NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
"""The newest time stamp that is written."""
PACKAGE = Path(__file__).resolve().parent.parent / "sidecar" / "vouch_sidecar"
ENGLISH = PACKAGE / "text" / "english.txt"

CLAIM_TYPES = ("fact", "fact", "fact", "decision", "observation", "workflow", "warning")
STATUSES = {"stable": 62, "working": 20, "actionable": 8, "contested": 2, "superseded": 5} | {
    "archived": 2,
    "redacted": 1,
}
ENTITY_TYPES = ("concept", "project", "repo", "tool", "api", "person", "team", "workflow", "file")
RELATIONS = ("uses", "depends_on", "owned_by", "implements", "references", "relates_to")
KINDS_OF_THING = ("Service", "Store", "Queue", "Gateway", "Ledger", "Index", "Cache", "Worker")
FIRST_NAMES = (
    "Ada Bruno Chiara Dmitri Elif Farid Greta Hana Ilse Jonas Keiko Lars Mei Nadia".split()
)
ENDINGS = ("berg", "ova", "son", "mann", "elli", "wright", "ström", "aki", "ez", "croft")
CLAIM_TEMPLATES = (
    "{name} {w} the {w} {w} before each {w}, and {w} it when the {w} is {w}.",
    "When {w} {w}, {name} {w} {n} {w} within {n} seconds.",
    "The {w} of {name} was {w} in favour of {w} {w} since the {w} {w}.",
    "{name} must not {w} a {w} {w} without {w} from {other}.",
    "Since the {w} of {month}, {name} and {other} share one {w} {w}.",
    "Every {w} {w} passes through the {w} {w} {w}, which {w} about {n} {w} a day.",
    "A {w} that {w} twice is {w} by the {w} and {w} with the next {w} {w}.",
    "{w} {w} costs {n} ms at the {w}; most of it is {w} {w}.",
)
MONTHS = ("January", "March", "April", "June", "August", "October", "December")


@dataclass(frozen=True, slots=True)
class Size:
    """How much there is of what matters most; the rest follows from it. `sources`: that many
    are cited, directly and by turns, one by each claim; 0: a twentieth as many as claims, some
    cited more often than others.
    """

    entities: int
    claims: int
    sources: int = 0


MEDIUM = Size(2_000, 10_000)
LARGE = Size(10_000, 100_000)


def generated(size: Size, seed: int = SEED) -> Path:
    """The folder that holds the `.vouch/` of a size; written once for each seed and size."""
    name = f"vouch-bench-v{VERSION}-{seed}-{size.entities}-{size.claims}"
    name += f"-s{size.sources}" if size.sources else ""
    root = Path(tempfile.gettempdir()) / name
    if not (root / COMPLETE).exists():
        shutil.rmtree(root, ignore_errors=True)
        write(root, size, seed)
        (root / COMPLETE).touch()
    return root


def write(root: Path, size: Size, seed: int = SEED) -> None:
    """Write a knowledge base of a size into an empty folder."""
    Writer(root, size, random.Random(seed)).write()


@dataclass(frozen=True, slots=True)
class Questions:
    """What is asked: topics of names and words, windows of eight texts, long prompts."""

    topics: list[str]
    windows: list[list[str]]
    prompts: list[str]


def questions_of(root: Path) -> Questions:
    """The questions that go with a generated knowledge base."""
    return Questions(**loads((root / "questions.json").read_text("utf-8")))


class Zipf:
    """Draws items, the first ones most often."""

    def __init__(self, items: list[str], rng: random.Random, shift: float = 3.0) -> None:
        self._items = items
        self._rng = rng
        self._up_to = list(accumulate(1.0 / (i + shift) for i in range(len(items))))

    def draw(self, count: int) -> list[str]:
        return self._rng.choices(self._items, cum_weights=self._up_to, k=count)


@dataclass(slots=True)
class _Entity:
    id: str
    name: str
    type: str
    aliases: list[str]


class Writer:
    """Writes one knowledge base."""

    def __init__(self, root: Path, size: Size, rng: random.Random) -> None:
        self.kb_dir = root / ".vouch"
        self.size = size
        self.rng = rng
        tiers = words_by_tier()
        for tier in tiers:
            rng.shuffle(tier)
        self.common = [w for tier in tiers[:2] for w in tier if len(w) > 2]
        self.rare = tiers[2]
        self.words = Zipf(self.common, rng)
        self.asked = Zipf(self.common[100:], rng)
        """The words of topics."""
        self.entities: list[_Entity] = []
        self.sources: list[str] = []
        self.evidence: list[str] = []
        self.by_id: dict[str, _Entity] = {}

    def write(self) -> None:
        folders = ("claims", "entities", "pages", "relations", "sources", "evidence", "sessions")
        for folder in folders:
            (self.kb_dir / folder).mkdir(parents=True)
        config = "version: 1\nkb:\n  id: 5f0c1e6d9a7b4c3e8d2f1a0b9c8d7e6f\n  name: generated\n"
        self._file("config.yaml", config)
        self._write_sources()
        self._write_entities()
        self._write_claims()
        self._write_pages()
        self._write_relations()
        (self.kb_dir.parent / "questions.json").write_text(dumps(self._questions()), "utf-8")

    def _questions(self) -> dict[str, object]:
        """What is asked of this knowledge base, drawn as its claims are."""
        references = Zipf([entity.name for entity in self.entities], self.rng)
        topics = references.draw(100)
        topics += [" ".join(self.asked.draw(self.rng.choice((1, 2, 2, 3)))) for _ in range(100)]
        window = ["Why does {name} {w} the {w} {w} twice?"] * 8
        return {
            "topics": topics,
            "windows": [[self._asked(t, references) for t in window] for _ in range(60)],
            "prompts": [self._prompt(references) for _ in range(120)],
        }

    def _asked(self, template: str, references: Zipf) -> str:
        name, other = references.draw(2)
        return self.sentence(template, name, other)

    def _prompt(self, references: Zipf) -> str:
        """About 200 characters."""
        text = self._asked("Please find out why {name} {w} the {w} while {other} {w}.", references)
        while len(text) < 190:
            text += " " + self._asked("It {w} the {w} {w} of {w}.", references)
        return text[:200]

    def _file(self, relative: str, text: str) -> None:
        # os.open is a third of what Path.write_text costs, and there are 130,000 of them.
        flags = os.O_WRONLY | os.O_CREAT
        fd = os.open(f"{self.kb_dir}/{relative}", flags, 0o644)
        try:
            os.write(fd, text.encode())
        finally:
            os.close(fd)

    def _yaml(self, folder: str, artifact_id: str, fields: dict[str, object]) -> None:
        """JSON values are YAML; what is plain in vouch's files is plain here."""
        lines = [f"id: {artifact_id}\n"]
        for name, value in fields.items():
            if isinstance(value, list) and value:
                lines.append(f"{name}:\n" + "".join(f"- {dumps(v)}\n" for v in value))
            elif isinstance(value, dict):
                pairs = "".join(f"  {key}: {dumps(v)}\n" for key, v in value.items())
                lines.append(f"{name}:\n{pairs}")
            else:
                lines.append(f"{name}: {dumps(value, ensure_ascii=False)}\n")
        self._file(f"{folder}/{artifact_id}.yaml", "".join(lines))

    def _time(self) -> str:
        """Older ones are rarer: most claims are from the last half year."""
        days = min(self.rng.expovariate(1 / 120), 900.0)
        return (NOW - timedelta(days=days)).isoformat(timespec="seconds").replace("+00:00", "Z")

    def _scope(self) -> dict[str, object]:
        drawn = self.rng.random()
        if drawn < 0.03:
            return {"visibility": "private", "project": None, "agent": "reviewer"}
        if drawn < 0.06:
            return {"visibility": "project", "project": "elsewhere", "agent": None}
        return {"visibility": "project", "project": None, "agent": None}

    def _write_sources(self) -> None:
        for i in range(self.size.sources or max(20, self.size.claims // 20)):
            text = self.sentence("{w} {w} {w} {w} {w} {w} {w} {w} {w}.") * 8
            digest = hashlib.sha256(f"{i} {text}".encode()).hexdigest()
            folder = self.kb_dir / "sources" / digest
            folder.mkdir()
            self._file(f"sources/{digest}/content", f"{i} {text}")
            title = self.sentence("{w} {w} of {w}")
            meta = f"id: {digest}\ntype: file\nlocator: notes/{i:05d}.md\ntitle: {dumps(title)}\n"
            meta += f"hash: {digest}\nimmutable: true\ncreated_at: '{self._time()}'\n"
            self._file(f"sources/{digest}/meta.yaml", meta)
            self.sources.append(digest)
            if i % 3 == 0:
                evidence_id = f"ev-{digest[:16]}"
                fields: dict[str, object] = {"source_id": digest, "locator": f"L{i % 90 + 1}"}
                self._yaml("evidence", evidence_id, {**fields, "quote": text[:60].strip()})
                self.evidence.append(evidence_id)

    def _write_entities(self) -> None:
        names: set[str] = set()
        while len(self.entities) < self.size.entities:
            kind = self.rng.choice(ENTITY_TYPES)
            name = self.name(kind)
            if name in names:
                continue
            names.add(name)
            slug = "".join(c if c.isascii() and c.isalnum() else "-" for c in name.lower())
            entity = _Entity(f"{slug}-{len(self.entities)}", name, kind, self._aliases(name))
            self.entities.append(entity)
            self.by_id[entity.id] = entity
            at = self._time()
            fields: dict[str, object] = {"name": name, "type": kind, "aliases": entity.aliases}
            fields |= {"description": self.sentence("{w} {w} {w} for {w} {w} and {w}.")}
            self._yaml("entities", entity.id, fields | {"created_at": at, "updated_at": at})

    def name(self, kind: str) -> str:
        if kind == "person":
            surname = self.rng.choice(self.rare).title() + self.rng.choice(ENDINGS)
            return f"{self.rng.choice(FIRST_NAMES)} {surname}"
        word = self.rng.choice(self.rare if self.rng.random() < 0.6 else self.common)
        thing = self.rng.choice(KINDS_OF_THING)
        shape = self.rng.random()
        if shape < 0.2:
            return word.title() + thing
        if shape < 0.4:
            return f"{word}-{thing.lower()}"
        if shape < 0.55:
            return word.title() if shape < 0.45 else f"{word} {self.rng.choice(self.rare)}"
        return f"{word.title()} {self.rng.choice(self.common).title()} {thing}".strip()

    def _aliases(self, name: str) -> list[str]:
        aliases = []
        words = name.replace("-", " ").split()
        if len(words) > 2 and self.rng.random() < 0.5:
            aliases.append("".join(w[0] for w in words).upper() + str(self.rng.randrange(100)))
        if self.rng.random() < 0.2:
            aliases.append(f"{words[0].lower()} {self.words.draw(1)[0]}")
        return aliases

    def sentence(self, template: str, name: str = "", other: str = "") -> str:
        drawn = iter(self.words.draw(template.count("{w}")))
        parts = template.split("{w}")
        text = parts[0] + "".join(next(drawn) + part for part in parts[1:])
        text = text.replace("{name}", name).replace("{other}", other)
        text = text.replace("{n}", str(self.rng.randrange(2, 900)))
        text = text.replace("{month}", self.rng.choice(MONTHS))
        return text[:1].upper() + text[1:]

    def _write_claims(self) -> None:
        references = Zipf([entity.id for entity in self.entities], self.rng)
        weights = list(STATUSES.values())
        cited = Zipf(self.sources + self.evidence, self.rng, shift=50.0)
        tags = Zipf(self.common[40:400], self.rng)
        for i in range(self.size.claims):
            linked = list(dict.fromkeys(references.draw(self.rng.choice((0, 1, 1, 2, 2, 3)))))
            named = [self.by_id[e].name for e in linked or references.draw(1)]
            template = self.rng.choice(CLAIM_TEMPLATES)
            updated = self._time()
            evidence = sorted(set(cited.draw(self.rng.choice((1, 1, 2, 3)))))
            if self.size.sources:
                evidence = [self.sources[i % self.size.sources]]
            fields: dict[str, object] = {
                "text": self.sentence(template, named[0], named[-1]),
                "type": self.rng.choice(CLAIM_TYPES),
                "status": self.rng.choices(list(STATUSES), weights)[0],
                "confidence": self.rng.choice((0.5, 0.7, 0.8, 0.9, 0.95)),
                "evidence": evidence,
                "entities": linked,
                "scope": self._scope(),
                "tags": tags.draw(self.rng.choice((0, 1, 2))),
                "created_at": updated,
                "updated_at": updated,
                "last_confirmed_at": self._time() if self.rng.random() < 0.1 else None,
                "approved_by": "reviewer",
            }
            self._yaml("claims", f"claim-{i:06d}", fields)

    def _write_pages(self) -> None:
        references = Zipf([entity.id for entity in self.entities], self.rng)
        for i in range(self.size.entities // 10):
            about = sorted(set(references.draw(4)))
            claims = [f"claim-{self.rng.randrange(self.size.claims):06d}" for _ in range(6)]
            title = self.sentence("{w} {w} of {name}", self.by_id[about[0]].name)
            lines = [f"id: page-{i:05d}", f"title: {dumps(title)}", "type: concept"]
            lines += ["status: active", "claims:", *(f"- {c}" for c in claims)]
            lines += ["entities:", *(f"- {e}" for e in about), f"updated_at: '{self._time()}'"]
            body = [f"# {title}"]
            for _ in range(4):
                body += ["", "## " + self.sentence("{w} {w}"), ""]
                body += [self.sentence("The {w} {w} {w} a {w} of {w} {w}.") for _ in range(5)]
            front = "\n".join(lines)
            self._file(f"pages/page-{i:05d}.md", f"---\n{front}\n---\n" + "\n".join(body) + "\n")

    def _write_relations(self) -> None:
        references = Zipf([entity.id for entity in self.entities], self.rng)
        for i in range(self.size.entities // 2):
            source, target = references.draw(2)
            fields: dict[str, object] = {"source": source, "relation": self.rng.choice(RELATIONS)}
            fields |= {"target": target, "confidence": 0.8, "evidence": []}
            self._yaml("relations", f"relation-{i:05d}", fields)


def words_by_tier() -> list[list[str]]:
    """The English words of each tier, the commonest first."""
    lines = [line for line in ENGLISH.read_text("utf-8").splitlines() if not line.startswith("#")]
    return [[word for word in line.split() if word.isalpha()] for line in lines]
