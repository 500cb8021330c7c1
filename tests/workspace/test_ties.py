"""Ties between claims and files: what claims cite, quote and name; and prompts that do."""

from pathlib import Path

import pytest
from vouch_sidecar.engine import Engine
from vouch_sidecar.workspace.definitions import names_in_file
from vouch_sidecar.workspace.names_in_text import names_in
from vouch_sidecar.workspace.ties import MAX_DEFINING

from tests.engine.bases import ask, cached, engine_on, only, reread, settle, told
from tests.kb.samples import dump, entity, put, source_of
from tests.workspace.places import cite, looked, repository, settled, tie_rows, ties, track, write

NOTES, UPLOAD, WIRE = "docs/notes.md", "src/pkg/upload.py", "src/pkg/net/wire.py"
WEB, PHONE = "web/pay.ts", "phone/Pay.kt"
VENDORED, ELSEWHERE = "src/_vendor/lib/upload_lib.py", "https://example.org"
FILES = {
    UPLOAD: "import os\n\n\nclass UploadLoop:\n    limit = 3\n\n    def retry_once(self): ...\n",
    "src/pkg/other.py": "UploadLoop().retry_once()\n",
    "src/pkg/net/__init__.py": "",
    WIRE: 'MAX_FRAME = 10\ngetenv("PKG_FRAME")\noption("--max-frame")\n',
    WEB: "const fee = 3\nexport async function charge(card: string): Promise<string> {\n}\n"
    "const zone = process.env[`PKG_ZONE`];\n",
    PHONE: "suspend fun refund(card: Card) {\n}\n\nclass account(val id: Int)\n"
    'val key = env("""PKG_KEY""")\n',
    NOTES: "# Notes\n\nUploads stop after three retries.\n",
    "docs/a/index.md": "one",
    "docs/b/index.md": "two",
    "tests/test_upload.py": "class UploadLoop:\n    pass\n",
    "CHANGELOG.md": "UploadLoop\n",
    "package.json": "{}",
    "src/pkg/net/go.sum": "x",
    VENDORED: "class VendoredThing:\n    pass\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return repository(tmp_path / "repo", FILES)


CITED = {
    NOTES: """
        docs/notes.md ./docs/notes.md notes.md DOCS/Notes.md docs/notes.md#L3 ROOT/docs/notes.md
        file:notes.md:3
    """,
    UPLOAD: """
        /home/dev/elsewhere/src/pkg/upload.py file:///home/dev/elsewhere/src/pkg/upload.py
        C:\\dev\\repo\\src\\pkg\\upload.py file:///C:/dev/a%20b/src/pkg/upload.py
        file://host/src/pkg/upload.py
    """,
    WIRE: "/x/y/wire.py",
}
NOWHERE = """
    index.md https://example.org/docs/notes.md vouch:init ../../etc/passwd /etc/passwd
    .vouch/config.yaml docs
"""


def test_a_cited_file_is_found(root: Path) -> None:
    lines = dict[str, tuple[str, int | None]]()
    for path, locators in CITED.items():
        for locator in locators.split():
            claim_id = f"c{len(lines)}"
            cite(root, claim_id, "It is said.", locator.replace("ROOT", str(root)))
            lines[claim_id] = path, 3 if "#L3" in locator else None
    for number, locator in enumerate((*NOWHERE.split(), " ", "\0", "a/" * 3000)):
        cite(root, f"n{number}", "It is said there.", locator)
    by_path = only(settled(root)).world.ties.by_path
    assert lines == {tie.claim_id: (path, tie.line) for path in by_path for tie in by_path[path]}


def test_of_files_with_one_name_that_with_the_bytes_of_the_source_is_meant(root: Path) -> None:
    texts = {
        "README.md": "# Top\n\nThe top is quiet.\nSo it is.\n",
        "a/README.md": "# A\n\nUploads of A retry.\nThree times each.\n",
        "b/README.md": "# B\n\nUploads of B stop.\nThey end at once.\n",
    }
    track(root, texts)
    for path, text in texts.items():
        quote = text.split("\n")[2].encode()
        cite(root, path[0].lower(), quote.decode(), "README.md", text.encode(), quote=quote)
    for now, fresh in {
        texts["b/README.md"]: {"b": "there"},
        texts["b/README.md"].replace("stop", "end"): {"b": "gone"},
        "# Something else\n": {},
    }.items():
        write(root, {"b/README.md": now})
        engine = settled(root)
        quoted = {tied.claim.id: tied.fresh for path in texts for tied in ties(engine, path)}
        assert quoted == {"r": "there", "a": "there"} | fresh


def test_a_checkout_with_other_line_ends_quotes_the_same(root: Path) -> None:
    notes = FILES[NOTES].encode()
    cite(root, "one", "Uploads stop.", "notes.md", notes, quote=b"Uploads stop after")
    for content in (root / ".vouch" / "sources").glob("*/content"):
        content.write_bytes(content.read_bytes().replace(b"\n", b"\r\n"))
    write(root, {NOTES: notes.replace(b"\n", b"\r\n")})
    (tied,) = ties(settled(root), NOTES)
    assert (tied.tie.arm, tied.tie.line, tied.fresh) == ("quotes", 3, "there")


def test_a_content_that_is_replaced_counts_at_once(root: Path) -> None:
    notes = FILES[NOTES].encode()
    cite(root, "one", "Uploads stop.", "notes.md", notes, quote=b"Uploads stop after")
    (content,) = (root / ".vouch" / "sources").glob("*/content")
    engine = settled(root)
    for data, row in ((b"other", ("one", "cites", None)), (notes, ("one", "quotes", 3))):
        content.write_bytes(data)
        looked(engine)
        assert tie_rows(engine, NOTES) == [row]
        assert only(engine).world.readings == only(settled(root)).world.readings


def test_a_receipt_that_lies_is_a_citation(root: Path) -> None:
    content = FILES[NOTES].encode()
    cite(root, "one", "Uploads stop.", "notes.md", content, quote=b"three retries")
    evidence = {"id": "ev-one", "source_id": source_of(content), "locator": "b1-2"}
    for start, end in ((0, 4), (5, 2), (10**9, 10**9 + 1)):
        lying = evidence | {"quote": "elsewhere", "byte_start": start, "byte_end": end}
        put(root / ".vouch", "evidence/ev-one.yaml", dump(lying))
        assert tie_rows(settled(root), NOTES) == [("one", "cites", None)]


def test_a_path_or_an_identifier_that_few_files_define_is_named(root: Path) -> None:
    named: dict[str, tuple[str, str, int | None]] = {
        "See src/pkg/upload.py for it.": (UPLOAD, "path", None),
        "It is in `pkg/net/wire.py`, at the end.": (WIRE, "path", None),
        "Only wire.py knows.": (WIRE, "path", None),
        "Frames are cut by `pkg.net.wire`.": (WIRE, "path", None),
        "Raised through pkg.net.wire.cut_frame.": (WIRE, "path", None),
        "Everything in `src/pkg/net/` is asynchronous.": (WIRE, "path", None),
        "All of src/pkg/net waits.": (WIRE, "path", None),
        "`pkg.net` is a package.": (WIRE, "path", None),
        "`UploadLoop` gives up.": (UPLOAD, "identifier", 4),
        "The UploadLoop gives up.": (UPLOAD, "identifier", 4),
        "`UploadLoop.retry_once` is called twice.": (UPLOAD, "identifier", 7),
        "retry_once is called twice.": (UPLOAD, "identifier", 7),
        "`retry_once()` is called twice.": (UPLOAD, "identifier", 7),
        "`MAX_FRAME` is 10.": (WIRE, "identifier", 1),
        "Set PKG_FRAME for it.": (WIRE, "identifier", 2),
        "--max-frame cuts.": (WIRE, "identifier", 3),
        "PKG_ZONE names the zone.": (WEB, "identifier", 4),
        "PKG_KEY opens the till.": (PHONE, "identifier", 5),
        "charge() waits for the bank.": (WEB, "identifier", 2),
        "`refund` is logged.": (PHONE, "identifier", 1),
        "`account` has no limit.": (PHONE, "identifier", 4),
    }
    for number, text in enumerate(named):
        cite(root, f"c{number}", text, ELSEWHERE)
    cite(root, "begun", "See src/pkg/net/{a,b}.py and src/pkg/net/<name>.md.", ELSEWHERE)
    engine = settled(root)
    for path in (UPLOAD, WIRE, WEB, PHONE):
        rows = [(f"c{at}", *row) for at, row in enumerate(named.values())]
        expected = {(claim_id, arm, line) for claim_id, there, arm, line in rows if there == path}
        assert {*tie_rows(engine, path)} == expected
    assert [tie_rows(engine, path) for path in ("src/pkg/other.py", "CHANGELOG.md")] == [[], []]
    found = {"names PKG_FRAME, found at L2", "names --max-frame, found at L3"}
    assert found <= {tied.why for tied in ties(engine, WIRE)}


SIGNS = """
app/[id]/page.tsx | app/posts.$post.tsx | app/$lang.tsx | app/a,b/index.ts | app/a=b/+page.ts
| docs/c#/Oven.cs | docs/50% rye & oat.md | docs/it's here.md | docs/größe!.md
"""


def test_what_stands_in_backticks_and_is_a_file_is_that_file(tmp_path: Path) -> None:
    paths = [path.strip() for path in SIGNS.split("|")]
    others = {f"{path.rpartition('/')[0]}/other.py" for path in paths}
    root = repository(tmp_path / "repo", dict.fromkeys({*paths, *others}, "a = 1\n"))
    for number, path in enumerate(paths):
        cite(root, f"c{number}", f"In `{path}:1` the drum is kept slow.", "elsewhere")
    engine = settled(root)
    for number, path in enumerate(paths):
        assert tie_rows(engine, path) == [(f"c{number}", "path", None)]
    assert not any(tie_rows(engine, path) for path in others)


def test_what_is_general_or_carried_along_is_tied_to_no_name(root: Path) -> None:
    general = ("CHANGELOG.md", "package.json", "src/pkg/net/go.sum", VENDORED)
    for number, path in enumerate(general):
        cite(root, f"n{number}", f"{path}, `src/pkg/net/`, `VendoredThing`, UploadLoop.", ELSEWHERE)
        cite(root, f"c{number}", "It is said there.", path)
        cite(root, f"l{number}", "It is said in a line.", f"{path}#L1")
    engine = settled(root)
    for number, path in enumerate(general):
        carried = [(f"c{number}", "cites", None)] if path == VENDORED else []
        assert tie_rows(engine, path) == [*carried, (f"l{number}", "cites", 1)]


def test_a_claim_with_thousands_of_paths(root: Path) -> None:
    paths = " ".join(f"src/{n}.py" for n in range(14_000))
    cite(root, "one", f"src/pkg/upload.py {paths}", NOTES)
    engine = settled(root)
    assert tie_rows(engine, NOTES) == [("one", "cites", None)]
    assert tie_rows(engine, UPLOAD) == [("one", "path", None)]
    assert len(names_in(paths)) == 200


def test_what_two_files_define_ties_half_as_much_and_what_many_define_nothing(root: Path) -> None:
    for name, number in (("Alone", 1), ("Both", 2), ("Every", MAX_DEFINING + 1)):
        track(root, {f"src/{name}{n}.py": f"class {name}Loop:\n    pass\n" for n in range(number)})
        cite(root, name, f"`{name}Loop` runs.", f"{ELSEWHERE}/{name}")
    track(root, {"Pods/Alone.py": "class AloneLoop:\n    pass\n"})
    engine = settled(root)
    (alone,), (both,) = ties(engine, "src/Alone0.py"), ties(engine, "src/Both1.py")
    assert both.tie.strength == alone.tie.strength / 2
    assert tie_rows(engine, "src/Every0.py") == []


def test_a_part_of_a_name_that_is_defined_elsewhere_ties_nothing(root: Path) -> None:
    revision = "class MetadataRevision < Record\nend\n"
    files = {"models/metadata_revision.rb": revision, "db/migrate/2020_keep.rb": revision}
    whole = "models/image/metadata_revision.rb"
    track(root, files)
    cite(root, "one", "An `Image::MetadataRevision` never changes.", ELSEWHERE)
    assert tie_rows(settled(root), "models/metadata_revision.rb") != []
    track(root, {whole: "class Image::MetadataRevision < Record\nend\n"})
    engine = settled(root)
    assert tie_rows(engine, whole) == [("one", "identifier", 1)]
    assert [tie_rows(engine, path) for path in files] == [[], []]


def test_a_test_has_the_claims_of_what_it_tests(root: Path) -> None:
    more = (*(f"src/{each}/upload.py" for each in "bcde"), "tests/test_crate.py")
    others = ("tests/wire.py", "tests/test_other_wire.py", "src/b/net/wires.py", *more)
    named = ("tests/test_net_wire.py", "tests/test_wire.py", "src/pkg/upload_test.py")
    whole = ("src/b_upload.py", "tests/test_b_upload.py")  # though `src/b/upload.py` ends so, too
    crates = ("src/crate.py", *(f"docs/{each}/crate.md" for each in "abc"))
    track(root, dict.fromkeys((*others, *named, *whole, *crates), "x"))
    cite(root, "four", "Units are rounded down.", whole[0])
    cite(root, "five", "Crates are rounded up.", crates[0])
    cite(root, "one", "Frames are short.", WIRE, FILES[WIRE].encode(), quote=b"MAX_FRAME = 10")
    cite(root, "two", "`UploadLoop` gives up.", f"{ELSEWHERE}/b")
    cite(root, "three", "All in `src/pkg/net/` is slow.", f"{ELSEWHERE}/c")
    engine = settled(root)
    for path in named[:2]:
        (tied,) = ties(engine, path)
        assert (tied.claim.id, tied.tie.line) == ("one", None)
        assert tied.why == "cites it (wire.py, which this tests)"
    (tied,) = ties(engine, named[2])
    assert (tied.tie.arm, tied.tie.line, tied.is_weak) == ("identifier", None, True)
    assert tied.why == "names UploadLoop (upload.py, which this tests)"
    for path in (*others, "tests/test_upload.py"):
        assert tie_rows(engine, path) == []
    assert tie_rows(engine, whole[1]) == [("four", "cites", None)]


def test_files_with_the_name_of_an_entity(root: Path) -> None:
    named = ("src/money/refund_job.py", "src/money/RefundJob.java", "src/money/money_back.py")
    track(root, dict.fromkeys((*named, "src/money/refund.py"), "x"))
    cite(root, "one", "It runs at night.", f"{ELSEWHERE}/a", entities=["job"])
    cite(root, "two", "It is of nobody.", f"{ELSEWHERE}/b", entities=["unknown"])
    job = entity(id="job", name="Refund job", aliases=["money-back"])
    put(root / ".vouch", "entities/job.yaml", job)
    engine = settled(root)
    for path in named:
        (tied,) = ties(engine, path)
        assert (tied.claim.id, tied.tie.arm, tied.tie.line) == ("one", "path", None)
        assert tied.why == "is about Refund job, which the file is named after"
    assert tie_rows(engine, "src/money/refund.py") == []
    cite(root, "one", "It runs at night.", f"{ELSEWHERE}/a", entities=["unknown"])
    reread(engine)  # the world is still the one before
    assert ties(engine, named[0]) == []
    cite(root, "one", "It runs at night.", f"{ELSEWHERE}/a", entities=["job"])
    put(root / ".vouch", "entities/job.yaml", entity(id="job", name="Refund"))
    assert tie_rows(settled(root), "src/money/refund.py") == [("one", "path", None)]


@pytest.mark.parametrize(
    "withheld", [{"status": "redacted"}, {"scope": {"visibility": "private", "agent": "ada"}}]
)
def test_beside_a_quote_is_no_tie(root: Path, tmp_path: Path, withheld: dict[str, object]) -> None:
    """Another claim on that part does, until it is withheld; also after a fresh start."""
    first, second = b"Since `UploadLoop` stops on its own,", b"uploads end, says the manual."
    content = first + b"\n" + second + b"\n"
    cite(root, "one", second.decode(), "notes.md", content, quote=second)
    cite(root, "two", first.decode(), "notes.md", content, quote=first)
    engine = settled(root)

    def rows(engine: Engine) -> list[str]:
        (file,) = ask(engine, "files", paths=[UPLOAD], viewer={"agent": "eve"})["files"]
        return [row["id"] for row in file["claims"]]

    assert rows(engine) == ["two"]
    cite(root, "two", first.decode(), "notes.md", content, quote=first, **withheld)
    reread(engine)
    assert rows(engine) == rows(settled(root, tmp_path / "fresh")) == []


OUTSIDE = {
    "go": "type Relay struct {\n}\n\nfunc (r *Relay[T]) send() {\n}\n",
    "rs": "struct Relay;\n\nunsafe impl<T> Sink for Relay {\n    fn send(&self) {}\n}\n",
    "swift": "class Relay {\n}\nextension Relay {\n    func send() {\n}\n",
    "cpp": "struct Relay {\n};\n\nint Relay::send(int x) {\n}\n",
    "kt": "class Relay {\n}\n\nfun Relay.send() {\n}\n",
}


@pytest.mark.parametrize("ending", OUTSIDE)
def test_a_member_may_stand_outside_its_type(tmp_path: Path, ending: str) -> None:
    path = f"src/relay.{ending}"
    root = repository(tmp_path / "repo", {path: OUTSIDE[ending], f"src/other.{ending}": "send\n"})
    cite(root, "one", "`Relay.send` waits.", ELSEWHERE)
    cite(root, "type", "`Relay` waits.", f"{ELSEWHERE}/a")
    line = OUTSIDE[ending].split("send")[0].count("\n") + 1
    rows = {("one", "identifier", line), ("type", "identifier", 1)}
    assert {*tie_rows(settled(root), path)} == rows


def test_binary_and_minified_files_and_comments_define_nothing() -> None:
    comments = b"// class A {\n  //fn b() {\n/**\n * The class C waits.\n */\n"
    for language in ("javascript", "rust", "java", "kotlin", "swift", "csharp"):
        assert not names_in_file(comments, language).names, language
    for data in (b"\0class A:\n", b"x" * 600 + b" class A:\n", b"class A " * 9_000):
        assert not names_in_file(data, "python").names


def test_a_prompt_that_names_a_file_is_told_the_claims_tied_to_it(tmp_path: Path) -> None:
    """A document also by its number; all of it as soon as ties are there."""
    asked = ("src/upload.py", "src/parse.py", "docs/adr/0003-valves.md", "docs/adr/0004-units.md")
    root = repository(tmp_path / "kb", dict.fromkeys(asked, "x\n"))
    cite(root, "limit", "Retries end after three attempts.", "src/upload.py")
    cite(root, "other", "Blank lines are kept.", "src/parse.py")
    cite(root, "valves", "Both valves close on HTTP 500.", "docs/adr/0003-valves.md")
    cite(root, "units", "Pressures are kept in millibar.", "docs/adr/0004-units.md")
    engine = engine_on(root, env=cached(tmp_path))
    assert told(engine, "I'm editing src/upload.py") == []
    settle(engine)
    for task, wanted in {
        **dict.fromkeys(("I'm editing src/upload.py", "src/upload.py"), "limit"),
        **dict.fromkeys(("upload.py", "upload.py:1"), "limit"),
        **dict.fromkeys(("I'm editing src/other.py", "other.py"), ""),
        **dict.fromkeys(("ADR-0003", "What is ADR-3?", "ADR 3"), "valves"),
        "What did ADR 0003 decide?": "valves",
        **dict.fromkeys(("RFC 8", "What did ADR-0005 decide?"), ""),
    }.items():
        assert told(engine, task) == wanted.split(), task
    assert "unmatched" not in ask(engine, "experts", topic="ADR-3")
    (item, *_) = ask(engine, "context", task="I'm editing src/upload.py")["items"]
    assert item["phrase"] == "src/upload.py"
