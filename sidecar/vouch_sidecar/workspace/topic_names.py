"""Finds what in a claim, or above a passage of a document, may name a topic, and the key that
different forms of a name share.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import IntEnum
from functools import lru_cache

from vouch_sidecar.kb.records import Claim
from vouch_sidecar.names.name_forms import spelling
from vouch_sidecar.text.analysis import fold, stem, units
from vouch_sidecar.text.around import parts_of
from vouch_sidecar.text.english_words import STOPWORDS, tier
from vouch_sidecar.text.sentences import MAX_MATCHED
from vouch_sidecar.workspace.file_kinds import DOCUMENTS, ending_of

MAX_NAME_WORDS = 6
"""Words of a name; a longer title is a sentence."""
GENERIC = frozenset(
    """
    abc admin api apis app apps arg args async auto backend background bar bool browser browsers
    bug bugfix bugs changelog ci class classes cli cmd code codebase comment comments compiled
    config configs const css csv ctx data default defaults dev dir dirs doc docs docstring dom
    draft dto enum env err error errors etc example examples faq feature features file filename
    files fixme flag flags foo frontend func function functions general getter github gitlab
    glossary gui html http https i18n id ide ids image img impl import imports index info init
    input install int intro introduction io issue issues js json key keys kwargs lib library
    libs license lint linter list log login logs main manual markdown md message method methods
    misc mock module modules msg name names namespace new news nil note notes null num number
    obj object offline onboarding online org os other output overview package packages param
    params parser path paths pdf png pr prs readme ref references refs release releases repo
    repos repository runtime sample sdk setting settings setup sql src stderr stdin stdout str
    string stub summary svg sync test testing tests tmp todo token tool tools ts tsx tutorial
    txt type types ui unit update updates url urls usage user users utf utf8 util utilities
    utils uuid value values var vars version versions vouch warning warnings website websites
    wiki wip workaround workarounds workflow workflows www xml yaml yml
    """.split()
)
"""Words of code, of the web and of documents that name nothing of a project."""
MAX_HEADINGS = 200
"""Headings of a document that are read."""
MAX_DOCUMENT = 1 << 18
"""Bytes of a document that are read."""
_STANDARDS = "AES|ARM|ASCII|CP|GB|HTTP|ISO|MD|PCRE|RSA|SHA|SSL|TLS|UCS|US|UTF|WIN"
"""Words before a number that make no ticket."""
_PREFIXED = re.compile("(?:anti|de|meta|multi|non|re|semi|sub|un)(-?)(.+)")
"""What may be an English word with a prefix, which makes no name of it."""
_TICKED = re.compile(r"`[^`\n]*`")
_ADDRESS = re.compile(r"(?<!\S)[^\s\\/@]*+[\\/@]\S*+")
_WORD = re.compile(r"(?<![\w$.=-])[^\W\d_][^\W_]+(?:-[^\W_]+)*(?![\w=(-]|\.\w|['’]\w)")
_CAPITALS = re.compile(r"(?<![\w-])[A-Z][\w-]*+(?: [A-Z0-9](?:[.-]*+\w++)++)++")
_OPENS = re.compile(r"(?:\A|[.!?:;]\s)\W*+\Z")
"""What stands before the first word of a sentence."""
MAX_OPENING = 20
_TICKET = re.compile(
    r"(?<![\w/#&.-])(?:#\d{1,7}|GHSA(?:-[0-9a-z]{4}){3}|CVE-\d{4}-\d{4,7}"
    rf"|(?!(?:{_STANDARDS})-)[A-Z]{{2,10}}-\d{{1,6}})(?![\w-])"
)
_NO_NAME = re.compile(r"[|<_=;\\{}@]|\(\)|::|\[(?![^\]\[]*+\][(\[])")
"""What stands in a heading that is code, a row of a table or a placeholder of a template."""
_MARKUP = re.compile(r"[`*_]|\{[\w-]+\}|:[\w-]+:|\[|\](?:\([^)\]]*+\))?+")


class Origin(IntEnum):
    """Where a name was found. If in several places, the first of these origins decides its
    spelling.
    """

    TITLE = 0
    TAG = 1
    TICKET = 2
    HEADING = 3
    PHRASE = 4
    WORD = 5


def is_ticket(name: str) -> bool:
    """Whether a name is the number of a ticket or a decision, and not that of a standard."""
    return _TICKET.fullmatch(name) is not None


def names_in_claim(claim: Claim) -> Iterator[tuple[Origin, str]]:
    """The tags of a claim, and the tickets and phrases in capitals of its text."""
    for tag in claim.topical_tags:
        yield Origin.TAG, tag
    for ticket in _TICKET.finditer(claim.text[:MAX_MATCHED]):
        yield Origin.TICKET, ticket[0]
    text = _prose_of(claim.text)
    for match in _CAPITALS.finditer(text):
        if phrase := _without_opening(text, match):
            yield Origin.PHRASE, phrase


def words_in_claim(claim: Claim) -> set[str]:
    """The words of a claim's text, as they are written there."""
    return set(_WORD.findall(_prose_of(claim.text)))


