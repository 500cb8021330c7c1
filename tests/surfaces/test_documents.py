"""Documents that are open: positions in every encoding, and what of them is told."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types as lsp
from vouch_sidecar.engine import Engine
from vouch_sidecar.operations.open_document import PROMPT_DOCUMENT
from vouch_sidecar.surfaces.lsp.documents import Document, local_path
from vouch_sidecar.surfaces.lsp.features.requests import prompt as submit
from vouch_sidecar.surfaces.lsp.features.sync import observe, observe_all, typed
from vouch_sidecar.surfaces.lsp.server import Sidecar

from tests.engine.bases import ask, base, engine_on

WIDTHS = {
    "utf-8": lambda text: len(text.encode()),
    "utf-16": lambda text: len(text.encode("utf-16-le")) // 2,
    "utf-32": len,
}
TEXTS = st.text(alphabet="ab \n\ré\u2028\u0085\u000b😀\u0301字", max_size=40)


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///a/b%20c;d.md", "/a/b c;d.md"),
        ("file:///c%3A/a", "None"),
        *((uri, "None") for uri in ("untitled:a", "file:a", "file:///%00", "file:///\ud800")),
        ("file://[/a", "None"),
    ],
)
def test_a_uri_of_a_file_has_a_path(uri: str, path: str) -> None:
    assert str(local_path(uri)) == path


def lines(text: str) -> list[str]:
    """The lines with their ends, which are LF, CRLF and CR alone; the last one has none."""
    return re.split(r"(?<=\n)|(?<=\r)(?!\n)", text)


def places(text: str, encoding: str) -> list[tuple[int, lsp.Position]]:
    """Every offset that is no middle of a CRLF, with its position."""
    found, start = [], 0
    for number, line in enumerate(lines(text)):
        said = line.rstrip("\r\n")
        for at in range(len(said) + 1):
            found.append((start + at, lsp.Position(number, WIDTHS[encoding](said[:at]))))
        start += len(line)
    return found


@given(TEXTS, TEXTS, st.sampled_from(sorted(WIDTHS)), st.data())
def test_positions_around_a_change(text: str, new: str, encoding: str, data: st.DataObject) -> None:
    """Positions beyond a line are at its end."""
    document, known = Document("file:///a", text, encoding), places(text, encoding)
    for offset, position in known:
        assert document.offset_at(position.line, position.character) == offset
        assert document.range_of(offset, offset).start == position
    for offset, at in {position.line: (offset, position) for offset, position in known}.values():
        assert document.offset_at(at.line, at.character + 7) == offset
    assert document.offset_at(len(lines(text)), 0) == len(text)
    one, other = sorted(data.draw(st.integers(0, len(known) - 1)) for _ in range(2))
    (start, first), (end, last) = known[one], known[other]
    document.change(lsp.TextDocumentContentChangePartial(text=new, range=lsp.Range(first, last)))
    changed = text[:start] + new + text[end:]
    assert document.source == changed
    assert document.range_of(0, len(changed)).end == places(changed, encoding)[-1][1]


def window(engine: Engine) -> list[str]:
    """The texts of the only session that count for the only knowledge base."""
    (session,), (collection,) = engine.sessions, engine.registry.collections.values()
    return session.texts(collection.root, collection.opted_out)


def prompt(uri: str, text: str) -> Document:
    return Document(uri, text, "utf-8", PROMPT_DOCUMENT, "s")


def test_there_are_three_at_most_and_the_oldest_goes() -> None:
    document, numbers = Document("u", "one\nmore\n\ntwo\n\nthree\n\nfour\n", "utf-8"), list[int]()
    for word in ("one", "two", "three", "four", "two!"):
        before, document.source = document.source, document.source.replace(word, f"{word}!", 1)
        numbers += [number for number, _ in document.edit(before, document.source)]
    assert numbers == [0, 1, 2, 0, 1]


@pytest.mark.parametrize("at", [0, 30, 59])
def test_a_long_paragraph_is_twenty_lines_around_the_edit(at: int) -> None:
    before = "\n".join(f"line {number}." for number in range(60))
    after = before.replace(f"line {at}.", f"line {at}!")
    ((_, text),) = Document("u", before, "utf-8").edit(before, after)
    assert len(text.split("\n")) <= 20
    assert f"line {at}!" in text.split("\n")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("one\ntwo\nthree", "one\ntwo!\nthree", ["one\ntwo!\nthree"]),
        ("", "one", ["one"]),
        ("the jwt", "the ", ["the "]),
        ("a b", "a\nb", ["a\nb"]),
        ("one\r\ntwo", "one\ntwo", []),
        ("one\ntwo", "two\none", []),
        ("one\n\ntwo", "one\n\nNEW\n\ntwo", ["NEW"]),
        ("one\n\ntwo\n", "one\n\ntwo\n\nNEW\n\n\n", ["NEW"]),
        ("The box is warm. \n", "The box is warm. \n\nbuy flour\n", ["buy flour"]),
        ("one", "one\n\nA\n\nB\n\nC\n\nD\n\n", ["B", "C", "D"]),
    ],
)
def test_paragraphs_with_changed_words_are_told(old: str, new: str, told: list[str]) -> None:
    document = Document("u", old, "utf-8")
    before, document.source = document.words, new
    assert document.edit(before, document.words) == [*enumerate(told)]


@pytest.mark.parametrize(
    ("uri", "session_id"),
    [
        ("vouch-prompt:///A/1", "A"),
        ("vouch-prompt:///a%20b%2Fc/1", "a b/c"),
        ("vouch-prompt:A", "A"),
        ("vouch-prompt:///", "own"),
        ("vouch-prompt:///" + "x" * 257, "own"),
        ("file:///A/1", "own"),
    ],
)
def test_the_uri_names_the_session(uri: str, session_id: str) -> None:
    assert Document(uri, "", "utf-8", "", "own").session_id == session_id


async def test_a_prompt_is_submitted_once_and_counts_as_it_is_then(tmp_path: Path) -> None:
    engine = engine_on(base(tmp_path))
    server, typing = Sidecar(engine), prompt("u", "jwt")
    server.documents["u"] = typing
    for typing.source in ("jwt", "jwt", "jwt and redis"):
        typed(server)
        observe(server, typing, is_final=True)
    observe(server, server.documents.pop("u"), is_final=True)
    observe_all(server)  # what waited for this finds nothing
    assert window(engine) == ["jwt and redis", "jwt"]


async def test_a_document_is_one_however_its_uri_is_escaped(tmp_path: Path) -> None:
    engine = engine_on(base(tmp_path))
    server = Sidecar(engine)
    for uri in ("file:///a%3Ab.md", "file:///a:b.md"):
        edited = Document(uri, "", "utf-8", "", "s")
        edited.source = f"The Key Vault, as in {uri}."
        observe(server, edited)
    assert window(engine) == [edited.source]


async def test_a_block_that_comes_back_is_nobodys_words(tmp_path: Path) -> None:
    engine = engine_on(base(tmp_path))
    server, block = Sidecar(engine), ask(engine, "context", task="the Key Vault")["text"]
    assert "Keys rotate." in block
    server.documents["u"] = prompt("u", f"{block}\njwt")
    server.documents["e"] = edited = Document("e", "", "utf-8", "", "s")
    first, *_, last = block.splitlines()
    edited.source = "\n".join((first, *["- Keys rotate."] * 30, last))
    observe_all(server)
    submit(server, {"session_id": "s", "text": f"redis\n{block}"})
    assert window(engine) == ["redis", "jwt"]


async def test_a_text_that_can_not_be_taken_in_is_a_fault_and_in_no_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = engine_on(base(tmp_path))
    server = Sidecar(engine)
    server.documents["u"] = prompt("u", "jwt")

    def fail(*given: object, **_: object) -> None:
        raise ValueError(given)

    monkeypatch.setattr(engine, "observe", fail)
    observe_all(server)
    assert ["What was typed" in each.message for each in engine.faults.problems()] == [True]
    assert "jwt" not in caplog.text
    monkeypatch.undo()
    observe_all(server)
    assert not engine.faults.problems()
