"""Writes a knowledge base as vouch's Stop hook makes one: claims are the parts of answers that
agents gave, cut at ends of sentences and lines; nobody declared an entity.
"""

from __future__ import annotations

import random
import re
import subprocess
from hashlib import sha256
from itertools import islice
from json import dumps
from pathlib import Path

from benchmarks.generate import NOW, Zipf, words_by_tier

FILES = 2_000
"""Of the repository that claims name files and identifiers of."""
SENTENCES = 12
"""Of an answer."""
LINES = 120
"""Of a file: 4 KB."""
_CUT = re.compile(r"[^.!?\n]+[.!?]?")


def make(root: Path, claims: int) -> None:
    """A repository, and a knowledge base of this many claims in it."""
    chance = random.Random(11)
    write_files(root, FILES, chance)
    kb = root / ".vouch"
    for kind in ("claims", "sources", "entities", "pages", "evidence", "relations", "sessions"):
        (kb / kind).mkdir(parents=True, exist_ok=True)
    words = _words(chance)
    written = 0
    while written < claims:
        answer = " ".join(_sentence(words, chance) for _ in range(SENTENCES)).encode()
        source = sha256(answer).hexdigest()
        folder = kb / "sources" / source
        folder.mkdir()
        asked = " ".join(words.draw(8))
        about = {"question": f"Why does {asked}?"}
        fields = {"id": source, "type": "message", "locator": "session", "metadata": about}
        (folder / "meta.yaml").write_text(dumps(fields), "utf-8")
        (folder / "content").write_bytes(answer)
        cuts = (match for match in _CUT.finditer(answer.decode()) if len(match[0].split()) > 3)
        for cut in islice(cuts, claims - written):
            _write(kb, written, cut[0].strip(), source, answer)
            written += 1


def _words(chance: random.Random) -> Zipf:
    tiers = words_by_tier()
    return Zipf(chance.sample([w for tier in tiers for w in tier if len(w) > 2], 12_000), chance)


def _sentence(words: Zipf, chance: random.Random) -> str:
    """Now and then it names a file, whose stop cuts it, or an identifier."""
    said = words.draw(chance.randrange(9, 18))
    number = chance.randrange(FILES)
    for one in chance.sample([path_of(number), f"`handle_item_{number}`", *[""] * 6], 1):
        said.insert(len(said) // 2, one)
    return " ".join(filter(None, said)).capitalize() + chance.choice((".", ".", ".\n"))


def _write(kb: Path, number: int, text: str, source: str, answer: bytes) -> None:
    cites, at = f"e{number}", answer.find(text.encode())
    span = {"byte_start": at, "byte_end": at + len(text.encode()), "quote": text}
    fields = {"id": cites, "source_id": source, "locator": f"bytes:{at}", **span}
    (kb / "evidence" / f"{cites}.yaml").write_text(dumps(fields), "utf-8")
    fields = {"id": f"c{number}", "text": text, "status": "working", "confidence": 0.7}
    more = {"evidence": [cites], "created_at": NOW.isoformat()}
    (kb / "claims" / f"c{number}.yaml").write_text(dumps({**fields, **more}), "utf-8")


def write_files(root: Path, files: int, chance: random.Random) -> None:
    """A repository of Python files that nobody committed."""
    for number in range(files):
        path = root / path_of(number)
        path.parent.mkdir(parents=True, exist_ok=True)
        body = [f"class Thing{number}Part:", f"    def handle_item_{number}(self, value):"]
        body += [f"        value = self.step_{chance.randrange(500)}(value)" for _ in range(LINES)]
        path.write_text("\n".join(body) + "\n", "utf-8")
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    subprocess.run(["git", "add", "src"], cwd=root, check=True)


def path_of(number: int) -> str:
    return f"src/part{number % 97}/module{number}.py"
