"""Knowledge bases on disk, and engines that serve them on clocks of our own."""

import asyncio
import os
from collections.abc import Callable, Mapping, Set
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import anyio
from vouch_sidecar.engine import Caller, Engine, Subscriber
from vouch_sidecar.engine.collection import Collection
from vouch_sidecar.engine.faults import CACHE, LOOK, WORKSPACE
from vouch_sidecar.kb.discovery import BaseInTree
from vouch_sidecar.operations.call import perform
from vouch_sidecar.operations.notifications import status_notification
from vouch_sidecar.operations.operation import Operation, P, R, operations
from vouch_sidecar.operations.wire import as_json
from vouch_sidecar.retrieval.push import PUSH_PARTS, Push, PushPart
from vouch_sidecar.workspace.breath import Breathe

from tests.kb.samples import claim, dump, entity, make_kb, put

NOW = 1.79e9
_THREAD, _LOOP = ThreadPoolExecutor(1), asyncio.Runner()
"""Where questions are asked."""


class Clock:
    """A monotonic clock that runs on by a step, mostly none, whenever it is read."""

    def __init__(self) -> None:
        self.now, self.step = 10_000.0, 0.0

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def base(folder: Path, files: Mapping[str, bytes] | None = None) -> Path:
    """A knowledge base with one entity, `vault`, and one claim on it, and with these files."""
    make_kb(folder)
    write(folder, "entities/vault.yaml", entity("vault", name="Key Vault", type="system"))
    rotation = claim("rotation", text="Keys rotate.", entities=["vault"])
    for path, data in {"claims/rotation.yaml": rotation, **(files or {})}.items():
        write(folder, path, data)
    return folder


def known(entity_id: str, name: str, text: str = "It waits.", **fields: object) -> dict[str, bytes]:
    """The files of an entity, with these fields, and of the one claim on it, with the same id."""
    return {
        f"entities/{entity_id}.yaml": entity(entity_id, name=name, **fields),
        f"claims/{entity_id}.yaml": claim(entity_id, text=text, entities=[entity_id]),
    }


def relays(number: int, text: str = "It relays.") -> dict[str, bytes]:
    """The files of so many entities `e0`, `e1`, … named "Mail Relay 0x", …, each with a claim."""
    every = (known(f"e{i}", f"Mail Relay {i}x", text) for i in range(number))
    return {path: data for one in every for path, data in one.items()}


def write(folder: Path, path: str, data: bytes | Mapping[str, object]) -> Path:
    """Puts a file below `.vouch/`, old enough to be settled; a mapping as YAML."""
    return put(folder / ".vouch", path, data if isinstance(data, bytes) else dump(dict(data)))


def configure(engine: Engine, root: Path, **sections: object) -> None:
    write(root, "config.yaml", sections)
    load(engine)


def cached(folder: Path) -> dict[str, str]:
    """An environment whose caches lie in a folder, and in which there is git."""
    cache, path = str(folder / "cache"), os.environ["PATH"]
    return {"HOME": str(folder), "XDG_CACHE_HOME": cache, "PATH": path}


def finished(folder: Path) -> list[Path]:
    """The bases in such caches that the next process may begin with."""
    found = (Path(at) for at, _, files in os.walk(folder / "cache") if "records" in files)
    return sorted(base for base in found if not base.name.startswith("unfinished-"))


def engine_on(*roots: Path, env: Mapping[str, str] | None = None, **options: Any) -> Engine:
    """An engine that has read the knowledge bases in these folders."""
    engine = unread_engine(*roots, env=env, **{"clock": Clock(), **options})
    load(engine)
    return engine


def places(*roots: Path) -> frozenset[BaseInTree]:
    """Knowledge bases that speak of the files of their own folders."""
    return frozenset(BaseInTree((str(root), str(root))) for root in roots)


def only(engine: Engine, root: Path | None = None) -> Collection:
    """The only knowledge base, or the only one in a folder."""
    every = engine.registry.collections.values()
    (collection,) = (each for each in every if root in (None, each.root))
    return collection


def reread(engine: Engine) -> None:
    """Have an engine take in what changed, and write nothing for the next process."""
    for collection in engine.registry.collections.values():
        with collection.faults.contained(LOOK):
            engine.publish(collection, collection.look(collection.checkout()))


def load(engine: Engine) -> None:
    """Have an engine take in what changed, and keep a base where one is wanted."""
    reread(engine)
    for collection in engine.registry.collections.values():
        with collection.faults.contained(CACHE):
            if (kept := collection.reader.keep()) is not None:
                engine.publish(collection, collection.published.seen._replace(knowledge=kept))


def settle(engine: Engine) -> None:
    """Have the worlds built that are due."""
    for collection in engine.registry.collections.values():
        with collection.faults.contained(WORKSPACE):
            while collection.is_world_due:
                of = collection.knowledge, collection.inputs, collection.viewers()
                paths = collection.due_around.take()
                world = collection.build(*of, paths, Breathe(engine.breath))
                collection.due_around.done(0.0)
                engine.publish_world(collection, world)


class Listener:
    """Somebody who is told from now on what is in play."""

    def __init__(
        self, engine: Engine, caller: Caller | None = None, parts: Set[PushPart] = PUSH_PARTS
    ) -> None:
        self._engine, self._pushes = engine, list[Push]()
        who = caller or Caller()
        self._subscriber = Subscriber(lambda: who, self._pushes.append, parts, hears_all=True)

    async def told(self) -> list[Push]:
        self._pushes.clear()
        await self._subscriber.tell_news(lambda: [self._engine], self._engine.sessions)
        return [*self._pushes]


def pushed(listener: Listener) -> list[Push]:
    return anyio.run(listener.told)


def unread_engine(*roots: Path, env: Mapping[str, str] | None = None, **options: Any) -> Engine:
    """An engine that has read nothing yet; its clock is real unless the options have another."""
    engine = Engine(env=env or {}, **{"now": lambda: NOW, **options})
    engine.registry.set_folders(roots)
    return engine


def performed(engine: Engine, operation: Operation[P, R], caller: Caller, **params: Any) -> R:
    """The result of an operation without waiting; the loop of who asks stands still meanwhile."""
    asked = perform(engine, operation, params, caller, patience=0)
    return _THREAD.submit(_LOOP.run, asked).result()


def ask(engine: Engine, name: str, who: Caller | None = None, /, **params: Any) -> dict[str, Any]:
    """The result of an operation as every surface gives it."""
    return as_json(performed(engine, operations()[name], who or Caller(), **params))


def health_told(engine: Engine) -> tuple[str, str | None]:
    """The health and the message that a client is told that connects now."""
    status = status_notification(engine, Caller())
    return status.health, status.message


def told(engine: Engine, task: str) -> list[str]:
    return [item["id"] for item in ask(engine, "context", task=task)["items"]]


def counts(engine: Engine, topic: str, **params: Any) -> dict[str, int]:
    rows = ask(engine, "experts", topic=topic, **params)["experts"]
    return {row["entity_id"]: row["claim_count"] for row in rows}


async def until(condition: Callable[[], bool]) -> None:
    with anyio.fail_after(60):
        while not condition():
            await anyio.sleep(0.005)
