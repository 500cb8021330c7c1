"""Reads the bytes of one file as an artifact, or as problems that say where and why."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches
from hashlib import sha256
from itertools import islice
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from vouch_sidecar.kb.artifact_files import classify, content_beside, usual_key
from vouch_sidecar.kb.records import (
    KNOWN_TYPES,
    RECORD_OF,
    Artifact,
    Evidence,
    Kind,
    Problem,
    Scope,
    Severity,
    Source,
    record_of,
)
from vouch_sidecar.kb.safe_files import UnreadableError, read_bounded
from vouch_sidecar.kb.sanitize import shown_name
from vouch_sidecar.kb.yaml_document import (
    MAX_YAML,
    DocumentError,
    YamlDocument,
    decode,
    position,
    split_page,
)

MAX_PAGE = 4 << 20
MAX_BODY = 512 << 10
"""Bytes of a page's body that are read; more would keep the processor busy for seconds."""
MAX_SOURCE_CONTENT = 4 << 20
"""The largest content of a source, in bytes, from which sentences are taken."""
MAX_KEYS = 100
"""Unknown keys of one mapping that are compared with the known ones."""
MAX_KEY = 40
"""Characters of a key that can be a known one, misspelt."""
LIKE_A_KEY = 0.75
"""How similar a key is to the one that was meant: `scop`, `stauts`."""
ALIKE_IN_SCOPE = 0.6
"""The same below `scope`, which has three keys: `visible`."""
CONFLICT = re.compile(r"(?<![^\r\n])(?:<{7}|>{7}) [^\r\n]")
"""The marks that git leaves where a merge needs a decision."""
RESTRICTING = frozenset({"scope", "status"})
"""Fields that decide who is told of an artifact."""
_SCOPE = frozenset(field.name for field in fields(Scope))
_WORDS = (
    {
        "missing": "is missing",
        "string_type": "must be text; put quotes around numbers, dates and yes or no",
        "string_too_short": "must not be empty",
        "string_too_long": "is too long",
        "string_pattern_mismatch": "must not be blank or hold control characters",
        "string_unicode": "is no valid text",
        "tuple_type": "must be a list",
        "list_type": "must be a list",
        "dict_type": "must be a mapping",
        "too_short": "must name at least one source or piece of evidence",
        "too_long": "has too many entries",
        "dataclass_type": "must be text or a mapping",
    }
    | dict.fromkeys(
        ("float_type", "float_parsing", "finite_number", "greater_than_equal", "less_than_equal"),
        "must be a number from 0 to 1",
    )
    | dict.fromkeys(("int_parsing", "int_type", "int_from_float"), "must be a whole number")
    | dict.fromkeys(("bool_parsing", "bool_type"), "must be true or false")
)
"""The message for each of pydantic's types of error; others keep pydantic's own words."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of reading a file."""

    artifact: Artifact | None
    problems: tuple[Problem, ...] = ()


def limit_of(relative_path: str) -> int:
    """Bytes that a file may have."""
    return MAX_PAGE if classify(relative_path) is Kind.PAGE else MAX_YAML


def read_bytes_of(kb_dir: Path, relative_path: str) -> bytes:
    """A file's bytes. Raises FileNotFoundError, or UnreadableError whose text is a readable
    reason.
    """
    return read_bounded(f"{kb_dir}/{relative_path}", limit_of(relative_path), kb_dir=kb_dir)


def read_content(kb_dir: Path, source: Source) -> bytes | None:
    """The content of a source; None if it is not kept, does not match the source's id, or is too
    large. Where git wrote its lines with CRLF, it is the text with LF that vouch kept.
    """
    path = content_beside(f"{kb_dir}/{source.path}")
    try:
        data = read_bounded(path, MAX_SOURCE_CONTENT, kb_dir=kb_dir)
    except (FileNotFoundError, UnreadableError):
        return None
    return as_kept(data, source.id)


def as_kept(data: bytes, source_id: str) -> bytes | None:
    """The bytes that a source's id is the hash of: these, or these with LF for CRLF; else None."""
    for tried in (data, data.replace(b"\r\n", b"\n")):
        if sha256(tried).hexdigest() == source_id:
            return tried
    return None


def parse(relative_path: str, data: bytes) -> Reading:
    """Reads one artifact file; of any other file nothing. Never raises, whatever the bytes."""
    kind = classify(relative_path)
    if kind is None:
        return Reading(None, ())
    reader = _FileReader(relative_path, kind)
    try:
        artifact = reader.read(data)
    except DocumentError as error:
        return Reading(None, (_unreadable(relative_path, data, error),))
    return Reading(artifact, tuple(reader.problems))


def _unreadable(path: str, data: bytes, error: DocumentError) -> Problem:
    """The problem of a file that is no document. Marks of a merge have a message of their own."""
    text = data.decode("utf-8", "replace")
    if mark := CONFLICT.search(text):
        line, _ = position(text, mark.start())
        return Problem(
            path, "the file holds the marks of a merge conflict", line=line, code="git-conflict"
        )
    return Problem(path, str(error), line=error.line, column=error.column)


def locate(relative_path: str, data: bytes, fields: Sequence[str]) -> list[tuple[int, int]]:
    """The line and column, from 1, of dotted fields, or of the deepest part of each that exists."""
    try:
        document = YamlDocument(_split(classify(relative_path), data)[0])
    except DocumentError as error:
        return [(error.line, error.column)] * len(fields)
    return [document.place(field.split(".")) for field in fields]


