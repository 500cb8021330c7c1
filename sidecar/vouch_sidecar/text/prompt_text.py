"""Reads a prompt as an engineer does: sentence by sentence, without what machines printed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, pairwise

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
MAX_LOOKED_UP = 200
"""Characters of a path that are looked up in other texts."""
MAX_PATH_PARTS = 8
"""Parts of a path that are looked up in other texts."""
_NEXT_PART = re.compile(r"/(?=[^/])")
_BEGINS, _ENDS = re.compile(r"(?<![\w.~/-])"), re.compile(r"(?![\w-])")
"""Where a path may begin, and where one of its parts ends."""


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


def without_paths_outside(text: str, kept_length: Callable[[str], int], most: int) -> str:
    """A text of the same length, with blanks in place of paths that are absolute or climb.
    `kept_length` says of the first `most` how many characters at the beginning stay.
    """
    left = iter(range(most))

    def part(path: re.Match[str]) -> str:
        kept = path[0][: kept_length(path[0])] if next(left, None) is not None else ""
        return kept + " " * (len(path[0]) - len(kept))

    return _OUTSIDE.sub(part, text)


def shared_beginning(path: str, text: str) -> str:
    """The longest beginning of a path, up to one of its slashes, that another text holds. No more
    than `MAX_LOOKED_UP` characters and `MAX_PATH_PARTS` parts of the path are looked up.
    """
    slashes = islice(_NEXT_PART.finditer(path, 1, MAX_LOOKED_UP), MAX_PATH_PARTS)
    ends = [slash.start() for slash in slashes]
    if len(path) <= MAX_LOOKED_UP and len(ends) < MAX_PATH_PARTS:
        ends.append(len(path))
    shared = at = 0
    for end in ends:  # where a longer beginning stands, the shorter one stands too: at is no less
        at = _place_of(path[:end], text, at)
        if at < 0:
            break
        shared = end
    return path[:shared]


def _place_of(beginning: str, text: str, at: int) -> int:
    """Where the beginning of a path stands in a text from a place on, -1 if nowhere."""
    at = text.find(beginning, at)
    while at >= 0 and not (_BEGINS.match(text, at) and _ENDS.match(text, at + len(beginning))):
        at = text.find(beginning, at + 1)
    return at


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


_FILLERS = frozenset("also and but hey hi now ok okay so then well".split())
"""Words that a sentence may begin with in front of its question."""
_QUESTION_WORDS = frozenset(
    """
    any how hows what whats when where wheres which who whom whos whose why
    wann warum was welche welchem welchen welcher welches wem wen wer wie wieso wo woher wohin
    """.split()
)
"""Words that a question begins with, in English and German."""
_RELATIVE = frozenset("which who whom whose any was".split())
"""Those that behind a comma begin no question, but go on with the sentence."""
_AUXILIARIES = frozenset(
    """
    am are arent can cant could couldnt did didnt does doesnt dont has hasnt have havent is isnt may
    might must shall should shouldnt was wasnt were werent will wont would wouldnt do
    """.split()
)
_SUBJECTS = frozenset("any i it that the there they this we".split())
_NO_SUBJECTS = frozenset("a be been do have just no not now".split())
"""Words behind an auxiliary that follow no inversion: “should be”, “do not”, “have a look”."""
_ASKING_VERBS = frozenset(
    "describe explain forget forgot know me see show understand us wonder wondering".split()
)
"""Behind these a question word begins a question: “tell me how”, “I wonder why”."""
_ASKED_WITHIN = 7
"""Words of a sentence within which it begins to ask in such words."""
_REQUEST = re.compile(
    r"(?:can|could|will|would) you\b|please\b|let'?s\b|(?:do|would) you (?:mind|want)\b"
    r"|why don'?t you\b|why not\b|how about\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[,;:](?=\s)|(?<=\s)[-–—](?=\s)")
_TAG = 2
"""Words of a clause behind a comma that only asks for consent: “ok?”, “could you?”, “ship it?”."""
_INDENT = 80
"""Characters of a line in which it begins."""
MAX_QUESTION = 400
"""Characters of a question; what is longer was pasted."""


def asks(text: str) -> bool:
    """Whether a text asks something: one of its own sentences, outside of lines that machines
    printed, is a question by its form. An instruction or a statement with a short question behind
    its last comma (“…, ok?”) is none.
    """
    printed = without_printed(text)  # keeps \n alone of the line ends that splitlines knows
    own = "\n".join(
        line
        for line, left in zip(text.split("\n"), printed.split("\n"), strict=False)
        if line[:_INDENT].lstrip()[:1] == left[:_INDENT].lstrip()[:1]
    ).strip()
    return len(own) <= MAX_QUESTION and any(
        _is_question(own[start:end].strip()) for start, end in asked_sentences(own)
    )


def _is_question(sentence: str) -> bool:
    clauses = [words for part in _CLAUSE.split(sentence) if (words := _plain_words(part))]
    if not clauses or all(map(_says_nothing, clauses)):
        return False
    first, *others = clauses
    if _asks_in_words(first) or any(map(_goes_on_asking, others)):
        return True
    if _REQUEST.match(" ".join(first)):
        return False
    last = clauses[-1]
    is_marked = sentence.rstrip("\"'”’)*_` ").endswith(("?", "？"))
    if is_marked and last[0] in _QUESTION_WORDS:
        return True
    is_tag = bool(others) and (len(last) <= _TAG or _says_nothing(last))
    return (is_marked and not is_tag) or _begins_question(first)


def _plain_words(text: str) -> list[str]:
    """The words of a text, small and without apostrophes, behind those that only fill."""
    words = [_APOSTROPHE.sub("", word[0]).lower() for word in _WORD.finditer(text)]
    begin = next((at for at, word in enumerate(words) if word not in _FILLERS), len(words))
    return words[begin:] or words


def _says_nothing(words: Sequence[str]) -> bool:
    return all(word in STOPWORDS or word in _STEERING for word in words)


def _asks_in_words(words: Sequence[str]) -> bool:
    """“tell me how …”, “I wonder why …”"""
    return any(
        verb in _ASKING_VERBS and word in _QUESTION_WORDS and word != "when"
        for verb, word in pairwise(words[:_ASKED_WITHIN])
    )


def _begins_question(words: Sequence[str]) -> bool:
    """“why is …”, “is the …”, “do we …”"""
    first, second = words[0], words[1] if len(words) > 1 else ""
    if first in ("when", "where"):  # else it says under which condition
        return second in _AUXILIARIES
    if first in _QUESTION_WORDS:
        return True
    if first not in _AUXILIARIES or len(words) < 3 or second in _NO_SUBJECTS:
        return False
    return first not in ("do", "dont", "have") or _is_many(words[1:])


def _is_many(words: Sequence[str]) -> bool:
    """Whether words begin with a plural, which “do” and “have” ask about: “do the refunds go …”."""
    noun = words[1] if words[0] in ("the", "our", "these", "those", "all", "any") else words[0]
    return noun in ("i", "we", "they") or (noun.endswith("s") and noun not in ("this", "us"))


def _goes_on_asking(words: Sequence[str]) -> bool:
    """Whether a clause behind a comma is a question: “a parcel is lost, where do I …”."""
    first, second = words[0], words[1] if len(words) > 1 else ""
    if len(words) < 3 or first in _RELATIVE or _says_nothing(words):
        return False
    if first in _QUESTION_WORDS:
        return second in _AUXILIARIES
    return first in _AUXILIARIES and second in _SUBJECTS
