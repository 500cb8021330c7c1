"""Splits text without markup into sentences, or windows, and tells whether a text says something by
itself. A long text is cut before an expression meets it: a match holds the interpreter to its end,
and no other thread, signal or end of input is seen meanwhile.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

Span = tuple[int, int]
"""Start and end of a part of a text, in characters."""
MAX_MATCHED = 4_096
"""Characters of a text that an expression meets at once."""
MAX_SENTENCE = 1_000
"""Characters of a sentence; after so many, the next full stop ends it in any case."""

_END = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’»)\]*_`]*+(?=\s)|[。！？]+[」』）”]*")
ABBREVIATED = frozenset(
    """
    e.g i.e etc vs cf viz resp approx incl excl al fig figs eq no nos vol pp p ch sec dr mr mrs ms
    prof st jr sr inc ltd co corp dept est max min avg jan feb mar apr jun jul aug sep sept oct nov
    dec z.b d.h u.a bzw ca
    """.split()
)
_LOOK_AHEAD = 40
WITHOUT_SPACES = "[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]"
"""A sign of a script without spaces, as an expression."""


HEADING = re.compile(r"^#{1,6}(?:[ \t]|$)", re.MULTILINE)
_LINK = re.compile(
    r"!?\[[^\[\]]*+\](?:\([^)\[]*+\)|\[[^\[\]]*+\])"
    r"|`[^`<]*+<[^`>]*+>`_*+|(?<!\w)<?\w++://[^\s>]*+>?"
)
_WORD = re.compile(r"[^\W_]+")
_MARKS = re.compile(r"</?[a-zA-Z][^<>]*+>")
_TALK = re.compile(
    r"(?:(?:sure(?: thing)?|of course|great|good (?:question|catch|point|call)|nice|perfect"
    r"|excellent|absolutely|certainly|definitely|got it|understood|okay|ok|done|no problem"
    r"|all (?:set|done|good)|sounds good|yes|no|yep|nope|alright|right|correct|exactly|fixed"
    r"|there you go)(?:\s*[,.!:;—–-]+\s*|\s*\Z))*+"
    r"(?:\Z|(?:let me|let's|i'll|i will|i'm (?:going|about) to|i am going to|would you like|thanks"
    r"|do you want|want me to|should i|shall i|could you|can you|feel free|please let|happy to"
    r"|glad to|hope (?:this|that)|is there anything|you're (?:right|welcome)|you are right|sorry"
    r"|thank you|apologies|now let me|next,? i'll|now i'll|if you(?:'d| would) like"
    r"|just let me|say the word)\b)",
    re.IGNORECASE,
)
_FEW_WORDS = 3


def windows(text: str) -> Iterator[Span]:
    """Start and end of the pieces of a text, each cut behind a line end, else behind a blank, else
    anywhere.
    """
    start = 0
    while start < len(text):
        end = start + MAX_MATCHED
        if end < len(text):
            end = text.rfind("\n", start, end) + 1 or text.rfind(" ", start, end) + 1 or end
        yield start, min(end, len(text))
        start = end


def sentence_spans(text: str) -> Iterator[Span]:
    """Start and end of the sentences of a paragraph, which has a bound."""
    start = 0
    for end in _END.finditer(text):
        if end.start() < start or not _ends(text, start, end.start(), end.end()):
            continue
        yield start, end.end()
        start = end.end()
        while start < len(text) and text[start].isspace():
            start += 1
    if start < len(text):
        yield start, len(text)


def _ends(text: str, start: int, mark: int, end: int) -> bool:
    """Whether a sentence that began at `start` ends with the marks at `mark`."""
    if end - start > MAX_SENTENCE or text[mark] in "。！？":
        return True
    if text[end : end + _LOOK_AHEAD].lstrip()[:1].islower():
        return False
    if text[mark] != "." or text[mark : mark + 2] == "..":
        return True
    last = (text[start:mark].split() or [""])[-1].lstrip("([{\"'“‘*_").lower()
    return not (last in ABBREVIATED or (len(last) == 1 and last.isalpha() and last != "i"))


def is_statement(text: str) -> bool:
    """Whether a text says something by itself: it is no heading, no introduction, no bare link and
    no markup.
    """
    line = text[:MAX_MATCHED].strip()
    bare = _LINK.sub(" ", line)
    # a badge is a picture in a link
    is_link = bare != line and len(_WORD.findall(_LINK.sub(" ", bare))) < 2
    is_markup = not _WORD.search(_MARKS.sub(" ", line))
    leads_in = text.rstrip().rstrip("*_ ").endswith((":", "："))
    return not (is_link or is_markup or leads_in or HEADING.match(line))


def is_fragment(text: str) -> bool:
    """Whether what stands in a document is too little to say something: an item of one or two
    words, a path.
    """
    few = len(text.split()) < _FEW_WORDS and not re.search(WITHOUT_SPACES, text)
    return few and not text.rstrip("*_)\"' ").endswith((".", "!", "?"))


def is_talk(text: str) -> bool:
    """Whether a sentence of a message only addresses its reader: an offer, a question back, an
    acknowledgement.
    """
    line = text.strip().replace("’", "'")
    return bool(_TALK.match(line)) or line.rstrip("*_)\"' ").endswith(("?", "？"))
