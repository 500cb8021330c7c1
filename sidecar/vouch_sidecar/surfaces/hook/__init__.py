"""Hooks of agents: one event on standard input, its answer on standard output.

Imports nothing: the standard library is enough to ask a running process.
"""
