"""Makes expressions of globs, as git and CODEOWNERS write them."""

from __future__ import annotations

import re
from functools import lru_cache

MAX_PATTERN = 300
_NEVER = re.compile(r"(?!)")
_CLASS = re.compile(r"\[!?\]?[^\]/]*\]")


@lru_cache(maxsize=4096)
def expression_of(glob: str) -> re.Pattern[str]:
    """The expression for one name of a glob. The text between two stars is matched as early as
    possible, as no later place could match more; a name has at most 255 characters.
    """
    pieces, at = [""], 0
    while at < len(glob):
        if glob[at] == "*":
            pieces.append("")
            at += 1
            continue
        if glob[at] == "?":
            piece, end = "[^/]", at + 1
        elif glob[at] == "[":
            bracket = _CLASS.match(glob, at)
            if bracket is None:  # git takes such a rule for none
                return _NEVER
            inner = bracket[0][1:-1].replace("\\", "\\\\").replace("[", "\\[")
            inner = f"^{inner[1:]}" if inner.startswith("!") else inner
            piece, end = f"(?!/)[{inner}]", bracket.end()
        else:
            at += glob[at] == "\\" and at + 1 < len(glob)
            piece, end = re.escape(glob[at]), at + 1
        pieces[-1] += piece
        at = end
    first, *others = pieces
    if others:
        *middle, rest = others
        first += "".join(f"(?>[^/]*?{part})" for part in middle if part) + f"[^/]*{rest}"
    try:
        return re.compile(f"{first}\\Z", re.DOTALL)
    except re.error:
        return _NEVER
