"""Tells prose from code, by the usual delimiters of comments and strings in each language.

Documents in a language that is not in the table are all prose. This is simpler than a lexer, and
sometimes wrong: at a quote in a regular expression, or at `'a` in Lisp.
"""

from __future__ import annotations

import re
from collections.abc import Callable

BLOCK = r"/\*(?:[^*]++|\*(?!/))*+(?:\*/)?+"
SLASHES = r"//[^\r\n]*"
HASHES = r"#[^\r\n]*"
DASHES = r"--[^\r\n]*"
PERCENT = r"%[^\r\n]*"
SEMICOLON = r";[^\r\n]*"
TRIPLE = (
    r'"""(?:[^"\\]++|\\.|"(?!""))*+(?:""")?+'
    r"|'''(?:[^'\\]++|\\.|'(?!''))*+(?:''')?+"
)
DOUBLE = r'"(?:[^"\\\r\n]++|\\.)*+"?+'
SINGLE = r"(?<!\\)'(?:[^'\\\r\n]++|\\.)*+'"
BACKTICK = r"`(?:[^`\\]++|\\.)*+`?+"

COMMENT_SIGNS = {
    "c cpp csharp java objective-c objective-cpp rust swift zig": (
        SLASHES, BLOCK, DOUBLE, SINGLE,
    ),
    "dart go groovy javascript javascriptreact kotlin scala typescript typescriptreact": (
        SLASHES, BLOCK, TRIPLE, DOUBLE, SINGLE, BACKTICK,
    ),
    "css less scss": (SLASHES, BLOCK, DOUBLE, SINGLE),
    "php": (HASHES, SLASHES, BLOCK, DOUBLE, SINGLE),
    "coffeescript elixir julia python": (HASHES, TRIPLE, DOUBLE, SINGLE),
    "dockerfile makefile perl powershell r ruby shellscript terraform": (HASHES, DOUBLE, SINGLE),
    "ada haskell lua sql": (DASHES, BLOCK, DOUBLE, SINGLE),
    "erlang matlab": (PERCENT, DOUBLE, SINGLE),
    "clojure lisp scheme": (SEMICOLON, DOUBLE),
}  # fmt: skip
PATTERNS = {
    language: re.compile("|".join(signs), re.DOTALL)
    for languages, signs in COMMENT_SIGNS.items()
    for language in languages.split()
}
"""By LSP language id, the pattern of comments and strings."""


def is_code(language_id: str, text: str, offset: int) -> bool:
    """Whether an offset of a text is in code, outside of comments and strings."""
    return code_finder(language_id, text)(offset)


def code_finder(language_id: str, text: str) -> Callable[[int], bool]:
    """As `is_code`, for one text: returns a function to call with ascending offsets."""
    pattern = PATTERNS.get(language_id)
    if pattern is None:
        return lambda _: False
    places = pattern.finditer(text)
    place = next(places, None)

    def tell(offset: int) -> bool:
        nonlocal place
        while place is not None and place.end() < offset:
            place = next(places, None)
        return place is None or offset < place.start()

    return tell
