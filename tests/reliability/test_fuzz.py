"""Random calls over a live process: each has one answer, and the process goes on."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from vouch_sidecar.operations.operation import operations

from tests.protocol import knowledge
from tests.protocol.client import COMMAND, environment
from tests.reliability.nonsense import texts, value
from tests.soak import LONG, soak

CALLS = 200_000 if LONG else 600
AT_ONCE = 100


def call(random: Random, number: int) -> dict[str, Any]:
    """A call of an operation with some of its params in order, and others that are not."""
    name = random.choice(sorted(operations()))
    params: dict[str, Any] = dict(operations()[name].example)
    fields = [*operations()[name].params.model_fields, "nobody_has_this"]
    for field in random.sample(fields, random.randrange(1, len(fields))):
        params[field] = value(random)
    if random.random() < 0.5 and operations()[name].text_field:
        params = {str(operations()[name].text_field): texts(random)}
    return {"id": number, "method": f"kb.{name}", "params": params}


def rounds() -> Iterator[list[dict[str, Any]]]:
    random = Random(20_261_123)
    for first in range(0, CALLS, AT_ONCE):
        yield [call(random, first + number) for number in range(AT_ONCE)]


@soak
def test_every_call_has_one_answer(tmp_path: Path) -> None:
    root = knowledge.make(tmp_path / "project")
    process = subprocess.Popen(
        [COMMAND, "jsonl"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=root,
        env=environment({"XDG_CACHE_HOME": str(tmp_path)}),
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        for calls in rounds():
            process.stdin.write(b"".join(json.dumps(one).encode() + b"\n" for one in calls))
            process.stdin.flush()
            answers = [json.loads(process.stdout.readline()) for _ in calls]
            assert sorted(answer["id"] for answer in answers) == [one["id"] for one in calls]
            codes = {answer["error"]["code"] for answer in answers if not answer["ok"]}
            assert codes <= {"invalid_request", "missing_param"}
        process.stdin.close()
        assert process.wait() == 0  # while somebody still reads
