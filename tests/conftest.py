"""What every room's tests share."""

import gc
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

from tests.protocol import knowledge

if TYPE_CHECKING:
    from tests.engine.bases import Clock

LONG = os.environ.get("VOUCH_SIDECAR_LONG") == "1"
"""Whether tests that try many things try many more, as in `make soak`."""

# How fast examples are made and run depends on what else the machine does.
SLOW, MOST = [HealthCheck.too_slow], 4_000 if LONG else 100
settings.register_profile("any", deadline=None, suppress_health_check=SLOW, max_examples=MOST)
settings.load_profile("any")

STARTING = (
    *("engine/test_kills", "hook/", "install/test_planted", "local/", "mcp/", "protocol/"),
    *("reliability/test_ends", "reliability/test_processes", "reliability/test_storms"),
    *("semantic/test_processes", "surfaces/test_doctor", "surfaces/test_entry"),
    *("surfaces/test_jsonl", "surfaces/test_parity", "test_demo", "test_gates"),
)
"""How the paths of tests begin that start processes; a few others start one or two."""


def starts_processes(path: Path) -> bool:
    return f"{path.relative_to(Path(__file__).parent).as_posix()}/".startswith(STARTING)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """What `make unit` leaves out is not imported either."""
    is_left_out = config.getoption("markexpr") == "not process"
    return True if is_left_out and starts_processes(collection_path) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if starts_processes(item.path):
            item.add_marker("process")


def pytest_collection_finish() -> None:
    """What was imported is garbage of no test, and looked through for none."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session", autouse=True)
def own_folders() -> Iterator[Path]:
    """Sockets and caches of these tests lie apart from the user's; the folder of both."""
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory(prefix="v") as folder:
        for name in ("XDG_RUNTIME_DIR", "XDG_CACHE_HOME"):
            (Path(folder) / name).mkdir(mode=0o700)
            patch.setenv(name, str(Path(folder) / name))
        yield Path(folder)


@pytest.fixture
def clock() -> "Clock":
    from tests.engine.bases import Clock  # with the engine, which not every test needs

    return Clock()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with a knowledge base, in a folder without one."""
    return knowledge.make(tmp_path / "project")


@pytest.fixture(scope="session")
def courier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example, outside of this repository, whose history takes git a while to tell."""
    example = Path(__file__).parents[1] / "examples" / "courier"
    return Path(shutil.copytree(example, tmp_path_factory.mktemp("example") / "courier"))


def lines_run(question: Callable[[], object]) -> int:
    """How many lines are run for a question: what it costs, the same on every machine."""
    lines, before = 0, sys.gettrace()

    def note(_frame: FrameType, event: str, _arg: object) -> Any:
        nonlocal lines
        lines += event == "line"
        return note

    sys.settrace(note)
    try:
        question()
    finally:
        sys.settrace(before)
    return lines
