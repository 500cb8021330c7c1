"""The knowledge base of most tests here, an engine on it, and claims of another one."""

import json
from pathlib import Path

import pytest
from vouch_sidecar.engine import Engine

from tests.engine.bases import base, engine_on
from tests.kb.samples import SHA, claim, entity, page

# Claims that share a name that nobody declared, and words of claims that share none
TEXTS = {
    "asked": "A keyring is asked before `read_netrc`.",
    "run": "The keyring can be imported or run.",
    "off": "Without a keyring the password is asked for.",
}
WORDS = "door roof wall gate shed barn mill pump well yard path hedge".split()
BOTH = ["vault", "relay", "relay", "nobody"]
NIGHT = "Night trains of the depot leave with diesel engines."
FILES = {
    "entities/relay.yaml": entity("relay", name="Mail Relay", type="service", aliases=["DLQ"]),
    "entities/queue.yaml": entity("queue", name="Dead Letters", type="system", aliases=["DLQ"]),
    "entities/beacon.yaml": entity("beacon", name="Beacon", type="system"),
    "entities/ada.yaml": entity("ada", name="Ada Lovelace", type="person"),
    "claims/slow.yaml": claim("slow", text="Beacon answers from its cache.", entities=["beacon"]),
    "claims/night.yaml": claim("night", text=NIGHT, entities=[]),
    "claims/bounces.yaml": claim("bounces", text="The Mail Relay parks bounces.", entities=[]),
    "claims/both.yaml": claim("both", text="Keys sign mail.", entities=BOTH, tags=["dkim"]),
    "claims/paged.yaml": claim("paged", text="Parked for a week.", entities=["nobody"]),
    "pages/mail.md": page(
        "# Retry policy\n\n## Limits\n\nThree, then the operator is called.\n",
        id="mail",
        title="Retry policy for uploads",
        claims=["paged"],
        entities=["relay"],
    ),
    f"sources/{SHA}/meta.yaml": json.dumps({"id": SHA, "locator": "notes.md"}).encode(),
    "relations/r.yaml": b"id: r\nsource: relay\nrelation: uses\ntarget: vault\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return base(tmp_path / "kb", FILES)


@pytest.fixture
def engine(root: Path) -> Engine:
    return engine_on(root)
