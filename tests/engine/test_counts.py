"""What each operation, a start and a change cost, counted: documents read from the index, questions
to it, files read, and runs of git. A commit that raises a bound says why in its message.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import pytest
from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.engine.worlds import settle
from vouch_sidecar.index.layers import Layer
from vouch_sidecar.kb import safe_files
from vouch_sidecar.operations import OPERATIONS
from vouch_sidecar.surfaces.hook.event_answers import respond

from tests.engine.bases import ask, cached, engine_on
from tests.kb.samples import put

COURIER = Path(__file__).parents[2] / "examples" / "courier"


class Counts(NamedTuple):
    """Documents read, questions to an index, files read, and runs of git."""

    documents: int = 0
    searches: int = 0
    files: int = 0
    git: int = 0

    def within(self, most: Counts) -> bool:
        return all(here <= bound for here, bound in zip(self, most, strict=True))


OPERATION_BOUNDS = {
    "experts": Counts(30, 27),  # whether a top claim lacks its context
    "salience": Counts(20, 12),
    "probe": Counts(22, 22),
    "context": Counts(109, 44, files=1),  # key facts look up each source that they count
    "search": Counts(7, 10),  # what its hits cite may be gone
    "entity": Counts(40, 43, files=2),
    "claim": Counts(32, 41, files=1),
    "status": Counts(0, 1),  # whether there are topics where no process has told
    "stats": Counts(),
    "capabilities": Counts(),
    "explain": Counts(115, 49, files=1),
    "files": Counts(29, 36, files=2),  # the document is looked through for names and quotes
    "mentions": Counts(1, 3),
    "session_end": Counts(),
}
"""Of each operation, asked its own example about `examples/courier` by an engine that just began.
`salience` ranks a window of the other examples' texts. One search says once a generation how many
claims are linked: topics that are kept from an earlier process have not asked it.
"""
BOUNDS = {
    "a first start": Counts(files=268, git=3),
    "a later start": Counts(0, 12, files=43, git=3),  # what other artifacts hide is read again
    "a changed claim": Counts(1, 1, files=1),
    "the workspace after it": Counts(files=4),
    "a changed claim beside 200 that cite its source": Counts(1, 1, files=1),
    "a changed claim among 200 of its project": Counts(1, 1, files=1),
}
"""Of what is done unasked; the first four with `examples/courier`, topics and ties included."""
EVENT_BOUND = Counts(145, 80, files=6)  # sources are read for the sentences that are shown
"""Of each of fifty events of an agent in a row; git is not run."""
SUMMER = 1_783_000_000.0
"""July 2026: the claims of the example grow older, and old ones have their files looked up."""


class Counter:
    """Counts while it is on, at the one place through which each kind of work passes."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._counts = Counts()
        for name in ("count", "search", "sums"):
            self._count(patch, Layer, name, "searches")
        self._count(patch, Layer, "document", "documents")
        self._count(patch, safe_files, "_read_whole", "files")
        self._count(patch, subprocess, "Popen", "git")

    def _count(self, patch: pytest.MonkeyPatch, owner: Any, name: str, kind: str) -> None:
        original = getattr(owner, name)

        def counted(*args: Any, **kwargs: Any) -> Any:
            done = original(*args, **kwargs)  # a file that is not there is none that was read
            if not isinstance(args[0], Layer) or args[0].size:  # an empty one is not asked
                self._counts = self._counts._replace(**{kind: getattr(self._counts, kind) + 1})
            return done

        patch.setattr(owner, name, counted)

    def of(self, do: Callable[[], object]) -> Counts:
        """What a call costs."""
        self._counts = Counts()
        do()
        return self._counts


@pytest.fixture
def counter(monkeypatch: pytest.MonkeyPatch) -> Counter:
    return Counter(monkeypatch)


@pytest.fixture(scope="module")
def courier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example in a repository, which an engine has read and cached."""
    folder = tmp_path_factory.mktemp("counts")
    root = folder / "courier"
    shutil.copytree(COURIER, root)
    commit = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-qm", "all"]
    for arguments in (["init", "-q"], ["add", "-A"], commit):
        subprocess.run(["git", *arguments], cwd=root, check=True)
    _started(root)
    return root


def _started(root: Path) -> Engine:
    """An engine that has worked out everything about a knowledge base."""
    engine = engine_on(root, env={**cached(root.parent), "PATH": os.environ["PATH"]})
    engine.now = lambda: SUMMER
    settle(engine.collections.values())
    return engine


def test_every_operation_has_its_bounds() -> None:
    assert OPERATION_BOUNDS.keys() == OPERATIONS.keys()


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_costs_no_more(name: str, courier: Path, counter: Counter) -> None:
    engine, params = _started(courier), OPERATIONS[name].example
    if name == "salience":
        for other in OPERATIONS.values():
            text = other.text_field and other.example.get(other.text_field)
            engine.observe(params["session_id"], None, text or "")
    counts = counter.of(lambda: ask(engine, name, **params))
    assert counts.within(OPERATION_BOUNDS[name]), counts


def test_what_is_done_unasked_costs_no_more(
    courier: Path, counter: Counter, tmp_path: Path
) -> None:
    root = tmp_path / "courier"
    shutil.copytree(courier, root)
    engines: list[Engine] = []
    counted = {"a first start": counter.of(lambda: engines.append(_started(root)))}
    counted["a later start"] = counter.of(lambda: _started(root))
    path = min((root / ".vouch" / "claims").iterdir())
    text = path.read_bytes().replace(b"text: ", b"text: Now ", 1)
    put(root / ".vouch", f"claims/{path.name}", text, age=5)
    counted["a changed claim"] = counter.of(lambda: _read(engines[0], f"claims/{path.name}"))
    (collection,) = engines[0].collections.values()
    after = counter.of(lambda: settle([collection]))
    counted["the workspace after it"] = after
    beyond = {what: n for what, n in counted.items() if not n.within(BOUNDS[what])}
    assert not beyond


def test_the_last_of_fifty_events_costs_no_more_than_the_first(
    courier: Path, counter: Counter
) -> None:
    engine, caller = _started(courier), Caller("socket", env={})
    path = str(courier / "docs" / "incidents" / "INC-118.md")
    tool = {"file_path": path, "offset": 1, "limit": 40}
    edit = {"file_path": path, "old_string": "x", "new_string": "Relay restarts the scanners."}
    events: list[tuple[str, dict[str, Any]]] = [
        ("session-start", {"source": "compact"}),
        ("post-tool-use", {"tool_input": tool}),
        ("post-tool-use", {"tool_input": edit}),
        ("user-prompt-submit", {"prompt": "How does Relay talk to the scanners?"}),
    ]
    costs: list[Counts] = []
    spoken = 0

    async def answer(event: str, payload: dict[str, Any]) -> None:
        nonlocal spoken
        given = {"session_id": "agent", "cwd": str(courier), **payload}
        spoken += await respond(engine, event, given, caller) is not None

    for number in range(48):
        event, payload = events[number % len(events)]
        costs.append(counter.of(lambda: anyio.run(answer, event, payload)))  # noqa: B023
    rounds = [costs[at : at + len(events)] for at in range(0, 48, len(events))]
    for first, last in zip(rounds[1], rounds[-1], strict=True):
        assert last.within(first), (first, last)
    assert all(cost.within(EVENT_BOUND) for cost in costs), max(costs)
    assert spoken > 20


def _read(engine: Engine, path: str) -> None:
    """Read a changed file and publish it."""
    (collection,) = engine.collections.values()
    step = collection.read([path])
    assert step is not None
    engine.publish(collection, step)
