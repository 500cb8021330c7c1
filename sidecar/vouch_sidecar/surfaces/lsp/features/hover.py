"""Hovers, whose first line says what they speak of. On an entity's name: whom to ask, and its best
claims, in at most a dozen lines. On a topic's name in prose: whom to ask, where the name was found,
its best claims. On an id in a file below `.vouch/`: its artifact. On an identifier or path with
ties: why they are tied, and the strongest tied claim. In code a word in small letters has none,
unless a claim names it with its class.

Texts of a knowledge base are escaped. The only links are to files inside the workspace and the
knowledge base, never to an address in a claim.
"""

from __future__ import annotations

import re
from collections.abc import Container
from functools import partial
from pathlib import Path

from lsprotocol import types as lsp

from vouch_sidecar.engine import Served
from vouch_sidecar.kb.records import Artifact, Entity
from vouch_sidecar.kb.sanitize import clip, count, one_line
from vouch_sidecar.operations import EntityCard, card_of
from vouch_sidecar.operations.artifacts import ArtifactViews, ClaimView
from vouch_sidecar.retrieval.files.file_ties import Tied
from vouch_sidecar.retrieval.people.owners import told_owners
from vouch_sidecar.retrieval.people.to_ask import PERSON, ROLES
from vouch_sidecar.surfaces.lsp.artifact_lines import label_of, lines_about
from vouch_sidecar.surfaces.lsp.ids import NamedId, id_at
from vouch_sidecar.surfaces.lsp.mentions import find, find_ties
from vouch_sidecar.surfaces.lsp.server import Sidecar
from vouch_sidecar.surfaces.lsp.style import Style, isolated, paragraph, style_for

CLAIMS_OF_MANY = 2
CARDS = 3
CONTRADICTING = 2
"""Contradicting claims named for a contested claim, at most."""
CITATIONS = 3
MOST_PAGES = 3
TEXT_CHARS = 240
HEAD_CHARS = 80
AUTHORS = 3


def register(server: Sidecar) -> None:
    """Answer `textDocument/hover`."""
    server.on(lsp.TEXT_DOCUMENT_HOVER, partial(_hover, server))


def _hover(server: Sidecar, params: lsp.HoverParams) -> lsp.Hover | None:
    settings = server.settings.hover
    speaking = {kb.collection.root for kb in server.engine.unpaused(server.caller)}
    if not speaking:
        return None
    uri, position = params.text_document.uri, params.position
    at_id = id_at(server, uri, position)
    if at_id is not None and at_id.artifact is not None:
        return _of_id(server, at_id, at_id.artifact)
    if settings.enabled == "off":
        return None
    mention = find(server, uri, position, topics=True)
    if mention is None or (mention.in_code and mention.name.islower() and mention.name.isalnum()):
        return _of_ties(server, uri, position, speaking)
    if mention.in_code and settings.enabled == "prose":
        return None
    cards = [
        card
        for served, entity_id in mention.entities
        if served.collection.root in speaking and (card := card_of(served, entity_id)) is not None
    ]
    if not cards:
        return None
    style = style_for(server)
    claims = settings.max_claims if len(cards) == 1 else min(settings.max_claims, CLAIMS_OF_MANY)
    parts = [
        _brief(card, style) if mention.in_code else _card(card, style, claims)
        for card in cards[:CARDS]
    ]
    lines = [line for part in parts for line in ("", *part)][1:]
    return lsp.Hover(contents=style.content(lines), range=mention.range)


def _of_id(server: Sidecar, at_id: NamedId, artifact: Artifact) -> lsp.Hover:
    """The hover on an id: the card of an entity, else a description of the artifact."""
    style = style_for(server)
    lines = lines_about(at_id.file, artifact, style)
    if isinstance(artifact, Entity) and (card := card_of(at_id.file.served, artifact.id)):
        lines = _card(card, style, server.settings.hover.max_claims)
    return lsp.Hover(contents=style.content(lines), range=at_id.range)


def _of_ties(
    server: Sidecar, uri: str, position: lsp.Position, speaking: Container[Path]
) -> lsp.Hover | None:
    """The hover on a place with ties: the strongest tied claim and the reason; None without."""
    place = find_ties(server, uri, position)
    if place is None or (place.in_code and server.settings.hover.enabled == "prose"):
        return None
    ties = tuple(pair for pair in place.tied if pair[0].collection.root in speaking)
    if place.in_code and place.name.islower() and place.name.isalnum():
        ties = _with_its_class(place.name, ties)
    if not ties:
        return None
    style = style_for(server)
    served, tied = ties[0]
    claim = ArtifactViews(served.view, served.collection.root).claim(tied.claim)
    others = {other.claim.id for _, other in ties} - {tied.claim.id}
    why = [style.text(clip(one_line(f"Claim on {tied.path}: {tied.why}"), TEXT_CHARS))]
    why += [count(len(others), "more claim")] if others else []
    lines = [" · ".join(why), "", _claim(claim, style)]
    return lsp.Hover(contents=style.content(lines), range=place.range)


