"""Background work gives way to whoever is being answered."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest
from vouch_sidecar.engine import breath

from tests.engine.bases import base, kept, unread_engine, until, write
from tests.kb.samples import claim


@pytest.mark.anyio
async def test_no_claim_is_tied_to_files_while_a_question_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(breath, "GIVE_WAY_SECONDS", 60.0)
    texts = {f"claims/c{n}.yaml": claim(f"c{n}", text=f"Relay {n} waits.") for n in range(20)}
    engine = unread_engine(base(tmp_path, texts))
    (collection,) = engine.collections.values()
    async with kept(engine):
        with engine.breath:
            await until(lambda: collection.complete)
            await anyio.sleep(0.3)
            assert collection.is_workspace_pending
        await until(lambda: not collection.is_workspace_pending)


@pytest.mark.anyio
async def test_who_follows_after_another_has_ended_builds_again(tmp_path: Path) -> None:
    root = base(tmp_path)
    engine = unread_engine(root)
    (collection,) = engine.collections.values()
    for number in range(2):
        write(root, f"claims/c{number}.yaml", claim(f"c{number}", text=f"Relay {number} waits."))
        async with kept(engine):
            engine.check_soon([root / ".vouch"])
            await until(lambda: len(collection.world.readings) == 2 + number)  # noqa: B023
            await until(lambda: not collection.is_workspace_pending)
