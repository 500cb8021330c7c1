"""What a model reads of a result."""

from __future__ import annotations

from vouch_sidecar.operations import claim as claims
from vouch_sidecar.operations import entity as entities
from vouch_sidecar.operations.artifacts import Citation, ClaimView, EntityView
from vouch_sidecar.operations.claim import ClaimResult
from vouch_sidecar.operations.entity import EntityResult, PersonRow


def citation(title: str) -> Citation:
    nothing = dict.fromkeys(("source_id", "locator", "quote", "document", "fresh", "uri"))
    return Citation.model_validate({"id": "x", "kind": "source", "title": title, **nothing})


def claim(claim_id: str, *titles: str) -> ClaimView:
    """A claim that cites documents by their titles."""
    return ClaimView(
        id=claim_id,
        said="It holds.",
        sentence=None,
        said_with=[],
        text="It holds.",
        type="fact",
        status="stable",
        confidence=0.9,
        entities=[],
        linked_entities=[],
        link="declared",
        tags=[],
        contradicts=[],
        date=None,
        stale=None,
        citations=[citation(title) for title in titles],
        uri="file:///x",
    )


def person(entity_id: str, relation: str | None = None, claim_count: int = 0) -> PersonRow:
    """Somebody to ask."""
    return PersonRow(
        entity_id=entity_id,
        name=entity_id.capitalize(),
        type="person",
        via=None,
        claim_count=claim_count,
        relation=relation,
    )


def test_a_document_cited_twice_is_one_source() -> None:
    cited = claim("a", "Report", "Runbook", "Report")
    result = ClaimResult(claim=cited, pages=[], relations=[], collection=None)
    assert claims.OPERATION.readable(result).splitlines()[-1] == "sources: Report, Runbook"


def test_an_entity_says_whom_to_ask_and_how_many_of_its_claims_are_shown() -> None:
    jwt = EntityView(
        id="jwt", name="JWT", type="concept", aliases=[], description=None, uri="file:///x"
    )
    result = EntityResult(
        entity=jwt,
        people=[person("ada", claim_count=2), person("ops", relation="owned_by")],
        claims=[claim(str(n)) for n in range(7)],
        claim_count=9,
        pages=[],
        relations=[],
        collection=None,
    )
    _, asked, count, *shown = entities.OPERATION.readable(result).splitlines()
    assert asked == "ask: Ada (ada): 2 claims, Ops (ops): owned by"
    assert count == "9 live claims, the 5 best"
    assert len(shown) == 5


def test_what_an_answer_had_to_do_without_is_said() -> None:
    result = ClaimResult(
        claim=claim("a"), pages=[], relations=[], collection=None, degraded=["files_skipped"]
    )
    assert claims.OPERATION.readable(result).endswith("(without all of it: files_skipped)")
