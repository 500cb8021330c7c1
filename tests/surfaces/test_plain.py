"""Text of a knowledge base never acts on what shows it."""

from __future__ import annotations

import pytest
from vouch_sidecar.surfaces.lsp.features.hover import markdown


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
        ("# Heading", "\\# Heading"),
        ("--- a rule", "\\--- a rule"),
        ("+ an item", "\\+ an item"),
        ("1. first", "1\\. first"),
        ("issue #3 - 1. of 2", "issue #3 - 1. of 2"),
        ("2026-11-22", "2026-11-22"),
    ],
)
def test_markdown_shows_it_as_it_is(text: str, shown: str) -> None:
    assert markdown(text) == shown
