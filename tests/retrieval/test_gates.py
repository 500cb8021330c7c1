"""What a viewer may not see leaves no trace: not in counts, rarity, ranks, snippets or blocks."""

from __future__ import annotations

import pytest
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.kb.records import Artifact, Kind, Scope
from vouch_sidecar.retrieval.lookup import by_beginning, nearest, short_id
from vouch_sidecar.retrieval.people.experts import Question, rank
from vouch_sidecar.retrieval.people.topic_matches import matching
from vouch_sidecar.retrieval.salience import rank as salience
from vouch_sidecar.retrieval.search import SEARCHED, search
from vouch_sidecar.retrieval.view import View

from tests.retrieval.samples import (
    ADA,
    COURIER,
    NOBODY,
    PRIVATE,
    claim,
    claims_in,
    entity,
    evidence,
    page,
    relation,
    source,
    view,
)

SHOWN: list[Artifact] = [
    entity("vault", "Vault", aliases=("key store",)),
    entity("jwt", "JWT"),
    claim("rotation", "Vault rotates the signing keys of every JWT weekly.", entities=("vault",)),
    claim("length", "Keys have 4096 bits.", entities=("vault", "jwt"), evidence=("s1",)),
    page("keys", "Keys", body="# Keys\n\nVault holds keys.", entities=("vault",)),
    relation("r1", "vault", "jwt"),
]
HIDDEN: list[Artifact] = [
    claim("retired", "Vault keys were hunter2 keys.", entities=("vault",), status="superseded"),
    claim("archived", "Vault keys hunter2.", entities=("vault",), status="archived"),
    claim("redacted", "[redacted] keys hunter2", entities=("jwt",), status="redacted"),
    claim("hers", "Vault keys hunter2 weekly.", entities=("vault",), scope=PRIVATE),
    claim("theirs", "Vault hunter2 keys.", scope=Scope("project", project="courier")),
    claim("nobodys", "Vault hunter2 keys.", scope=Scope("private")),
    claim("unknown", "Vault hunter2 keys.", scope=Scope("secret")),
    page("old", "Old keys", body="hunter2 keys", entities=("vault",), status="archived"),
    page("private", "Private keys", body="hunter2", entities=("vault",), scope=PRIVATE),
    page("linking", "Links", claims=("length",), entities=("jwt",), scope=PRIVATE),
    source("s1", "hunter2 keys", PRIVATE),
    relation("r2", "rotation", "retired"),
    relation("r3", "hers", "vault"),
]
QUESTIONS = ["keys", "Vault", "hunter2", "weekly keys", "signing hunter2 keys", "supersedes", "jwt"]


def everything(seen: View, text: str) -> dict[str, object]:
    """Every answer about a text that could give something away."""
    return {
        "search": [
            (h.kind, h.artifact.id, h.score, h.text) for h in search([seen], text, SEARCHED, 100)
        ],
        "experts": [
            [
                (r.entity.id, r.claim_count, r.citation_count, r.score, len(r.claims))
                for r in rank(matching([seen], Question(text, 1.8e9, weight)))
            ]
            for weight in ("count", "recency", "citation", "evidence")
        ],
        "salience": [
            (r.entity.id, r.claim_count, r.top_claim_id, r.score, r.why)
            for r in salience([seen], [text], 20)
        ],
        "weights": seen.counts.weights(text),
        "claims": [
            c.id for e in ("vault", "jwt") for c in claims_in(seen, seen.search.claims_of([e]))
        ],
        "relations": [
            r.id for e in ("vault", "rotation", "hers") for r in seen.visible.relations_of(e)
        ],
        "pages": [
            p.id for e in ("vault", "jwt") for p in seen.visible.pages_about((Kind.ENTITY, e))
        ],
    }


def ids_of(seen: View, query: str) -> set[str]:
    return {hit.artifact.id for hit in search([seen], query, SEARCHED, 100)}


@pytest.mark.parametrize("text", QUESTIONS)
def test_answers_are_those_of_a_knowledge_base_without_what_is_hidden(text: str) -> None:
    assert everything(view(*SHOWN, *HIDDEN), text) == everything(view(*SHOWN), text)


