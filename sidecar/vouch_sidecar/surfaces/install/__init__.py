"""Plugs for hosts: what `vouch-sidecar install HOST` writes, and takes away again."""

from vouch_sidecar.surfaces.install.errors import InstallError
from vouch_sidecar.surfaces.install.hosts import HOSTS, Host, Place
from vouch_sidecar.surfaces.install.plan import Edit, apply, difference, plan

__all__ = ["HOSTS", "Edit", "Host", "InstallError", "Place", "apply", "difference", "plan"]
