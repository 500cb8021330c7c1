"""Latch: sends unlock commands to docks over MQTT and waits for the answer."""

from __future__ import annotations

import enum
import time
from dataclasses import dataclass
from typing import Protocol

RETRIES = 2
RETRY_AFTER = 4.0
LOW_CHARGE_PERCENT = 18


class Result(enum.Enum):
    OPEN = "open"
    NO_ANSWER = "no_answer"
    LOW_CHARGE = "low_charge"


class Broker(Protocol):
    def publish(self, topic: str, payload: bytes) -> None: ...
    def wait(self, topic: str, seconds: float) -> bytes | None: ...


@dataclass
class Bike:
    serial: str
    electric: bool
    charge: int = 100


def unlock(broker: Broker, dock: str, bike: Bike) -> Result:
    """Opens the lock that holds `bike`; the dock drops commands that are too old."""
    if bike.electric and bike.charge < LOW_CHARGE_PERCENT:
        return Result.LOW_CHARGE
    for _ in range(1 + RETRIES):
        broker.publish(f"dock/{dock}/unlock", f"{bike.serial} {time.time():.0f}".encode())
        if broker.wait(f"dock/{dock}/opened", RETRY_AFTER) is not None:
            return Result.OPEN
    return Result.NO_ANSWER
