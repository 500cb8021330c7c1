"""Finds where a file below `.vouch/` names artifacts by id. Files are read line by line, so that
ids are found in a file that is being edited and is not valid YAML. What needs a YAML parser, such
as anchors, is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from vouch_sidecar.kb.artifact_files import classify
from vouch_sidecar.kb.records import KIND_OF, Artifact, Kind, Page

RELATION_ENDS = (Kind.ENTITY, Kind.CLAIM, Kind.PAGE, Kind.SOURCE)
CITED = (Kind.SOURCE, Kind.EVIDENCE)
LINKED = (Kind.PAGE, Kind.ENTITY)

FIELDS: dict[Kind, dict[str, tuple[Kind, ...]]] = {
    Kind.CLAIM: {
        "evidence": CITED,
        "entities": (Kind.ENTITY,),
        "supersedes": (Kind.CLAIM,),
        "superseded_by": (Kind.CLAIM,),
        "contradicts": (Kind.CLAIM,),
    },
    Kind.ENTITY: {"page": (Kind.PAGE,)},
    Kind.PAGE: {"claims": (Kind.CLAIM,), "entities": (Kind.ENTITY,), "sources": CITED},
    Kind.RELATION: {"source": RELATION_ENDS, "target": RELATION_ENDS, "evidence": CITED},
    Kind.EVIDENCE: {"source_id": (Kind.SOURCE,)},
}
"""The fields that hold ids, and the kinds of artifact that these may name."""
IN_PROPOSALS = {
    f"payload.{name}": kinds for fields in FIELDS.values() for name, kinds in fields.items()
}

LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)?")
KEY = re.compile(r"( *)([A-Za-z_]+) *:(?= |\t|\r|\n|\Z)[ \t]*")
ITEM = re.compile(r"[ \t]*-[ \t]+")
IN_BLOCK = re.compile(
    r""""(?P<double>(?:[^"\\\r\n]++|\\.)*+)"|'(?P<single>(?:[^'\r\n]++|'')*+)'"""
    r"""|(?P<plain>[^\s#\[\]{}&*!|>"'%@`](?:\S++|[^\S\r\n]++(?=[^\s#]))*+)"""
)
IN_FLOW = re.compile(
    r""""(?P<double>(?:[^"\\\r\n]++|\\.)*+)"?+|'(?P<single>(?:[^'\r\n]++|'')*+)'?+"""
    r"""|(?P<plain>[^\s,#\[\]{}&*!|>"'%@`](?:[^\s,\[\]{}]++|[^\S\r\n]++(?=[^\s,\[\]{}]))*+)"""
)
LINK_MARK = re.compile(r"\[(?:\[(?P<link>[^\[\]|#\r\n]*+)|claim:[ \t]*+(?P<claim>[^\[\]|#\r\n]*+))")
MAX_MARKS = 2_000
"""Marks of one page that are read; a page may come from anybody."""
MAX_MARKED = 200
"""Characters that the id in a mark may have."""
CODE = re.compile(
    r"(?ms)^[ \t]*+(?P<fence>`{3,}+|~{3,}+)[^\r\n`]*+[\r\n].*?(?:^[ \t]*+(?P=fence)|\Z)"
    r"|(?<!`)(?P<span>`{1,3}+)[^\r\n]{1,200}?(?<!`)(?P=span)(?!`)"
)
"""Code in Markdown: between fences, of which the last may be missing, or in backticks on a line."""
FENCE = re.compile(r"(?<![^\r\n])---[ \t]*+(?=[\r\n]|\Z)")
NOTHING = frozenset({"null", "Null", "NULL", "~", "---"})


@dataclass(frozen=True, slots=True)
class Reference:
    """An id on one line, without its quotes. Offsets count characters. `field` is dotted: the name
    of a mapping stands before those of its fields; it is `id` where the file gives its own one,
    `[[` or `[claim:` in the body of a page. `kinds` are those of artifact that it may name.
    """

    field: str
    start: int
    end: int
    text: str
    kinds: tuple[Kind, ...] = ()


def references(relative: str, text: str) -> Iterator[Reference]:
    """The ids in the text of the file at a path below `.vouch/`, in their order."""
    kind = classify(relative)
    if kind is not None:
        fields = {"id": (kind,), **FIELDS.get(kind, {})}
    elif is_proposal(relative):
        fields = IN_PROPOSALS
    else:
        return
    body = len(front_of(relative, text))
    for scalar in scalars(text[:body]):
        if scalar.text and scalar.field in fields:
            yield replace(scalar, kinds=fields[scalar.field])
    if kind is Kind.PAGE:
        yield from marks(text, body)


def is_proposal(relative: str) -> bool:
    """Whether a path below `.vouch/` is that of a proposal, decided or not."""
    folder, _, name = relative.partition("/")
    return folder in ("proposed", "decided") and name.endswith(".yaml")


def front_of(relative: str, text: str) -> str:
    """The part of a file that is YAML: of a page up to the second line of `---`."""
    if classify(relative) is not Kind.PAGE:
        return text
    fences = list(islice(FENCE.finditer(text), 2))
    return text[: fences[1].end()] if len(fences) == 2 else text


def marks(text: str, start: int = 0) -> Iterator[Reference]:
    """The marks `[[id]]` and `[claim: id]` in a page's body, which begins at `start`: of the first
    2,000 those with an id of 1 to 200 characters. Marks in code are examples and left out.
    """
    body = CODE.sub(lambda code: " " * len(code[0]), text[start:])
    for mark in islice(LINK_MARK.finditer(body), MAX_MARKS):
        name = mark.lastgroup
        if name is None or not 0 < len(mark[name].strip()) <= MAX_MARKED:
            continue
        kinds, field = (LINKED, "[[") if name == "link" else ((Kind.CLAIM,), "[claim:")
        marked, begin = mark[name].rstrip(), start + mark.start(name)
        yield Reference(field, begin, begin + len(marked), marked, kinds)


def references_of(artifact: Artifact) -> set[str]:
    """The ids that an artifact refers to, in fields and in the marks of a page's body."""
    refs: set[str] = set()
    for name in FIELDS.get(KIND_OF[type(artifact)], ()):
        value = getattr(artifact, name)
        refs.update((value,) if isinstance(value, str) else value or ())
    if isinstance(artifact, Page):
        refs.update(mark.text for mark in marks(artifact.body))
    return refs


def scalars(text: str) -> Iterator[Reference]:
    """The values of fields and lists that are written on one line, whatever they name."""
    top = field = ""
    in_flow = False
    for line in LINE.finditer(text):
        at, end = line.span()
        if key := KEY.match(text, at, end):
            if key[1]:
                field = f"{top}.{key[2]}"
            else:
                top = field = key[2]
            at, in_flow = key.end(), text[key.end() : key.end() + 1] == "["
        elif in_flow:
            pass
        elif item := ITEM.match(text, at, end):
            at = item.end()
        else:
            continue
        if in_flow:
            close = text.find("]", at, end)
            last = end if close < 0 else close
            yield from (_scalar(field, match) for match in IN_FLOW.finditer(text, at, last))
            in_flow = close < 0
        elif (value := IN_BLOCK.match(text, at, end)) and value.lastgroup is not None:
            yield _scalar(field, value)


def _scalar(field: str, match: re.Match[str]) -> Reference:
    name = match.lastgroup or "plain"
    value = match[name].replace("''", "'") if name == "single" else match[name]
    if name == "plain" and value in NOTHING:
        value = ""
    return Reference(field, *match.span(name), value)
