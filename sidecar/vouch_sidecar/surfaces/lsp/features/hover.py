"""Hovers, whose first line says what they speak of: the results of `entity` and `claim` in a few
lines. On an entity's name: whom to ask, and its best claims. On a topic's name in prose: the same,
and where the name was found. On an id in a file below `.vouch/`: its artifact. On an identifier or
path with ties: why they are tied, and the strongest tied claim. In code a word in small letters has
none.

Texts of a knowledge base are escaped. The only links are to files inside the workspace and the
knowledge base, never to an address in a claim.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from lsprotocol import types as lsp

from vouch_sidecar.engine import Served
from vouch_sidecar.kb.records import Claim, Entity, key_of
from vouch_sidecar.kb.sanitize import clip, count, one_line
from vouch_sidecar.operations import claim as claims
from vouch_sidecar.operations import entity as entities
from vouch_sidecar.operations.artifacts import ArtifactViews, Citation, ClaimView, IdParams
from vouch_sidecar.operations.claim import ClaimResult
from vouch_sidecar.operations.entity import EntityResult
from vouch_sidecar.operations.operation import OperationCall
from vouch_sidecar.retrieval.people.to_ask import PERSON
from vouch_sidecar.retrieval.search import text_of
from vouch_sidecar.surfaces.lsp.documents import Document
from vouch_sidecar.surfaces.lsp.ids import NamedArtifact, artifact_at
from vouch_sidecar.surfaces.lsp.mentions import entities_at, ties_at
from vouch_sidecar.surfaces.lsp.server import Sidecar
from vouch_sidecar.surfaces.lsp.style import Style, paragraph, style_for

CLAIMS = 2
CARDS = 3
MOST = 3
"""Citations, pages and authors that are named."""
TEXT_CHARS = 240
HEAD_CHARS = 80


def register(server: Sidecar) -> None:
    """Answer `textDocument/hover`."""
    server.on(lsp.TEXT_DOCUMENT_HOVER, partial(_hover, server))


def _hover(server: Sidecar, params: lsp.HoverParams) -> lsp.Hover | None:
    uri, document = params.text_document.uri, server.documents.find(params.text_document.uri)
    speaking = server.engine.unpaused(server.caller_for(uri))
    if document is None or not speaking:
        return None
    if (named := artifact_at(server, uri, params.position)) is not None:
        return _shown(server, _of_artifact(server, named), named.range)
    return _of_words(server, speaking, document, params.position)


def _shown(server: Sidecar, lines: Sequence[str], place: lsp.Range) -> lsp.Hover:
    return lsp.Hover(contents=style_for(server).content(lines), range=place)


def _entity(server: Sidecar, served: Served, entity_id: str) -> EntityResult:
    call = OperationCall(server.engine, server.caller, [served])
    return entities.answer(call, IdParams(id=entity_id), CLAIMS)


def _of_artifact(server: Sidecar, named: NamedArtifact) -> list[str]:
    """The card of an entity or claim; of others their title, and the source where there is one."""
    style, artifact, served = style_for(server), named.artifact, named.served
    if isinstance(artifact, Entity):
        return _card(_entity(server, served, artifact.id), style, served)
    if isinstance(artifact, Claim):
        call = OperationCall(server.engine, server.caller, [served])
        return _claim_card(claims.answer(call, IdParams(id=artifact.id)), style)
    kind = key_of(artifact)[0].value
    facts = (getattr(artifact, name, "") for name in ("type", "status"))
    citation = named.views.citation(artifact.id)
    title = citation.title or getattr(artifact, "title", None) or text_of(artifact)
    head = _head(style, title, kind, *facts)
    quote = [_text(style, f"“{citation.quote}”")] if citation.quote else []
    where = [] if citation.kind == "missing" else [_source(citation, style)]
    return paragraph([head, *quote, *where])


def _of_words(
    server: Sidecar, speaking: Sequence[Served], document: Document, position: lsp.Position
) -> lsp.Hover | None:
    """The hover on an entity's name, else on a place with ties."""
    settings, style = server.settings.hover, style_for(server)
    if settings.enabled == "off":
        return None
    mention = entities_at(speaking, document, position, topics=True)
    if mention is None or mention.is_word_of_code:
        place = ties_at(speaking, document, position)
        if place is None or place.is_word_of_code or _is_silent(server, place.in_code):
            return None
        served, tied = place.named[0]
        claim = ArtifactViews(served.view).claim(tied.claim)
        others = {other.claim.id for _, other in place.named} - {claim.id}
        why = [_text(style, f"Claim on {tied.path}: {tied.why}")]
        why += [count(len(others), "more claim")] if others else []
        return _shown(server, [" · ".join(why), "", _claim(claim, style)], place.range)
    if _is_silent(server, mention.in_code):
        return None
    named = mention.named[:CARDS]
    lines: list[str] = []
    for served, entity_id in named:
        if served.view.visible.entity(entity_id) is not None:
            result = _entity(server, served, entity_id)
            card = _brief(result, style) if mention.in_code else _card(result, style, served)
            lines += ["", *card] if lines else card
    return _shown(server, lines, mention.range) if lines else None


