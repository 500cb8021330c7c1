"""Text of a knowledge base never acts on what shows it."""

from __future__ import annotations

import pytest
from vouch_sidecar.kb.plain import clip
from vouch_sidecar.surfaces.lsp.style import markdown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)&gt;"),
        ("![a](http://x/y.png)", "!\\[a\\](http\\://x/y.png)"),
        ("see www.evil.example and a@b.c", "see www\\.evil.example and a\\@b.c"),
        ("**bold** `code` _x_ ~~y~~ |", "\\*\\*bold\\*\\* \\`code\\` \\_x\\_ \\~\\~y\\~\\~ \\|"),
        ("&lt;b&gt;", "&amp;lt;b&amp;gt;"),
        ("one\n# two\r\n- three", "one # two - three"),
        ("\x1b[31mred\x1b[0m \u202eevil\u2066 \u200bzero", "red evil zero"),
        ("$(command) $x^2$", "\\$(command) \\$x^2\\$"),
    ],
)
def test_markdown_shows_it_as_it_is(text: str, shown: str) -> None:
    assert markdown(text) == shown


def test_clip() -> None:
    assert clip("short", 5) == "short"
    assert clip("longer text", 8) == "longer…"
