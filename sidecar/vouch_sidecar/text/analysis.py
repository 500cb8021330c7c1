"""One analysis of text, for names, claims and questions alike.

A text becomes *units*: words, the parts of identifiers, and single characters of scripts that are
written without spaces. Every unit keeps its offsets in the original text, whatever folding does to
its length.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import pairwise
from sys import intern
from typing import NamedTuple

from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

from vouch_sidecar.text.english_words import STOPWORDS, tier

# Scripts without spaces: CJK, kana, hangul (particles follow without a space), Thai, Lao, Khmer.
_SPACELESS = (
    "\u0e00-\u0eff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_MARKS = "\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u064b-\u065f\u0670\u00ad\u200b-\u200d\u2060"
_INDIC = "\u0900-\u0963\u0966-\u0dff"
"""Scripts whose vowel signs Python counts for no letters: पान is no word of पानी."""
_LETTER = rf"(?:[^\W_{_SPACELESS}]|[{_MARKS}{_INDIC}])"


@cache
def _tokens() -> re.Pattern[str]:
    # Compiled when a text asks for it: characters from so many ranges take 5 ms.
    return re.compile(
        rf"(?P<spaceless>[{_SPACELESS}]+)"
        # .NET and .env, but no class of a style sheet and no method
        rf"|(?<![\w.{_MARKS}])\.(?:[A-Z]{{2,}}|[a-z]{{2,}}|Net)(?![\w{_MARKS}])"
        rf"|[A-Za-z]{{1,3}}(?:\+\+|\#)(?![\w+#{_MARKS}])"  # C++, C#
        rf"|{_LETTER}++(?:['’ʼ＇]{_LETTER}++)*+(?:['’](?!\w))?"
    )


_ANY_MARK = re.compile(f"[{_MARKS}]")
APOSTROPHES = re.compile("['’ʼ＇]")
_POSSESSIVE = re.compile("['’ʼ＇][sS]?$")
_ELISION = re.compile(r"(?:[ldjmntscLDJMNTSC]|[qQ]u)['’](?=\w\w)")
_SOFT_GAP = re.compile(r"[^\S\n]*+\n?[^\S\n]*+|[-_‐‑–]")
_ACRONYM = re.compile(r"([A-Z][A-Z0-9]+)e?s")
"""One in the plural: DLQs, VMs, SMSes."""
_CONSONANT = r"[^\W\d_aeiouy]"
_UNSOUNDED = re.compile(
    rf"({_CONSONANT}{{2,40}}[aiou]?|{_CONSONANT}[aiou])(?<!s)s|({_CONSONANT}{{1,40}}[sxz])es"
)
"""A plural that the stemmer leaves, as it wants a vowel before the letter in front: dlqs, cpus."""
_PIECE = 1 << 10
"""Characters that are normalized at once: many marks in a row take time by their square."""

_STEMMER = TextAnalyzerBuilder(Tokenizer.raw()).filter(Filter.stemmer("english")).build()


def fold(text: str) -> str:
    """A text in lower case without diacritics, for comparing. Its length may differ."""
    if text.isascii():
        return text.lower()
    return "".join(
        _fold_piece(text[start : start + _PIECE]) for start in range(0, len(text), _PIECE)
    )


def _fold_piece(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", _ANY_MARK.sub("", decomposed)).casefold()


@lru_cache(maxsize=1 << 13)
def stem(folded: str) -> str:
    """English stem of a folded word (Snowball), also of acronyms in the plural."""
    plural = _UNSOUNDED.fullmatch(folded)
    if plural and folded not in STOPWORDS and not tier(folded):
        return stem(plural[1] or plural[2])
    stems = _STEMMER.analyze(folded)
    return intern(stems[0] if stems else folded)


def is_acronym(written: str) -> bool:
    """Whether a word is in capitals, but for an s of the plural."""
    return written.isupper() or _ACRONYM.fullmatch(written) is not None


class Unit(NamedTuple):
    """A word, a part of an identifier, or a character of a script without spaces."""

    start: int
    end: int
    folded: str
    stem: str
    gap: str
    """The punctuation before the unit; "" if there is none, or it may join the words of a name."""
    spaceless: bool


@lru_cache(maxsize=1 << 14)
def _word(token: str) -> tuple[Unit, tuple[Unit, ...]]:
    """A token without what case, possessives and elision add, and the parts of an identifier, with
    offsets within the token.
    """
    start = match.end() if (match := _ELISION.match(token)) else 0
    end = match.start() if (match := _POSSESSIVE.search(token)) and match.start() > start else None
    core = token[start:end]
    whole = APOSTROPHES.sub("", fold(core))
    singular = fold(match[1]) if (match := _ACRONYM.fullmatch(core)) else whole
    parts = tuple(
        Unit(start + first, start + last, folded, stem(folded), "", False)
        for first, last in _camel_parts(core)
        if (folded := fold(core[first:last]))
    )
    word = Unit(start, start + len(core), whole, stem(singular), "", False)
    return word, parts if len(parts) > 1 else ()


def _camel_parts(word: str) -> Iterator[tuple[int, int]]:
    """Spans of the words in `RateLimiter` or `HTTPServer`; none if a part has one letter."""
    if word.islower() or word.isupper() or word.istitle() or not word.isalnum():
        return
    borders = [0]
    for i in range(1, len(word)):
        starts_word = word[i].isupper() and word[i - 1].islower()
        ends_acronym = word[i - 1 : i + 1].isupper() and word[i + 1 : i + 2].islower()
        if starts_word or (ends_acronym and word[i + 1 :] not in ("s", "es")):
            borders.append(i)
    parts = [*pairwise([*borders, len(word)])]
    if all(last - first > 1 for first, last in parts):
        yield from parts


class Units(NamedTuple):
    """The units of a text. `wholes` gives, by index, an identifier's whole word and its end. White
    space separates: a piece between two spaces has the same units by itself. Immutable.
    """

    text: str
    units: list[Unit]
    wholes: dict[int, tuple[Unit, int]]


def units(text: str) -> Units:
    """Split a text into units."""
    out: list[Unit] = []
    wholes: dict[int, tuple[Unit, int]] = {}
    last = 0
    for match in _tokens().finditer(text):
        at, token = match.start(), match[0]
        gap, last = _gap(text[last:at]), match.end()
        if match.lastgroup:
            pieces = [Unit(i, i + 1, key, key, "", True) for i, key in enumerate(map(fold, token))]
        else:
            whole, parts = _word(token)
            pieces = [*(parts or (whole,))] if whole.folded else []
            if parts:
                wholes[len(out)] = (_placed(whole, at, gap), len(out) + len(parts))
        for piece in pieces:
            out.append(_placed(piece, at, gap))
            gap = ""
    return Units(text, out, wholes)


def _placed(unit: Unit, at: int, gap: str) -> Unit:
    return Unit(unit.start + at, unit.end + at, unit.folded, unit.stem, gap, unit.spaceless)


def _gap(between: str) -> str:
    is_soft = not between or between == " " or _SOFT_GAP.fullmatch(between)
    return "" if is_soft else "".join(between.split()) or "\n"


def inflects(base: str, form: str) -> bool:
    """Whether `form` is `base` in another number or, from four letters up, a verb form of it.

    Narrower than equal stems: a Coppersmither is no Coppersmith.
    """
    bare, doubled = base.removesuffix("e"), base + base[-1:]
    verbs = {bare + "ed", bare + "ing", doubled + "ed", doubled + "ing"}
    return differ_in_number(base, form) or (len(base) > 3 and form in verbs)


def differ_in_number(word: str, other: str) -> bool:
    """Whether two words are the same, or one is the plural of the other."""
    singular, plural = sorted((word, other), key=len)
    is_ies = singular.endswith("y") and plural == singular[:-1] + "ies"
    return is_ies or plural in (singular, singular + "s", singular + "es")
