"""Hovers, whose first line says what they speak of: the results of `entity` and `claim` in a few
lines. On an entity's name: whom to ask, and its best claims. On a topic's name in prose: the same,
and where the name was found. On an id in a file below `.vouch/`: its artifact. On an identifier or
path with ties: why they are tied, and the strongest tied claim. In code a word in small letters has
none.

Texts of a knowledge base are escaped. The only links are to files inside the workspace and the
knowledge base, never to an address in a claim.
"""

from __future__ import annotations

from typing import Any

from lsprotocol import types as lsp

from vouch_sidecar.engine import Served
from vouch_sidecar.kb.records import Artifact, Claim, Entity, key_of
from vouch_sidecar.kb.sanitize import count
from vouch_sidecar.operations import claim as claims
from vouch_sidecar.operations import entity as entities
from vouch_sidecar.operations.artifacts import ArtifactViews, Citation, ClaimView, IdParams
from vouch_sidecar.operations.claim import ClaimResult
from vouch_sidecar.operations.entity import EntityResult
from vouch_sidecar.operations.operation import OperationCall
from vouch_sidecar.retrieval.files.file_ties import Tied
from vouch_sidecar.retrieval.people.to_ask import PERSON
from vouch_sidecar.retrieval.search import text_of
from vouch_sidecar.surfaces.lsp.at_position import Place, artifact_at, entities_at, ties_at
from vouch_sidecar.surfaces.lsp.server import Sidecar
from vouch_sidecar.surfaces.lsp.style import TEXT_CHARS, Style, paragraph

CLAIMS = 2
CARDS = 3
MOST = 3
"""Citations, pages and authors that are named."""


def hover(server: Sidecar, params: lsp.HoverParams) -> lsp.Hover | None:
    uri, position = params.text_document.uri, params.position
    speaking, document = server.engine.unpaused(server.caller_for(uri)), server.document(uri)
    if document is None or not speaking:
        return None
    style, where = Style(server), server.engine.registry.settings.hover.enabled
    if (at_id := artifact_at(server, document, position)) is not None:
        lines = [line for each in at_id.named for line in _of_artifact(server, style, *each)]
        return lsp.Hover(style.content(lines), at_id.range)
    place: Place[Any] | None = entities_at(speaking, document, position, topics=True)
    if is_tie := place is None or place.is_word_of_code:
        place = ties_at(speaking, document, position)
    if place is None or place.is_word_of_code or where == "off":
        return None
    if place.in_code and where == "prose":
        return None
    lines = _of_ties(style, place) if is_tie else _of_entities(server, style, place)
    return lsp.Hover(style.content(lines), place.range) if lines else None


def _of_artifact(server: Sidecar, style: Style, served: Served, artifact: Artifact) -> list[str]:
    """The card of an entity or claim; of others their title, and the source where there is one."""
    call, params = OperationCall(server.engine, server.caller, [served]), IdParams(id=artifact.id)
    if isinstance(artifact, Entity):
        return _card(style, entities.answer(call, params, CLAIMS), served)
    if isinstance(artifact, Claim):
        return _claim_card(style, claims.answer(call, params))
    facts = (getattr(artifact, name, "") for name in ("type", "status"))
    cited = ArtifactViews(served.view).citation(artifact.id)
    title = cited.title or getattr(artifact, "title", None) or text_of(artifact)
    lines = [_head(style, title, key_of(artifact)[0].value, *facts)]
    lines += [style.text(f"“{cited.quote}”")] if cited.quote else []
    return paragraph([*lines, *([] if cited.kind == "missing" else [_source(style, cited)])])


def _of_entities(server: Sidecar, style: Style, mention: Place[Any]) -> list[str]:
    """The cards of entities or topics; in code short ones, as other language servers hover, too."""
    lines: list[str] = []
    for served, entity_id in mention.named[:CARDS]:
        if served.view.visible.entity(entity_id) is not None:
            call = OperationCall(server.engine, server.caller, [served])
            result = entities.answer(call, IdParams(id=entity_id), CLAIMS)
            card = _brief(style, result) if mention.in_code else _card(style, result, served)
            lines += ["", *card] if lines else card
    return lines


def _of_ties(style: Style, place: Place[Tied]) -> list[str]:
    """Why a place is tied to claims, and the strongest of these."""
    served, tied = place.named[0]
    claim = ArtifactViews(served.view).claim(tied.claim)
    others = {other.claim.id for _, other in place.named} - {claim.id}
    why = [style.text(f"Claim on {tied.path}: {tied.why}")]
    why += [count(len(others), "more claim")] if others else []
    return [" · ".join(why), "", _claim(style, claim)]


def _brief(style: Style, result: EntityResult) -> list[str]:
    """What an entity is, whom to ask, and the best claim."""
    head = [_head(style, result.entity.name, result.entity.type), *_ask(style, result)]
    return paragraph([" · ".join(head), *(_claim(style, claim) for claim in result.claims[:1])])


def _card(style: Style, result: EntityResult, served: Served) -> list[str]:
    """An entity or topic: what it is, whom to ask, `CLAIMS` claims, links."""
    entity = result.entity
    also = f"also {', '.join(entity.aliases)}" if entity.aliases else ""
    live = count(result.claim_count, "live claim")
    top = [_head(style, entity.name, entity.type, also, served.view.shown_collection, live)]
    top += _ask(style, result)
    about = f"Not declared: {result.why}" if result.why else entity.description
    top += [style.text(about)] if about else []
    best = [_claim(style, claim) for claim in result.claims[:CLAIMS]]
    pages = ", ".join(style.link(page.title, page.uri) for page in result.pages[:MOST])
    links = [f"Entity: {style.link(entity.id, entity.uri)}"] if entity.uri else []
    links += [f"Pages: {pages}"] if pages else []
    return [*paragraph(top), *best, *(["", " · ".join(links)] if links else [])]


def _claim_card(style: Style, result: ClaimResult) -> list[str]:
    claim, cited = result.claim, _sources(style, result.claim)
    lines = [style.strong(claim.said, TEXT_CHARS), style.text(f"{claim.type} · {claim.facts}")]
    lines += [f"Contested by: {style.text(other.said)}" for other in result.contested_by]
    return paragraph([*lines, *([f"Evidence: {', '.join(cited)}"] if cited else [])])


def _ask(style: Style, result: EntityResult) -> list[str]:
    """The line that says whom to ask; none for a person, and where nobody is named."""
    if result.entity.type == PERSON:
        return []
    people = [(row.name, row.said) for row in result.people]
    authors = (result.by_commits or [])[:MOST]
    people += [(author.name, count(author.commits, "commit")) for author in authors]
    names = [style.text(f"{name} ({why})" if why else name) for name, why in people]
    return [f"Ask {', '.join(names)}"] if names else []


def _claim(style: Style, claim: ClaimView) -> str:
    facts = " · ".join([style.text(claim.facts), *_sources(style, claim)])
    return f"- {style.text(claim.said)} ({facts})"


def _sources(style: Style, claim: ClaimView) -> list[str]:
    """The first documents that a claim cites, each once, at the line that is cited first."""
    links: dict[str, str] = {}
    for cited in claim.citations:
        document = (cited.document or cited.uri or cited.id).partition("#")[0]
        links.setdefault(document, _source(style, cited))
    return [*links.values()][:MOST]


def _source(style: Style, citation: Citation) -> str:
    label = citation.title or citation.locator or citation.id
    return style.link(label, citation.document or citation.uri)


def _head(style: Style, title: str, *facts: str | None) -> str:
    return " · ".join([style.strong(title), *(style.text(fact) for fact in facts if fact)])
