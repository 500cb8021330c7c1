"""Checks across files: problems of one file that depend on others, in a whole knowledge base or in
one file that is open.

A check is a function in `CHECKS`. It takes an artifact and its context, and yields findings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from vouch_sidecar.engine.collection import Collection
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.kb.access import OPEN, Gated, gate_of, is_live
from vouch_sidecar.kb.artifact_files import content_beside
from vouch_sidecar.kb.reader import CONFLICT, as_kept, locate, place_in_body, read_bytes_of
from vouch_sidecar.kb.records import (
    KIND_OF,
    Artifact,
    Claim,
    Entity,
    Kind,
    Page,
    Problem,
    Relation,
    Severity,
    Source,
)
from vouch_sidecar.kb.references import CITED, FIELDS, LINKED, RELATION_ENDS, marks
from vouch_sidecar.kb.safe_files import UnreadableError, read_bounded
from vouch_sidecar.kb.sanitize import clip, one_line
from vouch_sidecar.retrieval.files import stale
from vouch_sidecar.retrieval.lookup import successors
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.text.analysis import fold

MAX_CONTENT = 64 << 20
MAX_FINDINGS = 20
"""Findings reported of one file, because the position of each has to be located."""
_CODES = {CITED: "evidence", RELATION_ENDS: "relation", LINKED: "link"}
"""Suffixes of codes for ids that may be of several kinds."""
_LINK = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
"""What vouch accepts as a link between `[[` and `]]`; a shell's `[[ … ]]` is none."""


class Finding(NamedTuple):
    """What a check found. `field` is dotted, as in `entities.0`; `code` is stable. `offset` is in
    characters if the field is the body of a page.
    """

    code: str
    field: str
    message: str
    severity: Severity = Severity.WARNING
    offset: int | None = None


@dataclass(frozen=True)
class CheckContext:
    """What an artifact is checked against: the knowledge base around it."""

    collection: Collection
    knowledge: Knowledge
    now: float = 0.0
    """When it is checked, in seconds since 1970."""
    max_content: int = MAX_CONTENT
    """Contents of sources with more bytes are not checked against their hash."""

    def is_there(self, kind: Kind, artifact_id: str) -> bool:
        """Whether there is a file for the artifact, even if it is retired or invalid."""
        key = kind, artifact_id
        return key in self.knowledge.records or self.collection.reader.store.has_file(key)

    @cached_property
    def titles(self) -> frozenset[str]:
        """The titles of pages, folded."""
        return frozenset(fold(page.title) for page in self.knowledge.all_of(Page))


def check_all(
    context: CheckContext, sees: Callable[[Artifact], bool] = lambda _: True
) -> Iterator[Problem]:
    """The findings in a whole knowledge base. Claims, pages and sources that are not visible
    (`sees`) are left out. Reads the files that have findings.
    """
    for artifact in context.knowledge.records.values():
        if not isinstance(artifact, Gated) or sees(artifact):
            yield from check_one(artifact, context)


def check_one(
    artifact: Artifact, context: CheckContext, data: bytes | None = None
) -> Iterator[Problem]:
    """The first findings in one artifact, without those whose codes are ignored, with their
    positions in its file; none in one that is retired. `data` holds the file's bytes, if they are
    known.
    """
    ignored = context.collection.settings.diagnostics.ignore
    every = (one for check in CHECKS if is_live(artifact) for one in check(artifact, context))
    findings = [*islice((one for one in every if one.code not in ignored), MAX_FINDINGS)]
    if findings and data is None:
        with suppress(FileNotFoundError, UnreadableError):
            data = read_bytes_of(context.collection.kb_dir, artifact.path)
    if not findings or data is None:
        return
    places = locate(artifact.path, data, [finding.field for finding in findings])
    for finding, place in zip(findings, places, strict=True):
        if finding.offset is not None:
            place = place_in_body(data, finding.offset)
        of_file = artifact.path, finding.message, finding.severity
        yield Problem(*of_file, *place, finding.field, code=finding.code)


