"""Finds where a file below `.vouch/` names artifacts by id."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from vouch_sidecar.kb.artifact_files import classify
from vouch_sidecar.kb.records import Kind
from vouch_sidecar.kb.yaml_document import front_matter_end

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

KEY = re.compile(r"(?m)^([A-Za-z_]++)[ \t]*+:")
SCALAR = re.compile(r"""[^-\s,#\[\]{}"'](?:[^\s,\[\]{}"']++|[^\S\r\n]++(?=[^\s,#\[\]{}"']))*+""")
"""A text on one line, without quotes. One that has a quote or a comma in it is cut there."""
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


class Reference(NamedTuple):
    """An id on one line, without its quotes. Offsets count characters. `field` is the name of the
    field that holds it: `id` where the file gives its own one, `[[` or `[claim:` in the body of a
    page. `kinds` are those of artifact that it may name.
    """

    field: str
    start: int
    end: int
    text: str
    kinds: tuple[Kind, ...]


def reference_at(relative: str, text: str, offset: int) -> Reference | None:
    """The id at an offset of the file at a path below `.vouch/`. The field is that of the nearest
    key above, so that ids are found in a file that is being edited and is no valid YAML.
    """
    if (kind := classify(relative)) is None:
        return None
    text = text.replace("\r", "\n")  # which keeps all offsets
    end = front_matter_end(text) if kind is Kind.PAGE else -1
    if end >= 0 and offset > (body := end + len("\n---")):
        there = marks(text, body)
    else:
        there = _ids_on_line(text, offset, {"id": (kind,), **FIELDS.get(kind, {})})
    return next((one for one in there if one.start <= offset <= one.end), None)


def _ids_on_line(
    text: str, offset: int, fields: Mapping[str, tuple[Kind, ...]]
) -> Iterator[Reference]:
    """The ids on the line of an offset, if the field that they belong to holds ids."""
    start, end = text.rfind("\n", 0, offset) + 1, text.find("\n", offset)
    end = len(text) if end < 0 else end
    keys = list(KEY.finditer(text, 0, end))
    if not keys or (kinds := fields.get(keys[-1][1])) is None:
        return
    for scalar in SCALAR.finditer(text, max(start, keys[-1].end()), end):
        yield Reference(keys[-1][1], *scalar.span(), scalar[0], kinds)


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