def test_the_right_viewer_sees_more() -> None:
    hers = view(*SHOWN, *HIDDEN, who=ADA)
    assert [c.id for c in claims_in(hers, hers.search.claims_of(["vault"]))] == [
        "hers",
        "length",
        "rotation",
    ]
    assert [r.id for r in hers.visible.relations_of("vault")] == ["r1", "r3"]
    theirs = view(*SHOWN, *HIDDEN, who=COURIER)
    assert ids_of(hers, "hunter2") == {"hers", "s1", "private"}
    assert ids_of(theirs, "hunter2") == {"theirs"}


@pytest.mark.parametrize(
    ("scope", "who", "seen"),
    [
        (Scope("public"), NOBODY, True),
        (Scope("team"), NOBODY, True),
        (Scope("project"), NOBODY, True),
        (Scope("project", project="courier"), NOBODY, False),
        (Scope("project", project="courier"), COURIER, True),
        (Scope("project", project="courier"), Viewer(project="other"), False),
        (Scope("private", agent="ada"), ADA, True),
        (Scope("private", agent="ada"), Viewer(agent="bob"), False),
        (Scope("private", project="courier"), COURIER, False),
        (Scope("private"), ADA, False),
        (Scope("whatever"), ADA, False),
        (Scope("team"), Viewer("\ud800", "\udcff"), True),
        (Scope("private", agent="ada"), Viewer("\ud800", "ada\udcff"), False),
    ],
)
def test_who_sees_what(scope: Scope, who: Viewer, seen: bool) -> None:
    known = view(claim("c", "text", scope=scope), who=who)
    assert (known.visible.claim("c") is not None) is seen
    assert known.counts.claims == (1 if seen else 0)


@pytest.mark.parametrize(
    ("sources", "who", "seen"),
    [
        ([source("s", "Notes", Scope("team"))], NOBODY, True),
        ([source("s", "Notes", PRIVATE)], ADA, True),
        ([source("s", "Notes", PRIVATE)], NOBODY, False),
        ([source("s", "Notes", Scope("private"))], ADA, False),
        ([source("s", "Notes", Scope("whatever"))], ADA, False),
        ([source("other", "Notes", Scope("team"))], ADA, False),
        ([], ADA, False),
    ],
)
def test_evidence_needs_a_source_that_is_there_and_visible(
    sources: list[Artifact], who: Viewer, seen: bool
) -> None:
    quoted = evidence("ev", "s")
    known = view(quoted, *sources, who=who)
    assert known.visible.artifact((Kind.EVIDENCE, "ev")) == (quoted if seen else None)
    assert known.counts.artifacts(Kind.EVIDENCE) == (1 if seen else 0)


def test_what_was_worked_out_for_one_viewer_is_not_told_another() -> None:
    known = view(*SHOWN, *HIDDEN, who=ADA)
    other = View(known.collection, known.knowledge, NOBODY.gates)
    for text in QUESTIONS:
        everything(known, text)
        assert everything(other, text) == everything(view(*SHOWN), text)


def test_however_many_ids_are_withheld_the_others_are_found() -> None:
    """A look at ids ends after some hundred."""
    names = ("the-signing-keys-rotate-daily", "the-signing-keys-rest-at-night")
    shown: list[Artifact] = [claim(name, "Keys.") for name in names]
    crowd: list[Artifact] = [
        claim(f"the-signing-keys-{number:03}", "No.", scope=PRIVATE) for number in range(600)
    ]
    told = []
    for seen in (view(*shown), view(*shown, *crowd)):
        found = [artifact.id for artifact in by_beginning(seen, Kind.CLAIM, "the-signing-keys…")]
        short = [short_id(seen, artifact) for artifact in shown]
        told.append((found, short, nearest([seen], Kind.CLAIM, "the-signing-keys-rotate")))
    assert sorted(told[0][0]) == sorted(names)
    assert told[0] == told[1]
