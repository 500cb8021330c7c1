"""The Python API: every operation, typed, as docs/python.md shows it."""

from __future__ import annotations

import doctest
import inspect
import subprocess
import sys
from pathlib import Path

import pytest
from vouch_sidecar import KnowledgeBase, NoKnowledgeBaseError, open_kb
from vouch_sidecar.operations import OPERATIONS
from vouch_sidecar.operations.base import Params

from tests.protocol import knowledge

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("name", list(OPERATIONS))
def test_every_operation_is_a_method_with_its_params(name: str) -> None:
    operation = OPERATIONS[name]
    taken = inspect.signature(getattr(KnowledgeBase, name)).parameters
    own = operation.params.model_fields.keys() - operation.of_documents
    missing = own - Params.model_fields.keys() - taken.keys()
    assert missing == set()
    for param, field in operation.params.model_fields.items():
        if param in taken and not field.is_required() and name != "salience":
            default = None if param in operation.of_documents else field.default
            assert taken[param].default in (default, inspect.Parameter.empty)


def test_the_examples_of_the_documentation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    failed, run = doctest.testfile(str(ROOT / "docs" / "python.md"), module_relative=False)
    assert (failed, run > 10) == (0, True)


def test_what_changes_counts_after_a_refresh(tmp_path: Path) -> None:
    root = knowledge.make(tmp_path / "project")
    with open_kb(root) as kb:
        knowledge.claim(root, "new", "JWT is new.", "jwt")
        assert kb.experts("jwt").experts[0].claim_count == 2
        kb.refresh()
        assert kb.experts("jwt").experts[0].claim_count == 3
    with pytest.raises(ValueError, match="closed"):
        kb.status()


def test_who_asks(tmp_path: Path) -> None:
    root = knowledge.make(tmp_path / "project")
    knowledge.claim(root, "mine", "JWT.", "jwt", more="scope: {visibility: private, agent: me}\n")
    for agent, count in ((None, 2), ("me", 3)):
        with open_kb(root / ".vouch", agent=agent) as kb:
            assert kb.experts("jwt").experts[0].claim_count == count


def test_where_there_is_none(tmp_path: Path) -> None:
    with pytest.raises(NoKnowledgeBaseError, match="no knowledge base found"):
        open_kb(tmp_path)


SCRIPT = """
import sys
from vouch_sidecar import open_kb

with open_kb(sys.argv[1]) as kb:
    print(kb.status().roots[0].counts.claims)
"""
WHAT_CHANGED = """
import ctypes, gc, os, sys
from vouch_sidecar import open_kb

before, called = dict(os.environ), []
ctypes.CDLL = called.append
with open_kb(sys.argv[1]) as kb:
    kb.experts("jwt")
    kb.refresh()
print(gc.get_freeze_count(), called, dict(os.environ) == before)
"""


def test_a_large_knowledge_base_is_read_by_the_calling_process_alone(tmp_path: Path) -> None:
    """Another one would import, and so run, the script that asked."""
    root = knowledge.make(tmp_path / "project")
    for number in range(2_100):
        knowledge.claim(root, f"c{number}", "JWT.", "jwt")
    assert run(tmp_path, SCRIPT, root) == ("2103\n", "")


def test_the_calling_process_is_left_as_it_is(tmp_path: Path) -> None:
    root = knowledge.make(tmp_path / "project")
    assert run(tmp_path, WHAT_CHANGED, root) == ("0 [] True\n", "")


def run(folder: Path, text: str, root: Path) -> tuple[str, str]:
    """What a script prints on standard output and standard error."""
    script = folder / "script.py"
    script.write_text(text)
    done = subprocess.run(
        [sys.executable, script, root], capture_output=True, text=True, check=False, timeout=100
    )
    return done.stdout, done.stderr
