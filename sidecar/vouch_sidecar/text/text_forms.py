"""Whether a text says something by itself."""

from __future__ import annotations

import re

from vouch_sidecar.text.windows import replaced

_HEADING = re.compile(r"#{1,6}(?:[ \t]|$)")
_LINK = re.compile(
    r"!?\[[^\[\]]*+\](?:\([^)\[]*+\)|\[[^\[\]]*+\])"
    r"|`[^`<]*+<[^`>]*+>`_*+|(?<!\w)<?\w++://[^\s>]*+>?"
)
_WORD = re.compile(r"[^\W_]+")
_MARKS = re.compile(r"</?[a-zA-Z][^<>]*+>")


def is_statement(text: str) -> bool:
    """Whether a text says something by itself: it is no heading, no introduction, no bare link and
    no markup.
    """
    line = text.strip()
    bare = replaced(_LINK, " ", replaced(_LINK, " ", line))  # a badge is a picture in a link
    is_link = bare != line and len(_WORD.findall(bare)) < 2
    is_markup = not _WORD.search(replaced(_MARKS, " ", line))
    leads_in = line.rstrip("*_ ").endswith((":", "："))
    return not (is_link or is_markup or leads_in or _HEADING.match(line))
