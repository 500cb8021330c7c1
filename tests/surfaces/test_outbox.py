"""What is sent arrives in order, and nobody waits for a client that does not read."""

from __future__ import annotations

import os
import threading

import pytest
from vouch_sidecar.surfaces.streams import Outbox


def test_all_is_sent_in_order_without_waiting_for_a_reader() -> None:
    reading, writing = os.pipe()
    sink = os.fdopen(writing, "wb")
    outbox = Outbox(sink, on_broken=lambda: None)
    messages = [b"first\n", b"x" * (1 << 20) + b"\n", *(b"%d\n" % i for i in range(1_000))]

    def send() -> None:
        for message in messages:
            outbox.write(message)

    sender = threading.Thread(target=send)
    sender.start()
    sender.join(5)
    assert not sender.is_alive()  # nobody has read anything
    wanted = b"".join(messages)
    with os.fdopen(reading, "rb") as stream:
        assert stream.read(len(wanted)) == wanted
        outbox.close()
        sink.close()


def test_the_end_of_the_other_side_is_told() -> None:
    reading, writing = os.pipe()
    sink, broken = os.fdopen(writing, "wb"), threading.Event()
    os.close(reading)
    outbox = Outbox(sink, on_broken=broken.set)
    outbox.write(b"anything")
    assert broken.wait(5)
    outbox.close()
    with pytest.raises(BrokenPipeError):
        sink.close()
