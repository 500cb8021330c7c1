"""Definitions: by tree-sitter with the extra `code`, by lines without it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from vouch_sidecar.workspace import parser_process, syntax_trees
from vouch_sidecar.workspace.cancellation import AnalysisCancelledError, never_cancelled
from vouch_sidecar.workspace.definitions import Wanted, names_in_file
from vouch_sidecar.workspace.file_kinds import language_of
from vouch_sidecar.workspace.parser_process import (
    MAX_FAILURES,
    MAX_PARSED,
    MAX_PARSER_MEMORY,
    ParserProcess,
    parsed,
)
from vouch_sidecar.workspace.syntax_trees import GRAMMARS

from tests.workspace.places import cite, definitions, repository, settled, tie_rows

NAME = "FindMeHere"
DEFINING = [
    ("py", "async def NAME(x): pass"),
    ("py", "class A:\n    def NAME(self): pass"),
    ("py", "class A:\n    NAME: int = 3"),
    ("py", "NAME = 3"),
    ("js", "export default class NAME extends X {}"),
    ("js", "export const NAME = (x) => x"),
    ("js", "class A {\n  async #NAME(x) {} }"),
    ("ts", "export interface NAME { a: string }"),
    ("ts", "class A {\n  async NAME(x: number): Promise<void> {}\n}"),
    ("tsx", "class A {\n  private NAME: number = 1\n}"),
    ("go", "package x\nfunc (s *Server) NAME(ctx context.Context) error { return nil }"),
    ("go", "package x\ntype NAME struct { a int }"),
    ("go", "package x\ntype A struct {\n\tb int\n\n\tNAME []string\n}"),
    ("go", "package x\ntype A interface {\n\tNAME(x int) error\n}"),
    ("ts", "class A<T> extends B {\n  f() {\n    return 1\n  }\n\n  NAME = 3;\n}"),
    ("ts", "export class A {\n  private readonly NAME?: string;\n}"),
    ("ts", "export interface A {\n  a: string;\n  NAME: string;\n}"),
    ("ts", "export enum A {\n  a,\n  NAME,\n}"),
    ("rs", "pub async fn NAME<T>(x: T) -> T { x }"),
    ("rs", "macro_rules! NAME { () => {} }"),
    ("java", "class A {\n  public static <T> List<T> NAME(T x) {\n    return null;\n  }\n}"),
    ("java", "public record NAME(int x) {}"),
    ("kt", "suspend fun String.NAME(): Int = 1"),
    ("kt", "val NAME = 1"),
    ("kt", "data class NAME(val x: Int)"),
    ("swift", "class A { public func NAME(x: Int) -> Int { return x } }"),
    ("rb", "class A\n  def self.NAME; end\nend"),
    ("rb", "class A\n  NAME = 1\nend"),
    ("rb", "module NAME\nend"),
    ("rb", "class A::NAME < B\nend"),
    ("c", "static int NAME(const char *x)\n{ return 1; }"),
    ("c", "char *NAME(void)\n{ return 0; }"),
    ("c", "#define NAME(x) (x)"),
    ("c", "typedef struct { int a; } NAME;"),
    ("cpp", "class NAME : public X {};"),
    ("cs", "class A {\n  public async Task<int> NAME(int x)\n  { return 1; }\n}"),
    ("cs", "public sealed class NAME {}"),
]
USING = [
    ("py", "return_(NAME(x))\nf(NAME=1)\nfrom a import NAME\n"),
    ("py", "x = NAME\ny = [\n    NAME,\n]\n# def NAMEX\n"),
    ("js", "import { NAME } from './x'\nNAME(x)"),
    ("js", "function f() {\n  const NAME = 1\n}"),
    ("ts", 'export { NAME } from "./x"'),
    ("ts", 'export { NAME as Other, Other as NAME } from "./x"'),
    ("py", '__all__ = ["NAME"]'),
    ("go", "package x\nfunc f() {\n\tvar NAME int\n}"),
    ("go", "package x\nfunc f() {\n\tNAME(1)\n\tx := A{\n\t\tNAME: 1,\n\t}\n}"),
    ("ts", "class A {\n  f() {\n    NAME = 3;\n    NAME(1);\n  }\n}"),
    ("ts", "const a = {\n  NAME: 3,\n}\nf({\n  NAME,\n})"),
    ("ts", "class A {\n  constructor(\n    NAME: string,\n  ) {}\n}"),
    ("go", "package x\nfunc f(NAME int) { NAME(x) }"),
    ("rs", "fn f() { let x = NAME(1); }"),
    ("rb", "class X < A::NAME\nend"),
    ("java", "class A { void f() { NAME(x); int NAME = 1; } }"),
    ("c", "struct NAME *p;\nint f(void) { return NAME(1); }"),
    ("cs", "class A { void F() { await NAME(x); var NAME = 1; } }"),
]


def test_each_grammar_is_there() -> None:
    assert syntax_trees.is_available()
    for endings in GRAMMARS.values():
        for ending in endings.split():
            assert parsed(b"", ending, {NAME}) == {}
    assert parsed(b"", "vue", ()) is parsed(b"", "", ()) is None
    tried = {ending for ending, _ in DEFINING}
    assert all(tried.intersection(endings.split()) for endings in GRAMMARS.values())


@pytest.mark.parametrize("parses", [True, False], ids=["parsed", "by lines"])
@pytest.mark.parametrize(("ending", "text"), DEFINING)
def test_what_defines_a_name(ending: str, text: str, parses: bool) -> None:
    data = f"\n{text.replace('NAME', NAME)}\n".encode()
    line = next(n for n, part in enumerate(data.decode().split("\n"), 1) if NAME in part)
    assert found_in(data, ending, parses) == {NAME: line}


def found_in(data: bytes, ending: str, parses: bool) -> dict[str, int]:
    """What a file defines with the extra, or without it."""
    return definitions(data, language_of(f"a.{ending}"), Wanted({NAME}), ending if parses else "")


@pytest.mark.parametrize("parses", [True, False], ids=["parsed", "by lines"])
@pytest.mark.parametrize(("ending", "text"), [*USING, ("md", "class NAME:\n")])
def test_what_only_uses_one(ending: str, text: str, parses: bool) -> None:
    assert found_in(text.replace("NAME", NAME).encode(), ending, parses) == {}


def test_what_only_a_parser_tells() -> None:
    method = f"int A::{NAME}(int x) {{ return 1; }}\n".encode()
    own = f"def f({NAME}=1):\n    {NAME} = 2\n".encode()
    assert (found_in(method, "hpp", parses=True), found_in(own, "py", parses=True)) == (
        {NAME: 1},
        {},
    )


def test_a_definition_within_a_text_is_none(tmp_path: Path) -> None:
    text = f'"""\nclass {NAME}:\n"""\n\n\ndef (\n'
    code = {"src/a.py": text, "src/b.py": f"class {NAME}:\n    pass\n"}
    root = repository(tmp_path / "repo", code)
    cite(root, "one", f"`{NAME}` is slow.", "https://example.org")
    engine = settled(root, tmp_path)
    assert tie_rows(engine, "src/b.py") == [("one", "identifier", 1)]
    assert tie_rows(engine, "src/a.py") == []


def test_a_word_of_english_is_a_function_or_a_type() -> None:
    text = b"retry = 3\n"
    assert definitions(text, "python", Wanted({"retry"}), "py") == {}
    assert definitions(b"def retry(): ...\n", "python", Wanted({"retry"}), "py") == {"retry": 1}


@pytest.mark.parametrize(
    ("ending", "text"),
    [
        ("py", "class A:\n  def f(self):\n    self.NAME = 1\n"),
        ("ts", "class A {\n  f() {\n    this.NAME = 1;\n  }\n}\n"),
        ("rb", "class A\n  def f\n    @NAME = 1\n  end\nend\n"),
    ],
)
@pytest.mark.parametrize("parses", [True, False], ids=["parsed", "by lines"])
def test_an_attribute_is_its_class_s(ending: str, text: str, parses: bool) -> None:
    language, how = language_of(f"a.{ending}"), ending if parses else ""
    data = text.replace("NAME", "isolated").encode()
    wanted = Wanted({"A.isolated", "B.isolated", "isolated"})
    assert definitions(data, language, wanted, how) == {"A.isolated": 3}


@pytest.mark.parametrize("parses", [True, False], ids=["parsed", "by lines"])
def test_where_a_definition_ends(parses: bool) -> None:
    python = b"class FindMeHere:\n    def f(self):\n\n        pass\n\nx = 1\n"
    c = b"static int FindMeHere(int x)\n{\n  return 1;\n}\nint y;\n"
    for data, ending, last in ((python, "py", 4), (c, "c", 4)):
        how = ending if parses else ""
        found = names_in_file(data, language_of(f"a.{ending}"), Wanted({NAME}), how)
        assert found.defined[NAME] == (1, last)


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xfe" * 50,
        b"(" * 100_000,
        b"x = " + b"[" * 50_000 + b"FindMeHere",
        b"{" * 100_000 + b" FindMeHere" * 500,
        b"class A:\n" * 20_000,
    ],
)
def test_hostile_files(data: bytes) -> None:
    assert not parsed(data, "py", {NAME})


@pytest.mark.parametrize(
    ("ending", "bait"),
    [
        ("py", "<-"),
        ("cpp", "%w("),
        ("cpp", "%w(/*)*/"),
        ("swift", "/*"),
        ("kt", "a,"),
        ("kt", "/*"),
    ],
)
def test_a_file_that_is_too_much_work_goes_by_lines(ending: str, bait: str) -> None:
    """Such a file would take a parser the square of its length, much of it in one step."""
    text = f"{bait * 20_000}*/\nclass {NAME} {{}}\n"
    assert parsed(text.encode(), ending, {NAME}) is None
    assert found_in(text.encode(), ending, parses=True) == {NAME: 2}
    assert parsed(f"class {NAME}: pass".encode(), "py", {NAME}) == {NAME: [(1, 1, False)]}


def test_an_analysis_ends_in_the_midst_of_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def cancelled() -> None:
        raise AnalysisCancelledError

    monkeypatch.setattr(parser_process, "CHECKPOINT_SECONDS", 0.0)
    text = f"{'<-' * 20_000}\nclass {NAME} {{}}\n"
    with pytest.raises(AnalysisCancelledError):
        names_in_file(text.encode(), "python", Wanted({NAME}), "py", cancelled)
    assert parsed(f"class {NAME}: pass".encode(), "py", {NAME}) == {NAME: [(1, 1, False)]}


def test_a_file_that_has_no_answer_in_time_goes_by_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where processor time can't be limited."""
    monkeypatch.setattr(parser_process, "WAITING_SECONDS", 0.0)
    monkeypatch.setattr(parser_process, "CHECKPOINT_SECONDS", 0.0)
    assert parsed(b"<-" * 20_000, "py", {NAME}) is None


