"""Hosts, one module each, named as in `vouch-sidecar install`. To add a host, add a file."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vouch_sidecar.surfaces.install.hosts.host import Host

__all__ = ["HOSTS", "host_called"]

_FILES = Path(__file__).parent.glob("*.py")
HOSTS = sorted(
    file.stem.replace("_", "-") for file in _FILES if file.stem not in {"__init__", "host"}
)
"""The names of all hosts."""


def host_called(name: str) -> Host:
    """The host with one of the names in `HOSTS`."""
    host: Host = import_module(f"{__name__}.{name.replace('-', '_')}").HOST
    return host
