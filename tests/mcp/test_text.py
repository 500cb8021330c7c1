"""What a model reads of a result."""

from __future__ import annotations

from typing import Any

from vouch_sidecar.surfaces.mcp.text import readable


def claim(claim_id: str, *titles: str) -> dict[str, Any]:
    """A claim that cites documents by their titles."""
    citations = [{"id": f"{claim_id}-{n}", "title": title} for n, title in enumerate(titles)]
    facts = {"status": "stable", "confidence": 0.9, "date": None}
    return {"id": claim_id, "text": "It holds.", "citations": citations, **facts}


def test_a_document_cited_twice_is_one_source() -> None:
    result = {"claim": claim("a", "Report", "Runbook", "Report"), "degraded": []}
    assert readable("claim", result).splitlines()[-1] == "sources: Report, Runbook"


def test_an_entity_says_how_many_of_its_claims_are_shown() -> None:
    entity = {"id": "jwt", "name": "JWT", "type": "concept", "description": None}
    claims = [claim(str(n)) for n in range(7)]
    result = {"entity": entity, "claims": claims, "claim_count": 9, "pages": [], "degraded": []}
    _, count, *shown = readable("entity", result).splitlines()
    assert count == "9 live claims, the 5 newest"
    assert len(shown) == 5
