"""The table of hosts and events in `docs/agents.md`."""

from __future__ import annotations

from pathlib import Path

from vouch_sidecar.surfaces.install.events import HOST_EVENTS

DOCS = Path(__file__).parents[2] / "docs" / "agents.md"


def test_the_table_says_which_events_each_host_has() -> None:
    lines = DOCS.read_text("utf-8").splitlines()
    head = next(n for n, line in enumerate(lines) if line.startswith("| host | `session-start`"))
    events = [cell.strip(" `") for cell in lines[head].split("|")[2:-2]]
    table = {}
    for line in lines[head + 2 :]:
        if not line.startswith("|"):
            break
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        has = {event for event, cell in zip(events, cells[1:-1], strict=True) if cell[0] != "–"}
        table[cells[0].strip("`")] = has
        assert cells[-1] == "nothing"
    assert table == {host: set(events) for host, events in HOST_EVENTS.items()}
