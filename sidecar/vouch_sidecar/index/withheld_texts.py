"""The texts of claims that not every viewer may see, and where documents hold one of them. They are
kept in memory only: those of retired claims are read from the claims' files, those of live claims
from the index.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from html import unescape
from itertools import pairwise
from typing import NamedTuple

from vouch_sidecar.kb.access import OPEN, gate_of, is_live
from vouch_sidecar.kb.records import Claim
from vouch_sidecar.text.analysis import units
from vouch_sidecar.text.english_words import STOPWORDS
from vouch_sidecar.text.sentences import Layout, sentences_of
from vouch_sidecar.text.windows import matches

Gates = frozenset[str] | None
"""The gates, all of which a viewer must pass to see something; None if nobody may see it."""
ENOUGH, ENOUGH_EXACT = 3, 2
"""Content words by which a text is recognised, and how many if one is a number or an identifier."""
_BORDER = re.compile(r"\n(?=[ \t]{0,80}(?:[-*+|]|\d{1,9}[.)] |\r?\n))")
_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff"
)
"""Unicode's default-ignorable characters, which `kb.sanitize` leaves out of what is shown."""
_SIGN = re.compile(rf"[\[\]<&*~\\{{%\x1b{_INVISIBLE}]|\d[,.)'’ \u00a0\u202f]|-\r?\n")
"""What begins, or stands in, everything that `_UNREAD` matches."""
_UNREAD = re.compile(
    # An image, and the target of a link.
    r"!\[[^!\[\]\n]*+\](?:\([^!()]*+\)|\[[^\[\]\n]*+\])|\]\([^()]*+\)"
    r"|\]\((?:[^()\]]|\([^()\]]*+\))*+\)|\]\[[^\[\]\n]*+\]"
    # A footnote, a citation, a mark of a claim, the box of a task.
    r"|\[(?:[\^@][^\[\]\n]*+|\d{1,3}(?:[,;–-] ?\d{1,3}){0,9}|[ \t]{0,3}[cC]laim:[^\[\]]*+|[ xX])\]"
    # A comment and a tag.
    r"|<!--(?:[^-!]|-(?!->))*+-->|<sup>\d{1,3}</sup>"
    r"|</?[a-zA-Z](?:[^<>\"]++|\"[^\"<]*+\")*+>|<(?:/?[a-zA-Z]|!--)[^<>]*+>"
    r"|\{[.#][^{}\n]*+\}|(?<![^\n])[ \t>]{0,40}\d{1,9}[.)](?=[ \t])|\\[nrt]|%20"
    r"|(?P<letter>&(?:#\w{1,12}|\w{2,32});)"
    r"|(?<=\w)(?:\*{1,3}|~~|-\r?\n[ \t]{0,40})(?=\w)|(?<=\d)[,.'’ \u00a0\u202f](?=\d{3}(?!\d))"
    rf"|\x1b\[[0-?]{{0,16}}[@-~]|[{_INVISIBLE}]"
)
"""What stands in a text and is not read as words."""
_HAS_WORDS = re.compile(rf"[^\W_]|[{_INVISIBLE}]")
_UNSEEN = re.compile(rf"[{_INVISIBLE}]")
_CLAIM_MARK = re.compile(r"\[claim:[^\[\]]*+\]")
_NEAR = 200
"""Characters that a paragraph of marks alone may have beside one of them."""
_JOINER = "\u2060"
"""A character that parts no word."""
_START = 3
"""Words under which a text is looked up; a text of two words has a key of two."""
_PIECE = 200
"""Words of a long text that are recognised by themselves; its last piece may have up to twice as
many.
"""

Words = tuple[str, ...]


class Closed(NamedTuple):
    """A range of a text, in characters, and the gates that it needs."""

    start: int
    end: int
    gates: Gates


class Text(NamedTuple):
    """The words of a withheld text, and the gate of its claim; None if nobody may see the claim."""

    words: Words
    gate: str | None
    claim_id: str


class _Alike(NamedTuple):
    """Texts that begin alike, by their words, and the numbers of these."""

    by_words: Mapping[Words, tuple[Text, ...]]
    lengths: tuple[int, ...]


_NONE_ALIKE = _Alike({}, ())


def all_gates(several: Iterable[Gates]) -> Gates:
    """The gates needed for several things that are shown together."""
    needed = frozenset[str]()
    for gates in several:
        if gates is None:
            return None
        needed |= gates
    return needed - {OPEN}


