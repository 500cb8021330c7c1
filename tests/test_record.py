"""The recorder: what it compares, and whose program it runs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.record import driver
from benchmarks.record.__main__ import main
from benchmarks.record.compare import differences
from benchmarks.record.program import NOW, Program

ROW = {"entity_id": "jwt", "claim_count": 3, "score": 0.5, "top_claim_ids": ["a", "b"]}
ENTRY = """
import json, sys, time

def main():
    for line in sys.stdin:
        said = {"arguments": sys.argv[1:], "now": time.time()}
        print(json.dumps({"ok": True, "result": said}), flush=True)
"""


def line(op: str = "experts", params: object = None, **answer: Any) -> str:
    head = {"kb": "small", "phase": "before", "op": op, "params": params or {"topic": "jwt"}}
    return json.dumps(head | {"answer": answer})


def differing(first: list[str], second: list[str]) -> list[str]:
    return [place for difference in differences(first, second) for place in difference.lines]


def test_a_changed_count_is_found() -> None:
    first = [line(experts=[ROW]), line(experts=[])]
    second = [line(experts=[ROW | {"claim_count": 4}]), line(experts=[])]
    assert differing(first, second) == ["experts[0].claim_count: 3 -> 4"]
    assert differing(first, first) == []


def test_what_may_differ_is_ignored() -> None:
    first = line(generation=1, experts=[ROW], from_cache=0, probe_time_ms=1.5)
    second = line(generation=9, experts=[ROW | {"score": 0.5 + 1e-12}], from_cache=2)
    assert differing([first], [second]) == []


@pytest.mark.parametrize(
    ("other", "place"),
    [
        ({"experts": []}, "experts[0]: {'entity_id': 'jwt'"),
        ({"experts": [ROW, ROW]}, "experts[1]: nothing -> {'entity_id': 'jwt'"),
        (
            {"experts": [ROW | {"top_claim_ids": ["b", "a"]}]},
            "experts[0].top_claim_ids[0]: 'a' -> 'b'",
        ),
        ({"experts": [ROW | {"score": True}]}, "experts[0].score: 0.5 -> True"),
        ({"error": {"code": "internal_error"}}, "error: nothing -> {'code': 'internal_error'}"),
    ],
)
def test_where_two_answers_differ(other: dict[str, Any], place: str) -> None:
    assert differing([line(experts=[ROW])], [line(**other)])[0].startswith(place)


def test_the_same_question_asked_again_is_another_one() -> None:
    first = [line("context", text="a"), line("context", text="")]
    assert differing(first, first[::-1]) == ["text: 'a' -> ''", "text: '' -> 'a'"]
    assert differing(first, first[:1]) == ["the answer: {'text': ''} -> nothing"]


def test_a_knowledge_base_that_is_in_one_only_is_one_difference() -> None:
    lines = [line(text="a"), line("probe", hits=[])]
    other = [one.replace("small", "large") for one in lines]
    assert differing(lines, lines + other) == ["recorded in one of the two only"]


def test_long_texts_are_shown_where_they_differ() -> None:
    place = differing([line(text="a" * 500 + "b")], [line(text="a" * 500 + "c")])
    assert place == [f"text: {'a' * 25}b' -> {'a' * 25}c'"]


def test_the_exit_code_tells_whether_anything_differs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = tmp_path / "one.jsonl", tmp_path / "other.jsonl"
    one.write_text(line(experts=[ROW]) + "\n", "utf-8")
    other.write_text(line(experts=[]) + "\n", "utf-8")
    assert main(["--compare", str(one), str(one)]) == 0
    assert capsys.readouterr().out == "no answer differs\n"
    assert main(["--compare", str(one), str(other)]) == 1
    assert (
        'experts: 1 answers differ\n  small, before: {"topic": "jwt"}\n' in capsys.readouterr().out
    )


@pytest.mark.parametrize("package", ["sidecar", "sidecar/vouch_sidecar"])
def test_the_program_of_a_tree_runs_at_the_fixed_time(tmp_path: Path, package: str) -> None:
    surfaces = tmp_path / "tree" / package / "surfaces"
    surfaces.mkdir(parents=True)
    (surfaces.parent / "__init__.py").touch()
    (surfaces / "entry.py").write_text(ENTRY, "utf-8")
    program = Program.of(tmp_path / "tree", tmp_path)
    with program.jsonl(tmp_path) as ask:
        assert ask("status", {}) == {"arguments": ["jsonl"], "now": NOW.timestamp()}


def test_a_program_that_comes_from_elsewhere_does_not_run(tmp_path: Path) -> None:
    command = [sys.executable, driver.__file__, str(tmp_path), "vouch_sidecar", "0", "jsonl"]
    done = subprocess.run(command, capture_output=True, text=True, input="")
    assert done.returncode == 1
    assert f"not from {tmp_path}" in done.stderr
