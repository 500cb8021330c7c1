"""Tally: the price of a ride, in whole øre."""

from __future__ import annotations

import tomllib
from decimal import ROUND_DOWN, Decimal
from pathlib import Path

PRICES = tomllib.loads((Path(__file__).parent / "prices.toml").read_text())


def fare(seconds: int, electric: bool) -> int:
    """What a ride of so many seconds costs; rounded once, at the end."""
    table = PRICES["electric" if electric else "plain"]
    minutes = Decimal(seconds) / 60
    beyond = max(Decimal(0), minutes - table["free_minutes"])
    exact = table["start"] + beyond * Decimal(str(table["per_minute"]))
    return min(int(exact.to_integral_value(ROUND_DOWN)), PRICES["daily_cap"])
