"""Hovers, whose first line says what they speak of: the results of `entity` and `claim` in a few
lines. On an entity's name: whom to ask, and its best claims. On a topic's name in prose: the same,
and where the name was found. On an id in a file below `.vouch/`: its artifact. On an identifier or
path with ties: why they are tied, and the strongest tied claim. In code a word in small letters has
none, unless a claim names it with its class.

Texts of a knowledge base are escaped. The only links are to files inside the workspace and the
knowledge base, never to an address in a claim.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from functools import partial
from pathlib import Path

from lsprotocol import types as lsp

from vouch_sidecar.engine import Served
from vouch_sidecar.kb.records import Artifact, Claim, Entity, Evidence, Page, Source, key_of
from vouch_sidecar.kb.sanitize import clip, count, one_line
from vouch_sidecar.operations import claim as claims
from vouch_sidecar.operations import entity as entities
from vouch_sidecar.operations.artifacts import ArtifactViews, Citation, ClaimView, IdParams
from vouch_sidecar.operations.claim import ClaimResult
from vouch_sidecar.operations.entity import EntityResult
from vouch_sidecar.operations.operation import OperationCall
from vouch_sidecar.retrieval.files.file_ties import Tied
from vouch_sidecar.retrieval.people.to_ask import PERSON
from vouch_sidecar.retrieval.search import text_of
from vouch_sidecar.surfaces.lsp.ids import NamedId, id_at
from vouch_sidecar.surfaces.lsp.mentions import find, find_ties
from vouch_sidecar.surfaces.lsp.server import Sidecar
from vouch_sidecar.surfaces.lsp.style import Style, isolated, paragraph, style_for

CLAIMS_OF_MANY = 2
CARDS = 3
CITATIONS = 3
MOST_PAGES = 3
AUTHORS = 3
TEXT_CHARS = 240
HEAD_CHARS = 80


def register(server: Sidecar) -> None:
    """Answer `textDocument/hover`."""
    server.on(lsp.TEXT_DOCUMENT_HOVER, partial(_hover, server))


def _hover(server: Sidecar, params: lsp.HoverParams) -> lsp.Hover | None:
    settings = server.settings.hover
    uri, position = params.text_document.uri, params.position
    speaking = {kb.collection.root for kb in server.engine.unpaused(server.caller_for(uri))}
    if not speaking:
        return None
    at_id = id_at(server, uri, position)
    if at_id is not None and at_id.artifact is not None:
        lines = _about(server, at_id, at_id.artifact)
        return lsp.Hover(contents=style_for(server).content(lines), range=at_id.range)
    if settings.enabled == "off":
        return None
    mention = find(server, uri, position, topics=True)
    if mention is None or (mention.in_code and mention.name.islower() and mention.name.isalnum()):
        return _of_ties(server, uri, position, speaking)
    if mention.in_code and settings.enabled == "prose":
        return None
    named = [row for row in mention.named if row[0].collection.root in speaking][:CARDS]
    limit = settings.max_claims if len(named) == 1 else min(settings.max_claims, CLAIMS_OF_MANY)
    style, lines = style_for(server), list[str]()
    for served, entity_id in named:
        if served.view.visible.entity(entity_id) is not None:
            result = entities.answer(_call(server, served), IdParams(id=entity_id))
            card = _brief(result, style) if mention.in_code else _card(result, style, limit, served)
            lines += ["", *card] if lines else card
    return lsp.Hover(contents=style.content(lines), range=mention.range) if lines else None


def _call(server: Sidecar, served: Served) -> OperationCall:
    return OperationCall(server.engine, server.caller, [served])


def _about(server: Sidecar, at_id: NamedId, artifact: Artifact) -> list[str]:
    """What an id in a file names: the card of an entity or claim, else a line or two."""
    style, call = style_for(server), _call(server, at_id.file.served)
    params = IdParams(id=artifact.id)
    match artifact:
        case Entity():
            result = entities.answer(call, params)
            return _card(result, style, server.settings.hover.max_claims, at_id.file.served)
        case Claim():
            return _claim_card(claims.answer(call, params), style)
        case Source() | Evidence():
            return _cited(at_id.file.views.citation(artifact.id), artifact, style)
        case Page(title=title):
            return [_head(style, title, "page", artifact.type, artifact.status)]
        case _:
            return [_head(style, text_of(artifact), key_of(artifact)[0].value)]


def _of_ties(
    server: Sidecar, uri: str, position: lsp.Position, speaking: Container[Path]
) -> lsp.Hover | None:
    """The hover on a place with ties: the strongest tied claim and the reason; None without."""
    place = find_ties(server, uri, position)
    if place is None or (place.in_code and server.settings.hover.enabled == "prose"):
        return None
    ties = tuple(pair for pair in place.named if pair[0].collection.root in speaking)
    if place.in_code and place.name.islower() and place.name.isalnum():
        ties = _with_its_class(place.name, ties)
    if not ties:
        return None
    style = style_for(server)
    served, tied = ties[0]
    claim = ArtifactViews(served.view, served.collection.root).claim(tied.claim)
    others = {other.claim.id for _, other in ties} - {tied.claim.id}
    why = [_text(style, f"Claim on {tied.path}: {tied.why}")]
    why += [count(len(others), "more claim")] if others else []
    lines = [" · ".join(why), "", _claim(claim, style)]
    return lsp.Hover(contents=style.content(lines), range=place.range)


def _with_its_class(
    name: str, ties: tuple[tuple[Served, Tied], ...]
) -> tuple[tuple[Served, Tied], ...]:
    """The ties whose claims name a word as a part of something: `Session.send`, of `send`."""
    part = re.compile(rf"\w\.{re.escape(name)}\b")
    return tuple(row for row in ties if part.search(row[1].claim.text))


def _brief(result: EntityResult, style: Style) -> list[str]:
    """What it is, whom to ask, and the best claim: other language servers hover, too."""
    head = [_head(style, result.entity.name, result.entity.type), *_ask(result, style)]
    return paragraph([" · ".join(head), *(_claim(claim, style) for claim in result.claims[:1])])


def _card(result: EntityResult, style: Style, limit: int, served: Served) -> list[str]:
    """An entity or topic: what it is, whom to ask, `limit` claims, links."""
    entity = result.entity
    aliases = clip(", ".join(map(one_line, entity.aliases)), HEAD_CHARS)
    head = [_head(style, entity.name, entity.type)]
    head += [f"also {isolated(style.text(aliases))}"] if aliases else []
    head += [style.text(several)] if (several := served.view.shown_collection) else []
    top = [" · ".join([*head, count(result.claim_count, "live claim")]), *_ask(result, style)]
    about = f"Not declared: {result.why}" if result.why else entity.description
    top += [_text(style, about)] if about else []
    pages = [style.link(clip(page.title, HEAD_CHARS), page.uri) for page in result.pages]
    links = [f"Entity: {style.link(entity.id, entity.uri)}"] if entity.uri else []
    links += [f"Pages: {', '.join(pages[:MOST_PAGES])}"] if pages else []
    best = [_claim(claim, style) for claim in result.claims[:limit]]
    return [*paragraph(top), *best, *(["", " · ".join(links)] if links else [])]


def _claim_card(result: ClaimResult, style: Style) -> list[str]:
    claim = result.claim
    cited = [_source(citation, style) for citation in claim.citations[:CITATIONS]]
    contrary = [f"Contested by: {_text(style, other.said)}" for other in result.contested_by]
    return paragraph(
        [
            style.strong(clip(one_line(claim.said), TEXT_CHARS)),
            _text(style, f"{claim.type} · {claim.facts}"),
            *contrary,
            *([f"Evidence: {', '.join(cited)}"] if cited else []),
        ]
    )


def _cited(citation: Citation, artifact: Source | Evidence, style: Style) -> list[str]:
    """A source or evidence: its title, and its place or quote."""
    title = citation.title or citation.locator or citation.id
    if isinstance(artifact, Source):
        lines = [_head(style, title, "source", artifact.type), _source(citation, style)]
    else:
        lines = [_head(style, title, "evidence", artifact.locator)]
        lines += [_text(style, f"“{artifact.quote}”")] if artifact.quote else []
    return paragraph(lines)


def _ask(result: EntityResult, style: Style) -> Sequence[str]:
    """The line that says whom to ask; none for a person, and where nobody is named."""
    if result.entity.type == PERSON:
        return []
    told = [(row.name, row.said) for row in result.people]
    commits = (result.by_commits or [])[:AUTHORS]
    told += [(author.name, count(author.commits, "commit")) for author in commits]
    names = [
        isolated(style.text(clip(name, HEAD_CHARS))) + (f" ({style.text(why)})" if why else "")
        for name, why in told
    ]
    return [f"Ask {', '.join(names)}"] if names else []


def _claim(claim: ClaimView, style: Style) -> str:
    by_title = {_label(citation): citation for citation in reversed(claim.citations)}
    cited = [_source(citation, style) for citation in [*by_title.values()][::-1]]
    more = [f"{len(cited) - CITATIONS} more"] if len(cited) > CITATIONS else []
    facts = " · ".join([_text(style, claim.facts), *cited[:CITATIONS], *more])
    return f"- {_text(style, claim.said)} ({facts})"


def _source(citation: Citation, style: Style) -> str:
    return style.link(_label(citation), citation.document or citation.uri)


def _label(citation: Citation) -> str:
    return clip(one_line(citation.title or citation.locator or citation.id), HEAD_CHARS)


def _head(style: Style, title: str, *facts: str) -> str:
    strong = isolated(style.strong(clip(one_line(title), HEAD_CHARS)))
    return " · ".join([strong, *(_text(style, fact) for fact in facts if fact)])


def _text(style: Style, text: str) -> str:
    return style.text(clip(one_line(text), TEXT_CHARS))
