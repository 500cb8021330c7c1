"""The code of a file without comments and strings, and the options and environment variables that
its calls declare.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

from vouch_sidecar.text.comments import comments_and_strings
from vouch_sidecar.workspace.file_kinds import words_of

MAX_QUOTED = 80
"""Characters of a string that holds an option and little else."""
MAX_CALLEE = 100
MAX_ARGUMENTS = 1_000
"""Characters between the bracket of a call and the string."""

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
        parts, strings, end = [], {}, 0
        for match in comments_and_strings(self.text, self._language):
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
