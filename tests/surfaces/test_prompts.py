"""When what is typed into a prompt document counts, and for which session."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import anyio
import pytest
from vouch_sidecar.surfaces.lsp.prompts import PromptDocuments, session_of
from vouch_sidecar.surfaces.lsp.typed_text import TypedDocuments

Seen = list[tuple[str, str, str, bool]]
IDLE = 0.02


def play(script: Callable[[PromptDocuments, TypedDocuments], Awaitable[None]]) -> Seen:
    """What is observed while a script plays: session, slot, text, final."""
    seen: Seen = []

    class Slots:
        def observe(
            self,
            session_id: str,
            slot: str,
            text: str,
            *,
            final: bool = False,
            also: Sequence[str] = (),  # noqa: ARG002
        ) -> None:
            seen.append((session_id, slot, text, final))

        def preview(self, session_id: str, slot: str, text: str, *, also: Sequence[str]) -> None:
            """Nobody asks."""

    async def main() -> None:
        typing = TypedDocuments(Slots(), lambda: IDLE)
        await script(PromptDocuments(typing, "c/"), typing)

    asyncio.run(main())
    return seen


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


def test_typing_counts_once_it_stands_still() -> None:
    async def script(prompts: PromptDocuments, _: TypedDocuments) -> None:
        prompts.open("u", "s", "")
        for text in ("j", "jw", "jwt"):
            prompts.set_text("u", text)
        await anyio.sleep(IDLE * 5)

    assert play(script) == [("s", "c/u", "jwt", False)]


def test_submitted_once_then_anew() -> None:
    async def script(prompts: PromptDocuments, _: TypedDocuments) -> None:
        prompts.open("u", "s", "jwt")
        prompts.submit("u")
        prompts.submit("u")
        prompts.set_text("u", "jwt")
        prompts.set_text("u", "jwt and redis")
        prompts.close("u")

    assert play(script) == [
        ("s", "c/u", "jwt", True),
        ("s", "c/u", "jwt and redis", True),
    ]


def test_what_was_wiped_is_observed_as_wiped() -> None:
    async def script(prompts: PromptDocuments, typing: TypedDocuments) -> None:
        prompts.open("u", "s", "jwt")
        typing.flush()
        prompts.set_text("u", "")
        typing.flush()

    assert [text for _, _, text, _ in play(script)] == ["jwt", ""]


def test_a_prompt_that_never_held_anything_leaves_no_trace() -> None:
    async def script(prompts: PromptDocuments, _: TypedDocuments) -> None:
        prompts.open("u", "s", "  \n")
        prompts.close("u")

    assert play(script) == []
