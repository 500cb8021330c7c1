"""What a claim withholds whose file can't be used: its text and citations, as far as they can be
read. Nobody is shown such a claim, but what it says may be a secret elsewhere too. Of evidence
whose file can't be used the source is left: a secret claim that cites it closes that source.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TypeGuard

from pydantic import ValidationError

from vouch_sidecar.kb import yaml_document
from vouch_sidecar.kb.access import is_live
from vouch_sidecar.kb.artifact_files import usual_key
from vouch_sidecar.kb.records import Artifact, Claim, Evidence, Kind, record_of
from vouch_sidecar.kb.references import scalars
from vouch_sidecar.kb.yaml_document import DocumentError

Closing = Claim | Evidence | None
MAX_TIMES = 8
"""How many of the values are read that a broken file gives one field."""
MAX_CLAIM_TEXT, MAX_CITED, MAX_ID = 200_000, 10_000, 1024
_READ = frozenset({"text", "evidence", "source_id"})


def what_closes(path: str, kind: Kind, fields: Mapping[str, object], *, is_clear: bool) -> Closing:
    """The claim or evidence of a file whose fields are faulty; None for other kinds."""
    if kind is Kind.CLAIM:
        return _claim(path, fields, is_clear=is_clear)
    return _evidence(path, fields) if kind is Kind.EVIDENCE else None


def _evidence(path: str, fields: Mapping[str, object]) -> Evidence | None:
    with suppress(ValidationError):
        content = {"id": usual_key(path)[1], "source_id": fields.get("source_id"), "locator": ""}
        read = record_of(Kind.EVIDENCE, path, content)
        return read if isinstance(read, Evidence) else None
    return None


def _claim(path: str, fields: Mapping[str, object], *, is_clear: bool) -> Claim:
    """The claim, shown to nobody: with the status and scope that the file gives where these are
    valid and `is_clear`, but retired; else redacted.
    """
    _, usual_id = usual_key(path)  # by its own id it might stand in the way of a good file
    text, cited = fields.get("text"), fields.get("evidence")
    cited = [cited] if isinstance(cited, str) else cited if isinstance(cited, list | tuple) else []
    claim = Claim(
        usual_id,
        path,
        text[:MAX_CLAIM_TEXT].encode(errors="ignore").decode() if isinstance(text, str) else "",
        status="redacted",
        evidence=tuple(filter(_is_id, cited[:MAX_CITED])),
    )
    with suppress(ValidationError):
        restricting = {name: fields[name] for name in ("scope", "status") if name in fields}
        content = {"id": usual_id, "text": "-", "evidence": ["-"], **restricting}
        said = record_of(Kind.CLAIM, path, content) if is_clear else None
        if isinstance(said, Claim):
            status = "archived" if is_live(said) else said.status
            return replace(claim, scope=said.scope, status=status)
    return claim


def what_closes_in(path: str, kind: Kind, data: bytes) -> Closing:
    """The same of a file that is no YAML, of both sides of a merge."""
    if kind not in (Kind.CLAIM, Kind.EVIDENCE):
        return None
    text = data[: yaml_document.MAX_YAML].decode("utf-8", "replace")
    found: dict[str, dict[object, None]] = {name: {} for name in _READ}
    for side in _sides(text):
        for name, value in _values(side):
            found[name] |= dict.fromkeys(value if isinstance(value, list) else [value])
    texts = (value for value in found["text"] if isinstance(value, str))
    fields = {
        "text": "\n\n".join(texts),
        "evidence": [*found["evidence"]],
        "source_id": next(iter(found["source_id"]), None),
    }
    return what_closes(path, kind, fields, is_clear=False)


def after_fault(last: Artifact | None, faulty: Closing) -> Closing:
    """What a file withholds that can't be used: what was read from it, completed by its last good
    version. None where nothing is known of it.
    """
    if isinstance(last, Evidence):
        bare = replace(last, locator="", quote=None, byte_start=None, byte_end=None)
        return bare if faulty is None else faulty
    if not isinstance(last, Claim):
        last = None
    if faulty is None:
        return replace(last, status="archived") if last and is_live(last) else last
    if not isinstance(faulty, Claim):
        return faulty
    if last is not None:
        text, evidence = faulty.text or last.text, faulty.evidence or last.evidence
        faulty = replace(faulty, text=text, evidence=evidence)
    return faulty if faulty.text or faulty.evidence else None


def _is_id(value: object) -> TypeGuard[str]:
    is_text = isinstance(value, str) and value.isprintable() and not value.isspace()
    return is_text and 0 < len(str(value)) <= MAX_ID


def _sides(text: str) -> list[str]:
    """The text with one side of each conflict of a merge, and with the other."""
    sides: tuple[list[str], list[str]] = ([], [])
    within: int | None = None
    for line in text.splitlines():
        mark = line[:7]
        if mark in ("<" * 7, "|" * 7):
            within = 0
        elif mark == "=" * 7 and within == 0:
            within = 1
        elif mark == ">" * 7:
            within = None
        else:
            for number in (0, 1) if within is None else (within,):
                sides[number].append(line)
    return list(dict.fromkeys("\n".join(side) for side in sides))


def _values(text: str) -> Iterator[tuple[str, object]]:
    """The values of the fields that are read, each by itself: the rest may be no YAML."""
    blocks: dict[str, list[list[str]]] = {name: [] for name in _READ}
    block: list[str] = []
    for line in text.split("\n"):
        name, colon, _ = line.partition(":")
        if colon and name.rstrip().isidentifier():
            block = []
            blocks.get(name.rstrip(), []).append(block)
        block.append(line)
    for name, given in blocks.items():
        for lines in given[:MAX_TIMES]:
            yield name, _value(name, "\n".join(lines))


def _value(name: str, block: str) -> object:
    with suppress(DocumentError):
        loaded = yaml_document.load(block).value
        if isinstance(loaded, dict):
            value = loaded.get(name)
            if isinstance(value, list):
                return [ref for ref in value if isinstance(ref, str)]
            if isinstance(value, str):
                return value
    if name == "text":
        return block.partition(":")[2].strip(" \t\n'\"|>")
    return [scalar.text for scalar in scalars(block) if scalar.field == name]
