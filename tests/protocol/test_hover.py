"""The names of entities in any document: hover, definition, and which ones it names."""

import re
from pathlib import Path

import pytest
from vouch_sidecar.surfaces.lsp.features.hover import markdown

from tests.protocol import knowledge
from tests.protocol.client import Client, Editor, at, hover
from tests.protocol.conftest import Serve

HOSTILE = "<img src=x> ![a](http://x/y.png) [b](command:run) **c** `d`\x1b[31m \u202eevil www.x.y"
CODE = "# JWT of old\nprint(JWT, 'a JWT', redis)\n"
COMMENT, IDENTIFIER, STRING, SMALL = (0, 3), (1, 7), (1, 15), (1, 20)
"""In code a word in small letters is seldom a name."""


def test_hover_says_what_is_known_and_definition_leads_to_it(client: Client, root: Path) -> None:
    found = hover(client, "\nAsk about JWT, please.\n", 1, 11)
    start, end = ({"line": 1, "character": column} for column in (10, 13))
    assert found["range"] == {"start": start, "end": end}
    value = found["contents"]["value"]
    assert found["contents"]["kind"] == "markdown"
    head = value.splitlines()[0].rstrip()
    assert head == "**JWT** · concept · also JSON Web Token · 2 live claims"
    assert "Ask" not in value  # nobody is named
    assert "JWT access tokens expire after 15 minutes. (stable · confidence 0.90 · " in value
    file = (root / ".vouch" / "entities" / "jwt.yaml").as_uri()
    assert f"Entity: [jwt]({file})" in value
    assert len(value.splitlines()) <= 12
    client.open("untitled:a", "Ask JWT.", "plaintext")
    found = client.request("textDocument/definition", at("untitled:a", 0, 5))
    assert [row["uri"] for row in found] == [file]
    assert client.request("textDocument/definition", at("untitled:a", 0, 1)) is None


def test_plain_text_for_clients_that_want_it(serve: Serve, root: Path) -> None:
    able = {"textDocument": {"hover": {"contentFormat": ["plaintext"]}}}
    contents = hover(serve(root, capabilities=able), "JWT", 0, 1)["contents"]
    assert contents["kind"] == "plaintext"
    assert contents["value"].startswith("JWT · concept")
    assert not re.search(r"[*\[\]]|file:", contents["value"])


def test_links_of_a_hover_lead_to_files_and_none_is_an_image(serve: Serve, tmp_path: Path) -> None:
    root = knowledge.library(tmp_path / "hostile")
    said = HOSTILE.replace("\x1b", "").replace("\u202e", "")
    named = r"Auth notes|Auth guide|Tokens expire\.|JWT is cited by evidence\."
    for path in (root / ".vouch").rglob("*.*"):
        path.write_text(re.sub(named, lambda _: said, path.read_text("utf-8")), "utf-8")
    editor = Editor(serve(root))
    spots = [
        (editor.open("untitled:a", "JWT", "markdown"), "JWT"),
        (editor.open("untitled:code", CODE, "python"), "(|JWT"),
    ]
    for name, words in (
        ("claims/jwt-expires.yaml", knowledge.SOURCE),
        ("claims/jwt-cites.yaml", "jwt-cites"),
        ("claims/jwt-cites.yaml", knowledge.EVIDENCE),
        ("pages/auth.md", "auth"),
    ):
        spots.append((editor.open(root / ".vouch" / name), words))
    values = [editor.at(*spot, "textDocument/hover")["contents"]["value"] for spot in spots]
    assert all("evil" in value for value in values)
    links = 0
    for value in values:
        acting = re.sub(r"\\.", "", value)  # what no backslash makes plain
        targets = re.findall(r"\]\(([^)]*)\)", acting)
        links += len(targets)
        assert all(target.startswith(root.as_uri()) for target in targets)
        assert not re.search(r"!\[|<|`|://|www\.", acting.replace("](file://", ""))
    assert links > 4


def test_the_line_after_the_head_says_whom_to_ask(serve: Serve, root: Path) -> None:
    knowledge.entity(root, "ada", "Ada!", kind="person")
    knowledge.entity(root, "ops", "Ops!", kind="team")
    owner = "id: owner\nsource: jwt\nrelation: owned_by\ntarget: ops\n"
    knowledge.write(root, "relations/owner.yaml", owner)
    knowledge.claim(root, "a", "Ada made JWT.", "jwt", "ada")
    client = serve(root)
    lines = hover(client, "JWT", 0, 1)["contents"]["value"].splitlines()
    assert lines[1].rstrip() == "Ask Ada! (1 claim), Ops! (owner)"
    client.open("untitled:code", CODE, "python")
    found = client.request("textDocument/hover", at("untitled:code", *IDENTIFIER))
    first, second = found["contents"]["value"].splitlines()
    assert first.startswith("**JWT** · concept · Ask ")
    assert second.startswith("- Ada made JWT. (stable · ")
    assert "Ask" not in hover(client, "Ada!", 0, 1, "untitled:b")["contents"]["value"]


@pytest.mark.parametrize(
    ("enabled", "expected"),
    [(True, [True] * 3), ("prose", [True, False, True]), (False, [False] * 3)],
)
@pytest.mark.parametrize("feature", ["hover", "definition"])
def test_where_allowed(shared: Client, feature: str, enabled: object, expected: list[bool]) -> None:
    settings = {"vouchSidecar": {feature: {"enabled": enabled}}}
    shared.notify("workspace/didChangeConfiguration", {"settings": settings})
    uri, method = "untitled:code", f"textDocument/{feature}"
    shared.open(uri, CODE, "python")
    spots = (COMMENT, IDENTIFIER, STRING)
    assert [shared.request(method, at(uri, *spot)) is not None for spot in spots] == expected
    shared.notify("workspace/didChangeConfiguration", {"settings": {"vouchSidecar": {}}})
    assert shared.request(method, at(uri, *SMALL)) is None
    shared.close(uri)


@pytest.mark.parametrize(
    ("start", "end", "lines"),
    [
        ((0, 0), (99, 0), [0, 1, 3, 4]),
        ((1, 7), (3, 4), []),  # what begins before it is none of its
        ((3, 0), (99, 0), [3, 4]),
    ],
)
def test_a_part_of_it(
    shared: Client, start: tuple[int, int], end: tuple[int, int], lines: list[int]
) -> None:
    text = "😀 JWT\r\nfirst Redis\n\nthen JSON Web Tokens\nand JWT"
    uri = "file:///notes/a%20b.md"
    shared.open(uri, text)
    first, last = ({"line": line, "character": at} for line, at in (start, end))
    asked = {"uri": uri, "range": {"start": first, "end": last}}
    rows = shared.request("vouch/mentions", asked)["mentions"]
    assert [row["range"]["start"]["line"] for row in rows] == lines
    assert all("start" not in row and "end" not in row for row in rows)


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
