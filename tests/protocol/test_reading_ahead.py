"""What a client sends faster than it is handled waits in the pipe, not in memory."""

from __future__ import annotations

from io import RawIOBase

import anyio
from vouch_sidecar.surfaces.lsp.run import AHEAD_BYTES, READ_BYTES, Input


class Endless(RawIOBase):
    """A stream that never ends."""

    taken = 0

    def read(self, size: int = -1) -> bytes:
        self.taken += size
        return b"x" * size


def test_input_that_nobody_handles_is_not_read_on() -> None:
    async def read_slowly() -> tuple[int, int]:
        source = Endless()
        reader = Input(source)
        with anyio.fail_after(60):
            while not reader.is_held:
                await anyio.sleep(0)
            before = source.taken
            await reader.readexactly(4 * AHEAD_BYTES)
        return before, source.taken

    before, after = anyio.run(read_slowly)
    assert before <= 2 * AHEAD_BYTES + 2 * READ_BYTES
    assert after >= 4 * AHEAD_BYTES
