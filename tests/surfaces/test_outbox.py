"""What is sent arrives in order, and nobody waits for a client that does not read."""

from __future__ import annotations

import os
import threading

import pytest
from vouch_sidecar.surfaces.streams import AT_ONCE, Outbox


def test_small_messages_do_not_overtake_large_ones_nor_wait_for_a_reader() -> None:
    reading, writing = os.pipe()
    sink = os.fdopen(writing, "wb")
    outbox = Outbox(sink, on_broken=lambda: None)
    messages = [b"first\n", b"x" * (1 << 20) + b"\n", *(b"%d\n" % i for i in range(1_000))]

    def send() -> None:
        for message in messages:
            outbox.send(message)

    sender = threading.Thread(target=send)
    sender.start()
    sender.join(5)
    assert not sender.is_alive()  # nobody has read anything
    wanted = b"".join(messages)
    with os.fdopen(reading, "rb") as stream:
        assert stream.read(len(wanted)) == wanted
        outbox.close()
        sink.close()


def test_a_small_message_is_written_by_its_sender() -> None:
    reading, writing = os.pipe()
    sink = os.fdopen(writing, "wb")
    broken = threading.Event()
    by: list[int] = []
    write = sink.write

    class Noting:
        def fileno(self) -> int:
            return sink.fileno()

        def write(self, data: bytes) -> int:
            by.append(threading.get_ident())
            return write(data)

        def flush(self) -> None:
            sink.flush()

    outbox = Outbox(Noting(), on_broken=broken.set)  # type: ignore[arg-type]
    outbox.send(b"small")
    outbox.send(b"x" * (AT_ONCE + 1))
    outbox.close()
    assert by[0] == threading.get_ident() != by[1]
    os.close(reading)
    other = Outbox(sink, on_broken=broken.set)
    other.send(b"small")
    other.send(b"x" * (AT_ONCE + 1))
    assert broken.wait(5)
    other.close()
    with pytest.raises(BrokenPipeError):
        sink.close()
