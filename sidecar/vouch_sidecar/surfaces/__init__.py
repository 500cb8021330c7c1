"""Surfaces: each translates one protocol into calls of operations, and decides nothing else."""

import os

PARENT = os.getppid()
"""The process that started this one, noted at once: it may end while modules are imported."""
