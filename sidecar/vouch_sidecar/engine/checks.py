"""Checks across files: problems of one file that depend on others. `check_runs` runs them.

A check is a function in `CHECKS`. It takes an artifact and its context, and yields findings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import NamedTuple

from vouch_sidecar.engine.collection import Collection
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.kb.access import OPEN, gate_of, is_live
from vouch_sidecar.kb.artifact_files import KB_DIRNAME
from vouch_sidecar.kb.reader import CONFLICT, as_kept
from vouch_sidecar.kb.records import (
    KIND_OF,
    Artifact,
    Claim,
    Entity,
    Kind,
    Page,
    Relation,
    Severity,
    Source,
)
from vouch_sidecar.kb.references import CITED, FIELDS, LINKED, RELATION_ENDS, marks
from vouch_sidecar.kb.safe_files import UnreadableError, read_bounded
from vouch_sidecar.kb.sanitize import clip, one_line
from vouch_sidecar.retrieval.files.stale_claims import stale_for
from vouch_sidecar.text.analysis import fold
from vouch_sidecar.text.english_words import tier

MAX_CONTENT = 64 << 20
"""Contents of sources with more bytes are not checked against their hash."""


class Finding(NamedTuple):
    """What a check found. `field` is dotted, as in `entities.0`; `code` is stable. `at` is an
    offset in characters if the field is the body of a page.
    """

    code: str
    field: str
    message: str
    severity: Severity = Severity.WARNING
    offset: int | None = None


class _IdInField(NamedTuple):
    """An id in a field of an artifact, the kinds that it may name, and the suffix of its code."""

    code: str
    field: str
    kinds: tuple[Kind, ...]
    id: str
    offset: int | None = None


@dataclass(frozen=True)
class CheckContext:
    """What an artifact is checked against: the knowledge base around it."""

    collection: Collection
    knowledge: Knowledge
    now: float = 0.0
    """When it is checked, in seconds since 1970."""

    def is_there(self, kind: Kind, artifact_id: str) -> bool:
        """Whether there is a file for the artifact, even if it is retired or invalid."""
        key = kind, artifact_id
        return self.knowledge.artifact(key) is not None or self.collection.reader.store.has_file(
            key
        )

    @cached_property
    def titles(self) -> frozenset[str]:
        """The titles of pages, folded."""
        return frozenset(
            fold(page.title) for page in self.knowledge.all_of(Kind.PAGE) if isinstance(page, Page)
        )

    def retired(self, kind: Kind, artifact_id: str) -> Claim | Page | None:
        """A claim or page that is not live, without its text; None for others."""
        record = self.knowledge.records.get((kind, artifact_id))
        return record if isinstance(record, Claim | Page) and not is_live(record) else None


Check = Callable[[Artifact, CheckContext], Iterator[Finding]]


def dangling(artifact: Artifact, context: CheckContext) -> Iterator[Finding]:
    """Finds ids that name nothing."""
    for code, field, kinds, artifact_id, at in _references(artifact):
        if not artifact_id or any(context.is_there(kind, artifact_id) for kind in kinds):
            continue
        severity = Severity.WARNING
        if kinds == LINKED and at is not None:  # a link may also say a name or a title
            if context.knowledge.names.exactly(artifact_id) or fold(artifact_id) in context.titles:
                continue
            severity = Severity.HINT
        what = " or ".join(kind.value for kind in kinds)
        shown = clip(one_line(artifact_id), 80)
        message = f"`{field}` names no {what}: {shown}"
        yield Finding(f"dangling-{code}", field, message, severity, at)


_CODES = {CITED: "evidence", RELATION_ENDS: "relation", LINKED: "link"}
"""Suffixes of codes for ids that may be of several kinds."""
_LINK = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
"""What vouch accepts as a link between `[[` and `]]`; a shell's `[[ … ]]` is none."""


def _references(artifact: Artifact) -> Iterator[_IdInField]:
    """The ids in an artifact's fields, and in the body of a page."""
    for field, kinds in FIELDS.get(KIND_OF[type(artifact)], {}).items():
        code, value = _CODES.get(kinds, kinds[0].value), getattr(artifact, field)
        if isinstance(value, tuple):
            for at, artifact_id in enumerate(value):
                yield _IdInField(code, f"{field}.{at}", kinds, artifact_id)
        elif value:
            yield _IdInField(code, field, kinds, value)
    if isinstance(artifact, Page):
        for mark in marks(artifact.body):
            if mark.kinds == LINKED and not _LINK.fullmatch(mark.text):
                continue
            code = _CODES.get(mark.kinds, mark.kinds[0].value)
            yield _IdInField(code, "body", mark.kinds, mark.text, mark.start)


