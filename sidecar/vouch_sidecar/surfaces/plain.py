"""Text of a knowledge base for a line of a terminal or of markdown, shown as it is and no more."""

from __future__ import annotations

import re
from typing import Any

from vouch_sidecar.kb.plain import one_line

__all__ = ["clip", "found_text", "markdown", "one_line", "with_field"]

ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
# Bare addresses become links in GitHub's markdown, so their "://", "www." and "@" are marked too.
MARKED = re.compile(r"[&<>\\`*_{}\[\]|~$@]|:(?=/)|(?<=www)\.", re.IGNORECASE)


def clip(text: str, limit: int) -> str:
    """At most `limit` characters, the last of them an ellipsis when something was cut."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def found_text(hit: dict[str, Any]) -> str:
    """Title and snippet of a hit of search, as far as they say more than its id."""
    parts = [hit["title"] if hit["title"] != hit["id"] else "", hit["snippet"]]
    return " · ".join(part for part in parts if part)


def with_field(field: str | None, message: str) -> str:
    """The message of a problem on one line, which begins with its field unless it names one."""
    return one_line(f"{field}: {message}" if field and "`" not in message else message)


def markdown(text: str) -> str:
    """One line that markdown shows as it is: no markup, HTML, image or link of its own."""
    return MARKED.sub(lambda found: _escaped(found[0]), one_line(text))


def _escaped(mark: str) -> str:
    return ENTITIES.get(mark, "\\" + mark)
