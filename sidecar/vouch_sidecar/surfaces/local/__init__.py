"""The socket on which one process answers all others for a knowledge base.

Imports nothing: hooks and the shell use `address`, `client` and `shell`, which import the standard
library only.
"""
