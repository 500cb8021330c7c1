"""`vouch-sidecar pause` and `resume`: say nothing unasked for a while."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

import click

from vouch_sidecar.kb import pauses
from vouch_sidecar.kb.sanitize import printable
from vouch_sidecar.surfaces.console.options import root_option, roots_from
from vouch_sidecar.surfaces.stdio import say

_SECONDS = {"m": 60, "h": 3_600, "d": 86_400}


def _seconds(_: click.Context, __: click.Parameter, duration: str | None) -> int | None:
    """Seconds of a duration, written as `30m`, `1h`, `2d`."""
    if duration is None:
        return None
    number, unit = duration[:-1], duration[-1:]
    if unit not in _SECONDS or not number.isdecimal() or not int(number[:6]) > 0:
        raise click.BadParameter("must be a number of minutes, hours or days: 30m, 1h, 2d")
    return int(number[:6]) * _SECONDS[unit]


@click.command()
@root_option
@click.option("--for", "seconds", callback=_seconds, help="End it by itself after 30m, 1h, 2d.")
def pause(root: Path | None, seconds: int | None) -> None:
    """Silence hooks, pushes and hover of a knowledge base.

    Until `resume` or the next start of the system, unless --for says how long. What is asked is
    still answered.
    """
    for folder in roots_from(root):
        ends = pauses.pause(folder, os.environ, seconds)
        until = "`vouch-sidecar resume`"
        if ends < pauses.UNTIL_RESUMED:
            until = datetime.fromtimestamp(ends).astimezone().isoformat(" ", "minutes")
        say(f"{printable(str(folder))}: paused until {until}")


@click.command()
@root_option
def resume(root: Path | None) -> None:
    """End a pause."""
    for folder in roots_from(root):
        was_paused = pauses.resume(folder, os.environ)
        say(f"{printable(str(folder))}: {'resumed' if was_paused else 'was not paused'}")
