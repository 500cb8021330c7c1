"""`vouch-sidecar demo`: plays a session over the example knowledge base."""

from __future__ import annotations

import os

import click


@click.command("demo")
def demo() -> None:
    """Play a short session over an example, in a temporary folder."""
    from vouch_sidecar.surfaces.tour import run_demo  # a client of LSP, which `--help` needs not

    run_demo(os.environ)
