from __future__ import annotations

import pickle
from datetime import UTC, datetime

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from vouch_sidecar.kb.access import gate_of
from vouch_sidecar.kb.reader import limit_of, parse
from vouch_sidecar.kb.records import (
    Artifact,
    Claim,
    Page,
    Severity,
)
from vouch_sidecar.kb.references import marks

from tests.kb.samples import SHA, claim, dump, entity, page

CLAIM = "claims/auth-uses-jwt.yaml"
SOURCE = f"sources/{SHA}/meta.yaml"


def served(path: str, data: bytes) -> Artifact:
    reading = parse(path, data)
    assert reading.artifact is not None, reading.problems
    assert reading.problems == ()
    return reading.artifact


def refused(path: str, data: bytes) -> tuple[str | None, str, int, int]:
    reading = parse(path, data)
    assert reading.artifact is None
    first = reading.problems[0]
    assert first.severity is Severity.ERROR
    assert "\n" not in first.message
    return first.field, first.message, first.line, first.column


@pytest.mark.parametrize(
    ("written", "moment"),
    [
        (b"2026-01-02T03:04:05", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
        (b"2026-01-02 03:04:05+02:00", datetime(2026, 1, 2, 1, 4, 5, tzinfo=UTC)),
        (b"'2026-01-02T03:04:05Z'", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
        (b"'2026-01-02'", datetime(2026, 1, 2, tzinfo=UTC)),
        (b"0001-01-01T00:00:00+14:00", None),
    ],
)
def test_timestamps_with_and_without_zone(written: bytes, moment: datetime | None) -> None:
    reading = parse(CLAIM, b"text: x\nevidence: [e]\nupdated_at: " + written)
    if isinstance(reading.artifact, Claim) and moment is not None:
        assert reading.artifact.updated_at == moment.timestamp()
    else:
        assert moment is None


def test_what_people_leave_out_or_blank() -> None:
    data = (
        b"\xef\xbb\xbfid: auth-uses-jwt\r\ntext: x\r\nevidence: [e]\r\ntags:\r\nscope: private\r\n"
    )
    artifact = served(CLAIM, data)
    assert isinstance(artifact, Claim)
    assert (artifact.status, artifact.confidence, artifact.tags) == ("working", 0.7, ())
    assert gate_of(artifact) is None


RELATION = dump({"id": "r", "source": "a", "relation": "r", "target": "b"})


@pytest.mark.parametrize(
    ("path", "data", "field", "its_id"),
    [
        ("claims/some.name.yaml", b"text: x\nevidence: [e]\n", "id", "some.name"),
        (CLAIM, claim("other"), "id", "other"),
        (CLAIM, claim(type="hunch"), "type", "auth-uses-jwt"),
        ("entities/service-api.yaml", entity(type="galaxy"), "type", "service-api"),
        ("relations/r.yaml", RELATION, "relation", "r"),
    ],
)
def test_served_with_a_warning(path: str, data: bytes, field: str, its_id: str) -> None:
    reading = parse(path, data)
    assert reading.artifact is not None
    assert (reading.artifact.id, gate_of(reading.artifact)) == (its_id, "open")
    assert [(p.field, p.severity) for p in reading.problems] == [(field, Severity.WARNING)]


def rows(field: str, *values: object) -> list[tuple[bytes, str]]:
    """Claims with each of these values."""
    return [(claim(**{field: value}), field) for value in values]  # type: ignore[arg-type]


REFUSED: dict[str, list[tuple[bytes, str]]] = {
    CLAIM: [
        (dump({"id": 12, "text": "x", "evidence": ["e"]}), "id"),
        *((claim(value), "id") for value in ("", "a\nb", "x" * 1025)),
        *rows("text", " \n", True, "x" * 200_001),
        *rows("evidence", [], None, "one"),
        (b"id: auth-uses-jwt\ntext: x\n", "evidence"),
        (claim(entities=["a", 5]), "entities.1"),
        (claim(entities=["a"] * 10_001), "entities"),
        *rows("confidence", 1.01, float("nan"), "high"),
        *rows("status", "Archived", None),
        (claim(scope="secret"), "scope.visibility"),
        (claim(scope={"visibility": "private", "agent": 5}), "scope.agent"),
        (claim(scope=5), "scope"),
        (claim(updated_at="soon"), "updated_at"),
    ],
    "entities/e.yaml": [(entity("e", name=" "), "name"), (b"id: e\nname: E\n", "type")],
    "pages/auth.md": [
        (page(title=None), "title"),
        (page(status="retired"), "status"),
        *((page(scope=value), "scope.visibility") for value in ("Private", {"visibility": "x"})),
        *((page(scope=value), "scope") for value in (5, ["private"])),
    ],
    SOURCE: [
        (dump({"id": "x", "locator": "x"}), "id"),
        (dump({"id": SHA, "locator": "x", "scope": "mine"}), "scope.visibility"),
        (dump({"id": SHA, "locator": "x", "scope": False}), "scope"),
    ],
}


@pytest.mark.parametrize(
    ("path", "data", "field"), [(path, *each) for path, rows in REFUSED.items() for each in rows]
)
def test_refused_with_the_field_named(path: str, data: bytes, field: str) -> None:
    named, message, _, _ = refused(path, data)
    assert named == field
    assert message.startswith(f"`{field}` ")
    assert len(message) < 200


@pytest.mark.parametrize("text", ["- a\n", "? {}\n", "{a: {b: 1}, c}\n- 1\n"])
@pytest.mark.parametrize("shape", ["x:\n%s", "x: [%s]", "id: a\ntext: [1]\nentities:\n%s"])
def test_a_file_of_more_values_than_anybody_writes_is_refused(text: str, shape: str) -> None:
    unit = text if "[%s]" not in shape else "{},"
    data = (shape % (unit * (limit_of(CLAIM) // len(unit) - 20))).encode()
    reading = parse(CLAIM, data)
    assert reading.artifact is None
    assert len(reading.problems) == 1


def test_problems_of_a_page_have_their_line_in_the_file() -> None:
    data = b"---\r\nid: auth\r\ntitle: Auth\r\nentities:\r\n  - a\r\n  -  7\r\n---\r\nbody"
    assert refused("pages/auth.md", data)[0::2] == ("entities.1", 6)
    reading = parse("pages/auth.md", data)
    assert (reading.problems[0].line, reading.problems[0].column) == (6, 6)
    torn = b"---\nid: auth\ntitle: Auth: two\n---\nbody"
    assert refused("pages/auth.md", torn)[2] == 3


@pytest.mark.parametrize(
    "data",
    [b"", b"# nothing\n", b"- a\n", b"text", b"5", b"id: [", b"\xff\xfe", b"#" * ((1 << 20) + 1)],
    ids=lambda data: repr(data[:9]),
)
def test_what_is_no_mapping_or_too_large_is_refused(data: bytes) -> None:
    refused(CLAIM, data)


def test_content_is_never_echoed() -> None:
    fields = ("status", "scope", "updated_at", "confidence")
    torn = (b"id: x\nhunter2\n", b"id: 'hunter2")
    for data in (*(claim(**{field: "hunter2"}) for field in fields), *torn):
        assert "hunter2" not in "".join(one.message for one in parse(CLAIM, data).problems)


def without(data: bytes, *names: str) -> bytes:
    """A file of YAML without some of its fields."""
    return dump({name: value for name, value in yaml.safe_load(data).items() if name not in names})


SPARSE = without(claim(), "scope", "status")


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
def test_what_may_have_been_meant_to_restrict_who_is_told_is_withheld(
    data: bytes, field: str, like: str
) -> None:
    reading = parse(CLAIM, data)
    (problem,) = reading.problems
    assert (problem.field, problem.message.endswith(f"did you mean `{like}`?")) == (field, True)
    assert problem.is_unusable
    assert reading.artifact is None
    last = field.rpartition(".")[2].encode()
    assert data.splitlines()[problem.line - 1].strip().startswith(last)


@pytest.mark.parametrize(
    "data",
    [
        claim(score=1, scopes=["x"], statuses=["y"]),
        claim(scope={"visibility": "team", "project": None, "agent": None, "agents": ["x"]}),
        SPARSE + b"updated: 2026-01-01\nauthor: me\nsource: x\n'': 1\n1: 2\n",
        SPARSE + b"".join(b"key%d: x\n" % number for number in range(300)),
    ],
)
def test_keys_that_others_write_are_none_of_ours(data: bytes) -> None:
    """Where a known key is given, another one is not its misspelling."""
    reading = parse(CLAIM, data)
    assert reading.problems == ()
    assert reading.artifact is not None


FIELDS = "id text status evidence scope confidence updated_at name type tags".split()
PATHS = [CLAIM, "pages/p.md", "entities/e.yaml", SOURCE, "sessions/s.yaml"]
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
    | st.datetimes() | st.dates() | st.binary(max_size=5)
)  # fmt: skip
VALUES = st.recursive(
    SCALARS,
    lambda of: st.lists(of, max_size=3) | st.dictionaries(st.text(max_size=5), of, max_size=3),
    max_leaves=6,
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(PATHS), st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=8))
def test_parse_never_raises_for_any_content(path: str, content: dict[str, object]) -> None:
    data = dump(content)
    reading = parse(path, b"---\n" + data + b"---\n" if path.endswith(".md") else data)
    assert reading.artifact is not None or reading.problems
    assert pickle.loads(pickle.dumps(reading)) == reading
    for problem in reading.problems:
        assert "\n" not in problem.message
        assert len(problem.message) < 300


@pytest.mark.parametrize("text", ["漢字仮名交文書類" * 160_000, "a line\n" * 100_000])
def test_of_a_long_page_a_part_counts_and_that_is_said(text: str) -> None:
    reading = parse("pages/p.md", f"---\nid: p\ntitle: P\n---\n{text}".encode())
    assert isinstance(reading.artifact, Page)
    assert 500_000 < len(reading.artifact.body.encode()) <= 512 << 10
    assert text.startswith(reading.artifact.body)
    words = "`body` is longer than 512 KiB; what follows is not indexed"
    assert [(p.severity, p.message) for p in reading.problems] == [(Severity.WARNING, words)]


def test_links_of_a_page_beyond_a_number_are_not_followed() -> None:
    body = "".join(f"[claim: c{number}] [[d]]\n" for number in range(1_500))
    assert len({mark.text for mark in marks(body)} - {"d"}) == 1_000
