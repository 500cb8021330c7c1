"""Brings the worlds around knowledge bases up to date."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from vouch_sidecar.engine.collection import WORKSPACE, Collection
from vouch_sidecar.engine.world_building import build
from vouch_sidecar.retrieval.view import own_names
from vouch_sidecar.workspace.cancellation import Checkpoint, never_cancelled
from vouch_sidecar.workspace.git import Repository
from vouch_sidecar.workspace.world import World

NO_TIES = "Claims are not tied to files"


def settle(collections: Iterable[Collection], with_commits: bool = True) -> None:
    """Bring the worlds of some knowledge bases up to date, for a process without an event loop.
    Blocks. `with_commits` also reads the history, which takes longest.
    """
    for collection in collections:
        with collection.faults.contained(WORKSPACE, NO_TIES):
            made = brought_up(collection, never_cancelled, with_commits=with_commits, at_once=True)
            for world in made:
                collection.publish_world(world)


def brought_up(
    collection: Collection,
    breathe: Checkpoint,
    *,
    with_commits: bool = True,
    at_once: bool = False,
) -> Iterator[World]:
    """The worlds to publish, one after the other, so that the last one is that of the published
    generation and of the files as they are; none if it is the published one. What takes longest,
    the definitions in files and the history, comes after the first one, unless it is asked for
    `at_once`. Blocks; calls `breathe`
    between small steps.
    """
    memo, knowledge, settings = collection.memo, collection.knowledge, collection.settings
    world, viewers = collection.world, collection.viewers()
    memo.is_log_needed |= with_commits
    differs = memo.look(settings, world, collection.due.around.in_look, breathe)
    if (
        not differs
        and world.is_whole
        and world.knowledge is knowledge
        and memo.has_read_log(settings)
        and world.topics.by_gates.keys() == set(viewers)
    ):
        return
    repository = Repository.holding(collection.tree, settings.trust.folders)
    origin = "" if repository is None else repository.origin()
    own = own_names(collection.name, collection.tree, origin)
    memo.read_claims(knowledge, breathe)
    memo.is_log_needed |= bool(memo.lost(knowledge))
    if not memo.has_scanned:
        if not at_once:
            yield build(knowledge, memo, origin, own, is_whole=False)
        memo.scan(memo.searched, breathe)
    memo.derive_topics(knowledge, viewers, own, breathe)
    memo.read_log(settings)
    yield build(knowledge, memo, origin, own, is_whole=True).in_place_of(collection.world)
    memo.keep()
