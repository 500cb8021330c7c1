"""`docs/protocol.md` shows what a server really says."""

from __future__ import annotations

from vouch_sidecar.operations import NOTIFICATIONS, OPERATIONS

from scripts.protocol_docs import TARGET, document


def test_the_page_is_what_a_session_gives() -> None:
    assert TARGET.read_text("utf-8") == document(), "python -m scripts.protocol_docs"


def test_every_method_is_shown() -> None:
    page = TARGET.read_text("utf-8")
    for method in [op.method for op in OPERATIONS.values()] + list(NOTIFICATIONS):
        assert f"\n### {method}\n" in page
        assert f'"method": "{method}"' in page