def _with_its_class(
    name: str, ties: tuple[tuple[Served, Tied], ...]
) -> tuple[tuple[Served, Tied], ...]:
    """The ties whose claims name a word as a part of something: `Session.send`, of `send`."""
    part = re.compile(rf"\w\.{re.escape(name)}\b")
    return tuple(row for row in ties if part.search(row[1].claim.text))


def _brief(card: EntityCard, style: Style) -> list[str]:
    """What it is, whom to ask, and the best claim: short, as other language servers hover, too."""
    entity = card.entity
    head = [isolated(style.strong(clip(entity.name, HEAD_CHARS))), style.text(entity.type)]
    claims = [_claim(claim, style) for claim in card.claims[:1]]
    return paragraph([" · ".join([*head, *_ask(card, style)]), *claims])


def _card(card: EntityCard, style: Style, limit: int) -> list[str]:
    """Lines that describe an entity or topic, then `limit` claims, then links."""
    entity = card.entity
    if card.why is not None:
        top = [_head(card, style), *_ask(card, style), f"Not declared: {style.text(card.why)}"]
        pages = ["", _pages(card, style)] if card.pages else []
        return [*paragraph(top), *(_claim(claim, style) for claim in card.claims[:limit]), *pages]
    about = (
        [style.text(clip(one_line(entity.description), TEXT_CHARS))] if entity.description else []
    )
    top = [_head(card, style), *_ask(card, style), *about]
    claims = [_claim(claim, style) for claim in card.claims[:limit]]
    return [*paragraph(top), *claims, "", _links(card, style)]


def _head(card: EntityCard, style: Style) -> str:
    entity = card.entity
    head = [isolated(style.strong(clip(entity.name, HEAD_CHARS))), style.text(entity.type)]
    if entity.aliases:
        aliases = clip(", ".join(map(one_line, entity.aliases)), HEAD_CHARS)
        head.append("also " + isolated(style.text(aliases)))
    if card.collection is not None:
        head.append(style.text(card.collection))
    return " · ".join([*head, count(card.claim_count, "live claim")])


def _ask(card: EntityCard, style: Style) -> list[str]:
    """The line that says whom to ask; [] for a person, and where nobody is named."""
    if card.entity.type == PERSON:
        return []
    people: list[str] = []
    owners: list[str] = []
    for row, uri in card.people:
        name = style.link(clip(one_line(row.entity.name), HEAD_CHARS), uri)
        if row.relation is not None:
            owners.append(f"{ROLES[row.relation]} {name}")
        elif row.via is not None:
            people.append(f"{name} ({style.text(clip(row.via.name, HEAD_CHARS))})")
        else:
            claims = str(row.claim_count) if people else count(row.claim_count, "claim")
            people.append(f"{name} ({claims})")
    if card.owners:  # by CODEOWNERS
        owners.append(style.text(clip(told_owners(card.owners), TEXT_CHARS)))
    authors = [
        f"{isolated(style.text(clip(author.name, HEAD_CHARS)))} ({count(author.commits, 'commit')})"
        for author in card.authors[:AUTHORS]
    ]
    groups = [", ".join(people), *owners, ", ".join(authors)]
    asked = " · ".join(group for group in groups if group)
    return [f"Ask {asked}"] if asked else []


def _claim(claim: ClaimView, style: Style) -> str:
    status = style.text(claim.status)
    if claim.status == "contested" and claim.contradicts:
        others = ", ".join(map(style.text, claim.contradicts[:CONTRADICTING]))
        status += f" by {others}"
    facts = [status, f"confidence {claim.confidence:.2f}"]
    facts += [claim.date[:10]] if claim.date is not None else []
    facts += [style.text(clip(one_line(claim.stale), TEXT_CHARS))] if claim.stale else []
    cited = {
        label_of(citation): citation.document or citation.uri
        for citation in reversed(claim.citations)
    }
    facts += [style.link(label, uri) for label, uri in [*reversed(cited.items())][:CITATIONS]]
    if (more := len(cited) - CITATIONS) > 0:
        facts.append(f"{more} more")
    return f"- {style.text(clip(one_line(claim.said), TEXT_CHARS))} ({', '.join(facts)})"


def _links(card: EntityCard, style: Style) -> str:
    links = [f"Entity: {style.link(card.entity.id, card.entity.uri)}"]
    return " · ".join([*links, *([_pages(card, style)] if card.pages else [])])


def _pages(card: EntityCard, style: Style) -> str:
    pages = [style.link(clip(page.title, HEAD_CHARS), page.uri) for page in card.pages[:MOST_PAGES]]
    return f"Pages: {', '.join(pages)}"