def test_a_parser_that_was_killed_is_started_again() -> None:
    process = ParserProcess()
    data = f"class {NAME}: pass".encode()
    for _ in range(2):
        assert process.parsed(data, "py", {NAME}, never_cancelled) == {NAME: [(1, 1, False)]}
        assert process._process is not None
        process._process.kill()
        process._process.wait()
    process.end()


def test_where_no_process_answers_none_is_begun_for_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(parser_process, "WAITING_SECONDS", 0.0)
    monkeypatch.setattr(parser_process, "CHECKPOINT_SECONDS", 0.0)
    process, begun = ParserProcess(), 0
    running = process._running

    def begin() -> subprocess.Popen[bytes]:
        nonlocal begun
        begun += 1
        return running()

    monkeypatch.setattr(process, "_running", begin)
    for _ in range(2 * MAX_FAILURES):
        assert process.parsed(b"<-" * 20_000, "py", {NAME}, never_cancelled) is None
    assert begun == MAX_FAILURES


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux")
def test_the_memory_of_a_parser_is_limited() -> None:
    process = ParserProcess()
    assert process.parsed(b"", "cpp", {NAME}, never_cancelled) == {}
    assert process._process is not None
    limits = Path(f"/proc/{process._process.pid}/limits").read_text("utf-8")
    assert re.search(rf"Max data size +{MAX_PARSER_MEMORY} ", limits)
    process.end()


def test_a_parser_imports_nothing_of_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("vouch_sidecar", "json", "tree_sitter"):
        (tmp_path / f"{module}.py").write_text("raise SystemExit(1)")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([".", "", os.environ.get("PYTHONPATH", "")]))
    process = ParserProcess()
    assert process.parsed(b"", "py", {NAME}, never_cancelled) == {}
    process.end()


def test_large_files_and_those_without_the_extra_go_by_lines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    large = b"class FindMeHere:\n" + b"#" * MAX_PARSED
    assert parsed(large, "py", {NAME}) is None
    monkeypatch.setattr(syntax_trees, "is_available", lambda: False)
    assert definitions(b"class FindMeHere:\n", "python", Wanted({NAME}), "py") == {NAME: 1}


def test_what_lies_deep_in_data_is_not_looked_at() -> None:
    """From the root down to every place that names a word: in data of 100,000 levels that is
    seconds.
    """
    levels = syntax_trees.MAX_NODES_AROUND // 2

    def found(levels: int) -> object:
        return parsed(b"{" * levels + b"function NAME() {}" + b"}" * levels, "js", ["NAME"])

    assert found(levels) != {}
    assert not found(3 * levels)
