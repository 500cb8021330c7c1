"""A knowledge base as vouch's Stop hook makes one, with its receipts and without.

    python -m benchmarks.captured [--claims 10000]

Claims are the parts of answers that agents gave, cut at ends of sentences and lines; nobody
declared an entity. Says, of the same claims with a receipt each and without, how long a first start
takes, what the process holds after questions, and what questions take; and the processor time of
topics.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import re
import tempfile
import time
from hashlib import sha256
from itertools import islice
from json import dumps
from pathlib import Path

from vouch_sidecar.engine import Engine
from vouch_sidecar.engine.workspaces import settle
from vouch_sidecar.workspace.topic_finder import WorkspaceNames, derive

from benchmarks.client import connected, is_finished
from benchmarks.generate import NOW, Zipf, words_by_tier
from benchmarks.timing import Figure, timed
from benchmarks.workspace import path_of, write_files

FILES = 2_000
"""Of the repository that claims name files and identifiers of."""
SENTENCES = 12
"""Of an answer."""
QUESTIONS = 120
_CUT = re.compile(r"[^.!?\n]+[.!?]?")


def make(root: Path, claims: int, *, receipts: bool) -> None:
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
        if receipts:
            (folder / "content").write_bytes(answer)
        cuts = (match for match in _CUT.finditer(answer.decode()) if len(match[0].split()) > 3)
        for cut in islice(cuts, claims - written):
            _write(kb, written, cut[0].strip(), source, answer if receipts else b"")
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
    cites, at = source, answer.find(text.encode())
    if answer:
        cites = f"e{number}"
        span = {"byte_start": at, "byte_end": at + len(text.encode()), "quote": text}
        fields = {"id": cites, "source_id": source, "locator": f"bytes:{at}", **span}
        (kb / "evidence" / f"{cites}.yaml").write_text(dumps(fields), "utf-8")
    fields = {"id": f"c{number}", "text": text, "status": "working", "confidence": 0.7}
    more = {"evidence": [cites], "created_at": NOW.isoformat()}
    (kb / "claims" / f"c{number}.yaml").write_text(dumps({**fields, **more}), "utf-8")


def measured(folder: Path, claims: int, *, receipts: bool) -> str:
    """What starts, questions and memory come to."""
    root = folder / "project"
    make(root, claims, receipts=receipts)
    chance = random.Random(5)
    words = _words(chance)
    for path in (root / ".vouch").rglob("*"):
        if path.is_file():
            path.read_bytes()
    with connected(root, folder) as client:
        started = time.perf_counter()
        client.wait_for("complete", True)
        first = time.perf_counter() - started
        while not is_finished(folder):
            time.sleep(0.1)
        time.sleep(30)  # ties and topics follow
        asked = [" ".join(words.draw(30))[:198] for _ in range(QUESTIONS)]
        context = Figure.of(
            timed(lambda t=text: client.request("vouch/context", {"task": t}))  # type: ignore[misc]
            for text in asked
        )
        memory = client.memory() / 1e6
        counts = client.request("vouch/status", {})["roots"][0]["counts"]
    took = f"context {1e3 * context.median:.1f} ms, p95 {1e3 * context.p95:.1f}"
    return f"first start {first:.1f} s, {took}, memory {memory:.0f} MB; {counts}"


def topics_take(claims: int) -> float:
    """Seconds of processor time until topics are worked out, once: the best of three."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name, "project")
        make(root, claims, receipts=True)
        engine = Engine(env=dict(os.environ) | {"XDG_CACHE_HOME": f"{name}/cache"})
        engine.registry.add_root(root)
        engine.load()
        settle(engine.collections.values(), engine.env)
        (collection,) = engine.collections.values()
        around = WorkspaceNames(disk=collection.reader.disk)
        gc.collect()
        gc.freeze()  # as commands do
        taken = []
        for _ in range(3):
            started = time.process_time()
            derive(collection.knowledge, around)
            taken.append(time.process_time() - started)
        return min(taken)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--claims", type=int, default=10_000)
    claims = parser.parse_args().claims
    for receipts in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            told = "with receipts" if receipts else "without"
            print(f"{claims} claims, {told}: {measured(Path(folder), claims, receipts=receipts)}")
    print(f"{claims} claims, topics: {topics_take(claims):.2f} s of processor time")


if __name__ == "__main__":
    main()
