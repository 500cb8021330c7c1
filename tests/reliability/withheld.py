"""A knowledge base in which much is withheld, with a nonce in every field that nobody may be told.

Each variant is a document of its own with three open claims and one that is withheld: of some
status, with some evidence, its words in some place of the document.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import combinations, count, product
from pathlib import Path
from typing import Any, NamedTuple

from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.kb.records import PAGE_STATUSES, STATUSES, VISIBILITIES

from tests.engine.bases import base
from tests.kb.samples import claim, dump, entity, page

OUTSIDER = Viewer("other", "bob")
WITHHELD: Mapping[str, dict[str, object]] = {
    "redacted": {"status": "redacted"},
    "superseded": {"status": "superseded"},
    "archived": {"status": "archived"},
    "private": {"scope": {"visibility": "private", "agent": "ada"}},
    "project": {"scope": {"visibility": "project", "project": "courier"}},
}
INSIDERS = {"private": Viewer(None, "ada"), "project": Viewer("courier")}
RETIRED = ("redacted", "superseded", "archived")
SECRET = ("redacted", "private", "project")
EVIDENCE = ("direct", "bare", "gone", "receipt", "revised", "revision", "elsewhere")
"""The claim cites the source, evidence without bytes, an id that is gone, a receipt of its words,
another revision of the source, a receipt in that, or a receipt of other words of the source.
"""
PLACES = ("sentence", "paragraph", "heading", "lead-in", "title", "question", "page", "page-title")
"""Where the words stand: in the sentence of an open claim's receipt, in the next one, which open
evidence quotes without its bytes, in the heading above, above the list of another receipt, in the
title or the question of the source, in an open page and the description of an entity, or in the
title and so in the id of a page.
"""
WORDINGS = ("phrase", "number", "other")
"""What the claim's text has of the words: three of content, a name and a number, or nothing."""


class Variant(NamedTuple):
    """One way to withhold a claim."""

    status: str
    evidence: str
    place: str
    wording: str

    @property
    def closes_source(self) -> bool | None:
        """Whether an outsider is told nothing of the source but receipts; None: either is right."""
        if self.status not in SECRET:
            return False
        if self.evidence == "revision":
            return None
        return self.evidence in ("direct", "bare", "revised")

    @property
    def closes_words(self) -> bool | None:
        """Whether an outsider may not be told the words; None where no rule says so."""
        if self.evidence == "elsewhere":
            is_quoted = self.place == "page" and self.wording != "other"
            return None if is_quoted else False
        if self.wording != "other":
            return True
        if self.place == "page-title":
            return False
        if self.place == "page" or self.evidence == "gone":
            return None if self.status in SECRET else False
        if self.evidence == "revision":
            return True if self.status in SECRET else None
        return self.evidence == "receipt" or self.closes_source

    @property
    def closes_beyond(self) -> tuple[bool | None, bool | None]:
        """Whether an outsider is told nothing beyond the open receipts, in prose and in a list. An
        item of a list says nothing without what leads in the list.
        """
        whole = self.closes_source
        in_prose = self.closes_words if self.place == "sentence" else whole
        in_a_list = self.closes_words if self.place == "lead-in" and not whole else whole
        return in_prose, in_a_list

    @property
    def is_possible(self) -> bool:
        if self.place in ("title", "question", "page", "page-title") and self.evidence in (
            "receipt",
            "revision",
        ):
            return False
        if self.place == "question" and self.evidence == "revised":
            return False  # an exchange has no other revision: its locator is no path
        return self.closes_words is not None or self.evidence == "elsewhere"

    def __str__(self) -> str:
        return "-".join(self)


def every_variant() -> list[Variant]:
    """The full product."""
    made = (Variant(*parts) for parts in product(WITHHELD, EVIDENCE, PLACES, WORDINGS))
    return [variant for variant in made if variant.is_possible]


def pairwise() -> list[Variant]:
    """Variants in which every possible pair of values occurs."""
    every = every_variant()
    wanted = {pair for one in every for pair in _pairs(one)}
    chosen: list[Variant] = []
    while wanted:
        chosen.append(max(every, key=lambda one: len(wanted & _pairs(one))))
        wanted -= _pairs(chosen[-1])
    return chosen


