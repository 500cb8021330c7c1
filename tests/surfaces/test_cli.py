"""The shell: readable for people, exact for machines, harmless whatever a claim holds."""

import json
import re
import sys
from contextlib import redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest
from rich.cells import cell_len
from vouch_sidecar.surfaces.cli import main

from tests.kb.samples import claim, entity, put
from tests.oracle import OracleKb
from tests.protocol import knowledge
from tests.protocol.client import COMMAND, as_command, ran, run_command
from tests.workspace.places import cite, commit_as, git, repository, write

HIDDEN = "\x1b[2J\u3164\u2800\ufe0f\U000e0041\u202e\x07"
OF_LIGHT = ["pydantic", "vouch_sidecar.operations.operation"]
OF_HELP = ["vouch_sidecar.engine", "tantivy", "rich", "vouch_sidecar.retrieval.view"]
OF_OTHERS = ["pygls", "lsprotocol", "mcp", "vouch_sidecar.surfaces.cli.doctor"]


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (["salience", "Where is Redis?", "How long does JWT live?"], 0, ["jwt", "redis", "JWT"]),
        (["entity", "jwt"], 0, ["JSON Web Token", ".vouch/entities/jwt.yaml", "jwt-expires"]),
        (["claim", "jwt-expires"], 0, ["15 minutes", "Auth notes", "claims/jwt-expires.yaml"]),
        (["status", "--header"], 0, ["claims\tentities", "project", "\t3\t2\t"]),
        (["stats", "--header"], 0, ["\nprocess\t0\t0\t0\t0\t0\t0\n"]),
        (["mentions", "Where is Redis?"], 0, ["redis\tRedis\tconcept\t9\tsurely"]),
        (["explain", "Where is Redis?"], 0, ["redis\tvolunteered"]),
        (["--version"], 0, ["vouch-sidecar"]),
        (["entity", "reddis"], 1, ["the nearest: redis"]),
        (["claim", "jwt-expire"], 1, ["the nearest: jwt-expires"]),
        (["experts", "zzzqqq"], 1, ["No entity carries evidence", "not known here: zzzqqq"]),
        (["search", "zzzqqq"], 1, ["Nothing found."]),
        (["probe", "zzzqqq"], 1, ["Nothing known is named."]),
        (["experts", "  "], 2, ["topic must not be blank"]),
        (["search", "jwt", "--kind", "topic"], 2, ["--kind"]),
        (["experts", "jwt", "--limt", "3"], 2, ["--limit"]),
        (["experts"], 2, ["TOPIC"]),
        (["salience"], 2, ["TEXT"]),
        (["experts", "jwt", "--root", "/never/seen"], 2, ["--root"]),
        (["session_end"], 2, ["No such command 'session_end'.\n"]),
        (["pause", "--minutes", "527041"], 2, ["527040"]),
        (["expert", "jwt"], 2, ["Did you mean 'experts'?"]),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, list) else None,
)
def test_text_and_exit_code(root: Path, args: list[str], code: int, said: list[str]) -> None:
    done = run_command(*args, cwd=root, code=code)
    read = done.stderr if code else done.stdout
    assert [text for text in said if text not in read] == []
    assert not set("\x1b─") & set(read)
    assert not code or done.stdout == ""


@pytest.mark.parametrize("command", ["experts", "search", "probe"])
def test_where_nothing_is_found_programs_get_an_answer(root: Path, command: str) -> None:
    done = run_command(command, "zzzqqq", "--json", cwd=root, code=1)
    assert (json.loads(done.stdout)["complete"], done.stderr) == (True, "")


@pytest.mark.parametrize("command", ["context", "salience", "mentions", "explain"])
def test_standard_input(root: Path, command: str) -> None:
    given = "+ # JWT access tokens\n- # Redis\n"
    wanted = run_command(command, given, cwd=root).stdout
    assert "jwt" in wanted
    assert run_command(command, "-", cwd=root, said=given).stdout == wanted


def test_paths_on_standard_input(root: Path) -> None:
    (root / "last.py").write_text("x = 1\n", "utf-8")
    knowledge.claim(root, "tied", "JWT is in last.py.", "jwt")
    done = run_command("files", "-", "--json", cwd=root, said="gone/1.py\nlast.py\n")
    files = json.loads(done.stdout)["files"]
    assert [file["path"] for file in files] == ["gone/1.py", "last.py"]
    assert [claim["id"] for claim in files[-1]["claims"]] == ["tied"]


