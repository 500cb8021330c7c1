"""What each event of an agent is answered, by the engine that a hook asks."""

import asyncio
import threading
from collections.abc import Sequence
from difflib import unified_diff
from pathlib import Path
from typing import Any

import anyio
import pytest
from vouch_sidecar.engine import Caller
from vouch_sidecar.engine.threads import ANSWERS
from vouch_sidecar.surfaces.agent_requests import EVENTS, respond
from vouch_sidecar.surfaces.hook.client import NAMES
from vouch_sidecar.surfaces.hook.payload import ENVELOPES, REST, prompt_of, session_of

from tests.engine.bases import Clock, Listener, ask, pushed
from tests.hook.conftest import END, FILE, KNOWN, PROMPT, START
from tests.kb.samples import entity, put
from tests.protocol import knowledge
from tests.workspace.places import cite, git, settled, write

CODE = "class RelayLoop:\n    pass\n"
RELAY = f"# One is up.\n# It restarts at night.\n{CODE}\n\ndef send_once():\n    return 1\n"
TABLE, COINS = "db/table.sql", ("amber", "birch", "cedar", "dogwood", "elm")


class Agent:
    """An agent in a repository, whose hooks an engine answers that has read all of it."""

    def __init__(self, root: Path, tmp_path: Path) -> None:
        self.root, self.clock = root, Clock()
        self.engine = settled(root, tmp_path)
        self.engine.clock = self.clock

    def __call__(
        self, event: str, session_id: str | None = "agent", *, is_heard: bool = True, **given: Any
    ) -> str:
        """What it is told; empty for nothing."""
        payload = {"session_id": session_id, "cwd": str(self.root), **given}
        if event == END:
            self.engine.sessions.end(session_of(payload) or "")
            return ""

        async def answer() -> Any:
            left = asyncio.get_running_loop().create_future()
            if not is_heard:
                left.set_result(None)
            caller = Caller(env={}, is_model=True, left=left)
            return await respond(self.engine, event, payload, caller)

        answered = anyio.run(answer)
        return str(answered["hookSpecificOutput"]["additionalContext"]) if answered else ""

    def read(self, path: str | Path, session_id: str = "agent", file: object = None) -> str:
        """What it is told after it read a file, of which the host shows this."""
        named = {"file_path": str(self.root / path)}
        return self(FILE, session_id, tool_input=named, tool_response={"file": file})

    def edit(self, path: str, new: str, old: str = "", *, edits: object = None, **more: Any) -> str:
        """What it is told after an edit of which the host says nothing else."""
        given = {"file_path": str(self.root / path), "old_string": old, "new_string": new}
        return self(FILE, tool_input={**given, "edits": edits}, **more)


def changed(agent: Agent, path: str, old: str, new: str) -> dict[str, Any]:
    """Change a file as a host does; the event that it makes of that."""
    before = (agent.root / path).read_text("utf-8")
    after = before.replace(old, new)
    write(agent.root, {path: after})
    were, are = before.splitlines(), after.splitlines()
    first = next(number for number in range(len(were) + 1) if were[:number] != are[:number])
    lines = [*unified_diff(were, are, n=0, lineterm="")][3:]
    patch = [{"newStart": first, "lines": lines}]
    given = {"file_path": str(agent.root / path), "old_string": old, "new_string": new}
    shown = {"structuredPatch": patch, "originalFile": before}
    return {"tool_input": given, "tool_response": shown}


