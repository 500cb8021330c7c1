"""What a label of a set may point to."""

from __future__ import annotations

import re

from benchmarks.quality.sets import KnowledgeBase

_HEADING = re.compile(r"^#+ (.+?)\s*$", re.MULTILINE)


def known(base: KnowledgeBase) -> set[str]:
    """Ids of claims and entities, and `page#Heading` of every section."""
    return {record["id"] for record in (*base.claims, *base.entities)} | {
        f"{page['id']}#{heading}"
        for page in base.pages
        for heading in _HEADING.findall(page["text"])
    }
