"""Reads a prompt as an engineer does: sentence by sentence, without what machines printed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from vouch_sidecar.text.english_words import STOPWORDS
from vouch_sidecar.text.stack_frames import frames

Span = tuple[int, int]

_PRINTED = re.compile(
    r"""
    ^(?:\([\w.-]++\)[ ])?+\[?+[\w.-]++@[\w.-]++(?:[: ][^\s\]$\#%>]{0,200}+)?+\]?+[ ]?+[$\#%>][ ]
    |^[ \t]*+(?:\$|>>>|(?:PS[ ])?+[A-Z]:\\[^>\n]{0,200}+>)(?:[ ]|(?<=>)(?=\w))
    |^[➜❯λ][ ]++(?:\S++[ ]++git:\([^()\n]*+\)[ ]++(?:[^\w\s][ ]++)?+)?+    # prompts of terminals
    |(?<![\w.:-])\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?+(?:[.,]\d++)?+(?:Z|[+-]\d\d:?\d\d)?+
    |(?<![\w.:-])\d\d/[A-Z][a-z][a-z]/\d{4}:\d\d:\d\d:\d\d(?:[ ][+-]\d{4})?+
    |(?<![\w.:-])(?:[A-Z][a-z][a-z][ ]{1,2}+\d{1,2}+[ ])?+\d\d:\d\d:\d\d(?:[.,]\d++)?+(?![\w:])
    """,
    re.MULTILINE | re.VERBOSE,
)
"""Timestamps, and prompts of terminals."""
_OUTSIDE = re.compile(
    r"""
    (?<![\w.~/<@*})-])(?:
    (?<=")(?:[A-Za-z]:)?+[\\/][^"\n\\/]{1,100}+[\\/][^"\n]{1,300}+(?=")    # in quotes, with blanks
    |(?:file:/++|[A-Za-z]:[\\/]|~/|(?:\.\./)++|\\\\(?=\w))[^\s"'`)\]},:;]*+
    |/[\w.@+~-]++/[^\s"'`)\]},:;]*+
    )
    """,
    re.VERBOSE,
)
"""Paths that are absolute or climb. A single `/word` is no path: it may be a route or a command."""
_END = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’)\]*_`]*+(?=\s)|\n(?![a-z])")
_ABBREVIATED = frozenset("e.g i.e etc vs cf approx incl eq no fig mr mrs dr st".split())
LOOK_BACK = 32
"""Characters in front of a full stop in which an abbreviation is looked for."""


WHOM = re.compile(
    r"""
    \bwho(?:
    m?\s(?:can|could|do|does|may|might|must|shall|should|would)
    \s(?:i|one|somebody|someone|we|you)\s(?:\w+\s){0,2}?
    |(?:['’]?s|\sis|\sare|\swould\sbe)\s(?:(?:an?|best|good|our|the|your)\s(?:\w+\s){0,3}?)?to\s
    |m?\sto\s
    )(?:ask|consult|contact|ping|reach|(?:speak|talk)\s(?:to|with)|turn\sto)\b
    |\bwho\s(?:can|could|might|may|would)\s(?:\w+\s)?(?:explain|(?:help|show|teach|tell)\s(?:me|us))\b
    |\bwho\shas\s(?:\w+\s){0,3}?(?:experience|expertise|knowledge)\b
    |(?P<owns>\bwho(?:['’]?s|\sare|\sis)?\s(?:(?:actually|an?|currently|now|really|the)\s){0,2}
    (?:contacts?|experts?|in\scharge|leads?|looks\safter|maintain(?:s|ers?)?|own(?:s|ers?)?
    |responsible|takes\scare)\b)
    |\bwho(?:\sknows|(?:['’]d|\scould|\smay|\smight|\swould)\sknow)\s(?:\w+\s){0,3}?(?=about\b)
    |\bwho\sknows\s(?=(?:[\w-]{1,40}\s){1,6}(?:best|most|well)\b)
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Words that ask for somebody: “who owns”, “whom do I ask”, “who knows the labels best”."""
BEST = re.compile(r"\b(?:best|most|well)\b", re.IGNORECASE)


def without_printed(text: str) -> str:
    """A text of the same length, with blanks in place of what machines print and no person asks
    about: frames of a stack, timestamps and prompts of terminals.
    """
    out = list(text)
    for start, end in frames(text):
        out[start:end] = " " * (end - start)
    return _PRINTED.sub(_blanks, "".join(out))


def without_paths_outside(text: str, known: Callable[[str], int], most: int) -> str:
    """A text of the same length, with blanks in place of paths that are absolute or climb. `known`
    says of the first `most` how many characters at the beginning stay.
    """
    left = iter(range(most))

    def part(path: re.Match[str]) -> str:
        kept = path[0][: known(path[0])] if next(left, None) is not None else ""
        return kept + " " * (len(path[0]) - len(kept))

    return _OUTSIDE.sub(part, text)


def shared_beginning(path: str, text: str) -> str:
    """The longest beginning of a path, up to one of its slashes, that another text holds."""
    beginning = path
    while beginning:
        if re.compile(rf"(?<![\w.~/-]){re.escape(beginning)}(?![\w-])").search(text):
            break
        beginning = beginning.rstrip("/").rpartition("/")[0]
    return beginning


def _blanks(match: re.Match[str]) -> str:
    return " " * len(match[0])


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
