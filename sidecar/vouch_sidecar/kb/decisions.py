"""Reads why claims were proposed: the `rationale` of decided proposals."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from vouch_sidecar.kb.safe_files import UnreadableError, read_bounded
from vouch_sidecar.kb.yaml_document import MAX_YAML, DocumentError, decode, load

DECIDED = "decided"
MAX_DECISIONS = 20_000
MAX_RATIONALE = 20_000


def decided_at(kb_dir: Path) -> int:
    """The time of the last decision of a proposal, in nanoseconds since 1970; 0 where there is
    none.
    """
    try:
        return (kb_dir / DECIDED).stat().st_mtime_ns
    except OSError:
        return 0


def rationales(kb_dir: Path) -> dict[str, str]:
    """The rationales of approved proposals of claims, by the id of the claim. Blocks."""
    return dict(_rationales(kb_dir))


def _rationales(kb_dir: Path) -> Iterator[tuple[str, str]]:
    try:
        names = sorted(path.name for path in (kb_dir / DECIDED).iterdir())[-MAX_DECISIONS:]
    except OSError:
        return
    for name in names:
        if not name.endswith(".yaml"):
            continue
        try:
            data, _ = read_bounded(kb_dir / DECIDED / name, MAX_YAML, kb_dir=kb_dir)
            if b"\nrationale: null\n" in data or b"rationale:" not in data:
                continue
            decision = load(decode(data)).value
        except (FileNotFoundError, UnreadableError, DocumentError):
            continue
        if not isinstance(decision, dict) or decision.get("status") != "approved":
            continue
        payload, why = decision.get("payload"), decision.get("rationale")
        if decision.get("kind") == "claim" and isinstance(payload, dict) and isinstance(why, str):
            claim_id = payload.get("id")
            if isinstance(claim_id, str):
                yield claim_id, why[:MAX_RATIONALE]
