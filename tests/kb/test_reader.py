"""A file is read as vouch reads it, or its problem is named, with the field and the place."""

import json
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from vouch_sidecar.kb.access import gate_of
from vouch_sidecar.kb.artifact_files import survey
from vouch_sidecar.kb.reader import parse
from vouch_sidecar.kb.records import Artifact, Page, Severity
from vouch_sidecar.kb.settings import Config, load_settings

from tests.kb.samples import SHA, claim, dump, entity, page
from tests.oracle import OracleKb, Step, vouch

CLAIM = "claims/auth-uses-jwt.yaml"
SOURCE = f"sources/{SHA}/meta.yaml"
SPARSE = b"text: x\nevidence: [e]\nid: auth-uses-jwt\n"

VALUES: list[object] = [
    None, "x", "", " ", True, 1, 0.5, "0.5", "2026-01-01", [], ["a"], ["a", None], "private",
    "team", "project", "Public", "archived", "working", {"visibility": "team"}, {"project": "p"},
    {"visibility": "private", "agent": "z"}, {"visibility": "Team"}, float("inf"),
]  # fmt: skip
FIELDS = {
    "claims/c.yaml": "id text type status confidence evidence entities tags superseded_by scope"
    " created_at last_confirmed_at approved_by auto_approved",
    "pages/auth.md": "id title type status claims updated_at tags",
    "entities/e.yaml": "id name type aliases description page",
}
MODELS = {"claims": "Claim", "entities": "Entity", "relations": "Relation"}
MODELS |= {"evidence": "Evidence", "sources": "Source", "sessions": "Session"}
"""By folder, the model by which vouch reads its files."""
MORE = {
    "claims/c.yaml": [
        b"id: c\r\ntext: a\r\nevidence: [e]\r\n",
        b"\xef\xbb\xbfid: c\ntext: a\nevidence: [e]\n",
        b"id: c\ntext: a\nevidence: [e]\ncreated_at: 2026-01-01 10:00\n",
        b"id: c\ntext: a\nevidence: [e]\ncreated_at: 2026-01-01 10:00:00\n",
        b"id: c\ntext: a\nevidence: [e]\nupdated_at: 2026-01-01T10:00:00.5 +2\n",
        b"id: c\ntext: a\nevidence: [e]\nupdated_at: '2026-01-01T10:00:00Z'\n",
        b"id: c\ntext: a\nevidence: [e]\nconfidence: 0:30\n",
        b"? id\n: c\ntext: a\nevidence: [e, 'f']\n1: a\n~: b\ntrue: c\n",
        b"id: c\ntext: a\nevidence: [e]\nid: d\n",
        claim("c", score=1, scopes=["x"], statuses=["y"]),
        claim("c", scope={"visibility": "team", "project": None, "agent": None, "agents": ["x"]}),
        b"id: c\ntext: a\nevidence: [e]\nupdated: 2026-01-01\nauthor: me\nsource: x\n'': 1\n",
        b"id: c\ntext: a\nevidence: [e]\n" + b"".join(b"key%d: x\n" % n for n in range(300)),
        *(b"", b"# nothing\n", b"- a\n", b"text", b"5", b"id: [", b"\xff\xfe"),
    ],
    "pages/auth.md": [
        b"---\nid: auth\ntitle: x\n---\nbody\n",
        b"---\r\nid: auth\r\ntitle: x\r\n---\r\nbody\r\n",
        b"---\nid: auth\ntitle: x\n---",
        b"---\nid: auth\ntitle: x\n---\n\nb\n---\nc",
        b"---\nid: auth\ntitle: x\n",
        b"---\n---\nbody",
    ],
}


def content(path: str, field: str, value: Any) -> bytes:
    if path.startswith("pages"):
        return page(**{field: value})
    if path.startswith("claims"):
        return claim(**{"id": "c", field: value})
    return entity(**{"id": "e", field: value})


def read_by_vouch(file: Path, path: str) -> dict[str, Any] | None:
    """What vouch reads of a file that would stand at a path below `.vouch/`."""
    if path.startswith("pages"):
        read = vouch("storage")._load_page_or_skip(file)
    else:
        model = getattr(vouch("models"), MODELS[path.partition("/")[0]])
        read = vouch("storage")._load_or_skip(file, model, "artifact")
    return None if read is None else dict(read.model_dump(mode="json"))


