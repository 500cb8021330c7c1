"""Tells from a file's path alone what sort of file it is: its language, and whether names in claims
tie them to it.
"""

from __future__ import annotations

import re

from vouch_sidecar.kb.discovery import PACKAGES

LANGUAGES = {
    "python": "py pyi",
    "javascript": "js jsx mjs cjs ts tsx mts cts vue svelte",
    "go": "go",
    "rust": "rs",
    "java": "java",
    "kotlin": "kt kts",
    "swift": "swift",
    "ruby": "rb rake",
    "c": "c h cc cpp cxx hh hpp hxx m mm",
    "csharp": "cs",
}
"""The languages whose definitions are found, and the endings of their files."""
_BY_ENDING = {end: language for language, ends in LANGUAGES.items() for end in ends.split()}
DOCUMENTS = frozenset("md markdown rst adoc txt org".split())
"""Endings of files for people."""
_TEST = re.compile(
    r"(?:^|/)(?:tests?|testing|specs?|__tests__|__mocks__|fixtures?|testdata|e2e|benchmarks?)/"
)
_TEST_FILE = re.compile(r"(?:^test_[^.]*+|^conftest|_test|_spec|\.test|\.spec|Tests?|Spec)\.[^/]")
"""The name of a test, without its folder."""
# A project may have `deps`, `venv` and, in small letters, `pods` of its own; `.cargo` has settings.
_PACKAGES = "|".join(name for name in PACKAGES - {"deps", "venv"} if not name.startswith("."))
_CARRIED = re.compile(
    r"(?:^|/)(?:_?vendor(?:ed)?|third[_-]?party|external|dist|build/lib|generated|__generated__"
    rf"|\.yarn|(?-i:{_PACKAGES}))/"
    r"|(?:\.min\.(?:js|css)|\.map|_pb2(?:_grpc)?\.pyi?|\.pb\.(?:go|cc|h)"
    r"|\.g\.(?:cs|dart)|\.generated\.\w+|\.snap)$",
    re.IGNORECASE,
)
_MIGRATION = re.compile(r"(?:^|/)(?:db/migrate|migrations|alembic/versions)/")
_WORDS = re.compile(r"[^\W_]++")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_EVERYBODYS = re.compile(
    r"\.(?:lock(?:b|file)?|sum|resolved)$|(?:^|[-._/])(?:lock|shrinkwrap)\.(?:json|ya?ml|toml)$"
    r"|(?:^|/)(?:package|composer|bower|lerna|deno|tsconfig|jsconfig|manifest|vcpkg)\.jsonc?$"
    r"|(?:^|/)(?:pyproject|cargo|pipfile|poetry|uv|pdm)\.toml$|[/.]versions\.toml$"
    r"|(?:^|/)(?:requirements|constraints)(?:/[^/]++|[^/]++)(?:(?<=\.txt)|(?<=\.in))$"
    r"|(?:^|/)(?:setup\.(?:py|cfg)|manifest\.in|go\.(?:mod|work)|gemfile|podfile|pipfile"
    r"|pom\.xml|build\.gradle(?:\.kts)?|settings\.gradle(?:\.kts)?|cmakelists\.txt|makefile"
    r"|dockerfile|package\.swift|conanfile\.(?:py|txt)|mix\.exs|(?:environment|pubspec)\.ya?ml"
    r"|directory\.\w+\.(?:props|targets))$"
    r"|\.(?:csproj|sln|gemspec|podspec)$",
    re.IGNORECASE,
)
"""Manifests and lock files."""
_LOGS = (
    r"change[-_ ]?log[^/.]*+|changes|news|news[-_ ]?fragments|release[-_ ]?notes|whats?[-_ ]?new"
)
_CHANGES = re.compile(
    rf"(?:^|/)(?:(?:{_LOGS})[-_ \d]*+(?:\.d)?/"
    rf"|(?:{_LOGS}|history|releases?)[-_ \d]*+(?:\.[^/]*+)?\Z)",
    re.IGNORECASE,
)
"""Documents on what changed, or the folder with one for each version."""
_GENERAL = re.compile(
    r"(?:^|/)(?:readme|licen[cs]e|copying|authors|contributors|notice|todo)(?:\.\w+)?$",
    re.IGNORECASE,
)


def ending_of(path: str) -> str:
    """The part of a file's name after its last dot, in small letters."""
    return path.rpartition(".")[2].lower()


def language_of(path: str) -> str | None:
    """The language of a file whose definitions are looked for."""
    return _BY_ENDING.get(ending_of(path))


def is_test(path: str) -> bool:
    """Whether a file is a test, or serves tests."""
    return bool(_TEST.search(path) or _TEST_FILE.search(path.rpartition("/")[2]))


def is_for_names(path: str) -> bool:
    """Whether naming a file, or something that it defines, ties a claim to it. Manifests, lock
    files, changelogs, generated and vendored files do not.
    """
    return not (_CARRIED.search(path) or _GENERAL.search(path) or changes_with_all(path))


def is_searched(path: str) -> bool:
    """Whether a file is searched for what it defines. One that changes a database once is not: it
    may define again what it changes, in an older form.
    """
    return (
        language_of(path) is not None
        and is_for_names(path)
        and not is_test(path)
        and not _MIGRATION.search(path)
    )


def changes_with_all(path: str) -> bool:
    """Whether nearly every commit changes a file, as with manifests, lock files and changelogs.
    Citing one says nothing about who changes it.
    """
    name = path.rpartition("/")[2]
    is_text = "." not in name.strip(".") or ending_of(name) in DOCUMENTS
    return bool(_EVERYBODYS.search(path) or (is_text and _CHANGES.search(path)))


def words_of(name: str) -> str:
    """The words of a name in small letters, joined by `_`, however they are joined in the name."""
    return "_".join(_WORDS.findall(_HUMP.sub(" ", name))).lower()


def tested_name(path: str) -> str:
    """The name of what a test file tests, taken from its own name; "" if it is no test."""
    name = path.rpartition("/")[2]
    if language_of(path) is None or not _TEST_FILE.search(name):
        return ""
    words = words_of(name.partition(".")[0]).split("_")
    return "_".join(word for word in words if word not in ("test", "tests", "spec", "conftest"))


def name_of(path: str) -> str:
    """The name of a file without its ending; that of its folder, if a package is imported from
    it.
    """
    return (module_of(path) or path.rpartition(".")[0] or path).rpartition("/")[2]


def module_of(path: str) -> str | None:
    """The path from which a file of code is imported: without the ending; for a package, the
    folder.
    """
    if language_of(path) is None:
        return None
    stem = path.rpartition(".")[0].removesuffix(".d")
    folder, _, name = stem.rpartition("/")
    return folder if name in ("__init__", "mod", "index", "lib") and folder else stem
