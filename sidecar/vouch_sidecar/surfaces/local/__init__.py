"""The socket on which one process answers all others for a knowledge base.

Imports nothing: hooks and the shell use `address` and `client`, which import the standard library
only.
"""
