"""What the same data costs with nothing but the tool underneath: how far down it could go."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import tantivy
import yaml

from benchmarks.generate import Questions
from benchmarks.timing import Figure, timed

__all__ = ["measure"]

Text = dict[str, str]


def measure(root: Path, questions: Questions) -> dict[str, Figure]:
    """Figures by name."""
    claims = root / ".vouch" / "claims"
    files = sorted(claims.iterdir())
    texts = [path.read_bytes() for path in files[:2_000]]
    loaded = [yaml.load(text, Loader=yaml.CSafeLoader) for text in texts]
    as_json = json.dumps(loaded * max(1, len(files) // len(loaded)))
    return {
        "scandir and stat": _several(lambda: _stat(root / ".vouch")),
        "reading the bytes": _several(lambda: [path.read_bytes() for path in files]),
        "json.loads of the claims": _several(lambda: json.loads(as_json)),
        "tantivy, all hits of a topic": _tantivy([c["text"] for c in loaded], files, questions),
        "str.split of 100 KB": _several(questions.document.split, 50),
        "python -c pass": _several(
            lambda: subprocess.run([sys.executable, "-c", "pass"], check=True), 5
        ),
    }


def _several(work: Callable[[], object], times: int = 3) -> Figure:
    return Figure.of(timed(work) for _ in range(times))


def _stat(folder: Path) -> int:
    found = 0
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                found += _stat(Path(entry.path))
            else:
                found += entry.stat(follow_symlinks=False).st_size
    return found


def _tantivy(texts: list[str], files: list[Path], questions: Questions) -> Figure:
    """The ids of all claims that hold the words of a topic, and nothing more."""
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("ordinal", fast=True)
    builder.add_text_field("text", tokenizer_name="en_stem")
    schema = builder.build()
    index = tantivy.Index(schema)
    writer = index.writer(32_000_000, 1)
    for ordinal in range(len(files)):
        document = tantivy.Document()
        document.add_unsigned("ordinal", ordinal)
        document.add_text("text", texts[ordinal % len(texts)])
        writer.add_document(document)
    writer.commit()
    index.reload()
    searcher = index.searcher()
    samples = []
    for topic in questions.topics:
        query = index.parse_query(
            " AND ".join(f'"{word}"' for word in topic.replace("-", " ").split()), ["text"]
        )
        samples.append(
            timed(
                lambda q=query: searcher.search(  # type: ignore[misc]
                    q, limit=len(files), count=False, order_by_field="ordinal"
                )
            )
        )
    return Figure.of(samples)