@pytest.fixture
def agent(root: Path, tmp_path: Path) -> Agent:
    """With claims on a file by quote, by name and by folder, and on each line of a table."""
    knowledge.config(root, "sidecar: {recall: {max_results: 10, timeout_ms: 100}}\n")
    lines = [f"The {coin} counter takes {coin} coins." for coin in COINS]
    table = "\n\n".join(lines).encode() + b"\n"
    write(root, {"src/relay.py": RELAY, "src/loop.py": "x = 1\n", TABLE: table})
    git(root, "init", "-q")
    git(root, "add", "-A", "src", "db")
    quoted = b"One is up.\nIt restarts at night.\n"
    cite(root, "quotes", "It restarts.", "src/relay.py", quoted, quote=b"at night")
    cite(root, "names", "`RelayLoop` is slow.", "https://example.org")
    cite(root, "once", "`send_once` is called by nobody else.", "https://example.org/b")
    cite(root, "rule", "Every httpx client needs an explicit timeout.", "src/loop.py")
    for coin, line in zip(COINS, lines, strict=True):
        cite(root, coin, line, TABLE, table, quote=line.encode())
    cite(root, "linked", "Coins are counted twice.", f"{TABLE}#L2", b"elsewhere")
    return Agent(root, tmp_path)


def held(text: str, words: Sequence[str] = ("night", "RelayLoop", "send_once")) -> list[str]:
    return [word for word in words if word in text]


def test_a_session_has_a_brief_and_each_prompt_what_it_was_not_told(agent: Agent) -> None:
    brief = agent(START, source="startup")
    assert "project holds 13 claims." in brief
    assert "- subjects: JWT" in brief
    assert len(brief) <= 300
    said = agent(PROMPT, prompt=KNOWN)
    assert " jwt-rotates: Refresh tokens for JWT rotate on every use." in said
    assert agent(PROMPT, prompt="And how else is a JWT used?") == ""
    assert agent(PROMPT, "other", prompt="What about a JWT?")
    for text in ("# a JWT is checked here\n", "# the JWT is checked there\n"):
        assert "jwt-expires" in agent.edit("auth.py", text, session_id=None)


def test_an_event_may_name_the_viewer(agent: Agent, tmp_path: Path) -> None:
    scope = {"visibility": "private", "agent": "ada"}
    cite(agent.root, "own", "A zebra gate needs two keys.", "https://example.org/z", scope=scope)
    again, asked = Agent(agent.root, tmp_path), "How many keys does the zebra gate need?"
    assert again(PROMPT, prompt=asked) == ""
    for viewer in ({"agent": "ada"}, {"agent": "ada", "project": 5}):
        assert "two keys" in again(PROMPT, str(viewer), prompt=asked, viewer=viewer)


def test_the_command_sends_what_is_answered() -> None:
    assert {*EVENTS, END} == {*NAMES}


def test_what_nobody_heard_was_not_given(agent: Agent) -> None:
    asked = "What about a JWT?"
    heard = agent(PROMPT, prompt=KNOWN, is_heard=False)
    assert (bool(heard), agent.engine.stats.counts["lines"]) == (True, 0)
    assert agent(PROMPT, prompt=asked)
    assert agent.engine.stats.counts["lines"] > 0
    assert agent(PROMPT, prompt=f"{asked}!") == ""
    assert agent.edit("src/relay.py", "send_once(1)", is_heard=False)
    assert agent.edit("src/relay.py", "send_once(2)")
    assert agent.edit("src/relay.py", "send_once(3)") == ""


def test_what_nobody_reviewed_is_told_where_it_is_sure(agent: Agent, tmp_path: Path) -> None:
    said = "The Mail Relay drops letters without a stamp at the northern quay."
    fields: dict[str, Any] = {"auto_approved": True, "entities": ["mail"]}
    cite(agent.root, "passage", said, "a.md", said.encode(), quote=said.encode(), **fields)
    put(agent.root / ".vouch", "entities/mail.yaml", entity("mail", name="Mail Relay"))
    again = Agent(agent.root, tmp_path)
    listener = Listener(again.engine)
    asking = {"the Mail Relay is fast": False, "Does Mail Relay drop letters?": True}
    for text, is_sure in asking.items():
        asked = ask(again.engine, "context", task=text)["items"]
        assert [item["id"] for item in asked] == ["passage"]
        assert (said in again(PROMPT, text, prompt=text)) is is_sure
        again.engine.observe("typed", None, text)
        assert (said in "".join(p.block.text for p in pushed(listener))) is is_sure
        again.engine.sessions.end("typed")


