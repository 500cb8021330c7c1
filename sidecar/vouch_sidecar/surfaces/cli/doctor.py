"""`vouch-sidecar doctor`: checks a setup, from the knowledge base to an agent's prompt."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from vouch_sidecar.operations.printer import Printer
from vouch_sidecar.surfaces.console.options import print_json, root_option, start_at
from vouch_sidecar.surfaces.diagnosis import examined

WRONG = 1
STATE_COLOURS = {"ok": "green", "note": "yellow", "wrong": "red"}


@click.command("doctor")
@root_option
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def doctor(root: Path | None, as_json: bool) -> None:
    """Look whether all is in place. Exit code 1 when something is wrong."""
    to = None if as_json else Printer()
    findings = []
    for_person = not as_json and sys.stdout.isatty()
    for finding in examined(start_at(root).absolute(), os.environ, for_person):
        findings.append(finding)
        if to is not None:
            to.uncut(
                (f"{finding.state:5}", STATE_COLOURS[finding.state]),
                (finding.about, "bold"),
                finding.message,
            )
            to.record(*finding)
    healthy = all(finding.state != "wrong" for finding in findings)
    if as_json:
        print_json({"healthy": healthy, "findings": [finding._asdict() for finding in findings]})
    sys.exit(0 if healthy else WRONG)
