"""CODEOWNERS is read as GitHub reads it."""

from pathlib import Path

import pytest
from vouch_sidecar.workspace import code_owners
from vouch_sidecar.workspace.code_owners import OWNERS_FILES, read_owners, rule_for, rules_in

from tests.workspace.places import write


def owners(text: str, path: str) -> str:
    rule = rule_for(rules_in(text), path)
    return " ".join(rule.owners) if rule is not None else ""


@pytest.mark.parametrize(
    ("text", "owned", "others"),
    [
        # the examples of GitHub's page about code owners
        ("* @a", "a/b.py src/auth/", ""),
        ("# A comment\n* @b\n*.js @a #This is one, too", "deep/er/x.js", "x.py"),
        ("* @a\n*.go docs@example.com", "x.py", "x.go"),
        ("docs/* @a", "docs/a.md", "docs/build-app/a.md x/docs/a.md"),
        ("apps/ @a", "x/y/apps/z/a.py", "apps"),
        ("/docs/ @a", "docs/a/b.md", "x/docs/a.md"),
        ("**/logs @a", "deeply/nested/logs/x/a.log logs/a.log", ""),
        ("/apps/ @a\n/apps/github ", "apps/a.py", "apps/github/a.py"),
        # what follows from them
        ("docs/ @a", "docs/x.md", "DOCS/x.md"),
        ("*.js @a", "x.js/deep/y.py", "x.py"),
        ("src/**/test @a", "src/test/x.py src/a/b/test/x.py", "test/x.py"),
        ("a?c.py @a", "x/abc.py", "x/ac.py"),
        ("/ @a", "", "x"),
        ("*.c++ @b\n(app)/ @a", "(app)/x.py", "x.c++"),
        ("src/ @a\ntail\\ @b\n\\", "src/x", ""),
        ("src/ @a\r\n", "src/x src/auth/", ""),
        ("src/*.py @a", "", "src/"),
    ],
)
def test_who_owns_a_path(text: str, owned: str, others: str) -> None:
    assert [path for path in owned.split() if owners(text, path) != "a"] == []
    assert [path for path in others.split() if owners(text, path) == "a"] == []


def test_owners_are_in_the_order_of_the_rule_and_a_blank_may_stand_in_it() -> None:
    assert owners("my\\ docs/ @b @octo-org/cats @b", "my docs/x.md") == "b octo-org/cats"


REFUSED = """
!x @a
[ab] @a
[Section] @a
\\#x @a
a***b @a
a//b @a
/ @a
x a
x @a/b/c
x @a\u202eb
x @a @ü
"""


def test_a_rule_that_cannot_be_read_does_not_count_and_the_others_do() -> None:
    for line in (*REFUSED.strip().split("\n"), f"{'x' * 301} @a", f"x {'@owner ' * 800}"):
        assert [rule.pattern for rule in rules_in(f"* @first\n{line}\n# end\n")] == ["*"], line


def test_the_first_place_counts(tmp_path: Path) -> None:
    """A file that is too large, or a link, names nobody."""
    assert not read_owners(tmp_path)
    for path in reversed(OWNERS_FILES):
        write(tmp_path, {path: f"caf\xe9/ @no\n* @of-{len(path)}\n".encode("latin-1")})
        handles = [rule.owners[0] for rule in read_owners(tmp_path)]
        assert handles[-1] == f"of-{len(path)}"  # a line that is no UTF-8 costs no other one
    first = tmp_path / OWNERS_FILES[0]
    first.write_bytes(b"#" * (code_owners.MAX_OWNERS_BYTES + 1))
    assert not read_owners(tmp_path)
    first.unlink()
    first.symlink_to(tmp_path / OWNERS_FILES[1])
    assert not read_owners(tmp_path)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 140 + "b", "a" * 255),
        ("**/" * 90 + "b", "/".join("a" * 500)),
        ("a/**/" * 50 + "b", "/".join("a" * 500)),
        ("a/" * 140 + "b", "/".join("a" * 500)),
        ("**/" + "a/" * 140 + "b", "/".join("a" * 500)),
    ],
)
def test_hostile_patterns_end(monkeypatch: pytest.MonkeyPatch, pattern: str, path: str) -> None:
    monkeypatch.setattr(code_owners, "MAX_COST", 30_000)  # to take no seconds
    text = f"{pattern} @a\n" * code_owners.MAX_RULES
    rules = rules_in(text)
    assert len(rules) == code_owners.MAX_RULES
    assert rules_in(text + "* @a\n") == ()
    assert [rule_for(rules, f"{path}/{number}") for number in range(20)] == [None] * 20
