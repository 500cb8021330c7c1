"""The same files through vouch's own reader and ours: what is served, and with which values."""

from __future__ import annotations

import json
import subprocess
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import yaml
from vouch_sidecar.kb.reader import parse

from tests.kb.samples import claim, dump, entity, page

VOUCH = """
import json, logging, pathlib, sys, tempfile
from vouch.models import Claim, Entity
from vouch.storage import _load_or_skip, _load_page_or_skip
logging.disable(logging.CRITICAL)
file = pathlib.Path(tempfile.mkdtemp()) / "file"
answers = []
for path, text in json.load(sys.stdin):
    file.write_bytes(text.encode("latin-1"))
    if path.startswith("pages"):
        read = _load_page_or_skip(file)
    else:
        read = _load_or_skip(file, Claim if path.startswith("claims") else Entity, "artifact")
    answers.append(None if read is None else read.model_dump(mode="json"))
print(json.dumps(answers))
"""

VALUES: list[object] = [
    None, "x", "", " ", True, 1, 0.5, "0.5", "2026-01-01", [], ["a"], ["a", None], "private",
    "team", "project", "Public", "archived", "working", {"visibility": "team"}, {"project": "p"},
    {"visibility": "private", "agent": "z"}, {"visibility": "Team"}, float("inf"),
]  # fmt: skip
SCOPES = {
    "'private'", "'team'", "'project'", "{'visibility': 'team'}", "{'project': 'p'}",
    "{'visibility': 'private', 'agent': 'z'}",
}  # fmt: skip
"""The values that are a scope."""
FIELDS = {
    "claims/c.yaml": "id text type status confidence evidence entities tags superseded_by scope"
    " created_at last_confirmed_at approved_by",
    "pages/auth.md": "id title type status claims scope updated_at tags",
    "entities/e.yaml": "id name type aliases description page",
}
MORE = [
    b"id: c\r\ntext: a\r\nevidence: [e]\r\n",
    b"\xef\xbb\xbfid: c\ntext: a\nevidence: [e]\n",
    b"id: c\ntext: |\n  a\n  b\nevidence:\n- e\n",
    b"id: c\ntext: a\nevidence: [e]\ncreated_at: 2026-01-01 10:00\n",
    b"id: c\ntext: a\nevidence: [e]\nupdated_at: 2026-01-01T10:00:00.5 +2\n",
    b'id: c\ntext: "\\U0001F600 \\x07"\nevidence: [e]\n',
    b"--- \nid: c\ntext: a\nevidence: [e]\n...\n",
    b"id: c\ntext: a\nevidence: [e]\nconfidence: 0:30\n",
    b"id: c\ntext: a\nevidence: [e]\n\ttags: []\n",
    "id: c\ntext: a\u0085b\u2028c\nevidence: [e]\n".encode(),
    b"id: c\ntext: a\nevidence: [e]\nid: d\n",
]


def content(path: str, field: str, value: Any) -> bytes:
    if path.startswith("pages"):
        return page(**{field: value})
    made = claim("c") if path.startswith("claims") else entity("e")
    loaded = yaml.safe_load(made)
    return dump(loaded | {field: value})


FILES = [
    (f"{path} {field} {value!r}", path, content(path, field, value))
    for path, names in FIELDS.items()
    for field in names.split()
    for value in VALUES
] + [(repr(data), "claims/c.yaml", data) for data in MORE]


@pytest.fixture(scope="module")
def answers(vouch_kb: Path) -> list[dict[str, Any] | None]:
    request = json.dumps([(path, data.decode("latin-1")) for _, path, data in FILES])
    done = subprocess.run(
        [vouch_kb.with_name("python"), "-c", VOUCH],
        input=request,
        capture_output=True,
        text=True,
        check=True,
    )
    answers: list[dict[str, Any] | None] = json.loads(done.stdout)
    return answers


def listed(name: str) -> bool:
    """Whether a file is read differently on purpose."""
    path, field, value = name.split(" ", 2)
    if value == "None":
        return field in {"id", "entities", "tags", "claims", "aliases", "created_at", "updated_at"}
    if field == "id":
        return value in {"''", "' '"}
    if field == "type":
        return not path.startswith("pages")
    return field == "scope" and path.startswith("pages") and value not in SCOPES


def test_the_same_files_are_served(answers: list[dict[str, Any] | None]) -> None:
    differing = {
        name
        for (name, path, data), answer in zip(FILES, answers, strict=True)
        if (parse(path, data).artifact is None) != (answer is None)
    }
    assert {name for name in differing if not listed(name)} == set()
    assert differing >= {
        "claims/c.yaml type 'x'",
        "claims/c.yaml tags None",
        "pages/auth.md scope {'visibility': 'Team'}",
        "pages/auth.md scope 'x'",
        "pages/auth.md scope True",
        "entities/e.yaml id ''",
    }


def test_with_the_same_values(answers: list[dict[str, Any] | None]) -> None:
    compared = 0
    for (name, path, data), answer in zip(FILES, answers, strict=True):
        artifact = parse(path, data).artifact
        if artifact is None or answer is None:
            continue
        ours: dict[str, Any] = json.loads(json.dumps(asdict(artifact)))
        for field in ours.keys() & answer.keys():
            if not field.endswith("_at"):
                assert ours[field] == answer[field], name
        compared += 1
    assert compared > 150
