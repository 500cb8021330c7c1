"""Reads a prompt as an engineer does: sentence by sentence, without what machines printed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import accumulate, chain, groupby, pairwise
from operator import xor

from vouch_sidecar.text.sentences import Span

_PRINTED = re.compile(
    r"""
    ^(?:\([\w.-]++\)[ ])?+\[?+[\w.-]++@[\w.-]++(?:[: ][^\s\]$\#%>]{0,200}+)?+\]?+[ ]?+[$\#%>][ ]
    |^[ \t]*+(?:\$|>>>|(?:PS[ ])?+[A-Z]:\\[^>\n]{0,200}+>)(?:[ ]|(?<=>)(?=\w))
    |^[➜❯λ][ ]++(?:\S++[ ]++git:\([^()\n]*+\)[ ]++(?:[^\w\s][ ]++)?+)?+    # prompts of terminals
    |^[ \t]++(?:at|from)[ ][^\n:(]*+[:(][^\n]*+                               # frames of a stack
    |^[ \t]*+\#\d{1,3}+[ ]++(?:0x|/|\w++[ ]\()[^\n]*+
    |^[ \t]*+File[ ]["'][^"'\n]++["'],[ ]line[ ]\d[^\n]*+(?:\n[ ]{4}(?!File)[^\n]*+){0,2}+
    |(?<![\w.:-])\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?+(?:[.,]\d++)?+(?:Z|[+-]\d\d:?\d\d)?+
    |(?<![\w.:-])\d\d/[A-Z][a-z][a-z]/\d{4}:\d\d:\d\d:\d\d(?:[ ][+-]\d{4})?+
    |(?<![\w.:-])(?:[A-Z][a-z][a-z][ ]{1,2}+\d{1,2}+[ ])?+\d\d:\d\d:\d\d(?:[.,]\d++)?+(?![\w:])
    """,
    re.MULTILINE | re.VERBOSE,
)
"""Timestamps, prompts of terminals, and frames of a stack."""
_END = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’)\]*_`]*+(?=\s)|\n(?![a-z])")
MAX_LINE = 400
"""Characters of a line that tell whether a machine printed it."""
_COUNT = re.compile(r"(?<![\w.:/-])\d{1,2}(?![\w./-])")
_PRINTED_LINE = re.compile(
    r"""                                                                             # a time
    (?:\W{0,3}|time="?)(?:\d{4}-\d\d-\d\d[T ]\d|\d\d?:\d\d:\d\d|[A-Z][a-z]{2}\s{1,2}\d\d?\s\d\d:)
    |\W{0,3}(?:[\w.-]{1,40}[:\s]\s?)?\W?(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERR(?:OR|!)|FATAL
        |FAIL(?:ED|URE)?|PASS(?:ED)?)(?![\w-]|\s?[=(.,])                             # a level
    |\W{0,3}(?:[\w.-]{1,40}:?\s)?(?:error|warn(?:ing)?|info)(?:\[\w{1,8}\]|:|\s=>|\s\s)
    |[DEFIVW](?:\s\(\d{1,9}\)|/\w{1,40}:?\(|\d{4}\s\d\d:)
    |\[(?![A-Z]{1,9}-\d)[A-Za-z][\w.:/\ -]{0,39}\]\s(?![=:])              # who prints
    |[\w.-]{1,40}(?:\[\d{1,9}\]:|:\s\[\w{1,40}\])\s|(?:fatal|panic|remote|make(?:\[\d\])?):\s
    |Caused\sby:|Traceback\s\(|Step\s\d{1,3}/\d
    |[\w.$]{0,100}(?:Error|Exception)(?::\s|$)
    |\#?\s?[\w.$/\\@+-]{1,200}\.[A-Za-z]\w{0,5}                                      # a place
        (?::\d+(?::|\s[+-]|$)|\(\d{1,6}(?:,\d{1,6})?\):|:\[\d|::\w{1,100}\s[A-Z]{4})
    |\#\d{1,3}\s{1,2}(?:0x|/|\[|\d|\w+\s\(|CACHED|DONE|ERROR)
    |(?:\S{1,80}\s){0,8}?[\w.]{1,40}=[^\s,()"'<>]{1,200}\s[\w.]{1,40}=[^\s,()"'<>]    # values
    |(?:\$|>>>|[\w.-]{1,40}@[\w.-]{1,40}\S{0,80}[$\#%])\s                           # a shell
    |>\s(?:Task\s:|[\w@/.-]{1,80}@\d)|(?:DELETE|GET|HEAD|PATCH|POST|PUT)\s/\S{0,200}\sHTTP/
    |HTTP/\d|[A-Z][\w ]{1,30}:\s{3,}\S|\{"[\w.-]{1,40}":|.{1,120}?(?<!\.)\.{6,}+\s?\w{1,20}$
    |\[?[✓✔✗✖✕✘❌✅●⠁-⣿│└├┌]|={3,}\s\S|\*{3}\s\w|\+[-=]{3}                              # signs
    """,
    re.VERBOSE,
)
"""How a line begins that a machine printed, a form in each line."""


def printed_lines(text: str) -> list[Span]:
    """Where the lines of a text are that a machine printed: those in a fence, and between fences
    those of a known form, with all from the paragraph of the first of these to the end of the last
    one's, but for lines that end as a question or an introduction does, and for what stands above
    the first without a blank line. What stands behind the mark that closes a fence was typed.
    """
    lines = text.split("\n")
    words = [line.strip() for line in lines]
    # code between two marks on one line opens no fence
    marks = (line.startswith("```") and "`" not in line.lstrip("`") for line in words)
    fenced, printed = [*accumulate(marks, xor)], list[int]()
    for is_fenced, group in groupby(range(len(lines)), fenced.__getitem__):
        run = [*group]
        formed = {n for n in run if is_fenced or _PRINTED_LINE.match(words[n][:MAX_LINE])}
        if formed:
            first, last = min(formed), max(formed)
            begin = max((n + 1 for n in run if n < first and not words[n]), default=first)
            end = min((n for n in run if n > last and not words[n]), default=run[-1] + 1)
            printed += (
                n for n in range(begin, end) if n in formed or not words[n].endswith(("?", ":"))
            )
    starts = [*accumulate((len(line) + 1 for line in lines), initial=0)]
    return [(starts[n], starts[n] + len(lines[n])) for n in printed]


WHOM = re.compile(
    r"""
    \bwhom?\s(?:to|(?:can|could|do|does|may|might|must|shall|should|would)
    \s(?:i|one|somebody|someone|we|you)(?:\s\w+){0,2}?)
    \s(?:ask|consult|contact|ping|reach|(?:speak|talk)\s(?:to|with)|turn\sto)\b
    |(?P<owns>\bwho(?:['’]?s|\sare|\sis)?\s(?:(?:actually|currently|now|really|the)\s){0,2}
    (?:contacts?|experts?|in\scharge|leads?|looks\safter|maintain(?:s|ers?)?|own(?:s|ers?)?
    |responsible|takes\scare|to\sask)\b)
    |\bwho\sknows\s(?:\w+\s){0,2}?(?=about\b)
    |\bwho\sknows\s(?=(?:[\w-]{1,40}\s){1,6}(?:best|most)\b)
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Words that ask for somebody: “who owns”, “whom do I ask”, “who knows the labels best”."""
BEST = re.compile(r"\b(?:best|most)\b", re.IGNORECASE)


def blanked(text: str, places: Iterable[Span]) -> str:
    """A text of the same length and lines, with blanks at the given places."""
    out = list(text)
    for start, end in places:
        out[start:end] = ["\n" if sign == "\n" else " " for sign in out[start:end]]
    return "".join(out)


def without_printed(text: str) -> str:
    """A text with blanks in place of what machines print and no person asks about: frames of a
    stack, timestamps, prompts of terminals, and small numbers in printed lines.
    """
    counts = (_COUNT.finditer(text, *line) for line in printed_lines(text))
    printed = chain(_PRINTED.finditer(text), *counts)
    return blanked(text, (match.span() for match in printed))


def without_asking(text: str) -> str:
    """A text with blanks in place of the words that ask for somebody. Those stay that a claim may
    answer: who owns, leads or maintains.
    """
    asking = WHOM.search(text)
    if asking is None or asking["owns"]:
        return text
    best = (word.span() for word in BEST.finditer(text))
    return blanked(text, [asking.span(), *best])


def asked_sentences(text: str) -> list[Span]:
    """Where the sentences and lines of a prompt begin and end. A line goes on in the next one where
    that begins with a small letter.
    """
    ends = [mark.end() for mark in _END.finditer(text)]
    return [span for span in pairwise([0, *ends, len(text)]) if text[slice(*span)].strip()]


_ASKING = re.compile(
    r"(?:^|[,;:]\s|\s[-–—]\s)\s*+(?:and |so |but |hey |ok(?:ay)? |then )*+"
    r"(?:(?:what|why|how|who|whom|whose)\b|(?:when|where|which)(?: \w{1,30})?"
    r" (?:is|are|was|were|do(?:es)?|did|has|have|can|could|should|must|will|would)\b"
    r"|(?:is|are|was|were|does|did|has|can|could|should|must)"
    r" (?:it|there|that|this|the|we|they|any|i)\b|do (?:we|they|i)\b)",
    re.IGNORECASE,
)
"""How a question, or a clause of one, begins that may lack its mark."""


def asks(text: str) -> bool:
    """Whether a text asks something: one of its own sentences, outside of lines that machines
    printed, begins as a question or ends with its mark.
    """
    typed = blanked(text, printed_lines(text)).strip()
    sentences = (
        typed[slice(*span)].strip().strip("\"'“”()*_` ") for span in asked_sentences(typed)
    )
    return any(said.endswith(("?", "？")) or _ASKING.search(said) for said in sentences)