def _pairs(one: Variant) -> set[tuple[tuple[int, str], ...]]:
    return set(combinations(enumerate(one), 2))


_CONSONANTS, _VOWELS = "bdfgklmnprtv", "aeiou"


def word(number: int, kind: str) -> str:
    """A made-up word of seven letters, its own stem, of a number below 300 and a kind of three
    letters.
    """
    rest, consonant = divmod(number, len(_CONSONANTS))
    second, first = divmod(rest, len(_VOWELS))
    return f"{kind}{_VOWELS[first]}{_CONSONANTS[consonant]}{_VOWELS[second]}k"


class Case:
    """A variant with its words. Those of a `twin` differ in all that is withheld, have the same
    number of bytes, and none of them is asked for.
    """

    def __init__(self, number: int, variant: Variant, twin: bool) -> None:
        self.number = number
        self.variant = variant
        hidden = twin and bool(variant.closes_words)
        self.subject = word(number, "kel")
        self.bait = word(number, "bim")
        """Stands beside the words, and in questions."""
        self.beyond = word(number, "fos"), word(number, "gor")
        """Stand in the sentences of open receipts, outside these."""
        self.own = _nonce(number, "w", twin)
        """In every field of the withheld claim."""
        self.nonce = _nonce(number, "n", hidden)
        self.words = self._phrase(self.nonce, hidden)
        self.apart = _nonce(number, "p", twin)
        """In the words that a receipt elsewhere in the source quotes."""
        self.words_apart = self._phrase(self.apart, twin)
        self.content = self._salted(self._document("first"), 0)
        self.revised = self._salted(self._document("second"), 1)
        self.source, self.revision = _sha(self.content), _sha(self.revised)

    def _phrase(self, nonce: str, twin: bool) -> str:
        if self.variant.wording == "number":
            return f"{nonce} {(7100 if twin else 4100) + self.number}"
        return f"{nonce} {word(self.number, 'wun') if twin else self.bait} hatch"

    @property
    def path(self) -> str:
        """The document in the workspace."""
        return f"docs/{self.subject}.md"

    @property
    def claim_id(self) -> str:
        """The withheld claim."""
        return f"{self.own.replace(' ', '-')}-claim"

    @property
    def title(self) -> str:
        """The title of a page that has the words."""
        return f"Notes on {self.subject} and the {self.words}"

    @property
    def page_id(self) -> str:
        return self.title.lower().replace(" ", "-")

    @property
    def open_ids(self) -> tuple[str, ...]:
        return tuple(f"{self.subject}-{name}" for name in ("pump", "gate", "cellar"))

    @property
    def nonces(self) -> set[str]:
        """What an outsider may not be told."""
        return {self.own, self.apart} | ({self.nonce} if self.variant.closes_words else set())

    @property
    def questions(self) -> tuple[str, ...]:
        """Texts that would bring the words up."""
        hatch = f"the {self.bait} hatch {4100 + self.number}"
        return (
            f"Does the {self.subject} pump drain the cellar twice before {self.beyond[0]} comes?",
            f"Who shuts {hatch} when the {self.subject} gate closes and {self.beyond[1]} sounds?",
        )

    @property
    def _is_loose(self) -> bool:
        """Whether open evidence quotes the words without their bytes. A receipt of them that is no
        text of the claim closes no quote but its own.
        """
        variant = self.variant
        is_apart = variant.wording == "other" and variant.evidence in ("receipt", "revision")
        return variant.place == "paragraph" and not is_apart

    def _at(self, place: str, form: str) -> str:
        return form.format(self.words) if self.variant.place == place else ""

    def _document(self, edition: str) -> str:
        name = self.subject
        apart = self.variant.evidence == "elsewhere"
        following = self._at("paragraph", " Then somebody looks at the {} again.")
        return "\n".join(
            (
                f"# Duties at {name}{self._at('heading', ' and the {}')}",
                "",
                f"This is the {edition} edition.",
                "",
                f"The {name} pump drains the cellar twice{self._at('sentence', ' with the {},')}",
                f"before {self.beyond[0]} comes.{following}",
                "",
                f"A porter keeps to these rules{self._at('lead-in', ' of the {}')}:",
                "",
                f"- The {name} gate closes at nine and {self.beyond[1]} sounds the horn.",
                "- Nobody whistles.",
                "",
                f"The store has the {self.words_apart} behind glass." if apart else "The end.",
                "",
            )
        )

    def _salted(self, text: str, place: int) -> str:
        """The text with a comment, so that ids of sources sort alike in twins."""
        prefix = f"{2 * self.number + place:02x}"
        salted = (f"{text}\n<!-- {salt:05} -->\n" for salt in count())
        return next(text for text in salted if _sha(text).startswith(prefix))

    def files(self, is_withheld: bool) -> Iterator[tuple[str, bytes]]:
        """Files below `.vouch/`, with the withheld claim or without it."""
        name, variant = self.subject, self.variant
        about: dict[str, object] = {"name": f"{name.title()} Works", "aliases": [name]}
        if variant.place == "page":
            about["description"] = f"A works. It has the {self.words} too."
        if variant.place == "page-title":
            about["page"] = self.page_id
        yield f"entities/{name}.yaml", entity(name, **about)
        yield from self._kept(self.source, self.content)
        if variant.evidence in ("revised", "revision"):
            yield from self._kept(self.revision, self.revised)
        receipts = f"The {name} pump drains the cellar twice", f"The {name} gate closes at nine"
        for claim_id, text, cited in zip(
            self.open_ids,
            (*receipts, f"Every cellar beside {name} is dry at noon."),
            (*receipts, receipts[0]),
            strict=True,
        ):
            evidence = f"ev-{name}-{receipts.index(cited)}"
            also = self._also() if claim_id == self.open_ids[2] else {}
            fields = {"text": text, "evidence": [evidence], "entities": [name]} | also
            yield f"claims/{claim_id}.yaml", claim(claim_id, **fields)
            yield f"evidence/{evidence}.yaml", _evidence(evidence, self.content, cited)
        if self._is_loose:
            loose = {"id": f"ev-{name}-loose", "source_id": self.source, "locator": "L5"}
            loose["quote"] = f"Then somebody looks at the {self.words} again."
            yield f"evidence/{loose['id']}.yaml", dump(loose)
        if variant.place == "page":
            listed = [self.open_ids[0], self.claim_id]
            mark = "" if variant.wording == "other" else f" [claim: {self.claim_id}]"
            body = f"# Notes\n\nThe {name} crew says that the {self.words} is shut{mark}.\n"
            fields = {"title": f"Notes on {name}", "entities": [name], "claims": listed}
            yield f"pages/{name}-notes.md", page(body, id=f"{name}-notes", **fields)
        if variant.place == "page-title":
            text = "# Notes\n\nThe crew writes down who was there.\n"
            fields = {"id": self.page_id, "title": self.title, "entities": [name]}
            yield f"pages/{self.page_id}.md", page(text, **fields)
        joined = {"source": self.open_ids[2], "relation": "supersedes", "target": self.claim_id}
        edge = "{source}--{relation}--{target}".format(**joined)
        yield f"relations/{edge}.yaml", dump({"id": edge, **joined})
        if is_withheld:
            yield from self._withheld()

    def _also(self) -> dict[str, Any]:
        """The fields of an open claim that name the withheld one, or cite the words."""
        pointers = {name: [self.claim_id] for name in ("supersedes", "contradicts")}
        cited = {"evidence": [f"ev-{self.subject}-loose"]} if self._is_loose else {}
        return pointers | cited

    def _kept(self, source_id: str, content: str) -> Iterator[tuple[str, bytes]]:
        meta: dict[str, Any] = {"id": source_id, "type": "file", "locator": self.path}
        meta["title"] = f"Book of {self.subject}{self._at('title', ' and the {}')}"
        if self.variant.place == "question":
            question = f"Where at {self.subject} {self._at('question', 'is the {}')}?"
            metadata = {"question": question, "kind": "session-answer"}
            meta |= {"type": "message", "locator": question, "title": question}
            meta["metadata"] = metadata
        yield f"sources/{source_id}/meta.yaml", dump(meta)
        yield f"sources/{source_id}/content", content.encode()

    def _withheld(self) -> Iterator[tuple[str, bytes]]:
        variant, evidence = self.variant, f"ev-{self.subject}-withheld"
        said = self.words_apart if variant.evidence == "elsewhere" else self.words
        text = f"The {said}." if variant.wording != "other" else f"Nothing is {self.own} there."
        cited = {
            "direct": self.source,
            "revised": self.revision,
            "gone": f"ev-{self.subject}-gone",
        }.get(variant.evidence, evidence)
        yield (
            f"claims/{self.claim_id}.yaml",
            claim(
                self.claim_id,
                text=text,
                evidence=[cited],
                entities=[self.subject],
                tags=[f"{self.own}ing"],
                **WITHHELD[variant.status],
            ),
        )
        match variant.evidence:
            case "bare":
                fields = {"source_id": self.source, "locator": "L5", "quote": text}
                yield f"evidence/{evidence}.yaml", dump({"id": evidence, **fields})
            case "receipt" | "elsewhere":
                yield f"evidence/{evidence}.yaml", _evidence(evidence, self.content, said)
            case "revision":
                yield f"evidence/{evidence}.yaml", _evidence(evidence, self.revised, said)


