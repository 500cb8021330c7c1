"""Says what keeps an expression from taking linear time, by the tree that `re` parses it to.

A choice is abandoned for free where its ways begin with different characters: so a repeat that can
go on where what follows can begin must be possessive (or in an atomic group), and ways within a
round must differ at once. What has read far and then fails, however it repeats, must not be begun
again inside of what it read: not by the search for the next match, nor by the next round around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from itertools import combinations
from typing import Any, NamedTuple

PARSER, COMPILER = import_module("re._parser"), import_module("re._compiler")
MANY = 300
"""Rounds from which a repeat counts as unbounded; those of repeats around it multiply."""
END = "the end"
PLANES = (range(0x250), range(0x2000, 0x2070), range(0x3000, 0x3040), range(0xFF00, 0xFF10))
Chars = frozenset[str]
NONE: Chars = frozenset()


def parse(pattern: str) -> Any:
    """The tree of an expression."""
    return PARSER.parse(pattern)


class Facts(NamedTuple):
    """Of a part: whether it matches nothing too, and can't fail; its first and last characters, and
    those that may stand side by side in what it matches.
    """

    empty: bool = True
    sure: bool = True
    first: Chars = NONE
    last: Chars = NONE
    pairs: tuple[tuple[Chars, Chars], ...] = ()


class Follow(NamedTuple):
    """What comes after a part: the characters that it may begin with, and whether it may fail."""

    chars: Chars
    fails: bool


MATCHED = "the match"
ACCEPT = Follow(frozenset({MATCHED}), False)


class Expression:
    def __init__(self, pattern: str | bytes, flags: int = 0) -> None:
        self.tree = PARSER.parse(pattern, flags)
        self.state = PARSER.parse(pattern[:0], flags).state
        self.is_text = isinstance(pattern, str)
        own = pattern if isinstance(pattern, str) else ""
        sample = {chr(n) for plane in PLANES for n in plane} | set(own)
        self.sample = "".join(sorted(sample if self.is_text else map(chr, range(256))))
        self.all: Chars = frozenset(self.sample) | {END}
        self.of: dict[str, Chars] = {}
        self.word = self.chars(PARSER.parse(r"\w" if self.is_text else rb"\w")[0])
        self.groups: dict[int, Any] = {}
        self.all_of(self.tree)  # notes the groups

    def faults(self, is_searched: bool, is_whole: bool = False) -> list[str]:
        """What is not linear; `is_searched`: matches are looked for at every place of a text;
        `is_whole`: a match must take all of it.
        """
        nodes = list(self.tree)
        end = Follow(frozenset({END}), True) if is_whole else ACCEPT
        found = list(self._choices(nodes, end, 1, True))
        for way in self._ways(nodes) if is_searched else ():
            starts = list(self._starts(way, self.all))
            for body in self._reading(way, False):
                pairs = (*body.pairs, (body.last, body.first))
                inside = NONE.union(*(left | right for left, right in pairs))
                if any(
                    left & before and right & first and inside & second
                    for left, right in pairs
                    for before, first, second in starts
                ):
                    found.append(f"a search can start inside a repeat of {sorted(inside)[:5]}")
        return found

    def _ways(self, nodes: list[Any]) -> Iterator[list[Any]]:
        """The alternatives of an expression: the time that a search takes is the sum of theirs."""
        for at, (kind, value) in enumerate(nodes):
            if kind is PARSER.SUBPATTERN:
                yield from self._ways([*nodes[:at], *value[3], *nodes[at + 1 :]])
                return
            if kind is PARSER.BRANCH:
                for way in value[1]:
                    yield from self._ways([*nodes[:at], *way, *nodes[at + 1 :]])
                return
            if not self.facts((kind, value)).empty or kind in REPEATS:
                break
        yield nodes

    def chars(self, node: Any) -> Chars:
        """The characters that a node of one character matches."""
        if repr(node) in self.of:
            return self.of[repr(node)]
        tree = PARSER.SubPattern(self.state, [node])
        one = COMPILER.compile(tree, re.DOTALL if node[0] is PARSER.NOT_LITERAL else 0)
        text = self.sample if self.is_text else self.sample.encode("latin-1")
        matched = one.findall(text)
        chars = frozenset(c if isinstance(c, str) else c.decode("latin-1") for c in matched)
        return self.of.setdefault(repr(node), chars)

    def facts(self, node: Any) -> Facts:
        kind, value = node
        if kind in REPEATS:
            low, high, body = value
            f = self.all_of(body)
            pairs = (*f.pairs, (f.last, f.first)) if high > 1 else f.pairs
            return Facts(f.empty or not low, f.sure or not low, f.first, f.last, pairs)
        if kind is PARSER.BRANCH:
            ways = [self.all_of(way) for way in value[1]]
            return Facts(
                any(way.empty for way in ways),
                any(way.sure for way in ways),
                NONE.union(*(way.first for way in ways)),
                NONE.union(*(way.last for way in ways)),
                tuple(pair for way in ways for pair in way.pairs),
            )
        if kind is PARSER.SUBPATTERN:
            assert value[1:3] == (0, 0), "flags within an expression are not read"
            self.groups[value[0]] = value[3]
            return self.all_of(value[3])
        if kind is PARSER.ATOMIC_GROUP:
            return self.all_of(value)
        if kind is PARSER.GROUPREF:
            return self.all_of(self.groups[value])._replace(empty=False, sure=False)
        if kind in (PARSER.ASSERT, PARSER.ASSERT_NOT, PARSER.AT, PARSER.FAILURE):
            return Facts(sure=False)
        single = self.chars(node)
        return Facts(False, False, single, single)

    def all_of(self, nodes: Any) -> Facts:
        whole = Facts()
        for node in nodes:
            f = self.facts(node)
            whole = Facts(
                whole.empty and f.empty,
                whole.sure and f.sure,
                whole.first | f.first if whole.empty else whole.first,
                f.last | whole.last if f.empty else f.last,
                (*whole.pairs, *f.pairs, (whole.last, f.first)),
            )
        return whole

    def _before(self, node: Any, follow: Follow) -> Follow:
        """What comes after the part in front of a node."""
        kind, value = node
        if MATCHED in follow.chars and kind in (PARSER.AT, PARSER.ASSERT, PARSER.ASSERT_NOT):
            follow = Follow(self.all, True)
        if kind is PARSER.AT and value in (PARSER.AT_END, PARSER.AT_END_STRING):
            ends = {END} if value is PARSER.AT_END_STRING else {END, "\n"}
            return Follow(frozenset(ends), True)
        if kind is PARSER.ASSERT and value[0] > 0:
            f = self.all_of(value[1])
            return Follow(follow.chars if f.empty else f.first, True)
        if kind is PARSER.ASSERT_NOT and value[0] > 0:
            return Follow(follow.chars - self._single(value[1]), True)
        if kind is PARSER.BRANCH:
            ways = [self._through(way, follow) for way in value[1]]
            return Follow(NONE.union(*(w.chars for w in ways)), all(w.fails for w in ways))
        if kind is PARSER.SUBPATTERN:
            return self._through(value[3], follow)
        f = self.facts(node)
        return Follow(f.first | (follow.chars if f.empty else NONE), follow.fails or not f.sure)

    def _through(self, nodes: Any, follow: Follow) -> Follow:
        for node in reversed(list(nodes)):
            follow = self._before(node, follow)
        return follow

    def _single(self, nodes: Any) -> Chars:
        """The characters each of which alone is enough for a part to match."""
        nodes = list(nodes)
        if len(nodes) != 1:
            return NONE
        if nodes[0][0] is PARSER.BRANCH:
            return NONE.union(*(self._single(way) for way in nodes[0][1][1]))
        if nodes[0][0] is PARSER.SUBPATTERN:
            return self._single(nodes[0][1][3])
        f = self.facts(nodes[0])
        return NONE if f.empty or f.pairs else f.first

    def _choices(  # noqa: C901 - a case for each kind of node
        self, nodes: Any, follow: Follow, rounds: int, kept: bool
    ) -> Iterator[str]:
        """`rounds`: those of all repeats around the nodes; `kept`: what a round has matched is not
        tried in another way.
        """
        nodes = list(nodes)
        for at, (kind, value) in enumerate(nodes):
            then = self._through(nodes[at + 1 :], follow)
            if kind in REPEATS:
                low, high, body = value
                f, total = self.all_of(body), min(rounds * int(high), int(PARSER.MAXREPEAT))
                clash = f.first & then.chars if low < high else NONE
                if kind is PARSER.POSSESSIVE_REPEAT:
                    if clash and rounds > 1 and any(self._reading(body, False)):
                        yield "a repeat in a repeat reads far, then fails where another may begin"
                    again = Follow(f.first | then.chars, False)
                    yield from self._choices(body, again, total, True)
                    continue
                if clash and total > MANY and then.fails:
                    yield f"a repeat can match what may follow it: {sorted(clash)[:5]}"
                again = Follow(f.first | then.chars, then.fails or low > 1)
                yield from self._choices(body, again, total, kept and high <= 1)
            elif kind is PARSER.BRANCH:
                ways = [self._through(way, then).chars for way in value[1]]
                far = any(any(self._reading(way, False)) for way in value[1])
                clash = frozenset(c for a, b in combinations(ways, 2) for c in a & b)
                if clash and rounds > MANY and (far or not kept):
                    yield f"two ways of a round begin alike: {sorted(clash)[:5]}"
                for way in value[1]:
                    yield from self._choices(way, then, rounds, kept)
            elif kind is PARSER.ATOMIC_GROUP:
                yield from self._choices(value, ACCEPT, rounds, True)
            elif kind is PARSER.SUBPATTERN:
                yield from self._choices(value[3], then, rounds, kept)
            elif kind in (PARSER.ASSERT, PARSER.ASSERT_NOT):
                if rounds > MANY and any(self._reading(value[1], True)):
                    yield "each round looks far ahead"
                yield from self._choices(value[1], ACCEPT, rounds, True)

    def _reading(self, nodes: Any, fails: bool, rounds: int = 1) -> Iterator[Facts]:
        """The bodies of unbounded repeats after which something may fail; `fails`: what comes after
        the nodes may.
        """
        for node in reversed(list(nodes)):
            kind, value = node
            if kind in REPEATS:
                total = min(rounds * int(value[1]), int(PARSER.MAXREPEAT))
                if fails and total > MANY:
                    yield self.all_of(value[2])
                yield from self._reading(value[2], fails, total)
            elif kind is PARSER.BRANCH:
                for way in value[1]:
                    yield from self._reading(way, fails, rounds)
            elif kind is PARSER.SUBPATTERN:
                yield from self._reading(value[3], fails, rounds)
            elif kind is PARSER.ATOMIC_GROUP:
                yield from self._reading(value, fails, rounds)
            elif kind in (PARSER.ASSERT, PARSER.ASSERT_NOT):
                yield from self._reading(value[1], True, rounds)
            fails = fails or not self.facts(node).sure

    def _starts(  # noqa: C901 - a case for each kind of node
        self, nodes: Any, before: Chars
    ) -> Iterator[tuple[Chars, Chars, Chars]]:
        """Where a match may start: the characters that may stand before it, its first ones and its
        second ones.
        """
        if not nodes:
            yield before, self.all, self.all
            return
        (kind, value), rest = nodes[0], nodes[1:]
        if kind is PARSER.AT and value is PARSER.AT_BOUNDARY:
            for left, first, second in self._starts(rest, before):
                yield left & self.word, first - self.word, second
                yield left - self.word, first & self.word, second
        elif kind is PARSER.AT and value in (PARSER.AT_BEGINNING, PARSER.AT_BEGINNING_STRING):
            is_line = value is PARSER.AT_BEGINNING and self.tree.state.flags & re.MULTILINE
            yield from self._starts(rest, before & {"\n"} if is_line else NONE)
        elif kind in (PARSER.ASSERT, PARSER.ASSERT_NOT) and value[0] < 0:
            is_not = kind is PARSER.ASSERT_NOT
            one = self._single(value[1]) if is_not else self.all_of(value[1]).last
            yield from self._starts(rest, before - one if is_not else before & one)
        elif kind in (PARSER.ASSERT, PARSER.ASSERT_NOT):
            f, single = self.all_of(value[1]), self._single(value[1])
            for left, first, second in self._starts(rest, before):
                if kind is PARSER.ASSERT_NOT:
                    yield left, first - single, second
                else:
                    yield left, first if f.empty else first & f.first, second
        elif kind is PARSER.BRANCH:
            for way in value[1]:
                yield from self._starts([*way, *rest], before)
        elif kind in (PARSER.SUBPATTERN, PARSER.ATOMIC_GROUP):
            inner = value[3] if kind is PARSER.SUBPATTERN else value
            yield from self._starts([*inner, *rest], before)
        elif kind in REPEATS:
            low, high, body = value
            more = [(kind, (0, high, body))] if high > 1 else []
            yield from self._starts([*body, *more, *rest], before)
            if not low:
                yield from self._starts(rest, before)
        elif kind is not PARSER.FAILURE:
            second = self._through(rest, Follow(self.all, False)).chars
            yield before, self.facts(nodes[0]).first, second


REPEATS = (PARSER.MAX_REPEAT, PARSER.MIN_REPEAT, PARSER.POSSESSIVE_REPEAT)
