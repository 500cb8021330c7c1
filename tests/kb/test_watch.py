import os
import shutil
from collections.abc import AsyncIterator, Set
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import anyio
import pytest
from vouch_sidecar.kb.store import EVERYTHING
from vouch_sidecar.kb.watch import changes, sweep_interval

from tests.kb.samples import claim, make_kb, put


class Heard:
    """What the watch said, with a way to wait for more of it."""

    def __init__(self) -> None:
        self.paths: set[str] = set()

    async def watch(self, root: Path) -> None:
        async with aclosing(changes(root / ".vouch", anyio.Event())) as events:
            async for paths in events:
                self.paths |= paths

    async def until(self, wanted: Set[str]) -> Set[str]:
        """Wait until some paths were named since this was asked last; all that were."""
        with anyio.fail_after(60):
            while not wanted <= self.paths:
                await anyio.sleep(0.01)
        named, self.paths = self.paths, set()
        return named

    async def named(self, kb_dir: Path, path: str) -> None:
        """Write a file until it is named, which it is once its folder is watched."""
        with anyio.fail_after(60):
            while path not in self.paths:
                put(kb_dir, path, claim())
                await anyio.sleep(0.1)


@asynccontextmanager
async def watched(root: Path) -> AsyncIterator[Heard]:
    heard = Heard()
    async with anyio.create_task_group() as group:
        group.start_soon(heard.watch, root)
        await heard.until(EVERYTHING)
        yield heard
        group.cancel_scope.cancel()


async def test_files_are_named_and_what_does_not_matter_is_not(tmp_path: Path) -> None:
    kb_dir = make_kb(tmp_path)
    (kb_dir / "proposed").mkdir()
    (kb_dir / os.fsdecode(b"sources/\xff")).mkdir()  # which is no UTF-8
    async with watched(tmp_path) as heard:
        put(kb_dir, "proposed/x.yaml", b"x")
        put(kb_dir, "state.db", b"x")
        put(kb_dir, "claims/a.yaml", claim())
        put(kb_dir, "config.yaml", b"{}")
        both = {"claims/a.yaml", "config.yaml"}
        assert await heard.until(both) == both
        (kb_dir / "claims/a.yaml").unlink()
        assert await heard.until({"claims/a.yaml"}) <= both


async def test_folders_that_come_and_go(tmp_path: Path) -> None:
    kb_dir = make_kb(tmp_path)
    shutil.rmtree(kb_dir / "evidence")
    async with watched(tmp_path) as heard:
        (kb_dir / "sources" / ("a" * 64)).mkdir(parents=True)
        await heard.until(EVERYTHING)
        (kb_dir / "evidence").mkdir()
        await heard.until(EVERYTHING)
        await heard.named(kb_dir, "evidence/e.yaml")
        shutil.rmtree(kb_dir / "claims")
        await heard.until(EVERYTHING)
        shutil.rmtree(kb_dir)
        await heard.until(EVERYTHING)
        make_kb(tmp_path)
        await heard.until(EVERYTHING)
        await heard.named(kb_dir, "claims/a.yaml")


@pytest.mark.parametrize(("cost", "seconds"), [(0.0, 2.0), (0.05, 5.0), (9.0, 60.0)])
def test_a_sweep_costs_one_part_in_a_hundred(cost: float, seconds: float) -> None:
    assert sweep_interval(cost) == seconds
