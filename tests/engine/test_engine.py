"""What an engine answers from what is published, and what settings change in it."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.engine.sessions import AGENT, MAX_SESSIONS, SESSION_SECONDS, Session, Sessions
from vouch_sidecar.operations.notifications import PauseParams, pause_or_resume
from vouch_sidecar.operations.wire import FailedError, InvalidParamsError, NotFoundError

from tests.engine import bases
from tests.engine.bases import Clock, ask, base, configure, engine_on, known, load, write
from tests.engine.processes import place
from tests.kb.samples import claim, entity


def salient(engine: Engine, key: str = "entity_id", **params: object) -> list[str]:
    return [row[key] for row in ask(engine, "salience", session_id="s", **params)["salience"]]


def items(engine: Engine, task: str, **params: object) -> dict[str, float]:
    """The ids that a task brings in, with their similarities."""
    answer = ask(engine, "context", task=task, **params)
    return {item["id"]: item["similarity"] for item in answer["items"]}


def test_a_root_limits_an_answer_to_one_knowledge_base(tmp_path: Path) -> None:
    first, second, third = (base(tmp_path / folder / "kb") for folder in "abc")
    inner = base(second / "src" / "inner")
    engine = engine_on(third, second, first, inner)
    names = [root["collection"] for root in ask(engine, "status")["roots"]]
    assert names == ["kb", "kb-2", "inner", "kb-3"]
    assert [r["root"] for r in ask(engine, "status", root=str(inner))["roots"]] == [str(inner)]
    for root in (str(second), second.as_uri(), str(second / "src"), str(second / ".vouch")):
        rows = ask(engine, "experts", topic="key vault", root=root)["experts"]
        assert [r["collection"] for r in rows] == ["kb-2"]
        assert len(ask(engine, "status", root=root)["roots"]) == 1
    for root in ("/x", "file://[", "file:///a%00b", "\0", "", "x" * 5000, "https://example.com/"):
        with pytest.raises(InvalidParamsError) as error:
            ask(engine, "experts", topic="key vault", session_id="s", root=root)
        assert str(error.value) == "root is no folder of a knowledge base that is served"
    assert ask(engine, "status")["sessions"] == 0


def test_a_root_leads_where_a_search_from_it_leads(tmp_path: Path) -> None:
    """Through links to a project and to its `.vouch`."""
    root, linked, within = base(tmp_path / "kept"), tmp_path / "linked", tmp_path / ".vouch"
    for link, target in ((within / "project", root), (linked / ".vouch", root / ".vouch")):
        link.parent.mkdir()
        link.symlink_to(target)
    for start, named, found in (
        (within / "project", within / "project", root),
        (linked / ".vouch/..", linked / ".vouch/..", root),
        (linked, linked / ".vouch", linked),
        (linked, linked / ".vouch/claims", linked),
    ):
        (row,) = ask(engine_on(start), "status", root=str(named))["roots"]
        assert row["root"] == str(found)


CAMPAIGN = {
    **known("faction", "Tower Faction", aliases=["tower"]),
    "entities/end.yaml": entity("end", name="Rogue's End", type="place"),
    "claims/faction.yaml": claim(
        "faction", text="The Tower Faction besieged Rogue's End.", entities=["end", "faction"]
    ),
}
ATLAS = known("end", "Rogue's End", "Rogue's End is on the coast.")
ARRIVED = "What happened at Rogue's End after the Tower Faction arrived?"


@pytest.fixture
def worlds(tmp_path: Path) -> Engine:
    return engine_on(base(tmp_path / "atlas", ATLAS), base(tmp_path / "campaign", CAMPAIGN))


@pytest.mark.parametrize("text", [ARRIVED, ARRIVED.replace("'", "’")])
def test_the_block_leads_with_the_one_that_has_the_most_evidence(worlds: Engine, text: str) -> None:
    """One claim of the campaign holds both names; the atlas is no equal, unless it is named."""
    probed, context = ask(worlds, "probe", text=text), ask(worlds, "context", task=text)
    folded = [phrase.replace("’", "'") for phrase in probed["phrases_tested"]]
    assert folded[:2] == ["Rogue's End", "Tower Faction"]
    for answer in (probed, context):
        assert answer["primary_collection"] == "campaign"
        assert answer["supplemental_collections"] == ["atlas"]
    _, first, siege, second, coast, _ = context["text"].splitlines()
    assert (first, second) == ("PRIMARY campaign", "SUPPLEMENTAL atlas")
    assert "besieged" in siege
    assert "coast" in coast
    asked = f"{text} I mean in the atlas."
    for answer in (ask(worlds, "probe", text=asked), ask(worlds, "context", task=asked)):
        assert answer["primary_collection"] == "atlas"


@pytest.mark.parametrize(("others", "is_known"), [(9, True), (10, False)])
def test_a_phrase_is_known_for_ten_turns(worlds: Engine, others: int, is_known: bool) -> None:
    for text in (ARRIVED, *["Who cooks tonight, please?"] * others):
        ask(worlds, "probe", text=text, session_id="s")
    assert bool(ask(worlds, "probe", text=ARRIVED, session_id="s")["from_cache"]) is is_known


def test_a_prompt_is_held_against_as_many_as_the_config_says(worlds: Engine) -> None:
    before = worlds.sessions.generation(worlds.registry.roots)
    worlds.registry.configure({"probe": {"max_collections": 1}})
    once = worlds.sessions.generation(worlds.registry.roots)
    worlds.registry.configure({"probe": {"max_collections": 1}})
    assert before < once == worlds.sessions.generation(worlds.registry.roots)
    for answer in (ask(worlds, "probe", text=ARRIVED), ask(worlds, "context", task=ARRIVED)):
        assert answer["primary_collection"] == "atlas"
        assert answer["supplemental_collections"] == []
    explained = ask(worlds, "explain", text=ARRIVED)
    assert {row["collection"] for row in explained["entities"]} == {"atlas"}


def test_a_pause_that_can_not_be_kept_is_refused_in_words() -> None:
    with place() as (folder, env):
        (folder / "run" / "vouch-sidecar").touch()  # where the user's folder would be
        engine = engine_on(base(folder / "kb"), env=env)
        with pytest.raises(FailedError, match="no runtime folder"):
            pause_or_resume(engine, Caller(), PauseParams())


def test_a_cut_id_that_means_several_claims_lists_them(tmp_path: Path) -> None:
    ids = ("gate-opens-at-dawn-in-summer", "gate-opens-at-dawn-in-winter")
    texts = ("The gate opens at dawn in summer.", "The gate opens at dawn in winter too.")
    files = {f"claims/{at}.yaml": claim(at, text=text) for at, text in zip(ids, texts, strict=True)}
    engine = engine_on(base(tmp_path, files))
    said = ask(engine, "context", task="when does the gate open at dawn in summer or winter?")
    cited = [line.split()[-1] for line in said["text"].split(": ") if "gate-opens" in line]
    assert cited == ["gate-opens-at…"] * 2
    with pytest.raises(NotFoundError) as error:
        ask(engine, "claim", id=cited[0])
    assert all(claim_id in str(error.value) for claim_id in ids)


def test_a_config_takes_effect_with_the_next_answer(tmp_path: Path) -> None:
    root = base(tmp_path / "kb", bases.relays(6))
    engine = engine_on(root)
    engine.observe("s", None, " ".join(f"Mail Relay {i}x" for i in range(6)))
    for top_k, rows in ((None, 3), (5, 5), (True, 3)):
        configure(engine, root, retrieval={"reflex": {"top_k": top_k} if top_k else {}})
        assert len(salient(engine)) == rows
        assert len(salient(engine, top_k=2)) == 2
    (status,) = ask(engine, "status")["roots"]
    assert [p["message"][:24] for p in status["problems"]] == ["`retrieval.reflex.top_k`"]


def test_a_window_counts_as_its_config_says(tmp_path: Path) -> None:
    one, two = base(tmp_path / "one"), base(tmp_path / "two")
    write(one, "config.yaml", {"retrieval": {"reflex": {"window": 1}}})
    engine = engine_on(one, two)
    for text in ("the Key Vault", "something else"):
        engine.observe("s", None, text)
    assert salient(engine, "collection") == ["two"]
    configure(engine, one)
    assert salient(engine, "collection") == ["one", "two"], "the text is still there"


def test_a_window_counts_as_the_environment_of_who_asks_says(tmp_path: Path) -> None:
    engine = engine_on(base(tmp_path / "kb"))
    wide = Caller(env={"VOUCH_SIDECAR_REFLEX_WINDOW": "12"})
    off = Caller(env={"VOUCH_SIDECAR_REFLEX_ENABLED": "false"})
    for text in ("the Key Vault", *["something else"] * 10):
        ask(engine, "mentions", wide, session_id="s", text=text)
        ask(engine, "mentions", off, session_id="t", text=text)
    assert len(ask(engine, "salience", wide, session_id="s")["salience"]) == 1
    assert [session.id for session in engine.sessions] == ["s"]


UNNAMED = "which database do we use for billing data?"
"""A prompt that names no entity."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    billing = "Billing data requires ACID guarantees; PostgreSQL is the data store."
    made = {
        **known("beacon", "Beacon", "Beacon shows the ovens."),
        **known("gull", "Gull Service", "Gull writes to the tills."),
        **known("jwt", "JWT authentication", "Tokens live for an hour."),
        "claims/billing.yaml": claim("billing", text=billing, entities=[]),
        "claims/cookie.yaml": claim("cookie", text="The cookie expires.", entities=[]),
    }
    return base(tmp_path, made)


