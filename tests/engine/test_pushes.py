"""What a connection is told without asking, and what it is never told twice."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from vouch_sidecar.engine import Caller, Engine, Subscriber, health
from vouch_sidecar.engine import pushes as pushes_module
from vouch_sidecar.engine.sessions import SESSION_SECONDS
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.kb.pauses import pause, resume
from vouch_sidecar.operations.notifications import status_notification
from vouch_sidecar.retrieval import push as push_module
from vouch_sidecar.retrieval.push import Push
from vouch_sidecar.retrieval.salience import Salient, rank
from vouch_sidecar.retrieval.view import View

from tests.engine import bases
from tests.engine.bases import Clock, Listener, ask, base, configure, engine_on, load, pushed, write
from tests.engine.processes import place
from tests.kb.samples import claim, entity, page
from tests.workspace.places import cite


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return base(tmp_path / "kb", bases.relays(5))


@pytest.fixture
def engine(root: Path, clock: Clock) -> Engine:
    return engine_on(root, clock=clock)


@pytest.fixture
def listener(engine: Engine) -> Listener:
    return Listener(engine)


def say(engine: Engine, listener: Listener, text: str) -> list[Push]:
    engine.observe("s", None, text)
    return pushed(listener)


def fresh(told: list[Push]) -> list[str]:
    return [entity_id for push in told for _, entity_id in push.volunteered]


def bases_of(told: list[Push]) -> list[str]:
    return [row["collection"] for push in told for row in push.fresh]


def context_of(engine: Engine, **params: object) -> list[str]:
    answer = ask(engine, "context", session_id="s", **params)
    return [item["collection"] for item in answer["items"]]


def test_what_is_typed_has_no_file_looked_at(engine: Engine) -> None:
    before = engine.changed.count, engine.sessions.tellable.count
    engine.observe("A", None, "Is the relay down?")
    assert (engine.changed.count, engine.sessions.tellable.count) == (before[0], before[1] + 1)
    engine.sessions.end("A")
    assert (engine.changed.count, engine.sessions.tellable.count) == (before[0], before[1] + 2)


def test_nothing_is_fresh_twice_in_a_session(engine: Engine, listener: Listener) -> None:
    for session_id in ("first", "second", "s"):
        engine.observe(session_id, None, "the Key Vault")
    told = pushed(listener)
    assert [push.session_id for push in told] == ["s", "second", "first"]
    assert fresh(told) == ["vault"] * 3
    assert fresh(say(engine, listener, "the Key Vault and Mail Relay 1x")) == ["e1"]
    assert fresh(say(engine, listener, "the Key Vault")) == []
    engine.sessions.end("s")
    assert [push.salience for push in pushed(listener)] == [()]
    assert fresh(say(engine, listener, "the Key Vault")) == ["vault"]
    engine.sessions.end("s")  # it begins anew before anybody was told
    (push,) = say(engine, listener, "Mail Relay 1x")
    assert [row["entity_id"] for row in push.salience] == ["e1"]
    engine.observe("quiet", None, "nothing of note")
    assert pushed(listener) == []
    engine.sessions.end("quiet")
    assert pushed(listener) == [], "there was nothing to take back"


def test_a_window_is_told_of_what_clients_say_whoever_uses_the_id(engine: Engine) -> None:
    told = list[Push]()
    window = Subscriber(lambda: Caller(session_id="s"), told.append)
    elsewhere = Caller(env={}, places=bases.places(Path("/elsewhere")))
    spoke = [("s", None), ("s", elsewhere), ("t", elsewhere), ("t", None), ("u", elsewhere)]
    for session_id, caller in spoke:
        engine.observe(session_id, None, "the Key Vault", caller)
    anyio.run(window.tell_news, lambda: [engine], engine.sessions)
    assert [push.session_id for push in told] == ["t", "s"]


def test_what_is_typed_in_a_window_no_other_process_is_told(root: Path, engine: Engine) -> None:
    told, other = list[Push](), Caller(env={}, places=bases.places(root))
    engine.observe("typed", None, "the Key Vault")
    engine.observe("asked", None, "the Key Vault", other)
    anyio.run(Subscriber(lambda: other, told.append).tell_news, lambda: [engine], engine.sessions)
    assert [push.session_id for push in told] == ["asked"]


def test_a_push_has_ten_rows_each_with_its_claim_in_words(tmp_path: Path) -> None:
    long = "It relays " + "mail " * 60
    root = base(tmp_path / "kb", bases.relays(12, long))
    engine = engine_on(root)
    listener = Listener(engine)
    (push,) = say(engine, listener, ", ".join(f"Mail Relay {i}x" for i in range(12)))
    assert len(push.salience) == 10
    assert {row["claim"] for row in push.salience} == {long[:199].rstrip() + "…"}
    first = push.salience[0]["entity_id"]
    write(root, f"claims/{first}.yaml", claim(first, text="No.", entities=[first]))
    load(engine)
    (push,) = pushed(listener)
    assert [row["claim"] for row in push.salience if row["entity_id"] == first] == ["No."]


def test_who_is_told_has_topics_of_his_own_and_many_displace_no_others(tmp_path: Path) -> None:
    said = {"a": "Doors close.", "b": "Gates open."}
    fields = {"tags": ["night shift"], "entities": []}
    files = {f"claims/{name}.yaml": claim(name, text=said[name], **fields) for name in said}
    engine = engine_on(base(tmp_path / "kb", files))
    bases.settle(engine)
    agents = [Caller(viewer=Viewer(agent=agent)) for agent in ("ada", "bob", "cy", "dee", "eve")]
    listeners = [Listener(engine, caller) for caller in agents]
    engine.observe("s", None, "Who has the night shift?")
    asked, rows = [], []
    for _ in range(2):
        before = engine.changed.count
        told = [push for each in listeners for push in pushed(each)]
        rows.append([row["entity_id"] for push in told for row in push.salience])
        asked.append(engine.changed.count - before)
        bases.settle(engine)
    assert (rows, asked) == ([[], ["topic:night-shift"] * 3], [3, 0])


def test_what_nothing_is_told_of_takes_no_place_from_what_something_is(tmp_path: Path) -> None:
    notes = page("We met.", id="notes", type="session", entities=["gull"])
    files = {"entities/gull.yaml": entity("gull", name="Gull Tower"), "pages/notes.md": notes}
    engine = engine_on(base(tmp_path / "kb", files))
    configure(engine, tmp_path / "kb", retrieval={"reflex": {"top_k": 1}})
    assert fresh(say(engine, Listener(engine), "the Gull Tower and the Key Vault")) == ["vault"]


def test_who_wants_rows_takes_nothing_fresh_from_others(engine: Engine, listener: Listener) -> None:
    watching = Listener(engine, parts={"salience"})
    engine.observe("s", None, "the Key Vault")
    assert [(len(push.salience), fresh([push])) for push in pushed(watching)] == [(1, [])]
    assert fresh(pushed(listener)) == ["vault"]


def test_a_new_reason_is_told_and_no_fading(engine: Engine, listener: Listener, root: Path) -> None:
    (row,) = say(engine, listener, "the key-vault")[0].salience
    assert say(engine, listener, "nothing of note") == []
    configure(engine, root, volunteer={"threshold": 0.95})
    (push,) = pushed(listener)
    assert [shown["why"] for shown in push.salience] == [f"{row['why']}: another form of the name"]


@pytest.mark.parametrize(
    ("volunteer", "expected"),
    [
        ({}, ["vault", "e1"]),
        ({"enabled": False}, []),
        ({"max_per_session": 1}, ["vault"]),
        ({"max_per_session": 0}, []),
        ({"throttle_seconds": 60}, ["vault", "later e1"]),
    ],
)
def test_what_is_volunteered_is_as_the_config_says(
    engine: Engine, root: Path, clock: Clock, volunteer: dict[str, object], expected: list[str]
) -> None:
    listener = Listener(engine)
    configure(engine, root, volunteer=volunteer)
    said = fresh(say(engine, listener, "where is the Key Vault kept"))
    clock.now += 59
    said += fresh(say(engine, listener, "is Mail Relay 1X up"))
    clock.now += 1
    said += [f"later {one}" for one in fresh(pushed(listener))]
    assert said == expected


def test_each_config_rules_its_own_entities_and_the_strongest_comes_first(tmp_path: Path) -> None:
    one = base(tmp_path / "one", bases.known("weak", "Bouncer", aliases=["Mail Relay"]))
    two = base(tmp_path / "two", bases.known("strong", "Letter Box"))
    for root, most in ((one, 2), (two, 1)):
        recall = {"include_key_facts": root is two}
        volunteer = {"max_per_session": most}
        write(root, "config.yaml", {"volunteer": volunteer, "sidecar": {"recall": recall}})
    engine = engine_on(one, two)
    listener = Listener(engine)
    (push,) = say(engine, listener, "the Mail Relay and the Letter Box")
    assert bases_of([push]) == ["two", "one"]
    assert [line.artifact.id for line in push.block.hits] == ["strong", "weak"]
    assert push.block.text.count(", 0 sources, ") == 1
    assert bases_of(say(engine, listener, "the Key Vault")) == ["one"]
    configure(engine, two, sidecar={"recall": {"enabled": False}})
    engine.sessions.end("s")
    pushed(listener)
    (push,) = say(engine, listener, "the Mail Relay and the Letter Box")
    assert bases_of([push]) == ["two", "one"]
    assert [line.artifact.id for line in push.block.hits] == ["weak"]


def test_opting_out_says_one_last_word(engine: Engine, listener: Listener, root: Path) -> None:
    say(engine, listener, "the Key Vault")
    assert "_meta" in ask(engine, "experts", topic="keys", session_id="s")
    configure(engine, root, retrieval={"reflex": {"enabled": False}})
    assert [len(push.salience) for push in pushed(listener)] == [0]
    assert say(engine, listener, "the Key Vault") == []
    assert "_meta" not in ask(engine, "experts", topic="key vault", session_id="s")
    assert ask(engine, "status")["sessions"] == 0
    for wanted in (["kb"], []):  # what was given is remembered all the same
        assert context_of(engine, task="do keys rotate?", repeat=False) == wanted
        write(root, "config.yaml", {"retrieval": {"reflex": {"enabled": False, "window": 2}}})
        load(engine)


def test_opting_out_and_in_again_forgets_that_knowledge_base_alone(tmp_path: Path) -> None:
    one, two = base(tmp_path / "one"), base(tmp_path / "two")
    engine = engine_on(one, two)
    listener = Listener(engine)
    assert bases_of(say(engine, listener, "the Key Vault")) == ["one", "two"]
    for wanted in (["one", "two"], []):
        assert context_of(engine, task="do keys rotate?", repeat=False) == wanted
    configure(engine, one, retrieval={"reflex": {"enabled": False}})
    say(engine, listener, "Key Vault")
    assert context_of(engine) == ["two"]
    configure(engine, one, retrieval={"reflex": {"enabled": True}})
    assert context_of(engine) == ["two"]
    assert bases_of(say(engine, listener, "the Key Vault again")) == ["one"]
    assert context_of(engine) == ["one", "two"]
    assert context_of(engine, task="do keys rotate?", repeat=False) == ["one"]


def test_who_finds_an_opt_out_forgets_and_nobody_else(root: Path, engine: Engine) -> None:
    def in_play(*engines: Engine) -> list[list[str]]:
        served = [(each, each.registry.serving(Caller())) for each in engines]
        return [[row.entity.id for row in each.salience(kbs, "s")] for each, kbs in served]

    behind, window = (engine_on(root, sessions=engine.sessions) for _ in range(2))
    engine.observe("s", None, "the Key Vault")
    for enabled in (False, True):
        window.registry.configure({"reflex": {"enabled": enabled}})
    assert in_play(engine, behind, window) == [["vault"], ["vault"], []]
    for each, wanted in (
        (engine, ["kb"]),
        (window, []),
        (behind, []),
    ):  # it was given in the session
        assert context_of(each, task="do keys rotate?", repeat=False) == wanted
    window.observe("s", None, "Mail Relay 1x")
    for enabled in (False, True):
        load(behind)
        configure(engine, root, retrieval={"reflex": {"enabled": enabled}})
        load(window)  # the client has it on
    later = engine_on(root, sessions=engine.sessions)
    assert in_play(engine, window, later) == [[], ["e1"], []]
    engine.observe("s", None, "Mail Relay 2x")
    load(behind)  # it finds last that it was switched on
    assert in_play(engine, behind, later) == [["e2"]] * 3
    for enabled in (False, True):  # it finds last that it was switched off, too
        configure(behind, root, retrieval={"reflex": {"enabled": enabled}})
    assert in_play(engine, behind) == [["e2"], []]


def test_pushes_and_answers_of_a_process_count_the_same(root: Path, engine: Engine) -> None:
    other = engine_on(root, sessions=engine.sessions)
    bases.settle(other)
    listener = Listener(engine)
    told = say(engine, listener, "the Key Vault") + pushed(Listener(other))
    engine.sessions.end("s")
    told += pushed(listener)
    assert len(told) == 3
    answered = [ask(each, "status")["generation"] for each in (engine, other)]
    assert {push.generation for push in told} == {*answered}
    assert len({*answered}) == 1


def test_a_content_that_is_replaced_is_told(engine: Engine, listener: Listener, root: Path) -> None:
    text, quote = b"Every week the keys rotate.\n", b"the keys rotate"
    cite(root, "rotation", quote.decode(), "a.md", text, quote=quote, entities=["vault"])
    (content,) = (root / ".vouch" / "sources").glob("*/content")
    load(engine)
    said = [say(engine, listener, "the Key Vault")[0].salience[0]["claim"]]
    for data in (b"damaged", text):
        content.write_bytes(data)
        load(engine)
        said += [row["claim"] for push in pushed(listener) for row in push.salience]
    assert said == ["Every week the keys rotate.", "the keys rotate", "Every week the keys rotate."]


def test_a_change_elsewhere_is_no_generation(tmp_path: Path, root: Path, engine: Engine) -> None:
    two = base(tmp_path / "two")
    both = engine_on(root, two, sessions=engine.sessions)
    window = Caller(session_id="s", places=bases.places(root))
    told, who = list[Push](), Subscriber(lambda: window, lambda push: told.append(push))

    def counted(text: str) -> list[int]:
        engine.observe("s", None, text)
        anyio.run(who.tell_news, lambda: [both, engine], engine.sessions)
        return [told[-1].generation, status_notification(engine, window).generation]

    before = counted("the Key Vault")
    configure(both, two, kb={"name": "second"})
    assert counted("Mail Relay 1x") == before
    ask_of_both = ask(both, "status")["generation"]
    configure(both, root, kb={"name": "first"})
    first, then = counted("Mail Relay 2x")
    assert first == then > before[0]
    both.registry.set_folders([root])
    assert ask(both, "status")["generation"] > ask_of_both, "it never falls"


def test_a_push_says_if_texts_changed_it(root: Path, engine: Engine, listener: Listener) -> None:
    other = engine_on(root, sessions=engine.sessions)

    def told(text: str) -> list[bool]:
        return [push.of_text for push in say(engine, listener, text)]

    assert told("the Key Vault") == [True]
    configure(other, root, volunteer={"threshold": 0.95})
    assert told("Mail Relay 1x") == [True], "another engine read it first"
    write(root, "claims/e1.yaml", claim("e1", status="redacted", entities=["e1"]))
    load(engine)
    assert told("Mail Relay 2x") == [False]
    assert told("Mail Relay 3x") == [True]
    write(root, "claims/e4.yaml", claim("e4", status="archived", entities=["e4"]))
    load(engine)
    assert pushed(listener) == []
    assert told("Mail Relay 4x") == [False], "nothing told him of it yet"
    engine.sessions.end("s")
    assert [push.of_text for push in pushed(listener)] == [False]


@pytest.mark.parametrize(
    ("seconds", "each"),
    [
        (1.0, [1, 1]),  # the ranking has no time for both
        (0.0, [2]),  # it has, though it waited behind a question
    ],
)
def test_what_a_push_had_no_time_to_say_is_in_the_next_one(
    engine: Engine, clock: Clock, monkeypatch: pytest.MonkeyPatch, seconds: float, each: list[int]
) -> None:
    listener = Listener(engine)

    async def late(run: Callable[[], Any]) -> Any:
        clock.now += 1.0
        clock.step = seconds
        result = run()
        clock.step = 0.0
        return result

    monkeypatch.setattr(pushes_module, "in_turn", late)
    told = say(engine, listener, "the Key Vault and Mail Relay 1x")
    seconds = 0.0
    told += pushed(listener)
    assert pushed(listener) == []
    assert [len(fresh([push])) for push in told] == each
    assert sorted(fresh(told)) == ["e1", "vault"]
    for push in told:
        assert [hit.entity_id for hit in push.block.hits] == fresh([push])


async def telling(engine: Engine, *tell: Callable[[Push], None]) -> None:
    """Tell some that are told of all sessions, until cancelled."""
    async with anyio.create_task_group() as tasks:
        for each in tell:
            subscriber = Subscriber(Caller, each, hears_all=True)
            tasks.start_soon(subscriber.keep_told, lambda: [engine], engine.sessions)


async def test_ends_are_told(engine: Engine, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pushes_module, "PAUSE_LOOK_SECONDS", 0.1)
    told = list[int]()

    def tell(push: Push) -> None:
        told.append(len(push.salience))
        clock.now += SESSION_SECONDS + 1

    engine.observe("s", None, "the Key Vault")
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(telling, engine, tell)
        await bases.until(lambda: told == [1, 0])
        tasks.cancel_scope.cancel()


def test_an_older_text_volunteers_nothing_beside_a_newer_one_of_another_knowledge_base() -> None:
    with place() as (folder, env):
        one, other = base(folder / "one"), base(folder / "other", bases.known("bell", "Night Bell"))
        engine = engine_on(one, other, env=env)
        listener = Listener(engine)
        configure(engine, one, volunteer={"enabled": False})
        assert bases_of(say(engine, listener, "the Key Vault")) == ["other"]
        pause(one, env, None)
        configure(engine, one, volunteer={"enabled": True})
        assert bases_of(say(engine, listener, "the Night Bell")) == ["other"]
        engine.observe("t", None, "the Night Bell")
        assert [ask(engine, "status", root=str(at))["sessions"] for at in (one, other)] == [1, 2]
        engine.sessions.end("t")
        resume(one, env)
        assert bases_of(pushed(listener)) == []
        (push,) = say(engine, listener, "the Key Vault")
        assert bases_of([push]) == ["one"]
        newest = {row["collection"]: row["score"] for row in push.salience}["one"]
        pause(one, env, None)
        say(engine, listener, "It is late.")
        resume(one, env)
        assert newest in {row["score"] for row in pushed(listener)[-1].salience}, "nothing aged it"
        pause(one, env, None)
        for hour in range(8):
            say(engine, listener, f"It is {hour} o'clock.")
        resume(one, env)
        assert pushed(listener) == [], "the window has the newest texts"


def test_a_pause_is_told_beside_what_is_wrong_and_of_some_which() -> None:
    with place() as (folder, env):
        one, other = base(folder / "one"), base(folder / "other")
        engine = engine_on(one, other, env=env)
        pause(one, env, None)
        assert bases.health_told(engine) == ("ok", "Paused: one")
        pause(other, env, None)
        assert bases.health_told(engine) == ("ok", "Paused")
        write(other, "claims/bad.yaml", b"id: [")
        load(engine)
        health, message = bases.health_told(engine)
        assert health == "warning"
        assert message is not None
        assert message.endswith("; Paused")


async def test_one_that_fails_is_said_and_made_again_and_others_are_told(engine: Engine) -> None:
    others, faults = list[Push](), iter([ZeroDivisionError])
    told, messages = list[Push](), list[str]()

    def tell(push: Push) -> None:
        for fault in faults:
            raise fault
        told.append(push)

    def tell_next(push: Push) -> None:
        others.append(push)
        messages.extend([problem.message for problem in engine.faults.problems()])
        assert [bases.health_told(engine)[1]] == messages

    engine.observe("s", None, "the Key Vault")
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(telling, engine, tell, tell_next)
        await bases.until(lambda: bool(others and told))
        tasks.cancel_scope.cancel()
    assert ["ZeroDivisionError" in message for message in messages] == [True]
    assert not engine.faults.problems()
    assert health.degraded(engine, [*engine.registry.collections.values()]) == []
    assert [row["entity_id"] for push in others for row in push.salience] == ["vault"]
    assert len(told) == 1


async def test_a_failure_silences_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = base(tmp_path / "one"), base(tmp_path / "two")
    engine = engine_on(one)
    other = engine_on(two, sessions=engine.sessions)
    both, pushes = Caller(places=bases.places(one, two)), list[Push]()
    who = Subscriber(lambda: both, pushes.append, hears_all=True)

    def told() -> list[str]:
        return [f"{push.session_id} {len(push.salience)}" for push in pushes]

    def fail(view: View, texts: list[str], most: int) -> list[Salient]:
        if texts and view.root == two:
            raise ZeroDivisionError
        return rank(view, texts, most)

    monkeypatch.setattr(push_module, "rank", fail)
    for session_id, each in (("a", engine), ("b", other), ("c", engine), ("c", other)):
        each.observe(session_id, None, "the Key Vault")
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(who.keep_told, lambda: [engine, other], engine.sessions)
        await bases.until(lambda: bool(pushes and other.faults.problems()))
        assert (told(), engine.faults.problems()) == (["c 1", "a 1"], [])
        monkeypatch.undo()
        other.observe("b", None, "Where is the Key Vault?")
        await bases.until(lambda: told()[2:] == ["c 2", "b 1"])
        await bases.until(lambda: not other.faults.problems())
        tasks.cancel_scope.cancel()


def test_each_knowledge_base_is_told_of_once_by_who_has_read_it(root: Path, engine: Engine) -> None:
    shared = engine.sessions
    engines = [bases.unread_engine(root, sessions=shared), engine, engine_on(root, sessions=shared)]
    told = list[Push]()
    engine.observe("s", None, "the Key Vault")
    who = Subscriber(Caller, told.append, hears_all=True)
    anyio.run(who.tell_news, lambda: engines, shared)
    assert [[row["entity_id"] for row in push.salience] for push in told] == [["vault"]]


async def test_of_one_who_leaves_no_fault_stays(engine: Engine) -> None:
    def leave(_: Push) -> None:
        tasks.cancel_scope.cancel()
        raise ConnectionResetError

    engine.observe("s", None, "the Key Vault")
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(telling, engine, leave)
    assert not engine.faults.problems()


async def test_a_session_that_ends_while_another_is_told_is_not_told(engine: Engine) -> None:
    engine.observe("s", None, "the Key Vault")
    engine.observe("first", None, "Mail Relay 1x")
    told = list[tuple[str, list[str]]]()

    def tell(push: Push) -> None:
        told.append((push.session_id, [row["entity_id"] for row in push.salience]))
        if len(told) == 1:
            engine.sessions.end("s")
            engine.observe("s", None, "Mail Relay 2x")

    subscriber = Subscriber(Caller, tell, hears_all=True)
    for wanted in ([("first", ["e1"])], [("first", ["e1"]), ("s", ["e2"])]):
        await subscriber.tell_news(lambda: [engine], engine.sessions)
        assert told == wanted


def test_what_was_retired_while_a_push_was_worked_out_is_not_in_it(
    engine: Engine, listener: Listener, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def late(run: Callable[[], Any]) -> Any:
        ranked = run()
        data = claim("rotation", text="Keys stay.", entities=["vault"])
        write(root, "claims/rotation.yaml", data)
        bases.reread(engine)
        return ranked

    monkeypatch.setattr(pushes_module, "in_turn", late)
    assert say(engine, listener, "the Key Vault") == []
    (push,) = pushed(listener)
    assert "Keys stay." in push.block.text
    assert "Keys rotate." not in push.block.text
