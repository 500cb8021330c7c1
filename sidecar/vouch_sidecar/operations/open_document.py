"""A document that a client has open, for the operations that can be asked about one."""

from __future__ import annotations

from vouch_sidecar.kb.yaml_document import LINE_END, line_starts, position

PROMPT_DOCUMENT = "vouch-prompt"
"""The language of prompts, and the scheme of their URIs."""
CODECS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
"""Of each encoding of positions Python's codec, and the bytes of a unit."""


class OpenDocument:
    """Its text, and how the client counts in it. Offsets count characters of `source`; a place is a
    line and a number of units of the client's `encoding`, both from 0.
    """

    def __init__(self, source: str, encoding: str) -> None:
        self.source = source
        self._codec, self._unit = CODECS[encoding]

    def offset_at(self, line: int, character: int) -> int:
        """The offset of a place, at most the end of its line or of the text."""
        starts = line_starts(self.source)
        if line >= len(starts):
            return len(self.source)
        rest = LINE_END.split(self.source[starts[line] :], maxsplit=1)[0]
        head = rest.encode(self._codec)[: character * self._unit]
        return starts[line] + len(head.decode(self._codec, "ignore"))

    def place_of(self, offset: int) -> tuple[int, int]:
        """The place of an offset."""
        line, column = position(self.source, offset)
        before = self.source[offset - column + 1 : offset].encode(self._codec)
        return line - 1, len(before) // self._unit
