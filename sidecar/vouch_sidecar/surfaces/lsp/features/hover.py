"""Hovers, whose first line says what they speak of: the results of `entity` and `claim` in a few
lines. On an entity's name: whom to ask, and its best claims. On a topic's name in prose: the same,
and where the name was found. On an id in a file below `.vouch/`: its artifact. On an identifier or
path with ties: why they are tied, and the strongest tied claim. In code a word in small letters has
none.

Texts of a knowledge base are escaped. The only links are to files inside the workspace and the
knowledge base, never to an address in a claim.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from lsprotocol import types as lsp
from pygls.capabilities import get_capability

from vouch_sidecar.engine import Served
from vouch_sidecar.kb.records import Artifact, Claim, Entity, key_of
from vouch_sidecar.kb.sanitize import clip, count, one_line
from vouch_sidecar.operations import claim as claims
from vouch_sidecar.operations import entity as entities
from vouch_sidecar.operations.artifacts import Citation, ClaimView, IdParams, citation, claim_view
from vouch_sidecar.operations.entity import EntityResult
from vouch_sidecar.operations.operation import OperationCall
from vouch_sidecar.retrieval.files import Tied
from vouch_sidecar.retrieval.line import text_of
from vouch_sidecar.retrieval.people.whom_to_ask import each_with_why
from vouch_sidecar.surfaces.lsp.at_position import Place, artifact_at, entities_at, spot_of, ties_at
from vouch_sidecar.surfaces.lsp.documents import local_path
from vouch_sidecar.surfaces.lsp.server import Sidecar

CLAIMS = 2
MOST = 3
"""Artifacts, citations and pages that are named."""
ESCAPED = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
# GitHub's markdown links bare addresses, so their "://", "www." and "@" are escaped, too.
MARKED = re.compile(r"[&<>\\`*_{}\[\]|~$@]|:(?=/)|(?<=www)\.", re.IGNORECASE)
BEGINS_BLOCK = re.compile(r"^([0-9]{0,9})(?=(?<=[0-9])[.)]|(?<![0-9])[#+=-])")
"""The start of a line that would make it a heading, list or rule."""
LINK_UNSAFE = str.maketrans({"(": "%28", ")": "%29", "<": "%3C", ">": "%3E", " ": "%20"})
TEXT_CHARS = 240
HEAD_CHARS = 80


def hover(server: Sidecar, params: lsp.HoverParams) -> lsp.Hover | None:
    spot = spot_of(server, params.text_document.uri, params.position)
    speaking = server.engine.registry.unpaused(server.caller_for(params.text_document.uri))
    server.engine.have_topics_derived(speaking)
    if spot is None or not speaking:
        return None
    style, where = Style(server), server.engine.registry.settings.hover.enabled
    at_id = artifact_at(server, *spot)
    if at_id is not None and not at_id.named[0][0].collection.paused_until():
        return style.hover(_cards(server, style, at_id), at_id)
    name = entities_at(speaking, *spot, topics=True)
    if name is not None and not name.is_word_of_code:
        return style.hover(_cards(server, style, name), name) if name.is_answered(where) else None
    tie = ties_at(speaking, *spot)
    if tie is None or tie.is_word_of_code or not tie.is_answered(where):
        return None
    return style.hover(_of_ties(style, tie), tie)


def _cards(server: Sidecar, style: Style, place: Place[Artifact]) -> list[list[str]]:
    """What is said of artifacts; in code in short, as other language servers hover, too."""
    return [
        _card(server, style, served, artifact, in_code=place.in_code)
        for served, artifact in place.named[:MOST]
    ]


def _card(
    server: Sidecar, style: Style, served: Served, artifact: Artifact, *, in_code: bool
) -> list[str]:
    """An entity or claim; of others their title, and the source where there is one."""
    call, params = OperationCall(server.engine, server.caller, [served]), IdParams(id=artifact.id)
    if isinstance(artifact, Entity):
        return _of_entity(style, entities.answer(call, params, CLAIMS), served, in_code=in_code)
    if isinstance(artifact, Claim):
        found = claims.answer(call, params)
        claim = found.claim
        lines = [style.strong(claim.said, TEXT_CHARS), style.text(f"{claim.type} · {claim.facts}")]
        lines += [f"Contested by: {style.text(other.said)}" for other in found.contested_by]
        if cited := _sources(style, claim):
            lines += [f"Evidence: {', '.join(cited)}"]
        return lines
    source = citation(served.view, artifact.id)
    title = source.title or text_of(artifact)
    kind, facts = key_of(artifact)[0].value, (getattr(artifact, n, "") for n in ("type", "status"))
    lines = [_head(style, title, kind, *facts)]
    lines += [style.text(f"“{source.quote}”")] if source.quote not in (None, title) else []
    return [*lines, *([] if source.kind == "missing" else [_source(style, source)])]


def _of_ties(style: Style, place: Place[Tied]) -> list[list[str]]:
    """Why a place is tied to claims, and the strongest of these."""
    (served, tied), *others = place.named
    why = [style.text(f"Claim on {tied.path}: {tied.why}")]
    why += [count(len(others), "more claim")] if others else []
    return [[" · ".join(why)], [_claim(style, claim_view(served.view, tied.claim))]]


def _of_entity(style: Style, result: EntityResult, served: Served, *, in_code: bool) -> list[str]:
    """An entity or topic: what it is, whom to ask, `CLAIMS` claims, links; in code the first three
    in two lines.
    """
    entity, ask = result.entity, _ask(style, result)
    best = [_claim(style, claim) for claim in result.claims]
    if in_code:
        return [" · ".join([_head(style, entity.name, entity.type), *ask]), *best[:1]]
    also = f"also {', '.join(entity.aliases)}" if entity.aliases else ""
    facts = also, served.view.shown_collection, count(result.claim_count, "live claim")
    about = f"Not declared: {result.why}" if result.why else entity.description
    top = [_head(style, entity.name, entity.type, *facts), *ask, style.text(about or "")]
    pages = ", ".join(style.link(page.title, page.uri) for page in result.pages[:MOST])
    links = [f"Entity: {style.link(entity.id, entity.uri)}"] if entity.uri else []
    links += [f"Pages: {pages}"] if pages else []
    return [*filter(None, top), *best, *(["", " · ".join(links)] if links else [])]


def _ask(style: Style, result: EntityResult) -> list[str]:
    """The line that says whom to ask; none for a person, and where nobody is named."""
    people = each_with_why(result.entity.type, result.people, result.by_commits or ())
    names = ", ".join(map(style.text, people))
    return [f"Ask {names}"] if names else []


def _claim(style: Style, claim: ClaimView) -> str:
    facts = [style.text(claim.facts), *_sources(style, claim)]
    return f"- {style.text(claim.said)} ({' · '.join(facts)})"


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


class Style:
    """How to format for a client: as it prefers for hovers, in markdown if it names nothing. Texts
    are cut and made one line each.
    """

    def __init__(self, server: Sidecar) -> None:
        asked = "text_document.hover.content_format"
        formats = get_capability(server.client_capabilities, asked) or [lsp.MarkupKind.Markdown]
        self._kind: lsp.MarkupKind = formats[0]
        self._is_plain = self._kind is lsp.MarkupKind.PlainText

    def text(self, text: str, limit: int = TEXT_CHARS) -> str:
        shown = clip(one_line(text), limit)
        return shown if self._is_plain else markdown(shown)

    def strong(self, text: str, limit: int = HEAD_CHARS) -> str:
        shown = self.text(text, limit)
        return shown if self._is_plain else f"**{shown}**"

    def link(self, label: str, uri: str | None) -> str:
        """A label that leads to a file, by a URI that we made, with a line as its fragment."""
        shown, (file, _, line) = self.text(label, HEAD_CHARS), (uri or "").partition("#")
        if self._is_plain or local_path(file) is None:
            return shown
        target = file.translate(LINK_UNSAFE) + (f"#{line}" if line else "")
        return f"[{shown}]({target})"

    def hover(self, paragraphs: Sequence[Sequence[str]], place: Place[Any]) -> lsp.Hover:
        # Two blanks are markdown's line break.
        text = "\n\n".join(map(("\n" if self._is_plain else "  \n").join, paragraphs))
        return lsp.Hover(lsp.MarkupContent(self._kind, text), place.range)


def markdown(text: str) -> str:
    """A text as one line, escaped so that markdown shows it literally: no markup, heading, list,
    HTML, image or link.
    """
    shown = MARKED.sub(lambda mark: ESCAPED.get(mark[0], "\\" + mark[0]), one_line(text))
    return BEGINS_BLOCK.sub(r"\1\\", shown)
