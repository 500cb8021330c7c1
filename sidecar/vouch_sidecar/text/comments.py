"""Tells code from comments and strings, by the usual marks of five families of languages.

Documents in a language that is not in the table are all prose. This is simpler than a lexer, and
sometimes wrong: at `'a` in Lisp or an expression of JavaScript, say.
"""

from __future__ import annotations

import re

_DOUBLE = r'"""(?:[^"\\]|\\[\s\S]|"(?!""))*+(?:""")?+|"(?:[^"\\\n]|\\[\s\S])*+"?+'
_SINGLE = r"'''(?:[^'\\]|\\[\s\S]|'(?!''))*+(?:''')?+|'(?:[^'\\\n]|\\[\s\S])*+'?+"
_CLOSED = r"(?<!\\)'(?:[^'\\\n]|\\.)*+'"
"""For languages in which an apostrophe may stand alone: `foldl' f`, `A' * B`."""
_LETTER = r"'(?:[^'\\\n]|\\[^\n][^'\n]{0,8}+)'"
_SLASHES = r"//[^\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/)?|`(?:[^`\\]|\\[\s\S])*+`?"
_FAMILIES = {
    "coffeescript elixir python ruby": f"#[^\n]*+|{_DOUBLE}|{_SINGLE}",
    "dockerfile julia makefile perl powershell r shellscript terraform": (
        f"#[^\n]*+|{_DOUBLE}|{_CLOSED}"
    ),
    "css dart groovy javascript javascriptreact less php scala scss typescript typescriptreact": (
        f"{_SLASHES}|{_DOUBLE}|{_SINGLE}"
    ),
    "c cpp csharp go java kotlin objective-c objective-cpp rust swift zig": (
        f"{_SLASHES}|{_DOUBLE}|{_LETTER}"
    ),
    "ada clojure erlang haskell lisp lua matlab scheme sql": (
        f"(?:--|%|;)[^\n]*+|{_DOUBLE}|{_CLOSED}"
    ),
}
"""Comments and strings, by LSP language id. One without an end goes to the end of its line, or of
the file.
"""


def is_in_code(language: str, text: str, offset: int) -> bool:
    """Whether an offset of a text is in code, outside of comments and strings."""
    marks = next((marks for ids, marks in _FAMILIES.items() if language in ids.split()), None)
    if marks is None:
        return False
    return not any(at.start() <= offset <= at.end() for at in re.finditer(marks, text))
