"""Whether a text asks for nothing but a name, is a command, or is worth searching, and which
identifiers it holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from vouch_sidecar.retrieval.constants import LEAST_WORDS, MAX_PHRASED
from vouch_sidecar.text.analysis import fold, units
from vouch_sidecar.text.content_words import terms
from vouch_sidecar.text.prompt_text import asks, blanked
from vouch_sidecar.text.sentences import Span

_ASKS_ABOUT = frozenset(
    """
    anything background basics brief context define definition describe description details
    everything explain facts give info information know learn mean meaning means notes overview
    quick recall remind say show something stuff summary tell things understand what whats who whos
    """.split()
)
"""Words that ask for everything there is about a name, or what it stands for."""
_BESIDE_A_NAME = frozenset(
    """
    a about an and any are can could did do does for have hello hey hi i is let lets me of on our
    please s tell the there to us was we were will would you
    """.split()
)
"""Words that may stand beside these and a name, and ask for nothing else."""
_REFLEX_COMMANDS = frozenset(
    """
    exit quit help status clear continue ok okay yes no thanks stop list ls list_tools tools resume
    retry undo
    """.split()
)
# What is an identifier by its looks alone; `workspace.names_in_text` also finds what may be one,
# such as `relay.py` or `and/or`, where a file of that name tells.
_EXACT = re.compile(
    r"(?<![\w#/.-])(?:"
    r"\#\d++|[A-Z][A-Z0-9]++-\d++|--[A-Za-z][\w-]++"  # tickets, standards, options
    r"|(?:\.{0,2}/)?(?:[\w-]++/)++[\w-]++(?:\.\w++(?![\w/]))++|(?:[\w.-]++/){2,}+[\w.-]*+"  # paths
    r"|[A-Za-z_]\w*+(?:(?:\.[A-Za-z_]\w?(?!\w))*+\.[A-Za-z_]\w{2,}+(?!/))++(?:\(\))?"  # dotted
    r"|[A-Za-z0-9]*+_[^\WA-Za-z0-9]*+[A-Za-z0-9]\w*+|[a-z][a-z0-9]*+(?:[A-Z][a-z0-9]*+)++"
    r"|[A-Z]++[a-z0-9]++(?:[A-Z][a-z0-9]*+)++"  # identifiers
    r")(?![\w/])"
)
_CODE = re.compile(
    r"(?<![\w#/.,-])(?:"
    r"0x[0-9A-F]++|[A-Z]{1,6}\d{3,6}"  # error codes
    r"|\d{1,4}(?:\.\d{1,5}){2,3}"  # versions and addresses
    r"|\d{4}-\d\d-\d\d|\d{1,2}:\d\d(?!:)|\d{1,2}(?::\d\d)? ?[ap]m"  # dates and times
    r"|(?:(?<=:)|(?<=port )|(?<=code )|(?<=error )|(?<=errno )|(?<=status ))\d{3,5}"
    r")(?![\w%/]|[.,:-]\d)"
    r"|(?:(?<=\bv)|(?<=version )|(?<=release ))\d{1,4}(?:\.\d{1,5}){1,3}(?![\w/]|[.,-]\d)",
    re.IGNORECASE,
)
"""Numbers that are the name of something."""
_NUMBER = re.compile(
    r"(?<![\w#/.,:-])(?<!http )(?!(?:19|20)\d\d\b)\d{1,3}(?!00\b)\d\d(?![\w%/]|[.,:-]\d)",
    re.IGNORECASE,
)
"""Other numbers of three to five digits, which are no year, no round number and no status of HTTP,
which means the same everywhere. They count only in a short question, or by themselves, as a text
may also give one by the way.
"""
_MAX_NUMBERED = 6
"""Words of such a question."""


def exact_places(text: str) -> Iterator[Span]:
    """Where the identifiers, tickets, paths, options and codes of a text stand."""
    text = text[:MAX_PHRASED]
    count = len(text.split(None, _MAX_NUMBERED))
    is_short = count < LEAST_WORDS or (count <= _MAX_NUMBERED and asks(text))
    patterns = (_EXACT, _CODE, _NUMBER) if is_short else (_EXACT, _CODE)
    return (match.span() for pattern in patterns for match in pattern.finditer(text))


def asks_only_about(text: str, names: Sequence[Span]) -> bool:
    """Whether a text is nothing but some names, or asks for them in general words: “Relay”, “what
    is Relay?”, “give me the basics on Relay”.
    """
    beside = {unit.folded for unit in units(blanked(text, names)).units}
    if not beside:
        return all(not is_command(text[start:end]) for start, end in names)
    return bool(beside & _ASKS_ABOUT) and beside <= _BESIDE_A_NAME | _ASKS_ABOUT


def is_command(text: str) -> bool:
    """Whether a text is the name of a command, such as `status`."""
    return fold(text.strip()) in _REFLEX_COMMANDS


def worth_searching(text: str) -> bool:
    """Whether a text is worth a full text search: it has three words, or an identifier, a ticket, a
    path, an option or a code, and is neither stopwords alone nor a command.
    """
    if any(exact_places(text)):
        return True
    signs = sum(unit.spaceless for unit in units(text[:MAX_PHRASED]).units)
    words = len(text.split())
    if max(words, words - 1 + signs // 2) < LEAST_WORDS:
        return False  # two signs of a script without spaces are a word
    return not _REFLEX_COMMANDS.issuperset(fold(term.word) for term in terms(text))
