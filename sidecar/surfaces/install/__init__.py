"""Plugs for hosts: what `vouch-sidecar install HOST` writes, and takes away again."""

from sidecar.surfaces.install.errors import InstallError
from sidecar.surfaces.install.hosts import HOSTS, Host, Place
from sidecar.surfaces.install.plan import Edit, apply, difference, plan

__all__ = ["HOSTS", "Edit", "Host", "InstallError", "Place", "apply", "difference", "plan"]
