"""Tells code from comments and strings by the marks of a language, and finds the options and
environment variables that a call declares.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cache, cached_property

from vouch_sidecar.workspace.file_kinds import words_of

MAX_QUOTED = 80
"""Characters of a string that holds an option and little else."""
MAX_CALLEE = 100
MAX_ARGUMENTS = 1_000
"""Characters between the bracket of a call and the string."""

_HASH = r"#[^\n]*+"
_SLASHES = r"//[^\n]*+"
_BLOCK = r"/\*[^*]*+(?:\*(?!/)[^*]*+)*+((?:\*/)?)"
_DOUBLE = r'"(?:[^"\\\n]|\\[\s\S])*+"?+'
_SINGLE = r"'(?:[^'\\\n]|\\[\s\S])*+'?+"
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
_MARKS = {
    "python": (_HASH, _TRIPLE, _TRIPLE_SINGLE, _DOUBLE, _SINGLE),
    "ruby": (_HASH, _DOUBLE, _SINGLE),
    "javascript": (_SLASHES, _BLOCK, _EXPRESSION, _DOUBLE, _SINGLE, _TEMPLATE),
    "go": (_SLASHES, _BLOCK, _DOUBLE, _RAW_GO, _LETTER),
    "rust": (_SLASHES, _BLOCK, r'r#"[^"]*+(?:"(?!#)[^"]*+)*+(?:"#)?+', _DOUBLE, _LETTER),
    "csharp": (_SLASHES, _BLOCK, r'@"[^"]*+(?:""[^"]*+)*+"?+', _DOUBLE, _LETTER),
    "c": (_SLASHES, _BLOCK, _DOUBLE, _LETTER),
    "java": (_SLASHES, _BLOCK, _TRIPLE, _DOUBLE, _LETTER),
    "kotlin": (_SLASHES, _BLOCK, _RAW, _DOUBLE, _LETTER),
    "swift": (_SLASHES, _BLOCK, *_RAW_SWIFT, _TRIPLE, _DOUBLE, _LETTER),
}
"""Comments and strings. One without an end goes to the end of its line, or of the file."""
_ENDLESS = {
    _BLOCK: r"/\*[^\n]*+",
    **dict.fromkeys((_TEMPLATE, _RAW_GO), r"`[^\n]*+"),
}
"""Those that tell by a group whether they have an end, and what they are without: as a rule such a
sign begins no comment and no string.
"""

_NAME = "\ua66e"
"""Stands for the name in a string: a letter that no code uses."""
_TAKES = r"""--?[\w-]{1,40}|[A-Z][A-Z0-9_-]*+|<[^<>"'`]{1,40}>|\[[^]["'`]{1,40}\]"""
_QUOTED = re.compile(
    rf"""["'`](?:-\w,?\s)?{_NAME}(?:=[^\s"'`]{{0,40}}+)?+"""
    rf"""(?:[ ,/|]{{1,3}}+(?:{_TAKES})){{0,3}}+["'`]"""
)
"""The name of an option or a variable, with its other forms and its argument."""
_BRACKET = re.compile(
    r"[()\[\]{}]|\b(?:action|default|dest|help|metavar|nargs|type)\b(?=\s{0,9}+=(?!=))"
)
"""A bracket, or a keyword of calls that declare options."""
_ARGUMENTS = re.compile(r"[\s\w.,&]*+")
"""Plain names before a string, and other strings, which are blanks."""
_SEGMENT = re.compile(r"[\w$]++")
_OPTION = frozenset("option flag argument arg param parameter switch".split())
_DECLARING = frozenset(
    "add new make define declare register create required string bool int duration var".split()
)
_VARIABLE = frozenset("env environ environment getenv envvar".split())
_READING = frozenset("get read lookup fetch var variable str string bool int or default".split())
"""What a function is called that declares an option, and one that reads an environment variable: it
has a word of the first kind, and no other word than these.
"""


class CodeText:
    """A file of code in a language; in one that is not known nothing is a comment or a string."""

    def __init__(self, text: str, language: str | None) -> None:
        self.text = text
        self._language = language

    @cached_property
    def code(self) -> str:
        """The text with blanks in the place of comments and strings."""
        return self._split[0]

    @cached_property
    def _split(self) -> tuple[str, dict[int, int]]:
        """The code, and the end of each string by its start."""
        marks, endless = marks_of(self._language), ""
        parts, strings, end = [], {}, 0
        while marks and (match := marks.search(self.text, end)):
            if "" in match.groups():  # then none of its kind that comes later has an end
                endless += match[0][0]
                marks = marks_of(self._language, endless)
                continue
            parts.append(self.text[end : match.start()])
            parts.append("\n".join(" " * len(line) for line in match[0].split("\n")))
            if match[0][0] in "\"'`":
                strings[match.start()] = match.end()
            end = match.end()
        return "".join((*parts, self.text[end:])), strings

    @cached_property
    def _starts(self) -> list[int]:
        return list(self._split[1])

    @cached_property
    def _brackets(self) -> tuple[list[int], list[int], set[int]]:
        """The places of brackets, for each the innermost open one after it (-1: none), and those
        with a keyword that declares options inside.
        """
        places, inside, declaring, opened = [], [], set(), [-1]
        for match in _BRACKET.finditer(self.code):
            if match[0] in "([{":
                opened.append(match.start())
            elif match[0] not in ")]}":
                declaring.add(opened[-1])
                continue
            elif len(opened) > 1:
                opened.pop()
            places.append(match.start())
            inside.append(opened[-1])
        return places, inside, declaring

    def declares(self, at: int, name: str) -> bool:
        """Whether the name in a string is an option or variable which a call declares with it: it
        is among the first arguments, and the function is called so, or has such keywords.
        """
        number = bisect_right(self._starts, at) - 1
        start = self._starts[number] if number >= 0 else at
        end = self._split[1].get(start, 0)
        if not start < at < end <= start + MAX_QUOTED:
            return False
        quoted = f"{self.text[start:at]}{_NAME}{self.text[at + len(name) : end]}"
        places, inside, declaring = self._brackets
        bracket = bisect_right(places, start) - 1
        opened = inside[bracket] if bracket >= 0 else -1
        if opened < 0 or self.code[opened] != "(" or start - opened > MAX_ARGUMENTS:
            return False
        if not _QUOTED.fullmatch(quoted) or not _ARGUMENTS.fullmatch(self.code, opened + 1, start):
            return False
        return opened in declaring or _is_declared_by(self._callee(opened))

    def _callee(self, opened: int) -> str:
        """The name of the function that is called at a bracket, with what it is a part of."""
        end = opened
        if self.code[end - 1 : end] == ">":
            end = max(self.code.rfind("<", max(0, end - MAX_CALLEE), end), 0)
        start = end
        while start and end - start < MAX_CALLEE and _is_of_name(self.code[start - 1]):
            start -= 1
        return self.code[start:end]


def _is_of_name(sign: str) -> bool:
    return sign.isalnum() or sign in "_.:$"


def _is_declared_by(callee: str) -> bool:
    """Whether a function declares an option, or reads a variable, by its name."""
    segments = [set(words_of(segment).split("_")) for segment in _SEGMENT.findall(callee)[-2:]]
    if not segments:
        return False
    return any(
        segments[-1] <= kind | others and kind & set().union(*segments)
        for kind, others in ((_OPTION, _DECLARING), (_VARIABLE, _READING))
    )


@cache
def marks_of(language: str | None, endless: str = "") -> re.Pattern[str] | None:
    """The comments and strings of a language, compiled when a file of it is read first. No comment
    and no string that begins with a sign of `endless` has an end on a later line.
    """
    marks = [
        _ENDLESS[mark] if mark in _ENDLESS and mark[0] in endless else mark
        for mark in _MARKS.get(language or "", ())
    ]
    return re.compile("|".join(marks)) if marks else None