def is_read_differently(name: str) -> bool:
    path, field, value = name.split(" ", 2)
    if value == "None":
        return field in {"id", "entities", "tags", "claims", "aliases", "created_at", "updated_at"}
    if field == "id":
        return value in {"''", "' '"}
    return field == "type" and not path.startswith("pages")


def as_moment(written: str | None) -> float | None:
    """A time of vouch's in seconds since the epoch; in UTC where it has no zone."""
    if written is None:
        return None
    moment = datetime.fromisoformat(written)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def compare(artifact: Artifact, theirs: dict[str, Any]) -> None:
    """What both have, they have alike."""
    ours: dict[str, Any] = json.loads(json.dumps(asdict(artifact)))
    for field in ours.keys() & theirs.keys():
        if field not in {"created_at", "updated_at"} or ours[field] is not None:
            wanted = as_moment(theirs[field]) if field.endswith("_at") else theirs[field]
            assert ours[field] == wanted, (artifact.path, field)


def test_the_same_files_are_served_with_the_same_values(tmp_path: Path) -> None:
    files = [
        (f"{path} {field} {value!r}", path, content(path, field, value))
        for path, names in FIELDS.items()
        for field in names.split()
        for value in VALUES
    ] + [(repr(data), path, data) for path, files in MORE.items() for data in files]
    differing, compared = set(), 0
    for name, path, data in files:
        (tmp_path / "file").write_bytes(data)
        artifact, theirs = parse(path, data).artifact, read_by_vouch(tmp_path / "file", path)
        if artifact is None or theirs is None:
            differing |= {name} if artifact or theirs else set()
            continue
        compare(artifact, theirs)
        compared += 1
    assert compared > 150
    assert {name for name in differing if not is_read_differently(name)} == set()


def test_what_vouch_writes_is_read_with_the_same_values(tmp_path: Path) -> None:
    body = "# Auth\n\n---\n\nNot front matter.\n"
    steps: list[Step] = [
        {"op": "source", "as": "s", "content": "Tokens live 15 minutes — «always».\n"},
        {"op": "evidence", "as": "receipt", "source": "@s", "quote": "15 minutes"},
        {"op": "entity", "as": "api", "name": "Service: API", "entity_type": "api"},
        {"op": "entity", "as": "auth", "name": "認証基盤", "entity_type": "system"},
        {"op": "claim", "as": "c", "text": "So: \"always\" — 'so' #1.", "evidence": ["@receipt"]},
        {"op": "claim", "as": "no", "text": "No.", "evidence": ["@s"], "tags": ["on", "010"]},
        {"op": "page", "title": "Auth", "body": body, "claim_ids": ["@c"]},
        {"op": "relation", "src": "@api", "relation": "uses", "target": "@auth"},
        {"op": "contradict", "claim_a": "@c", "claim_b": "@no"},
        {"op": "redact", "claim_id": "@no"},
        {"op": "session_start", "as": "closed", "task": "fix: auth"},
        {"op": "session_end", "session": "@closed"},
    ]
    kb_dir = OracleKb(tmp_path / "kb", *steps).root / ".vouch"
    paths = survey(kb_dir).files.keys() - {"config.yaml"}
    assert {path.partition("/")[0] for path in paths} == {"pages", *MODELS}
    for path in paths:
        reading = parse(path, (kb_dir / path).read_bytes())
        theirs = read_by_vouch(kb_dir / path, path)
        assert reading.problems == ()
        assert reading.artifact is not None
        assert theirs is not None
        compare(reading.artifact, theirs)
    settings, problems = load_settings(Config((kb_dir / "config.yaml").read_bytes()), {}, {})
    assert (settings.kb.name, problems) == (kb_dir.parent.name, ())


def source(**fields: object) -> bytes:
    return dump({"id": SHA, "locator": "x"} | fields)


