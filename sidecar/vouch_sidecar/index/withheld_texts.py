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
from vouch_sidecar.kb.artifact_files import slug_of
from vouch_sidecar.kb.records import Claim
from vouch_sidecar.text.analysis import units
from vouch_sidecar.text.document_layout import Layout
from vouch_sidecar.text.english_words import STOPWORDS
from vouch_sidecar.text.sentences import sentences_of
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
_SIGN = re.compile(rf"[\[\]<&*~\\{{%\x1b{_INVISIBLE}]|\d[,.)'’ \u00a0\u202f_]|-\r?\n|:`")
"""What begins, or stands in, everything that `_UNREAD` matches."""
_UNREAD = re.compile(
    # An image, and the target of a link.
    r"!\[[^!\[\]\n]*+\](?:\([^!()]*+\)|\[[^\[\]\n]*+\])|\]\([^()]*+\)"
    r"|\]\((?:[^()\]]|\([^()\]]*+\))*+\)|\]\[[^\[\]\n]*+\]"
    # The target of a link to a page that shows other words, and a role of reStructuredText.
    r"|\[\[[^\[\]|\n]*+\||(?::[a-z]{1,20}){1,2}:(?=`)"
    # A footnote, a citation, a mark of a claim, the box of a task.
    r"|\[(?:[\^@][^\[\]\n]*+|\d{1,3}(?:[,;–-] ?\d{1,3}){0,9}|[ \t]{0,3}[cC]laim:[^\[\]]*+|[ xX])\]"
    # A comment and a tag.
    r"|<!--(?:[^-!]|-(?!->))*+-->|<sup>\d{1,3}</sup>"
    r"|</?[a-zA-Z](?:[^<>\"]++|\"[^\"<]*+\")*+>|<(?:/?[a-zA-Z]|!--)[^<>]*+>"
    r"|\{[.#][^{}\n]*+\}|(?<![^\n])[ \t>]{0,40}\d{1,9}[.)](?=[ \t])|\\[nrt]|%20"
    r"|(?P<letter>&(?:#\w{1,12}|\w{2,32});)"
    r"|(?<=\w)(?:\*{1,3}|~~|-\r?\n[ \t]{0,40})(?=\w)|(?<=\d)[,.'’ \u00a0\u202f_](?=\d{3}(?!\d))"
    rf"|\x1b\[[0-?]{{0,16}}[@-~]|[{_INVISIBLE}]"
)
"""What stands in a text and is not read as words."""
_HAS_WORDS = re.compile(rf"[^\W_]|[{_INVISIBLE}]")
_UNSEEN = re.compile(rf"[{_INVISIBLE}]")
_MASK = "[redacted-secret]"
"""What vouch writes in place of a password or key when it redacts a claim."""
_CLAIM_MARK = re.compile(r"\[claim:[^\[\]]*+\]")
_APOSTROPHES = ("'", "’")
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
    """Texts that begin alike, by their words; the numbers of these, largest first; and the gates of
    the texts.
    """

    by_words: Mapping[Words, tuple[Text, ...]]
    lengths: tuple[int, ...]
    gates: frozenset[str | None]

    @classmethod
    def of(cls, by_words: Mapping[Words, tuple[Text, ...]]) -> _Alike:
        lengths = sorted({*map(len, by_words)}, reverse=True)
        gates = frozenset(text.gate for texts in by_words.values() for text in texts)
        return cls(by_words, tuple(lengths), gates)

    def longest(self, words: Words, at: int) -> Mapping[str | None, int]:
        """The number of words of the longest text that begins at a word, by gate. Where nobody may
        see one, shorter ones don't matter.
        """
        lengths: dict[str | None, int] = {}
        for length in self.lengths:
            if at + length <= len(words):
                for text in self.by_words.get(words[at : at + length], ()):
                    lengths.setdefault(text.gate, length)
                if None in lengths or len(lengths) == len(self.gates):
                    break
        return lengths


_NONE_ALIKE = _Alike.of({})


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
            by_start[start] = _Alike.of(left)
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
        latest: dict[str | None, Closed] = {}
        for at in [at for at, word in enumerate(words) if word in first_words]:
            for start in (words[at : at + _START], words[at : at + _START - 1]):
                longest = self._by_start.get(start, _NONE_ALIKE).longest(words, at)
                for gate, length in longest.items():
                    gates = None if gate is None else frozenset({gate})
                    place = Closed(text_units[at].start, text_units[at + length - 1].end, gates)
                    before = latest.get(gate)
                    if before is not None and place.start <= before.end:
                        place = Closed(before.start, max(before.end, place.end), gates)
                    elif before is not None:
                        yield before
                    latest[gate] = place
        yield from latest.values()

    def sentences(self, document: str) -> Iterator[Closed]:
        """The sentences and headings of a document that hold texts of withheld claims."""
        places = list(self.places(document))
        layout = Layout(document) if places else None
        for place in places:
            start, end = place.start, place.end
            # A place may begin and end in headings, with prose between them.
            for part in (place[:2], (start, start + 1), (end - 1, end)):
                around = None if layout is None else layout.sentences_around(*part)
                if around is not None:
                    start, end = min(start, around.start), max(end, around.end)
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
    """The text of a claim, each of its sentences, and what is left of an earlier text, if they are
    long enough to be recognised; empty if everybody may see the claim.
    """
    needed = withheld_gate(claim)
    if needed == frozenset():
        return ()
    gate = None if needed is None else next(iter(needed))
    texts = dict.fromkeys((claim.text, *sentences_of(claim.text), *_earlier(claim)))
    pieces = (piece for text in texts for said in readings(text) for piece in _recognised(said))
    return tuple(Text(words, gate, claim.id) for words in dict.fromkeys(pieces))


def _earlier(claim: Claim) -> Iterator[str]:
    """What tells of the text that a claim had when it got its id: the id, if vouch made it of the
    text, and what stands around a secret that was masked since.
    """
    around, *others = claim.text.split(_MASK)
    if others or claim.id.startswith(slug_of(claim.text)):
        yield claim.id
    yield from (around, *others) if others else ()


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
    if letter in _APOSTROPHES:
        return letter.rjust(len(mark[0]), _JOINER)
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