@pytest.fixture
def engine(root: Path, clock: Clock) -> Engine:
    return engine_on(root, clock=clock)


@pytest.mark.parametrize(
    ("config", "named", "searched"),
    [
        ({}, "gull", "billing"),
        *(({"volunteer": {"threshold": at}}, "beacon gull", "billing") for at in (0.0, 0.3)),
        *(({"volunteer": {"threshold": at}}, "gull", "billing") for at in (0.6, 1.0)),
        ({"sidecar": {"recall": {"fallback_to_fts": False}}}, "gull", ""),
        ({"sidecar": {"recall": {"enabled": False}}}, "", ""),
        ({"sidecar": {"recall": {"similarity_threshold": 0.999}}}, "gull", ""),
        ({"sidecar": {"recall": {"min_prompt_len": len(UNNAMED) + 1}}}, "gull", ""),
    ],
)
def test_what_is_told_is_as_the_config_says(
    engine: Engine, root: Path, config: dict[str, object], named: str, searched: str
) -> None:
    configure(engine, root, **config)
    assert sorted(items(engine, "Beacon or the gull service? and the jwt?")) == named.split()
    assert sorted(items(engine, UNNAMED)) == searched.split()


def test_words_are_settled_as_soon_as_the_config_says_so(engine: Engine, root: Path) -> None:
    text = "the beacon on the hill"
    assert items(engine, text) == {}
    configure(engine, root, sidecar={"names": {"always": ["beacon"]}})
    assert items(engine, text) == {"beacon": 1.0}
    configure(engine, root, sidecar={"names": {"never": ["Beacon"]}})
    assert items(engine, "why is Beacon slow?") == {}
    engine.observe("s", None, "is the jwt old?")  # a part of a name
    assert salient(engine) == ["jwt"]
    configure(engine, root, sidecar={"names": {"never": ["JWT"]}})
    assert salient(engine) == []