def retired(artifact: Artifact, context: CheckContext) -> Iterator[Finding]:
    """Finds citations of claims that are retired or contested."""
    for _, field, kinds, claim_id, at in _references(artifact):
        if Kind.CLAIM not in kinds or not claim_id or not _cites(artifact):
            continue
        claim = context.knowledge.claim(claim_id) or context.retired(Kind.CLAIM, claim_id)
        if not isinstance(claim, Claim) or gate_of(claim) != OPEN:
            continue
        if claim.status == "contested":
            message = f"`{field}` is a claim that is contested"
            yield Finding("contested-claim", field, message, Severity.HINT, at)
        elif not is_live(claim):
            by = f", by {clip(one_line(claim.superseded_by), 80)}" if claim.superseded_by else ""
            message = f"`{field}` is a claim that is {claim.status}{by}"
            yield Finding("retired-claim", field, message, offset=at)


def _cites(artifact: Artifact) -> bool:
    """Whether an artifact relies on the claims that it names."""
    if isinstance(artifact, Relation):
        return artifact.relation not in ("supersedes", "contradicts")
    return isinstance(artifact, Page)


def shared_names(artifact: Artifact, context: CheckContext) -> Iterator[Finding]:
    """Finds names and aliases that another entity has as well."""
    for field, name in _names(artifact):
        others = [other for other in context.knowledge.names.exactly(name) if other != artifact.id]
        if others:
            who = ", ".join(clip(one_line(other), 80) for other in others[:3])
            after = "where it stands, both are listed, and nothing is said unasked"
            yield Finding("shared-name", field, f"`{field}` names {who} as well: {after}")


def ordinary_names(artifact: Artifact, context: CheckContext) -> Iterator[Finding]:
    """Finds names that are an English word."""
    always = {fold(word) for word in context.collection.settings.naming.always}
    for field, name in _names(artifact):
        word = fold(name.strip())
        if tier(word) and word not in always:
            after = "it counts only where it stands as a name does; `names.always` settles that"
            yield Finding(
                "ordinary-name", field, f"`{field}` is an English word: {after}", Severity.HINT
            )


def _names(artifact: Artifact) -> Iterator[tuple[str, str]]:
    if isinstance(artifact, Entity):
        yield "name", artifact.name
        yield from ((f"aliases.{at}", name) for at, name in enumerate(artifact.aliases))


def undeclared(artifact: Artifact, context: CheckContext) -> Iterator[Finding]:
    """Finds entities that the text of a claim names for certain, but the claim does not declare. A
    claim that declares none counts for those that it names.
    """
    names = context.knowledge.names
    if not isinstance(artifact, Claim) or not any(map(names.entity, artifact.entities)):
        return
    declared = {*artifact.entities, artifact.id}
    for mention in names.find(artifact.text):
        certain = not (mention.nested or mention.ambiguous or tier(fold(mention.name)))
        if certain and mention.entity_id not in declared:
            declared.add(mention.entity_id)
            shown = clip(one_line(mention.entity_id), 80)
            message = f"the text names {shown}, which `entities` does not list"
            yield Finding("undeclared-entity", "text", message, Severity.HINT)


def content(artifact: Artifact, context: CheckContext) -> Iterator[Finding]:
    """Finds sources whose content is missing or does not match their hash."""
    if not isinstance(artifact, Source):
        return
    kb_dir = context.collection.root / KB_DIRNAME
    kept = kb_dir / PurePosixPath(artifact.path).parent / "content"
    try:
        data, _ = read_bounded(kept, MAX_CONTENT, kb_dir=kb_dir)
    except FileNotFoundError:
        yield Finding("content-missing", "id", "there is no `content` beside this file")
        return
    except UnreadableError:
        return
    if as_kept(data, artifact.id) is None:
        yield Finding("content-changed", "id", "`content` is not what the hash `id` was made of")


def conflicts(artifact: Artifact, _: CheckContext) -> Iterator[Finding]:
    """Finds merge conflict markers in the text of a page. In other fields they prevent parsing."""
    if isinstance(artifact, Page) and (mark := CONFLICT.search(artifact.body)):
        message = "the text holds the marks of a merge conflict"
        yield Finding("git-conflict", "body", message, offset=mark.start())


def went_stale(artifact: Artifact, context: CheckContext) -> Iterator[Finding]:
    """Finds claims whose quote, cited file or name is gone from the workspace, and claims without a
    file that nobody confirmed for over a year. A source counts only if everybody who may see the
    claim may see it.
    """
    if not isinstance(artifact, Claim):
        return
    shared = {OPEN, gate_of(artifact)}

    def sees(source: Source) -> bool:
        return gate_of(source) in shared

    workspace = context.collection.world
    finding = stale_for(workspace, context.knowledge, artifact, sees, context.now)
    if finding is not None:
        yield Finding(finding.code, finding.field, finding.reason, Severity.HINT)


CHECKS: tuple[Check, ...] = (
    dangling,
    retired,
    shared_names,
    ordinary_names,
    undeclared,
    content,
    conflicts,
    went_stale,
)
