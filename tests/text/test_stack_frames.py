"""Which lines of a text are frames of a stack, whatever language printed them."""

from __future__ import annotations

import pytest
from vouch_sidecar.text.stack_frames import MAX_FRAME, frames


def left_of(text: str) -> str:
    out = list(text)
    for start, end in frames(text):
        out[start:end] = " " * (end - start)
    return "".join(out)


@pytest.mark.parametrize(
    "frame",
    [
        '  File "/srv/app/worker.py", line 12, in <module>\n    settle(batches)\n    ~~~~~^^^^',
        '  File "<stdin>", line 1, in settle',
        "    at Worker.settle (/srv/app/batches.js:12:3)\n    at async Promise.all (index 0)",
        "    at new Worker (file:///srv/batches.js:12:3)",
        "    at /srv/batches.js:12:3\n    at async file:///srv/batches.js:3",
        "\tat com.acme.Worker.settle(Worker.java:12)\n\tat A.b(Native Method)\n\t... 12 more",
        "\tat java.base/acme.Worker.settle(Worker.java:1) ~[batches.jar:1.0]",
        "   at Worker.Settle(Batch b) in C:\\src\\batches.cs:line 12",
        "acme/worker.settle(0xc00001, 0x1)\n\t/go/src/batches.go:12 +0x1d",
        "acme.(*Worker).settle(0xc00001)\n\t/go/src/batches.go:12",
        "panic({0x1, 0x2})\n\t/go/src/panic.go:12 +0x1d",
        '  File "/srv/app/worker.py", line 12 in settle',
        "   1: worker::settle",
        "\tfrom worker.rb:3:in `batches'\n\tfrom app/x.rb:1:in `block (2 levels) in <main>'",
        "#0 /var/www/worker.php(12): settle()\n#1 /var/www/x.php(3): Batches->run('a', 'b')",
        "   0: worker::settle\n             at ./src/batches.rs:12:3\n   1: 0x55 - core::ops",
        "   4: <T as core::ops>::call\n             at /rustc/src/ops.rs:12:3",
        "#0  0x00007f in settle (batch=0x0) at src/batches.c:12\n#1  main () at src/main.c:3",
        "    (worker 0.1.0) lib/worker/settle.ex:12: Worker.Batches.settle/2",
        "tests/test_worker.py:3: in test_settle\n    assert settle(batches)",
        "src/worker.py:12",
    ],
)
def test_a_frame_and_its_code_are_found(frame: str) -> None:
    text = f"why?\n{frame}\nValueError: the queue is full"
    assert left_of(text).split() == ["why?", "ValueError:", "the", "queue", "is", "full"]
    assert len(left_of(text)) == len(text)


@pytest.mark.parametrize(
    "text",
    [
        "why does src/relay.py:12 wait for the ack?",
        "at src/relay.py:12 the queue is full",
        "from what I see it is in src/relay.py:12",
        "#123 fails at src/relay.py:12",
        "src/relay.ts:12:3 - error TS2345: the queue is full",
        "tests/test_relay.py:12: AssertionError",
        "at night (when the queue is full) it waits",
        "1. at the relay\n   (see src/relay.py:12 for that)",
        "the relay waits:\n    after the ack",
        "src/relay.py:12 in restart_relay",
        "1: relay::restart",
        f"at {'x' * MAX_FRAME} (relay.js:1:2)",
    ],
)
def test_what_a_person_writes_is_no_frame(text: str) -> None:
    assert left_of(text) == text


def test_code_that_stands_below_a_place_alone_was_pasted_and_counts() -> None:
    assert left_of("src/relay.py:12\n    def send(self):").split() == ["def", "send(self):"]


def test_a_function_above_a_place_that_was_pasted_counts() -> None:
    assert left_of("restart_relay()\n    src/relay.py:12").split() == ["restart_relay()"]


def test_the_message_behind_a_frame_counts() -> None:
    text = "app/worker.rb:12:in `settle': the queue is full (RuntimeError)"
    assert left_of(text).strip() == ": the queue is full (RuntimeError)"
