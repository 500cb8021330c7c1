"""The Python API: every operation, typed, as docs/using.md shows it."""

import doctest
import sys
from pathlib import Path

import pytest
from vouch_sidecar import InvalidParamsError, NoKnowledgeBaseError, open_kb
from vouch_sidecar.operations.operation import operations
from vouch_sidecar.operations.wire import as_json

from tests.protocol import knowledge
from tests.protocol.client import ran

ROOT = Path(__file__).parents[1]


def test_every_operation_is_a_method_that_takes_its_main_param_by_position(courier: Path) -> None:
    with open_kb(courier) as kb:
        for name, operation in operations().items():
            ask, params = getattr(kb, name), dict(operation.example)
            assert ask.__doc__ == operation.summary
            main = [params.pop(next(iter(params)))] if params else []
            answer = ask(*main, **params)
            assert type(answer) is operation.result
            read = operation.result.model_validate(as_json(answer), strict=False)
            assert as_json(read) == as_json(answer), "who asks another process reads it so"
        assert kb.experts("relay", limit=1) == kb.experts(topic="relay", limit=1)
        assert kb.experts("relay", types=iter(["nobody"])).experts == []
        assert [file.path for file in kb.files(p for p in [courier / "a.py"]).files] == ["a.py"]
        with pytest.raises(InvalidParamsError, match="topik is no parameter; did you mean topic"):
            kb.experts("relay", topik="relay")
        with pytest.raises(InvalidParamsError, match="limit"):
            kb.experts("relay", limit=0)


def test_the_examples_of_the_documentation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    failed, run = doctest.testfile(str(ROOT / "docs" / "using.md"), module_relative=False)
    assert (failed, run > 8) == (0, True)


def test_a_refresh_has_changes(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (empty := tmp_path / "empty").mkdir()
    with open_kb(root) as kb, open_kb(root / ".vouch", agent="me") as mine:
        knowledge.claim(root, "new", "JWT is new.", "jwt")
        knowledge.claim(root, "mine", "JWT.", "jwt", scope={"visibility": "private", "agent": "me"})
        for own, count in ((kb, 3), (mine, 4)):
            own.refresh()
            assert own.experts("jwt").experts[0].claim_count == count
        (root / "late.py").write_text("")
        knowledge.claim(root, "late", "`late.py` is new.")
        kb.refresh()
        assert [claim.id for claim in kb.files(["late.py"]).files[0].claims] == ["late"]
    with pytest.raises(ValueError, match="closed"):
        kb.status()
    with pytest.raises(NoKnowledgeBaseError, match=f"no knowledge base found from {empty}$"):
        open_kb(empty)
    monkeypatch.setenv("VOUCH_KB_PATH", "/gone/.vouch")
    with pytest.raises(NoKnowledgeBaseError, match=r"VOUCH_KB_PATH names /gone/\.vouch, "):
        open_kb(empty)


SCRIPT = """
import ctypes, gc, os, signal, sys
from contextlib import suppress
from vouch_sidecar import open_kb

def interrupt(*_):
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    raise InterruptedError

def on_claims(event, args):
    if event == "open" and "/claims/" in str(args[0]):
        signal.raise_signal(signal.SIGALRM)

with suppress(InterruptedError), open_kb(sys.argv[1]) as kb:
    signal.signal(signal.SIGALRM, interrupt)
    sys.addaudithook(on_claims)
    kb.files(["a.py"])
    sys.exit("not interrupted")

before, called = dict(os.environ), []
ctypes.CDLL = called.append
with open_kb(sys.argv[1]) as kb:
    print(kb.status().roots[0].counts.claims)
    kb.experts("jwt")
    kb.refresh()
forgotten = open_kb(sys.argv[1])  # never closed
forgotten.status()
print(gc.get_freeze_count(), called, dict(os.environ) == before)
"""


def test_the_calling_process_is_left_as_it_is(root: Path, tmp_path: Path) -> None:
    """And ends though a question was interrupted, and something was not closed."""
    (script := tmp_path / "script.py").write_text(SCRIPT)
    done = ran(sys.executable, script, root)
    assert (done.stdout, done.stderr) == (b"3\n0 [] True\n", b"")
