"""Files read with helper processes are read as without, whatever becomes of the helpers."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest
from vouch_sidecar.engine.collection import Collection
from vouch_sidecar.index import crew
from vouch_sidecar.index.crew import Job, start_helper
from vouch_sidecar.index.documents import Prepared, prepare
from vouch_sidecar.index.helper import understood
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.index.parsing import Parsing
from vouch_sidecar.kb.reader import Reading
from vouch_sidecar.kb.records import Claim, Entity, Kind
from vouch_sidecar.kb.store import Reconciled, Store

from tests.kb.samples import SHA, claim, dump, entity, make_kb, page, put

Files = Sequence[tuple[str, bytes]]


@pytest.fixture(scope="module")
def kb_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some hundred files, among them every kind, and whatever may be wrong with one."""
    kb_dir = make_kb(tmp_path_factory.mktemp("many"))
    for number in range(400):
        text = f"The service number {number} signs its tokens."
        put(kb_dir, f"claims/c{number:03}.yaml", claim(f"c{number:03}", text=text))
    put(kb_dir, "claims/private.yaml", claim("private", scope={"visibility": "private"}))
    put(
        kb_dir, "claims/agents.yaml", claim("agents", scope={"visibility": "private", "agent": "a"})
    )
    put(kb_dir, "claims/gone.yaml", claim("gone", status="superseded"))
    put(kb_dir, "claims/twin.yaml", claim("c000", text="The same id once more."))
    put(kb_dir, "claims/no-date.yaml", claim("no-date") + b"created_at: x\n")
    put(kb_dir, "claims/odd.yaml", claim("odd", type="guess", confidence=7))
    put(kb_dir, "claims/twice.yaml", claim("twice") + b"type: fact\n")
    put(kb_dir, "claims/broken.yaml", b"id: broken\n  text: [")
    put(kb_dir, "claims/bytes.yaml", b"id: \xff")
    put(kb_dir, "claims/bomb.yaml", b"a: &a [x,x]\n" + b"b: [" + b"*a," * 65 + b"]\n")
    put(kb_dir, "claims/meant-for-one.yaml", b"id: meant-for-one\nscope: {agent: b}\n")
    put(kb_dir, "entities/service-api.yaml", entity(aliases=["Tôken signer", "日本語"]))
    put(kb_dir, "pages/auth.md", page("# Auth\nTokens.\n# More\nSigned.\n", id="auth"))
    put(kb_dir, "pages/no-front.md", b"# nothing")
    edge = {"id": "r", "source": "service-api", "relation": "uses", "target": "c000"}
    put(kb_dir, "relations/r.yaml", dump(edge))
    put(kb_dir, "evidence/e.yaml", dump({"id": "e", "source_id": SHA, "locator": "l"}))
    put(kb_dir, f"sources/{SHA}/meta.yaml", dump({"id": SHA, "locator": "x", "type": "file"}))
    put(kb_dir, "sessions/s.yaml", dump({"id": "s", "agent": "a", "ended_at": "2026-01-01"}))
    return kb_dir


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """The helpers that a test has started."""
    found: list[subprocess.Popen[bytes]] = []

    def start() -> subprocess.Popen[bytes]:
        found.append(start_helper())
        return found[-1]

    monkeypatch.setattr(crew, "start_helper", start)
    return found


def read(kb_dir: Path, parse: Parsing) -> tuple[Reconciled, list[Prepared], list[Prepared]]:
    """One reconcile, what was prepared of it, and what of that where the files were read."""
    step = Store(kb_dir, parse=parse).reconcile()
    told = list(parse._prepared.values())
    return step, [parse.prepared(artifact) for artifact in step.change.upserts], told


def ended(processes: Iterable[subprocess.Popen[bytes]]) -> bool:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        if all(process.returncode is not None for process in processes):  # and was waited for
            return True
        time.sleep(0.01)
    return False


def speaking(code: str) -> subprocess.Popen[bytes]:
    """A process with pipes for all of its streams."""
    return subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def asked(helper: subprocess.Popen[bytes], job: Job) -> bytes | None:
    """What a helper answers to one batch."""
    crew.ask(helper, job.files)
    return crew.hear(helper)


def test_with_helpers_all_is_as_without(
    kb_dir: Path, started: list[subprocess.Popen[bytes]]
) -> None:
    alone, prepared, told = read(kb_dir, Parsing(helpers=0))
    assert not told
    assert len(alone.problems) >= 9
    assert any(p.line > 1 and p.column > 1 for ps in alone.problems.values() for p in ps)
    together, prepared_too, told = read(kb_dir, Parsing(helpers=2, pays_from=0))
    assert together == alone
    assert list(together.change.upserts) == list(alone.change.upserts)
    assert prepared_too == prepared == list(map(prepare, alone.change.upserts))
    assert {p.artifact.path for p in told} >= {p.artifact.path for p in prepared}
    assert len(started) == 2
    assert ended(started)


