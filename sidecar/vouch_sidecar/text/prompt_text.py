"""Reads a prompt as an engineer does: sentence by sentence, without what machines printed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from vouch_sidecar.text.english_words import STOPWORDS

Span = tuple[int, int]

_PRINTED = re.compile(
    r"""
    ^[ \t]*+File[ ]"[^"\n]++",[ ]line[ ]\d++[^\n]*+          # a frame of a Python stack
    |^[ \t]*+at[ ][\w.$<>/\[\] -]{1,200}+\([^()\n]*+\)       # of JavaScript, Java and C#
    |^[ \t]*+\d++:[ ]++0x[0-9a-f]++[ ]-[ ][^\n]*+            # of Rust
    |^[\w.-]++@[\w.-]++[:~ ][^\n$\#]{0,200}+[$\#][ ]         # the prompt of a terminal
    |^[ \t]*+(?:\$|>>>|PS[ ][A-Z]:[^>\n]{0,200}+>)[ ]
    |(?<![\w.:-])\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?+(?:[.,]\d++)?+(?:Z|[+-]\d\d:?\d\d)?+
    |(?<![\w.:-])\d\d:\d\d:\d\d(?:[.,]\d++)?+(?![\w:])
    |(?<![\w./-])(?:[A-Z]:\\|~/|/(?:etc|home|lib|mnt|opt|private|proc|root|srv|tmp|usr|var|Users)/)
     [^\s"'`)\]},:;]*+                                       # a path outside a repository
    """,
    re.MULTILINE | re.VERBOSE,
)
"""What machines print and no person asks about."""
_SIGN = re.compile(r"\S")
_END = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’)\]*_`]*+(?=\s)|\n(?![a-z])")
_ABBREVIATED = frozenset("e.g i.e etc vs cf approx incl eq no fig mr mrs dr st".split())
LOOK_BACK = 32
"""Characters in front of a full stop in which an abbreviation is looked for."""


WHOM = re.compile(
    r"""
    \bwhom?\s(?:can|could|do|does|may|might|must|shall|should|would)
    \s(?:i|one|somebody|someone|we|you)
    \s(?:\w+\s){0,2}?(?:ask|consult|contact|ping|reach|speak\sto|talk\sto|turn\sto)\b
    |(?P<owns>\bwho(?:'?s|\sare|\sis)?\s(?:(?:actually|currently|now|really|the)\s){0,2}
    (?:contacts?|experts?|in\scharge|leads?|looks\safter|maintain(?:s|ers?)?|own(?:s|ers?)?
    |responsible|takes\scare|to\sask)\b)
    |\bwho\sknows\s(?:\w+\s){0,2}?(?=about\b)
    |\bwho\sknows\s(?=(?:[\w-]{1,40}\s){1,6}(?:best|most)\b)
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Words that ask for somebody: “who owns”, “whom do I ask”, “who knows the labels best”."""
BEST = re.compile(r"\b(?:best|most)\b", re.IGNORECASE)


def without_printed(text: str) -> str:
    """A text of the same length, with blanks in place of frames of a stack, timestamps, prompts of
    terminals, and paths outside a repository.
    """
    return _PRINTED.sub(lambda printed: _SIGN.sub(" ", printed[0]), text)


def without_asking(text: str) -> str:
    """A text of the same length, with blanks in place of the words that ask for somebody. Those
    stay that a claim may answer: who owns, leads or maintains.
    """
    asking = WHOM.search(text)
    if asking is None or asking["owns"]:
        return text
    blank = text[: asking.start()] + " " * len(asking[0]) + text[asking.end() :]
    return BEST.sub(lambda word: " " * len(word[0]), blank)


def without_who_knows(text: str) -> str:
    """As `without_asking`, without “who knows” and “who knows about” wherever they stand: for those
    who ask for nothing but people. The text itself where nothing else is left.
    """
    rest = _KNOWS.sub(lambda asking: " " * len(asking[0]), without_asking(text))
    return rest if _WORD.search(rest) else text


_KNOWS = re.compile(r"\bwho\sknows\b(?:\sabout\b)?", re.IGNORECASE)
_STEERING = frozenset(
    """
    again ahead alright answer brief briefly careful carefully concise continue cool correct detail
    details done exactly explain explanation fine good great hello help hey hi idea it keep know
    like long look looks make nice ok okay perfect proceed question quick quickly reply right short
    shortly simple sorry sound sounds start step steps stop sure thank thanks think today try
    understand wait way word words work works wrong yep yeah
    """.split()
)
"""Words that steer a conversation and name no subject."""
_WORD, _APOSTROPHE = re.compile(r"\w[\w'’]*+"), re.compile("['’]")
_MAX_STEERING = 80
"""Characters of a sentence that only steers."""


def without_steering(text: str) -> str:
    """A text of the same length, with blanks in place of those of its several sentences that only
    steer the conversation: “thanks, that looks good.”
    """
    sentences = asked_sentences(text)
    steering = [span for span in sentences if len(sentences) > 1 and _steers(text[slice(*span)])]
    for start, end in steering:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _steers(sentence: str) -> bool:
    if len(sentence) > _MAX_STEERING:
        return False
    words = (_APOSTROPHE.sub("", word[0]).lower() for word in _WORD.finditer(sentence))
    return all(word in STOPWORDS or word in _STEERING for word in words)


def asked_sentences(text: str) -> list[Span]:
    """Where the sentences and lines of a prompt begin and end. A line goes on in the next one where
    that begins with a small letter.
    """
    return [(start, end) for start, end in _sentences(text) if text[start:end].strip()]


def _sentences(text: str) -> Iterator[Span]:
    start = 0
    for mark in _END.finditer(text):
        words = text[max(start, mark.start() - LOOK_BACK) : mark.start()].rsplit(None, 1)[-1:]
        if words and mark[0][0] == "." and words[0].lower().lstrip("([") in _ABBREVIATED:
            continue
        yield start, mark.end()
        start = mark.end()
    yield start, len(text)


_ASKING = re.compile(
    r"(?:\A|[,;:.]\s)(?:and |so |but |hey |ok(?:ay)? |then )*+"
    r"(?:what|why|how|where|when|who|whom|whose|which"
    r"|(?:is|are|was|were|does|did|has|can|could|should|must)"
    r" (?:it|there|that|this|the|we|they|any)|do (?:we|they|i))\b",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"(?:and |so |but |hey |ok(?:ay)? |then )*+(?:can|could|will|would) you\b|(?:please|let's)\b"
    r"|(?:do|would) you (?:mind|want)\b|should i\b|shall (?:i|we)\b",
    re.IGNORECASE,
)
MAX_QUESTION = 400
"""Characters of a question; what is longer was pasted."""


def asks(text: str) -> bool:
    """Whether a stored text asks something: no instruction, confirmation or pasted text."""
    line = text.strip()
    if len(line) > MAX_QUESTION:
        return False
    sentences = [line[start:end].strip() for start, end in asked_sentences(line)]
    return any(
        not _REQUEST.match(sentence)
        and (sentence.endswith(("?", "？")) or _ASKING.search(sentence) is not None)
        for sentence in sentences
    )