def test_check_lists_problems(root: Path) -> None:
    (root / ".vouch" / "claims" / "broken.yaml").write_text("id: broken\ntext: [\n", "utf-8")
    knowledge.config(root, "retrieval: {reflex: {window: true}}\n")
    out = run_command("check", cwd=root, code=1).stdout
    assert ".vouch/claims/broken.yaml:2:8\terror\tinvalid\t" in out
    assert ".vouch/config.yaml:1:" in out
    assert "\nproject/.vouch/config.yaml:1:" in run_command("check", cwd=root.parent, code=1).stdout
    found = json.loads(run_command("check", "--json", cwd=root, code=1).stdout)["problems"]
    assert [row["path"] for row in found] == ["claims/broken.yaml", "config.yaml"]
    assert {row["root"] for row in found} == {str(root)}


def test_a_hint_is_no_problem(root: Path) -> None:
    body = "A [[nowhere]] to go, and no `[[test]]`."
    knowledge.write(root, "pages/p.md", f"---\nid: p\ntitle: P\n---\n{body}\n")
    done = run_command("check", cwd=root)
    assert (done.stdout, done.stderr) == ("", "No problems.\n1 hint: `--hints` lists them\n")
    listed = [run_command("check", "--json", *more, cwd=root).stdout for more in ([], ["--hints"])]
    assert ["dangling-link" in text for text in listed] == [False, True]
    said = run_command("check", "--hints", cwd=root).stdout
    assert "hint\tdangling-link\t`body` names no page or entity: nowhere" in said
    assert said.count("dangling-link") == 1


def test_without_a_knowledge_base_the_next_step_is_named_and_works(tmp_path: Path) -> None:
    for command in (["experts", "jwt"], ["experts", "jwt", "--json"], ["status"], ["check"]):
        done = run_command(*command, cwd=tmp_path, code=2)
        assert done.stdout == ""
        assert done.stderr.startswith(f"Error: no knowledge base found from {tmp_path}; to make")
        assert "`pipx install vouch-kb`, then `vouch init`" in done.stderr
    OracleKb(tmp_path)  # as `vouch init` makes it
    assert run_command("check", cwd=tmp_path).stderr == "No problems.\n"


def test_a_pause_in_a_linked_working_tree_is_one_of_its_knowledge_base(tmp_path: Path) -> None:
    root, tree = repository(tmp_path / "repo", {".gitignore": ".vouch\n"}), tmp_path / "tree"
    commit_as(root, "Ada", {"a.md": "Relay drops it."})
    cite(root, "drops", "Relay drops it.", "a.md")
    git(root, "worktree", "add", "-q", "-b", "other", str(tree))
    assert run_command("pause", cwd=tree).stdout.startswith(f"{root}: paused until")
    assert run_command("status", cwd=tree).stdout.split("\t")[-1].startswith("2100")
    assert run_command("resume", cwd=tree).stdout == f"{root}: resumed\n"


def test_a_pause_is_one_of_each_knowledge_base_found_below(tmp_path: Path) -> None:
    """Also of working trees of a bare repository, of which only one answers there."""
    house = repository(tmp_path / "house", {})
    commit_as(house, "Ada", {"a.md": "Relay drops it."})
    trees = [house / "one", house / "two"]
    for tree in trees:
        git(house, "worktree", "add", "-q", "-b", tree.name, str(tree))
        knowledge.make(tree)
    for command, said in (("pause", "paused until"), ("resume", "resumed")):
        rows = run_command(command, cwd=house).stdout.splitlines()
        assert [row.partition(f": {said}")[0] for row in rows] == [*map(str, trees)]


