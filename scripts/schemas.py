"""Writes `schemas/protocol.json`: `python -m scripts.schemas [--check]`."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

from vouch_sidecar.operations.schema import protocol

TARGET = Path(__file__).parents[1] / "schemas" / "protocol.json"


def settle(wanted: Mapping[Path, str], arguments: list[str]) -> int:
    """Write the files that differ from what is wanted, or with `--check` name them. Returns the
    exit code.
    """
    differing = [p for p, text in wanted.items() if not p.exists() or p.read_text("utf-8") != text]
    for path in differing:
        if "--check" in arguments:
            sys.stderr.write(f"{path.name} is out of date: run `make generate`\n")
        else:
            path.write_text(wanted[path], "utf-8")
    return int("--check" in arguments and bool(differing))


if __name__ == "__main__":
    schemas = json.dumps(protocol(), indent=2, ensure_ascii=False) + "\n"
    sys.exit(settle({TARGET: schemas}, sys.argv[1:]))
