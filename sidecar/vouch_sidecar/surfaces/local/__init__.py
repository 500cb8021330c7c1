"""The socket on which one process answers all others for a knowledge base.

Imports nothing: hooks and the shell use `client`, which imports the standard library only.
"""