def _prose_of(text: str) -> str:
    """The beginning of a text without addresses, paths and what is in backticks."""
    return _ADDRESS.sub(" . ", _TICKED.sub(" . ", text[:MAX_MATCHED]))


def may_name(word: str) -> bool:
    """Whether a word, as it is written, is no English one in some form, nor one with a prefix."""
    prefixed = _PREFIXED.match(word)  # what begins with a capital is a name
    if prefixed is not None:
        hyphen, rest = prefixed.groups()
        if hyphen or (len(rest) > 2 and (tier(rest) or tier(stem(rest)))):
            return False
    return len(word) > 2 and not is_english(word.lower())


def word_key(word: str) -> str:
    """The key of a word in small letters."""
    return stem(word) if word.isascii() and word.isalpha() else key_of_name(word)


@lru_cache(maxsize=1 << 16)
def key_of_name(name: str) -> str:
    """A key that is equal for names that differ only in inflection; "" for what cannot be a
    name.
    """
    if not name.isprintable():
        return ""
    several = units(name).units
    if not name[:1].isalnum() or any(unit.spaceless for unit in several):
        return spelling(name)
    return " ".join(unit.stem for unit in several)


def is_english(word: str) -> bool:
    """Whether English has a word, or all parts of a compound."""
    return all(part in STOPWORDS or tier(part) > 0 for part in fold(word).split("-"))


def is_name_of_heading(words: list[str]) -> bool:
    """Whether the words of a heading name something: a sentence or a question does not."""
    return len(words) < MAX_NAME_WORDS and STOPWORDS.isdisjoint(set(words) - {"and", "for", "of"})


def _without_opening(text: str, match: re.Match[str]) -> str | None:
    """A capitalised phrase without its first word, if that has a capital only because a sentence
    begins there.
    """
    phrase = match[0]
    if _OPENS.search(text, max(0, match.start() - MAX_OPENING), match.start()):
        opening, _, rest = phrase.partition(" ")
        if (len(opening) == 1 or not opening.isupper()) and is_english(opening.lower()):
            phrase = rest
    return phrase if " " in phrase else None


def has_headings(locator: str) -> bool:
    """Whether a locator, without query and fragment, names a text file that may have headings."""
    return ending_of(locator.replace("#", "?").partition("?")[0]) in DOCUMENTS


def headings_in(data: bytes) -> list[tuple[int, int, str]]:
    """The headings of a document: where each begins and ends, in bytes, and its text. Without lines
    in bold, and without those that are code, a row of a table or a placeholder of a template.
    """
    text = data[:MAX_DOCUMENT].decode("utf-8", "replace")
    headings: list[tuple[int, int, str]] = []
    for start, end in parts_of(text)[1][:MAX_HEADINGS]:
        written = text[start:end][:MAX_MATCHED].strip(" \t#")
        if not (written.startswith(("**", "__")) or _NO_NAME.search(written)):
            words = " ".join(_MARKUP.sub("", written).split())
            start, end = (len(text[:at].encode()) for at in (start, end))
            headings.append((start, end, words))
    return headings
