"""Fixtures that every room's tests share."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType

import pytest
from hypothesis import HealthCheck, settings

from tests.oracle import COMMAND, OracleKb, Step

MakeKb = Callable[..., OracleKb]

# How fast examples are made and run depends on what else the machine does.
settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("any machine")

STARTERS = {"Forked", "Popen", "StdioServerParameters", "executable"}
"""Names that tests use to start a process that is no git; so is `COMMAND` beside `subprocess`."""


def pytest_collection_modifyitems(items: list[pytest.Function]) -> None:
    """Mark the tests that start processes: themselves, by a fixture or by a helper."""
    starts = cache(_starts)
    for item in items:
        fixtures = [made[-1].func for made in item._fixtureinfo.name2fixturedefs.values()]
        if any(starts(function) for function in (item.function, *fixtures)):
            item.add_marker("process")


def _starts(function: Callable[..., object]) -> bool:
    """Whether a function, or one of our tests' that it names, starts a process."""
    todo, seen = list[object]([function]), set[int]()
    while todo:
        one = todo.pop()
        one = inspect.unwrap(one) if callable(one) else one
        if (
            not inspect.isfunction(one)
            or id(one) in seen
            or not one.__module__.startswith("tests.")
        ):
            continue
        seen.add(id(one))
        names = _names(one.__code__)
        if names & STARTERS or {"COMMAND", "subprocess"} <= names:
            return True
        for named in map(one.__globals__.get, names - {"run_command"}):  # mostly in this process
            todo += vars(named).values() if inspect.isclass(named) else [named]
    return False


def _names(code: CodeType) -> set[str]:
    """The names that a function and those within it use."""
    within = (const for const in code.co_consts if isinstance(const, CodeType))
    return {*code.co_names}.union(*map(_names, within))


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """What tests that are coroutines run on."""
    return "asyncio"


@pytest.fixture(scope="session", autouse=True)
def own_folders() -> Iterator[Path]:
    """Sockets and caches of these tests lie apart from the user's; the folder of both."""
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory(prefix="v") as folder:
        for name in ("XDG_RUNTIME_DIR", "XDG_CACHE_HOME"):
            (Path(folder) / name).mkdir(mode=0o700)
            patch.setenv(name, str(Path(folder) / name))
        yield Path(folder)


@pytest.fixture(scope="session")
def vouch_kb() -> Path:
    """The real `vouch-kb` command."""
    return COMMAND


@pytest.fixture(scope="session")
def make_kb(tmp_path_factory: pytest.TempPathFactory) -> MakeKb:
    """Makes knowledge bases in temporary folders: `make_kb(*steps, name="kb") -> OracleKb`.

    `name` becomes the folder's name and with it `kb.name`. Steps as in `OracleKb.run`.
    """

    def make(*steps: Step, name: str = "kb") -> OracleKb:
        kb = OracleKb(tmp_path_factory.mktemp("oracle") / name)
        kb.run(*steps)
        return kb

    return make
