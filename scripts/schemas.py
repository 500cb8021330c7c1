"""Writes `schemas/protocol.json`: `python -m scripts.schemas [--check]`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import vouch_sidecar
from vouch_sidecar.operations.schema import protocol

TARGET = Path(vouch_sidecar.__file__).parents[2] / "schemas" / "protocol.json"


def main(arguments: list[str]) -> int:
    """Write the schemas, or check that the file is up to date. Returns the exit code."""
    text = json.dumps(protocol(), indent=2, ensure_ascii=False) + "\n"
    if "--check" in arguments:
        if TARGET.is_file() and TARGET.read_text("utf-8") == text:
            return 0
        sys.stderr.write("schemas/protocol.json is out of date: python -m scripts.schemas\n")
        return 1
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