def withheld_gate(claim: Claim) -> Gates:
    """The gates of those who may see a claim's text; empty if everybody may."""
    gate = gate_of(claim) if is_live(claim) else None
    return None if gate is None else frozenset({gate}) - {OPEN}


def secrecy(claim: Claim) -> Gates:
    """For a secret claim, the gates of those who may still see the sources that it cites without a
    receipt; empty if the claim is no secret. A superseded claim is as secret as its scope says.
    """
    gate = gate_of(claim)
    return None if claim.status == "redacted" or gate is None else frozenset({gate}) - {OPEN}


class Withheld:
    """The texts of the withheld claims of one generation. Immutable."""

    def __init__(
        self,
        by_claim: Mapping[str, tuple[Text, ...]] | None = None,
        by_start: Mapping[Words, _Alike] | None = None,
    ) -> None:
        self._by_claim = by_claim or {}
        self._by_start = by_start or {}
        self._first_words = frozenset(start[0] for start in self._by_start)

    def changed(self, claims: Mapping[str, tuple[Text, ...]]) -> Withheld:
        """The texts after a change. `claims` gives, by id, the new texts of the changed claims (see
        `texts_of`).
        """
        new = dict(claims)
        new = {i: texts for i, texts in new.items() if texts != self._by_claim.get(i, ())}
        if not new:
            return self
        by_claim, by_start = {**self._by_claim, **new}, dict(self._by_start)
        touched: dict[Words, dict[Words, tuple[Text, ...]]] = {}

        def alike(words: Words) -> dict[Words, tuple[Text, ...]]:
            start = words[:_START]
            if start not in touched:
                touched[start] = dict(by_start.get(start, _NONE_ALIKE).by_words)
            return touched[start]

        for claim_id, texts in new.items():
            for words in {text.words for text in self._by_claim.get(claim_id, ())}:
                others = (text for text in alike(words)[words] if text.claim_id != claim_id)
                alike(words)[words] = tuple(others)
            for text in texts:
                alike(text.words)[text.words] = (*alike(text.words).get(text.words, ()), text)
            if not texts:
                del by_claim[claim_id]
        for start, several in touched.items():
            left = {words: texts for words, texts in several.items() if texts}
            by_start[start] = _Alike(left, tuple({*map(len, left)}))
            if not left:
                del by_start[start]
        return Withheld(by_claim, by_start)

    def __bool__(self) -> bool:
        return bool(self._by_claim)

    def differs(self, claim_id: str, other: Withheld) -> bool:
        """Whether a claim's texts differ from those in another generation."""
        return self._by_claim.get(claim_id) != other._by_claim.get(claim_id)

    def of_claim(self, claim_id: str) -> list[str]:
        """The texts of a claim that are looked for in documents, each as a string of words."""
        return [" ".join(text.words) for text in self._by_claim.get(claim_id, ())]

    def gates(self, text: str) -> Gates:
        """The gates that a text needs because it holds texts of withheld claims."""
        return all_gates(span.gates for span in self.places(text))

    def places(self, text: str) -> Iterator[Closed]:
        """Where a text holds texts of withheld claims."""
        if self._by_start:
            for said in readings(text):
                yield from self._places(said)

    def _places(self, text: str) -> Iterator[Closed]:
        text_units = units(text).units
        words = tuple(unit.folded for unit in text_units)
        first_words = self._first_words
        for at in [at for at, word in enumerate(words) if word in first_words]:
            for start in (words[at : at + _START], words[at : at + _START - 1]):
                alike = self._by_start.get(start, _NONE_ALIKE)
                for last in (at + length for length in alike.lengths):
                    said = words[at:last] if last <= len(words) else ()
                    for withheld in alike.by_words.get(said, ()):
                        gates = None if withheld.gate is None else frozenset({withheld.gate})
                        yield Closed(text_units[at].start, text_units[last - 1].end, gates)

    def sentences(self, document: str) -> Iterator[Closed]:
        """The sentences and headings of a document that hold texts of withheld claims."""
        places = list(self.places(document))
        layout = Layout(document) if places else None
        for place in places:
            around = None if layout is None else layout.sentences_around(place.start, place.end)
            start = place.start if around is None else min(place.start, around.start)
            end = place.end if around is None else max(place.end, around.end)
            yield Closed(start, end, place.gates)