def _nonce(number: int, kind: str, twin: bool) -> str:
    """A nonce; the twin's is two words."""
    made = word(number, f"zq{kind}")
    return f"x{kind} {made[3:]}" if twin else made


def _sha(content: str) -> str:
    return sha256(content.encode()).hexdigest()


def _evidence(evidence_id: str, content: str, quote: str) -> bytes:
    start = content.encode().index(quote.encode())
    return dump(
        {
            "id": evidence_id,
            "source_id": _sha(content),
            "locator": f"b{start}-{start + len(quote)}",
            "quote": quote,
            "byte_start": start,
            "byte_end": start + len(quote),
        }
    )


# What is withheld as a whole

MISSPELLED = "proposed"
"""No status of vouch's."""
SCOPES: tuple[object, ...] = (
    {"visibility": "public"},
    {"visibility": "team"},
    {"visibility": "project"},
    {"visibility": "project", "project": "courier"},
    {"visibility": "private", "agent": "ada"},
    {"visibility": "private"},
    {"visibility": "secret"},
    "private",
    ["team"],
)
LIVE = {"claims": ("working", "stable", "contested"), "pages": ("draft", "active", "stale")}
ENDED = {
    "claims": ("superseded", "archived", "redacted", MISSPELLED),
    "pages": ("superseded", "archived"),
}


