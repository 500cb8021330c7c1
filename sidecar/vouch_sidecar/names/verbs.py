"""Tells an English verb from a name that is the same word."""

from __future__ import annotations

import re

from vouch_sidecar.names.mentions import Mention
from vouch_sidecar.text.analysis import fold
from vouch_sidecar.text.english_words import OBJECTS, VERBS, tier

_BEFORE_NOUNS = frozenset(
    """
    a an the my your our their his her its any some every each no about at behind between by for
    from in into of on onto through via with without
    """.split()
)
"""Words behind which a noun stands."""
_RELATIVE = frozenset({"that", "those", "all"})
"""Words with which more may be said of a noun: the queue that stalls."""
_WORD_BEFORE = re.compile(r"(?<![\w'])[\w']++[ \t]++$")
_WORD_AFTER = re.compile(r"[ \t]++([\w']++)")
_NEAR = 40
"""Characters in which a neighbouring word is looked for."""


def is_verb(text: str, mention: Mention) -> bool:
    """Whether the word at a mention is a verb there: an English word in lower case with an object
    behind it, as in `search the index`, or a common verb behind a subject, as in `it uses Redis`.
    """
    word = text[mention.start : mention.end]
    if not (word.islower() and word.isalpha() and tier(fold(word))):
        return False
    before = _WORD_BEFORE.search(text[max(0, mention.start - _NEAR) : mention.start])
    after = _WORD_AFTER.match(text, mention.end, mention.end + _NEAR)
    follows = fold(before[0].strip()) if before else ""
    if follows in _BEFORE_NOUNS:
        return False
    has_object = after is not None and fold(after[1]) in OBJECTS - _RELATIVE
    return has_object or (fold(word) in VERBS and follows not in ("", "to", "and", "or"))
