"""What agents were given and used: counted by the day, without a text, by the process that owns the
socket.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from vouch_sidecar.kb.pauses import pause
from vouch_sidecar.operations.stats import LedgerTotals, sentence

from tests.engine.processes import until
from tests.hook.conftest import Hook, Place, hook_in, left_alone, serving
from tests.protocol.client import Client, indexed_client, run_command, uri_of

PROMPT = "How do we rotate JWT tokens?"
NAMES = "As jwt-rotates has it, yes."
LIFE = "How long does a JWT live?"
TELLS = "A quarter of an hour: it expires 15 minutes after it was made."


def totals(client: Client) -> dict[str, Any]:
    (one,) = client.request("vouch/stats", {})["ledger"]
    return dict(one)


def counted(client: Client, *names: str) -> tuple[Any, ...]:
    now = totals(client)
    return tuple(now[name] for name in names)


def ledgers(place: Place) -> list[Path]:
    return sorted((place.cache / "ledgers").glob("*"))


@pytest.mark.parametrize(
    ("prompt", "answer", "used"),
    [
        (PROMPT, NAMES, 1),
        (LIFE, TELLS, 1),
        (f"{LIFE} Does it expire after 15 hours?", TELLS, 0),
        (LIFE, "It expires.", 0),
        (PROMPT, "Done, and xjwt-rotates too.", 0),
        (PROMPT, "", None),
    ],
)
def test_a_line_counts_as_used(
    server: Client, hook: Hook, prompt: str, answer: str, used: int | None
) -> None:
    """By its id as it was given, or by two telling words that the prompt did not hold."""
    assert hook("user-prompt-submit", prompt=prompt).out
    assert hook("stop", last_assistant_message=answer).is_silent()
    now = totals(server)
    assert (now["used"], now["judged"]) == (used, 0 if used is None else now["lines"])
    assert len(now["unused"]) == now["lines"] - (used or 0)
    assert hook("stop", last_assistant_message=answer).is_silent()
    assert totals(server)["used"] == used, "a line is used once"


def test_totals_of_a_day_without_a_text(server: Client, hook: Hook, place: Place) -> None:
    given = hook("user-prompt-submit", prompt=PROMPT).text
    lines = [line for line in given.splitlines() if line.startswith("- ")]
    assert hook("user-prompt-submit", prompt="Make the button wider, please.").is_silent()
    hook("stop", last_assistant_message=NAMES, transcript_path=str(place.root / "secret"))
    server.notify("vouch/didDismiss", {"id": "jwt-expires"})
    server.notify("vouch/didDismiss", {"id": "nobody-has-this"})
    server.notify("vouch/didDismiss", {"id": "jwt-expires", "collection": "other"})
    server.open(uri_of(place.root / ".vouch" / "claims" / "jwt-expires.yaml"), "", "yaml")
    names = ("prompts", "told", "silent", "lines", "characters", "used", "dismissed", "opened")
    characters = sum(map(len, lines))
    assert counted(server, *names) == (2, 1, 1, len(lines), characters, 1, 1, 1)
    until(lambda: ledgers(place))
    (file,) = ledgers(place)
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    until(lambda: json.loads(file.read_text())[str(datetime.now(UTC).date())]["opened"] == 1)
    text = file.read_text()
    (day,) = json.loads(text).values()
    assert all(type(number) is int for number in day.values())
    assert not any(word in text for word in ("jwt", "rotate", "project", "agent"))
    said = run_command("stats", "--root", place.root, "--json", env=place.env).stdout
    assert json.loads(said)["ledger"] == [totals(server)]


def test_a_process_goes_on_where_the_last_one_ended(place: Place) -> None:
    for prompt in (PROMPT, f"{PROMPT} Please."):
        with serving(place) as client:
            assert hook_in(place)("user-prompt-submit", prompt=prompt).out
            assert client.shut_down() == 0
    until(lambda: ledgers(place))
    shown = run_command("stats", "--root", place.root, "--json", env=place.env).stdout
    (one,) = json.loads(shown)["ledger"]
    assert (one["prompts"], one["told"], one["used"], one["unused"]) == (2, 2, None, [])


def test_another_editor_has_it_counted_by_the_owner(server: Client, place: Place) -> None:
    with indexed_client(place.root, env=place.env) as second:
        second.notify("vouch/didDismiss", {"id": "jwt-rotates"})
        until(lambda: totals(server)["dismissed"] == 1)


def test_nothing_is_counted_while_it_is_paused(server: Client, hook: Hook, place: Place) -> None:
    assert hook("user-prompt-submit", prompt=PROMPT).out
    pause(place.root, place.env, 3_600)
    hook("user-prompt-submit", prompt="What of Redis?")
    hook("stop", last_assistant_message=NAMES)
    server.notify("vouch/didDismiss", {"id": "jwt-rotates"})
    assert counted(server, "prompts", "judged", "dismissed") == (1, 0, 0)


def test_a_repository_may_only_turn_it_off() -> None:
    with left_alone() as place:
        (place.base / "changed").touch()
        config = place.root / ".vouch" / "config.yaml"
        before = config.read_text()
        config.write_text(f"{before}\nsidecar:\n  ledger: {{enabled: false}}\n")
        on = {"ledger": {"enabled": True}}
        with serving(place) as client:
            client.notify("workspace/didChangeConfiguration", {"settings": {"vouchSidecar": on}})
            assert hook_in(place)("user-prompt-submit", prompt=PROMPT).out
            hook_in(place)("stop", last_assistant_message=NAMES)
            client.notify("vouch/didDismiss", {"id": "jwt-rotates"})
            assert counted(client, "prompts", "lines", "dismissed") == (0, 0, 0)
            config.write_text(f"{before}\nsidecar:\n  ledger: {{enabled: true}}\n")
            wrong = run_command("check", "--root", place.root, env=place.env, code=1).stdout
            assert "may only be `false` here" in wrong
        assert not ledgers(place)


def test_in_words(place: Place) -> None:
    with serving(place):
        assert hook_in(place)("user-prompt-submit", prompt=PROMPT).out
        until(lambda: ledgers(place))
    (file,) = ledgers(place)
    counts = {"prompts": 412, "told": 96, "lines": 131, "characters": 20_800, "judged": 131}
    day = {**counts, "used": 54, "dismissed": 3, "stale": 1, "text": "x", "opened": -1}
    old = str(datetime.now(UTC).date() - timedelta(days=30))
    file.write_text(json.dumps({str(datetime.now(UTC).date()): day, old: day}))
    page = run_command("stats", "--root", place.root, env=place.env).stdout
    assert "ledger\tproject\t412\t96\t316\t131\t20800\t54\t131\t3\t0\t1\n" in page
    (one,) = json.loads(run_command("stats", "--json", "--root", place.root, env=place.env).stdout)[
        "ledger"
    ]
    assert sentence(LedgerTotals(**one)) == (
        "last 30 days: 412 prompts, 96 told something; 131 lines (about 5,200 tokens), 54 used, "
        "3 dismissed, 1 stale"
    )
    assert "lines (about 5,200 tokens), use unknown, 3" in sentence(
        LedgerTotals(**{**one, "used": None})
    )
    for broken in ("[]", "{", '{"2026-13-01": {}}', '{"2026-01-01": []}'):
        file.write_text(broken)
        found = run_command("stats", "--json", "--root", place.root, env=place.env).stdout
        assert json.loads(found)["ledger"][0]["prompts"] == 0
