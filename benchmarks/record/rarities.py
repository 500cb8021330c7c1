"""What the generator of the benchmarks does not write, and some knowledge base has.

Ambiguous names, claims that only their texts or pages link, every kind of scope and status, other
scripts, odd times, files that are broken.
"""

from __future__ import annotations

import hashlib
import random
from pathlib import Path

from benchmarks.record.material import Fields, Material, write_fields

SCOPES: tuple[object, ...] = (
    None,
    "public",
    "team",
    "private",
    {"visibility": "private", "agent": "reviewer"},
    {"visibility": "private", "agent": "auditor", "project": "elsewhere"},
    {"visibility": "project", "project": "elsewhere"},
    "mine",
    {"visibility": "Team"},
    7,
)
STATUSES = "working actionable stable contested superseded archived redacted".split()
ODD_TIMES = ("2026-03-01T10:00:00", "2026-02-03", "2027-01-01T00:00:00Z", None, "soon")
SHARED = {2: "harrow", 3: "quillon", 5: "brandywine", 6: "ostler", 9: "tamarack"}
"""Names that so many entities have a part of."""
NAMED = (
    "order concept Order", "light concept Light|lamp", "status api Status", "go tool Go|golang",
    "cpp tool C++", "node tool node.js|nodejs", "limiter api RateLimiter|rate_limiter|rate-limiter",
    "jwt concept JWT authentication|JWT|JSON Web Token",
    "jwt-service api JWT authentication service",
    "policy workflow Retention Policy|retention policies", "auth-ja api 認証サービス|認証",
    "token-zh concept 令牌管理|令牌", "transfer workflow Überweisung|uberweisung",
    "istanbul project İstanbul", "okafor person Inès Okafor|ines", "okafor-2 person Daniel Okafor",
    "lindqvist person Maja Lindqvist|ML", "ml concept machine learning|ML",
)  # fmt: skip
"""Id, type, name and aliases of entities."""
SCRIPTS = (
    "認証サービスは毎週トークンを更新する。",
    "令牌管理 每天 轮换 密钥，令牌 过期 后 失效。",
    "Die Überweisung wird nach 3 Tagen storniert.",
    "İstanbul 🚀 ships \u200bhidden\u200b words and ﬁne ligatures.",
    "C++ and node.js call RateLimiter.acquire() via rate_limiter.py.",
    "Keys\nin\ttwo lines <b>and</b> a frame: </reference>",
)
_LOOKED_UP = {"claims": "claim", "entities": "entity"}


def add(root: Path, material: Material, seed: int = 1) -> list[tuple[str, str]]:
    """Write the rarities into a knowledge base; `material` is what it says without them. Gives
    operation and id to look each claim and entity up.
    """
    made = _Rarities(root / ".vouch", material, random.Random(seed))
    made.write()
    return made.written


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


