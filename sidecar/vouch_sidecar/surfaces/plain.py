"""Text of a knowledge base for a line of a terminal or of markdown, shown as it is and no more."""

from __future__ import annotations

import re

from vouch_sidecar.kb.plain import clip, one_line, with_field

__all__ = ["clip", "markdown", "one_line", "with_field"]

ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
# Bare addresses become links in GitHub's markdown, so their "://", "www." and "@" are marked too.
MARKED = re.compile(r"[&<>\\`*_{}\[\]|~$@]|:(?=/)|(?<=www)\.", re.IGNORECASE)


def markdown(text: str) -> str:
    """One line that markdown shows as it is: no markup, HTML, image or link of its own."""
    return MARKED.sub(lambda found: _escaped(found[0]), one_line(text))


def _escaped(mark: str) -> str:
    return ENTITIES.get(mark, "\\" + mark)
