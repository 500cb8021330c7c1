"""Describes an artifact in a few lines, for hovers."""

from __future__ import annotations

from collections.abc import Sequence

from vouch_sidecar.kb.records import (
    Artifact,
    Claim,
    Entity,
    Evidence,
    Kind,
    Page,
    Relation,
    Source,
    VouchSession,
)
from vouch_sidecar.kb.sanitize import clip, one_line
from vouch_sidecar.operations.artifacts import Citation
from vouch_sidecar.surfaces.lsp.ids import File
from vouch_sidecar.surfaces.lsp.style import Style, paragraph

LINE_CHARS = 240
LINK_CHARS = 80
IDS = 8
PLURALS = {kind.value: f"{kind.value}s" for kind in Kind} | {
    Kind.ENTITY.value: "entities",
    Kind.EVIDENCE.value: "evidence",
}


def lines_about(file: File, artifact: Artifact, style: Style) -> list[str]:
    """Lines that describe an artifact, with ids resolved as in `file`."""
    return paragraph(_About(file, style).lines(artifact))


def label_of(citation: Citation) -> str:
    """The label of a citation: the title of its source, else its locator, else its id."""
    return clip(one_line(citation.title or citation.locator or citation.id), LINK_CHARS)


class _About:
    def __init__(self, file: File, style: Style) -> None:
        self._file = file
        self._views = file.views
        self._style = style

    def lines(self, artifact: Artifact) -> list[str]:
        match artifact:
            case Claim():
                return [*self._claim(artifact), *self._named_by(artifact)]
            case Source(title=title, locator=locator):
                document = self._views.citation(artifact.id).document
                place = self._style.link(clip(one_line(locator), LINK_CHARS), document)
                head = self._head(title or locator, "source", artifact.type)
                return [head, place, *self._named_by(artifact)]
            case Evidence(quote=quote, locator=locator):
                head = self._head(label_of(self._views.citation(artifact.id)), "evidence", locator)
                said = [self._text(f"“{quote}”")] if quote else []
                return [head, *said, *self._named_by(artifact)]
            case Page(title=title):
                head = self._head(title, "page", artifact.type, artifact.status)
                return [head, *self._named_by(artifact)]
            case Relation(source=source, relation=relation, target=target):
                confidence = f"confidence {artifact.confidence:.2f}"
                return [self._head(f"{source} {relation} {target}", "relation", confidence)]
            case Entity(name=name):
                return [self._head(name, artifact.type), *self._named_by(artifact)]
            case VouchSession(agent=agent):
                return [self._head(artifact.id, "session", agent)]

    def _claim(self, claim: Claim) -> list[str]:
        view = self._views.claim(claim)
        cited = [
            self._style.link(label_of(citation), citation.document or citation.uri)
            for citation in view.citations[:IDS]
        ]
        return [
            self._style.strong(clip(one_line(view.said), LINE_CHARS)),
            self._text(f"{claim.type} · {view.facts}"),
            *([f"Evidence: {', '.join(cited)}"] if cited else []),
            *self._ids("Entities", Kind.ENTITY, view.linked_entities),
            *self._ids("Contradicts", Kind.CLAIM, view.contradicts),
        ]

    def _head(self, title: str, *facts: str) -> str:
        strong = self._style.strong(clip(one_line(title), LINK_CHARS))
        return " · ".join([strong, *(self._text(fact) for fact in facts if fact)])

    def _text(self, text: str) -> str:
        return self._style.text(clip(one_line(text), LINE_CHARS))

    def _ids(self, label: str, kind: Kind, ids: Sequence[str]) -> list[str]:
        more = [f"{len(ids) - IDS} more"] if len(ids) > IDS else []
        links = [self._link(kind, target) for target in ids[:IDS]]
        return [f"{label}: {', '.join([*links, *more])}"] if ids else []

    def _link(self, kind: Kind, artifact_id: str) -> str:
        artifact = self._file.served.view.visible.artifact((kind, artifact_id))
        uri = self._views.uri(artifact.path) if artifact is not None else None
        return self._style.link(clip(one_line(artifact_id), LINK_CHARS), uri)

    def _named_by(self, artifact: Artifact) -> list[str]:
        """The line that counts the files that name an artifact, by kind."""
        counts = sorted(self._file.served.view.counts.citing_by_kind(artifact.id).items())
        counted = [f"{number} {kind if number == 1 else PLURALS[kind]}" for kind, number in counts]
        return [f"Named in {', '.join(counted)}"] if counted else []
