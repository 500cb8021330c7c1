"""Whether a text says something by itself."""

from __future__ import annotations

import re

from vouch_sidecar.text.sentences import WITHOUT_SPACES
from vouch_sidecar.text.windows import replaced

_HEADING = re.compile(r"#{1,6}(?:[ \t]|$)")
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
_SIGN = re.compile(WITHOUT_SPACES)
_FEW_WORDS = 3


def is_statement(text: str) -> bool:
    """Whether a text says something by itself: it is no heading, no introduction, no bare link and
    no markup.
    """
    line = text.strip()
    bare = replaced(_LINK, " ", replaced(_LINK, " ", line))  # a badge is a picture in a link
    is_link = bare != line and len(_WORD.findall(bare)) < 2
    is_markup = not _WORD.search(replaced(_MARKS, " ", line))
    leads_in = line.rstrip("*_ ").endswith((":", "："))
    return not (is_link or is_markup or leads_in or _HEADING.match(line))


def is_fragment(text: str) -> bool:
    """Whether what stands in a document is too little to say something: an item of one or two
    words, a path.
    """
    few = len(text.split()) < _FEW_WORDS and not _SIGN.search(text)
    return few and not text.rstrip("*_)\"' ").endswith((".", "!", "?"))


def is_talk(text: str) -> bool:
    """Whether a sentence of a message only addresses its reader: an offer, a question back, an
    acknowledgement.
    """
    line = text.strip().replace("’", "'")
    return bool(_TALK.match(line)) or line.rstrip("*_)\"' ").endswith(("?", "？"))
