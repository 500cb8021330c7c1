"""When what is typed into a prompt document counts, and for which session."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import anyio
import pytest
from vouch_sidecar.surfaces.lsp.documents import PROMPT, Document
from vouch_sidecar.surfaces.lsp.typing import Typing, session_of

Seen = list[tuple[str, str, str, bool]]
IDLE = 0.02


def play(script: Callable[[Typing], Awaitable[None]]) -> Seen:
    """What is observed while a script plays: session, slot, text, final."""
    seen: Seen = []

    def observe(session_id: str, slot: str, text: str, *, final: bool = False) -> None:
        seen.append((session_id, slot, text, final))

    async def main() -> None:
        await script(Typing(observe, lambda: IDLE))

    asyncio.run(main())
    return seen


def prompt(text: str) -> Document:
    return Document("u", text, "utf-8", PROMPT)


@pytest.mark.parametrize(
    ("uri", "session_id"),
    [
        ("vouch-prompt:///A/1", "A"),
        ("vouch-prompt:/A/1", "A"),
        ("vouch-prompt:///a%20b%2Fc/1", "a b/c"),
        ("vouch-prompt:A", "A"),
        ("vouch-prompt:///", None),
        ("vouch-prompt:///" + "x" * 257, None),
        ("file:///A/1", None),
        ("untitled:Untitled-1", None),
    ],
)
def test_the_uri_names_the_session(uri: str, session_id: str | None) -> None:
    assert session_of(uri) == session_id


def test_a_document_that_is_opened_twice_counts_as_it_is_then() -> None:
    faults: list[object] = []

    async def script(typing: Typing) -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, fault: faults.append(fault))
        typing.open(prompt("jwt"), "s")
        typing.open(prompt(""), "s")
        typing.close("u")
        await anyio.sleep(IDLE * 5)

    assert (play(script), faults) == ([], [])


def test_submitted_once_then_anew() -> None:
    async def script(typing: Typing) -> None:
        typing.open(prompt("jwt"), "s")
        typing.save("u")
        typing.save("u")
        typing.change(prompt("jwt"))
        typing.change(prompt("jwt and redis"))
        typing.close("u")

    assert play(script) == [("s", "u", text, True) for text in ("jwt", "jwt and redis")]
