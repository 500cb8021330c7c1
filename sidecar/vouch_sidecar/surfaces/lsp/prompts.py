"""Prompt documents: the session of each, and when its text is observed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import unquote, urlsplit

from vouch_sidecar.surfaces.lsp.half_typed import is_half_typed
from vouch_sidecar.surfaces.lsp.idle import Idle

LANGUAGE = "vouch-prompt"
MAX_SESSION_ID = 256


class Slots(Protocol):
    """The slots of sessions, into which texts are put: an engine."""

    def observe(
        self, session_id: str, slot: str, text: str, *, final: bool = False, also: Sequence[str]
    ) -> None: ...

    def preview(self, session_id: str, slot: str, text: str, *, also: Sequence[str]) -> None: ...


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


@dataclass(slots=True)
class _Prompt:
    session_id: str
    slot: str
    text: str = ""
    observed: str = ""
    base: str = ""
    """The text before the word that is being typed."""
    counted: list[str] = field(default_factory=list)
    """The observed texts since."""
    submitted: bool = False

    @property
    def also(self) -> list[str]:
        """The texts that count as well, until the word is ended."""
        return [] if self.text == self.base else [self.base, *self.counted]

    def type(self, text: str) -> None:
        if not is_half_typed(self.base, text):
            self.base = self.text if is_half_typed(self.text, text) else text
            self.counted.clear()
        self.text = text


class PromptDocuments:
    """The prompt documents of one connection. Each fills a slot, named by `prefix` and its URI.

    A text is observed when it has not changed for `idle()` seconds, or when `flush` is called. What
    it named before a half-typed word stays until the word is ended. Submitting makes the slot
    final; further typing starts a new slot.
    """

    def __init__(self, slots: Slots, idle: Callable[[], float], prefix: str) -> None:
        self._slots = slots
        self._idle = Idle(idle, self._evaluate)
        self._prefix = prefix
        self._prompts: dict[str, _Prompt] = {}

    def __contains__(self, uri: str) -> bool:
        return uri in self._prompts

    def open(self, uri: str, session_id: str, text: str) -> None:
        self._idle.stop(uri)
        self._prompts[uri] = _Prompt(session_id, self._prefix + uri)
        if text.strip():
            self.type(uri, text)

    def type(self, uri: str, text: str) -> None:
        """Set the new text of a document; after a submission this starts a new prompt."""
        prompt = self._prompts[uri]
        if prompt.submitted and text == prompt.text:
            return
        if prompt.submitted:
            prompt = self._prompts[uri] = _Prompt(prompt.session_id, prompt.slot)
        prompt.type(text)
        self._idle.wait(uri)

    def submit(self, uri: str) -> None:
        """Make the slot final, unless it is final already or nothing was ever typed."""
        prompt = self._prompts[uri]
        self._idle.stop(uri)
        if not prompt.submitted and (prompt.text.strip() or prompt.observed):
            prompt.submitted = True
            self._slots.observe(prompt.session_id, prompt.slot, prompt.text, final=True, also=())

    def close(self, uri: str) -> None:
        self.submit(uri)
        del self._prompts[uri]

    def preview(self) -> None:
        """Let every text that is still waiting to become idle count for those who ask."""
        for uri, prompt in self._prompts.items():
            if uri in self._idle:
                self._slots.preview(prompt.session_id, prompt.slot, prompt.text, also=prompt.also)

    def flush(self) -> None:
        """Observe at once every text that is still waiting to become idle."""
        for uri in self._prompts:
            if uri in self._idle:
                self._idle.stop(uri)
                self._evaluate(uri)

    def _evaluate(self, uri: str) -> None:
        prompt = self._prompts[uri]
        if prompt.text != prompt.observed:
            prompt.observed = prompt.text
            self._slots.observe(prompt.session_id, prompt.slot, prompt.text, also=prompt.also)
            prompt.counted.append(prompt.text)
