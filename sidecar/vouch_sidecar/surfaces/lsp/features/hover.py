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
from vouch_sidecar.kb.records import Artifact, Entity, Kind
from vouch_sidecar.kb.sanitize import clip, count, one_line
from vouch_sidecar.operations.artifacts import ArtifactViews, ClaimView
from vouch_sidecar.retrieval.files.file_ties import Tied
from vouch_sidecar.retrieval.people.authors import authors_about
from vouch_sidecar.retrieval.people.owners import owners_about, told_owners
from vouch_sidecar.retrieval.people.to_ask import PERSON, ROLES, people
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
    uri, position = params.text_document.uri, params.position
    speaking = {kb.collection.root for kb in server.engine.unpaused(server.caller_for(uri))}
    if not speaking:
        return None
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
    style = style_for(server)
    cards = [
        _Card(served, entity, style)
        for served, entity_id in mention.entities
        if served.collection.root in speaking
        and (entity := served.view.visible.entity(entity_id)) is not None
    ]
    if not cards:
        return None
    claims = settings.max_claims if len(cards) == 1 else min(settings.max_claims, CLAIMS_OF_MANY)
    parts = [card.brief() if mention.in_code else card.lines(claims) for card in cards[:CARDS]]
    lines = [line for part in parts for line in ("", *part)][1:]
    return lsp.Hover(contents=style.content(lines), range=mention.range)


def _of_id(server: Sidecar, at_id: NamedId, artifact: Artifact) -> lsp.Hover:
    """The hover on an id: the card of an entity, else a description of the artifact."""
    style = style_for(server)
    if isinstance(artifact, Entity):
        lines = _Card(at_id.file.served, artifact, style).lines(server.settings.hover.max_claims)
    else:
        lines = lines_about(at_id.file, artifact, style)
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


class _Card:
    """What a hover says of an entity or topic."""

    def __init__(self, served: Served, entity: Entity, style: Style) -> None:
        self._view, self._entity, self._style = served.view, entity, style
        self._views = ArtifactViews(served.view, served.collection.root)

    def brief(self) -> list[str]:
        """What it is, whom to ask, and the best claim: other language servers hover, too."""
        return paragraph([" · ".join([*self._title(), *self._ask()]), *self._claims(1)])

    def lines(self, limit: int) -> list[str]:
        """Lines that describe it, then `limit` claims, then links."""
        view, entity, style = self._view, self._entity, self._style
        topic = view.derived.get(entity.id)
        about = entity.description
        top = [self._head(), *self._ask()]
        if topic is not None:
            top.append(f"Not declared: {style.text(topic.why)}")
        elif about:
            top.append(style.text(clip(one_line(about), TEXT_CHARS)))
        pages = self._views.pages((Kind.ENTITY, entity.id))[:MOST_PAGES]
        named = [style.link(clip(page.title, HEAD_CHARS), page.uri) for page in pages]
        links = [f"Pages: {', '.join(named)}"] if pages else []
        if topic is None:
            links.insert(0, f"Entity: {style.link(entity.id, self._views.uri(entity.path))}")
        return [*paragraph(top), *self._claims(limit), *(["", " · ".join(links)] if links else [])]

    def _title(self) -> list[str]:
        entity, style = self._entity, self._style
        name = isolated(style.strong(clip(entity.name, HEAD_CHARS)))
        return [name, style.text(entity.type)]

    def _head(self) -> str:
        view, entity, style = self._view, self._entity, self._style
        head = self._title()
        if entity.aliases:
            aliases = clip(", ".join(map(one_line, entity.aliases)), HEAD_CHARS)
            head.append("also " + isolated(style.text(aliases)))
        if view.shown_collection is not None:
            head.append(style.text(view.shown_collection))
        return " · ".join([*head, count(view.counts.claims_of(entity.id), "live claim")])

    def _ask(self) -> list[str]:
        """The line that says whom to ask; [] for a person, and where nobody is named."""
        view, entity, style = self._view, self._entity, self._style
        if entity.type == PERSON:
            return []
        declared: list[str] = []
        owners: list[str] = []
        for row in people(view, entity):
            uri = self._views.uri(row.entity.path)
            name = style.link(clip(one_line(row.entity.name), HEAD_CHARS), uri)
            if row.relation is not None:
                owners.append(f"{ROLES[row.relation]} {name}")
            elif row.via is not None:
                declared.append(f"{name} ({style.text(clip(row.via.name, HEAD_CHARS))})")
            else:
                claims = str(row.claim_count) if declared else count(row.claim_count, "claim")
                declared.append(f"{name} ({claims})")
        if of_code := owners_about(view, entity):
            owners.append(style.text(clip(told_owners(of_code), TEXT_CHARS)))
        authors = [
            f"{isolated(style.text(clip(author.name, HEAD_CHARS)))} "
            f"({count(author.commits, 'commit')})"
            for author in authors_about(view, entity)[:AUTHORS]
        ]
        groups = [", ".join(declared), *owners, ", ".join(authors)]
        asked = " · ".join(group for group in groups if group)
        return [f"Ask {asked}"] if asked else []

    def _claims(self, limit: int) -> list[str]:
        best = self._view.texts.best_claims(self._entity.id, limit)
        return [_claim(self._views.claim(claim), self._style) for claim in best]


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
