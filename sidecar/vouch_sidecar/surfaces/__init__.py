"""Surfaces: each translates one protocol into calls of operations, and decides nothing else."""
