"""`vouch-sidecar demo`: plays a short session over the example knowledge base."""

from __future__ import annotations

import os
import shlex
import tempfile
from pathlib import Path
from typing import Any

import click

import vouch_sidecar
from vouch_sidecar.api import open_kb
from vouch_sidecar.operations.operation import operations
from vouch_sidecar.surfaces.console.options import program
from vouch_sidecar.surfaces.console.printing import show
from vouch_sidecar.surfaces.stdio import say

PROMPT = "Can we restart Relay tonight?"
SMALL_TALK = "Thanks! Now order cake for everybody and make the button blue."
FILE = "src/dispatch/rate_limiter.py"
STEPS: list[tuple[str, str, dict[str, Any]]] = [
    (f"You type a prompt: what it names is in play\n> {PROMPT}", "mentions", {"text": PROMPT}),
    ("An agent is given the claims that answer it, beside it", "context", {"task": PROMPT}),
    (
        f"A prompt about nothing that is known: silence\n> {SMALL_TALK}",
        "context",
        {"task": SMALL_TALK},
    ),
    (
        "You ask who or what carries the evidence on a topic",
        "experts",
        {"topic": "locker", "limit": 5, "weight": "citation"},
    ),
    (f"You open {FILE}: the claims on it", "files", {"paths": [FILE]}),
]


@click.command("demo")
def demo() -> None:
    """Play a short session over an example."""
    package = Path(vouch_sidecar.__file__).parent
    places = package / "courier", package.parents[1] / "examples" / "courier"
    courier = next(place for place in places if place.is_dir())
    for name in [name for name in os.environ if name.startswith("VOUCH_")]:
        del os.environ[name]
    say("vouch-sidecar over the knowledge base of an invented parcel service")
    with tempfile.TemporaryDirectory() as cache:
        os.environ["XDG_CACHE_HOME"] = cache
        with open_kb(courier) as kb:
            for number, (said, name, params) in enumerate(STEPS, 1):
                say(f"\n{number}  {said}")
                show(operations()[name].shown(kb.ask(operations()[name], params)))
    say("\nAsk more of the example, then of a project of your own that has a .vouch/:")
    ours, example = program(), shlex.quote(str(courier))
    say(f"    $ {ours} experts 'proof of delivery' --root {example}")
    say(f"    $ {ours} watch --root ~/your-project")
