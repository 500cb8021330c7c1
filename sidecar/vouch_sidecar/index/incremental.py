"""Makes the next generation after a change: indexes the changed artifacts again, and the unchanged
ones whose links, labels or sentences depend on them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress

from tantivy import Document, Query

from vouch_sidecar.index.artifact_documents import document, hidden_fields, retired_fields
from vouch_sidecar.index.changed_world import (
    ENDS,
    ChangedWorld,
    as_in_file,
    claims_of,
    hides_text,
    pointing_at,
    withheld_after,
)
from vouch_sidecar.index.closing_dependants import (
    artifacts_holding,
    artifacts_quoting,
    artifacts_saying,
    was_hidden,
)
from vouch_sidecar.index.dependants import dependants
from vouch_sidecar.index.document_schema import RETIRED, TITLE, UNTITLED, WITHOUT_QUOTE
from vouch_sidecar.index.encoding import DocumentKey
from vouch_sidecar.index.knowledge import Documents, Knowledge, open_entity
from vouch_sidecar.index.links import behind_its_title, documents_of, link_state, link_state_of
from vouch_sidecar.index.pointers import nameless, retired_key
from vouch_sidecar.index.query import matching, pointing_query
from vouch_sidecar.index.quoted_sentences import QuotedSources
from vouch_sidecar.index.receipts import NO_DISK, Disk
from vouch_sidecar.index.stored_artifacts import artifact_in
from vouch_sidecar.index.withheld_texts import Withheld
from vouch_sidecar.kb.access import is_live, is_shown_to_any
from vouch_sidecar.kb.records import Artifact, Change, Claim, Entity, Key, Kind, Page, key_of

_ANY_PAGE = f"{Kind.PAGE}\0.*\0" + "000"
"""The keys of the first documents of pages, as a pattern."""


def after(before: Knowledge, change: Change, disk: Disk = NO_DISK) -> Knowledge:
    """The generation after a change. Retired artifacts are removed from the index."""
    change = _as_told(before, change, disk)
    shown = {key_of(artifact): artifact for artifact in change.upserts if is_shown_to_any(artifact)}
    gone = {*change.removals, *map(key_of, change.upserts)}.difference(shown)
    # A file that was written anew may say the same: a checkout would else change everything.
    shown = {k: artifact for k, artifact in shown.items() if not _is_same(before, k, artifact)}
    retired = _retired(before, change, gone)
    hidden = {
        key: artifact
        for artifact in change.upserts
        if isinstance(artifact, Claim)
        and (key := key_of(artifact)) in gone
        and before.withheld_by(key)
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
    world, names = ChangedWorld(before, change, shown, gone, retired, disk), before.pseudonyms
    documents: dict[Key, Documents] = {key: retired.get(key, ()) for key in gone}
    for key, artifact in shown.items():
        documents[key] = tuple(documents_of(artifact, link_state(artifact, world), names))
    unchanged = {
        **dependants(before, shown, gone, world),
        **artifacts_quoting(before, shown, gone, world),
        **artifacts_holding(before, shown, gone, {*shown, *gone, *hidden}, world),
    }
    for key, artifact in unchanged.items():
        document_before = before.document(key)
        earlier = None if document_before is None else link_state_of(document_before)
        lacks = earlier is not None and earlier.linked == WITHOUT_QUOTE
        if document_before is not None and isinstance(artifact, Entity):
            artifact = artifact_in(document_before)  # has what some are not shown
        if lacks:  # what its file says is looked at, not what the index has of it
            artifact = as_in_file(artifact, disk, names)
        state = link_state(artifact, world)
        if state != earlier:
            documents[key] = tuple(documents_of(artifact, state, names))
    if not documents and world.withheld_if_read is before.withheld:
        return before
    of_entities = (
        written for (kind, _), written in documents.items() if kind is Kind.ENTITY and written
    )
    entities = (open_entity(written[0]) for written in of_entities)
    shown_less = [entity for entity in entities if entity != world.names.entity(entity.id)]
    known_names = world.names.changed(shown_less, ())
    return before.changed_to(documents, known_names, world.withheld_if_read)


def sources_of(knowledge: Knowledge, disk: Disk) -> QuotedSources:
    """The sources quoted by the claims of a generation, and what of them is closed."""
    # Not `ChangedWorld.sources`, which keeps no `ChangedWorld` alive.
    return QuotedSources(ChangedWorld(knowledge, Change(), {}, (), {}, disk), size=16)


def _as_told(before: Knowledge, change: Change, disk: Disk) -> Change:
    """The change with artifacts as the index holds them. It also contains pages and relations that
    become visible or invisible because of the changed claims.
    """
    names = before.pseudonyms
    upserts = {key_of(artifact): nameless(artifact, names) for artifact in change.upserts}
    claims = claims_of(change)
    for artifact in _retitled(before, claims, disk):
        upserts.setdefault(key_of(artifact), nameless(artifact, names))
    for artifact in [*_awaiting(before, upserts, disk)]:
        upserts.setdefault(key_of(artifact), nameless(artifact, names))
    if any(isinstance(artifact, Page) for artifact in upserts.values()):
        withheld = withheld_after(before, claims, disk)
        for key, artifact in upserts.items():
            if isinstance(artifact, Page) and is_shown_to_any(artifact):
                upserts[key] = behind_its_title(artifact, withheld)
    kept = (artifact for key, artifact in upserts.items() if key not in change.removals)
    return Change(tuple(kept), change.removals)


def _retitled(
    before: Knowledge, claims: Mapping[str, Claim | None], disk: Disk
) -> Iterator[Artifact]:
    """The pages, as their files have them, whose title, id or path may hold the text of a claim
    that is withheld before or after the change.
    """
    hiding = [
        claim_id
        for claim_id, claim in claims.items()
        if was_hidden(before, (Kind.CLAIM, claim_id)) or hides_text(claim)
    ]
    if not hiding:
        return
    now = withheld_after(before, claims, disk)
    was = before.withheld or Withheld()
    texts = [t for claim_id in hiding for texts in (was, now) for t in texts.of_claim(claim_id)]
    for key in dict.fromkeys(_called(before, dict.fromkeys(texts))):
        if (page := before.artifact(key)) is not None:
            with suppress(LookupError):
                yield disk.reread(page.path)
    yield from _hidden(before, Kind.PAGE, pointing_query(*UNTITLED), disk)


def _called(before: Knowledge, texts: Iterable[str]) -> Iterator[Key]:
    """The pages whose title or id may hold all words of one of these texts."""
    keys = before.keys_of(matching("key", _ANY_PAGE))
    folded = {page_id: page_id.casefold() for page_id in (DocumentKey.decode(k).id for k in keys)}
    for text in texts:
        saying = artifacts_saying(before, text, (TITLE,))
        yield from (key for key in saying if key[0] is Kind.PAGE)
        words = text.casefold().split()
        for page_id, letters in folded.items():
            if all(word in letters for word in words):
                yield (Kind.PAGE, page_id)


def _awaiting(before: Knowledge, upserts: Collection[Key], disk: Disk) -> Iterator[Artifact]:
    """The relations to one of these artifacts that nobody may see so far, read from their files."""
    joined = before.pseudonyms.all_of(artifact_id for kind, artifact_id in upserts if kind in ENDS)
    if joined and before.places(RETIRED):
        yield from _hidden(before, Kind.RELATION, pointing_at("awaits", joined), disk)


def _hidden(before: Knowledge, kind: Kind, query: Query, disk: Disk) -> Iterator[Artifact]:
    """The artifacts of a kind that nobody may see and that a query finds, read from their files."""
    names, keys = before.pseudonyms, before.keys_of(query)
    return iter(disk.hidden(kind, lambda key: retired_key(key, names) in keys) if keys else ())


def _retired(before: Knowledge, change: Change, gone: Collection[Key]) -> dict[Key, Documents]:
    """The documents that remain of claims that are retired by now, and of pages with the text of
    one as title.
    """
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


def _is_same(before: Knowledge, key: Key, artifact: Artifact) -> bool:
    """Whether the index holds all that an artifact says, and nothing else: what it lacks may have
    been withheld.
    """
    document = before.document(key)
    if document is None or WITHOUT_QUOTE in document.get_all("linked"):
        return False
    return artifact_in(document) == artifact


def _stamp(retired: Document | None) -> object:
    """A value to compare such documents by."""
    return None if retired is None else (retired["place"][0], retired.get_all("refers"))
