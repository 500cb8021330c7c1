"""What a generation knows, and what a change makes of it."""

import pytest
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.index.memo import MAX_CHARACTERS, Memo
from vouch_sidecar.kb.access import OPEN
from vouch_sidecar.kb.records import Artifact, Kind, Scope
from vouch_sidecar.retrieval.search import search
from vouch_sidecar.retrieval.view import View

from tests.retrieval.samples import after, claim, entity, evidence, knowledge_of, page, source

ONLY_OPEN = frozenset({OPEN})
ADA = frozenset({OPEN, "agent:ada"})


def found(knowledge: Knowledge, words: str, limit: int) -> list[str]:
    hits = search([View("kb", knowledge, ONLY_OPEN)], words, [Kind.CLAIM], limit)
    return [hit.artifact.id for hit in hits]


def knowing(*artifacts: Artifact) -> Knowledge:
    """Knowledge that learned the artifacts one after the other."""
    knowledge = Knowledge()
    for artifact in artifacts:
        knowledge = after(knowledge, artifact)
    return knowledge


def test_a_page_links_claims_only_where_all_who_see_these_see_it() -> None:
    private = Scope("private", agent="ada")
    knowledge = knowing(
        entity("e", "Vault"),
        claim("open", "Keys rotate weekly."),
        claim("hers", "Keys leaked.", scope=private),
        page("p", claims=("open", "hers"), entities=("e",), scope=private),
    )
    assert knowledge.links("open")[0] == []
    assert knowledge.links("hers") == (["e"], "page")
    assert View("kb", knowledge, ONLY_OPEN).search.claim_count("e") == 0
    assert View("kb", knowledge, ADA).search.claim_count("e") == 1
    knowledge = after(knowledge, page("p", claims=("open",), scope=private))
    assert View("kb", knowledge, ADA).search.claim_count("e") == 0


@pytest.mark.parametrize("scope", [Scope(), Scope("private")], ids=["retired", "unseen"])
def test_a_quote_that_only_claims_cite_that_nobody_sees_is_withdrawn(scope: Scope) -> None:
    status = "stable" if scope.visibility == "private" else "redacted"
    citing = [
        claim("hidden", "", evidence=("v",), scope=scope, status=status),
        claim("open", "Keys rotate.", evidence=("v",)),
    ]
    before = knowing(source("s", "Notes", Scope()), evidence("v", "s"), *citing)
    shown = before.evidence("v")
    assert shown is not None
    assert shown.quote == "a quote"
    then = after(before, claim("open", "Keys rotate."))
    withheld = then.evidence("v")
    assert withheld is not None
    assert withheld.quote is None
    assert then.withdrawn_since(before)
    assert not before.withdrawn_since(then)
    assert not after(then, gone=(Kind.EVIDENCE, "v")).withdrawn_since(then)


@pytest.mark.parametrize("scopes", ["u", "a", "ua", "o", "oa", "ab", "b", ""])
def test_evidence_counts_for_whoever_sees_what_cites_it(scopes: str) -> None:
    scope = {"o": Scope(), "u": Scope("private")}
    scope |= {name[0]: Scope("private", agent=name) for name in ("ada", "bob")}
    citing = [claim(c, "Keys.", evidence=("v",), scope=scope[c]) for c in scopes]
    knowledge = knowing(source("s", "Notes", Scope()), evidence("v", "s"), *citing)
    shown = not scopes or "o" in scopes
    hers = shown or scopes in ("a", "ua")  # a label can't say “a or b”
    for gates, counted in ((ADA, hers), (ONLY_OPEN, shown)):
        assert View("kb", knowledge, gates).number_of(Kind.EVIDENCE) == counted


def test_what_nobody_sees_differs_as_well() -> None:
    """Of a source that an archived claim cites other parts are shown, of a redacted one's none."""
    knowledge = knowing(claim("c", "Keys leaked.", status="archived"))
    changed = after(knowledge, claim("c", "", status="redacted"))
    assert changed.changed_since(knowledge.serial) == {(Kind.CLAIM, "c")}


@pytest.mark.parametrize("count", [201, 450])
def test_more_equal_hits_than_any_preselection_come_in_one_order(count: int) -> None:
    many = [claim(f"c{i:03}", f"latency figure {i:03}") for i in range(count)]
    for artifacts in (many, many[::-1]):
        assert found(knowledge_of(artifacts), "latency", 100) == [f"c{i:03}" for i in range(100)]


@pytest.mark.parametrize("limit", [1, 4, 5])
def test_however_few_are_asked_for_what_is_gone_takes_nobodys_place(limit: int) -> None:
    """A change leaves the generation before as it was."""
    ids = [f"c{i:02}" for i in range(12)]
    before = knowledge_of([claim(one, "latency figure") for one in ids])
    known = after(before, *(claim(one, "bread") for one in ids[:8]))
    assert found(known, "latency", limit) == ids[8:][:limit]
    assert found(known, "bread", limit) == ids[:8][:limit]
    assert found(before, "latency", 99) == ids


def test_a_memo_keeps_what_was_used_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vouch_sidecar.index.memo.MAX_ENTRIES", 3)
    memo = Memo()
    for text in "abcad":
        memo.once(text, "", text.upper)
    assert [memo.once(text, "", str) for text in "cadb"] == ["C", "A", "D", ""]
    large = "e" * MAX_CHARACTERS
    memo.once(large, "", large.upper)
    assert memo.once(large, "", str)
    assert memo.once("a", "", str) == ""
