"""`vouch-sidecar install`: shows what changes, changes it, says what comes next."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import click

from vouch_sidecar.kb.discovery import discover
from vouch_sidecar.surfaces.install.errors import InstallError
from vouch_sidecar.surfaces.install.hosts import host_called
from vouch_sidecar.surfaces.install.hosts.host import COMMAND, Host, Place
from vouch_sidecar.surfaces.install.plan import apply, difference, plan

__all__ = ["run_install"]


def run_install(
    name: str,
    root: Path | None,
    env: Mapping[str, str],
    *,
    user: bool,
    dry_run: bool,
    uninstall: bool,
) -> None:
    """Put the plug of a host in, or take it out. Raises `click.ClickException`."""
    host = host_called(name)
    if host.snippet is not None:
        click.echo(host.snippet, nl=False)
        return
    place = _place(host, root, env, user)
    try:
        edits = plan(place.pieces, place.base, uninstall=uninstall)
    except InstallError as error:
        raise click.ClickException(f"{error}; nothing was changed") from None
    for edit in edits:
        click.echo(difference(edit), nl=False)
    if not dry_run:
        try:
            apply(edits)
        except InstallError as error:
            raise click.ClickException(str(error)) from None
    if not edits:
        click.echo(f"{host.title}: {'was not there' if uninstall else 'is there'}.", err=True)
    elif not dry_run and not uninstall:
        click.echo(host.after, err=True)
        if shutil.which(COMMAND, path=env.get("PATH")) is None:
            click.echo(f"{COMMAND} is not on the PATH: {host.title} can't start it.", err=True)


def _place(host: Host, root: Path | None, env: Mapping[str, str], user: bool) -> Place:
    where = host.user(env) if user and host.user else None
    if where is None and host.project is not None:
        start = root or Path.cwd()
        found = [] if root else [Path(one) for one in discover(start, env=env)]
        above = next((one for one in found if start.resolve().is_relative_to(one)), start)
        where = host.project(above)
    assert where is not None, "a host has a place or a snippet"
    return where
