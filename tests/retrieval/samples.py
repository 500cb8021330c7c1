"""Small knowledge bases in memory, their changes, and the views of those who look at them."""

from collections.abc import Iterable

from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.kb import records
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.kb.records import Artifact, Claim, Entity, Key, Page, Scope, Source, key_of
from vouch_sidecar.retrieval.view import View

NOBODY = Viewer()
ADA = Viewer(agent="ada")
COURIER = Viewer(project="courier")
PRIVATE = Scope("private", agent="ada")


def claim(claim_id: str, text: str, **fields: object) -> Claim:
    return Claim(claim_id, f"claims/{claim_id}.yaml", text, **fields)  # type: ignore[arg-type]


def entity(entity_id: str, name: str, **fields: object) -> Entity:
    fields.setdefault("type", "concept")
    return Entity(entity_id, f"entities/{entity_id}.yaml", name, **fields)  # type: ignore[arg-type]


def page(page_id: str, title: str = "A page", **fields: object) -> Page:
    return Page(page_id, f"pages/{page_id}.md", title, **fields)  # type: ignore[arg-type]


def relation(relation_id: str, source: str, target: str) -> records.Relation:
    path = f"relations/{relation_id}.yaml"
    return records.Relation(relation_id, path, source, "supersedes", target)


def source(source_id: str, title: str, scope: Scope) -> Source:
    return Source(source_id, f"sources/{source_id}/meta.yaml", "notes.md", title=title, scope=scope)


def evidence(evidence_id: str, source_id: str) -> records.Evidence:
    return records.Evidence(evidence_id, f"evidence/{evidence_id}.yaml", source_id, "L1", "a quote")


def view(*artifacts: Artifact, collection: str = "kb") -> View:
    return View(collection, knowledge_of(artifacts), NOBODY.gates, identity=collection)


def knowledge_of(artifacts: Iterable[Artifact]) -> Knowledge:
    return Knowledge.of({key_of(artifact): artifact for artifact in artifacts})


def after(before: Knowledge, *new: Artifact, gone: Key | None = None) -> Knowledge:
    """The generation after a change: of what comes, and what goes."""
    kept = {key: one for key, one in before.records.items() if key != gone}
    return before.after(kept | {key_of(one): one for one in new})