def test_that_a_claim_went_stale_is_said_wherever_it_is_listed(tmp_path: Path) -> None:
    text = b"Relay drops what it holds.\nIt restarts every night at two.\n"
    root = repository(tmp_path / "repo", {"a.md": text})
    quote = b"Relay drops what it holds."
    cite(root, "drops", "Relay drops it.", "a.md", text, quote=quote, entities=["relay"])
    write(root, {".vouch/entities/relay.yaml": "id: relay\nname: Relay\ntype: system\n"})
    assert "stale" not in run_command("claim", "drops", cwd=root).stdout
    write(root, {"a.md": "Relay keeps what it holds.\nIt restarts every night at two.\n"})
    gone = r"quote gone since, a\.md changed on [-\d]+"
    assert re.search(rf"\nstale\t{gone}\n", run_command("claim", "drops", cwd=root).stdout)
    lines = on_terminal(120, "claim", "drops", cwd=root)
    assert any(re.match(gone, line) for line in lines)
    assert len([line for line in lines if re.search(gone, line)]) == 1
    for args in (["entity", "relay"], ["search", "relay", "--kind", "claim"]):
        assert re.findall(rf"\({gone}\) Relay drops it\.", run_command(*args, cwd=root).stdout)


def test_output_that_cannot_take_every_character(root: Path) -> None:
    knowledge.entity(root, "tokio", "認証基盤")
    knowledge.claim(root, "ninsho", "認証基盤 is the login service.", "tokio")
    run_command("experts", "認証基盤", cwd=root, env={"PYTHONIOENCODING": "ascii"})


