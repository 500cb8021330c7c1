"""Prompt documents: the session of each, and when it is submitted."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from urllib.parse import unquote, urlsplit

from vouch_sidecar.operations.wire import MAX_SESSION_ID
from vouch_sidecar.surfaces.lsp.typed_text import TypedDocuments, TypedText

LANGUAGE = "vouch-prompt"


def is_prompt(uri: str, language_id: str | None) -> bool:
    """Whether a document is a prompt."""
    return language_id == LANGUAGE or uri.startswith(f"{LANGUAGE}:")


def session_of(uri: str) -> str | None:
    """The session id in a prompt's URI; None without one."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme != LANGUAGE:
        return None
    session_id = unquote(parts.path.lstrip("/").partition("/")[0])
    return session_id if 0 < len(session_id) <= MAX_SESSION_ID else None


class PromptDocuments:
    """The prompt documents of one connection. Each fills a slot, named by `prefix` and its URI.
    Submitting makes the slot final; further typing starts a new slot.
    """

    def __init__(self, typing: TypedDocuments, prefix: str) -> None:
        self._typing = typing
        self._prefix = prefix
        self._sessions: dict[str, str] = {}
        """The session id of each prompt, by URI."""
        self._submitted: set[str] = set()

    def __contains__(self, uri: str) -> bool:
        return uri in self._sessions

    def open(self, uri: str, session_id: str, text: str) -> None:
        self._sessions[uri] = session_id
        self._begin(uri)
        if text.strip():
            self._typing.set_text(uri, text)

    def set_text(self, uri: str, text: str) -> None:
        """Set the new text of a document; after a submission this starts a new prompt."""
        if uri in self._submitted:
            if text == self._typing.text_of(uri):
                return
            self._begin(uri)
        self._typing.set_text(uri, text)

    def submit(self, uri: str) -> None:
        """Make the slot final, unless it is final already or nothing was ever typed."""
        if uri not in self._submitted:
            self._submitted.add(uri)
            self._typing.submit(uri)

    def close(self, uri: str) -> None:
        self.submit(uri)
        self._typing.forget(uri)
        self._submitted.discard(uri)
        del self._sessions[uri]

    def _begin(self, uri: str) -> None:
        """Follow a prompt of which nothing was typed."""
        self._submitted.discard(uri)
        whole = partial(_whole, self._prefix + uri)
        self._typing.follow(uri, TypedText(self._sessions[uri], whole, "", at_word_end=False))


def _whole(slot: str, before: str, text: str) -> Iterator[tuple[str, str]]:
    """A prompt fills one slot."""
    if text != before:
        yield slot, text
