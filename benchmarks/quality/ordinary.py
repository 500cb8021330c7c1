"""Ordinary technical English: sentences of the standard library's docstrings."""

from __future__ import annotations

import ast
import re
import sysconfig
from functools import cache
from pathlib import Path
from random import Random

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


@cache
def docstring_sentences(count: int = 500) -> list[str]:
    """Sentences of 6 to 40 words, drawn evenly; the same for the same version of Python."""
    found: list[str] = []
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
        for text in _docstrings(path):
            for sentence in _SENTENCE.split(" ".join(text.split("\n\n")[0].split())):
                if 6 <= len(sentence.split()) <= 40 and sentence.endswith("."):
                    found.append(sentence)
    return Random(0).sample(sorted(set(found)), count)


def _docstrings(path: Path) -> list[str]:
    tree = ast.parse(path.read_text("utf-8"))
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    texts = [ast.get_docstring(node) for node in ast.walk(tree) if isinstance(node, kinds)]
    return [text for text in texts if text]
