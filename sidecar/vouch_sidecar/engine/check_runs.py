"""Runs the checks across files: on a whole knowledge base, or on a file that is open."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from itertools import islice

from vouch_sidecar.engine.checks import CHECKS, CheckContext, Finding, dangling
from vouch_sidecar.kb.artifact_files import CONFIG, KB_DIRNAME, classify, unread_files
from vouch_sidecar.kb.reader import locate, parse, place_in_body, read_bytes_of
from vouch_sidecar.kb.records import (
    Artifact,
    Claim,
    Kind,
    Page,
    Problem,
    Relation,
    Severity,
    Source,
)
from vouch_sidecar.kb.safe_files import UnreadableError
from vouch_sidecar.kb.yaml_document import placed

MAX_FINDINGS = 20
"""Findings reported of one file, because the position of each has to be located."""
CHECKED = (Kind.ENTITY, Kind.PAGE, Kind.CLAIM, Kind.RELATION, Kind.EVIDENCE, Kind.SOURCE)
SUMMED = {
    ("file-gone", "quote-gone"): "quote or cite what is gone since",
    ("unconfirmed",): "cite no file and were last confirmed over a year ago",
}
MAX_STALE = 20
"""Up to this many stale claims are reported one by one; more are summed up in one problem."""
_NO_ENTITIES = Problem(
    CONFIG,
    "there are no entities, so that nothing is in play: propose one with "
    "`vouch-kb propose-entity --name NAME --type TYPE`",
    Severity.HINT,
    code="no-entities",
)


def check_all(
    context: CheckContext, sees: Callable[[Artifact], bool] = lambda _: True
) -> dict[str, tuple[Problem, ...]]:
    """The findings in a whole knowledge base, by path.

    For artifacts of which `sees` is False, only ids that name nothing are reported; for those that
    nobody may see, such as retired ones, only citations. Messages about these do not contain the
    ids. Reads the files that have findings.
    """
    kb_dir = context.collection.root / KB_DIRNAME
    by_path: dict[str, tuple[Problem, ...]] = {}
    paths = {*context.collection.published.problems}
    for kind in CHECKED:
        for artifact in context.knowledge.all_of(kind):
            paths.add(artifact.path)
            seen = sees(artifact) or not isinstance(artifact, Claim | Page | Source)
            findings = _findings if seen else _impersonal
            first = list(islice(findings(artifact, context), MAX_FINDINGS))
            if not first:
                continue
            try:
                data, _ = read_bytes_of(kb_dir, artifact.path)
            except (FileNotFoundError, UnreadableError):
                continue
            by_path[artifact.path] = _placed(artifact, data, first)
    for path, artifact, data in _withheld(context, paths):
        if problems := _placed(artifact, data, _of_withheld(artifact, context)):
            by_path[path] = problems
    by_path |= _in_code_owners(context)
    if _lacks_entities(context):
        by_path[CONFIG] = (_NO_ENTITIES,)
    for path, pattern in islice(unread_files(kb_dir), MAX_FINDINGS):
        message = f"vouch reads `{pattern}` alone: nothing that this file says counts"
        for finding in _as_set(iter([Finding("not-read", "", message)]), context):
            by_path[path] = (Problem(path, finding.message, finding.severity, code=finding.code),)
    return _summed_up(by_path)


def _in_code_owners(context: CheckContext) -> dict[str, tuple[Problem, ...]]:
    """The problems of CODEOWNERS, by its path from the folder of the knowledge base."""
    collection = context.collection
    owners = collection.world.code_owners
    path = os.path.relpath(owners.top / owners.path, collection.root / KB_DIRNAME)
    problems = [
        Problem(path, finding.message, finding.severity, problem.line, code=finding.code)
        for problem in owners.problems
        for finding in _as_set(iter([Finding("code-owners", "", problem.message)]), context)
    ]
    return {path: tuple(problems)} if problems else {}


def _withheld(
    context: CheckContext, paths: AbstractSet[str]
) -> Iterator[tuple[str, Artifact, bytes]]:
    """The claims, pages and relations that no viewer may see, each with its path and bytes, read
    from their files. `paths` are those of all other artifacts and of invalid files.
    """
    kb_dir = context.collection.root / KB_DIRNAME
    for path in context.collection.reader.store.paths():
        if path in paths or classify(path) not in (Kind.CLAIM, Kind.PAGE, Kind.RELATION):
            continue
        try:
            data, _ = read_bytes_of(kb_dir, path)
        except (FileNotFoundError, UnreadableError):
            continue
        if (artifact := parse(path, data).artifact) is not None:
            yield path, artifact, data


def _summed_up(by_path: dict[str, tuple[Problem, ...]]) -> dict[str, tuple[Problem, ...]]:
    """The problems by path. If more than `MAX_STALE` claims are stale, their problems become a
    single one.
    """
    for codes, words in SUMMED.items():
        stale = [problem for some in by_path.values() for problem in some if problem.code in codes]
        if len(stale) <= MAX_STALE:
            continue
        kept = {
            path: rest
            for path, some in by_path.items()
            if (rest := tuple(problem for problem in some if problem.code not in codes))
        }
        counts = Counter(problem.code for problem in stale)
        parts = ", ".join(f"{code} {number}" for code, number in sorted(counts.items()))
        message = f"{len(stale)} claims {words} ({parts}), as {stale[0].path}"
        (code, _), *_ = counts.most_common(1)
        summed = Problem(CONFIG, message, stale[0].severity, code=code)
        by_path = {**kept, CONFIG: (*kept.get(CONFIG, ()), summed)}
    return by_path


def _lacks_entities(context: CheckContext) -> bool:
    """Whether there are no entities although some are used: a claim declares one, or an entity's
    file is invalid.
    """
    knowledge = context.knowledge
    if next(knowledge.names.entities(), None) is not None:
        return False
    claims = (claim for claim in knowledge.all_of(Kind.CLAIM) if isinstance(claim, Claim))
    files = any(path.startswith("entities/") for path in context.collection.published.problems)
    return files or any(claim.entities for claim in claims)


def check_one(artifact: Artifact, data: bytes, context: CheckContext) -> tuple[Problem, ...]:
    """The findings in one artifact, with their positions in its file; `data` holds the file's
    bytes.
    """
    return _placed(artifact, data, _findings(artifact, context))


def _placed(artifact: Artifact, data: bytes, findings: Iterable[Finding]) -> tuple[Problem, ...]:
    """The first findings as problems with a position."""
    first = list(islice(findings, MAX_FINDINGS))
    if not first:
        return ()
    places = locate(artifact.path, data, [finding.field for finding in first])
    for number, finding in enumerate(first):
        if finding.offset is not None:
            places[number] = place_in_body(data, finding.offset)
    problems = (
        Problem(
            artifact.path,
            finding.message,
            finding.severity,
            *place,
            finding.field,
            code=finding.code,
        )
        for finding, place in zip(first, places, strict=True)
    )
    return placed(problems, data)


def _findings(artifact: Artifact, context: CheckContext) -> Iterator[Finding]:
    """The findings in one artifact."""
    for check in CHECKS:
        yield from _as_set(check(artifact, context), context)


def _impersonal(artifact: Artifact, context: CheckContext) -> Iterator[Finding]:
    """The ids in an artifact that name nothing, in messages that quote nothing from its file."""
    for finding in _as_set(dangling(artifact, context), context):
        yield finding._replace(message=finding.message.partition(":")[0])


def _of_withheld(artifact: Artifact, context: CheckContext) -> Iterator[Finding]:
    """The findings in an artifact that nobody may see: all in a relation, citations in others."""
    if isinstance(artifact, Relation):
        yield from _findings(artifact, context)
    else:
        uncited = _impersonal(artifact, context)
        yield from (finding for finding in uncited if finding.code == "dangling-evidence")


def _as_set(findings: Iterator[Finding], context: CheckContext) -> Iterator[Finding]:
    """Findings with severities from the settings; ignored codes left out."""
    settings = context.collection.settings.diagnostics
    for finding in findings:
        if finding.code in settings.ignore:
            continue
        chosen = (bad for bad in Severity if finding.code in getattr(settings, bad.value))
        yield finding._replace(severity=next(chosen, finding.severity))
