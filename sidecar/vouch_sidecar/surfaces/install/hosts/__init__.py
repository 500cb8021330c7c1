"""One module a host, called as `vouch-sidecar install` takes it. A new file is a new host."""

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
"""Their names."""


def host_called(name: str) -> Host:
    """The host that has one of these names."""
    found: Host = import_module(f"{__name__}.{name.replace('-', '_')}").HOST
    return found
