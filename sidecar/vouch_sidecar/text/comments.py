"""Tells code from comments and strings, by the usual marks of each language.

Documents in a language that is not in the table are all prose. This is simpler than a lexer, and
sometimes wrong: at `'a` in Lisp, say.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

_HASH = r"#[^\n]*+"
_SLASHES = r"//[^\n]*+"
_BLOCK = r"/\*[^*]*+(?:\*(?!/)[^*]*+)*+((?:\*/)?)"
_DOUBLE = r'"(?:[^"\\\n]|\\[\s\S])*+"?+'
_SINGLE = r"'(?:[^'\\\n]|\\[\s\S])*+'?+"
_CLOSED = r"(?<!\\)'(?:[^'\\\n]|\\.)*+'"
"""For languages in which an apostrophe may stand alone: `foldl' f`, `A' * B`."""
_LETTER = r"'(?:[^'\\\n]|\\[^\n][^'\n]{0,8}+)'"
_TRIPLE = r'"""(?:[^"\\]|\\[\s\S]|"(?!""))*+(?:""")?+'
_TRIPLE_SINGLE = r"'''(?:[^'\\]|\\[\s\S]|'(?!''))*+(?:''')?+"
_RAW = r'"""[^"]*+(?:"(?!"")[^"]*+)*+(?:"""++)?+'
_RAW_SWIFT = (
    r'#"""(?=\s)[^"]*+(?:"(?!""#)[^"]*+)*+(?:"""#)?+',
    r'#"[^"\n]*+(?:"(?!#)[^"\n]*+)*+(?:"#)?+',
)
_TEMPLATE = r"`(?:[^`\\]|\\[\s\S])*+(`?)"
_RAW_GO = r"`[^`]*+(`?)"
_EXPRESSION = (
    r"(?:(?:(?<=[(,=:!&|?\[;{])|(?<==>)|(?<=\breturn)|(?<=\btypeof)|(?<=\bcase)) ?/(?![/*>])"
    # a slash here may also divide, or end a tag
    r"|(?:(?<=\}) ?|(?<![^\n])[ \t]*+)/(?![/*>\s]))"
    r"(?:[^/\\\[\n]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n])*+\]?+)*+/?+"
)
_DASHES, _PERCENT, _SEMICOLON = r"--[^\n]*+", r"%[^\n]*+", r";[^\n]*+"
_MARKS = {
    "coffeescript elixir python": (_HASH, _TRIPLE, _TRIPLE_SINGLE, _DOUBLE, _SINGLE),
    "julia": (_HASH, _TRIPLE, _DOUBLE, _CLOSED),
    "ruby": (_HASH, _DOUBLE, _SINGLE),
    "dockerfile makefile perl powershell r shellscript terraform": (_HASH, _DOUBLE, _CLOSED),
    "javascript javascriptreact typescript typescriptreact": (
        _SLASHES, _BLOCK, _EXPRESSION, _DOUBLE, _SINGLE, _TEMPLATE,
    ),
    "dart groovy scala": (_SLASHES, _BLOCK, _TRIPLE, _TRIPLE_SINGLE, _DOUBLE, _SINGLE),
    "go": (_SLASHES, _BLOCK, _DOUBLE, _RAW_GO, _LETTER),
    "rust": (_SLASHES, _BLOCK, r'r#"[^"]*+(?:"(?!#)[^"]*+)*+(?:"#)?+', _DOUBLE, _LETTER),
    "csharp": (_SLASHES, _BLOCK, r'@"[^"]*+(?:""[^"]*+)*+"?+', _DOUBLE, _LETTER),
    "c cpp objective-c objective-cpp zig": (_SLASHES, _BLOCK, _DOUBLE, _LETTER),
    "java": (_SLASHES, _BLOCK, _TRIPLE, _DOUBLE, _LETTER),
    "kotlin": (_SLASHES, _BLOCK, _RAW, _DOUBLE, _LETTER),
    "swift": (_SLASHES, _BLOCK, *_RAW_SWIFT, _TRIPLE, _DOUBLE, _LETTER),
    "css less scss": (_SLASHES, _BLOCK, _DOUBLE, _SINGLE),
    "php": (_HASH, _SLASHES, _BLOCK, _DOUBLE, _SINGLE),
    "ada haskell lua sql": (_DASHES, _BLOCK, _DOUBLE, _CLOSED),
    "erlang matlab": (_PERCENT, _DOUBLE, _CLOSED),
    "clojure lisp scheme": (_SEMICOLON, _DOUBLE),
}  # fmt: skip
"""Comments and strings. One without an end goes to the end of its line, or of the file."""
_ENDLESS = {
    _BLOCK: r"/\*[^\n]*+",
    **dict.fromkeys((_TEMPLATE, _RAW_GO), r"`[^\n]*+"),
}
"""Those that tell by a group whether they have an end, and what they are without: as a rule such a
sign begins no comment and no string.
"""
_BY_LANGUAGE = {language: marks for group, marks in _MARKS.items() for language in group.split()}
"""By LSP language id."""


def comments_and_strings(text: str, language: str | None) -> Iterator[re.Match[str]]:
    """The comments and strings of a text, in order; none in an unknown language."""
    marks, endless, end = marks_of(language), "", 0
    while marks and (match := marks.search(text, end)):
        if "" in match.groups():  # then none of its kind that comes later has an end
            endless += match[0][0]
            marks = marks_of(language, endless)
            continue
        yield match
        end = match.end()


def is_code(language: str, text: str, offset: int) -> bool:
    """Whether an offset of a text is in code, outside of comments and strings."""
    return code_finder(language, text)(offset)


def code_finder(language: str, text: str) -> Callable[[int], bool]:
    """As `is_code`, for one text: returns a function to call with ascending offsets."""
    if language not in _BY_LANGUAGE:
        return lambda _: False
    places = comments_and_strings(text, language)
    place = next(places, None)

    def tell(offset: int) -> bool:
        nonlocal place
        while place is not None and place.end() < offset:
            place = next(places, None)
        return place is None or offset < place.start()

    return tell


@cache
def marks_of(language: str | None, endless: str = "") -> re.Pattern[str] | None:
    """The comments and strings of a language, compiled when a text of it is read first. No comment
    and no string that begins with a sign of `endless` has an end on a later line.
    """
    marks = [
        _ENDLESS[mark] if mark in _ENDLESS and mark[0] in endless else mark
        for mark in _BY_LANGUAGE.get(language or "", ())
    ]
    return re.compile("|".join(marks)) if marks else None
