"""Fixtures that every room's tests share."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, settings

from tests.oracle import COMMAND, OracleKb, Step

MakeKb = Callable[..., OracleKb]

# How fast examples are made and run depends on what else the machine does.
settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("any machine")

FIXTURES = {
    *("client", "editor", "hook", "make_kb", "place", "serve", "served", "server", "shared"),
    *("start", "vouch_kb"),
}
"""Those that start a process."""
STARTERS = {
    *("COMMAND", "Forked", "Server", "indexed_client", "run_process", "running", "session_on"),
}
"""What tests use to start one themselves."""


def pytest_collection_modifyitems(items: list[pytest.Function]) -> None:
    """Mark the tests that start processes, by a fixture, themselves or in a helper beside them."""
    for item in items:
        used = {*item.function.__code__.co_names}
        for helper in [vars(item.module).get(name) for name in used]:
            if inspect.isfunction(helper):
                used |= {*helper.__code__.co_names}
        if used & STARTERS or FIXTURES & {*item.fixturenames}:
            item.add_marker("process")


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
def make_kb(vouch_kb: Path, tmp_path_factory: pytest.TempPathFactory) -> MakeKb:
    """Makes knowledge bases in temporary folders: `make_kb(*steps, name="kb") -> OracleKb`.

    `name` becomes the folder's name and with it `kb.name`. The first step is always `init`;
    steps as in `OracleKb.run`, whose results the returned object carries.
    """
    assert vouch_kb.is_file()

    def make(*steps: Step, name: str = "kb") -> OracleKb:
        kb = OracleKb(tmp_path_factory.mktemp("oracle") / name)
        kb.run({"op": "init"}, *steps)
        return kb

    return make
