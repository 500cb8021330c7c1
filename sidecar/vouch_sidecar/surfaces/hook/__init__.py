"""Hooks of agents: one event on standard input, its answer on standard output.

Imports nothing: asking a process that runs takes the standard library only.
"""