def _is_silent(server: Sidecar, in_code: bool) -> bool:
    return in_code and server.settings.hover.enabled == "prose"


def _brief(result: EntityResult, style: Style) -> list[str]:
    """What it is, whom to ask, and the best claim: other language servers hover, too."""
    head = [_head(style, result.entity.name, result.entity.type), *_ask(result, style)]
    return paragraph([" · ".join(head), *(_claim(claim, style) for claim in result.claims[:1])])


def _card(result: EntityResult, style: Style, served: Served) -> list[str]:
    """An entity or topic: what it is, whom to ask, `CLAIMS` claims, links."""
    entity = result.entity
    also = [_text(style, f"also {', '.join(entity.aliases)}")] if entity.aliases else []
    where = [style.text(several)] if (several := served.view.shown_collection) else []
    head = [_head(style, entity.name, entity.type), *also, *where]
    top = [" · ".join([*head, count(result.claim_count, "live claim")]), *_ask(result, style)]
    about = f"Not declared: {result.why}" if result.why else entity.description
    top += [_text(style, about)] if about else []
    pages = [style.link(clip(page.title, HEAD_CHARS), page.uri) for page in result.pages[:MOST]]
    links = [f"Entity: {style.link(entity.id, entity.uri)}"] if entity.uri else []
    links += [f"Pages: {', '.join(pages)}"] if pages else []
    best = [_claim(claim, style) for claim in result.claims[:CLAIMS]]
    return [*paragraph(top), *best, *(["", " · ".join(links)] if links else [])]


def _claim_card(result: ClaimResult, style: Style) -> list[str]:
    claim, cited = result.claim, _sources(result.claim, style)
    return paragraph(
        [
            style.strong(clip(one_line(claim.said), TEXT_CHARS)),
            _text(style, f"{claim.type} · {claim.facts}"),
            *(f"Contested by: {_text(style, other.said)}" for other in result.contested_by),
            *([f"Evidence: {', '.join(cited)}"] if cited else []),
        ]
    )


def _ask(result: EntityResult, style: Style) -> list[str]:
    """The line that says whom to ask; none for a person, and where nobody is named."""
    if result.entity.type == PERSON:
        return []
    told = [(row.name, row.said) for row in result.people]
    authors = (result.by_commits or [])[:MOST]
    told += [(author.name, count(author.commits, "commit")) for author in authors]
    names = [_text(style, f"{name} ({why})" if why else name) for name, why in told]
    return [f"Ask {', '.join(names)}"] if names else []


def _claim(claim: ClaimView, style: Style) -> str:
    facts = " · ".join([_text(style, claim.facts), *_sources(claim, style)])
    return f"- {_text(style, claim.said)} ({facts})"


def _sources(claim: ClaimView, style: Style) -> list[str]:
    """The first documents that a claim cites, each once."""
    return [*dict.fromkeys(_source(citation, style) for citation in claim.citations)][:MOST]


def _source(citation: Citation, style: Style) -> str:
    label = one_line(citation.title or citation.locator or citation.id)
    return style.link(clip(label, HEAD_CHARS), citation.document or citation.uri)


def _head(style: Style, title: str, *facts: str) -> str:
    strong = style.strong(clip(one_line(title), HEAD_CHARS))
    return " · ".join([strong, *(_text(style, fact) for fact in facts if fact)])


def _text(style: Style, text: str) -> str:
    return style.text(clip(one_line(text), TEXT_CHARS))