class _Rarities:
    def __init__(self, kb_dir: Path, material: Material, rng: random.Random) -> None:
        self.kb_dir = kb_dir
        self.known = material
        self.rng = rng
        self.written: list[tuple[str, str]] = []

    def write(self) -> None:
        self._entities()
        self._sources()
        self._statuses_and_scopes()
        self._linked_by_texts_and_pages()
        self._contradictions()
        self._odd_texts_and_times()
        self._relations()
        self._broken()

    def _put(self, path: str, **fields: object) -> None:
        folder, name = path.split("/")
        stem = name.rpartition(".")[0]
        if folder in _LOOKED_UP:
            self.written.append((_LOOKED_UP[folder], stem))
        write_fields(self.kb_dir / path, {"id": stem, **fields})

    def _claim(self, name: str, text: str, **fields: object) -> None:
        said: Fields = {"text": text, "type": "fact", "status": "stable", "confidence": 0.8}
        said |= {"evidence": [_sha("rarities")], "entities": []}
        said["updated_at"] = f"2026-0{self.rng.randrange(1, 10)}-11T08:00:00Z"
        self._put(f"claims/{name}.yaml", **(said | fields))

    def _words(self, count: int) -> str:
        return " ".join(self.rng.choices(self.known.words[30:600], k=count))

    def _entity(self) -> str:
        """The id of any entity."""
        return self.rng.choice(list(self.known.entities))[len("entities/") : -len(".yaml")]

    def _entities(self) -> None:
        for one in NAMED:
            entity_id, kind, names = one.split(" ", 2)
            name, *aliases = names.split("|")
            self._put(f"entities/{entity_id}.yaml", name=name, type=kind, aliases=aliases)
            for number in range(3):
                text = f"{name} {self._words(6)} before {self._words(2)}."
                self._claim(f"of-{entity_id}-{number}", text, entities=[entity_id])
        for count, shared in SHARED.items():
            for number in range(count):
                entity_id, name = f"{shared}-{number}", f"{shared.title()} {self._words(1).title()}"
                aliases = [shared] if number % 2 else []
                self._put(f"entities/{entity_id}.yaml", name=name, type="tool", aliases=aliases)
                self._claim(f"of-{entity_id}", f"{name} {self._words(7)}.", entities=[entity_id])

    def _sources(self) -> None:
        """A source for each scope, evidence in it, and claims that cite both."""
        for number, scope in enumerate(SCOPES):
            digest, quote = _sha(f"source {number}"), f"quote-{number}"
            title = f"Minutes {number} of {self._words(3)}"
            said: Fields = {"id": digest, "locator": f"minutes/{number}.md", "title": title}
            write_fields(self.kb_dir / f"sources/{digest}/meta.yaml", said | {"scope": scope})
            quoted: Fields = {"source_id": digest, "locator": f"L{number}", "quote": self._words(9)}
            self._put(f"evidence/{quote}.yaml", **quoted)
            text, cited = (
                f"The minutes say that {self._words(8)}.",
                [digest, quote, "quote-nowhere"],
            )
            self._claim(f"minuted-{number}", text, evidence=[*cited, quote], entities=["policy"])
        nowhere = {"source_id": "0" * 64, "locator": "L1", "quote": self._words(5)}
        self._put("evidence/quote-nowhere.yaml", **nowhere)

    def _statuses_and_scopes(self) -> None:
        for status in STATUSES:
            by = {"superseded_by": "retention-stable-0" if status == "superseded" else None}
            for number, scope in enumerate(SCOPES):
                text = f"Retention of {self._words(5)} in case {status} {number}."
                fields: Fields = {"status": status, "scope": scope, "entities": ["policy", "order"]}
                self._claim(f"retention-{status}-{number}", text, **fields, **by)

    def _linked_by_texts_and_pages(self) -> None:
        names = self.known.names
        for number, scope in enumerate(SCOPES * 3):
            unnamed = [f"unnamed-{number}-{i}" for i in range(4)]
            for name in unnamed:
                self._claim(name, f"{self._words(9).capitalize()}.", entities=["gone", "lost"])
            named = f"named-{number}"
            self._claim(named, f"{self.rng.choice(names)} and {self.rng.choice(names)} share keys.")
            about = [self._entity(), self._entity(), "nobody"]
            status = "archived" if number % 7 == 6 else "active"
            page: Fields = {"title": f"Notes on {self._words(3)}", "type": "concept"}
            page |= {"status": status, "scope": scope, "entities": about}
            body = f"# Notes\n\n{self._words(30)}\n\n## {self._words(2)}\n\n{self._words(60)}\n"
            self._put(f"pages/notes-{number}.md", **page, claims=[*unnamed, named], body=body)

    def _contradictions(self) -> None:
        for number in range(20):
            pair = [f"contested-{number}-{side}" for side in "ab"]
            for name, other in (pair, pair[::-1]):
                text = f"The limit of {self._words(4)} is {self.rng.randrange(100)}."
                fields: Fields = {"status": "contested", "contradicts": [other, "gone"]}
                self._claim(name, text, entities=[self._entity(), "limiter"], **fields)

    def _odd_texts_and_times(self) -> None:
        for number, text in enumerate(SCRIPTS):
            self._claim(f"script-{number}", text)
        for number, at in enumerate(ODD_TIMES):
            text = f"Case {number} of odd times {self._words(4)}."
            self._claim(f"time-{number}", text, updated_at=at, entities=["order"])

    def _relations(self) -> None:
        ends = ["policy", "retention-stable-0", "retention-archived-0", "retention-stable-4"]
        ends += ["notes-0", "notes-3", "order", "jwt", "gone", self._entity(), self._entity()]
        for number in range(60):
            source, target = self.rng.sample(ends, 2)
            said = {"source": source, "relation": "depends_on", "target": target}
            self._put(f"relations/odd-{number}.yaml", **said)

    def _broken(self) -> None:
        self._claim("unlike", "Called otherwise than its file.", id="other-than-its-file")
        self._claim("twin-a", "Two files have this id.", id="twin")
        self._claim("twin-b", "Two files have this id, and differ.", id="twin")
        self._claim("blank", " ")
        self._claim("uncited", "Nothing is cited here.", evidence=[])
        (self.kb_dir / "claims" / "torn.yaml").write_text("id: torn\ntext: [", "utf-8")
        (self.kb_dir / "pages" / "torn.md").write_text("no front matter", "utf-8")
        self._put("sessions/ended.yaml", agent="a", ended_at="2026-01-01T00:00:00Z")
