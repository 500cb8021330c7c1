"""What a view remembers."""

from __future__ import annotations

from dataclasses import replace

from vouch_sidecar.retrieval.view import Deadline

from tests.retrieval.samples import entity, view


def test_what_is_worked_out_whole_after_time_is_up_is_remembered() -> None:
    late = replace(view(entity("e", "auth")), deadline=Deadline(0.0))
    made: list[str] = []

    def whole() -> None:
        made.append("whole")

    def cut() -> None:
        assert late.deadline.has_passed()
        made.append("cut")

    for _ in range(2):
        late.cached("cut", "a text", cut)
        late.cached("whole", "a text", whole)
    assert made == ["cut", "whole", "cut"]