def test_what_full_text_finds_is_listed_and_never_pushed(tmp_path: Path) -> None:
    said = "Sends the receipts of all shops to the tills."
    engine = engine_on(base(tmp_path, known("gull", "Gull Service", description=said)))
    listener = bases.Listener(engine)
    engine.observe("s", None, "which receipts of all shops are sent to the tills?")
    (push,) = bases.pushed(listener)
    assert [row["arm"] for row in push.salience] == ["text"]
    assert (push.fresh, push.block.text) == ([], "")


def test_of_an_entity_what_was_not_given_yet_is_said_and_what_changed_since(tmp_path: Path) -> None:
    root = base(tmp_path)
    for name, text in {
        "audit": "Auditors read the vault's access log each Friday.",
        "backup": "Backups of the vault are encrypted twice.",
        "backup-2": "Encrypted backups of the vault go to Oslo.",
    }.items():
        write(root, f"claims/{name}.yaml", claim(name, text=text, entities=["vault"]))
    write(root, "config.yaml", {"sidecar": {"recall": {"max_results": 1}}})
    engine = engine_on(root)
    for task, wanted in {
        "do keys of the Key Vault rotate?": {"rotation"},
        "and does the Key Vault rotate keys daily?": set(),
        "does the Key Vault have an audit board?": set(),
        "are Key Vault backups encrypted?": {"backup"},
        "so Key Vault backups are encrypted?": {"backup-2"},
    }.items():
        assert items(engine, task, session_id="s", repeat=False).keys() == wanted, task
    write(root, "claims/backup.yaml", claim("backup", text="No backups.", entities=["vault"]))
    load(engine)
    asked = "the backups of the Key Vault"
    assert items(engine, asked, session_id="s", repeat=False).keys() == {"backup"}


