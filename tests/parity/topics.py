"""Which words mean the same to vouch and to us, told from the files alone."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml
from vouch_sidecar.text.analysis import stem
from vouch_sidecar.text.english_words import STOPWORDS

PLAIN = re.compile(r"[a-z]{2,}")
TOKEN = re.compile(r"[a-z0-9]+")
CAMEL = re.compile(r"[A-Z][a-z]+(?=[A-Z])|(?<=[a-z])[A-Z][a-z]+")


def plain_topics(root: Path) -> list[str]:
    """Plain words of the claims whose stem and identifier forms hit nothing more, sorted."""
    claims, entities = _load(root, "claims"), _load(root, "entities")
    texts = [" ".join([claim["text"], *claim["tags"]]) for claim in claims]
    names = [name for entity in entities for name in [entity["name"], *entity["aliases"]]]
    words = all_words(texts)
    known = {*words, *all_words(names)}
    forms_of: defaultdict[str, set[str]] = defaultdict(set)
    for word in known:
        forms_of[stem(word)].add(word)
    hidden = _identifier_parts([*texts, *names]) | {_joined(name) for name in names}
    return sorted(
        word
        for word in words
        if PLAIN.fullmatch(word)
        and word not in STOPWORDS
        and forms_of[stem(word)] == {word}
        and not ({word, stem(word)} & hidden)
    )


def touches_whole_words(topic: str, names: Iterable[str]) -> bool:
    """Whether the topic stands in these names only as a whole word, and none within the topic."""
    touching = [n for name in names if (n := name.casefold()) in topic or topic in n]
    return all(topic in TOKEN.findall(name) for name in touching)


def names_of(root: Path) -> list[str]:
    """Every name and alias."""
    return [n for entity in _load(root, "entities") for n in [entity["name"], *entity["aliases"]]]


def all_words(texts: Iterable[str]) -> Counter[str]:
    """Words as SQLite's unicode61 sees them, with how often each stands there."""
    return Counter(word for text in texts for word in TOKEN.findall(text.lower()))


def _identifier_parts(texts: Iterable[str]) -> set[str]:
    """Words that only an analysis that takes `RateLimiter` apart can find, with their stems."""
    parts = {part.lower() for text in texts for part in CAMEL.findall(text)}
    return parts | {stem(part) for part in parts}


def _joined(name: str) -> str:
    tokens = TOKEN.findall(name.lower())
    return "".join(tokens) if len(tokens) > 1 else ""


def _load(root: Path, folder: str) -> list[dict[str, Any]]:
    files = sorted((root / ".vouch" / folder).glob("*.yaml"))
    return [yaml.load(file.read_text("utf-8"), Loader=yaml.CSafeLoader) for file in files]
