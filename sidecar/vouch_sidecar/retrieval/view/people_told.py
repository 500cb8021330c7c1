"""Decides which of the people named by git and CODEOWNERS may be told. No other module does."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from vouch_sidecar.kb.settings_model import People
from vouch_sidecar.text.analysis import fold


@dataclass(frozen=True, slots=True)
class PeopleTold:
    """Whether answers, and blocks for models, may name authors of commits and persons who own code,
    and whether they may name teams. `never` holds the folded names of people who are never named.
    """

    in_answers: bool = False
    in_blocks: bool = False
    teams: bool = False
    never: frozenset[str] = frozenset()

    @classmethod
    def from_settings(cls, settings: People, *, is_model: bool) -> Self:
        """What settings allow; `is_model`: a model reads the answers."""
        in_blocks = settings.git == "agents"
        in_answers = in_blocks or (settings.git == "people" and not is_model)
        never = frozenset(_folded(name.removeprefix("@")) for name in settings.never)
        return cls(in_answers, in_blocks, settings.git != "off", never)

    def tells_owner(self, *, is_team: bool, in_block: bool) -> bool:
        """Whether an owner of code is told. `in_block`: in a block, which a model reads."""
        if is_team:
            return self.teams
        return self.in_blocks if in_block else self.in_answers

    def is_never(self, names: Iterable[str]) -> bool:
        """Whether somebody with these names is never told, whatever stands in brackets behind."""
        forms = (form for name in names for form in (name, name.partition(" (")[0]))
        return bool(self.never) and not self.never.isdisjoint(map(_folded, forms))


NOBODY_TOLD = PeopleTold()


def _folded(name: str) -> str:
    """A name for comparing: case and spaces aside."""
    return " ".join(fold(name).split())