@pytest.mark.parametrize(
    ("path", "data", "field"),
    [
        (CLAIM, dump({"id": 12, "text": "x", "evidence": ["e"]}), "id"),
        (CLAIM, claim("a\nb"), "id"),
        (CLAIM, claim("x" * 1025), "id"),
        (CLAIM, claim(text="x" * 200_001), "text"),
        (CLAIM, claim(evidence=[]), "evidence"),
        (CLAIM, b"id: auth-uses-jwt\ntext: x\nevidence:\n", "evidence"),
        (CLAIM, claim(entities=["a", 5]), "entities.1"),
        (CLAIM, claim(entities=["a"] * 10_001), "entities"),
        (CLAIM, claim(confidence=float("nan")), "confidence"),
        (CLAIM, claim(scope={"visibility": "private", "agent": 5}), "scope.agent"),
        (CLAIM, claim(updated_at="soon"), "updated_at"),
        ("entities/service-api.yaml", entity(name=" "), "name"),
        ("pages/auth.md", page(entities=["a", 5]).replace(b"\n", b"\r\n"), "entities.1"),
        ("pages/auth.md", page(scope=["private"]), "scope"),
        (SOURCE, source(id="x"), "id"),
        (SOURCE, source(scope="mine"), "scope.visibility"),
    ],
)
def test_what_is_refused_has_its_field_and_line_named(path: str, data: bytes, field: str) -> None:
    reading = parse(path, data)
    assert reading.artifact is None
    problem = reading.problems[0]
    assert (problem.field, problem.severity) == (field, Severity.ERROR)
    assert problem.message.startswith(f"`{field}` ")
    assert len(problem.message) < 200
    assert problem.code == ("no-evidence" if field == "evidence" else "invalid")
    there = data.splitlines()[problem.line - 1].decode()[problem.column - 1 :]
    assert there.startswith(("5", *field.split(".")))


@pytest.mark.parametrize(
    ("path", "data", "field", "its_id"),
    [
        ("claims/some.name.yaml", b"text: x\nevidence: [e]\n", "id", "some.name"),
        (CLAIM, claim("other"), "id", "other"),
        (CLAIM, claim(type="hunch"), "type", "auth-uses-jwt"),
        ("entities/service-api.yaml", entity(type="galaxy"), "type", "service-api"),
        ("relations/r.yaml", b"{id: r, source: a, relation: r, target: b}", "relation", "r"),
    ],
)
def test_served_with_a_warning(path: str, data: bytes, field: str, its_id: str) -> None:
    reading = parse(path, data)
    assert reading.artifact is not None
    assert (reading.artifact.id, gate_of(reading.artifact)) == (its_id, "open")
    assert [(p.field, p.severity) for p in reading.problems] == [(field, Severity.WARNING)]


def test_content_is_never_echoed() -> None:
    fields = ("status", "scope", "updated_at", "confidence")
    torn = (b"id: x\nhunter2\n", b"id: 'hunter2")
    for data in (*(claim(**{field: "hunter2"}) for field in fields), *torn):
        assert "hunter2" not in "".join(one.message for one in parse(CLAIM, data).problems)


@pytest.mark.parametrize(
    ("data", "field", "like"),
    [
        (SPARSE + b"scop: private\n", "scop", "scope"),
        (SPARSE + b"Scope: {}\n", "Scope", "scope"),
        (SPARSE + b"stauts: redacted\n", "stauts", "status"),
        (claim(visibility="private"), "visibility", "scope.visibility"),
        (claim(scope={"visibilty": "private"}), "scope.visibilty", "visibility"),
        (claim(scope={"visible": "private"}), "scope.visible", "visibility"),
        (claim(scope={"visibility": "project", "projct": "x"}), "scope.projct", "project"),
    ],
)
def test_what_may_restrict_who_is_told_is_withheld(data: bytes, field: str, like: str) -> None:
    reading = parse(CLAIM, data)
    (problem,) = reading.problems
    assert (problem.field, problem.message.endswith(f"did you mean `{like}`?")) == (field, True)
    assert problem.severity is Severity.ERROR
    assert reading.artifact is None
    assert data.splitlines()[problem.line - 1].strip().startswith(field.rpartition(".")[2].encode())


@pytest.mark.parametrize("text", ["漢字仮名交文書類" * 160_000, "a line\n" * 100_000])
def test_of_a_long_page_a_part_counts_and_that_is_said(text: str) -> None:
    reading = parse("pages/p.md", f"---\nid: p\ntitle: P\n---\n{text}".encode())
    assert isinstance(reading.artifact, Page)
    assert 500_000 < len(reading.artifact.body.encode()) <= 512 << 10
    assert text.startswith(reading.artifact.body)
    words = "`body` is longer than 512 KiB; what follows is not indexed"
    assert [(p.severity, p.message) for p in reading.problems] == [(Severity.WARNING, words)]
    text *= 8
    (problem,) = parse("pages/p.md", f"---\nid: p\ntitle: P\n---\n{text}".encode()).problems
    assert problem.message == "the file is larger than 4096 KiB"
