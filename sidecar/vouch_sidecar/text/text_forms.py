"""The form of a text: whether it says something by itself."""

from __future__ import annotations

import re
from enum import StrEnum

from vouch_sidecar.text.sentences import WITHOUT_SPACES
from vouch_sidecar.text.windows import replaced

ATX_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
"""How a heading of Markdown begins."""


class Form(StrEnum):
    """The form of a text. Only a `STATEMENT` says something by itself."""

    STATEMENT = "statement"
    HEADING = "heading"
    LEAD_IN = "lead-in"
    LINK = "link"
    CODE = "code"
    MARKUP = "markup"
    TALK = "talk"
    FRAGMENT = "fragment"


_URL = re.compile(
    r"!?\[[^\[\]]*+\](?:\([^)\[]*+\)|\[[^\[\]]*+\])"
    r"|`[^`<]*+<[^`>]*+>`_*+|(?<!\w)<?\w++://[^\s>]*+>?"
)
_WORD = re.compile(r"[^\W_]+")
_MARKS = re.compile(r"</?[a-zA-Z][^<>]*+>")
_OFFER = re.compile(
    r"(?:let me|let's|i'll|i will|i'm (?:going|about) to|i am going to|would you like|do you want"
    r"|want me to|should i|shall i|could you|can you|feel free|please let|happy to|glad to"
    r"|hope (?:this|that)|is there anything|you're (?:right|welcome)|you are right|thanks"
    r"|thank you|sorry|apologies|now let me|next,? i'll|now i'll|if you(?:'d| would) like"
    r"|just let me|say the word)\b",
    re.IGNORECASE,
)
_ANSWERS = re.compile(
    r"(?:sure(?: thing)?|of course|great(?: question)?|good (?:question|catch|point|call)|nice"
    r"|perfect|excellent|absolutely|certainly|definitely|got it|understood|okay|ok|done"
    r"|all (?:set|done|good)|no problem|sounds good|yes|no|yep|nope|alright|right|there you go"
    r"|correct|exactly|fixed)"
    r"(?:\s*[,.!:;—–-]+\s*|\s*\Z)",
    re.IGNORECASE,
)
_FEW_WORDS = 3


def form_of_text(text: str) -> Form:
    """The form of a text, judged by the text alone."""
    line = text.strip()
    if ATX_HEADING.match(line):
        return Form.HEADING
    if line.rstrip("*_ ").endswith((":", "：")):
        return Form.LEAD_IN
    bare = replaced(_URL, " ", replaced(_URL, " ", line))  # a badge is a picture in a link
    if bare != line and len(_WORD.findall(bare)) < 2:
        return Form.LINK
    if not _WORD.search(replaced(_MARKS, " ", line)):
        return Form.MARKUP
    return Form.STATEMENT


def is_fragment(text: str) -> bool:
    """Whether what stands in a document is too little to say something: an item of one or two
    words, a path.
    """
    few = len(text.split()) < _FEW_WORDS and not WITHOUT_SPACES.search(text)
    return few and not text.rstrip("*_)\"' ").endswith((".", "!", "?"))


def is_talk(text: str) -> bool:
    """Whether a sentence of a message only addresses its reader: an offer, a question back, an
    acknowledgement.
    """
    line = text.strip().replace("’", "'")
    rest = line
    while answered := _ANSWERS.match(rest):
        rest = rest[answered.end() :]
    if _OFFER.match(rest) or line.rstrip("*_)\"' ").endswith(("?", "？")):
        return True
    return rest != line and len(_WORD.findall(rest)) < _FEW_WORDS