@pytest.mark.parametrize(
    "runs",
    [
        [("pause", OF_LIGHT), ("stop --all", OF_LIGHT), ("lsp --help", OF_LIGHT)],
        [("experts --help", OF_HELP), ("experts jwt --json", OF_OTHERS), ("--help", OF_OTHERS[:3])],
    ],
    ids=lambda runs: runs[0][0],
)
def test_a_command_imports_what_it_needs(root: Path, runs: list[tuple[str, list[str]]]) -> None:
    script = (
        "import sys; from vouch_sidecar.surfaces.cli import main\n"
        f"for line, foreign in {runs}:\n"
        "    main(line.split(), standalone_mode=False)\n"
        "    assert not sys.modules.keys() & set(foreign), line\n"
    )
    done = ran(sys.executable, "-c", script, cwd=root)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def hiding(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A knowledge base and an empty folder beside it, whose names and files hide something."""
    root = knowledge.make(tmp_path_factory.mktemp("h") / f"up{HIDDEN}per" / f"pro{HIDDEN}ject")
    put(root / ".vouch", "entities/jwt.yaml", entity("jwt", name="JWT", aliases=[f"J{HIDDEN}"]))
    put(root / ".vouch", f"claims/bro{HIDDEN}ken.yaml", b"id: [")
    said = claim("hiding", text=f"JWT is{HIDDEN} [bold]well[/bold].", entities=["jwt"])
    put(root / ".vouch", "claims/hiding.yaml", said)
    root.with_name(f"emp{HIDDEN}ty").mkdir()
    return root


@pytest.mark.parametrize(
    "args",
    [
        ["check", "--json"],
        ["check"],
        ["search", "JWT", "--json"],
        ["search", "JWT"],
        ["entity", "jwt"],
        ["claim", "hiding"],
        ["probe", "JWT"],
        ["status", "--json"],
        ["experts", "jwt", "--root", f"../emp{HIDDEN}ty"],
    ],
    ids=lambda given: " ".join(given[:3]),
)
def test_nothing_that_is_printed_acts_or_hides(hiding: Path, args: list[str]) -> None:
    done = run_command(*args, cwd=hiding, code=None)
    said = done.stdout + done.stderr
    assert not set(HIDDEN.replace("[2J", "")) & set(said)
    assert "emp" in said or "--root" not in args
    assert said
    assert "[bold]well[/bold]" in said or args[0] not in {"search", "entity", "claim"}


def test_the_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vouch_sidecar.surfaces.cli.processes.find_spec", lambda _: None)
    done = run_command("mcp", code=2)
    assert (done.stdout, f"`{sys.executable} -m pip install 'mcp<2'`" in done.stderr) == ("", True)


class Terminal(TextIOWrapper):
    def isatty(self) -> bool:
        return True


def on_terminal(width: int, *args: str, cwd: Path) -> list[str]:
    """The lines that a terminal of a width shows, without their styles."""
    terminal = {"TERM": "xterm-256color", "COLUMNS": str(width)}
    with (
        Terminal(shown := BytesIO(), "utf-8", write_through=True) as out,
        as_command(cwd, terminal),
        redirect_stdout(out),
    ):
        with pytest.raises(SystemExit) as ended:
            main(args, COMMAND.name)
        assert ended.value.code == 0
        return re.sub(r"\x1b\[[0-9;]*m", "", shown.getvalue().decode()).splitlines()


LONG = "relay-answers-202-early--contradicts--relay-202-before-durable"
COMMANDS = [
    (["experts", "relay"], ["dead-letter-queue", "relay-202-before-durable", "17"]),
    (["salience", "why does Relay use Kafka?"], ["drain-before-restart", "1.00"]),
    (["search", "relay"], ["relay-answers-202-early", LONG]),
    (["entity", "kafka"], ["events-ordered-per-parcel", "relay-202-before-durable"]),
    (["claim", "inc-118-cause"], ["ev-902366559b84379a", "inc-118-review"]),
    (["claim", "relay-answers-202-early"], ["approved by reviewer", "contradicted by"]),
    (["probe", "why does Relay use Kafka?"], ["relay-uses-kafka"]),
    (["status"], ["courier", "73"]),
]


@pytest.mark.parametrize(("args", "expected"), COMMANDS)
@pytest.mark.parametrize("width", [60, 120])
def test_on_a_terminal(courier: Path, width: int, args: list[str], expected: list[str]) -> None:
    lines = on_terminal(width, *args, cwd=courier)
    assert [text for text in expected if not any(text in line for line in lines)] == []
    assert [ln for ln in lines if cell_len(ln) > width and LONG not in ln and " " in ln] == []


@pytest.mark.parametrize("width", [95, 97, 99])
def test_a_table_that_just_fits_is_not_cut(courier: Path, width: int) -> None:
    asked = ("files", "src/dispatch/rate_limiter.py")
    lines = on_terminal(width, *asked, cwd=courier)
    assert lines[0].split() == ["file", "claim", "why", "text"]
    assert {*run_command(*asked, cwd=courier).stdout.split()} <= {*" ".join(lines).split()}


def test_a_row_is_a_line_in_a_pipe(courier: Path) -> None:
    experts, kafka = (
        run_command(*args, cwd=courier, env={"COLUMNS": "40"}).stdout.splitlines()
        for args in (["experts", "relay"], ["entity", "kafka"])
    )
    (relay,) = (line for line in experts if line.startswith("relay\t"))
    assert experts[-1].startswith("person\tdispatch-team\tDispatch team\tteam\towned_by\t")
    assert relay.split("\t")[:6] == ["relay", "Relay", "system", "17", "13", "17"]
    assert relay.endswith("\tdepots-have-own-clock, dispatch-owner, dispatch-table-readonly")
    (claim,) = (line for line in kafka if line.startswith("claim\tkafka-five"))
    assert claim.endswith("losing two of them stops writes, which is wanted.")


def test_wide_characters_take_their_room(root: Path) -> None:
    knowledge.entity(root, "ninsho", "認証基盤")
    knowledge.claim(root, "login", "認証基盤" * 60, "ninsho")
    assert max(map(cell_len, on_terminal(60, "entity", "ninsho", cwd=root))) <= 60
    heading, _, row, *_ = on_terminal(90, "experts", "認証基盤", cwd=root)
    assert cell_len(row[: row.index("concept")]) == heading.index("type")


def test_words_are_apart_from_a_table_above_and_below(root: Path) -> None:
    knowledge.entity(root, "desk", "Night Desk")
    knowledge.entity(root, "ada", "Ada", kind="person")
    owner = "id: owner\nsource: desk\nrelation: owned_by\ntarget: ada\n"
    knowledge.write(root, "relations/owner.yaml", owner)
    knowledge.claim(root, "calls", "Night Desk answers calls.", "desk")
    lines = on_terminal(90, "entity", "Night Desk", cwd=root)
    below = lines.index("1 live claim")
    assert (lines[below - 1], lines[below + 1]) == ("", "")


def test_a_terminal_says_why_it_is_empty(courier: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert on_terminal(90, "context", "moon", cwd=courier) == []
    assert capsys.readouterr().err.startswith("Nothing surely answers this; ")
    piped = run_command("context", "moon", cwd=courier)
    assert (piped.stdout, piped.stderr) == ("", "")