def place_in_body(data: bytes, at: int) -> tuple[int, int]:
    """Line and column, from 1, of a character of a page's body."""
    _, body = _split(Kind.PAGE, data)
    text = decode(data).replace("\r\n", "\n")
    return position(text, len(text) - len(body) + at)


def _split(kind: Kind | None, data: bytes) -> tuple[str, str]:
    """The YAML, on the lines on which the file has it, and the body of a page."""
    text = decode(data)
    if kind is not Kind.PAGE:
        return text, ""
    front, body = split_page(text)
    return f"\n{front}", body


class _FileReader:
    """Makes an artifact of one file, and collects the problems."""

    def __init__(self, path: str, kind: Kind) -> None:
        self.path = path
        self.kind = kind
        self.problems: list[Problem] = []

    def read(self, data: bytes) -> Artifact | None:
        """The artifact, if the file can be used. Raises DocumentError where it is no document."""
        if len(data) > (limit := limit_of(self.path)):
            raise DocumentError(f"the file is larger than {limit // 1024} KiB")
        text, body = _split(self.kind, data)
        self._document = YamlDocument(text)
        if not isinstance(self._document.value, dict):
            raise DocumentError("the file must be a mapping of names to values")
        self.problems += self._document.repeated(self.path)
        fields = {k: value for k, value in self._document.value.items() if isinstance(k, str)}
        if self.kind is Kind.PAGE:
            fields["body"] = self._within_bounds(body)
        _, usual_id = usual_key(self.path)
        if fields.get("id") is None:
            fields["id"] = usual_id
            self._note("id", "is missing; the name of the file is used", Severity.WARNING)
        is_unclear = self._is_unclear(fields)
        artifact = self._validate(fields)
        if artifact is None or is_unclear:
            return None
        if artifact.id != usual_id:
            self._note("id", "differs from the name of the file", Severity.WARNING)
        types = KNOWN_TYPES.get(self.kind)
        field = "relation" if self.kind is Kind.RELATION else "type"
        if types is not None and getattr(artifact, field) not in types:
            self._note(field, "is none that vouch knows", Severity.WARNING)
        return artifact

    def _within_bounds(self, body: str) -> str:
        """The part of a page's body that is read. Adds a problem where the body is cut."""
        if len(data := body.encode()) > MAX_BODY:
            words = f"is longer than {MAX_BODY // 1024} KiB; what follows is not indexed"
            self._note("body", words, Severity.WARNING)
            body = data[: data.rfind(b"\n", 0, MAX_BODY) + 1 or MAX_BODY].decode("utf-8", "ignore")
        return body

    def _is_unclear(self, fields: dict[str, object]) -> bool:
        """Note keys that may have been meant to restrict who is told of the file: those that are
        nearly one which the file lacks; vouch writes all that it knows. Returns whether there are
        any.
        """
        scope, record = fields.get("scope"), RECORD_OF[self.kind]
        restricting = {name for name in RESTRICTING if hasattr(record, name)}
        likely = list(_misspelled(fields, restricting, LIKE_A_KEY))
        if "scope" in restricting and "visibility" in fields:
            likely.append(("visibility", "scope.visibility"))
        if isinstance(scope, dict):
            names = [name for name in scope if isinstance(name, str)]
            for name, like in _misspelled(names, _SCOPE, ALIKE_IN_SCOPE):
                likely.append((f"scope.{name}", like))
        for name, like in likely:
            self._note(name, f"is no field, the file is withheld; did you mean `{like}`?")
        return bool(likely)

    def _validate(self, fields: dict[str, object]) -> Artifact | None:
        try:
            return record_of(self.kind, self.path, fields)
        except ValidationError as error:
            failures = error.errors(include_input=False, include_url=False, include_context=False)
        for failure in failures:
            field = ".".join(map(str, failure["loc"]))
            uncited = (self.kind, field) == (Kind.CLAIM, "evidence") and not fields.get(field)
            self._note(field, _in_words(failure), code="no-evidence" if uncited else "invalid")
        return None

    def _note(
        self, field: str, words: str, severity: Severity = Severity.ERROR, code: str = "invalid"
    ) -> None:
        place = self._document.place(field.split("."))
        message = f"`{shown_name(field)}` {words}"
        self.problems.append(Problem(self.path, message, severity, *place, field, code=code))


def _misspelled(
    given: Iterable[str], keys: frozenset[str] | set[str], least: float
) -> Iterator[tuple[str, str]]:
    """The unknown keys that are similar to a known key which is missing, each with that one."""
    missing = sorted(keys.difference(given))
    unknown = (key for key in given if key not in keys and len(key) <= MAX_KEY) if missing else ()
    for name in islice(unknown, MAX_KEYS):
        like = next(iter(get_close_matches(name.lower(), missing, 1, least)), None)
        if like is not None and shown_name(name) == name:
            yield name, like


def _in_words(failure: ErrorDetails) -> str:
    """A pydantic error as one line, without the faulty value."""
    if failure["type"].startswith(("date", "time")):
        return "is no date or time"
    words = failure["msg"].removeprefix("Value error, ")
    return _WORDS.get(failure["type"], words.replace("Input should be", "must be"))


def span_in(data: bytes, evidence: Evidence) -> tuple[int, int] | None:
    """The range of a source's content that evidence quotes; None if it has none, or the source has
    another text there.
    """
    span, quote = evidence.span, evidence.quote
    if span is None or span[1] > len(data):
        return None
    return span if quote is None or data[slice(*span)] == quote.encode() else None