def test_helpers_read_what_is_not_read_here(
    kb_dir: Path, started: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = read(kb_dir, Parsing(helpers=0))
    answered: list[bytes | None] = []
    real = crew.hear

    def hear(helper: subprocess.Popen[bytes]) -> bytes | None:
        answered.append(real(helper))
        return answered[-1]

    class Busy(Parsing):
        """Has something else to do until every batch is read."""

        def __call__(self, batches: Iterable[Files], most: int) -> Iterator[Sequence[Reading]]:
            return super().__call__(self._slowly(batches), most)

        def _slowly(self, batches: Iterable[Files]) -> Iterator[Files]:
            everything = list(batches)
            yield from everything
            deadline = time.monotonic() + 30
            while len(answered) < len(everything) and time.monotonic() < deadline:
                time.sleep(0.01)
            time.sleep(0.1)

    monkeypatch.setattr(crew, "hear", hear)
    monkeypatch.delattr(Job, "do")
    step, prepared, told = read(kb_dir, Busy(helpers=1, pays_from=0))
    assert (step, prepared) == expected[:2]
    assert set(map(id, prepared)) <= set(map(id, told))
    assert len(answered) >= 4
    assert ended(started)
    assert started[0].returncode == 0


@pytest.mark.skipif(not hasattr(os, "getpriority"), reason="no priorities here")
def test_a_helper_lets_others_go_first() -> None:
    helper = start_helper()
    try:
        assert asked(helper, Job([("claims/c.yaml", claim("c"))])) is not None
        behind = os.getpriority(os.PRIO_PROCESS, helper.pid) - os.getpriority(os.PRIO_PROCESS, 0)
        assert behind > 0
    finally:
        crew.end(helper)


def test_a_helper_has_its_next_batch_before_it_has_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """This one answers nothing until it has two, and nobody else reads."""
    code = (
        "import sys; from vouch_sidecar.index import helper as h; s, out = h._streams();"
        "frames = [h.receive(s), h.receive(s)];"
        "answer = lambda f: h.marshal.dumps([h._answer(*file) for file in h.marshal.loads(f)]);"
        "[h.send(out, answer(frame)) for frame in frames]; h.receive(s)"
    )
    helper = speaking(code)
    monkeypatch.setattr(crew, "start_helper", lambda: helper)
    monkeypatch.setattr(crew, "PATIENCE", 20.0)
    monkeypatch.delattr(Job, "do")
    both = crew.Crew(1)
    jobs = [both.add([(f"claims/{name}.yaml", claim(name))]) for name in "ab"]
    monkeypatch.setattr(both, "_take", lambda: None)
    answered = [reading.artifact for job in jobs for reading, _ in both.finish(job)]
    assert [artifact and artifact.id for artifact in answered] == ["a", "b"]
    monkeypatch.undo()
    both.dismiss()
    assert ended([helper])
    assert helper.stderr is not None
    helper.stderr.close()


def test_few_files_start_no_helper(kb_dir: Path, started: list[subprocess.Popen[bytes]]) -> None:
    read(kb_dir, Parsing(helpers=2))
    assert not started


def test_a_helper_that_is_killed_is_not_missed(
    kb_dir: Path, started: list[subprocess.Popen[bytes]]
) -> None:
    class Killing(Parsing):
        """Kills the helper when it has answered once, or is about to."""

        def __call__(self, batches: Iterable[Files], expected: int) -> Iterator[Sequence[Reading]]:
            for number, readings in enumerate(super().__call__(batches, expected)):
                if number == 1:
                    for helper in started:
                        helper.kill()
                yield readings

    assert read(kb_dir, Killing(1, 0))[0] == read(kb_dir, Parsing(helpers=0))[0]
    assert len(started) == 1
    assert ended(started)


@pytest.mark.parametrize(
    "code",
    [
        "import time; time.sleep(60)",
        "pass",
        "print('no frame', flush=True); input()",
        "import sys; sys.stdout.buffer.write(bytes([0, 0, 0, 9])); sys.exit(1)",
    ],
    ids=["hangs", "ends", "talks", "breaks off"],
)
def test_a_helper_that_does_not_answer_is_not_waited_for(
    code: str, kb_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[subprocess.Popen[bytes]] = []

    def start() -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", code]
        pipe = subprocess.PIPE
        found.append(subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL))
        return found[-1]

    monkeypatch.setattr(crew, "start_helper", start)
    monkeypatch.setattr(crew, "PATIENCE", 0.5)
    assert read(kb_dir, Parsing(helpers=1, pays_from=0))[0] == read(kb_dir, Parsing(helpers=0))[0]
    assert ended(found)


def test_where_no_process_can_be_started_all_is_read_here(
    kb_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "")
    assert read(kb_dir, Parsing(helpers=2, pays_from=0))[0] == read(kb_dir, Parsing(helpers=0))[0]
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert read(kb_dir, Parsing(helpers=2, pays_from=0))[0] == read(kb_dir, Parsing(helpers=0))[0]


def test_one_processor_needs_no_helper(
    kb_dir: Path, started: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0}, raising=False)
    read(kb_dir, Parsing(pays_from=0))
    assert not started
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)
    read(kb_dir, Parsing(pays_from=0))
    assert len(started) == 1
    assert ended(started)