def dangling(artifact: Artifact, context: CheckContext) -> Iterator[Finding]:
    """Finds ids that name nothing."""
    for field, kinds, artifact_id, at in _references(artifact):
        if not artifact_id or any(context.is_there(kind, artifact_id) for kind in kinds):
            continue
        severity = Severity.WARNING
        if kinds == LINKED and at is not None:  # a link may also say a name or a title
            if context.knowledge.names.exactly(artifact_id) or fold(artifact_id) in context.titles:
                continue
            severity = Severity.HINT
        code = f"dangling-{_CODES.get(kinds, kinds[0].value)}"
        what = " or ".join(kind.value for kind in kinds)
        message = f"`{field}` names no {what}: {clip(one_line(artifact_id), 80)}"
        yield Finding(code, field, message, severity, at)


def _references(artifact: Artifact) -> Iterator[tuple[str, tuple[Kind, ...], str, int | None]]:
    """The ids in an artifact's fields, and in the body of a page: each with the field before it,
    and the kinds that this may name, and behind it the offset in a body.
    """
    for field, kinds in FIELDS.get(KIND_OF[type(artifact)], {}).items():
        value = getattr(artifact, field)
        if isinstance(value, tuple):
            yield from ((f"{field}.{at}", kinds, one, None) for at, one in enumerate(value))
        elif value:
            yield field, kinds, value, None
    if isinstance(artifact, Page):
        for mark in marks(artifact.body):
            if mark.kinds != LINKED or _LINK.fullmatch(mark.text):
                yield "body", mark.kinds, mark.text, mark.start


def retired(artifact: Artifact, context: CheckContext) -> Iterator[Finding]:
    """Finds citations of claims that are retired or contested, in what relies on them."""
    if not isinstance(artifact, Page | Relation) or (
        isinstance(artifact, Relation) and artifact.relation in ("supersedes", "contradicts")
    ):
        return
    for field, kinds, claim_id, at in _references(artifact):
        claim = context.knowledge.records.get((Kind.CLAIM, claim_id))
        if Kind.CLAIM not in kinds or not isinstance(claim, Claim) or gate_of(claim) != OPEN:
            continue
        message = f"`{field}` is a claim that is {claim.status}"
        if claim.status == "contested":
            yield Finding("contested-claim", field, message, Severity.HINT, at)
        elif not is_live(claim):
            seen = successors(View("", context.knowledge, frozenset({OPEN})), claim_id)
            newer = [*seen, claim.superseded_by][0]
            by = f", by {clip(one_line(newer), 80)}" if newer else ""
            yield Finding("retired-claim", field, message + by, offset=at)


def shared_names(artifact: Artifact, context: CheckContext) -> Iterator[Finding]:
    """Finds names and aliases that another entity has as well."""
    if not isinstance(artifact, Entity):
        return
    aliases = ((f"aliases.{at}", alias) for at, alias in enumerate(artifact.aliases))
    for field, name in (("name", artifact.name), *aliases):
        others = [other for other in context.knowledge.names.exactly(name) if other != artifact.id]
        if others:
            who = ", ".join(clip(one_line(other), 80) for other in others[:3])
            after = "where it stands, both are listed, and nothing is said unasked"
            yield Finding("shared-name", field, f"`{field}` names {who} as well: {after}")


def content(artifact: Artifact, context: CheckContext) -> Iterator[Finding]:
    """Finds sources whose content is missing or does not match their hash."""
    if not isinstance(artifact, Source):
        return
    kb_dir = context.collection.kb_dir
    try:
        beside = content_beside(f"{kb_dir}/{artifact.path}")
        data = read_bounded(beside, context.max_content, kb_dir=kb_dir)
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
    """Finds claims whose quote or cited file is gone from the workspace, and claims without a file
    that nobody confirmed for over a year. A source counts only if everybody who may see the claim
    may see it.
    """
    if not isinstance(artifact, Claim):
        return
    shared = frozenset({OPEN, gate_of(artifact) or OPEN})
    world, now = context.collection.world, context.now
    view = View("", context.knowledge, shared, world=world, now=now)
    if (finding := stale(view, artifact)) is not None:
        yield Finding(finding.code, finding.field, finding.reason, Severity.HINT)


CHECKS: tuple[Callable[[Artifact, CheckContext], Iterator[Finding]], ...] = (
    dangling,
    retired,
    shared_names,
    content,
    conflicts,
    went_stale,
)
