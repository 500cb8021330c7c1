"""What is asked of a knowledge base: drawn from its own words, the same for the same files."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from benchmarks.record.material import Material

SEED = 7
VIEWERS: tuple[dict[str, str] | None, ...] = (
    None,
    None,
    None,
    {"agent": "reviewer"},
    {"agent": "auditor", "project": "elsewhere"},
    {"project": "elsewhere"},
    {"project": "5f0c1e6d9a7b4c3e8d2f1a0b9c8d7e6f", "agent": "nobody"},
)
WEIGHTS = ("count", "recency", "citation", "evidence")
KINDS = ("claim", "page", "entity", "relation", "source")
ABSENT = ("zanzibar", "qwxz plfm", "floccinaucinihilipilification", "鷲", "0xDEADBEEF")
ODD = (
    "the of and", "what is it", "status", "help", "exit", 'what about "jwt', "a AND b OR",
    "http://example.org/a?b=c", "it's -not (closed", "name:value", "認証", "トークン 更新", "令牌",
    "轮换 密钥", "認証サービス", "C++", "c", "node.js", ".net", "RateLimiter", "rate_limiter",
    "rate-limiter", "rateLimiters", "jwts", "JSON web tokens", "ml", "okafor", "Okafor's", "harrow",
    "tamarack", "brandywine", "ISTANBUL", "überweisung", "UBERWEISUNG", "lights", "ordering orders",
    "going to go", "😀", "a\u200bb", "x" * 300, "ﬁne ligatures",
)  # fmt: skip
PHRASINGS = (
    "Why does {name} {a} the {b} twice?",
    "Who knows about {name} and {other}?",
    "Please find out how {name} and the {a} of {b} work together, and {c} them.",
    "{a} {b} in {name}, {c} in {other}",
    "In `{name}.{a}()` the {b} is {c}; see {a}_{b}.py.",
    "Fix {name}'s {a}\nand the {b}.\n\nThen {c} it.",
)
REFUSED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("experts", {"topic": " "}), ("experts", {}), ("experts", {"topic": 5}),
    ("experts", {"topic": "x", "limit": 0}), ("experts", {"topic": "x", "limit": 101}),
    ("experts", {"topic": "x", "min_claims": 0}), ("experts", {"topic": "x", "linking": "guess"}),
    ("experts", {"topic": "x", "root": "/nowhere"}), ("search", {"query": ""}),
    ("search", {"query": "x", "kinds": ["session"]}), ("salience", {}),
    ("salience", {"session_id": ""}), ("context", {}), ("probe", {"text": None}),
    ("entity", {"id": "never-seen"}), ("claim", {"id": "never-seen"}), ("nothing", {}),
)  # fmt: skip
TEXT_OF = {"experts": "topic", "search": "query", "context": "task", "probe": "text"}


class Question(NamedTuple):
    """An operation with its params."""

    op: str
    params: dict[str, Any]


def questions(material: Material, share: float, seed: int = SEED) -> list[Question]:
    """All questions about a knowledge base; `share` of as many as can be: some 4,300."""
    return list(_Drawing(material, share, random.Random(seed)).questions())


def texts(material: Material, count: int, seed: int = SEED) -> list[str]:
    """Texts of every kind, drawn from the words of a knowledge base."""
    drawing = _Drawing(material, 1, random.Random(seed))
    return [drawing.text() for _ in range(count)]


def lookups(ids: Iterable[tuple[str, str]]) -> list[Question]:
    """Look artifacts up, given as operation and id: each for a viewer who says nothing, and for one
    of the others in turn.
    """
    others = [{"viewer": viewer} for viewer in VIEWERS if viewer is not None]
    return [
        Question(op, {"id": name, **who})
        for number, (op, name) in enumerate(ids)
        for who in ({}, others[number % len(others)])
    ]


class _Drawing:
    """Draws questions. Everything is drawn in a fixed order from one generator."""

    def __init__(self, material: Material, share: float, rng: random.Random) -> None:
        self.known = material
        self.share = share
        self.rng = rng
        self.words = material.words or list(ABSENT)
        self.names = material.names or material.titles or self.words
        self.said = material.texts or material.titles or self.words
        one, name, word, together = rng.choice, self._name, self._word, self._words_together
        self.kinds: tuple[Callable[[], str], ...] = (
            name,
            name,
            lambda: name() + one(("s", "ed", "ing", "'s", "es")),
            lambda: one(one(self.names).replace("-", " ").split()),
            word,
            word,
            together,
            together,
            together,
            lambda: " ".join(word() for _ in range(one((2, 2, 3, 4)))),
            lambda: f"{together()} {one(ABSENT)}",
            lambda: one(self.said),
            self._identifier,
            self._phrased,
            self._phrased,
            self._phrased,
            lambda: one(material.titles or self.names),
            lambda: one(material.tags or self.words),
            # A few claims in a row; now and then more than is looked at.
            lambda: "\n".join(one(self.said) for _ in range(60 if rng.random() < 0.1 else 5)),
        )

    def questions(self) -> Iterator[Question]:
        yield from (Question(op, dict(params)) for op, params in REFUSED)
        yield from (Question(op, {}) for op in ("status", "capabilities"))
        for text in ODD + ABSENT:
            yield Question("experts", {"topic": text, "explain": True})
            yield from (Question(op, {TEXT_OF[op]: text}) for op in ("probe", "context", "search"))
            yield Question("entity", {"id": text})
        names = [*self.known.names, *self.known.aliases]
        for text in names if len(names) <= 150 else self.rng.sample(names, 150):
            yield Question("experts", {"topic": text})
            yield Question("probe", {"text": text})
        yield from self._many(1_300, self._experts)
        for _ in range(self._count(25)):
            yield from self._grid(self.text())
        yield from self._many(650, self._search)
        yield from self._many(400, lambda: Question("probe", self._params(text=self.text())))
        yield from self._many(450, self._context)
        yield from self._many(
            120, lambda: Question("entity", self._params(id=self._id("entities")))
        )
        yield from self._many(200, lambda: Question("claim", self._params(id=self._id("claims"))))
        for number in range(self._count(80)):
            yield from self._session(f"session-{number}")
        yield Question("status", {"viewer": {"agent": "reviewer"}})

    def _count(self, whole: int) -> int:
        return max(5, round(whole * self.share))

    def _many(self, whole: int, draw: Callable[[], Question]) -> Iterator[Question]:
        return (draw() for _ in range(self._count(whole)))

    def text(self) -> str:
        """A text of any kind."""
        return self.rng.choice(self.kinds)()

    def _name(self) -> str:
        name = self.rng.choice([*self.names, *self.known.aliases])
        return self.rng.choice((name, name, name.lower(), name.upper(), f"the {name}"))

    def _word(self) -> str:
        """A common word, one of the middle, or a rare one."""
        return self.rng.choice(self.words[: self.rng.choice((50, 500, len(self.words)))])

    def _words_together(self) -> str:
        """Words that one claim holds."""
        held = self.rng.choice(self.said).split()
        start = self.rng.randrange(len(held))
        together = held[start : start + self.rng.choice((2, 3, 5))]
        if self.rng.random() >= 0.5:
            together = self.rng.sample(held, min(len(held), self.rng.choice((2, 3))))
        return " ".join(together)

    def _identifier(self) -> str:
        one, two = self._word(), self._word()
        return self.rng.choice((f"{one}_{two}", f"{one}{two.title()}", f"{one}.{two}()"))

    def _phrased(self) -> str:
        name, other = self._name(), self._name()
        words = {letter: self._word() for letter in "abc"}
        return self.rng.choice(PHRASINGS).format(name=name, other=other, **words)

    def _params(self, **params: Any) -> dict[str, Any]:
        """With a viewer, or without."""
        viewer = self.rng.choice(VIEWERS)
        return params if viewer is None else {**params, "viewer": viewer}

    def _now_and_then(self, chance: float, **draws: Callable[[], object]) -> dict[str, object]:
        """Params that are not always there."""
        if self.rng.random() >= chance:
            return {}
        return {name: draw() for name, draw in draws.items()}

    def _experts(self) -> Question:
        one, some = self.rng.choice, self._now_and_then
        params = self._params(topic=self.text(), weight=one(WEIGHTS))
        params |= some(0.4, linking=lambda: one(("declared", "auto")))
        params |= some(0.25, min_claims=lambda: one((1, 2, 5)))
        types = {"types": lambda: self.rng.sample(self.known.types, 1)} if self.known.types else {}
        params |= some(0.25, **types)
        params |= some(0.3, explain=lambda: True)
        params |= some(0.4, limit=lambda: one((1, 3, 50, 100)))
        return Question("experts", params)

    def _grid(self, topic: str) -> Iterator[Question]:
        """Every weight with every linking, explained."""
        for weight in WEIGHTS:
            for linking in ("auto", "declared"):
                params = {"topic": topic, "weight": weight, "linking": linking}
                yield Question("experts", {**params, "limit": 30, "explain": True})

    def _search(self) -> Question:
        one, some = self.rng.choice, self._now_and_then
        params = self._params(query=self.text())
        params |= some(0.4, kinds=lambda: self.rng.sample(KINDS, one((1, 2))))
        params |= some(0.3, limit=lambda: one((1, 30, 100)))
        params |= some(0.2, exclude=lambda: [self._id("claims"), self._id("entities")])
        return Question("search", params)

    def _context(self) -> Question:
        params = self._params(task=self.text())
        self.rng.random()  # keeps what older recordings drew
        params |= self._now_and_then(0.3, max_chars=lambda: self.rng.choice((50, 150, 400, 3000)))
        return Question("context", params)

    def _id(self, folder: str) -> str:
        files = self.known.claims if folder == "claims" else self.known.entities
        return str(self.rng.choice(list(files.values())).get("id", "")) if files else self._word()

    def _session(self, session_id: str) -> Iterator[Question]:
        """Some texts in a window, what they make salient, and what is said of them."""
        named = self._params(session_id=session_id)
        for _ in range(self.rng.choice((1, 2, 3, 6, 10))):
            op, field = self.rng.choice(tuple(TEXT_OF.items()))
            yield Question(op, {**named, field: self.text()})
            yield Question("salience", named)
        yield Question("salience", {**named, "top_k": 20})
        for repeat in (True, False, False):
            yield Question("context", {**named, "repeat": repeat})
        task = self._phrased()
        yield Question("context", {**named, "task": task, "repeat": False})
        yield Question("context", {**named, "task": task, "repeat": False})
        yield Question("probe", {**named, "text": task})
        yield Question("status", named)
        yield Question("session_end", {"session_id": session_id})
        yield Question("salience", {"session_id": session_id})
