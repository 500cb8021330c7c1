"""`check` beside the real `vouch lint`: every kind of finding about a file that can't be used, and
about ids that name nothing, in files with the scope that vouch gives by default.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import yaml

from tests.conftest import MakeKb
from tests.kb.samples import dump
from tests.oracle import COMMAND as VOUCH
from tests.protocol.client import indexed_client, run_command

GONE = "c" * 64
CLAIMS: dict[str, Mapping[str, Any] | bytes] = {
    "status": {"status": "wroking"},
    "confidence": {"confidence": 9.5},
    "no-text": {"text": None},
    "blank-text": {"text": "  "},
    "no-evidence": {"evidence": []},
    "created": {"created_at": "yesterday"},
    "updated": {"updated_at": "yesterday"},
    "confirmed": {"last_confirmed_at": [1]},
    "type": {"type": "rumour"},
    "tags": {"tags": "x"},
    "entities": {"entities": "x"},
    "scope": {"scope": {"visibility": "secret"}},
    "scope-list": {"scope": ["a"]},
    "approved": {"approved_by": ["a"]},
    "automatic": {"auto_approved": "perhaps"},
    "retired": {"status": "redacted", "confidence": 9},
    "torn": b"id: torn\ntext: [\n",
    "empty": b"",
    "list": b"- a\n",
    "no-utf8": b"id: no-utf8\ntext: \xff\n",
    "control": b'id: control\ntext: "\x07"\n',
    "conflict": b"<<<<<<< HEAD\nid: conflict\n=======\nid: b\n>>>>>>> x\n",
    "cites-nothing": {"evidence": [GONE]},
    "retired-cites-nothing": {"evidence": [GONE], "status": "superseded"},
    "private-cites-nothing": {"evidence": [GONE], "scope": {"visibility": "private"}},
    "of-ada-cites-nothing": {
        "evidence": [GONE], "scope": {"visibility": "private", "agent": "ada"}
    },
    "elsewhere-cites-nothing": {"evidence": [GONE], "scope": {"project": "another"}},
}  # fmt: skip
SOURCES: dict[str, Mapping[str, Any] | bytes] = {
    "1" * 64: b'id: x\ntitle: "\x07"\n',
    "2" * 64: {"locator": None},
    "3" * 64: {"type": "rumour"},
    "4" * 64: {"byte_size": "many"},
    "5" * 64: {"created_at": "yesterday"},
    "6" * 64: {"metadata": []},
    "7" * 64: {"media_type": 5},
    "8" * 64: {"immutable": "maybe"},
}
OTHERS = {
    "pages/p.md": b"---\nid: p\ntitle: P\nclaims: [gone]\n---\nx\n",
    "relations/r.yaml": b"id: r\nsource: well\nrelation: uses\ntarget: gone\n",
}
NO_KIND = {"contested_no_contradiction", "stale_claim"}
"""Findings of vouch about what a claim says; its file can be used, and all that it names is there.
"""


@pytest.fixture(scope="module")
def root(make_kb: MakeKb) -> Path:
    """What vouch itself wrote, and beside it a file of each kind of fault."""
    kb = make_kb(
        {"op": "source", "content": "All is well.", "as": "notes"},
        {"op": "claim", "text": "All is well.", "evidence": ["@notes"], "as": "well"},
        name="lint",
    )
    folder = kb.root / ".vouch"
    (written,) = (folder / "claims").iterdir()
    well = yaml.safe_load(written.read_text("utf-8"))
    assert well["scope"]["project"], "a claim of vouch's is of its project"
    for name, fields in CLAIMS.items():
        _write(folder / "claims" / f"{name}.yaml", {**well, "id": name}, fields)
    (meta,) = folder.glob("sources/*/meta.yaml")
    source = yaml.safe_load(meta.read_text("utf-8"))
    for name, fields in SOURCES.items():
        (folder / "sources" / name).mkdir()
        _write(folder / "sources" / name / "meta.yaml", {**source, "id": name}, fields)
    for name, data in OTHERS.items():
        (folder / name).write_bytes(data)
    return kb.root


def _write(file: Path, whole: Mapping[str, Any], fault: Mapping[str, Any] | bytes) -> None:
    """A file like one of vouch's, but for the fault: other values, and None for a missing field."""
    if not isinstance(fault, bytes):
        fields = {**whole, **fault}
        missing = [name for name, value in fault.items() if value is None]
        fault = dump({name: value for name, value in fields.items() if name not in missing})
    file.write_bytes(fault)


def linted(root: Path) -> set[str]:
    """The ids of the artifacts in which vouch's lint finds something."""
    done = subprocess.run([VOUCH, "lint"], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    finding = re.compile(r"^. \[(\w+)\] (?:claim|source|page|relation) (\S+)", re.MULTILINE)
    return {name for code, name in finding.findall(done.stdout) if code not in NO_KIND}


def id_of(path: str) -> str:
    """The id of the artifact of a path below `.vouch/`."""
    file = Path(path)
    return file.parent.name if file.name == "meta.yaml" else file.stem


def test_check_finds_what_vouch_lint_finds(root: Path) -> None:
    found = json.loads(run_command("check", "--json", cwd=root, code=1).stdout)["problems"]
    every = linted(root)
    assert every == {*CLAIMS, *SOURCES, "p", "r"}
    assert every <= {id_of(row["path"]) for row in found}
    assert all(row["severity"] in ("error", "warning") for row in found)


def test_check_status_doctor_and_an_editor_count_alike(root: Path) -> None:
    """The files that can't be used are those with an error, wherever one asks."""
    checked = json.loads(run_command("check", "--json", cwd=root, code=1).stdout)
    errors = {row["path"] for row in checked["problems"] if row["severity"] == "error"}
    assert checked["unusable"] == len(errors) > 20
    (status,) = json.loads(run_command("status", "--json", cwd=root).stdout)["roots"]
    assert status["unusable"] == len(errors)
    assert {row["path"] for row in status["problems"] if row["severity"] == "error"} == errors
    with TemporaryDirectory() as home:
        env = {"HOME": home, "XDG_CACHE_HOME": home, "XDG_RUNTIME_DIR": home}
        said = run_command("doctor", cwd=root, env=env, code=1).stdout
    listed = f" problems, {len(errors)} files can't be used: `vouch-sidecar check` lists them"
    (line,) = (line for line in said.splitlines() if line.startswith("contents of lint\twrong\t"))
    assert listed in line
    with indexed_client(root) as client:
        client.request("vouch/status")
        published = {
            message["params"]["uri"]: message["params"]["diagnostics"]
            for message in client.received
            if message.get("method") == "textDocument/publishDiagnostics"
        }
    faulty = [one for one in published.values() if any(item["severity"] == 1 for item in one)]
    assert len(faulty) == len(errors)