def test_a_helper_that_a_file_keeps_busy_ends_by_itself() -> None:
    """Also when nobody is left who waits for it."""
    code = (
        "import time; from vouch_sidecar.index import helper; helper.LIMIT_SECONDS = 0.5;"
        "helper.parse = lambda *a: time.sleep(60); helper.main()"
    )
    helper = speaking(code)
    began = time.monotonic()
    assert asked(helper, Job([("claims/a.yaml", claim("a"))])) is None
    helper.communicate()
    assert helper.returncode == 1
    assert time.monotonic() - began < 20


def test_what_interrupts_reading_ends_the_helpers(
    started: list[subprocess.Popen[bytes]],
) -> None:
    def batches() -> Iterator[Files]:
        yield [("claims/a.yaml", claim("a"))]
        raise KeyError

    with pytest.raises(KeyError):
        list(Parsing(helpers=2, pays_from=0)(batches(), 5000))
    assert ended(started)


def test_a_helper_imports_nothing_from_the_folder_it_stands_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "yaml.py").write_text("import os; os.abort()")
    (tmp_path / "sidecar.py").write_text("import os; os.abort()")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    helper = start_helper()
    try:
        job = Job([("claims/a.yaml", claim("a"))])
        answers = asked(helper, job)
        assert answers is not None
        assert understood(answers) == job.do()
    finally:
        crew.end(helper)
    assert helper.returncode == 0


def test_a_helper_says_nothing_but_its_answers() -> None:
    """Whatever prints in it, from Python or below."""
    code = (
        "import os, sys; from vouch_sidecar.index import helper;"
        "helper.parse = lambda *a: (print('x'), os.write(1, b'y'), real(*a))[-1];"
        "from vouch_sidecar.kb.reader import parse as real; helper.main()"
    )
    helper = speaking(code)
    job = Job([("claims/a.yaml", claim("a"))])
    answers = asked(helper, job)
    assert answers is not None
    assert understood(answers) == job.do()
    out, err = helper.communicate()
    assert out == b""
    assert sorted(err.split()) in ([b"x", b"y"], [b"yx"])


def contents(knowledge: Knowledge) -> dict[object, object]:
    """What there is, what it counts for and in which words it is found, without any ordinals."""
    found: dict[object, object] = {p.artifact.path: p for p in knowledge.prepared()}
    for one in knowledge.all_of(Kind.CLAIM):
        found["links", one.id] = knowledge.links(one.id, knowledge.gates)
    for where, held in knowledge.search.postings.held.items():
        for word, ordinals in held.items():
            found[(*where, word)] = sorted(knowledge.ref(ordinal) for ordinal in ordinals)
    return found


def test_what_is_learned_while_files_are_read_is_as_if_built_at_once(kb_dir: Path) -> None:
    artifacts = Store(kb_dir).reconcile().change.upserts
    assert "claims/twin.yaml" not in {a.path for a in artifacts}  # another file counts
    collection = Collection.at(kb_dir.parent, time.monotonic)
    step = collection.read()
    assert step is not None
    assert step.rebuilt is not None
    backwards = list(map(prepare, artifacts))[::-1]
    kinds = [type(one.artifact) for one in backwards]
    assert kinds.index(Claim) < kinds.index(Entity)
    assert contents(step.rebuilt) == contents(Knowledge.of(backwards))
    assert contents(collection.rebuilt()) == contents(step.rebuilt)


def test_a_collection_reads_with_helpers_as_without(kb_dir: Path) -> None:
    def knowledge(parse: Parsing) -> Knowledge:
        collection = Collection.at(kb_dir.parent, time.monotonic)
        collection.parsing = parse
        collection.store._parse = parse
        step = collection.read()
        assert step is not None
        assert step.rebuilt is not None
        return step.rebuilt

    alone, together = knowledge(Parsing(helpers=0)), knowledge(Parsing(helpers=1, pays_from=0))
    assert contents(together) == contents(alone)
    assert {c.id for c in together.all_of(Kind.CLAIM)} >= {"c000", "agents"}
    assert {c.id for c in together.all_of(Kind.CLAIM)}.isdisjoint({"gone", "private"})
