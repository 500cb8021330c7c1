"""What is told: one artifact, and why. Probes, blocks and explanations are made of lines."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Literal

from vouch_sidecar.index.artifact_documents import sections
from vouch_sidecar.kb.records import (
    Artifact,
    Claim,
    Entity,
    Key,
    Page,
    Relation,
    Source,
    Told,
    key_of,
)
from vouch_sidecar.retrieval.files import Stale, stale
from vouch_sidecar.retrieval.statements.candidates import Candidate
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.workspace.shown import ShownText
from vouch_sidecar.workspace.ties import TieArm

ArmName = Literal["name", "alias", "variant", "partial", "derived", "text", "semantic"]
HitArm = ArmName | TieArm
"""How a line was found: by a name, by its text, or by a tie to a file."""
GivenKey = tuple[Hashable, ...]
"""(identity, kind, id, …) of something that was given."""
Given = Mapping[GivenKey, Hashable]
"""Each with its state when it was given."""


@dataclass(frozen=True, slots=True)
class Line:
    """An artifact that is told, and the phrase that brought it in. `similarity` is from 0 to 1."""

    view: View
    artifact: Told
    phrase: str
    similarity: float
    arm: HitArm
    entity_id: str | None
    section: int | None = None
    """For a page that full text found, the section."""
    people: str = ""
    """Whom to ask about an entity, or why to ask it: the line says this instead of what it is."""
    judged: Candidate | None = None
    """For what answers a text, how it was judged."""

    @property
    def likelihood(self) -> float:
        """Lines are told in its order. That of a name's claim may be less than its `similarity`."""
        return self.similarity if self.judged is None else self.judged.likelihood

    @property
    def shown_text(self) -> ShownText | None:
        """The text of a claim with all that it cites; None for other artifacts."""
        return self.view.shown(self.artifact) if isinstance(self.artifact, Claim) else None

    @property
    def text(self) -> str:
        """The text of the artifact; for a page, that of one section."""
        match self.artifact:
            case Claim() as claim:
                return self.view.shown(claim).text
            case Page() as page:
                return sections(page)[self.section or 0]
            case Entity(name=name, description=description):
                return description or name
            case Relation(source=source, relation=relation, target=target):
                ends = [(each, self.view.entity(each)) for each in (source, target)]
                subject, other = (each if end is None else end.name for each, end in ends)
                return f"{subject} {relation} {other}"
            case Source(locator=locator):
                return locator

    @property
    def is_reviewed(self) -> bool:
        """Whether a person worded, approved or confirmed it."""
        return self.view.is_reviewed(self.artifact)

    @property
    def stale(self) -> Stale | None:
        """What went stale in a claim; None for other artifacts."""
        return stale(self.view, self.artifact) if isinstance(self.artifact, Claim) else None

    @property
    def is_gone(self) -> bool:
        """Whether what a claim quotes or cites is gone."""
        return (why := self.stale) is not None and why.code != "unconfirmed"

    @property
    def place(self) -> tuple[str, Key]:
        """A key that is equal for lines of one artifact, or of one sentence."""
        kind, artifact_id = key_of(self.artifact)
        shown = self.shown_text
        return self.view.collection, (kind, artifact_id if shown is None else shown.sentence_key)

    @property
    def cited(self) -> list[Told]:
        """What the line cites: for a sentence all claims that are parts of it, its own first."""
        shown, view = self.shown_text, self.view
        ids = () if shown is None else shown.claims
        others = (view.claim(each) for each in ids if each != self.artifact.id)
        return [self.artifact, *(o for o in others if o is not None and view.may_enter(o))]

    @property
    def gives(self) -> dict[GivenKey, Hashable]:
        """What the line tells: by what stays the same of each artifact that it cites, a hash that
        changes when the artifact changes or goes stale.
        """
        gives = dict[GivenKey, Hashable]()
        for cited in self.cited:
            key = self.view.identity, *key_of(cited), self.section, bool(self.people)
            why = stale(self.view, cited) if isinstance(cited, Claim) else None
            gives[key] = hash((cited, self.people, why and why.code))
        return gives


def text_of(artifact: Artifact) -> str:
    """What an artifact is called or says by itself, or its id."""
    fields = ("name", "title", "text", "quote", "locator")
    return next((said for field in fields if (said := getattr(artifact, field, None))), artifact.id)
