"""Finds the unchanged artifacts that a change may open or close for some viewers: those that quote
a source near the receipts that it touches, and those that hold the text of a withheld claim.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import groupby, pairwise

from vouch_sidecar.index.changed_world import ChangedWorld, sealed_before
from vouch_sidecar.index.document_schema import (
    CONTENT,
    QUESTION,
    SENTENCE_STEMS,
    SILENCED,
    TITLE,
    UNSEARCHED_STEMS,
)
from vouch_sidecar.index.encoding import Pointer, StemPlace
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.index.links import closing
from vouch_sidecar.index.pointers import repeats
from vouch_sidecar.index.query import all_of, any_of, matching, pointing_query, stem_query
from vouch_sidecar.index.stored_artifacts import artifact_in, closed_in, key_in, quoted_in
from vouch_sidecar.index.withheld_texts import Withheld
from vouch_sidecar.kb.access import OPEN, gate_of
from vouch_sidecar.kb.records import Artifact, Claim, Evidence, Key, Kind, Source, key_of
from vouch_sidecar.text.analysis import units
from vouch_sidecar.text.content_words import always_content

_ARTIFACTS = {QUESTION: Kind.SOURCE, TITLE: Kind.PAGE}
"""The artifacts of documents that hold only a part of one."""
_SAYING = (SENTENCE_STEMS, UNSEARCHED_STEMS, Kind.PAGE, Kind.SOURCE, QUESTION, Kind.ENTITY)
"""The kinds of stems of what may hold the text of a claim."""


def artifacts_quoting(
    before: Knowledge, shown: Mapping[Key, Artifact], gone: Collection[Key], world: ChangedWorld
) -> dict[Key, Artifact]:
    """The unchanged claims whose sentences may differ after a change, and the evidence that may
    gain or lose its quote: those near the receipts that the change touches.
    """
    touched, sources = _touched(before, shown, gone, world)
    reclosed = _reclosed(before, shown, gone, world)
    affected_artifacts: dict[Key, Artifact] = {key_of(source): source for source in reclosed}
    sources |= {source.id for source in reclosed}
    # Of a source that stays closed, other quotes may be exact now: its content is kept, or no more.
    changed_sources = [artifact for artifact in shown.values() if isinstance(artifact, Source)]
    for artifact in [*reclosed, *changed_sources]:
        affected_artifacts |= {key_of(quote): quote for quote in world.evidence_in(artifact.id)}
    by_source: dict[str, list[Evidence]] = {source_id: [] for source_id in sources}
    affected = set(touched)
    for evidence_id in touched:
        evidence = world.evidence(evidence_id)
        if evidence is not None:
            affected_artifacts[key_of(evidence)] = evidence
            by_source.setdefault(evidence.source_id, []).append(evidence)
    for source_id, changed in by_source.items():
        affected |= _around(world, source_id, changed, whole=source_id in sources)
    for evidence_id in affected:
        for citing_claim in world.cited(evidence_id).citing:
            if (claim := world.claim(citing_claim.claim_id)) is not None:
                affected_artifacts[key_of(claim)] = claim
    return {
        key: artifact
        for key, artifact in affected_artifacts.items()
        if key not in shown and key not in gone
    }


def _around(world: ChangedWorld, source_id: str, changed: list[Evidence], whole: bool) -> set[str]:
    """Ids of the receipts of a source whose sentences may contain a changed receipt."""
    sources = world.sources
    spans = [span for citation in changed if (span := sources.span(citation))]
    whole = whole or any(map(sources.repeats, changed))
    ids = set()
    for evidence in world.evidence_in(source_id):
        parts = None if whole else sources.parts(evidence)
        if parts is None or any(a < end and b > start for a, b in spans for start, end in parts):
            ids.add(evidence.id)
    return ids


def _touched(
    before: Knowledge, shown: Mapping[Key, Artifact], gone: Collection[Key], world: ChangedWorld
) -> tuple[set[str], set[str]]:
    """Ids of the evidence whose citations change, and of the sources all of whose receipts may be
    affected.
    """
    evidence: set[str] = set()
    sources: set[str] = set()
    for key in [*shown, *gone]:
        versions = [*filter(None, (before.artifact(key), shown.get(key)))]
        for artifact in versions:
            if isinstance(artifact, Claim):
                # Not the sources that it cites, which every claim may cite.
                evidence.update(filter(world.evidence, artifact.evidence))
            elif isinstance(artifact, Evidence):
                evidence.add(artifact.id)
                if key in gone or len(versions) > 1:
                    sources.add(artifact.source_id)
            elif isinstance(artifact, Source):
                sources.add(artifact.id)
        saying = [key[1]] if key[0] is Kind.CLAIM else []
        if key[0] is Kind.EVIDENCE:  # what cites it counts as quoting, or no longer
            cites = before.artifacts_in(pointing_query("cites", key[1]))
            saying = [citation.id for citation in cites]
        for claim_id in saying:
            same = before.artifacts_in(pointing_query(*repeats(claim_id, before.pseudonyms)))
            evidence.update(citation.id for citation in same)
        for refers in (before.withheld_by(key), world.withheld_by(key)):
            targets = {Pointer.decode(term).target for term in refers}
            evidence.update(filter(world.evidence, targets))
    return evidence, sources


def _reclosed(
    before: Knowledge, shown: Mapping[Key, Artifact], gone: Collection[Key], world: ChangedWorld
) -> list[Source]:
    """The sources that secret claims close only before the change, or only after it."""
    if not world.has_secrets:
        return []
    ids: set[str] = set()
    for key in [*shown, *gone]:
        versions = [*filter(None, (before.artifact(key), shown.get(key)))]
        if key[0] is Kind.CLAIM:
            was, now = sealed_before(before, key), world.sealed(key[1])
            for cited in (was[1] | now[1]) if was != now else ():
                versions_cited = (world.evidence(cited), before.evidence(cited))
                ids |= {
                    cited,
                    *(citation.source_id for citation in versions_cited if citation is not None),
                }
        ids |= {version.source_id for version in versions if isinstance(version, Evidence)}
        ids |= {version.id for version in versions if isinstance(version, Source)}
    for source in [*filter(None, map(before.source, ids)), *filter(None, map(world.source, ids))]:
        ids |= {other.id for other in world.sources_at(source.locator)}
    reclosed = []
    for source in filter(None, map(world.source, sorted(ids))):
        document_before = before.document(key_of(source))
        earlier = () if document_before is None else closed_in(document_before)
        was_closed = [span.gates for span in earlier if (span.start, span.end) == CONTENT]
        if was_closed != closing(source, world):
            reclosed.append(source)
    return reclosed


def artifacts_holding(
    before: Knowledge,
    shown: Mapping[Key, Artifact],
    gone: Collection[Key],
    changed: Collection[Key],
    world: ChangedWorld,
) -> dict[Key, Artifact]:
    """The unchanged claims, pages and sources that may hold the text of a claim that is withheld
    before or after a change.
    """
    keys: dict[Key, None] = {}
    was_told_less: set[Key] = set()
    for key in changed:
        if key[0] is not Kind.CLAIM or not (was_hidden(before, key) or world.hides(key)):
            continue
        now = world.withheld
        was = before.withheld or Withheld()
        if before.withheld_by(key) or was.differs(key[1], now):
            was_told_less |= {key} if was_hidden(before, key) else set()
            for text in dict.fromkeys((*was.of_claim(key[1]), *now.of_claim(key[1]))):
                keys |= dict.fromkeys(artifacts_saying(before, text))
        if world.secrecy_of(key[1]) != sealed_before(before, key)[0]:
            marking = pointing_query("marks", before.pseudonyms.of(key[1]))
            keys |= dict.fromkeys(map(key_of, before.artifacts_in(marking)))
    if was_told_less:
        keys |= dict.fromkeys(_silenced(before, was_told_less))
    artifacts: dict[Key, Artifact] = {}
    for key in keys:
        is_evidence = key[0] is Kind.EVIDENCE
        artifact = world.evidence(key[1]) if is_evidence else world.artifact(key)
        if artifact is not None and key not in shown and key not in gone:
            artifacts[key] = artifact
    return artifacts


def _silenced(before: Knowledge, hidden: Iterable[Key]) -> Iterator[Key]:
    """Keys of what may hold the text of a claim that was hidden although a search does not find it:
    claims around whose sentences something is closed; everything if the earlier text of a retired
    claim is unknown.
    """
    was_retired = any(map(before.withheld_by, hidden))
    for artifact in before.artifacts_in(pointing_query(*SILENCED)):
        if was_retired or isinstance(artifact, Claim):
            yield key_of(artifact)


def was_hidden(before: Knowledge, key: Key) -> bool:
    """Whether not every viewer was told a claim."""
    claim = before.artifact(key)
    return gate_of(claim) != OPEN if claim is not None else bool(before.withheld_by(key))


def _stems_to_find(text: str) -> Iterator[list[str]]:
    """Sets of stems, of each of which every text that holds the words of this one has a stem."""
    for is_spaceless, run in groupby(units(text).units, key=lambda unit: unit.spaceless):
        words = list(run)
        if not is_spaceless:
            yield from ([unit.stem] for unit in words if always_content(unit.stem))
        elif len(words) > 2:
            # However spaces part three characters, two stand together or one alone.
            characters = [unit.folded for unit in words]
            yield [*characters, *(left + right for left, right in pairwise(characters))]


def artifacts_saying(before: Knowledge, text: str, kinds: Iterable[str] = _SAYING) -> Iterator[Key]:
    """The artifacts that may hold all words of a text: in the text itself, in the sentence of a
    claim, or in the quote of its evidence.
    """
    wanted = [*_stems_to_find(text)]
    labels = {StemPlace.decode(name).label for name in before.snapshot.lengths} | {
        *before.snapshot.units
    }
    of_kinds = [[StemPlace(kind, label).encode() for label in labels] for kind in kinds]
    queries = (
        all_of(
            [any_of([stem_query(at, stem) for at in places for stem in stems]) for stems in wanted]
        )
        for places in of_kinds
    )
    parting = [pointing_query("parts", stem) for stems in wanted for stem in stems]
    saying = any_of([*queries, *parting]) if wanted else matching("key", ".+")
    for hit in before.snapshot.all_hits(saying):
        document = before.snapshot.document(hit)
        kind_found, artifact_id, _ = key_in(document)
        yield _ARTIFACTS.get(kind_found) or Kind(kind_found), artifact_id
        if kind_found != Kind.CLAIM:
            continue
        claim = artifact_in(document)
        assert isinstance(claim, Claim)
        yield from ((Kind.EVIDENCE, evidence_id) for evidence_id in claim.evidence)
        quoted = quoted_in(document)
        if quoted is not None and quoted.sentence is not None:
            yield from ((Kind.CLAIM, claim_id) for claim_id in quoted.sentence.claims)