def test_the_same_event_is_answered_once_a_minute(agent: Agent) -> None:
    sessions = ("a", "a", "b", None, None, "x" * 257, "\ud800")
    assert [bool(agent(START, session)) for session in sessions] == [1, 0, 1, 1, 1, 1, 1]
    assert agent(START, "a", source="resume")
    agent.clock.now += 61
    assert agent(START, "a")
    assert agent(PROMPT, prompt=KNOWN, is_heard=False) == agent(PROMPT, prompt=KNOWN) != ""
    assert agent(PROMPT, prompt=KNOWN) == ""


@pytest.mark.parametrize(("event", "source"), [(START, "compact"), (START, "clear"), (END, None)])
def test_what_the_agent_forgot_is_told_again(agent: Agent, event: str, source: str | None) -> None:
    assert agent(PROMPT, "other", prompt=KNOWN)
    for prompt in 2 * (KNOWN, "Do refresh tokens rotate on every use?"):
        first = agent(PROMPT, prompt=prompt)
        assert first
        assert agent.read("src/relay.py")
        agent(event, source=source)
        in_play = ask(agent.engine, "salience", session_id="agent")["salience"]
        assert bool(in_play) is (source == "compact"), "another one begins, or the same goes on"
        assert agent(PROMPT, prompt=prompt) == first
        assert agent.read("src/relay.py")
        agent(event, source=source)
    assert agent(PROMPT, "other", prompt=KNOWN) == ""


def test_a_subagent_is_told_what_others_of_its_session_were(agent: Agent) -> None:
    for agent_id in ("a1", "a2", None):
        said = agent.edit("auth.py", "# a JWT is checked here\n", agent_id=agent_id)
        assert "jwt-expires" in said
        assert agent.edit("auth.py", "# the JWT is checked there\n", agent_id=agent_id) == ""
    assert agent(END) == ""
    assert "jwt-expires" in agent.edit("auth.py", "# JWT\n", agent_id="a1")


def test_what_stands_in_an_envelope_is_not_typed() -> None:
    for tag in " ".join(ENVELOPES.values()).split():
        one = f'<{tag} of="x">\nRedis\n<{tag}>JWT</{tag}> holds <b>it</b>\n</{tag}>'
        assert prompt_of({"prompt": f"{one}\n{one}"}) == ""
        for text in (f"{KNOWN}\n\n{one}", f"{one}{KNOWN}", f"{one}\n{KNOWN}\n{one}"):
            assert prompt_of({"prompt": text}) == KNOWN


@pytest.mark.parametrize(
    ("prompt", "typed"),
    [
        ("This session is being continued from a previous conversation that ran out.\n\nJWT.", ""),
        (f"{REST[0]}. DO NOT respond to these messages.\n<bash-input>JWT</bash-input>", ""),
        ("Stop hook feedback:\n- [x]: JWT failed", ""),
        ("# AGENTS.md instructions for /repo\n\nJWT", ""),
        ("[Request interrupted by user for tool use]", ""),
        (f"# Context from my IDE setup:\n\n- redis.py\n\n## My request for Codex:\n{KNOWN}", KNOWN),
        ("a\ud800", "a\ufffd"),
        *((text, text) for text in ("Why <system-reminder>?", "Close </system-reminder>, please.")),
        *((text, text) for text in ("<system-reminders>R</system-reminders>", "<T>x</T> <task>")),
        ("We were continued from a previous conversation.",) * 2,
    ],
)
def test_what_a_host_writes_is_not_typed(prompt: str, typed: str) -> None:
    assert prompt_of({"prompt": prompt}) == typed


