"""Makes the generation after a change: reindexes the changed artifacts, and those whose links,
labels or sentences depend on them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from weakref import proxy

from tantivy import Document, Occur, Query

from vouch_sidecar.index.encoding import (
    NOBODY,
    CountedEntity,
    DocumentKey,
    Pointer,
    Pseudonyms,
    StemPlace,
    gates_of,
)
from vouch_sidecar.index.knowledge import Documents, Knowledge, open_entity
from vouch_sidecar.index.links import (
    behind_its_title,
    closing,
    documents_of,
    link_state,
    link_state_of,
)
from vouch_sidecar.index.query import (
    all_of,
    any_of,
    matching,
    pointing_query,
    stem_query,
    value_query,
)
from vouch_sidecar.index.receipts import (
    NO_DISK,
    Cited,
    Citing,
    Disk,
    QuotedSources,
    citing,
    is_place,
    is_receipt,
    slug_of,
)
from vouch_sidecar.index.schema import (
    CONTENT,
    QUESTION,
    RETIRED,
    SENTENCE_STEMS,
    SILENCED,
    TITLE,
    UNSEARCHED_STEMS,
    UNTITLED,
    WITHOUT_QUOTE,
    artifact_in,
    closed_in,
    document,
    hidden_fields,
    key_in,
    located,
    nameless,
    quoted_in,
    repeats,
    retired_fields,
    retired_key,
)
from vouch_sidecar.index.withheld import (
    Gates,
    Withheld,
    all_gates,
    secrecy,
    texts_of,
    withheld_gate,
)
from vouch_sidecar.kb.access import OPEN, gate_of, is_live, is_shown_to_any
from vouch_sidecar.kb.records import (
    Artifact,
    Change,
    Claim,
    Entity,
    Evidence,
    Key,
    Kind,
    Page,
    Source,
    key_of,
)
from vouch_sidecar.names.name_forms import forms, required
from vouch_sidecar.text.analysis import has_spaceless, units
from vouch_sidecar.text.content_words import always_content, content_stems

_ANY_PAGE = f"{Kind.PAGE}\0.*\0" + "000"
"""The keys of the first documents of pages, as a pattern."""
_ARTIFACTS = {QUESTION: Kind.SOURCE, TITLE: Kind.PAGE}
"""The artifacts of documents that hold only a part of one."""
_SAYING = (SENTENCE_STEMS, UNSEARCHED_STEMS, Kind.PAGE, Kind.SOURCE, QUESTION, Kind.ENTITY)
"""The kinds of stems of what may hold the text of a claim."""
_ENDS = (Kind.ENTITY, Kind.CLAIM, Kind.PAGE, Kind.SOURCE)
"""The kinds that a relation may join."""


def after(before: Knowledge, change: Change, disk: Disk = NO_DISK) -> Knowledge:
    """The generation after a change. Retired artifacts are removed."""
    change = _as_told(before, change, disk)
    shown = {key_of(one): one for one in change.upserts if is_shown_to_any(one)}
    gone = {*change.removals, *map(key_of, change.upserts)}.difference(shown)
    # A file that was written anew may say the same: a checkout would else change everything.
    shown = {key: one for key, one in shown.items() if before.artifact(key) != one}
    retired = _retired(before, change, gone)
    hidden = {
        key: one
        for one in change.upserts
        if isinstance(one, Claim) and (key := key_of(one)) in gone and before.withheld_by(key)
    }
    """Claims that were retired before: at most their texts and citations differ."""
    gone = {
        key
        for key in gone
        if before.artifact(key) is not None
        or _stamp(before.retired_document(key)) != _stamp(next(iter(retired.get(key, ())), None))
    }
    if not shown and not gone and not hidden:
        return before
    world, names = _After(before, change, shown, gone, retired, disk), before.pseudonyms
    documents: dict[Key, Documents] = {key: retired.get(key, ()) for key in gone}
    for key, artifact in shown.items():
        documents[key] = tuple(documents_of(artifact, link_state(artifact, world), names))
    dependants = {
        **_dependants(before, shown, gone, world),
        **_quoting(before, shown, gone, world),
        **_holding(before, shown, gone, {*shown, *gone, *hidden}, world),
    }
    for key, artifact in dependants.items():
        stood = before.document(key)
        earlier = None if stood is None else link_state_of(stood)
        lacks = earlier is not None and earlier.linked == WITHOUT_QUOTE
        if stood is not None and isinstance(artifact, Entity):
            artifact = artifact_in(stood)  # has what some are not shown
        if lacks and not isinstance(artifact, Evidence):
            artifact = _whole(artifact, disk, names)
        state = link_state(artifact, world)
        if state != earlier:
            is_empty = lacks and isinstance(artifact, Evidence)
            whole = _whole(artifact, disk, names) if is_empty else artifact
            documents[key] = tuple(documents_of(whole, state, names))
    if not documents and world.withheld_if_read is before.withheld:
        return before
    of_entities = (made for (kind, _), made in documents.items() if kind is Kind.ENTITY and made)
    entities = (open_entity(made[0]) for made in of_entities)
    shown_less = [one for one in entities if one != world.names.entity(one.id)]
    known_names = world.names.changed(shown_less, ())
    return before.changed_to(documents, known_names, world.withheld_if_read)


def sources_of(knowledge: Knowledge, disk: Disk) -> QuotedSources:
    """The sources that the claims of a generation quote, and what of them is closed."""
    # Not `_After.sources`, which keeps no `_After` alive.
    return QuotedSources(_After(knowledge, Change(), {}, (), {}, disk), size=16)


def _as_told(before: Knowledge, change: Change, disk: Disk) -> Change:
    """The change as the index holds artifacts. It has the pages and relations as well that somebody
    may see, or no longer, because of claims of the change.
    """
    names = before.pseudonyms
    upserts = {key_of(one): nameless(one, names) for one in change.upserts}
    claims = _claims_of(change)
    for one in _retitled(before, claims, disk):
        upserts.setdefault(key_of(one), nameless(one, names))
    for one in [*_awaiting(before, upserts, disk)]:
        upserts.setdefault(key_of(one), nameless(one, names))
    if any(isinstance(one, Page) for one in upserts.values()):
        withheld = _withheld_after(before, claims, disk)
        for key, one in upserts.items():
            if isinstance(one, Page) and is_shown_to_any(one):
                upserts[key] = behind_its_title(one, withheld)
    kept = (one for key, one in upserts.items() if key not in change.removals)
    return Change(tuple(kept), change.removals)


def _claims_of(change: Change) -> dict[str, Claim | None]:
    """The claims of a change by id; None if the claim is gone."""
    gone = {artifact_id: None for kind, artifact_id in change.removals if kind is Kind.CLAIM}
    return gone | {one.id: one for one in change.upserts if isinstance(one, Claim)}


def _withheld_after(before: Knowledge, claims: Mapping[str, Claim | None], disk: Disk) -> Withheld:
    """The texts of the withheld claims after a change of some."""
    known = before.withheld
    if known is None:
        retired, names = before.retired_keys(), before.pseudonyms

        def is_retired(key: Key) -> bool:
            return retired_key(key, names) in retired

        read = disk.hidden(Kind.CLAIM, is_retired) if retired else ()
        every = (*(one for one in read if not is_shown_to_any(one)), *before.withheld_claims())
        known = Withheld().changed(
            {one.id: texts_of(one) for one in every if isinstance(one, Claim)}
        )
        before.withheld = known
    return known.changed({i: () if one is None else texts_of(one) for i, one in claims.items()})


def _retitled(
    before: Knowledge, claims: Mapping[str, Claim | None], disk: Disk
) -> Iterator[Artifact]:
    """The pages, as their files have them, whose title, id or path may hold, or have held, the text
    of a claim that is or was withheld.
    """
    hiding = [
        claim_id
        for claim_id, one in claims.items()
        if _was_hidden(before, (Kind.CLAIM, claim_id)) or _hides(one)
    ]
    if not hiding:
        return
    now = _withheld_after(before, claims, disk)
    was = before.withheld or Withheld()
    texts = [t for one in hiding for texts in (was, now) for t in texts.of_claim(one)]
    for key in dict.fromkeys(_called(before, dict.fromkeys(texts))):
        if (page := before.artifact(key)) is not None:
            with suppress(LookupError):
                yield disk.reread(page.path)
    yield from _hidden(before, Kind.PAGE, pointing_query(*UNTITLED), disk)


def _called(before: Knowledge, texts: Iterable[str]) -> Iterator[Key]:
    """The pages whose title or id may hold all words of one of some texts."""
    keys = before.keys_of(matching("key", _ANY_PAGE))
    folded = {page_id: page_id.casefold() for page_id in (DocumentKey.decode(k).id for k in keys)}
    for text in texts:
        yield from _saying(before, text, (TITLE,))
        words = text.casefold().split()
        for page_id, letters in folded.items():
            if all(word in letters for word in words):
                yield (Kind.PAGE, page_id)


def _awaiting(before: Knowledge, upserts: Collection[Key], disk: Disk) -> Iterator[Artifact]:
    """The relations that nobody is told and that join one of some artifacts, from their files."""
    joined = before.pseudonyms.all_of(one for kind, one in upserts if kind in _ENDS)
    if joined and before.places(RETIRED):
        yield from _hidden(before, Kind.RELATION, _pointing("awaits", joined), disk)


def _hidden(before: Knowledge, kind: Kind, query: Query, disk: Disk) -> Iterator[Artifact]:
    """The artifacts of a kind among what nobody may see that a query finds, from their files."""
    names, keys = before.pseudonyms, before.keys_of(query)
    return iter(disk.hidden(kind, lambda key: retired_key(key, names) in keys) if keys else ())


def _retired(before: Knowledge, change: Change, gone: Collection[Key]) -> dict[Key, Documents]:
    """The documents for the claims that are retired now, and for the pages with such titles."""
    documents: dict[Key, Documents] = {}
    for artifact in change.upserts:
        if key_of(artifact) not in gone or not isinstance(artifact, Claim | Page):
            continue
        names = before.pseudonyms
        fields = None
        if isinstance(artifact, Claim):
            fields = retired_fields(artifact, names)
        elif is_live(artifact):
            fields = hidden_fields(artifact, names)
        if fields is not None:
            documents[key_of(artifact)] = (document(fields),)
    return documents


def _stamp(retired: Document | None) -> object:
    """What the document of what nobody may see says."""
    return None if retired is None else (retired["place"][0], retired.get_all("refers"))


def _withheld(documents: Documents | None) -> list[str]:
    return documents[0].get_all("refers") if documents else []


def _whole(artifact: Artifact, disk: Disk, names: Pseudonyms) -> Artifact:
    """The artifact as its file has it, with the quote that the index may lack; if that fails, as
    given. A page keeps its scope, which may be that of what its title holds.
    """
    with suppress(LookupError):
        reread = nameless(disk.reread(artifact.path), names)
        if key_of(reread) != key_of(artifact):
            return artifact
        if isinstance(reread, Page) and isinstance(artifact, Page):
            return replace(reread, scope=artifact.scope)
        return reread
    return artifact


def _quoting(
    before: Knowledge, shown: Mapping[Key, Artifact], gone: Collection[Key], world: _After
) -> dict[Key, Artifact]:
    """The unchanged claims whose sentences may differ after the change, and the evidence that may
    gain or lose its quote: those around the receipts that the change touches.
    """
    touched, sources = _touched(before, shown, gone, world)
    reclosed = _reclosed(before, shown, gone, world)
    affected_artifacts: dict[Key, Artifact] = {key_of(one): one for one in reclosed}
    sources |= {one.id for one in reclosed}
    for one in reclosed:
        without_bytes = (e for e in world.evidence_in(one.id) if not is_receipt(e))
        affected_artifacts |= {key_of(e): e for e in without_bytes}
    by_source: dict[str, list[Evidence]] = {one: [] for one in sources}
    affected = set(touched)
    for evidence_id in touched:
        evidence = world.evidence(evidence_id)
        if evidence is not None:
            affected_artifacts[key_of(evidence)] = evidence
            by_source.setdefault(evidence.source_id, []).append(evidence)
    for source_id, changed in by_source.items():
        affected |= _around(world, source_id, changed, whole=source_id in sources)
    for evidence_id in affected:
        for citing_claim in world.cited(evidence_id).by:
            if (claim := world.claim(citing_claim.claim_id)) is not None:
                affected_artifacts[key_of(claim)] = claim
    return {
        key: one for key, one in affected_artifacts.items() if key not in shown and key not in gone
    }


def _around(world: _After, source_id: str, changed: list[Evidence], whole: bool) -> set[str]:
    """Ids of the receipts of a source whose sentences may contain a changed receipt."""
    sources = world.sources
    spans = [span for one in changed if (span := sources.span(one))]
    whole = whole or any(map(sources.repeats, changed))
    ids = set()
    for evidence in world.evidence_in(source_id):
        parts = None if whole else sources.parts(evidence)
        if parts is None or any(a < end and b > start for a, b in spans for start, end in parts):
            ids.add(evidence.id)
    return ids


def _touched(
    before: Knowledge, shown: Mapping[Key, Artifact], gone: Collection[Key], world: _After
) -> tuple[set[str], set[str]]:
    """Ids of the evidence whose citations change, and of the sources all of whose receipts may be
    affected.
    """
    evidence: set[str] = set()
    sources: set[str] = set()
    for key in [*shown, *gone]:
        versions = [one for one in (before.artifact(key), shown.get(key)) if one is not None]
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
            cites = before.found(pointing_query("cites", key[1]))
            saying = [one.id for one in cites]
        for claim_id in saying:
            same = before.found(pointing_query(*repeats(claim_id, before.pseudonyms)))
            evidence.update(one.id for one in same)
        for refers in (before.withheld_by(key), world.withheld_by(key)):
            targets = {Pointer.decode(one).target for one in refers}
            evidence.update(filter(world.evidence, targets))
    return evidence, sources


def _reclosed(
    before: Knowledge, shown: Mapping[Key, Artifact], gone: Collection[Key], world: _After
) -> list[Source]:
    """The sources that secret claims close, or no longer close, after the change."""
    if not world.has_secrets:
        return []
    ids: set[str] = set()
    for key in [*shown, *gone]:
        versions = [one for one in (before.artifact(key), shown.get(key)) if one is not None]
        if key[0] is Kind.CLAIM:
            was, now = _sealed(before, key), world.sealed(key[1])
            for cited in (was[1] | now[1]) if was != now else ():
                versions_cited = (world.evidence(cited), before.evidence(cited))
                ids |= {cited, *(one.source_id for one in versions_cited if one is not None)}
        ids |= {one.source_id for one in versions if isinstance(one, Evidence)}
        ids |= {one.id for one in versions if isinstance(one, Source)}
    for source in [*filter(None, map(before.source, ids)), *filter(None, map(world.source, ids))]:
        ids |= {one.id for one in world.sources_at(source.locator)}
    reclosed = []
    for source in filter(None, map(world.source, sorted(ids))):
        stood = before.document(key_of(source))
        earlier = () if stood is None else closed_in(stood)
        was_closed = [one.gates for one in earlier if (one.start, one.end) == CONTENT]
        if was_closed != closing(source, world):
            reclosed.append(source)
    return reclosed


def _sealed(before: Knowledge, key: Key) -> tuple[Gates, frozenset[str]]:
    """The gates with which a claim closed what it cites, none if it was no secret; and what it
    cited as one.
    """
    if isinstance(claim := before.artifact(key), Claim):
        return _sealing(claim)
    retired = before.retired_document(key)
    if retired is None:
        return frozenset(), frozenset()
    pointers, label = (
        map(Pointer.decode, retired.get_all("refers")),
        StemPlace.decode(retired["place"][0]).label,
    )
    cited = frozenset(one.target for one in pointers if one.how == "seals")
    return (None if label == NOBODY else gates_of(label)), cited


def _sealing(claim: Claim) -> tuple[Gates, frozenset[str]]:
    gates = secrecy(claim)
    return gates, (frozenset() if gates == frozenset() else frozenset(claim.evidence))


def _holding(
    before: Knowledge,
    shown: Mapping[Key, Artifact],
    gone: Collection[Key],
    changed: Collection[Key],
    world: _After,
) -> dict[Key, Artifact]:
    """The unchanged claims, pages and sources that may hold, or have held, the text of a claim that
    is or was withheld.
    """
    keys: dict[Key, None] = {}
    went = False
    for key in changed:
        if key[0] is not Kind.CLAIM or not (_was_hidden(before, key) or world.hides(key)):
            continue
        now = world.withheld
        was = before.withheld or Withheld()
        # What the file of a retired claim held before may not be known.
        if before.withheld_by(key) or was.differs(key[1], now):
            went |= _was_hidden(before, key)
            for text in now.of_claim(key[1]):
                keys |= dict.fromkeys(_saying(before, text))
        if world.secrecy_of(key[1]) != _sealed(before, key)[0]:
            citing_pages = before.found(pointing_query("cites", before.pseudonyms.of(key[1])))
            keys |= dict.fromkeys(key_of(one) for one in citing_pages if isinstance(one, Page))
    if went:
        keys |= dict.fromkeys(map(key_of, before.found(pointing_query(*SILENCED))))
    artifacts: dict[Key, Artifact] = {}
    for key in keys:
        is_evidence = key[0] is Kind.EVIDENCE
        artifact = world.evidence(key[1]) if is_evidence else world.artifact(key)
        if artifact is not None and key not in shown and key not in gone:
            artifacts[key] = artifact
    return artifacts


def _was_hidden(before: Knowledge, key: Key) -> bool:
    """Whether not every viewer was told a claim."""
    claim = before.artifact(key)
    return gate_of(claim) != OPEN if claim is not None else bool(before.withheld_by(key))


def _hides(claim: Claim | None) -> bool:
    """Whether not every viewer is told a claim."""
    return claim is not None and withheld_gate(claim) != frozenset()


def _saying(before: Knowledge, text: str, kinds: Iterable[str] = _SAYING) -> Iterator[Key]:
    """The artifacts that may hold all words of a text, in the sentence of a claim and in what its
    evidence quotes as well.
    """
    stems = dict.fromkeys(
        one.stem for one in units(text).units if not one.spaceless and always_content(one.stem)
    )
    pairs = (one for one in content_stems(text) if len(one) > 1 and has_spaceless(one))
    wanted = list(dict.fromkeys((*stems, *pairs)))
    labels = {StemPlace.decode(name).label for name in before.snapshot.lengths} | {
        *before.snapshot.units
    }
    for kind in kinds if wanted else ():
        places = [StemPlace(kind, one).encode() for one in labels]
        query = all_of([any_of([stem_query(at, one) for at in places]) for one in wanted])
        for hit in before.snapshot.every(query):
            document = before.snapshot.document(hit)
            kind_found, artifact_id, _ = key_in(document)
            yield _ARTIFACTS.get(kind_found) or Kind(kind_found), artifact_id
            if kind_found != Kind.CLAIM:
                continue
            claim = artifact_in(document)
            assert isinstance(claim, Claim)
            yield from ((Kind.EVIDENCE, one) for one in claim.evidence)
            quoted = quoted_in(document)
            if quoted is not None and quoted.sentence is not None:
                yield from ((Kind.CLAIM, one) for one in quoted.sentence.claims)


def _dependants(
    before: Knowledge, shown: Mapping[Key, Artifact], gone: Collection[Key], world: _After
) -> dict[Key, Artifact]:
    """The unchanged artifacts whose links or labels may differ after the change."""
    dependants: dict[Key, Artifact] = {}
    for key in [*shown, *gone]:
        effect = _effect(before.artifact(key), shown.get(key), before.pseudonyms)
        queries = [value_query("refers", effect.refers)] if effect.refers else []
        claims = {*effect.claims}
        if effect.entity is not None:
            queries += [
                _about(before, effect.entity.id),
                *_naming(before, before.entity(effect.entity.id)),
                *_naming(before, shown.get(key)),
            ]
            pages = (world.page(page_id) for page_id in before.pages_about(key))
            claims.update(pseudonym for page in pages if page for pseudonym in page.claims)
        for artifact in chain.from_iterable(map(before.found, queries)):
            dependants[key_of(artifact)] = artifact
        for pseudonym in claims:
            if (claim := before.named(pseudonym)) is not None:
                dependants[key_of(claim)] = claim
    return {key: one for key, one in dependants.items() if key not in shown and key not in gone}


def _about(before: Knowledge, entity_id: str) -> Query:
    """A query for the claims that declare an entity or are linked to it."""
    labels = {StemPlace.decode(place).label for place in before.snapshot.lengths}
    return any_of(
        [
            pointing_query("declares", entity_id),
            value_query("about", [CountedEntity(one, entity_id).encode() for one in labels]),
        ]
    )


def _naming(before: Knowledge, entity: Artifact | None) -> Iterator[Query]:
    """Queries for the claims that may be linked to an entity because they name it."""
    if not isinstance(entity, Entity):
        return
    declared = (Occur.MustNot, value_query("linked", ["declared"]))
    places = [name for name in before.snapshot.lengths if name.startswith(f"{Kind.CLAIM}@")]
    for name in places:
        for stems in required(entity):
            words = [(Occur.Must, stem_query(name, stem)) for stem in stems]
            all_claims = (Occur.Must, value_query("place", [name]))
            yield Query.boolean_query([*(words or [all_claims]), declared])


@dataclass(frozen=True, slots=True)
class _Effect:
    """The artifacts that depend on a changed one: claims by pseudonym, claims whose text may name
    `entity`, and artifacts that hold one of the encoded pointers `refers`.
    """

    claims: Iterable[str] = ()
    entity: Entity | None = None
    refers: tuple[str, ...] = ()


def _effect(before: Artifact | None, after: Artifact | None, names: Pseudonyms) -> _Effect:
    """The artifacts that depend on how an artifact changed; none if no other depends on the
    difference.
    """
    artifact = before or after
    moved = (before is None) != (after is None) or _gate(before) != _gate(after)
    refers: tuple[str, ...] = ()
    if moved and isinstance(artifact, Entity | Claim | Page | Source):
        refers = (Pointer("joins", artifact.id).encode(),)
    if moved and isinstance(artifact, Claim):  # a page's mark of it may be shown, or no longer
        refers += (Pointer("cites", names.of(artifact.id)).encode(),)
    if moved and isinstance(artifact, Source):
        refers += (Pointer("quotes", artifact.id).encode(),)
    if isinstance(artifact, Page) and (moved or _lists(before) != _lists(after)):
        claims = {c for page in (before, after) if isinstance(page, Page) for c in page.claims}
        return _Effect(claims=claims, refers=refers)
    if isinstance(artifact, Entity) and (moved or _forms(before) != _forms(after)):
        return _Effect(entity=artifact, refers=refers)
    return _Effect(refers=refers)


def _gate(artifact: Artifact | None) -> str | None:
    return None if artifact is None else gate_of(artifact)


def _lists(page: Artifact | None) -> object:
    return (page.claims, page.entities, page.title) if isinstance(page, Page) else None


def _forms(entity: Artifact | None) -> object:
    return list(forms(entity)) if isinstance(entity, Entity) else None


def _pointing(how: str, targets: Collection[str]) -> Query:
    return value_query("refers", [Pointer(how, one).encode() for one in targets])


def _is_secret(claim: Claim) -> bool:
    return secrecy(claim) != frozenset()


class _After:
    """Look-ups, as after a change, of the artifacts that links, labels and sentences depend on."""

    def __init__(
        self,
        before: Knowledge,
        change: Change,
        shown: Mapping[Key, Artifact],
        gone: Collection[Key],
        retired: Mapping[Key, Documents],
        disk: Disk,
    ) -> None:
        self._before = before
        self._pseudonyms = before.pseudonyms
        self._claims = _claims_of(change)
        """The claims of the change by id; None if the claim is gone."""
        self._shown = shown
        self._gone = gone
        self._retired = retired
        self._pointers = {one for documents in retired.values() for one in _withheld(documents)}
        self._disk = disk
        self._evidence: dict[str, Evidence | None] = {}
        self._citing: dict[str, list[Citing]] = {}
        """The claims of the change that cite evidence, by evidence id."""
        for artifact in shown.values():
            if isinstance(artifact, Claim):
                for evidence_id, cites in citing(artifact, self.evidence).items():
                    self._citing.setdefault(evidence_id, []).append(cites)
        self._cites_by_id: dict[str, Cited] = {}
        self._settled = {self._retired_key(key) for key in [*shown, *gone] if key[0] == Kind.CLAIM}
        """Keys of the documents for retired claims that the change replaces."""
        entities = [one for one in shown.values() if isinstance(one, Entity)]
        removed = [artifact_id for kind, artifact_id in gone if kind is Kind.ENTITY]
        self.names = before.names.changed(entities, removed)

    def artifact(self, key: Key) -> Artifact | None:
        """An artifact that some viewer may see."""
        if key in self._shown or key in self._gone:
            return self._shown.get(key)
        return self._before.artifact(key)

    def page(self, page_id: str) -> Page | None:
        artifact = self.artifact((Kind.PAGE, page_id))
        return artifact if isinstance(artifact, Page) else None

    def pages_listing(self, claim_id: str) -> Iterable[Page]:
        earlier = self._before.pages_about((Kind.CLAIM, claim_id))
        changed = (page.id for page in self._shown.values() if isinstance(page, Page))
        for page_id in sorted({*earlier, *changed}):
            page = self.page(page_id)
            if page is not None and self._pseudonyms.of(claim_id) in page.claims:
                yield page

    def gates_at(self, artifact_id: str) -> Iterable[str]:
        for kind in _ENDS:
            artifact = self.artifact((kind, artifact_id))
            if artifact is not None and (gate := gate_of(artifact)) is not None:
                yield gate

    def claim(self, claim_id: str) -> Claim | None:
        artifact = self.artifact((Kind.CLAIM, claim_id))
        return artifact if isinstance(artifact, Claim) else None

    @cached_property
    def sources(self) -> QuotedSources:
        # A strong reference would be a cycle, which keeps the old generation until it is collected.
        return QuotedSources(proxy(self), size=16)

    def source(self, source_id: str) -> Source | None:
        artifact = self.artifact((Kind.SOURCE, source_id))
        return artifact if isinstance(artifact, Source) else None

    def evidence(self, evidence_id: str) -> Evidence | None:
        if evidence_id not in self._evidence:
            artifact = self.artifact((Kind.EVIDENCE, evidence_id))
            if isinstance(artifact, Evidence) and artifact.quote is None:
                artifact = _whole(artifact, self._disk, self._pseudonyms)
            self._evidence[evidence_id] = artifact if isinstance(artifact, Evidence) else None
        return self._evidence[evidence_id]

    def evidence_in(self, source_id: str) -> Iterable[Evidence]:
        quoting = self._before.found(pointing_query("quotes", source_id))
        for artifact in quoting:
            if isinstance(artifact, Evidence) and not self._changes(key_of(artifact)):
                yield self.evidence(artifact.id) or artifact
        for artifact in self._shown.values():
            if isinstance(artifact, Evidence) and artifact.source_id == source_id:
                yield artifact

    def cited(self, evidence_id: str) -> Cited:
        if evidence_id not in self._cites_by_id:
            self._cites_by_id[evidence_id] = self._cited(evidence_id)
        return self._cites_by_id[evidence_id]

    def _cited(self, evidence_id: str) -> Cited:
        by = list(self._citing.get(evidence_id, ()))
        for artifact in self._before.found(pointing_query("cites", evidence_id)):
            if isinstance(artifact, Claim) and not self._changes(key_of(artifact)):
                cites = citing(artifact, self.evidence).get(evidence_id)
                by += [] if cites is None else [cites]
        retired, redacted = self.is_retired(evidence_id), self._points("redacts", evidence_id)
        return Cited(tuple(sorted(by)), retired, redacted)

    def is_retired(self, evidence_id: str) -> bool:
        return self._points("withholds", evidence_id)

    def _points(self, how: str, evidence_id: str) -> bool:
        """Whether a retired claim has a pointer to a piece of evidence."""
        pointer = Pointer(how, evidence_id)
        if pointer.encode() in self._pointers:
            return True
        return self._before.withholds(pointer, self._settled.__contains__)

    @cached_property
    def has_secrets(self) -> bool:
        """Whether any claim is or was secret."""
        places = self._before.places(Kind.CLAIM)
        gated = any(StemPlace.decode(one).label != OPEN for one in places)
        claims = (one for one in self._claims.values() if one is not None)
        return gated or bool(self._before.places(RETIRED)) or any(map(_is_secret, claims))

    def closing(self, cited: Collection[str], but: Collection[str]) -> Gates:
        if not self.has_secrets or not cited:
            return frozenset()
        claims = [one for one in self._claims.values() if one is not None and _is_secret(one)]
        needed = all_gates(
            secrecy(one)
            for one in claims
            if not set(one.evidence).isdisjoint(cited) and set(one.evidence).isdisjoint(but)
        )
        before = self._before
        for kind, how in ((Kind.CLAIM, "cites"), (RETIRED, "seals")):
            places = [one for one in before.places(kind) if StemPlace.decode(one).label != OPEN]
            if not places or needed is None:
                continue
            query = all_of([_pointing(how, cited), value_query("place", places)])
            others = [(Occur.MustNot, _pointing(how, but))] if but else []
            if self._changing:
                others.append((Occur.MustNot, value_query("key", self._changing)))
            wanted = Query.boolean_query([(Occur.Must, query), *others])
            for place in before.snapshot.sums(wanted, "place"):
                label = StemPlace.decode(place).label
                needed = all_gates((needed, None if label == NOBODY else gates_of(label)))
        return needed

    @cached_property
    def _changing(self) -> list[str]:
        """The keys of the documents of the claims that change."""
        keys = [DocumentKey(Kind.CLAIM, one).encode() for one in self._claims]
        return [*keys, *(self._retired_key((Kind.CLAIM, one)) for one in self._claims)]

    def _retired_key(self, key: Key) -> str:
        return retired_key(key, self._pseudonyms)

    def sources_at(self, locator: str) -> Iterable[Source]:
        if not is_place(locator):
            return
        for artifact in self._before.found(pointing_query(*located(locator))):
            if isinstance(artifact, Source) and not self._changes(key_of(artifact)):
                yield artifact
        for artifact in self._shown.values():
            if isinstance(artifact, Source) and artifact.locator.strip() == locator.strip():
                yield artifact

    @cached_property
    def withheld(self) -> Withheld:
        return _withheld_after(self._before, self._claims, self._disk)

    @property
    def withheld_if_read(self) -> Withheld | None:
        """The same; None if nothing has asked for it in this generation or an earlier one."""
        is_read = "withheld" in self.__dict__ or self._before.withheld is not None
        return self.withheld if is_read else None

    def sealed(self, claim_id: str) -> tuple[Gates, frozenset[str]]:
        """The gates with which a claim closes what it cites, and what that is."""
        if claim_id in self._claims:
            claim = self._claims[claim_id]
            return (frozenset(), frozenset()) if claim is None else _sealing(claim)
        return _sealed(self._before, (Kind.CLAIM, claim_id))

    def secrecy_of(self, claim_id: str) -> Gates:
        return self.sealed(claim_id)[0]

    def gates_of_claim(self, claim_id: str) -> Gates:
        claim = self.claim(claim_id)
        return None if claim is None else withheld_gate(claim)

    def hides(self, key: Key) -> bool:
        """Whether not every viewer is told a claim of the change."""
        return _hides(self._claims.get(key[1]))

    def withheld_by(self, key: Key) -> list[str]:
        """The encoded pointers to its evidence of a claim that the change retires."""
        return _withheld(self._retired.get(key))

    def gate_of_text(self, text: str) -> str | None:
        claim = self.claim(slug_of(text))
        if claim is None or claim.text != text:
            return None
        cited = map(self.evidence, claim.evidence)
        quotes = any(one is not None and is_receipt(one) for one in cited)
        return gate_of(claim) if quotes else None

    def content(self, source: Source) -> bytes | None:
        return self._disk.content(source)

    def _changes(self, key: Key) -> bool:
        return key in self._shown or key in self._gone
