"""A word that is a name in one text and a verb in another."""

from __future__ import annotations

import pytest
from vouch_sidecar.names.matcher import Names
from vouch_sidecar.names.verbs import is_verb

from tests.retrieval.samples import entity


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("The parser returns an empty list.", "returns", True),
        ("The job returns 202.", "returns", True),
        ("It uses four threads.", "uses", True),
        ("Please relay the message.", "Relay", True),
        ("to index the documents", "Index", True),
        ("search the index", "Index", False),
        ("Relay the message.", "Relay", False),
        ("The gateway is slow.", "Gateway", False),
        ("the stale gateway that drops", "Gateway", False),
        ("our relay the team built", "Relay", False),
        ("a list of returns is kept", "returns", False),
        ("uses", "uses", False),
        ("ask gull the same", "Gull", True),
        ("ask mqttd the same", "mqttd", False),
    ],
)
def test_verbs(text: str, name: str, expected: bool) -> None:
    (mention,) = Names.of([entity("e", name)]).find(text)
    assert is_verb(text, mention) is expected
