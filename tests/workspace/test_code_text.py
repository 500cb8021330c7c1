"""What comments and strings say of names, and which options and variables a call declares."""

from __future__ import annotations

import pytest
from vouch_sidecar.workspace.code_text import CodeText
from vouch_sidecar.workspace.definitions import Wanted, names_in_file
from vouch_sidecar.workspace.file_kinds import language_of

from tests.workspace.places import definitions

by_both = pytest.mark.parametrize("parses", [True, False], ids=["parsed", "by lines"])


def found_in(text: str, name: str, ending: str, parses: bool) -> int | None:
    """The line where a file defines a name."""
    how = ending if parses else ""
    found = definitions(text.encode(), language_of(f"a.{ending}"), Wanted({name}), how)
    return found.get(name)


@by_both
@pytest.mark.parametrize(
    ("ending", "line"),
    [
        ("py", 'parser.add_argument("--find-me", type=int)'),
        ("py", 'parser.add_argument("-f", "--find-me", "--find")'),
        ("py", 'partial(Option, "--find-me", dest="find")'),
        ("py", 'add(  # "(" it is\n    "--find-me",\n    default=(1, [2]),\n)'),
        ("py", "option('--find-me=MODE')"),
        ("py", 'click.option("--find-me/--no-find-me")'),
        ("py", "@click.option('--find-me / --lose-me', default=True)\ndef f(): ..."),
        ("ts", 'program.option("-f, --find-me <where>", "look");'),
        ("ts", 'program.requiredOption("--find-me [where]");'),
        ("ts", "x.addOption(new Option('--find-me'));"),
        ("cs", 'class A { object F() { return new Option<int>("--find-me", "look"); } }'),
    ],
)
def test_options_that_are_declared(ending: str, line: str, parses: bool) -> None:
    text = f"\n{line}\n"
    number = text[: text.index("--find-me")].count("\n") + 1
    assert found_in(text, "--find-me", ending, parses) == number


@by_both
@pytest.mark.parametrize(
    "line",
    [
        'f("--find-me=fast is not ready for ")',
        'option("--find-me, --group, or --requirement. ")',
        'option("use --find-me")',
        'option("--find-me was used")',
        'option(["--find-me"])',
        'option(name="--find-me")',
        'option("--other", help="--find-me")',
        'option("--other" + "--find-me")',
        '# option("--find-me")',
        '"""\noption("--find-me")\n"""',
        "x = \"option('--find-me')\"",
        'cmd = ["pip", "--find-me", "x"]',
        'args = ["--find-me"]',
        'args.append("--find-me")',
        'self._git("rev-parse", "--find-me")',
        'git("log", "--find-me")',
        "msg = \"unknown option '--find-me'\"",
        'MSG = "--find-me"',
        'def f():\n    """Pass \'--find-me\' here."""',
        'if "--find-me" in args: ...',
        'if option.startswith("--find-me"): ...',
        'if has_option("--find-me"): ...',
        'raise UsageError("--find-me")',
        'raise UnknownOption("--find-me")',
        'assert_called("--find-me")',
        'x = ("no "\n    "--find-me"\n    " there, at all, whatever happens, and nobody knows")',
    ],
)
def test_options_that_are_mentioned(line: str, parses: bool) -> None:
    how = "py" if parses else ""
    found = names_in_file(f"{line}\n".encode(), "python", Wanted({"--find-me"}), how)
    assert (dict(found.defined), list(found.mentioned)) == ({}, ["--find-me"])


@by_both
@pytest.mark.parametrize(
    ("ending", "line"),
    [
        ("py", 'os.environ.get("FIND_ME", "no")'),
        ("py", 'os.getenv("FIND_ME")'),
        ("py", 'config("FIND_ME", default=3)'),
        ("go", 'package a\n\nvar x = os.Getenv("FIND_ME")'),
        ("rs", 'fn f() { std::env::var("FIND_ME"); }'),
        ("java", 'class A { String x = System.getenv("FIND_ME"); }'),
    ],
)
def test_variables_that_are_read(ending: str, line: str, parses: bool) -> None:
    number = line[: line.index("FIND_ME")].count("\n") + 1
    assert found_in(f"{line}\n", "FIND_ME", ending, parses) == number


@by_both
@pytest.mark.parametrize(
    "line",
    [
        'env["FIND_ME"] = "1"',
        'os.environ["FIND_ME"]',
        'monkeypatch.setenv("FIND_ME", "x")',
        'os.environ.pop("FIND_ME")',
        'run_child(env={"FIND_ME": "1"})',
        'client(method="FIND_ME")',
        'state = "FIND_ME"',
        '__all__ = ["FIND_ME"]',
        'get("FIND_ME")',
    ],
)
def test_constants_that_are_mentioned(line: str, parses: bool) -> None:
    assert found_in(f"{line}\n", "FIND_ME", "py", parses) is None


