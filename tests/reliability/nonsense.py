"""Texts and JSON values that nobody expects."""

from random import Random
from typing import Any

PIECES = (
    *("JWT authentication", "jwt", "Redis", "keys rotate", "who owns", "what is", "since", "再"),
    *("\u202e", "\x00", "\ud800", "\U0001f469\u200d\U0001f680", "</vouch>", "`", "\t", "\r\n"),
    *("--no-index", "src/auth/login.py", "/etc/passwd", "../" * 9, "C:\\x", "a.b.c()", "#14227"),
    *("-" * 90, "|  " * 30, "." * 200, "( [ {" * 20, " " * 300, "x" * 5_000, "[claim: ", "<"),
)


def texts(random: Random) -> str:
    pieces = random.choices(PIECES, k=random.randrange(1, 12))
    return random.choice((" ", "", "\n")).join(pieces)


def value(random: Random) -> Any:
    """Any JSON value, mostly a text."""
    one, other = texts(random), texts(random)
    numbers = (0, -1, 10**30, 1.5, 1e308)
    odd: tuple[Any, ...] = (*numbers, None, True, [], [one, [other]], {one[:40]: [other]})
    return random.choice((one, other, random.choice(odd)))


def changed(random: Random, right: Any) -> Any:
    """A value that is right but for some parts, however deep they stand."""
    if random.random() < 0.1:
        return value(random)
    if isinstance(right, dict):
        kept = {name: item for name, item in right.items() if random.random() > 0.05}
        return {name: changed(random, item) for name, item in kept.items()}
    if isinstance(right, list):
        return [changed(random, item) for item in right for _ in range(random.randrange(3))]
    return right + texts(random) if isinstance(right, str) and random.random() < 0.3 else right
