"""The errors of calls. Messages never repeat values that were sent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Message(NamedTuple):
    """What is wrong with one field."""

    field: str
    text: str

    def __str__(self) -> str:
        return f"{self.field} {self.text}"


class OperationError(Exception):
    """Base of the errors that a surface sends as an answer."""


class InvalidParamsError(OperationError):
    """Params are invalid; `missing`: only because some are missing. JSON-RPC -32602, JSONL
    `missing_param` or `invalid_request`.
    """

    def __init__(self, messages: Sequence[Message], *, missing: bool = False) -> None:
        super().__init__("; ".join(map(str, messages)))
        self.messages = tuple(messages)
        self.missing = missing


class SearchFailedError(OperationError):
    """The index could not be read. JSON-RPC -32803, JSONL `internal_error`."""

    def __init__(self) -> None:
        super().__init__("the index could not be read; it is being rebuilt")


class NotFoundError(InvalidParamsError):
    """The params are valid, but name nothing that may be shown. The shell exits with 1, not 2."""