def test_what_nobody_typed_is_neither_answered_nor_counted(agent: Agent) -> None:
    report = f"<task-notification>\n<result>{KNOWN}</result>\n</task-notification>"
    assert agent(PROMPT, prompt=report) == ""
    said = agent(PROMPT, prompt=f"{KNOWN}\n<system-reminder>Redis holds it</system-reminder>")
    assert held(said, ("jwt-rotates", "redis-holds")) == ["jwt-rotates"]
    assert agent.engine.stats.counts["prompts"] == 1


def test_what_an_event_does_not_hold_is_not_read(agent: Agent, tmp_path: Path) -> None:
    outside, link, here = tmp_path / "secret.txt", agent.root / "link", agent.root / "here.txt"
    for path in (outside, here):
        path.write_text("JWT and Redis\n", "utf-8")
    link.symlink_to(outside)
    claim = agent.root / ".vouch" / "claims" / "jwt-expires.yaml"
    for path in (outside, link, Path("../secret.txt"), claim, agent.root, here):
        assert agent.read(path) == ""
    assert agent.edit(str(claim), "JWT") == ""
    assert "redis-holds" in agent.read(here, file={"content": "x\n# sessions go to Redis\n"})
    block = agent(PROMPT, "other", prompt=KNOWN)
    assert "jwt-rotates" in block
    assert agent.read(here, "new", file={"content": block}) == "", "nobody wrote it"


def test_what_a_long_text_in_another_script_names_is_told_and_in_play(agent: Agent) -> None:
    lines = ["JWT " + 60 * "ж"] * 20
    assert "redis-holds" in agent.edit("auth.py", "\n".join([*lines, "Redis", *lines]))
    rows = ask(agent.engine, "salience", session_id="agent")["salience"]
    assert {row["entity_id"] for row in rows} == {"jwt", "redis"}


def test_files_are_answered_in_turn_with_long_questions_and_each_claim_once(agent: Agent) -> None:
    told: list[object] = []

    async def report(name: str) -> None:
        edited = {"file_path": str(agent.root / name), "content": "# a JWT\n"}
        payload = {"session_id": "agent", "tool_input": edited}
        told.append(await respond(agent.engine, FILE, payload, Caller(env={}, is_model=True)))

    async def together() -> None:
        is_over = threading.Event()
        ANSWERS.submit(is_over.wait)
        try:
            async with anyio.create_task_group() as tasks:
                for name in ("a.py", "b.py"):
                    tasks.start_soon(report, name)
                await anyio.sleep(0.2)
                assert not told
                is_over.set()
        finally:
            is_over.set()

    anyio.run(together)
    assert told.count(None) == 1


def test_what_is_weakly_tied_to_a_file_is_not_told(agent: Agent, tmp_path: Path) -> None:
    knowledge.config(agent.root, "sidecar: {recall: {similarity_threshold: 0}}\n")
    write(agent.root, {"src/see.py": "def keep():\n    pass\n"})
    git(agent.root, "add", "src")
    cite(agent.root, "door", "It can `keep`.", "https://example.org/d")
    again = Agent(agent.root, tmp_path)
    (file,) = ask(again.engine, "files", paths=["src/see.py"])["files"]
    assert [(row["id"], row["weak"]) for row in file["claims"]] == [("door", True)]
    assert again.read("src/see.py") == ""
    assert again(FILE, **changed(again, "src/see.py", "pass", "return")) == ""


def test_a_file_s_claims_are_told_once_a_session_and_a_range_has_its_own(agent: Agent) -> None:
    said = agent.read("src/relay.py")
    order = ["“src/relay.py:2” 0.9 quotes: It", "“src/relay.py:3” 0.6 names: ", "relay.py:7”"]
    places = [said.find(text) for text in order]
    assert places == sorted(places), said
    assert places[0] > 0, said
    assert agent.edit("src/relay.py", "send_once(1)") == ""
    assert agent.read("src/relay.py", "b")
    rows: Sequence[tuple[dict[str, object], list[str]]] = (
        ({"startLine": 7, "numLines": 2}, ["send_once"]),
        ({"startLine": 1, "numLines": 3}, ["night", "RelayLoop"]),
        ({"startLine": 1, "numLines": 1}, []),
        ({"startLine": 4, "numLines": 1, "content": CODE}, ["RelayLoop"]),
    )
    for number, (shown, told) in enumerate(rows):
        assert held(agent.read("src/relay.py", f"s{number}", shown)) == told
    shown = {"startLine": 9, "numLines": 9}
    assert held(agent.read(TABLE, file=shown), (*COINS, "twice")) == ["elm"]