class Whole(NamedTuple):
    """A claim or a page with a status and a scope."""

    number: int
    kind: str
    status: str
    scope: object

    @property
    def nonce(self) -> str:
        return word(self.number, "zqf")

    @property
    def is_faulty(self) -> bool:
        """Whether the file can't be used, which everybody is told."""
        known = STATUSES if self.kind == "claims" else PAGE_STATUSES
        scope = self.scope if isinstance(self.scope, dict) else {"visibility": self.scope}
        is_known = isinstance(self.scope, dict | str) and scope["visibility"] in VISIBILITIES
        return self.status not in known or not is_known

    def is_told(self, viewer: Viewer) -> bool:
        """The rule, once more."""
        return self.status in LIVE[self.kind] and passes(viewer, self.scope)

    @property
    def is_gone(self) -> bool:
        """Whether nobody may see it."""
        viewers = (OUTSIDER, *INSIDERS.values())
        return not any(self.is_told(viewer) for viewer in viewers)

    def file(self, is_twin: bool) -> tuple[str, bytes]:
        said = "shown" if self.is_told(OUTSIDER) else "other" if is_twin else self.nonce
        fields: dict[str, Any] = {"status": self.status, "scope": self.scope, "entities": ["vault"]}
        text = f"The Key Vault must rotate its signing keys, {said}."
        if self.kind == "claims":
            name = f"c{self.number}"
            return f"claims/{name}.yaml", claim(name, text=text, tags=[said], **fields)
        name = f"p{self.number}"
        body = f"# Signing keys {said}\n\n{text}\n"
        title = f"Signing keys {self.number} {said}"
        return f"pages/{name}.md", page(body, id=name, title=title, claims=["rotation"], **fields)


