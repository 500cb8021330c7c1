"""`vouch-sidecar install`: integrates this with agents and editors."""

from __future__ import annotations

import os
from pathlib import Path

import click

from vouch_sidecar.surfaces.install.command import run_install
from vouch_sidecar.surfaces.install.hosts import HOSTS


@click.command()
@click.argument("host", type=click.Choice(HOSTS))
@click.option("--user", is_flag=True, help="For all projects of this user.")
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@click.option("--uninstall", is_flag=True, help="Take our files out again, unless changed since.")
@click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of the project.  [default: that of the knowledge base, else .]",
)
def install(host: str, root: Path | None, **options: bool) -> None:
    """Integrate this with a host: an agent or an editor.

    Write files where none are. Of a file that is there already, print what to add to it.
    """
    run_install(host, root, os.environ, **options)