@by_both
@pytest.mark.parametrize(
    "line", ['client(method="POST")', 'getenv("POST")', 'kind = dict(kind="POST")', 'Z = "POST"']
)
def test_one_word_in_quotes_is_neither_defined_nor_mentioned(line: str, parses: bool) -> None:
    how = "py" if parses else ""
    found = names_in_file(f"{line}\n".encode(), "python", Wanted({"POST"}), how)
    assert (dict(found.defined), dict(found.mentioned)) == ({}, {})


@by_both
@pytest.mark.parametrize(
    ("ending", "text"),
    [
        ("py", '"""Usage::\n\n    class NAME:\n        def f(): ...\n"""\n'),
        ("py", "'''\ndef NAME(): ...\n'''\n"),
        ("py", "# def NAME(): ...\n"),
        ("ts", "// function NAME() {\n"),
        ("ts", "/** class NAME { } */\n"),
        ("ts", "/**\n * function NAME() {\n */\n"),
        ("ts", "const s = `\nexport function NAME() {\n`;\n"),
        ("ts", 'console.log("function NAME() {");\n'),
        ("go", "package a\n\n/*\nfunc NAME() {\n}\n*/\n"),
        ("go", "package a\n\nvar t = `\ntype NAME struct {\n`\n"),
        ("rs", '// fn NAME() {}\nfn f() { g("fn NAME() {}"); }\n'),
        ("java", 'class A { /* class NAME { */ String s = """\nclass NAME {\n"""; }\n'),
        ("cs", 'class A { string s = @"C:\\\nclass NAME {\n"; }\n'),
        ("rb", 'x = "class NAME"\n# def NAME\n'),
        ("c", "/* struct NAME { */\n// #define NAME\n"),
    ],
)
def test_comments_and_strings_define_nothing(ending: str, text: str, parses: bool) -> None:
    assert found_in(text.replace("NAME", "FindMeHere"), "FindMeHere", ending, parses) is None


@pytest.mark.parametrize(
    ("ending", "before"),
    [
        ("py", "x = \"it's\"  # it's\n"),
        ("py", "x = 'no end\n"),
        ("ts", "const x = /[`'\"]/.test(`a ${b(`c`)}`); // don't\n"),
        ("ts", "x = a.replace(/\\/*`/g, '') / 2;\n"),
        ("rs", "fn f<'a>(x: &'a str) -> char { '\"' }\n"),
        ("go", "var q = '\"'\nvar r = '`'\n"),
        ("cpp", "int x = 1'000'000; char q = '\"';\n"),
        ("java", 'class A { String s = "\\"/*"; char c = \'"\'; }\n'),
    ],
)
def test_what_comes_after_a_string_is_code(ending: str, before: str) -> None:
    code = CodeText(f"{before}class FindMeHere {{", language_of(f"a.{ending}")).code
    assert code.endswith("\nclass FindMeHere {")
    assert (len(code), code.count("\n")) == (len(before) + 18, before.count("\n"))


@pytest.mark.parametrize(
    ("ending", "before"),
    [
        ("ts", "return /`/;\n"),
        ("ts", "return /[/*]/;\n"),
        ("ts", "const f = (x) => /`/.test(x);\n"),
        ("ts", "switch (x) { case /`/.test(x): typeof /`/; }\n"),
        ("ts", "  /`/.test(x);\n"),
        ("ts", "f(); /`/.test(x); { /`/ } /`/\n"),
        ("ts", "<p>use ` here</p>\n"),
        ("ts", "<A b={c} /> + `\n`;\n"),
        ("ts", "x = a / `\n` / 2;\n"),
        ("ts", "<p>all of src/*.ts</p>\n<p>a ` there</p>\n"),
        ("go", "// a\nx ` y\n"),
        ("kt", 'val x = """\\"""\nval y = """a""""\n'),
        ("java", 'String x = """\n \\"""";\n'),
        ("swift", 'let x = #"\\"# + #""""#\nlet y = #"""\n"\\"""#\n'),
    ],
)
def test_one_sign_hides_no_definition_below_it(ending: str, before: str) -> None:
    code = CodeText(f"{before}class FindMeHere {{}}\n", language_of(f"a.{ending}")).code
    assert code.endswith("\nclass FindMeHere {}\n")


@pytest.mark.parametrize(
    "bait", ['"', "'", '\\"', '"""', "/*", "`", "/[", "(", '("--find-me",', '"--find-me"', "a("]
)
@pytest.mark.parametrize("ending", ["py", "ts", "cs", "java"])
def test_hostile_texts_end(bait: str, ending: str) -> None:
    text = f"class FindMeHere {{}}\n{bait * 50_000}\n"
    assert found_in(text, "FindMeHere", ending, parses=False) == 1
    lines = f"{bait}\n" * 50_000
    assert found_in(f"class FindMeHere {{}}\n{lines}", "FindMeHere", ending, parses=False) == 1
    assert found_in(f'{bait * 50_000}\ng("--find-me")', "--find-me", ending, parses=False) is None