def wholes() -> list[Whole]:
    """Every kind, status and scope."""
    every = ((k, s, o) for k in LIVE for s in (*LIVE[k], *ENDED[k]) for o in SCOPES)
    return [Whole(number, *one) for number, one in enumerate(every)]


def passes(viewer: Viewer, scope: object) -> bool:
    """The rule for scopes."""
    if not isinstance(scope, dict):
        return False
    visibility, project, agent = (scope.get(n) for n in ("visibility", "project", "agent"))
    if visibility == "private":
        return agent is not None and agent == viewer.agent
    is_open = visibility in ("public", "team") or (visibility == "project" and not project)
    return is_open or (visibility == "project" and project == viewer.project)


PRIVATE: Any = {"visibility": "private", "agent": "ada"}
BESIDE = {name: word(number, "zqb") for number, name in enumerate(("source", "relation", "draft"))}
"""Nonces of what goes with something private, and of a proposal."""


def beside() -> Iterator[tuple[str, bytes]]:
    """A private exchange that open claims cite, a relation to a private claim, and a proposal."""
    said, content = BESIDE["source"], f"The Key Vault has a door, {BESIDE['source']}.\n"
    meta: dict[str, Any] = {"type": "message", "scope": PRIVATE}
    meta |= dict.fromkeys(("title", "locator"), f"Which door of the Key Vault is {said}?")
    meta["metadata"] = {"question": meta["title"], "kind": "session-answer"}
    source_id = _sha(content)
    yield f"sources/{source_id}/meta.yaml", dump({"id": source_id, **meta})
    yield f"sources/{source_id}/content", content.encode()
    yield "evidence/ev-door.yaml", _evidence("ev-door", content, content.strip())
    name = BESIDE["relation"]
    fields = {"text": f"The Key Vault is {name}.", "scope": PRIVATE, "entities": ["vault"]}
    yield f"claims/{name}.yaml", claim(name, **fields)
    relation = {"id": f"r-{name}", "source": "vault", "relation": "uses", "target": name}
    yield f"relations/r-{name}.yaml", dump(relation)
    draft = {"id": "draft", "text": f"The Key Vault is {BESIDE['draft']}.", "evidence": ["x"]}
    yield "proposed/draft.yaml", dump({"id": "draft", "kind": "claim", "payload": draft})


class Base:
    """All variants of a list in one knowledge base, beside what is withheld as a whole. The `twin`
    has other texts in its place, or nothing; `bare` is without any withheld claim.
    """

    def __init__(self, folder: Path, variants: Sequence[Variant], name: str) -> None:
        self.is_twin, is_bare = name == "twin", name == "bare"
        self.cases = [
            Case(number, variant, self.is_twin) for number, variant in enumerate(variants)
        ]
        files = dict(file for case in self.cases for file in case.files(not is_bare))
        for one in wholes():
            if one.is_told(OUTSIDER) or one.is_faulty or name == "all":
                files |= [one.file(name != "all")]
        door = {"text": "The Key Vault has a door.", "entities": ["vault"], "evidence": ["ev-door"]}
        files["claims/door.yaml"] = claim("door", **door)
        files |= beside() if name == "all" else ()
        files["config.yaml"] = dump({"kb": {"name": "kb"}})
        self.root = base(folder / "kb", files)
        for case in self.cases:
            document = self.root / case.path
            document.parent.mkdir(exist_ok=True)
            document.write_text(case.content, encoding="utf-8")