def test_an_edit_has_the_claims_of_what_it_changes(agent: Agent) -> None:
    changes = ("    pass", "    x = 1"), ("return 1", "return 2"), ("    return 2\n", "")
    for (old, new), told in zip(changes, ("RelayLoop", "send_once", "send_once"), strict=True):
        event = changed(agent, "src/relay.py", old, new)
        assert held(agent(FILE, f"session of {old}", **event)) == [told]
    # Lines 3 and 4 are lines 7 and 8 after an edit that nobody reported, which were another's.
    write(agent.root, {"src/relay.py": "# More.\n" * 4 + RELAY})
    event = changed(agent, "src/relay.py", CODE, CODE + "    x = 1\n")
    assert held(agent(FILE, **event)) == ["RelayLoop"]


def test_an_edit_without_a_patch_has_no_other_lines(agent: Agent) -> None:
    assert agent.edit("src/relay.py", "\n# Two.\n") == ""
    assert held(agent.edit("src/relay.py", "def send_once():  # once")) == ["send_once"]
    whole = {"file_path": str(agent.root / "src/relay.py"), "content": RELAY}
    assert held(agent(FILE, "b", tool_input=whole)) == ["night", "RelayLoop", "send_once"]


def test_a_claim_whose_quote_an_edit_takes_away_is_told_first_and_marked(agent: Agent) -> None:
    """Also where it was told before, and once; then what the inserted text meets."""
    assert "(quote gone" not in agent.read("src/relay.py")
    write(agent.root, {"src/relay.py": RELAY.replace("at night", "at noon")})
    old = "It restarts at night."
    for session_id in ("agent", "b"):
        new = "It restarts at noon, every httpx client needs a timeout"
        said = agent.edit("src/relay.py", new, old, session_id=session_id)
        first, second = said.splitlines()[1:3]
        assert "(quote gone since, src/relay.py changed on " in first
        assert "It restarts at night." in first
        assert "explicit timeout" in second
    assert agent.edit("src/relay.py", "x", old) == ""


def test_a_quote_of_which_a_change_takes_a_part_is_told_first(agent: Agent, tmp_path: Path) -> None:
    content = b"One is up.\n# It restarts at night.\n"
    cite(agent.root, "both", "Both hold.", "src/relay.py", content, quote=content[4:30])
    again = Agent(agent.root, tmp_path)
    event = changed(again, "src/relay.py", "One is up.\n", "Every httpx client needs a timeout.\n")
    assert "Both hold." in again(FILE, **event).splitlines()[1]


def test_an_edit_is_told_the_claim_that_what_it_changes_meets(agent: Agent) -> None:
    """Whatever a host calls the file and what was written."""
    for path, text in (("notebook_path", "new_source"), ("filePath", "content")):
        given = {path: str(agent.root / "auth.py"), text: "# a JWT is checked here\n"}
        assert "jwt-expires" in agent(FILE, path, tool_input=given)
    client = "client = httpx.AsyncClient(timeout=None)"
    assert "explicit timeout" in agent.edit("src/relay.py", client).splitlines()[1]
    several = [{"old_string": "y", "new_string": client}, {"old_string": "x", "new_string": "y"}]
    assert "explicit timeout" in agent.edit("src/relay.py", "", edits=several, session_id="b")
    assert agent.edit("db/x.py", "timeout = 1", session_id="d") == ""