def test_when_time_is_up_what_is_there_is_said_and_more_later(engine: Engine, clock: Clock) -> None:
    """No world is built here, so what files that a text names would bring is not known either."""
    task = 'How does the Gull Service go with "ACID guarantees" in the evening?'
    for clock.step, told in ((0.6, {"gull"}), (0.0, {"billing"}), (0.0, set())):
        late = ["timed_out"] if clock.step else []
        probed = ask(engine, "probe", text=task)
        found = ask(engine, "context", task=task, session_id="s", repeat=False)
        assert probed["degraded"] == found["degraded"] == ["workspace_pending", *late]
        assert ("billing" in {hit["id"] for hit in probed["hits"]}) == (not late)
        assert {item["id"] for item in found["items"]} == told


def test_of_a_long_text_head_and_tail_are_read(engine: Engine) -> None:
    paste, asked = "word " * 4_000, "What does the Gull Service do?"
    for task in (f"{asked} {paste}", f"{paste} {asked}"):
        assert items(engine, task).keys() == {"gull"}
    assert items(engine, f"{paste} Gull Service {paste}") == {}


def test_a_claim_dated_beyond_the_calendar_answers(tmp_path: Path) -> None:
    dates = {"first": "0001-01-01T00:00:00+14:00", "last": "9999-12-31T23:00:00-14:00"}
    root = base(tmp_path / "kb")
    for name, date in dates.items():
        text = f"{name} keys of the Key Vault"
        write(root, f"claims/{name}.yaml", claim(name, text=text, updated_at=date))
    engine = engine_on(root)
    for name, date in dates.items():
        assert ask(engine, "claim", id=name)["claim"]["date"][:4] == date[:4]
        assert name in ask(engine, "context", task=f"the {name} of the Key Vault")["text"]
    rows = ask(engine, "experts", topic="first of the Key Vault", weight="recency")["experts"]
    assert rows[0]["claim_count"] == 3


def test_a_session_that_ends_on_disk_ends_here(tmp_path: Path) -> None:
    root = base(tmp_path / "kb")
    engine = engine_on(root)
    behind = engine_on(root, sessions=engine.sessions)
    for ended, listed in ((None, ["vault"]), ("2026-01-01T00:00:00", [])):
        for session_id in ("s", f"s{AGENT}a1", "s#12"):
            engine.observe(session_id, None, "the Key Vault")
        write(root, "sessions/s.yaml", {"id": "s", "agent": "ada", "ended_at": ended})
        load(engine)
        assert salient(engine) == listed
        left = [session.id for session in engine.sessions]
        assert len(left) == (3 if listed else 1), "nor does that of a subagent go on"
    engine.sessions.end(left[0])
    engine.observe("s", None, "the Key Vault")
    write(root, "claims/later.yaml", claim("later", text="It is new."))
    load(engine)
    assert salient(engine) == ["vault"], "an end is one end"
    load(behind)
    later = engine_on(root, sessions=engine.sessions)
    assert salient(later) == ["vault"], "also for who looks, or comes, later"
    for ended, listed in ((None, ["vault"]), ("2026-01-01T00:00:00", [])):
        write(root, "sessions/s.yaml", {"id": "s", "agent": "ada", "ended_at": ended})
        load(engine)
        assert salient(engine) == listed, "the same end after it was resumed is another one"
    (root / ".vouch/sessions/s.yaml").unlink()
    load(engine)
    assert not engine.sessions.ends_on_disk[root], "no end is kept that is not there"


@given(st.text(st.sampled_from("a é認🙂\n\ud800"), min_size=1, max_size=9))
def test_no_slot_holds_more_than_4_kb(piece: str) -> None:
    session, text, kb = Session("s", 0.0), piece * 900, Path("kb")
    every = (text, text + " " * 5000, " " * 5000 + text, text * 5, "seashore " * 900)
    for number, long in enumerate(every, 1):
        session.touch(None, long, {kb}, number)
        assert all(len(t.encode("utf-8", "replace")) <= 4096 for t in session.texts(kb, 0))
    assert {*session.texts(kb, 0)[0].split()} == {"seashore"}


def test_sessions_end_after_half_an_hour_and_the_longest_idle_one_before(clock: Clock) -> None:
    sessions = Sessions(clock)
    for number in range(MAX_SESSIONS):
        sessions.open(f"s{number}")
        clock.now += 1
    sessions.get("s0")
    sessions.peek("s1")
    sessions.open("new")
    assert len([*sessions]) == MAX_SESSIONS
    assert sessions.peek("s0") is not None
    assert sessions.peek("s1") is None
    clock.now += SESSION_SECONDS
    assert {session.id for session in sessions} == {"s0", "new"}
    clock.now += 1
    assert [*sessions] == []