def paragraphs(document: str, places: Iterable[Closed]) -> Iterator[Closed]:
    """The paragraphs, or items of lists, of a document around some places. Of a mark that stands
    alone, it is the one before.
    """
    borders = [0]
    for place in places:
        if len(borders) == 1:
            borders += [match.start() for match in _BORDER.finditer(document)]
        at = bisect_right(borders, place.start)
        end = borders[at] if at < len(borders) else len(document)
        while at > 1 and _is_alone(document, borders[at - 1], place, end):
            at -= 1
        yield Closed(borders[at - 1], end, place.gates)


def _is_alone(document: str, start: int, place: Closed, end: int) -> bool:
    """Whether a paragraph holds nothing but marks."""
    if place.start - start + end - place.end > _NEAR:
        return False
    rest = f"{document[start : place.start]} {document[place.end : end]}"
    return not any(map(str.isalnum, _CLAIM_MARK.sub("", rest)))


def texts_of(claim: Claim) -> tuple[Text, ...]:
    """The text of a claim and each of its sentences, if they are long enough to be recognised;
    empty if everybody may see the claim.
    """
    needed = withheld_gate(claim)
    if needed == frozenset():
        return ()
    gate = None if needed is None else next(iter(needed))
    texts = dict.fromkeys((claim.text, *sentences_of(claim.text)))
    pieces = (piece for text in texts for said in readings(text) for piece in _recognised(said))
    return tuple(Text(words, gate, claim.id) for words in dict.fromkeys(pieces))


def _recognised(text: str) -> Iterator[Words]:
    """The words of a text, in pieces, if there are enough to recognise it elsewhere; else none."""
    analysis = units(text)
    words = tuple(unit.folded for unit in analysis.units)
    content = {unit.stem for unit in analysis.units if unit.folded not in STOPWORDS}
    for at, (_, end) in analysis.wholes.items():  # an identifier is one word
        content.difference_update(unit.stem for unit in analysis.units[at + 1 : end])
    if len(words) < ENOUGH_EXACT or len(content) < ENOUGH_EXACT:
        return
    if len(content) >= ENOUGH or any(map(_is_exact, text.split())):
        *borders, _ = range(0, max(len(words), _PIECE) + 1, _PIECE)
        for first, last in pairwise([*borders, len(words)]):
            yield words[first:last]


def readings(text: str) -> Iterable[str]:
    """The ways to read a text: as it stands, as what looks like a mark may be none; and without
    what is not read as words, such as the targets of links, images, notes, tags and invisible
    characters. Where that stands within a word, it parts it in one reading and not in the other.
    """
    if not _SIGN.search(text):
        return (text,)
    return dict.fromkeys((text, _as_read(text, _JOINER), _as_read(text, " ")))


def parted_stems(text: str) -> set[str]:
    """The stems of the words of a text that do not stand in it as they are read."""
    as_it_stands, *others = readings(text)
    read = {unit.stem for said in others for unit in units(said).units}
    return read.difference(unit.stem for unit in units(as_it_stands).units) if read else read


def _as_read(text: str, within: str) -> str:
    """A text without what is not read as words. Blanks, or `within` in a word, stand in its place,
    so that offsets stay.
    """
    parts, end = list[str](), 0
    for mark in matches(_UNREAD, text):
        parts += [text[end : mark.start()], _read_as(mark, within)]
        end = mark.end()
    return "".join([*parts, text[end:]])


def _read_as(mark: re.Match[str], within: str) -> str:
    """What a reader sees of a mark, in as many characters."""
    letter = unescape(mark[0]) if mark["letter"] else ""
    if letter.isalnum() and not _UNSEEN.search(letter):
        return letter.ljust(len(mark[0]), _JOINER)
    around = mark.string[mark.start() - 1 : mark.start()] + mark.string[mark.end() : mark.end() + 1]
    is_within = len(around) == 2 and around.isalnum() and not letter.isspace()
    if not ((is_within and within == _JOINER) or _HAS_WORDS.search(mark[0])):
        return mark[0]  # it parts words as it stands
    return (within if is_within else " ") * len(mark[0])


def _is_exact(word: str) -> bool:
    """Whether a word is a number or an identifier."""
    bare = word.strip("`'\"()[]{}<>,;:!?.*")
    inner = any(char.isupper() for char in bare[1:]) and any(char.islower() for char in bare)
    return inner or any(char.isdigit() or char in "_./:#" for char in bare)
